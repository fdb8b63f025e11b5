//! Which adapter takes a program, and what it is told: the plan of a start.
//! It must never choose an adapter half of which is missing, and never start anything but what tells it about one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use peer::{Command, Ladder, Tail};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::adapters::{Adapter, Blanks, Found, Search, Table, Trust, lacking};
use crate::error::Error;
use crate::keeper::Ownership;
use crate::limits;
use crate::program::{Kind, Program};
use crate::session::Common;
use crate::sessions::DebugSessions;
use crate::start::{Plan, Reach};

/// The workspace's own table of adapters.
const WORKSPACE_TABLE: &str = ".outrigger/adapters.toml";
/// Folders whose code is a library's.
const LIBRARIES: [&str; 4] = ["site-packages", "dist-packages", ".venv", "venv"];

/// What a caller says of a launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Launch {
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    pub(crate) adapter: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) enters: bool,
}

/// Plans for one workspace.
#[derive(Clone, Debug)]
pub(crate) struct Planner {
    pub(crate) sessions: DebugSessions,
    pub(crate) common: Arc<Common>,
}

/// A plan, and what it was made from: for a start that fails because the adapter is not complete.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) plan: Plan,
    pub(crate) found: Option<Found>,
}

/// How one adapter stands.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) id: String,
    pub(crate) executable: Option<PathBuf>,
    /// What is missing; nothing where it is usable.
    pub(crate) missing: Option<String>,
}

impl Planner {
    /// The table of this host and workspace. Reads the file system.
    fn table(&self) -> Result<(Table, Vec<String>), Error> {
        let path = self.common.workspace.root().join(WORKSPACE_TABLE);
        let own = workspace::read_source(&path, limits::SOURCE).ok();
        let own = own.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let host = self.sessions.adapters.as_deref().map(|text| (text, Trust::Full));
        let own = own.as_deref().map(|text| (text, Trust::Harmless));
        Table::new(&host.into_iter().chain(own).collect::<Vec<_>>())
    }

    fn search<'a>(&'a self, folder: &'a Path) -> Search<'a> {
        Search { workspace: &self.common.workspace, folder, environment: &self.sessions.environment }
    }

    /// Which adapters are usable at the workspace's root, and why not; each is asked whether it is complete.
    pub(crate) async fn standings(self) -> Result<(Vec<Standing>, Vec<String>), Error> {
        let planner = self.clone();
        let (found, notes) = blocking(move || {
            let (table, notes) = planner.table()?;
            let search = planner.search(planner.common.workspace.root());
            Ok((table.0.iter().map(|row| search.find(row)).collect::<Vec<_>>(), notes))
        })
        .await?;
        let standings = found.into_iter().map(|found| self.standing(found));
        Ok((futures_util::future::join_all(standings).await, notes))
    }

    async fn standing(&self, found: Found) -> Standing {
        let folder = self.common.workspace.root();
        let lacks = lacking(&found, folder, &self.sessions.environment, &*self.sessions.spawn).await;
        let missing = match (found.missing(), lacks) {
            (Some(missing), Some(lacks)) => Some(format!("{missing}; {lacks}")),
            (missing, lacks) => missing.or(lacks),
        };
        Standing { id: found.adapter.id.clone(), executable: found.executable().map(Path::to_owned), missing }
    }

    /// What an adapter that could not be started lacks.
    pub(crate) async fn explain(&self, found: &Found) -> Option<String> {
        if !found.can_be_probed() {
            return None;
        }
        let folder = self.common.workspace.root();
        lacking(found, folder, &self.sessions.environment, &*self.sessions.spawn).await
    }

    pub(crate) async fn launch(self, launch: Launch) -> Result<Planned, Error> {
        let planner = self.clone();
        let Draft { mut planned, kind, project } = blocking(move || planner.plan_launch(launch)).await?;
        let plan = &mut planned.plan;
        if plan.adapter.rust_formatters && kind == Kind::Rust {
            match self.formatters(&project).await {
                Some(commands) => {
                    plan.fields.insert("initCommands".to_owned(), commands);
                }
                None => plan.notes.push(
                    "values of Rust are shown raw: the formatters of the toolchain were not found (`rustc --print sysroot`)"
                        .to_owned(),
                ),
            }
        }
        Ok(planned)
    }

