//! What a search left out, counted by reason, and said in one line.
//! It must never count a file twice, nor call something looked at that was not.

use std::fmt;
use std::ops::AddAssign;

use crate::Unread;

/// Files left out, by reason. The walk fills the first group, whoever reads the files the second
/// ([`Skipped::count`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Files of the wanted kind named by an ignore file.
    pub ignored: usize,
    /// Folders named by an ignore file; what is in them is not counted.
    pub ignored_folders: usize,
    /// Hidden files of the wanted kind.
    pub hidden: usize,
    /// Hidden folders (`.git` apart); what is in them is not counted.
    pub hidden_folders: usize,
    /// Links, which a walk does not follow.
    pub links: usize,
    /// Further names of a file that is in the list already.
    pub duplicates: usize,
    /// Sockets, pipes and devices of the wanted kind.
    pub special: usize,
    /// Files and folders whose name is not UTF-8.
    pub names_not_utf8: usize,
    /// Files and folders the system would not open.
    pub unreadable: usize,

    /// Files with a NUL in their first 8 KiB.
    pub binary: usize,
    /// Files in UTF-16.
    pub utf16: usize,
    /// Files with bytes that are not UTF-8.
    pub not_utf8: usize,
    /// Files over the size limit.
    pub too_large: usize,
}

impl Skipped {
    /// Counts one file that could not be read.
    pub fn count(&mut self, unread: &Unread) {
        match unread {
            Unread::Binary => self.binary += 1,
            Unread::Utf16 => self.utf16 += 1,
            Unread::NotUtf8 { .. } => self.not_utf8 += 1,
            Unread::TooLarge { .. } => self.too_large += 1,
            Unread::Failed(_) => self.unreadable += 1,
        }
    }

    /// Whether nothing was left out.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Each reason with its number, in the order in which they are said; zeros too.
    pub fn reasons(&self) -> [(&'static str, usize); 13] {
        [
            ("ignored", self.ignored),
            ("ignored folders", self.ignored_folders),
            ("hidden", self.hidden),
            ("hidden folders", self.hidden_folders),
            ("links", self.links),
            ("duplicate names", self.duplicates),
            ("special", self.special),
            ("names not UTF-8", self.names_not_utf8),
            ("unreadable", self.unreadable),
            ("binary", self.binary),
            ("UTF-16", self.utf16),
            ("not UTF-8", self.not_utf8),
            ("too large", self.too_large),
        ]
    }
}

/// Sums up, as when each thread counts its own.
impl AddAssign for Skipped {
    fn add_assign(&mut self, other: Self) {
        self.ignored += other.ignored;
        self.ignored_folders += other.ignored_folders;
        self.hidden += other.hidden;
        self.hidden_folders += other.hidden_folders;
        self.links += other.links;
        self.duplicates += other.duplicates;
        self.special += other.special;
        self.names_not_utf8 += other.names_not_utf8;
        self.unreadable += other.unreadable;
        self.binary += other.binary;
        self.utf16 += other.utf16;
        self.not_utf8 += other.not_utf8;
        self.too_large += other.too_large;
    }
}

/// `3 ignored, 1 hidden folder`; empty when nothing was left out.
impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (reason, count) in self.reasons() {
            if count > 0 {
                let reason = if count == 1 { reason.trim_end_matches('s') } else { reason };
                write!(f, "{separator}{count} {reason}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}
