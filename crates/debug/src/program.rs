//! What a program is, by its name and its first bytes: which adapters may take it. It must never run it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use memchr::memmem;
use serde::Deserialize;
use workspace::{Located, Workspace};

use crate::error::Error;
use crate::limits;

/// Bytes searched at a time for what a compiler leaves in its programs.
const CHUNK: usize = 1 << 20;
/// What Go and Rust leave in every program they build.
const GO: &[u8] = b"\xff Go buildinf:";
const RUST: &[u8] = b"/rustc/";

/// What adapters are chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Python,
    Dart,
    DartTest,
    /// A file or a folder of Go that is built first.
    Go,
    GoTest,
    GoBinary,
    Rust,
    Native,
}

/// A program to be debugged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// As an answer shows it.
    pub(crate) shown: String,
    pub(crate) absolute: PathBuf,
    pub(crate) kind: Kind,
}

impl Program {
    /// Finds it in the workspace. Reads the file system.
    pub(crate) fn find(workspace: &Workspace, path: &str) -> Result<Self, Error> {
        let Located { absolute, relative, kind, .. } = workspace.resolve(path)?;
        let shown = workspace::shown(&relative).into_owned();
        let refuse = |text: String| Err(Error::Arguments(text));
        if kind == workspace::Kind::Folder {
            return if has_go(&absolute) {
                Ok(Self { shown, absolute, kind: Kind::Go })
            } else {
                refuse(format!("`{shown}` is a folder without Go files: name the program's file"))
            };
        }
        let extension = absolute.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let stem = absolute.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let kind = match extension {
            "py" | "pyw" => Kind::Python,
            "dart" if stem.ends_with("_test") => Kind::DartTest,
            "dart" => Kind::Dart,
            "go" if stem.ends_with("_test") => Kind::GoTest,
            "go" => Kind::Go,
            "rs" => return refuse(built_first(&shown, "with `cargo build`", "target/debug/NAME")),
            "c" | "cc" | "cpp" | "cxx" | "h" | "hpp" | "zig" | "swift" => {
                return refuse(built_first(&shown, "with debug information (`-g -O0`)", "the executable"));
            }
            _ => match binary(&absolute) {
                Some(kind) => kind,
                None => {
                    return refuse(format!(
                        "`{shown}` is no program that an adapter takes: no executable, and no source of Python, Dart or Go"
                    ));
                }
            },
        };
        Ok(Self { shown, absolute, kind })
    }

    /// The folder it lies in; for a folder, itself.
    pub(crate) fn folder(&self) -> &Path {
        if self.absolute.is_dir() { &self.absolute } else { self.absolute.parent().unwrap_or(&self.absolute) }
    }

    /// What the adapter is told: of a Go file in a module its whole package, which one file would not build.
    pub(crate) fn told(&self, in_project: bool) -> &Path {
        match self.kind {
            Kind::GoTest => self.folder(),
            Kind::Go if in_project => self.folder(),
            _ => &self.absolute,
        }
    }
}

fn built_first(shown: &str, how: &str, what: &str) -> String {
    format!("`{shown}` is source that is compiled first: build it {how} and pass {what}")
}

fn has_go(folder: &Path) -> bool {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    entries.take(10_000).any(|entry| entry.path().extension().is_some_and(|extension| extension == "go"))
}

/// The kind of an executable or a script; `None` for any other file.
fn binary(path: &Path) -> Option<Kind> {
    let mut file = File::open(path).ok()?;
    let mut bytes = vec![0; CHUNK];
    let mut held = file.read(&mut bytes).ok()?;
    let head = &bytes[..held];
    if head.starts_with(b"#!") {
        let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        return memmem::find(line, b"python").map(|_| Kind::Python);
    }
    let elf = head.starts_with(b"\x7fELF");
    let mach = head.starts_with(b"\xcf\xfa\xed\xfe") || head.starts_with(b"\xca\xfe\xba\xbe");
    if !elf && !mach {
        return None;
    }
    let (mut rust, mut read) = (false, held as u64);
    while held > 0 && read < limits::PROGRAM {
        if memmem::find(&bytes[..held], GO).is_some() {
            return Some(Kind::GoBinary);
        }
        rust |= memmem::find(&bytes[..held], RUST).is_some();
        // What is sought may lie across two reads.
        let kept = held.min(GO.len());
        bytes.copy_within(held - kept..held, 0);
        let more = file.read(&mut bytes[kept..]).unwrap_or(0);
        held = if more == 0 { 0 } else { kept + more };
        read += more as u64;
    }
    Some(if rust { Kind::Rust } else { Kind::Native })
}

#[cfg(test)]
mod tests {
    use test_support::Fixture;

    use super::*;

    fn found(fixture: &Fixture, path: &str) -> Result<Kind, String> {
        let workspace = Workspace::open(fixture.root()).unwrap();
        Program::find(&workspace, path).map(|program| program.kind).map_err(|error| error.to_string())
    }

    #[test]
    fn a_program_is_known_by_its_name_or_its_first_bytes() {
        let fixture = Fixture::new(
            "//- /a.py\n//- /bin/tool\n#!/usr/bin/env python3\n//- /a_test.go\n//- /go/b.go\n//- /a_test.dart\n",
        );
        let elf = |marker: &[u8]| [b"\x7fELF", &vec![0; CHUNK - 9][..], marker, &[0; 100]].concat();
        fixture.write("go-program", elf(GO));
        fixture.write("rust-program", elf(RUST));
        fixture.write("c-program", elf(b""));
        for (path, kind) in [
            ("a.py", Kind::Python),
            ("bin/tool", Kind::Python),
            ("a_test.go", Kind::GoTest),
            ("go", Kind::Go),
            ("a_test.dart", Kind::DartTest),
            ("go-program", Kind::GoBinary),
            ("rust-program", Kind::Rust),
            ("c-program", Kind::Native),
        ] {
            assert_eq!(found(&fixture, path), Ok(kind), "{path}");
        }
    }

    #[test]
    fn what_is_no_program_is_told_with_what_would_be_one() {
        let fixture = Fixture::new("//- /a.rs\n//- /a.c\n//- /notes.txt\nx\n//- /empty/x.txt\n");
        for (path, words) in [
            ("a.rs", "build it with `cargo build` and pass target/debug/NAME"),
            ("a.c", "with debug information"),
            ("notes.txt", "is no program that an adapter takes"),
            ("empty", "is a folder without Go files"),
        ] {
            let said = found(&fixture, path).unwrap_err();
            assert!(said.contains(words), "{said}");
        }
    }
}
