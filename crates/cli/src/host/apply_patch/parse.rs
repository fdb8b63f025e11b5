//! Reading a unified diff: plain (`---`, `+++`, `@@`) or git's, with creations, deletions and renames.
//! It must never repair what it does not understand: that is an error that names the line of the patch.
//! Line counts in hunk headers may be wrong (writers miscount); the body then speaks for itself, and that is said. A
//! patch that ends before its last hunk is as long as it counts was probably cut off: that is an error.

use super::path::{Named, header_path, strip_prefixes};

const BINARY: &str = "a binary patch is not supported";

/// What a patch does to one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FilePatch {
    /// The path before; `None` when the file is created.
    pub(super) old: Option<String>,
    /// The path after; `None` when it is deleted.
    pub(super) new: Option<String>,
    pub(super) hunks: Vec<Hunk>,
    /// Git creates it as a program.
    pub(super) executable: bool,
}

/// One `@@` section.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The line (from 1) where its old lines should be; for a hunk without old lines, the line it comes after.
    pub(super) old_start: usize,
    pub(super) lines: Vec<Line>,
    /// What its header counts, where that is not what its body has.
    pub(super) miscount: Option<Miscount>,
}

/// Old and new lines of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) old: usize,
    pub(super) new: usize,
}

/// A hunk whose header and body do not agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Miscount {
    pub(super) said: Counts,
    pub(super) found: Counts,
}

/// One line of a hunk, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) role: Role,
    pub(super) text: String,
    /// `\ No newline at end of file` follows it.
    pub(super) unended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Context,
    Removed,
    Added,
}

/// What is wrong with a patch, and in which of its lines (from 1).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) line: usize,
    pub(super) what: String,
}

/// Reads every file of a patch. Text around the files is passed over, as git and GNU patch do.
pub(super) fn parse(patch: &str) -> Result<Vec<FilePatch>, Malformed> {
    let patch = patch.strip_suffix('\n').unwrap_or(patch);
    let mut parser = Parser { lines: patch.split('\n').collect(), at: 0 };
    let mut files = Vec::new();
    while let Some(line) = parser.peek() {
        if line.starts_with("diff --git ") {
            files.push(parser.git_file()?);
        } else if parser.at_plain_header() {
            files.push(parser.plain_file()?);
        } else if line.starts_with("@@ ") {
            return Err(parser.malformed("a hunk before any file header (`--- a/path`, `+++ b/path`)"));
        } else {
            parser.at += 1;
        }
    }
    if files.is_empty() {
        let what = "no file header: a unified diff has `--- a/path` and `+++ b/path` before its hunks";
        return Err(Malformed { line: 1, what: what.to_owned() });
    }
    Ok(files)
}

struct Parser<'p> {
    lines: Vec<&'p str>,
    at: usize,
}

/// What git says about a file before its hunks.
#[derive(Default)]
struct GitHeader {
    created: bool,
    deleted: bool,
    executable: bool,
    from: Option<String>,
    to: Option<String>,
}

