//! One small project per language: a price list with an interface, an implementation, a function that adds up, and a
//! caller in another file whose line has an emoji and tabs before the call. Every line ends with `\r\n`.

use test_support::Fixture;

/// Files and what is asked about them.
pub(crate) struct Project {
    /// Written with `\r\n` where their name says that they are source.
    files: &'static [(&'static str, &'static str)],
    /// Action, file, a piece of the line, symbol.
    pub(crate) questions: &'static [(&'static str, &'static str, &'static str, &'static str)],
    pub(crate) outlines: &'static [&'static str],
    pub(crate) named: &'static str,
    /// Questions whose answers differ between versions, and the words that they must hold.
    pub(crate) words:
        &'static [(&'static str, &'static str, &'static str, &'static str, &'static [&'static str])],
}

impl Project {
    pub(crate) fn fixture(&self) -> Fixture {
        let fixture = Fixture::empty();
        for (path, text) in self.files {
            let text = text.replace("ROOT", &fixture.root().display().to_string());
            let source = !path.contains(".json") && !path.contains(".toml");
            fixture.write(path, if source { text.replace('\n', "\r\n") } else { text });
        }
        fixture
    }
}

pub(crate) const RUST: Project = Project {
    files: &[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        (
            "src/lib.rs",
            "//! \u{1f40b} Prices.\npub mod cart;\n\n/// What Priced things cost.\npub trait Priced {\n\tfn price(&self) -> u64;\n}\n\n\
             pub struct Tea;\n\nimpl Priced for Tea {\n\tfn price(&self) -> u64 {\n\t\t5\n\t}\n}\n\n\
             /// Adds up; total is what it is called.\npub fn total(items: &[&dyn Priced]) -> u64 {\n\titems.iter().map(|it| it.price()).sum()\n}\n",
        ),
        (
            "src/cart.rs",
            "use crate::{total, Priced, Tea};\n\n/* \u{1f600} */\tpub fn checkout(tea: &Tea) -> u64 {\n\
             \tlet s = \"\u{1f600}\u{e9} total\"; let sum = total(&[tea]);\n\tsum + s.len() as u64 + tea.price()\n}\n",
        ),
    ],
    questions: &[
        ("definition", "src/cart.rs", "let sum", "total"),
        ("definition", "src/cart.rs", "tea.price", "price"),
        ("type_definition", "src/cart.rs", "tea.price", "tea"),
        ("implementation", "src/lib.rs", "pub trait", "Priced"),
        ("references", "src/lib.rs", "pub fn total", "total"),
        ("references", "src/lib.rs", "pub struct", "Tea"),
        ("call_hierarchy", "src/lib.rs", "pub fn total", "total"),
        ("type_hierarchy", "src/lib.rs", "pub trait", "Priced"),
        ("definition", "src/cart.rs", "let sum", "sums"),
        ("definition", "src/cart.rs", "let sum", "tot"),
    ],
    outlines: &["src/lib.rs"],
    named: "total",
    words: &[
        (
            "hover",
            "src/cart.rs",
            "let sum",
            "total",
            &["pub fn total(items: &[&dyn Priced]) -> u64", "Adds up"],
        ),
        ("signature", "src/cart.rs", "let sum", "total", &["fn total(items: &[&"]),
        ("code_actions", "src/cart.rs", "pub fn checkout", "checkout", &["code action"]),
    ],
};

const PRICES_PY: &str = "# \u{1f40b} Prices.\nfrom abc import ABC, abstractmethod\n\n\nclass Priced(ABC):\n\t\"\"\"What Priced things cost.\"\"\"\n\n\t@abstractmethod\n\tdef price(self) -> int: ...\n\n\nclass Tea(Priced):\n\tdef price(self) -> int:\n\t\treturn 5\n\n\ndef total(items: list[Priced]) -> int:\n\t\"\"\"Adds up.\"\"\"\n\treturn sum(it.price() for it in items)\n";

