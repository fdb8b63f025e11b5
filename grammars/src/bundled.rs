//! The one list of languages: id, parser and data file of each, behind its feature.
//! It holds no knowledge about a language beyond where that knowledge lies.

use crate::Grammar;
use std::sync::LazyLock;

/// Every language this crate has a folder for, compiled in or not, in id order.
pub(crate) const KNOWN: &[&str] = &[
    "bash",
    "c",
    "cpp",
    "csharp",
    "css",
    "dart",
    "elixir",
    "go",
    "haskell",
    "hcl",
    "html",
    "java",
    "javascript",
    "json",
    "kotlin",
    "lua",
    "ocaml",
    "php",
    "python",
    "ruby",
    "rust",
    "scala",
    "sql",
    "swift",
    "tsx",
    "typescript",
    "yaml",
    "zig",
];

macro_rules! language {
    ($id:literal, $parser:path) => {
        Grammar::new($id, include_str!(concat!("../languages/", $id, "/grammar.toml")), || $parser.into())
    };
}

/// The languages that were compiled in, in id order.
pub(crate) static BUNDLED: LazyLock<Vec<Grammar>> = LazyLock::new(|| {
    vec![
        #[cfg(feature = "lang-bash")]
        language!("bash", tree_sitter_bash::LANGUAGE),
        #[cfg(feature = "lang-c")]
        language!("c", tree_sitter_c::LANGUAGE),
        #[cfg(feature = "lang-cpp")]
        language!("cpp", tree_sitter_cpp::LANGUAGE),
        #[cfg(feature = "lang-csharp")]
        language!("csharp", tree_sitter_c_sharp::LANGUAGE),
        #[cfg(feature = "lang-css")]
        language!("css", tree_sitter_css::LANGUAGE),
        #[cfg(feature = "lang-dart")]
        language!("dart", tree_sitter_dart::LANGUAGE),
        #[cfg(feature = "lang-elixir")]
        language!("elixir", tree_sitter_elixir::LANGUAGE),
        #[cfg(feature = "lang-go")]
        language!("go", tree_sitter_go::LANGUAGE),
        #[cfg(feature = "lang-haskell")]
        language!("haskell", tree_sitter_haskell::LANGUAGE),
        #[cfg(feature = "lang-hcl")]
        language!("hcl", tree_sitter_hcl::LANGUAGE),
        #[cfg(feature = "lang-html")]
        language!("html", tree_sitter_html::LANGUAGE),
        #[cfg(feature = "lang-java")]
        language!("java", tree_sitter_java::LANGUAGE),
        #[cfg(feature = "lang-javascript")]
        language!("javascript", tree_sitter_javascript::LANGUAGE),
        #[cfg(feature = "lang-json")]
        language!("json", tree_sitter_json::LANGUAGE),
        #[cfg(feature = "lang-kotlin")]
        language!("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
        #[cfg(feature = "lang-lua")]
        language!("lua", tree_sitter_lua::LANGUAGE),
        #[cfg(feature = "lang-ocaml")]
        language!("ocaml", tree_sitter_ocaml::LANGUAGE_OCAML),
        #[cfg(feature = "lang-php")]
        language!("php", tree_sitter_php::LANGUAGE_PHP),
        #[cfg(feature = "lang-python")]
        language!("python", tree_sitter_python::LANGUAGE),
        #[cfg(feature = "lang-ruby")]
        language!("ruby", tree_sitter_ruby::LANGUAGE),
        #[cfg(feature = "lang-rust")]
        language!("rust", tree_sitter_rust::LANGUAGE),
        #[cfg(feature = "lang-scala")]
        language!("scala", tree_sitter_scala::LANGUAGE),
        #[cfg(feature = "lang-sql")]
        language!("sql", tree_sitter_sequel::LANGUAGE),
        #[cfg(feature = "lang-swift")]
        language!("swift", tree_sitter_swift::LANGUAGE),
        #[cfg(feature = "lang-tsx")]
        language!("tsx", tree_sitter_typescript::LANGUAGE_TSX),
        #[cfg(feature = "lang-typescript")]
        language!("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
        #[cfg(feature = "lang-yaml")]
        language!("yaml", tree_sitter_yaml::LANGUAGE),
        #[cfg(feature = "lang-zig")]
        language!("zig", tree_sitter_zig::LANGUAGE),
    ]
});
