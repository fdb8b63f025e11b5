//! The form of a file that an edit must keep: byte order mark, line ends, final newline.

/// A byte order mark at the start of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bom {
    /// `EF BB BF`.
    Utf8,
    /// `FF FE`.
    Utf16Le,
    /// `FE FF`.
    Utf16Be,
}

impl Bom {
    /// The mark that `bytes` start with.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xef, 0xbb, 0xbf, ..] => Some(Self::Utf8),
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ => None,
        }
    }

    /// Its length in bytes.
    #[expect(clippy::len_without_is_empty, reason = "a mark is never empty")]
    pub fn len(self) -> usize {
        match self {
            Self::Utf8 => 3,
            Self::Utf16Le | Self::Utf16Be => 2,
        }
    }
}

/// How a line ends. A lone carriage return is text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
}

impl Ending {
    /// The bytes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// How many lines end in which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Endings {
    /// Lines that end with `\n` alone.
    pub lf: usize,
    /// Lines that end with `\r\n`.
    pub crlf: usize,
}

impl Endings {
    /// Counts them.
    pub fn count(text: &[u8]) -> Self {
        let mut endings = Self::default();
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if line.ends_with(b"\r\n") {
                endings.crlf += 1;
            } else if line.ends_with(b"\n") {
                endings.lf += 1;
            }
        }
        endings
    }

    /// The more frequent ending, which inserted lines take; `\n` when there are none or as many of each.
    pub fn majority(self) -> Ending {
        if self.crlf > self.lf { Ending::CrLf } else { Ending::Lf }
    }

    /// Whether both occur.
    pub fn is_mixed(self) -> bool {
        self.lf > 0 && self.crlf > 0
    }
}

/// Whether the last line is ended. An empty text has no line to end: `true`.
pub fn has_final_newline(text: &[u8]) -> bool {
    text.is_empty() || text.ends_with(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_decides_and_a_lone_return_ends_nothing() {
        let cases: [(&str, usize, usize, Ending); 6] = [
            ("", 0, 0, Ending::Lf),
            ("a", 0, 0, Ending::Lf),
            ("a\rb\r", 0, 0, Ending::Lf),
            ("a\r\nb\r\nc\n", 1, 2, Ending::CrLf),
            ("a\r\nb\n", 1, 1, Ending::Lf),
            ("a\r\r\n", 0, 1, Ending::CrLf),
        ];
        for (text, lf, crlf, majority) in cases {
            let endings = Endings::count(text.as_bytes());
            assert_eq!((endings.lf, endings.crlf, endings.majority()), (lf, crlf, majority), "{text:?}");
            assert_eq!(endings.is_mixed(), lf > 0 && crlf > 0, "{text:?}");
        }
    }

    #[test]
    fn marks_are_told_apart() {
        assert_eq!(Bom::detect("\u{feff}a".as_bytes()), Some(Bom::Utf8));
        assert_eq!(Bom::detect(b"\xff\xfea\0"), Some(Bom::Utf16Le));
        assert_eq!(Bom::detect(b"\xfe\xff\0a"), Some(Bom::Utf16Be));
        assert_eq!(Bom::detect(b"\xef\xbb"), None);
        assert_eq!(Bom::Utf8.len(), "\u{feff}".len());
    }

    #[test]
    fn the_final_newline_counts() {
        assert!(has_final_newline(b"") && has_final_newline(b"a\n") && has_final_newline(b"a\r\n"));
        assert!(!has_final_newline(b"a") && !has_final_newline(b"a\r"));
    }
}
