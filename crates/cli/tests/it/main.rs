//! The `outrigger` binary as a person and as a host in another language meet it: real processes, real pipes.
#![expect(clippy::disallowed_methods, reason = "these tests start the binary and build their own fixtures")]
#![expect(clippy::print_stdout, reason = "long tests say how often they ran")]

mod call;
mod command;
mod info;
mod serve;
mod serve_approval;
mod serve_end;
mod serve_servers;
mod session;
mod state;
mod tour;
