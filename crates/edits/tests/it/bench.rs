//! A workspace, a registry, and the door between them, for one test. It asserts on what is left on the disk.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use edits::{Change, Committed, Digest, Edits, Error, Limits, Plan, Replacement, State};
use test_support::Fixture;
use tool::Registry;
use workspace::Workspace;

use crate::within::within;

pub(crate) struct Bench {
    pub(crate) fixture: Fixture,
    pub(crate) registry: Registry,
    pub(crate) edits: Edits,
}

impl Bench {
    pub(crate) fn new(text: &str) -> Self {
        Self::of(Fixture::new(text))
    }

    pub(crate) fn of(fixture: Fixture) -> Self {
        let registry = Registry::builder().build();
        let edits = open(&fixture, &registry, &Limits::default()).unwrap();
        Self { fixture, registry, edits }
    }

    /// A byte-for-byte edit of the only place where `old` stands.
    pub(crate) fn edit(&self, plan: Plan, path: &str, old: &str, new: &str) -> Plan {
        let bytes = self.fixture.bytes(path);
        plan.edit(path, Digest::of(&bytes), vec![swap(&bytes, old, new)])
    }

    pub(crate) fn commit(&self, change: &Change) -> Result<Committed, Error> {
        let committed = commit(&self.edits, &self.registry, change);
        if !matches!(committed, Err(Error::NotRestored { .. })) {
            self.assert_clean();
        }
        committed
    }

    pub(crate) fn apply(&self, plan: &Plan) -> Result<Committed, Error> {
        let change = self.edits.snapshot(plan)?;
        self.commit(&change)
    }

    /// No temporary file in the workspace, no journal in the state folder.
    pub(crate) fn assert_clean(&self) {
        assert_clean(self.fixture.root(), self.edits.state().unwrap());
    }
}

/// Commits within a call.
pub(crate) fn commit(edits: &Edits, registry: &Registry, change: &Change) -> Result<Committed, Error> {
    let (edits, change) = (edits.clone(), change.clone());
    within(registry, move |cx| edits.commit(&change, cx.permit(change.paths()).unwrap()))
}

pub(crate) fn swap(bytes: &[u8], old: &str, new: &str) -> Replacement {
    let found: Vec<usize> = bytes
        .windows(old.len())
        .enumerate()
        .filter(|(_, window)| *window == old.as_bytes())
        .map(|(at, _)| at)
        .collect();
    assert_eq!(found.len(), 1, "{old:?} stands once");
    Replacement::new(found[0]..found[0] + old.len(), new)
}

pub(crate) fn open(fixture: &Fixture, registry: &Registry, limits: &Limits) -> Result<Edits, Error> {
    let workspace = Workspace::open(fixture.root()).unwrap();
    let state = State::folder(fixture.outside().join("state"));
    Edits::open_with(workspace, registry.authority(), state, limits.clone())
}

pub(crate) fn assert_clean(root: &Path, state: &Path) {
    let strays: Vec<String> =
        everything(root).into_keys().filter(|path| path.contains(".outrigger-")).collect();
    assert!(strays.is_empty(), "stray files: {strays:?}");
    for entry in fs::read_dir(state).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.starts_with("journal") && !name.contains("draft"), "stray state: {name}");
    }
}

/// Every file, link and folder with its mode and content.
pub(crate) fn everything(root: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let what = if meta.is_dir() {
                folders.push(path.clone());
                "folder".to_owned()
            } else if meta.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else {
                format!(
                    "{:o} {} {}",
                    meta.mode() & 0o7777,
                    meta.nlink(),
                    fs::read(&path).unwrap().escape_ascii()
                )
            };
            all.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(), what);
        }
    }
    all
}

pub(crate) fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
