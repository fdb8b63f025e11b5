//! Tool definitions in the formats that model providers and MCP clients read. Each is made from the canonical
//! schema; none loses an argument.

mod anthropic;
mod gemini;
mod mcp;
mod openai;

pub use anthropic::anthropic;
pub use gemini::gemini;
pub use mcp::mcp;
pub use openai::openai;
