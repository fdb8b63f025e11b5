//! The one list of languages: id, parser and data file of each, behind its feature.
//! It holds no knowledge about a language beyond where that knowledge lies.

use crate::Grammar;
use std::sync::LazyLock;

/// Every language this crate has a folder for, compiled in or not, in id order.
pub(crate) const KNOWN: &[&str] = &["dart", "python", "rust"];

macro_rules! language {
    ($id:literal, $parser:path) => {
        Grammar::new($id, include_str!(concat!("../languages/", $id, "/grammar.toml")), || $parser.into())
    };
}

/// The languages that were compiled in, in id order.
pub(crate) static BUNDLED: LazyLock<Vec<Grammar>> = LazyLock::new(|| {
    vec![
        #[cfg(feature = "lang-dart")]
        language!("dart", tree_sitter_dart::LANGUAGE),
        #[cfg(feature = "lang-python")]
        language!("python", tree_sitter_python::LANGUAGE),
        #[cfg(feature = "lang-rust")]
        language!("rust", tree_sitter_rust::LANGUAGE),
    ]
});
