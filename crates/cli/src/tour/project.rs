//! The project of the tour: small, in three languages, with the code that structural search tells apart and text
//! search does not. It is made in a temporary folder and belongs to the tour alone.

use std::path::{Path, PathBuf};

use anyhow::Result;

const FILES: [(&str, &str); 10] = [
    (
        "lib/guard.dart",
        "\
void close(Controller? a, Controller? b) {
  if (a != null) a.dispose(); // disposes what it checked
  if (a != null) b?.dispose(); // checks one, disposes another
  print('if (a != null) a.dispose()');
}
",
    ),
    (
        "lib/home.dart",
        "class Home {\n  void close() {\n    dispose(header);\n    dispose(body);\n    dispose( footer );\n  }\n}\n",
    ),
    (
        "lib/login.dart",
        "void close(Login login) {\n  dispose(login.name);\n  dispose(login.password);\n  dispose(login.button /* last */);\n}\n",
    ),
    (
        "lib/list.dart",
        "final close = () {\n  dispose(items[0]);\n  dispose(items[1]);\n  // dispose(items[2]) stays a comment\n  dispose(scroll);\n};\n",
    ),
    (
        "lib/menu.dart",
        "int close() {\n  dispose(menu);\n  dispose(icon);\n  print(\"dispose(icon) stays a string\");\n  dispose(\n    label,\n  );\n  return 0;\n}\n",
    ),
    (
        "src/main.rs",
        "\
fn main() {
    let text = std::fs::read_to_string(\"a.txt\").unwrap();
    println!(\"{} is not .unwrap()\", text.parse::<u32>().unwrap());
}
",
    ),
    ("pyproject.toml", "[project]\nname = \"tour\"\nversion = \"1\"\n"),
    ("voice.py", "def shout(text: str) -> str:\n    return text.upper()\n"),
    ("app.py", "from voice import shout\n\nprint(shout(\"hello\"))  # shout, and again: shout\n"),
    ("tool.py", "import os\n\nprint(os.getcwd())\nif os.path == os.path:\n    print('always', end='')\n"),
];

/// Writes the project below `home`; its root.
#[expect(
    clippy::disallowed_methods,
    reason = "the project is made before there is a run to change it through"
)]
pub(crate) fn make(home: &Path) -> Result<PathBuf> {
    let root = home.join("project");
    for (path, content) in FILES {
        let path = root.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, content)?;
    }
    Ok(root)
}
