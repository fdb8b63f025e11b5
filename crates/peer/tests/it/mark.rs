//! A unique variable in the environment of a test's processes, by which `/proc` finds every one of them again.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use peer::{Child, Command, Host, Spawn};
use rustix::process::Pid;

/// Long enough for a loaded machine; nothing waits this long when it works.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Clone, Debug)]
pub(crate) struct Mark(String);

impl Mark {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        Self(format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    pub(crate) fn of(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        Command::new(program, "/").args(args).environment([("PATH", "/usr/bin:/bin"), ("PEER_MARK", &self.0)])
    }

    pub(crate) async fn sh(&self, script: &str) -> Child {
        Host.spawn(self.command("sh", &["-c", script])).await.unwrap()
    }

    pub(crate) async fn python(&self, script: &str) -> Child {
        Host.spawn(self.command(&python(), &["-c", script])).await.unwrap()
    }

    /// How many processes carry the mark.
    pub(crate) fn alive(&self) -> usize {
        let wanted = format!("PEER_MARK={}\0", self.0).into_bytes();
        let marked = |pid: &String| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.windows(wanted.len()).any(|part| part == wanted)
        };
        let entries =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
        entries.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).filter(marked).count()
    }

    pub(crate) async fn until(&self, what: &str, reached: impl Fn(usize) -> bool) {
        until(what, || reached(self.alive())).await;
    }

    /// Waits until no process carries the mark and this process has no unreaped child.
    pub(crate) async fn nothing_left(&self) {
        self.until("no survivor", |alive| alive == 0).await;
        until("no zombie", || zombies() == 0).await;
    }
}

/// The interpreter on the path of whoever runs the tests.
fn python() -> String {
    let path = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&path).map(|folder| folder.join("python3")).find(|path| path.is_file());
    found.expect("python3 on PATH").into_os_string().into_string().unwrap()
}

/// Unreaped processes below this one. (Ended processes have no environment, and so no mark.)
pub(crate) fn zombies() -> usize {
    peer::descendants(std::process::id()).iter().filter(|process| process.zombie).count()
}

pub(crate) async fn until(what: &str, reached: impl Fn() -> bool) {
    let start = Instant::now();
    while !reached() {
        assert!(start.elapsed() < PATIENCE, "waited in vain for: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn pid(number: u32) -> Pid {
    Pid::from_raw(i32::try_from(number).unwrap()).unwrap()
}

pub(crate) fn guardian_of(child: &Child) -> Pid {
    let all = peer::descendants(std::process::id());
    pid(all.iter().find(|process| process.pid == child.id()).unwrap().parent)
}
