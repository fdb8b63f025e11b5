//! The form of a text file in words: line ends, byte order mark, final newline. What is usual is left unsaid.

use std::fmt;

use outrigger::workspace::text::{Bom, Endings, has_final_newline};

/// What of a file its text does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) endings: Endings,
    pub(super) bom: bool,
    pub(super) final_newline: bool,
}

impl Form {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self {
            endings: Endings::count(bytes),
            bom: Bom::detect(bytes) == Some(Bom::Utf8),
            final_newline: has_final_newline(bytes),
        }
    }

    /// The name of its line ends: `lf`, `crlf`, `mixed`; `None` in a text of one unended line.
    pub(super) fn ending(&self) -> Option<&'static str> {
        match self.endings {
            Endings { lf: 0, crlf: 0 } => None,
            Endings { crlf: 0, .. } => Some("lf"),
            Endings { lf: 0, .. } => Some("crlf"),
            Endings { .. } => Some("mixed"),
        }
    }

    /// What of `self` is lost in `new`, in words.
    pub(super) fn lost_in(&self, new: &Self) -> Option<String> {
        let mut lost = Vec::new();
        if self.endings.crlf > 0 && new.ending() == Some("lf") {
            lost.push("CRLF line ends");
        }
        if self.bom && !new.bom {
            lost.push("a byte order mark");
        }
        (!lost.is_empty()).then(|| lost.join(" and "))
    }
}

/// `, CRLF line ends, byte order mark`; empty for the usual form.
impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Endings { lf, crlf } = self.endings;
        match self.ending() {
            Some("crlf") => f.write_str(", CRLF line ends")?,
            Some("mixed") => write!(f, ", mixed line ends ({crlf} CRLF, {lf} LF)")?,
            _ => {}
        }
        if self.bom {
            f.write_str(", byte order mark")?;
        }
        if !self.final_newline {
            f.write_str(", no newline at its end")?;
        }
        Ok(())
    }
}

/// `1 line`, `2 lines`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_unusual_is_said() {
        let said = |text: &str| Form::of(text.as_bytes()).to_string();
        assert_eq!(said("a\nb\n"), "");
        assert_eq!(said(""), "");
        assert_eq!(said("\u{feff}a\r\nb"), ", CRLF line ends, byte order mark, no newline at its end");
        assert_eq!(said("a\r\nb\nc\n"), ", mixed line ends (1 CRLF, 2 LF)");
    }

    #[test]
    fn what_a_new_content_loses() {
        let lost = |old: &str, new: &str| Form::of(old.as_bytes()).lost_in(&Form::of(new.as_bytes()));
        assert_eq!(lost("\u{feff}a\r\n", "a\n").as_deref(), Some("CRLF line ends and a byte order mark"));
        assert_eq!(lost("a\r\n", "b\r\n"), None);
        assert_eq!(lost("a\n", "b\r\n"), None);
    }
}
