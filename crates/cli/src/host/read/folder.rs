//! A folder's entries by name: folders with `/`, files with their size, links with where they lead.
//! It must never follow a link.

use std::fs::{self, DirEntry};

use outrigger::tool::{Error, Output};
use outrigger::workspace::{Located, shown};
use serde_json::{Value, json};

/// Entries shown; more are counted.
const MAX_ENTRIES: usize = 500;

struct Entry {
    name: String,
    kind: &'static str,
    detail: String,
}

pub(super) fn list(folder: &Located) -> Result<Output, Error> {
    let failed = |error| Error::failed(format!("cannot list `{}`: {error}", shown(&folder.relative)));
    let mut entries = fs::read_dir(&folder.absolute)
        .and_then(|entries| {
            entries.map(|entry| entry.map(|entry| describe(&entry))).collect::<Result<Vec<_>, _>>()
        })
        .map_err(failed)?;
    entries.sort_by(|left, right| left.name.cmp(&right.name));
    let total = entries.len();
    let mut text = format!(
        "`{}`: folder with {total} {}",
        shown(&folder.relative),
        if total == 1 { "entry" } else { "entries" }
    );
    for Entry { name, detail, .. } in entries.iter().take(MAX_ENTRIES) {
        text.push_str(&format!("\n{}{detail}", shown(name)));
    }
    if total > MAX_ENTRIES {
        let more = total - MAX_ENTRIES;
        text.push_str(&format!("\n({more} more {})", if more == 1 { "entry" } else { "entries" }));
    }
    let listed: Vec<Value> =
        entries.iter().map(|entry| json!({"name": entry.name, "kind": entry.kind})).collect();
    Ok(Output::text(text).with_data(json!({"path": folder.relative, "entries": listed})))
}

fn describe(entry: &DirEntry) -> Entry {
    let name = entry.file_name().to_string_lossy().into_owned();
    let kind = entry.file_type().ok();
    let (kind, detail) = match kind {
        Some(kind) if kind.is_dir() => ("folder", "/".to_owned()),
        Some(kind) if kind.is_symlink() => {
            let target = fs::read_link(entry.path()).map(|target| target.display().to_string());
            ("link", format!(" -> {}", shown(&target.unwrap_or_default())))
        }
        Some(kind) if kind.is_file() => (
            "file",
            entry
                .metadata()
                .map(|metadata| {
                    format!(" ({} {})", metadata.len(), if metadata.len() == 1 { "byte" } else { "bytes" })
                })
                .unwrap_or_default(),
        ),
        _ => ("special", " (neither file nor folder)".to_owned()),
    };
    Entry { name, kind, detail }
}
