//! The names in a patch's headers: `a/` and `b/`, quotes and time stamps taken off.
//! It must never decide where a path leads; the workspace does.

/// A name in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    Path(String),
    /// `/dev/null`: no file on this side.
    Nothing,
}

impl Named {
    pub(super) fn path(self) -> Option<String> {
        match self {
            Self::Path(path) => Some(path),
            Self::Nothing => None,
        }
    }
}

/// The name behind `--- ` or `+++ `: to a tab (a time stamp follows), or in C quotes.
pub(super) fn header_path(text: &str) -> Option<Named> {
    let text = text.trim_end_matches('\r');
    let path = match text.strip_prefix('"') {
        Some(quoted) => unquote(quoted)?,
        None => text.split('\t').next().unwrap_or(text).trim_end().to_owned(),
    };
    match path.as_str() {
        "" => None,
        "/dev/null" => Some(Named::Nothing),
        _ => Some(Named::Path(path)),
    }
}

/// Takes `a/` and `b/` off when both sides have them (or the other is `/dev/null`), as git writes them.
pub(super) fn strip_prefixes(old: Named, new: Named) -> (Named, Named) {
    let stripped = |named: &Named, prefix: &str| match named {
        Named::Path(path) => path.strip_prefix(prefix).map(|path| Named::Path(path.to_owned())),
        Named::Nothing => Some(Named::Nothing),
    };
    match (stripped(&old, "a/"), stripped(&new, "b/")) {
        (Some(old), Some(new)) => (old, new),
        _ => (old, new),
    }
}

/// Git's C quoting: `\"`, `\\`, `\t`, `\n` and bytes in octal. `None` when it is not closed or not UTF-8.
fn unquote(quoted: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), quoted.bytes());
    loop {
        match rest.next()? {
            b'"' => return String::from_utf8(bytes).ok(),
            b'\\' => bytes.push(match rest.next()? {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                first @ b'0'..=b'3' => {
                    let octal = [first, rest.next()?, rest.next()?];
                    u8::from_str_radix(std::str::from_utf8(&octal).ok()?, 8).ok()?
                }
                other => other,
            }),
            byte => bytes.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_quotes_stamps_and_prefixes() {
        let path = |path: &str| Named::Path(path.to_owned());
        let cases = [
            ("a/x.rs", "b/x.rs", path("x.rs"), path("x.rs")),
            ("x.rs\t2026-01-01 00:00", "x.rs\t2026-01-02", path("x.rs"), path("x.rs")),
            ("/dev/null", "b/new file.rs\r", Named::Nothing, path("new file.rs")),
            ("a/gone.rs", "/dev/null", path("gone.rs"), Named::Nothing),
            ("a/x.rs", "a/x.rs", path("a/x.rs"), path("a/x.rs")),
            (r#""a/caf\303\251 \"q\"\\.rs""#, "b/x", path("café \"q\"\\.rs"), path("x")),
        ];
        for (old, new, old_path, new_path) in cases {
            let names = strip_prefixes(header_path(old).unwrap(), header_path(new).unwrap());
            assert_eq!(names, (old_path, new_path), "{old}");
        }
        for bad in ["", "\t2026", r#""open"#, r#""\377""#] {
            assert_eq!(header_path(bad), None, "{bad}");
        }
    }
}
