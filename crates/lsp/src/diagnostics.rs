//! What each server says is wrong, as it last said it: read item by item (`decode.rs`), kept by file and by the way it
//! came (`store.rs`). It must never take the absence of a report for an empty one.

mod decode;
mod store;

pub(crate) use decode::of_tsserver;
pub(crate) use store::Store;