    fn plan_launch(&self, launch: Launch) -> Result<Draft, Error> {
        let program = Program::find(&self.common.workspace, &launch.program)?;
        let (table, mut notes) = self.table()?;
        let found = self.choose(&table, &program, launch.adapter.as_deref())?;
        let adapter = Arc::clone(&found.adapter);
        let Some(executable) = found.executable().map(Path::to_owned) else {
            return Err(no_adapter(&found));
        };
        let project = found.project().unwrap_or(program.folder()).to_owned();
        let cwd = self.folder(launch.cwd.as_deref(), found.project())?;
        let scratch = scratch(&adapter, &self.sessions.environment)?;
        let blanks = Blanks {
            executable: &executable.to_string_lossy(),
            scratch: &scratch.as_ref().map(|folder| folder.path().to_string_lossy()).unwrap_or_default(),
            port: 0,
        };
        let mut fields = common_fields(&program, found.has_marker(), &launch, &cwd);
        fields.extend(adapter.launch(program.kind, &blanks));
        if !adapter.whole.is_empty() && self.stops_in_libraries() {
            fields.extend(adapter.whole.clone());
            notes.push("a breakpoint lies in library code: this session steps into libraries too".to_owned());
        }
        if launch.enters {
            let Some(entry) = adapter.entry() else {
                let what = "stop at the entry: set a breakpoint on the first line of `main`".to_owned();
                return Err(Error::Unsupported { adapter: adapter.id.clone(), what });
            };
            fields.extend(entry);
        }
        let arguments = adapter.arguments(Some(program.kind));
        let plan = Plan {
            program: program.shown,
            reach: Reach::Start { executable, arguments, folder: project.clone() },
            adapter,
            ownership: Ownership::Launched,
            fields,
            enters: launch.enters,
            scratch,
            notes,
            life: self.sessions.life,
        };
        let planned = Planned { plan, found: Some(found) };
        Ok(Draft { planned, kind: program.kind, project })
    }

    pub(crate) async fn attach(self, port: u16, adapter: Option<String>) -> Result<Planned, Error> {
        blocking(move || self.plan_attach(port, adapter.as_deref())).await
    }

    fn plan_attach(&self, port: u16, adapter: Option<&str>) -> Result<Planned, Error> {
        let (table, notes) = self.table()?;
        let root = self.common.workspace.root().to_owned();
        let search = self.search(&root);
        let found = match adapter {
            Some(id) => search.find(&table.named(id)?),
            None => one_of(table.0.iter().map(|row| search.find(row)).collect())?,
        };
        let row = Arc::clone(&found.adapter);
        let Some(attach) = &row.attach else {
            let (adapter, what) = (row.id.clone(), "attach to a port".to_owned());
            return Err(Error::Unsupported { adapter, what });
        };
        let blanks = Blanks { executable: "", scratch: "", port };
        let reach = if attach.connect {
            Reach::Connect(port)
        } else {
            let executable = found.executable().map(Path::to_owned).ok_or_else(|| no_adapter(&found))?;
            Reach::Start { executable, arguments: row.arguments(None), folder: root.clone() }
        };
        let mut fields = Map::from_iter([
            ("name".to_owned(), json!(format!("port {port}"))),
            ("request".to_owned(), json!("attach")),
        ]);
        fields.extend(attach.request(&blanks));
        let plan = Plan {
            program: format!("port {port}"),
            adapter: row,
            reach,
            ownership: Ownership::Attached,
            fields,
            enters: true,
            scratch: None,
            notes,
            life: self.sessions.life,
        };
        Ok(Planned { plan, found: Some(found) })
    }

    /// The adapter named, or the first that takes the program and is usable in its project.
    fn choose(&self, table: &Table, program: &Program, named: Option<&str>) -> Result<Found, Error> {
        let search = self.search(program.folder());
        if let Some(id) = named {
            let row = table.named(id)?;
            if row.takes(program.kind) {
                return Ok(search.find(&row));
            }
            let able: Vec<_> = table.0.iter().filter(|row| row.takes(program.kind)).collect();
            let able = able.iter().map(|row| format!("`{}`", row.id)).collect::<Vec<_>>().join(", ");
            return Err(Error::Arguments(format!("`{id}` does not take `{}`; {able} would", program.shown)));
        }
        let able: Vec<Found> =
            table.0.iter().filter(|row| row.takes(program.kind)).map(|row| search.find(row)).collect();
        if let Some(usable) = able.iter().find(|found| found.missing().is_none()) {
            return Ok(usable.clone());
        }
        let reasons = able
            .iter()
            .map(|found| format!("`{}`: {}", found.adapter.id, found.missing().unwrap_or_default()));
        let reasons = reasons.collect::<Vec<_>>().join("\n");
        let there = able.iter().find(|found| found.executable().is_some());
        let hint = match there {
            Some(found) => format!("name `adapter`: `{}` to launch it as it is", found.adapter.id),
            None => "call `adapters` to see which are usable here".to_owned(),
        };
        let message = format!("no debug adapter can take `{}` here\n{reasons}", program.shown);
        Err(Error::NoAdapter { message, hint })
    }

