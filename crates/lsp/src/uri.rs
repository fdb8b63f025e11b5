//! Paths and `file:` URIs. Servers escape as they please, and some publish under the real path of a link: a URI is
//! never compared as text, only by the canonical path it names.
//! It must never fail on what a server sends: what is no file here is `None`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

/// What a path may hold unescaped.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The URI of an absolute path.
pub(crate) fn of(path: &Path) -> String {
    format!("file://{}", percent_encode(path.as_os_str().as_bytes(), ESCAPED))
}

/// The path of a `file:` URI, `.` and `..` taken out, links not followed. `None` for any other URI.
pub(crate) fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:")).map(|_| &uri[5..])?;
    let absolute = match rest.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => rest,
    };
    if !absolute.starts_with('/') {
        return None;
    }
    let bytes: Vec<u8> = percent_decode_str(absolute).collect();
    if bytes.contains(&0) {
        return None;
    }
    Some(plain(Path::new(OsStr::from_bytes(&bytes))))
}

/// The canonical path of a `file:` URI: links followed as far as the path exists.
pub(crate) fn canonical_path(uri: &str) -> Option<PathBuf> {
    path(uri).map(|path| canonical(&path))
}

/// `path` with links followed as far as it exists; the rest is kept as it is.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let Ok(real) = ancestor.canonicalize() {
            return match path.strip_prefix(ancestor) {
                Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                _ => real,
            };
        }
    }
    path.to_owned()
}

/// Without `.`, `..`, doubled or final separators.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir => {
                plain.pop();
            }
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use test_support::Fixture;

    use super::*;

    #[test]
    fn a_path_comes_back_from_its_uri() {
        for name in ["a b/ü#?%41.rs", "🐋/é", "[id]/(x)@y+z&=.ts", "a\u{301}\n.py", "x:y"] {
            let path = Path::new("/w").join(name);
            let uri = of(&path);
            assert!(uri.is_ascii() && !uri.contains(' '), "{uri}");
            assert_eq!(super::path(&uri).as_deref(), Some(&*path), "{uri}");
        }
        let bytes = Path::new(OsStr::from_bytes(b"/w/\xff"));
        assert_eq!(super::path(&of(bytes)).as_deref(), Some(bytes));
    }

    #[test]
    fn other_spellings_name_the_same_file() {
        let path = PathBuf::from("/w/ü (1)/@t.rs");
        for uri in [
            "file:///w/ü (1)/@t.rs",
            "file:///w/%c3%bc%20(1)/%40t.rs",
            "FILE://localhost/w/%C3%BC%20%281%29/@t.rs",
            "file:/w/./x/../ü (1)//@t.rs",
        ] {
            assert_eq!(super::path(uri).as_ref(), Some(&path), "{uri}");
        }
    }

    #[test]
    fn what_is_no_file_here_is_none() {
        for uri in [
            "",
            "file",
            "file:",
            "untitled:x",
            "file://server/share/a",
            "file:a",
            "jdt://x/y",
            "file:///a%00b",
        ] {
            assert_eq!(path(uri), None, "{uri}");
        }
    }

    #[test]
    fn links_are_followed_as_far_as_the_path_exists() {
        let fixture = Fixture::new("//- /real/a.rs\n");
        std::os::unix::fs::symlink(fixture.path("real"), fixture.path("link")).unwrap();
        assert_eq!(canonical(&fixture.path("link/a.rs")), fixture.path("real/a.rs"));
        assert_eq!(canonical(&fixture.path("link/none/b.rs")), fixture.path("real/none/b.rs"));
        assert_eq!(canonical_path(&of(&fixture.path("link/a.rs"))), Some(fixture.path("real/a.rs")));
    }
}
