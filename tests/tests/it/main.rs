//! All tools together, as an embedder meets them: through a run, its surfaces and nothing else.

mod arrows;
mod embedded;
mod language;
mod plan_mode;
mod seed;
