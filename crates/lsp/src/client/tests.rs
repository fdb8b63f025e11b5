//! A client with real servers, and with one that is a script.
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

use std::sync::Arc;

use peer::Stopped;
use test_support::Fixture;
use workspace::Workspace;

use super::*;
use crate::documents::{ChangeKind, FileChange};
use crate::servers::Table;

mod odd;
mod real;

/// A fixture and a server that serves it.
struct Bench {
    fixture: Fixture,
    tracked: Arc<Tracked>,
    client: Arc<Client>,
}

impl Bench {
    /// The row `id` of the table, in the fixture of `text`; nothing where the program `name` is missing.
    async fn of(id: &str, name: &str, text: &str) -> Option<Self> {
        test_support::real(name)?;
        let server = Table::built_in().servers(true).into_iter().find(|server| server.id == id).unwrap();
        Some(Self::start(server, Fixture::new(text)).await.unwrap())
    }

    async fn start(server: Arc<Server>, fixture: Fixture) -> Result<Self, Error> {
        let workspace = Workspace::open(fixture.root()).unwrap();
        let tracked = Arc::new(Tracked::new(workspace));
        let host = Host {
            spawn: Arc::new(peer::Host),
            environment: environment(),
            tracked: Arc::clone(&tracked),
            open_documents: 4,
            cancelled: tokio_util::sync::CancellationToken::new(),
        };
        let executable = PathBuf::from(&server.command[0]);
        let client = Client::start(server, fixture.root().to_owned(), executable, host).await?;
        Ok(Self { fixture, tracked, client })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.fixture.path(name)
    }

    /// Where `word` of `name` is defined: file and line (from 1), by the first place.
    async fn definition(&self, name: &str, word: &str) -> Result<(Vec<String>, Asked), Error> {
        let asked = self
            .client
            .ask(&self.path(name), "textDocument/definition", |document| {
                let at = document.text.find(word).expect("the word is in the text");
                let line = document.text[..at].matches('\n').count();
                let character = at - document.text[..at].rfind('\n').map_or(0, |end| end + 1);
                Ok(json!({
                    "textDocument": { "uri": &*document.uri },
                    "position": { "line": line, "character": character },
                }))
            })
            .await?;
        let list = match &asked.value {
            Value::Array(list) => list.clone(),
            Value::Null => Vec::new(),
            one => vec![one.clone()],
        };
        let places = list.iter().map(|place| {
            let uri = place["targetUri"].as_str().or(place["uri"].as_str()).unwrap();
            let path = crate::uri::canonical_path(uri).unwrap();
            let name = path.strip_prefix(self.fixture.root()).unwrap_or(&path).display().to_string();
            let range =
                if place["range"].is_null() { &place["targetSelectionRange"] } else { &place["range"] };
            format!("{name}:{}", range["start"]["line"].as_u64().unwrap() + 1)
        });
        Ok((places.collect(), asked))
    }

    /// The places alone, asked again for a while where the server learns of a change by itself.
    async fn defined_at(&self, name: &str, word: &str, wanted: &str) -> Vec<String> {
        let mut last = Vec::new();
        for _ in 0..50 {
            last = self.definition(name, word).await.unwrap().0;
            if last == [wanted] {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        last
    }

    async fn stop(self) {
        let top = self.client.pid();
        let stopped = self.client.stop().await;
        assert!(matches!(stopped, Stopped::Itself | Stopped::Terminated), "{stopped:?}");
        assert!(!Path::new(&format!("/proc/{top}")).exists(), "the server is gone");
        assert!(peer::descendants(top).is_empty(), "and all it started");
    }
}

fn environment() -> Vec<(OsString, OsString)> {
    let mut environment = test_support::real_environment();
    for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME"] {
        environment.extend(std::env::var_os(name).map(|value| (name.into(), value)));
    }
    environment
}
