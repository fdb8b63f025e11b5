//! A temporary workspace, written as text: `//- /lib/a.dart` starts a file, the lines below it are its content.
//! It must never be smart about content: bytes in, bytes out (use [`Fixture::write`] for CRLF, BOM or invalid UTF-8).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A workspace in a temporary folder, removed on drop, with a second folder beside it for state and outsiders.
#[derive(Debug)]
pub struct Fixture {
    _home: TempDir,
    root: PathBuf,
    outside: PathBuf,
}

impl Fixture {
    /// Writes the files of `text`. Text before the first `//- /path` line must be blank.
    ///
    /// # Panics
    /// When the text does not start with a file header or the folder cannot be written.
    pub fn new(text: &str) -> Self {
        let fixture = Self::empty();
        let mut file: Option<(String, String)> = None;
        for line in text.split_inclusive('\n') {
            if let Some(path) = line.trim_end().strip_prefix("//- /") {
                if let Some((path, content)) = file.replace((path.to_owned(), String::new())) {
                    fixture.write(&path, content);
                }
            } else if let Some((_, content)) = &mut file {
                content.push_str(line);
            } else {
                assert!(line.trim().is_empty(), "a fixture starts with `//- /path`, found {line:?}");
            }
        }
        if let Some((path, content)) = file {
            fixture.write(&path, content);
        }
        fixture
    }

    /// An empty workspace.
    ///
    /// # Panics
    /// When no temporary folder can be made.
    pub fn empty() -> Self {
        let home = TempDir::with_prefix("outrigger-test-").expect("make a temporary folder");
        let base = home.path().canonicalize().expect("resolve the temporary folder");
        let (root, outside) = (base.join("workspace"), base.join("outside"));
        fs::create_dir(&root).expect("make the workspace");
        fs::create_dir(&outside).expect("make the folder beside it");
        Self { _home: home, root, outside }
    }

    /// The workspace's root, canonical.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A folder beside the workspace: for state, and for what must stay out of reach.
    pub fn outside(&self) -> &Path {
        &self.outside
    }

    /// The absolute path of a file of the workspace.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Writes a file, making its folders.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("make folders");
        fs::write(&path, content).unwrap_or_else(|error| panic!("write {}: {error}", path.display()));
    }

    /// Reads a file as text.
    ///
    /// # Panics
    /// When it is absent or not UTF-8.
    pub fn read(&self, relative: &str) -> String {
        String::from_utf8(self.bytes(relative)).expect("a UTF-8 file")
    }

    /// Reads a file's bytes.
    ///
    /// # Panics
    /// When it is absent.
    pub fn bytes(&self, relative: &str) -> Vec<u8> {
        let path = self.path(relative);
        fs::read(&path).unwrap_or_else(|error| panic!("read {}: {error}", path.display()))
    }

    /// Every file and link of the workspace with its bytes (a link's bytes are `-> target`): for "all old or all new".
    ///
    /// # Panics
    /// When a folder or file cannot be read.
    pub fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        let mut tree = BTreeMap::new();
        collect(&self.root, &self.root, &mut tree);
        tree
    }
}

fn collect(root: &Path, folder: &Path, tree: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("list a folder") {
        let entry = entry.expect("read an entry");
        let (path, kind) = (entry.path(), entry.file_type().expect("its type"));
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        if kind.is_symlink() {
            let target = fs::read_link(&path).expect("read a link");
            tree.insert(name, format!("-> {}", target.display()).into_bytes());
        } else if kind.is_dir() {
            collect(root, &path, tree);
        } else {
            tree.insert(name, fs::read(&path).expect("read a file"));
        }
    }
}
