//! Start, streams and end of one child.

use std::time::Duration;

use peer::{Command, Error, Exit, Host, Kept, Spawn, Tail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::mark::{Mark, PATIENCE};

async fn output(command: Command) -> String {
    let mut child = Host.spawn(command).await.unwrap();
    let mut text = String::new();
    child.take_stdout().unwrap().read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn an_exit_code_is_told() {
    let child = Mark::new().sh("exit 7").await;
    assert_eq!(child.wait().await, Exit::Code(7));
    assert_eq!(child.exit(), Some(Exit::Code(7)));
    assert!(!child.wait().await.is_success());
}

#[tokio::test]
async fn a_death_by_signal_is_told_as_one() {
    for (name, number) in [("KILL", 9), ("TERM", 15), ("SEGV", 11), ("HUP", 1)] {
        let child = Mark::new().sh(&format!("kill -{name} $$")).await;
        assert_eq!(child.wait().await, Exit::Signal(number));
    }
}

#[tokio::test]
async fn what_cannot_be_executed_is_an_error() {
    let mark = Mark::new();
    let start = async |command| Host.spawn(command).await.unwrap_err().to_string();
    assert_eq!(
        start(mark.command("no-such-thing", &[])).await,
        "cannot start `no-such-thing`: no such program"
    );
    assert_eq!(
        start(mark.command("/no/such/thing", &[])).await,
        "cannot start `/no/such/thing`: no such program"
    );
    let mut command = mark.command("sh", &[]);
    command.folder = "/no/such/folder".into();
    assert_eq!(
        start(command).await,
        "cannot start `sh`: the folder `/no/such/folder` is missing or is not a folder"
    );
    let error = Host.spawn(mark.command("/etc/passwd", &[])).await.unwrap_err();
    assert!(matches!(error, Error::Start { .. }), "{error}");
    assert_eq!(error.to_string(), "cannot start `/etc/passwd` in `/`: Permission denied (os error 13)");
    mark.nothing_left().await;
}

#[tokio::test]
async fn a_child_gets_the_folder_and_environment_it_was_handed() {
    let mut command = Command::new("/usr/bin/env", "/usr").environment([("B", "2"), ("A", "1"), ("B", "3")]);
    let mut variables: Vec<String> = output(command.clone()).await.lines().map(str::to_owned).collect();
    variables.sort();
    let guard = variables.pop().unwrap();
    assert!(guard.starts_with("OUTRIGGER_GUARD="), "{guard}");
    assert_eq!(variables, ["A=1", "B=3"]);
    command.program = "/bin/pwd".into();
    assert_eq!(output(command).await, "/usr\n");
}

#[tokio::test]
async fn a_child_leads_its_group_in_a_session_without_terminal() {
    let script = "ps -o pid=,pgid=,ppid=,sid= -p $$; (: </dev/tty) 2>/dev/null || echo none";
    let text = output(Mark::new().command("sh", &["-c", script])).await;
    let words: Vec<&str> = text.split_whitespace().collect();
    let [pid, group, guardian, session, "none"] = words[..] else { panic!("{text}") };
    assert_eq!((pid, guardian), (group, session));
}

#[tokio::test]
async fn input_goes_in_and_ends() {
    let mut child = Mark::new().sh("cat; echo done >&2").await;
    let (mut stdin, mut stdout) = (child.take_stdin().unwrap(), child.take_stdout().unwrap());
    let errors = Tail::drain(child.take_stderr().unwrap(), 100);
    stdin.write_all(b"ping").await.unwrap();
    let mut echoed = [0; 4];
    stdout.read_exact(&mut echoed).await.unwrap();
    assert_eq!(&echoed, b"ping");
    drop(stdin);
    assert_eq!(child.wait().await, Exit::Code(0));
    errors.ended().await;
    assert_eq!(errors.kept().text, "done\n");
}

#[tokio::test]
async fn ten_megabytes_on_both_streams_block_nobody() {
    let script = "import os, threading
def flood(fd): [os.write(fd, b'x' * 1000) for _ in range(10_000)]
threads = [threading.Thread(target=flood, args=(fd,)) for fd in (1, 2)]
[t.start() for t in threads]; [t.join() for t in threads]";
    let mut child = Mark::new().python(script).await;
    let output = Tail::drain(child.take_stdout().unwrap(), 1_000);
    let errors = Tail::drain(child.take_stderr().unwrap(), 1_000);
    assert_eq!(tokio::time::timeout(PATIENCE, child.wait()).await, Ok(Exit::Code(0)));
    for tail in [output, errors] {
        tail.ended().await;
        assert_eq!(tail.kept(), Kept { text: "x".repeat(1_000), dropped: 9_999_000 });
    }
}

#[test]
fn a_child_outlives_the_thread_that_asked_for_it_but_not_the_handle() {
    let mark = Mark::new();
    let asked = mark.clone();
    let asking = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(asked.sh("exec sleep 300"))
    });
    let child = asking.join().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!((mark.alive(), child.exit()), (1, None));
        drop(child);
        mark.nothing_left().await;
    });
}

#[tokio::test]
async fn the_memory_of_the_whole_tree_is_counted() {
    let script = "import os, time
held = b'x' * 50_000_000
if os.fork() == 0: os.setsid(); other = b'y' * 50_000_000
print('ready', flush=True); time.sleep(300)";
    let mark = Mark::new();
    let mut child = mark.python(script).await;
    let mut ready = [0; 12];
    child.take_stdout().unwrap().read_exact(&mut ready).await.unwrap();
    let memory = child.memory().unwrap();
    assert!((150_000_000..400_000_000).contains(&memory), "{memory}");
    let _ = child.stop(&peer::Ladder::default()).await;
    assert_eq!(child.memory(), Some(0));
}