impl<'p> Parser<'p> {
    fn peek(&self) -> Option<&'p str> {
        self.lines.get(self.at).map(|line| line.strip_suffix('\r').unwrap_or(line))
    }

    fn malformed(&self, what: impl Into<String>) -> Malformed {
        Malformed { line: self.at + 1, what: what.into() }
    }

    fn at_plain_header(&self) -> bool {
        let next = self.lines.get(self.at + 1);
        self.peek().is_some_and(|line| line.starts_with("--- "))
            && next.is_some_and(|line| line.starts_with("+++ "))
    }

    fn plain_file(&mut self) -> Result<FilePatch, Malformed> {
        let (old, new) = self.names()?;
        let hunks = self.hunks()?;
        if hunks.is_empty() {
            return Err(self.malformed("no hunk (`@@ -1,3 +1,4 @@`) follows the file header"));
        }
        let (old, new) = (old.path(), new.path());
        if old.is_none() && new.is_none() {
            return Err(self.malformed("both names are `/dev/null`"));
        }
        Ok(FilePatch { old, new, hunks, executable: false })
    }

    fn names(&mut self) -> Result<(Named, Named), Malformed> {
        let mut name = |sign: &str| {
            let line = self.peek().unwrap_or_default();
            let named = header_path(line.strip_prefix(sign).unwrap_or_default());
            let named =
                named.ok_or_else(|| self.malformed(format!("no path follows `{}`", sign.trim_end())))?;
            self.at += 1;
            Ok(named)
        };
        Ok(strip_prefixes(name("--- ")?, name("+++ ")?))
    }

    fn git_file(&mut self) -> Result<FilePatch, Malformed> {
        let start = self.at;
        self.at += 1;
        let mut header = GitHeader::default();
        while let Some(line) = self.peek()
            && self.git_line(line, &mut header)?
        {
            self.at += 1;
        }
        let executable = header.executable;
        let (names, hunks) =
            if self.at_plain_header() { (Some(self.names()?), self.hunks()?) } else { (None, Vec::new()) };
        let (old, new) = match (header, names) {
            // What git says in words needs no prefix taken off.
            (GitHeader { from: Some(from), to: Some(to), .. }, _) => (Some(from), Some(to)),
            (_, Some((old, new))) => (old.path(), new.path()),
            // An empty file has no hunks, and then git's first line alone names it.
            (GitHeader { created: true, .. }, None) => (None, git_name(self.lines[start])),
            (GitHeader { deleted: true, .. }, None) => (git_name(self.lines[start]), None),
            _ => (None, None),
        };
        if old.is_none() && new.is_none() {
            let what = "this file has neither hunks nor two names";
            return Err(Malformed { line: start + 1, what: what.to_owned() });
        }
        Ok(FilePatch { old, new, hunks, executable })
    }

    /// Takes one line of what git says before the hunks; `false` for any other line.
    fn git_line(&self, line: &str, header: &mut GitHeader) -> Result<bool, Malformed> {
        let path = |text| match header_path(text) {
            Some(Named::Path(path)) => Ok(Some(path)),
            _ => Err(self.malformed(format!("`{line}` names no path"))),
        };
        let starts = |signs: &[&str]| signs.iter().any(|sign| line.starts_with(sign));
        if let Some(from) = line.strip_prefix("rename from ") {
            header.from = path(from)?;
        } else if let Some(to) = line.strip_prefix("rename to ") {
            header.to = path(to)?;
        } else if let Some(mode) = line.strip_prefix("new file mode ") {
            self.regular(mode)?;
            (header.created, header.executable) = (true, mode == "100755");
        } else if let Some(mode) = line.strip_prefix("deleted file mode ") {
            self.regular(mode)?;
            header.deleted = true;
        } else if let Some(index) = line.strip_prefix("index ") {
            self.regular(index.split_once(' ').map_or("100644", |(_, mode)| mode))?;
        } else if starts(&["copy from ", "copy to "]) {
            return Err(self.malformed("a copy is not supported: create the file instead"));
        } else if starts(&["old mode ", "new mode "]) {
            return Err(self.malformed("a change of mode is not supported"));
        } else if starts(&["GIT binary patch", "Binary files "]) {
            return Err(self.malformed(BINARY));
        } else {
            return Ok(starts(&["similarity index ", "dissimilarity index "]));
        }
        Ok(true)
    }

    /// A link's or submodule's patch has no file's content.
    fn regular(&self, mode: &str) -> Result<(), Malformed> {
        if mode.starts_with("100") {
            return Ok(());
        }
        Err(self.malformed(format!("mode {mode} is a link's or submodule's, and only files are patched")))
    }

    fn hunks(&mut self) -> Result<Vec<Hunk>, Malformed> {
        let mut hunks = Vec::new();
        while let Some(line) = self.peek() {
            if line.starts_with("@@") {
                hunks.push(self.hunk(line)?);
            } else if line.is_empty() {
                self.at += 1;
            } else {
                break;
            }
        }
        Ok(hunks)
    }

    fn hunk(&mut self, header: &str) -> Result<Hunk, Malformed> {
        let Some((old_start, old, new)) = ranges(header) else {
            return Err(self.malformed(format!("`{header}` is no hunk header, such as `@@ -1,3 +1,4 @@`")));
        };
        self.at += 1;
        let lines = match self.counted(old, new) {
            Some((lines, end)) => {
                self.at = end;
                lines
            }
            None => self.recounted()?,
        };
        if old > 0 && lines.iter().all(|line| line.role == Role::Added) {
            let what = format!("the hunk `{header}` has no context: where its lines belong cannot be told");
            return Err(self.malformed(what));
        }
        let miscount = miscount(Counts { old, new }, &lines);
        self.whole(header, miscount)?;
        if lines.iter().all(|line| line.role == Role::Context) {
            return Err(self.malformed(format!("the hunk `{header}` changes nothing")));
        }
        Ok(Hunk { old_start, lines, miscount })
    }

    /// A patch that ends before its last hunk is as long as it counts was probably cut off.
    fn whole(&self, header: &str, miscount: Option<Miscount>) -> Result<(), Malformed> {
        let Some(Miscount { said, found }) = miscount else { return Ok(()) };
        if self.at < self.lines.len() || (found.old >= said.old && found.new >= said.new) {
            return Ok(());
        }
        let what = format!(
            "the patch ends inside the hunk `{header}`: it counts {} old and {} new lines and has {} and {}, so it was \
             probably cut off; send it whole, or with the right counts",
            said.old, said.new, found.old, found.new
        );
        Err(Malformed { line: self.at, what })
    }

    /// The body as its header counts it, and where it ends; `None` when it is not so long, or goes on.
    fn counted(&self, mut old: usize, mut new: usize) -> Option<(Vec<Line>, usize)> {
        let (mut lines, mut at) = (Vec::new(), self.at);
        while old > 0 || new > 0 {
            let line = body_line(self.lines.get(at)?)?;
            match line.role {
                Role::Context => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
                Role::Removed => old = old.checked_sub(1)?,
                Role::Added => new = new.checked_sub(1)?,
            }
            at += 1;
            self.push(&mut lines, line, &mut at);
        }
        let next = at + self.lines[at..].iter().take_while(|line| line.trim_end().is_empty()).count();
        let follows = self.lines.get(next).copied().unwrap_or_default();
        let goes_on =
            follows.starts_with([' ', '+', '-']) && !self.is_boundary(next) && follows.trim_end() != "--";
        (!goes_on).then_some((lines, at))
    }

    /// The body up to the next header, whatever was counted.
    fn recounted(&mut self) -> Result<Vec<Line>, Malformed> {
        let mut lines = Vec::new();
        while !self.is_boundary(self.at) {
            let line = self.lines[self.at];
            let Some(line) = body_line(line) else {
                // A fence closes a patch that came in one.
                if line.starts_with("```") {
                    break;
                }
                let what = format!("`{line}` starts with neither a blank, `+`, `-` nor `@@`");
                return Err(self.malformed(what));
            };
            let mut at = self.at + 1;
            self.push(&mut lines, line, &mut at);
            self.at = at;
        }
        // Empty lines at the end are the patch's own, not context.
        while lines.last().is_some_and(|line| line.role == Role::Context && line.text.trim_end().is_empty()) {
            lines.pop();
        }
        Ok(lines)
    }

    fn push(&self, lines: &mut Vec<Line>, mut line: Line, at: &mut usize) {
        if self.lines.get(*at).is_some_and(|next| next.starts_with('\\')) {
            line.unended = true;
            *at += 1;
        }
        lines.push(line);
    }

    /// Whether a header starts here. (A removed line may look like `--- x`, but `+++ y` does not follow it.)
    fn is_boundary(&self, at: usize) -> bool {
        let starts = |at: usize, sign: &str| self.lines.get(at).is_some_and(|line| line.starts_with(sign));
        at >= self.lines.len()
            || starts(at, "@@")
            || starts(at, "diff --git ")
            || (starts(at, "--- ") && starts(at + 1, "+++ "))
    }
}

