//! All tools together, as an embedder and as a person meet them.
