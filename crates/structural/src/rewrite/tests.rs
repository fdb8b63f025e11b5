//! Rewriting against real parsers.
