//! A sandbox that is entered by a command prefix.

use peer::{Child, Command, Exit, Ladder, Prefixed, Spawn, Stopped, Tail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::mark::Mark;

async fn output(mut child: Child) -> String {
    let mut text = String::new();
    child.take_stdout().unwrap().read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn the_prefix_decides_what_the_program_sees() {
    let command = Command::new("env", "/usr").environment([("PATH", "/usr/bin:/bin"), ("SECRET", "x")]);
    let sandbox = Prefixed::new(["env", "-i", "INSIDE=1"]);
    assert_eq!(output(sandbox.spawn(command.clone()).await.unwrap()).await, "INSIDE=1\n");
    let nowhere = Prefixed::new(Vec::<String>::new());
    assert!(output(nowhere.spawn(command).await.unwrap()).await.contains("SECRET=x"));
    let command = Command::new("sh", "/usr").args(["-c", "pwd; echo \"$1\"", "sh", "two words"]);
    let command = command.environment([("PATH", "/usr/bin:/bin")]);
    assert_eq!(output(sandbox.spawn(command).await.unwrap()).await, "/usr\ntwo words\n");
}

#[tokio::test]
async fn a_missing_prefix_is_an_error_and_a_missing_program_the_prefixs_answer() {
    let mark = Mark::new();
    let missing = Prefixed::new(["no-such-box"]).spawn(mark.command("true", &[])).await.unwrap_err();
    assert_eq!(missing.to_string(), "cannot start `no-such-box`: no such program");
    let mut child = Prefixed::new(["env"]).spawn(mark.command("no-such-thing", &[])).await.unwrap();
    let errors = Tail::drain(child.take_stderr().unwrap(), 1_000);
    assert_eq!(child.wait().await, Exit::Code(127));
    errors.ended().await;
    assert!(errors.kept().text.contains("no-such-thing"), "{:?}", errors.kept());
}

#[tokio::test]
async fn what_runs_behind_a_prefix_is_talked_to_and_ends_with_it() {
    let mark = Mark::new();
    let sandbox = Prefixed::new(["setsid", "--wait", "nice"]);
    let mut child =
        sandbox.spawn(mark.command("sh", &["-c", "trap '' TERM; sleep 300 & cat; sleep 300"])).await.unwrap();
    let (mut input, mut output) = (child.take_stdin().unwrap(), child.take_stdout().unwrap());
    input.write_all(b"ping").await.unwrap();
    let mut echoed = [0; 4];
    output.read_exact(&mut echoed).await.unwrap();
    assert_eq!(&echoed, b"ping");
    drop(input);
    let quick = Ladder {
        after_end_of_input: std::time::Duration::from_millis(100),
        after_terminate: std::time::Duration::from_millis(100),
        ..Ladder::default()
    };
    assert_eq!(child.stop(&quick).await, Stopped::Killed);
    mark.nothing_left().await;
}
