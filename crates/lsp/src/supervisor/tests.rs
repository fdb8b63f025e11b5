//! The supervisor over real servers: one start for all, ends and pauses, room, idleness, and nothing left.
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use futures_util::future::join_all;
use rustix::process::{Pid, Signal, kill_process};
use test_support::{Fixture, real, real_environment};

use super::*;

const PROJECT: &str = "\
//- /a/pyproject.toml
[project]
name = \"a\"
//- /a/a.py
x = 1
//- /b/pyproject.toml
[project]
name = \"b\"
//- /b/b.py
y = 1
";

/// ty alone: the fastest to start.
const ONLY_TY: &str = "[ruff]\ndisabled = true\n[pyright]\ndisabled = true\n[basedpyright]\ndisabled = true\n\
                       [pyrefly]\ndisabled = true\n";

fn servers() -> LanguageServers {
    LanguageServers::default().environment(real_environment()).overrides(ONLY_TY).unwrap()
}

/// A supervisor of a project with two roots, where ty is installed.
fn supervisor(servers: LanguageServers) -> Option<(Fixture, Supervisor)> {
    real("ty")?;
    let fixture = Fixture::new(PROJECT);
    let supervisor = Supervisor::new(Workspace::open(fixture.root()).unwrap(), servers);
    Some((fixture, supervisor))
}

fn kill(pid: u32) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}

fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Waits for a process to be gone; the test's own limit ends a wait that does not.
async fn gone(pid: u32) {
    while is_alive(pid) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn one(supervisor: &Supervisor, path: &Path) -> Arc<Client> {
    let clients = supervisor.clients(path, Purpose::Diagnostics).await.unwrap();
    assert_eq!(clients.len(), 1, "{:?}", supervisor.candidates(path));
    clients.into_iter().next().unwrap()
}

#[tokio::test]
async fn all_who_ask_at_once_get_the_one_server() {
    let Some((fixture, supervisor)) = supervisor(servers()) else { return };
    let path = fixture.path("a/a.py");
    let asking = (0..20).map(|_| one(&supervisor, &path));
    let pids: Vec<u32> = join_all(asking).await.iter().map(|client| client.pid()).collect();
    assert!(pids.iter().all(|pid| *pid == pids[0]), "{pids:?}");
    assert_eq!(supervisor.running().len(), 1);
    assert_ne!(
        one(&supervisor, &fixture.path("b/b.py")).await.pid(),
        pids[0],
        "another root, another server"
    );
    assert!(supervisor.close().await.len() == 2 && !is_alive(pids[0]));
}

#[tokio::test]
async fn a_caller_that_goes_away_takes_no_start_with_it() {
    let Some((fixture, supervisor)) = supervisor(servers()) else { return };
    let path = fixture.path("a/a.py");
    {
        let asking = supervisor.clients(&path, Purpose::Diagnostics);
        tokio::pin!(asking);
        assert!(futures_util::poll!(&mut asking).is_pending());
    }
    assert_eq!(supervisor.inner.slots().len(), 1);
    let slot = supervisor.inner.slots().values().next().unwrap().clone();
    slot.being_started().expect("the start goes on").await;
    assert!(slot.running().is_some());
    assert_eq!(supervisor.close().await.len(), 1);
}

#[tokio::test]
async fn a_server_that_ends_is_started_again_after_growing_pauses_and_in_the_end_stays_down() {
    let Some((fixture, supervisor)) = supervisor(servers()) else { return };
    let path = fixture.path("a/a.py");
    for end in 1..=limits::ENDS {
        let client = one(&supervisor, &path).await;
        kill(client.pid());
        client.ended().await;
        drop(client);
        let error = supervisor.clients(&path, Purpose::Diagnostics).await.unwrap_err();
        if end == limits::ENDS {
            assert!(matches!(error, Error::Degraded { .. }), "{error}");
            break;
        }
        let Error::BackingOff { wait, why, .. } = &error else { panic!("{error}") };
        assert!(why.contains("SIGKILL"), "{why}");
        let pause = limits::FIRST_PAUSE * 2_u32.pow(u32::try_from(end).unwrap() - 1);
        assert!(*wait <= pause && *wait > pause / 2, "{wait:?} of {pause:?}");
        forget_the_pause(&supervisor);
    }
    let status = supervisor.statuses().await;
    assert!(status[0].state.contains("until `reload`"), "{status:?}");
    assert_eq!(supervisor.reload(Some(&path)).await, []);
    one(&supervisor, &path).await;
    supervisor.close().await;
}

/// The pauses are seconds; their end is brought nearer instead of waited for.
fn forget_the_pause(supervisor: &Supervisor) {
    for slot in supervisor.inner.slots().values() {
        slot.end_pause();
    }
}

#[tokio::test]
async fn an_idle_server_is_stopped_but_never_one_that_is_held() {
    let idle = Duration::from_millis(300);
    let Some((fixture, supervisor)) = supervisor(servers().idle(idle)) else { return };
    let held = one(&supervisor, &fixture.path("a/a.py")).await;
    let pid = one(&supervisor, &fixture.path("b/b.py")).await.pid();
    gone(pid).await;
    assert!(is_alive(held.pid()), "it is held");
    let held_pid = held.pid();
    drop(held);
    gone(held_pid).await;
    assert_eq!(supervisor.running().len(), 0);
}

#[tokio::test]
async fn the_server_left_alone_longest_makes_room_unless_all_are_held() {
    let Some((fixture, supervisor)) = supervisor(servers().at_most(1)) else { return };
    let held = one(&supervisor, &fixture.path("a/a.py")).await;
    let error = supervisor.clients(&fixture.path("b/b.py"), Purpose::Diagnostics).await.unwrap_err();
    assert!(matches!(error, Error::TooMany { running: 1, .. }), "{error}");
    let pid = held.pid();
    drop(held);
    one(&supervisor, &fixture.path("b/b.py")).await;
    gone(pid).await;
    supervisor.close().await;
}

#[tokio::test]
async fn the_last_handle_takes_every_server_with_it() {
    let Some((fixture, supervisor)) = supervisor(servers()) else { return };
    let pid = one(&supervisor, &fixture.path("a/a.py")).await.pid();
    let other = supervisor.clone();
    drop(supervisor);
    assert!(is_alive(pid));
    drop(other);
    gone(pid).await;
}

#[tokio::test]
async fn a_stand_in_for_a_program_is_not_installed_and_no_crash() {
    let fixture = Fixture::new(
        "//- /Cargo.toml\n[package]\nname = \"x\"\n//- /src/lib.rs\n\n//- /node_modules/.bin/rust-analyzer\n\
         #!/bin/sh\necho \"error: Unknown binary 'rust-analyzer' in official toolchain 'x'\" >&2\nexit 1\n",
    );
    let stand_in = fixture.path("node_modules/.bin/rust-analyzer");
    std::fs::set_permissions(&stand_in, std::fs::Permissions::from_mode(0o755)).unwrap();
    let servers = LanguageServers::default().environment([("PATH", "/usr/bin:/bin")]);
    let supervisor = Supervisor::new(Workspace::open(fixture.root()).unwrap(), servers);
    let path = fixture.path("src/lib.rs");
    for _ in 0..2 {
        let error = supervisor.clients(&path, Purpose::Diagnostics).await.unwrap_err();
        let Error::NotInstalled { install: Some(install), .. } = &error else { panic!("{error}") };
        assert!(install.contains("rustup component add rust-analyzer"), "{install}");
    }
}

#[tokio::test]
async fn a_workspaces_own_file_starts_nothing_unless_it_is_trusted() {
    let fixture = Fixture::new(
        "//- /pyproject.toml\n[project]\n//- /a.py\nx = 1\n//- /.outrigger/servers.toml\n\
         [ty]\ncommand = [\"sh\", \"-c\", \"touch owned\"]\n[pyright]\ndisabled = true\n",
    );
    let workspace = Workspace::open(fixture.root()).unwrap();
    let untrusting = Supervisor::new(workspace.clone(), LanguageServers::default());
    assert!(untrusting.notes().iter().any(|note| note.contains("`ty`") && note.contains("command")));
    let ids = |supervisor: &Supervisor| -> Vec<(String, String)> {
        let row = |it: Candidate| (it.server.id.clone(), it.server.command[0].clone());
        supervisor.candidates(&fixture.path("a.py")).into_iter().map(row).collect()
    };
    let own = |rows: &[(String, String)]| rows.iter().any(|(id, command)| id == "ty" && command == "sh");
    assert!(!own(&ids(&untrusting)) && ids(&untrusting).iter().all(|(id, _)| id != "pyright"));
    let trusting = Supervisor::new(workspace, LanguageServers::default().trusting_the_workspace());
    assert!(own(&ids(&trusting)));
}

#[test]
fn the_projects_own_interpreter_is_told_of_only_where_its_code_may_run() {
    let fixture = Fixture::new(
        "//- /pyproject.toml\n[project]\n//- /.venv/pyvenv.cfg\nhome = /\n//- /.venv/bin/python\n#!/bin/sh\n",
    );
    let workspace = Workspace::open(fixture.root()).unwrap();
    let told = |servers| Supervisor::new(workspace.clone(), servers).inner.interpreter(fixture.root());
    assert_eq!(told(LanguageServers::default()), Some(fixture.path(".venv/bin/python")));
    assert_eq!(told(LanguageServers::default().without_project_code()), None);
}

#[tokio::test]
async fn of_many_roots_only_so_many_are_served_at_once() {
    if real("ty").is_none() {
        return;
    }
    let text: String = (0..12)
        .map(|root| format!("//- /r{root}/pyproject.toml\n[project]\n//- /r{root}/a.py\nx = 1\n"))
        .collect::<Vec<_>>()
        .concat();
    let fixture = Fixture::new(&text);
    let supervisor = Supervisor::new(Workspace::open(fixture.root()).unwrap(), servers().at_most(3));
    for root in 0..12 {
        one(&supervisor, &fixture.path(&format!("r{root}/a.py"))).await;
        assert!(supervisor.running().len() <= 3);
    }
    assert_eq!(supervisor.close().await.len(), 3);
}
