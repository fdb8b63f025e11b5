//! Both codecs on the pipes of a real process that behaves badly.

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use peer::{ContentLength, Incoming, JsonLines, Line};
use tokio_util::codec::{FramedRead, FramedWrite};

use crate::mark::Mark;

/// Answers each frame with itself, in pieces, between log lines, with headers of several kinds.
const ECHO: &str = r#"
import os, sys, time
stdin = sys.stdin.buffer
for header in (b'Content-Length: %d\r\n\r\n', b'content-length:%d\n\n'):
    length = int(stdin.readline().split(b':')[1]); stdin.readline()
    body = stdin.read(length)
    print('about to answer', flush=True)
    whole = header % length + body
    for at in range(0, len(whole), 7):
        os.write(1, whole[at:at + 7]); time.sleep(0.001)
os.write(1, b'Content-Length: 99999999999999\r\n\r\n')
os.write(1, b'Content-Length: 4\r\n\r\nnullContent-Length: 10\r\n\r\n{"half')
"#;

#[tokio::test]
async fn frames_cross_the_pipes_of_a_noisy_peer() {
    let mut child = Mark::new().python(ECHO).await;
    let mut input = FramedWrite::new(child.take_stdin().unwrap(), ContentLength::new(1_000));
    let output = FramedRead::new(child.take_stdout().unwrap(), ContentLength::new(1_000));
    input.send("{\"text\":\"é\"}").await.unwrap();
    input.send("[1,2,3]").await.unwrap();
    let noise = |text: &'static str| Incoming::Noise(Bytes::from_static(text.as_bytes()));
    let message = |text: &'static str| Incoming::Message(Bytes::from_static(text.as_bytes()));
    assert_eq!(
        output.map(Result::unwrap).collect::<Vec<_>>().await,
        [
            noise("about to answer"),
            message("{\"text\":\"é\"}"),
            noise("about to answer"),
            message("[1,2,3]"),
            Incoming::TooLong { announced: 99_999_999_999_999 },
            message("null"),
            noise("{\"half"),
        ]
    );
}

#[tokio::test]
async fn lines_cross_the_pipes() {
    let mut child = Mark::new().sh("cat; printf '%2000d\\n\"last\"' 0").await;
    let mut input = FramedWrite::new(child.take_stdin().unwrap(), JsonLines::new(1_000));
    let output = FramedRead::new(child.take_stdout().unwrap(), JsonLines::new(1_000));
    input.send("{}").await.unwrap();
    drop(input);
    let message = |text: &'static str| Line::Message(Bytes::from_static(text.as_bytes()));
    assert_eq!(
        output.map(Result::unwrap).collect::<Vec<_>>().await,
        [message("{}"), Line::TooLong { length: 2_000 }, message("\"last\"")]
    );
}
