//! debugpy: everything that one session can show.

use std::time::{Duration, Instant};

use serde_json::json;
use tool::ErrorKind;

use crate::desk::{Desk, Running, found, listens, port};

const SUM: &str = "\
//- /pyproject.toml
//- /sum.py
import sys


def add(total, value):
    result = total + value
    return result


def main():
    total = 0
    for value in range(5):
        total = add(total, value)
    print(\"total\", total)
    print(\"warned\", file=sys.stderr)
    sys.exit(3)


main()
";

fn sum() -> Option<Desk> {
    found("debugpy").map(|_| Desk::new(SUM))
}

#[tokio::test]
async fn a_session_from_its_breakpoints_to_its_exit() {
    let Some(desk) = sum() else { return };
    let set = desk.call("breakpoints", json!({"file": "sum.py", "lines": [6, 99]})).await;
    set.says("6: pending: set when a program is launched");
    set.says("99: rejected: the file has 18 lines");
    desk.call("status", json!({})).await.is_state("none");

    let first = desk.call("launch", json!({"program": "sum.py"})).await;
    first.is_stopped("breakpoint", "sum.py", 6);
    first.says("→ 6 |     return result");
    assert_eq!(first.data["function"], "add");
    let status = desk.call("status", json!({})).await;
    status.is_stopped("breakpoint", "sum.py", 6);

    let stack = desk.call("stack", json!({})).await;
    let names: Vec<_> = stack.data["frames"].as_array().unwrap().iter().map(|f| &f["function"]).collect();
    assert_eq!(names, ["add", "main", "<module>"]);
    assert_eq!(stack.data["total"], 3);
    let (top, caller) =
        (stack.data["frames"][0]["frame_id"].clone(), stack.data["frames"][1]["frame_id"].clone());
    assert_eq!(first.data["frame_id"], top, "one frame has one number");
    let locals = desk.locals().await;
    assert!(locals.contains(&("result".to_owned(), "0".to_owned())), "{locals:?}");
    let there = desk.call("evaluate", json!({"expression": "total + 100", "frame_id": caller})).await;
    assert_eq!(there.data["value"], "100");

    desk.call("step_over", json!({})).await.is_state("stopped");
    let (kind, said) = desk.refused("scopes", json!({"frame_id": top})).await;
    assert_eq!(kind, ErrorKind::Conflict);
    assert!(said.contains("belongs to stop #1; the program is at stop #2"), "{said}");
    let (kind, said) = desk.refused("launch", json!({"program": "sum.py"})).await;
    assert_eq!(kind, ErrorKind::Refused);
    assert!(
        said.contains("`sum.py` is already being debugged: stopped: step in `main` at sum.py:11"),
        "{said}"
    );

    desk.call("breakpoints", json!({"file": "sum.py", "lines": []})).await.says("no breakpoints in sum.py");
    let exit = desk.call("continue", json!({})).await;
    exit.is_stopped("exception", "sum.py", 15);
    exit.says("about to exit with code 3");
    desk.call("continue", json!({})).await.has_exited(3);
    assert_eq!(desk.output("stdout").await, "total 10\n");
    assert_eq!(desk.output("stderr").await, "warned\n");
    desk.call("status", json!({})).await.has_exited(3);
    let (kind, said) = desk.refused("stack", json!({})).await;
    assert_eq!(kind, ErrorKind::Refused);
    assert!(said.contains("no program is being debugged: `sum.py` has exited with code 3"), "{said}");
    desk.is_deserted().await;
}

#[tokio::test]
async fn conditions_hits_and_log_messages() {
    let Some(desk) = sum() else { return };
    let lines = json!([
        {"line": 6, "condition": "value == 3"},
        {"line": 12, "log_message": "value is {value}"},
    ]);
    desk.call("breakpoints", json!({"file": "sum.py", "lines": lines})).await;
    desk.call("exception_breakpoints", json!({"filters": []})).await;
    desk.call("launch", json!({"program": "sum.py"})).await.is_stopped("breakpoint", "sum.py", 6);
    assert_eq!(desk.value("value").await, "3");
    let refused = desk.refused("exception_breakpoints", json!({"filters": ["nothing"]})).await.1;
    assert!(refused.contains("`debugpy` has no exception filter `nothing`; it has: raised"), "{refused}");
    desk.call("breakpoints", json!({"file": "sum.py", "lines": [{"line": 6, "hit_condition": "1"}]})).await;
    desk.call("continue", json!({})).await.is_stopped("breakpoint", "sum.py", 6);
    assert_eq!(desk.value("value").await, "4");
    desk.call("continue", json!({})).await.has_exited(3);
    let written = desk.call("output", json!({})).await;
    written.says("value is 0");
}

#[tokio::test]
async fn values_are_bounded_counted_and_can_be_changed() {
    if found("debugpy").is_none() {
        return;
    }
    let desk = Desk::new(
        "//- /setup.py\n//- /big.py\nclass Point:\n    def __init__(self):\n        self.x = 1\n\ndef f():\n    many = list(range(120))\n    text = 'é' * 1000\n    point = Point()\n    n = 1\n    print(n, point.x)\n\nf()\n",
    );
    desk.launch_at("big.py", "big.py", &[10]).await.is_stopped("breakpoint", "big.py", 10);
    let frame = desk.call("stack", json!({})).await.data["frames"][0]["frame_id"].clone();
    let scopes = desk.call("scopes", json!({"frame_id": frame})).await;
    let locals = scopes.data["scopes"][0]["reference"].clone();
    let variables = desk.call("variables", json!({"reference": locals})).await;
    variables.says("… (+");
    let list = variables.data["variables"].as_array().unwrap();
    let many = list.iter().find(|variable| variable["name"] == "many").unwrap();
    let children = desk.call("variables", json!({"reference": many["reference"]})).await;
    let shown = children.data["variables"].as_array().unwrap();
    assert_eq!(shown.len(), 50);
    assert_eq!(children.data["total"], 120, "{}", children.text);
    children.says("`start`: 50 shows more");
    let next = desk.call("variables", json!({"reference": many["reference"], "start": 50})).await;
    assert_ne!(next.data["variables"][0]["name"], shown[0]["name"]);
    let rest = desk.call("variables", json!({"reference": many["reference"], "start": 100})).await;
    assert_eq!(rest.data["variables"][0]["name"], "more");
    let rest = desk.call("variables", json!({"reference": rest.data["variables"][0]["reference"]})).await;
    rest.says("119: int = 119");
    let set = desk.call("set_variable", json!({"reference": locals, "name": "n", "value": "42"})).await;
    assert_eq!(set.data["value"], "42");
    desk.call("continue", json!({})).await.has_exited(0);
    assert_eq!(desk.output("stdout").await, "42 1\n");
}

#[tokio::test]
async fn an_endless_loop_runs_on_is_paused_and_is_heard_meanwhile() {
    if found("debugpy").is_none() {
        return;
    }
    let text =
        "//- /setup.py\n//- /loop.py\nimport time\nn = 0\nwhile True:\n    n += 1\n    time.sleep(0.001)\n";
    let desk = Desk::with(text, |sessions| sessions.wait(Duration::from_secs(3)));
    let launched = desk.call("launch", json!({"program": "loop.py"})).await;
    launched.is_state("running");
    let (kind, said) = desk.refused("stack", json!({})).await;
    assert_eq!(kind, ErrorKind::Refused);
    assert!(said.contains("the program is running"), "{said}");
    let paused = desk.call("pause", json!({})).await;
    assert_eq!(paused.data["reason"], "pause", "{}", paused.text);
    let again = desk.call("pause", json!({})).await;
    assert_eq!(again.data["stop"], paused.data["stop"], "it has stopped already");

    for action in ["status", "pause", "terminate"] {
        let surface = desk.surface();
        let waiting = tokio::spawn(async move { surface.call("debug", json!({"action": "continue"})).await });
        // The call is under way when the program runs.
        let begun = Instant::now();
        while desk.survivors().is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(5));
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        let begun = Instant::now();
        let answer = desk.call(action, json!({})).await;
        let waited = waiting.await.unwrap().unwrap();
        assert_eq!(waited.data.unwrap()["state"], "running", "before {action}");
        let expected = match action {
            "status" => "running",
            "pause" => "stopped",
            _ => "terminated",
        };
        answer.is_state(expected);
        assert!(action == "terminate" || begun.elapsed() < Duration::from_secs(2), "{action} waited");
    }
    desk.is_deserted().await;
}

#[tokio::test]
async fn an_exception_a_missing_module_and_a_quick_end_are_told_apart() {
    if found("debugpy").is_none() {
        return;
    }
    let desk = Desk::new(
        "//- /setup.py\n//- /boom.py\ndef f(x):\n    raise ValueError(f'bad {x}')\n\nf(7)\n//- /missing.py\nimport no_such_module\n//- /quick.py\nprint('alive', True)\n//- /bad.py\ndef (\n",
    );
    let boom = desk.call("launch", json!({"program": "boom.py"})).await;
    boom.is_stopped("exception", "boom.py", 2);
    boom.says("ValueError");
    boom.says("bad 7");
    let end = desk.call("continue", json!({})).await;
    end.has_exited(1);

    let quick = desk.call("launch", json!({"program": "quick.py"})).await;
    quick.has_exited(0);
    assert_eq!(desk.output("stdout").await, "alive True\n");

    desk.call("exception_breakpoints", json!({"filters": []})).await;
    desk.call("launch", json!({"program": "missing.py"})).await.has_exited(1);
    assert!(desk.output("stderr").await.contains("No module named 'no_such_module'"));
    desk.call("launch", json!({"program": "bad.py"})).await.has_exited(1);
    assert!(desk.output("stderr").await.contains("SyntaxError"));
    desk.is_deserted().await;
}

#[tokio::test]
async fn children_of_the_program_run_and_end_with_it() {
    if found("debugpy").is_none() {
        return;
    }
    let desk = Desk::new(
        "//- /setup.py\n//- /parent.py\nimport subprocess, sys\nfrom multiprocessing import Process\n\ndef child():\n    print('from the child', flush=True)\n\nif __name__ == '__main__':\n    p = Process(target=child)\n    p.start()\n    p.join(8)\n    done = subprocess.run([sys.executable, '-c', 'print(6 * 7)'], capture_output=True, text=True)\n    print(p.exitcode, done.stdout.strip(), flush=True)\n    subprocess.Popen(['sleep', '300'], start_new_session=True)\n    print('end')\n",
    );
    let stopped = desk.launch_at("parent.py", "parent.py", &[14]).await;
    stopped.is_stopped("breakpoint", "parent.py", 14);
    desk.writes("0 42").await;
    desk.process("sleep 300").await;
    desk.call("terminate", json!({})).await.is_state("terminated");
    assert_eq!(desk.survivors(), []);
}

#[tokio::test]
async fn a_program_that_waits_for_a_debugger_is_joined_by_its_port_and_let_go() {
    let Some(python) = found("debugpy") else { return };
    let desk = Desk::new(
        "//- /setup.py\n//- /server.py\nimport time\nn = 0\nwhile True:\n    n += 1\n    time.sleep(0.01)\n",
    );
    let port = port();
    let address = format!("127.0.0.1:{port}");
    let mut server = Running::start(
        &desk,
        &python,
        &["-m", "debugpy", "--listen", &address, "--wait-for-client", "server.py"],
    );
    listens(port).await;
    desk.call("breakpoints", json!({"file": "server.py", "lines": [4]})).await;
    for _ in 0..2 {
        let attached = desk.call("attach", json!({"port": port})).await;
        attached.is_stopped("breakpoint", "server.py", 4);
        desk.call("terminate", json!({})).await.says("runs on");
        assert!(server.lives());
    }
    let refused = desk.refused("attach", json!({"port": 1, "adapter": "debugpy"})).await;
    assert!(refused.1.contains("nothing can be reached at 127.0.0.1:1"), "{}", refused.1);
    assert!(refused.1.contains("--listen"), "{}", refused.1);
}

#[tokio::test]
async fn a_projects_own_python_without_debugpy_is_named_with_the_remedy() {
    if found("debugpy").is_none() {
        return;
    }
    let desk = Desk::new("//- /requirements.txt\n//- /a.py\nprint(1)\n");
    desk.compile("python3", &["-m", "venv", "--without-pip", ".venv"]);
    let own = desk.fixture.path(".venv/bin/python3");
    let lacks = format!("python at `{0}` lacks debugpy: `{0} -m pip install debugpy`", own.display());
    desk.call("adapters", json!({})).await.says(&lacks);
    let (kind, said) = desk.refused("launch", json!({"program": "a.py"})).await;
    assert_eq!(kind, ErrorKind::Unavailable);
    assert!(said.contains(&lacks), "{said}");
    desk.is_deserted().await;
}

#[tokio::test]
async fn a_single_file_is_launched_when_its_adapter_is_named() {
    if found("debugpy").is_none() {
        return;
    }
    let desk = Desk::new(
        "//- /a.py\nimport os, sys\nprint(sys.argv[1:], os.environ['COLOUR'], os.getcwd())\n//- /in/x\n",
    );
    let (kind, said) = desk.refused("launch", json!({"program": "a.py"})).await;
    assert_eq!(kind, ErrorKind::Unavailable);
    assert!(said.contains("looked for `pyproject.toml` or `setup.py` or `requirements.txt`"), "{said}");
    let launch = json!({
        "program": "a.py", "adapter": "debugpy", "args": ["-x", "é 1"], "cwd": "in",
        "env": [{"name": "COLOUR", "value": "blue"}],
    });
    desk.call("launch", launch).await.has_exited(0);
    let folder = desk.fixture.path("in");
    assert_eq!(desk.output("stdout").await, format!("['-x', 'é 1'] blue {}\n", folder.display()));
    let (kind, said) = desk.refused("launch", json!({"program": "a.py", "adapter": "lldb"})).await;
    assert_eq!((kind, said.contains("`debugpy` would")), (ErrorKind::BadArguments, true), "{said}");
}

#[tokio::test]
async fn a_stop_at_the_entry_is_one_only_when_it_was_asked_for() {
    let Some(desk) = sum() else { return };
    let entry = desk.call("launch", json!({"program": "sum.py", "stop_on_entry": true})).await;
    entry.is_stopped("entry", "sum.py", 1);
    desk.call("step_over", json!({})).await.is_stopped("step", "sum.py", 4);
    let threads = desk.call("threads", json!({})).await;
    threads.says("MainThread");
    desk.call("terminate", json!({})).await.is_state("terminated");
    desk.is_deserted().await;
}

#[tokio::test]
async fn the_life_of_a_session_ends_it_and_the_next_call_says_so() {
    if found("debugpy").is_none() {
        return;
    }
    let text = "//- /setup.py\n//- /loop.py\nimport time\nwhile True:\n    time.sleep(0.01)\n";
    let desk = Desk::with(text, |sessions| sessions.life(Duration::from_secs(5)));
    let begun = Instant::now();
    let end = desk.call("launch", json!({"program": "loop.py"})).await;
    end.is_state("expired");
    assert!(begun.elapsed() >= Duration::from_secs(5));
    let (_, said) = desk.refused("continue", json!({})).await;
    assert!(said.contains("the life of its session was over"), "{said}");
    desk.is_deserted().await;
}

#[tokio::test]
async fn library_code_is_stopped_in_when_a_breakpoint_lies_there() {
    if found("debugpy").is_none() {
        return;
    }
    let desk = Desk::new(
        "//- /setup.py\n//- /venv/lib/python3/site-packages/helper.py\ndef f(x):\n    y = x + 1\n    return y\n//- /a.py\nimport sys\nsys.path.insert(0, 'venv/lib/python3/site-packages')\nimport helper\nprint(helper.f(1))\n",
    );
    let helper = "venv/lib/python3/site-packages/helper.py";
    let stopped = desk.launch_at("a.py", helper, &[3]).await;
    stopped.is_stopped("breakpoint", helper, 3);
    stopped.says("a breakpoint lies in library code");
    desk.call("continue", json!({})).await.has_exited(0);
}

#[tokio::test]
async fn a_source_behind_a_link_is_stopped_in() {
    if found("debugpy").is_none() {
        return;
    }
    let desk = Desk::new("//- /setup.py\n//- /real/a.py\nn = 1\nprint(n)\n");
    std::os::unix::fs::symlink("real", desk.fixture.path("link")).unwrap();
    let stopped = desk.launch_at("link/a.py", "link/a.py", &[2]).await;
    stopped.is_stopped("breakpoint", "real/a.py", 2);
    desk.call("terminate", json!({})).await.is_state("terminated");
}

#[tokio::test]
async fn threads_are_named_and_each_has_a_stack() {
    if found("debugpy").is_none() {
        return;
    }
    let desk = Desk::new(
        "//- /setup.py\n//- /t.py\nimport threading, time\ndone = threading.Event()\ndef work():\n    done.wait()\nt = threading.Thread(target=work, name='worker')\nt.start()\nwhile not t.is_alive(): time.sleep(0.01)\nn = 1\ndone.set()\nt.join()\n",
    );
    desk.launch_at("t.py", "t.py", &[8]).await.is_stopped("breakpoint", "t.py", 8);
    let threads = desk.call("threads", json!({})).await;
    threads.says("(stopped here)");
    let list = threads.data["threads"].as_array().unwrap();
    let worker = list.iter().find(|thread| thread["name"] == "worker").unwrap();
    let stack = desk.call("stack", json!({"thread_id": worker["thread_id"]})).await;
    stack.says("`work` at t.py:");
    desk.call("continue", json!({})).await.has_exited(0);
}

#[tokio::test]
async fn a_breakpoint_set_while_the_program_runs_is_hit() {
    if found("debugpy").is_none() {
        return;
    }
    let text =
        "//- /setup.py\n//- /loop.py\nimport time\nn = 0\nwhile True:\n    n += 1\n    time.sleep(0.001)\n";
    let desk = Desk::with(text, |sessions| sessions.wait(Duration::from_secs(2)));
    desk.call("launch", json!({"program": "loop.py"})).await.is_state("running");
    desk.call("breakpoints", json!({"file": "loop.py", "lines": [4]})).await.says("4: bound");
    desk.call("continue", json!({})).await.is_stopped("breakpoint", "loop.py", 4);
}

#[tokio::test]
async fn what_was_asked_for_before_the_launch_and_is_not_met_is_told() {
    let Some(desk) = sum() else { return };
    desk.call("exception_breakpoints", json!({"filters": ["uncaught", "nothing"]})).await;
    desk.call("breakpoints", json!({"file": "sum.py", "lines": [99, 6]})).await;
    let launched = desk.call("launch", json!({"program": "sum.py"})).await;
    launched.is_stopped("breakpoint", "sum.py", 6);
    launched.says("note: the breakpoint sum.py:99 was rejected: the file has 18 lines");
    launched.says("note: this adapter has no exception filter `nothing`; it has: raised, uncaught");
    assert!(!launched.text.contains("the breakpoint sum.py:6 "), "{}", launched.text);
}