pub(crate) const PYTHON: Project = Project {
    files: &[
        ("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
        ("shop/__init__.py", ""),
        ("shop/prices.py", PRICES_PY),
        (
            "shop/cart.py",
            "from shop.prices import Tea, total\n\n\ndef checkout(tea: Tea) -> int:\n\ts = \"\u{1f600}\u{e9} total\"; sum_ = total([tea])\n\treturn sum_ + len(s) + tea.price()\n",
        ),
    ],
    questions: &[
        ("definition", "shop/cart.py", "sum_ = ", "total"),
        ("definition", "shop/cart.py", "tea.price", "price"),
        ("type_definition", "shop/cart.py", "tea.price", "tea"),
        ("implementation", "shop/prices.py", "class Priced", "Priced"),
        ("references", "shop/prices.py", "def total", "total"),
        ("references", "shop/prices.py", "class Tea", "Tea"),
        ("call_hierarchy", "shop/prices.py", "def total", "total"),
        ("type_hierarchy", "shop/prices.py", "class Priced", "Priced"),
        ("definition", "shop/cart.py", "sum_ = ", "sums"),
        ("definition", "shop/cart.py", "sum_ = ", "tot"),
    ],
    outlines: &["shop/prices.py"],
    named: "total",
    words: &[
        ("hover", "shop/cart.py", "sum_ = ", "total", &["total", "list[Priced]", "int"]),
        ("signature", "shop/cart.py", "sum_ = ", "total", &["items: list[Priced]"]),
        ("code_actions", "shop/cart.py", "def checkout", "checkout", &["code action"]),
    ],
};

pub(crate) const TYPESCRIPT: Project = Project {
    files: &[
        ("package.json", "{ \"name\": \"shop\", \"version\": \"0.1.0\" }\n"),
        ("tsconfig.json", "{ \"compilerOptions\": { \"strict\": true }, \"include\": [\"src\"] }\n"),
        (
            "src/prices.ts",
            "// \u{1f40b} Prices.\n\n/** What Priced things cost. */\nexport interface Priced {\n\tprice(): number;\n}\n\n\
             export class Tea implements Priced {\n\tprice(): number {\n\t\treturn 5;\n\t}\n}\n\n\
             /** Adds up; total is what it is called. */\nexport function total(items: Priced[]): number {\n\treturn items.reduce((sum, it) => sum + it.price(), 0);\n}\n",
        ),
        (
            "src/cart.ts",
            "import { Tea, total } from \"./prices\";\n\nexport function checkout(tea: Tea): number {\n\
             \tconst s = \"\u{1f600}\u{e9} total\"; const sum = total([tea]);\n\treturn sum + s.length + tea.price();\n}\n",
        ),
    ],
    questions: &[
        ("definition", "src/cart.ts", "const sum", "total"),
        ("definition", "src/cart.ts", "tea.price", "price"),
        ("type_definition", "src/cart.ts", "tea.price", "tea"),
        ("implementation", "src/prices.ts", "export interface", "Priced"),
        ("references", "src/prices.ts", "export function total", "total"),
        ("references", "src/prices.ts", "export class", "Tea"),
        ("call_hierarchy", "src/prices.ts", "export function", "total"),
        ("type_hierarchy", "src/prices.ts", "export interface", "Priced"),
        ("definition", "src/cart.ts", "const sum", "sums"),
        ("definition", "src/cart.ts", "const sum", "tot"),
    ],
    outlines: &["src/prices.ts"],
    named: "total",
    words: &[
        ("hover", "src/cart.ts", "const sum", "total", &["total(items: Priced[]): number", "Adds up"]),
        ("signature", "src/cart.ts", "const sum", "total", &["total(items: Priced[]): number"]),
        ("code_actions", "src/cart.ts", "export function", "checkout", &["code action"]),
    ],
};

pub(crate) const CPP: Project = Project {
    files: &[
        (
            "compile_commands.json",
            "[{ \"directory\": \"ROOT\", \"command\": \"c++ -std=c++17 -c src/cart.cpp\", \"file\": \"src/cart.cpp\" },\n\
             { \"directory\": \"ROOT\", \"command\": \"c++ -std=c++17 -c src/prices.cpp\", \"file\": \"src/prices.cpp\" }]\n",
        ),
        (
            "src/prices.h",
            "#pragma once\n// \u{1f40b} Prices.\n\n/// What Priced things cost.\nstruct Priced {\n\tvirtual int price() const = 0;\n};\n\n\
             struct Tea : Priced {\n\tint price() const override;\n};\n\n/// Adds up.\nint total(const Priced *item, int count);\n",
        ),
        (
            "src/prices.cpp",
            "#include \"prices.h\"\n\nint Tea::price() const {\n\treturn 5;\n}\n\nint total(const Priced *item, int count) {\n\treturn item->price() * count;\n}\n",
        ),
        (
            "src/cart.cpp",
            "#include \"prices.h\"\n\nint checkout(const Tea &tea) {\n\tconst char *s = \"\u{1f600}\u{e9} total\"; int sum = total(&tea, 2);\n\treturn sum + s[0] + tea.price();\n}\n",
        ),
    ],
    questions: &[
        ("definition", "src/cart.cpp", "int sum", "total"),
        ("definition", "src/cart.cpp", "tea.price", "price"),
        ("type_definition", "src/cart.cpp", "tea.price", "tea"),
        ("implementation", "src/prices.h", "struct Priced", "Priced"),
        ("references", "src/prices.h", "int total", "total"),
        ("references", "src/prices.h", "struct Tea", "Tea"),
        ("call_hierarchy", "src/prices.cpp", "int total", "total"),
        ("type_hierarchy", "src/prices.h", "struct Priced", "Priced"),
        ("definition", "src/cart.cpp", "int sum", "sums"),
        ("definition", "src/cart.cpp", "int sum", "tot"),
    ],
    outlines: &["src/prices.h"],
    named: "total",
    words: &[
        (
            "hover",
            "src/cart.cpp",
            "int sum",
            "total",
            &["int total(const Priced *item, int count)", "Adds up"],
        ),
        ("signature", "src/cart.cpp", "int sum", "total", &["total(const Priced *item, int count) -> int"]),
        ("code_actions", "src/cart.cpp", "int sum", "sum", &["code action"]),
    ],
};

pub(crate) const GO: Project = Project {
    files: &[
        ("go.mod", "module shop\n\ngo 1.21\n"),
        (
            "prices.go",
            "// \u{1f40b} Prices.\npackage shop\n\n// Priced things cost.\ntype Priced interface {\n\tPrice() int\n}\n\ntype Tea struct{}\n\n\
             func (t Tea) Price() int {\n\treturn 5\n}\n\n// Total adds up.\nfunc Total(items []Priced) int {\n\tsum := 0\n\tfor _, it := range items {\n\t\tsum += it.Price()\n\t}\n\treturn sum\n}\n",
        ),
        (
            "cart.go",
            "package shop\n\nfunc Checkout(tea Tea) int {\n\ts := \"\u{1f600}\u{e9} Total\"; all := Total([]Priced{tea})\n\treturn all + len(s) + tea.Price()\n}\n",
        ),
    ],
    questions: &[
        ("definition", "cart.go", "all := ", "Total"),
        ("definition", "cart.go", "tea.Price", "Price"),
        ("type_definition", "cart.go", "tea.Price", "tea"),
        ("implementation", "prices.go", "type Priced", "Priced"),
        ("references", "prices.go", "func Total", "Total"),
        ("references", "prices.go", "type Tea", "Tea"),
        ("call_hierarchy", "prices.go", "func Total", "Total"),
        ("type_hierarchy", "prices.go", "type Priced", "Priced"),
        ("definition", "cart.go", "all := ", "sums"),
        ("definition", "cart.go", "all := ", "Tot"),
    ],
    outlines: &["prices.go"],
    named: "Total",
    words: &[
        ("hover", "cart.go", "all := ", "Total", &["func Total(items []Priced) int", "Total adds up"]),
        ("signature", "cart.go", "all := ", "Total", &["Total(items []Priced) int"]),
        ("code_actions", "cart.go", "all := ", "all", &["code action"]),
    ],
};

pub(crate) const DART: Project = Project {
    files: &[
        ("pubspec.yaml", "name: shop\nenvironment:\n  sdk: '>=3.0.0 <4.0.0'\n"),
        (
            "lib/prices.dart",
            "// \u{1f40b} Prices.\n\n/// What Priced things cost.\nabstract class Priced {\n\tint price();\n}\n\n\
             class Tea implements Priced {\n\t@override\n\tint price() => 5;\n}\n\n/// Adds up.\nint total(List<Priced> items) {\n\tvar sum = 0;\n\tfor (final it in items) {\n\t\tsum += it.price();\n\t}\n\treturn sum;\n}\n",
        ),
        (
            "lib/cart.dart",
            "import 'prices.dart';\n\nint checkout(Tea tea) {\n\tfinal s = '\u{1f600}\u{e9} total'; final all = total([tea]);\n\treturn all + s.length + tea.price();\n}\n",
        ),
    ],
    questions: &[
        ("definition", "lib/cart.dart", "final all", "total"),
        ("definition", "lib/cart.dart", "tea.price", "price"),
        ("type_definition", "lib/cart.dart", "tea.price", "tea"),
        ("implementation", "lib/prices.dart", "abstract class", "Priced"),
        ("references", "lib/prices.dart", "int total", "total"),
        ("references", "lib/prices.dart", "class Tea", "Tea"),
        ("call_hierarchy", "lib/prices.dart", "int total", "total"),
        ("type_hierarchy", "lib/prices.dart", "abstract class", "Priced"),
        ("definition", "lib/cart.dart", "final all", "sums"),
        ("definition", "lib/cart.dart", "final all", "tot"),
    ],
    outlines: &["lib/prices.dart"],
    named: "checkout",
    words: &[
        ("hover", "lib/cart.dart", "final all", "total", &["int total(List<Priced> items)", "Adds up"]),
        ("signature", "lib/cart.dart", "final all", "total", &["total(List<Priced> items)"]),
        ("code_actions", "lib/cart.dart", "final all", "all", &["code action"]),
    ],
};
