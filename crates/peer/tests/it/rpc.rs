//! Conversations with real processes that behave badly.

use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use peer::{Child, Closed, Fault, Ladder, Rpc, RpcError, RpcHandler, RpcLimits};
use serde_json::{Value, json};

use crate::mark::{Mark, PATIENCE, until};

/// What every script starts with: `read()` gives one message, `say(x)` writes one.
const PRELUDE: &str = r"
import json, os, signal, sys, time
stdin = sys.stdin.buffer
def read():
    length = int(stdin.readline().split(b':')[1]); stdin.readline()
    return json.loads(stdin.read(length))
def raw(data):
    while data: data = data[os.write(1, data):]
def say(message):
    body = json.dumps(message).encode()
    raw(b'Content-Length: %d\r\n\r\n' % len(body) + body)
";

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Heard {
    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl RpcHandler for Heard {
    fn request(&self, method: &str, _params: Value) -> Result<Value, Fault> {
        self.0.lock().unwrap().push(format!("request {method}"));
        Ok(Value::Null)
    }

    fn notification(&self, method: &str, params: Value) {
        self.0.lock().unwrap().push(format!("{method} {params}"));
    }

    fn noise(&self, text: &str) {
        self.0.lock().unwrap().push(format!("noise {text}"));
    }
}

async fn start(script: &str, limits: RpcLimits) -> (Child, Rpc, Arc<Heard>) {
    let mut child = Mark::new().python(&format!("{PRELUDE}{script}")).await;
    let heard = Arc::new(Heard::default());
    let (output, input) = (child.take_stdout().unwrap(), child.take_stdin().unwrap());
    (child, Rpc::start(output, input, limits, Arc::<Heard>::clone(&heard)), heard)
}

#[tokio::test]
async fn a_noisy_peer_that_uses_our_ids_is_understood() {
    let script = r"
asked = read()
print('log line', flush=True)
raw(b'Content-Length: 99999999999999\r\n\r\n')
raw(b'WARN Content-Length: 5\r\n\r\n{bad}')
say({'id': None, 'result': 1})
say({'id': asked['id'], 'method': 'workspace/configuration', 'params': {}})
reply = read()
say({'method': 'told', 'params': reply})
say({'id': asked['id'], 'result': 'é'})
read()
";
    let (mut child, rpc, heard) = start(script, RpcLimits::default()).await;
    assert_eq!(rpc.request("ask", Value::Null, PATIENCE).await, Ok(json!("é")));
    let heard = heard.all();
    assert_eq!(
        heard[..2],
        ["noise log line", "noise a message of 99999999999999 bytes was announced and passed over"]
    );
    assert_eq!(heard[heard.len() - 2], "request workspace/configuration");
    assert_eq!(heard[heard.len() - 1], r#"told {"jsonrpc":"2.0","id":1,"result":null}"#);
    rpc.notify("exit", Value::Null).unwrap();
    rpc.close();
    rpc.closed().await;
    assert_eq!(child.stop(&Ladder::default()).await, peer::Stopped::Itself);
}

#[tokio::test]
async fn a_peer_that_dies_in_mid_request_fails_it_at_once_and_is_heard_to_the_end() {
    let script = "
read()
say({'method': 'last words'})
raw(b'Content-Length: 100\\r\\n\\r\\n{\"half')
os.kill(os.getpid(), signal.SIGKILL)
";
    let (child, rpc, heard) = start(script, RpcLimits::default()).await;
    let asked = rpc.request("ask", Value::Null, PATIENCE);
    let more: Vec<_> = (0..20).map(|_| rpc.request("ask", json!("x".repeat(10_000)), PATIENCE)).collect();
    assert_eq!(asked.await, Err(RpcError::Closed(Closed::EndOfOutput)));
    for request in more {
        assert_eq!(request.await, Err(RpcError::Closed(Closed::EndOfOutput)));
    }
    assert_eq!(heard.all(), ["last words null", "noise {\"half"]);
    assert_eq!(child.wait().await, peer::Exit::Signal(9));
}

#[tokio::test]
async fn a_peer_that_closes_one_of_its_ends_and_lives_is_closed() {
    for (script, why) in [
        ("read(); os.close(1); time.sleep(300)", Closed::EndOfOutput),
        ("os.close(0); say({'method': 'ready'}); time.sleep(300)", Closed::EndOfInput),
    ] {
        let (child, rpc, heard) = start(script, RpcLimits::default()).await;
        if why == Closed::EndOfInput {
            until("its input is closed", || !heard.all().is_empty()).await;
        }
        assert_eq!(rpc.request("ask", Value::Null, PATIENCE).await, Err(RpcError::Closed(why)));
        assert_eq!((rpc.closed().await, child.exit()), (why, None));
    }
}

#[tokio::test]
async fn a_peer_that_reads_nothing_is_closed_in_time() {
    let limits = RpcLimits { write_stall: Duration::from_millis(300), ..RpcLimits::default() };
    let (child, rpc, _) = start("time.sleep(300)", limits).await;
    let begun = Instant::now();
    rpc.notify("tell", json!("x".repeat(1 << 20))).unwrap();
    assert!(begun.elapsed() < Duration::from_millis(300));
    assert_eq!(rpc.closed().await, Closed::WriteStalled);
    assert!(begun.elapsed() < PATIENCE);
    assert_eq!(child.exit(), None);
}

/// Holds the reading task until the test lets it go.
struct Slow(Mutex<mpsc::Receiver<()>>);

impl RpcHandler for Slow {
    fn request(&self, _method: &str, _params: Value) -> Result<Value, Fault> {
        Ok(Value::Null)
    }

    fn notification(&self, method: &str, _params: Value) {
        if method == "first" {
            let _ = self.0.lock().unwrap().recv();
        }
    }
}

#[tokio::test]
async fn a_flood_waits_in_the_peer_while_the_handler_is_slow() {
    // 50 MB, counted on the error stream by the peer itself.
    let script = "
read()
say({'method': 'first'})
for megabyte in range(50):
    say({'method': 'told', 'params': 'x' * 1000000})
    os.write(2, b'.')
say({'id': 1, 'result': 'done'})
stdin.read()
";
    let mut child = Mark::new().python(&format!("{PRELUDE}{script}")).await;
    let written = peer::Tail::drain(child.take_stderr().unwrap(), 100);
    let (release, gate) = mpsc::channel();
    let (output, input) = (child.take_stdout().unwrap(), child.take_stdin().unwrap());
    // A handler that blocks has a thread of its own to block.
    let talk = async move {
        let rpc = Rpc::start(output, input, RpcLimits::default(), Arc::new(Slow(Mutex::new(gate))));
        rpc.request("ask", Value::Null, PATIENCE).await
    };
    let talking = std::thread::spawn(move || {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(talk)
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    let told = written.kept().text.len();
    assert!(told <= 1, "{told} MB were taken while nothing was handled");
    release.send(()).unwrap();
    until("the answer", || talking.is_finished()).await;
    assert_eq!(talking.join().unwrap(), Ok(json!("done")));
    until("all is counted", || written.kept().text.len() == 50).await;
}