fn miscount(said: Counts, lines: &[Line]) -> Option<Miscount> {
    let but = |role| lines.iter().filter(|line| line.role != role).count();
    let found = Counts { old: but(Role::Added), new: but(Role::Removed) };
    (said != found).then_some(Miscount { said, found })
}

/// A line of a hunk's body. An empty one is an empty context line whose blank an editor has dropped.
fn body_line(line: &str) -> Option<Line> {
    let (role, text) = match line.as_bytes().first() {
        Some(b' ') => (Role::Context, &line[1..]),
        Some(b'-') => (Role::Removed, &line[1..]),
        Some(b'+') => (Role::Added, &line[1..]),
        None | Some(b'\r') => (Role::Context, line),
        Some(_) => return None,
    };
    Some(Line { role, text: text.to_owned(), unended: false })
}

/// `@@ -start,count +start,count @@`: the old start and both counts. A count of 1 may be left out.
fn ranges(header: &str) -> Option<(usize, usize, usize)> {
    let (ranges, _) = header.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| -> Option<(usize, usize)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((old_start, old_count), (_, new_count)) = (range(old)?, range(new)?);
    Some((old_start, old_count, new_count))
}

/// The name in `diff --git a/name b/name` (or without prefixes), which stands there twice.
fn git_name(line: &str) -> Option<String> {
    let names = line.trim_end().strip_prefix("diff --git ")?;
    let half = names.len() / 2;
    let (old, new) = (names.get(..half)?, names.get(half..)?.strip_prefix(' ')?);
    let stripped = old.strip_prefix("a/").zip(new.strip_prefix("b/"));
    let (old, new) = stripped.unwrap_or((old, new));
    (old == new).then(|| old.to_owned())
}

#[cfg(test)]
mod tests;
