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

/// The languages that were compiled in, in id order.
pub(crate) static BUNDLED: LazyLock<Vec<Grammar>> = LazyLock::new(|| {
    vec![
        #[cfg(feature = "lang-bash")]
        Grammar::new("bash", include_str!("../languages/bash/grammar.toml"), || {
            tree_sitter_bash::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-c")]
        Grammar::new("c", include_str!("../languages/c/grammar.toml"), || tree_sitter_c::LANGUAGE.into()),
        #[cfg(feature = "lang-cpp")]
        Grammar::new("cpp", include_str!("../languages/cpp/grammar.toml"), || {
            tree_sitter_cpp::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-csharp")]
        Grammar::new("csharp", include_str!("../languages/csharp/grammar.toml"), || {
            tree_sitter_c_sharp::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-css")]
        Grammar::new("css", include_str!("../languages/css/grammar.toml"), || {
            tree_sitter_css::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-dart")]
        Grammar::new("dart", include_str!("../languages/dart/grammar.toml"), || {
            tree_sitter_dart::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-elixir")]
        Grammar::new("elixir", include_str!("../languages/elixir/grammar.toml"), || {
            tree_sitter_elixir::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-go")]
        Grammar::new("go", include_str!("../languages/go/grammar.toml"), || tree_sitter_go::LANGUAGE.into()),
        #[cfg(feature = "lang-haskell")]
        Grammar::new("haskell", include_str!("../languages/haskell/grammar.toml"), || {
            tree_sitter_haskell::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-hcl")]
        Grammar::new("hcl", include_str!("../languages/hcl/grammar.toml"), || {
            tree_sitter_hcl::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-html")]
        Grammar::new("html", include_str!("../languages/html/grammar.toml"), || {
            tree_sitter_html::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-java")]
        Grammar::new("java", include_str!("../languages/java/grammar.toml"), || {
            tree_sitter_java::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-javascript")]
        Grammar::new("javascript", include_str!("../languages/javascript/grammar.toml"), || {
            tree_sitter_javascript::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-json")]
        Grammar::new("json", include_str!("../languages/json/grammar.toml"), || {
            tree_sitter_json::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-kotlin")]
        Grammar::new("kotlin", include_str!("../languages/kotlin/grammar.toml"), || {
            tree_sitter_kotlin_ng::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-lua")]
        Grammar::new("lua", include_str!("../languages/lua/grammar.toml"), || {
            tree_sitter_lua::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-ocaml")]
        Grammar::new("ocaml", include_str!("../languages/ocaml/grammar.toml"), || {
            tree_sitter_ocaml::LANGUAGE_OCAML.into()
        }),
        #[cfg(feature = "lang-php")]
        Grammar::new("php", include_str!("../languages/php/grammar.toml"), || {
            tree_sitter_php::LANGUAGE_PHP.into()
        }),
        #[cfg(feature = "lang-python")]
        Grammar::new("python", include_str!("../languages/python/grammar.toml"), || {
            tree_sitter_python::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-ruby")]
        Grammar::new("ruby", include_str!("../languages/ruby/grammar.toml"), || {
            tree_sitter_ruby::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-rust")]
        Grammar::new("rust", include_str!("../languages/rust/grammar.toml"), || {
            tree_sitter_rust::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-scala")]
        Grammar::new("scala", include_str!("../languages/scala/grammar.toml"), || {
            tree_sitter_scala::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-sql")]
        Grammar::new("sql", include_str!("../languages/sql/grammar.toml"), || {
            tree_sitter_sequel::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-swift")]
        Grammar::new("swift", include_str!("../languages/swift/grammar.toml"), || {
            tree_sitter_swift::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-tsx")]
        Grammar::new("tsx", include_str!("../languages/tsx/grammar.toml"), || {
            tree_sitter_typescript::LANGUAGE_TSX.into()
        }),
        #[cfg(feature = "lang-typescript")]
        Grammar::new("typescript", include_str!("../languages/typescript/grammar.toml"), || {
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()
        }),
        #[cfg(feature = "lang-yaml")]
        Grammar::new("yaml", include_str!("../languages/yaml/grammar.toml"), || {
            tree_sitter_yaml::LANGUAGE.into()
        }),
        #[cfg(feature = "lang-zig")]
        Grammar::new("zig", include_str!("../languages/zig/grammar.toml"), || {
            tree_sitter_zig::LANGUAGE.into()
        }),
    ]
});
