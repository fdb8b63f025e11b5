//! How an adapter is reached: over its standard streams, over the port it announces, or over one that is there already.
//! It must never guess a port, nor wait for one by sleeping.

use peer::{Child, Command, Spawn};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::limits;
use crate::output::{Output, Stream};

/// The two ways of a conversation.
pub(crate) type Reader = Box<dyn AsyncRead + Send + Unpin>;
pub(crate) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// An adapter that can be talked to.
pub(crate) struct Reached {
    pub(crate) child: Option<Child>,
    pub(crate) reader: Reader,
    pub(crate) writer: Writer,
}

/// Connects to a port of this machine.
pub(crate) async fn connect(port: u16) -> Result<Reached, String> {
    let stream = timeout(limits::INITIALIZE, TcpStream::connect(("127.0.0.1", port))).await;
    let stream = match stream {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Err(format!("nothing can be reached at 127.0.0.1:{port}: {error}")),
        Err(_) => return Err(format!("127.0.0.1:{port} does not answer")),
    };
    // Messages are small, and each is waited for.
    let _ = stream.set_nodelay(true);
    let (reader, writer) = stream.into_split();
    Ok(Reached { child: None, reader: Box::new(reader), writer: Box::new(writer) })
}

/// Starts an adapter, and connects to the port it tells after `announcement`, where it speaks so.
pub(crate) async fn start(
    spawn: &dyn Spawn,
    command: Command,
    announcement: Option<&str>,
    output: &Output,
) -> Result<Reached, String> {
    let Some(announcement) = announcement else {
        let mut child = spawn.spawn(command).await.map_err(|error| error.to_string())?;
        let streams = (child.take_stdout(), child.take_stdin());
        if let Some(stderr) = child.take_stderr() {
            output.drain(stderr, None);
        }
        let (Some(reader), Some(writer)) = streams else { return Err("it has no streams".to_owned()) };
        return Ok(Reached { child: Some(child), reader: Box::new(reader), writer: Box::new(writer) });
    };
    let command = command.without_stdin();
    let mut child = spawn.spawn(command).await.map_err(|error| error.to_string())?;
    // What it starts writes where it does itself.
    if let Some(stderr) = child.take_stderr() {
        output.drain(stderr, Some(Stream::Stderr));
    }
    let Some(stdout) = child.take_stdout() else { return Err("it has no output".to_owned()) };
    let mut stdout = BufReader::new(stdout);
    let port = match timeout(limits::INITIALIZE, announced(&mut stdout, announcement, output)).await {
        Ok(Some(port)) => port,
        Ok(None) => return Err("it announced no port".to_owned()),
        Err(_) => {
            return Err(format!("it announced no port within {} s", limits::INITIALIZE.as_secs()));
        }
    };
    output.drain(stdout, Some(Stream::Stdout));
    Ok(Reached { child: Some(child), ..connect(port).await? })
}

/// The port at the end of the line that has the words; the lines before it are the adapter's own.
async fn announced(stdout: &mut (impl AsyncBufReadExt + Unpin), words: &str, output: &Output) -> Option<u16> {
    let mut stdout = stdout.take(limits::ANNOUNCEMENT as u64);
    let mut line = Vec::new();
    while let Ok(1..) = stdout.read_until(b'\n', &mut line).await {
        let text = String::from_utf8_lossy(&line);
        if let Some((_, address)) = text.split_once(words) {
            return address.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        }
        output.console(&text);
        line.clear();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn port(text: &str) -> Option<u16> {
        announced(&mut BufReader::new(text.as_bytes()), "listening at: ", &Output::default()).await
    }

    #[tokio::test]
    async fn the_port_is_read_from_the_announcement_alone() {
        assert_eq!(port("warning: 127.0.0.1:1\nDAP server listening at: 127.0.0.1:4321\n").await, Some(4321));
        assert_eq!(port("server listening at: [::1]:99\r\n").await, Some(99));
        assert_eq!(port("127.0.0.1:1\n").await, None);
        assert_eq!(port("listening at: 127.0.0.1:soon\n").await, None);
    }
}
