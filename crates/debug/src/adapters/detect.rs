//! Whether an adapter can be used here: a marker and an executable, each found or not, and whether the executable has
//! all it needs. It must never call one half enough, and never leave out what was looked for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use peer::{Command, Ladder, Spawn, Tail};
use tokio::time::timeout;
use workspace::Workspace;
use workspace::detect::{Detection, SearchPath, Sought};

use super::{Adapter, VERSIONS};
use crate::limits;

/// Where adapters are looked for.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The folder of the program, from which markers are looked for upward.
    pub(crate) folder: &'a Path,
    /// What adapters are started with; its `PATH` is searched.
    pub(crate) environment: &'a [(OsString, OsString)],
}

/// What was found of one adapter.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) adapter: Arc<Adapter>,
    detection: Detection,
    /// The marker says that the project is none of this adapter's.
    unfit: bool,
}

impl Search<'_> {
    /// Looks for one adapter. Reads the file system.
    pub(crate) fn find(&self, adapter: &Arc<Adapter>) -> Found {
        let variable = |wanted: &str| {
            self.environment.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone())
        };
        let mut folders: Vec<PathBuf> =
            variable("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        let mut names: Vec<String> = adapter.command.first().cloned().into_iter().collect();
        if let Some(versions) = &adapter.versions {
            for version in VERSIONS.rev() {
                names.push(format!("{}{version}", versions.names));
                folders.push(versions.places.replace("{}", &version.to_string()).into());
            }
        }
        names.extend(adapter.also.iter().cloned());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let markers: Vec<&str> = adapter.markers.iter().map(String::as_str).collect();
        let search = [("VIRTUAL_ENV", variable("VIRTUAL_ENV")), ("PATH", std::env::join_paths(folders).ok())];
        let search = search.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let sought = Sought::new(&markers, &names);
        let detection = self.workspace.detect(self.folder, &sought, &SearchPath::from_variables(search));
        let unfit = !adapter.unfit_when_marker_says.is_empty()
            && detection.marker.as_ref().is_some_and(|marker| {
                let text = workspace::read_source(marker, limits::SOURCE).unwrap_or_default();
                let text = String::from_utf8_lossy(&text);
                adapter.unfit_when_marker_says.iter().any(|words| text.contains(words))
            });
        Found { adapter: Arc::clone(adapter), detection, unfit }
    }
}

impl Found {
    pub(crate) fn executable(&self) -> Option<&Path> {
        self.detection.executable.as_deref()
    }

    /// The folder of the nearest marker.
    pub(crate) fn project(&self) -> Option<&Path> {
        self.detection.marker.as_deref().and_then(Path::parent)
    }

    pub(crate) fn has_marker(&self) -> bool {
        self.detection.marker.is_some() && !self.unfit
    }

    /// What keeps it from being used, as far as can be told without starting it.
    pub(crate) fn missing(&self) -> Option<String> {
        let row = &self.adapter;
        let quoted =
            |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
        let mut missing = Vec::new();
        if self.detection.marker.is_none() {
            let markers = quoted(&row.markers);
            missing.push(format!("no marker (looked for {markers} from here up to the workspace's root)"));
        }
        if self.unfit {
            missing.extend(row.unfit.clone());
        }
        if self.detection.executable.is_none() {
            missing.push(self.no_executable());
        }
        (!missing.is_empty()).then(|| missing.join("; "))
    }

    /// That there is no executable, where it was looked for, and how it is installed.
    pub(crate) fn no_executable(&self) -> String {
        let row = &self.adapter;
        let mut names: Vec<String> = row.command.first().cloned().into_iter().collect();
        let mut places: Vec<String> =
            self.detection.places_searched.iter().map(|place| format!("`{}`", place.display())).collect();
        if let Some(versions) = &row.versions {
            names.push(format!("{}N", versions.names));
            places.push(format!("`{}`", versions.places.replace("{}", "N")));
        }
        names.extend(row.also.iter().cloned());
        let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
        let install = row.install.as_ref().map(|install| format!(": {install}")).unwrap_or_default();
        format!("no executable {names} in {}{install}", places.join(", "))
    }

    /// Whether there is something to ask whether the executable is complete.
    pub(crate) fn can_be_probed(&self) -> bool {
        !self.adapter.probe.is_empty()
    }
}

/// Starts the executable to see whether it has all it needs; says what it lacks.
pub(crate) async fn lacking(
    found: &Found,
    folder: &Path,
    environment: &[(OsString, OsString)],
    spawn: &dyn Spawn,
) -> Option<String> {
    let executable = found.executable()?;
    let row = &found.adapter;
    if row.probe.is_empty() {
        return None;
    }
    let command = Command::new(executable, folder)
        .args(&row.probe)
        .environment(environment.iter().cloned())
        .without_stdin();
    let mut child = match spawn.spawn(command).await {
        Ok(child) => child,
        Err(error) => return Some(error.to_string()),
    };
    for stream in [child.take_stdout(), child.take_stderr()].into_iter().flatten() {
        let _ = Tail::drain(stream, 0);
    }
    let exit = timeout(limits::PROBE, child.wait()).await;
    let _ = child.stop(&Ladder::default()).await;
    let program = executable.display().to_string();
    let lacks = || row.lacks.as_deref().unwrap_or("`{program}` does not work").replace("{program}", &program);
    match exit {
        Ok(exit) if exit.is_success() => None,
        Ok(_) => Some(lacks()),
        Err(_) => Some(format!("`{program}` did not answer within {} s", limits::PROBE.as_secs())),
    }
}
