//! Tool definitions as the providers read them: judged by an independent JSON Schema validator, and by each format's
//! written rules.

mod rules;
mod schemas;