    fn folder(&self, named: Option<&str>, project: Option<&Path>) -> Result<PathBuf, Error> {
        let workspace = &self.common.workspace;
        let Some(named) = named else { return Ok(project.unwrap_or(workspace.root()).to_owned()) };
        let located = workspace.resolve(named)?;
        if located.kind == workspace::Kind::Folder {
            Ok(located.absolute)
        } else {
            Err(Error::Arguments(format!("`cwd`: `{}` is no folder", workspace::shown(&located.relative))))
        }
    }

    fn stops_in_libraries(&self) -> bool {
        let library =
            |file: &PathBuf| file.iter().any(|part| LIBRARIES.iter().any(|library| part == *library));
        self.common.breakpoints.files().iter().any(library)
    }

    /// What loads the formatters of the project's Rust toolchain into LLDB.
    async fn formatters(&self, project: &Path) -> Option<Value> {
        let command = Command::new("rustc", project)
            .args(["--print", "sysroot"])
            .environment(self.sessions.environment.iter().cloned())
            .without_stdin();
        let mut rustc = self.sessions.spawn.spawn(command).await.ok()?;
        let sysroot = Tail::drain(rustc.take_stdout()?, limits::CONSOLE);
        let _ = timeout(limits::PROBE, sysroot.ended()).await;
        let _ = rustc.stop(&Ladder::default()).await;
        let folder = PathBuf::from(sysroot.kept().text.trim()).join("lib/rustlib/etc");
        let (lookup, commands) = (folder.join("lldb_lookup.py"), folder.join("lldb_commands"));
        (lookup.is_file() && commands.is_file()).then(|| {
            json!([
                format!("command script import \"{}\"", lookup.display()),
                format!("command source -s 1 \"{}\"", commands.display()),
            ])
        })
    }
}

/// A plan before what must be asked of other programs.
struct Draft {
    planned: Planned,
    kind: Kind,
    project: PathBuf,
}

/// The fields of a launch that all adapters know.
fn common_fields(program: &Program, in_project: bool, launch: &Launch, cwd: &Path) -> Map<String, Value> {
    let mut fields = Map::from_iter([
        ("name".to_owned(), json!(program.shown)),
        ("request".to_owned(), json!("launch")),
        ("program".to_owned(), json!(program.told(in_project))),
        ("args".to_owned(), json!(launch.args)),
        ("cwd".to_owned(), json!(cwd)),
    ]);
    if !launch.env.is_empty() {
        let env: Map<String, Value> =
            launch.env.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        fields.insert("env".to_owned(), env.into());
    }
    fields
}

/// The one adapter whose marker is there, of those that reach ports.
fn one_of(found: Vec<Found>) -> Result<Found, Error> {
    let mut able: Vec<Found> = found
        .into_iter()
        .filter(|found| found.adapter.attach.is_some() && found.has_marker())
        .filter(|found| {
            let connects = found.adapter.attach.as_ref().is_some_and(|attach| attach.connect);
            connects || found.executable().is_some()
        })
        .collect();
    match able.len() {
        1 => Ok(able.remove(0)),
        0 => Err(Error::Arguments(
            "no marker of this workspace tells which adapter the port is for: name `adapter`".to_owned(),
        )),
        _ => {
            let ids =
                able.iter().map(|found| format!("`{}`", found.adapter.id)).collect::<Vec<_>>().join(", ");
            Err(Error::Arguments(format!("the port may be for {ids}: name `adapter`")))
        }
    }
}

fn no_adapter(found: &Found) -> Error {
    let message = format!("`{}` cannot be started: {}", found.adapter.id, found.no_executable());
    Error::NoAdapter { message, hint: "call `adapters` to see which are usable here".to_owned() }
}

/// A folder for what the adapter builds, where its row asks for one.
fn scratch(adapter: &Adapter, environment: &[(OsString, OsString)]) -> Result<Option<TempDir>, Error> {
    if !adapter.wants_scratch() {
        return Ok(None);
    }
    let place =
        environment.iter().find(|(name, _)| name == "TMPDIR").map(|(_, folder)| PathBuf::from(folder));
    let place = place.unwrap_or_else(|| PathBuf::from("/tmp"));
    let folder = tempfile::Builder::new().prefix("outrigger-debug-").tempdir_in(&place);
    folder.map(Some).map_err(|why| Error::Start {
        program: adapter.id.clone(),
        why: format!("no folder can be made in `{}`: {why}", place.display()),
        hint: None,
    })
}

/// Runs `work` where blocking is allowed.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(Error::NoSession { because: ": the runtime is shutting down".to_owned() }),
        },
    }
}
