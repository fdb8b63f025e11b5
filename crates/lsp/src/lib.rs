//! Language servers: supervised, kept in step with the files on disk, asked for what is true now.
//!
//! The way through the files: [`LanguageServers`] is what a host decides; `servers` is the table as data, `detect` and
//! `roots` say which rows could serve a file and for which folder. [`Supervisor`] keeps one client for each of
//! those: `handshake` brings it up, `process` owns its end, `handler` hears it and keeps what it told in `live`
//! (`progress`, `readiness`, `registrations`, `diagnostics`); `documents`, `disk` and `outside` keep it in step with the
//! disk, `watch` tells it of files. `symbol` and `position` turn a line and a name into a place; `queries` ask, `checkers`
//! run the project's own tools, `render` writes: the tool [`Lsp`]. `rename` judges and writes: [`LspRename`],
//! [`LspRenameFile`]. `settle` says whether diagnostics are those of the text, `on_write` tells what a write made worse,
//! and an [`Attachment`] puts that around all tools of a run.
//!
//! # Invariants
//!
//! - An empty answer is handed out as "nothing" only when the server was ready and its text was the disk's.
//! - Every wait has a named limit (`limits.rs`), and a server that misbehaves costs its own answers only.
//! - Protocol types never leave the crate, and nothing here reads the environment or writes a file of the workspace.

mod error;
mod limits;
mod uri;

mod client;
mod handler;
mod handshake;
mod live;
mod process;

mod disk;
mod documents;
mod outside;
mod stamp;

mod progress;
mod registrations;
mod watch;

mod diagnostic;
mod diagnostics;
mod on_write;
mod position;
mod readiness;
mod rename;
mod servers;
mod settle;
mod symbol;

mod detect;
mod language_servers;
mod roots;
mod supervisor;

mod attachment;
mod checkers;
mod queries;
mod render;
mod tool;

pub use attachment::Attachment;
pub use error::Error;
pub use language_servers::LanguageServers;
pub use rename::{LspRename, LspRenameFile, RenameArgs, RenameFileArgs};
pub use supervisor::{Stopping, Supervisor};
pub use symbol::{PlaceError, Syntax};
pub use tool::{Action, Lsp, LspArgs};
