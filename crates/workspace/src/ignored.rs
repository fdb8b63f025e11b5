//! Which of some files an ignore file names, by the rules of the walk. Hidden files are no matter here: a walk passes
//! over them, but nobody has said that they are not to be touched.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::Workspace;

impl Workspace {
    /// Of `paths` (absolute, inside the root, links resolved), those that an ignore file names, or that lie in a folder
    /// it names. What does not exist is not ignored.
    pub fn ignored(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let mut left: Vec<&Path> =
            paths.iter().map(PathBuf::as_path).filter(|path| path.symlink_metadata().is_ok()).collect();
        let wanted: Vec<PathBuf> = left.iter().map(|path| (*path).to_owned()).collect();
        let walk = WalkBuilder::new(self.root())
            .require_git(false)
            .hidden(false)
            .filter_entry(move |entry| wanted.iter().any(|path| path.starts_with(entry.path())))
            .build();
        for entry in walk.flatten() {
            left.retain(|path| *path != entry.path());
        }
        left.into_iter().map(Path::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use test_support::Fixture;

    use super::*;

    #[test]
    fn what_an_ignore_file_names_is_told_apart_from_what_is_hidden() {
        let fixture = Fixture::new(
            "//- /.gitignore\nout/\n*.gen.rs\n!keep.gen.rs\n//- /a.rs\n//- /a.gen.rs\n//- /keep.gen.rs\n\
             //- /out/deep/b.rs\n//- /.github/x.yml\n//- /src/.gitignore\nlocal.rs\n//- /src/local.rs\n//- /src/c.rs\n",
        );
        let workspace = Workspace::open(fixture.root()).unwrap();
        let names = [
            "a.rs",
            "a.gen.rs",
            "keep.gen.rs",
            "out/deep/b.rs",
            ".github/x.yml",
            "src/local.rs",
            "src/c.rs",
            "src",
            "none.gen.rs",
        ];
        let paths: Vec<PathBuf> = names.iter().map(|name| fixture.path(name)).collect();
        let ignored: Vec<String> =
            workspace.ignored(&paths).iter().filter_map(|path| workspace.relative(path)).collect();
        assert_eq!(ignored, ["a.gen.rs", "out/deep/b.rs", "src/local.rs"]);
        assert!(workspace.ignored(&[]).is_empty());
    }
}
