//! The table and what may be laid over it.

use super::*;

fn row<'a>(table: &'a Table, id: &str) -> &'a Adapter {
    table.0.iter().find(|row| row.id == id).unwrap()
}

#[test]
fn the_built_in_table_is_a_table() {
    let (table, notes) = Table::new(&[]).unwrap();
    assert_eq!(notes, [""; 0]);
    let ids: Vec<_> = table.0.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids, ["dart", "debugpy", "lldb", "delve", "gdb"]);
    let refused = table.named("ldb").unwrap_err().to_string();
    assert_eq!(refused, "there is no adapter `ldb`; known are `dart`, `debugpy`, `lldb`, `delve`, `gdb`");
}

#[test]
fn a_host_changes_everything_and_a_workspace_nothing_that_starts() {
    let host = "[delve]\ncommand = ['mine']\n[own]\ncommand = ['own']\nmarkers = ['x']\ntakes.native = {}\n";
    let workspace = "[debugpy]\ncommand = ['evil']\nmarkers = ['Pipfile']\n[gdb]\ndisabled = true\n[new]\ncommand = ['x']\n";
    let (table, notes) = Table::new(&[(host, Trust::Full), (workspace, Trust::Harmless)]).unwrap();
    assert_eq!(row(&table, "delve").command, ["mine"]);
    assert_eq!(row(&table, "own").command, ["own"]);
    assert_eq!(row(&table, "debugpy").command[0], "python3");
    assert_eq!(row(&table, "debugpy").markers, ["Pipfile"]);
    assert!(table.0.iter().all(|row| row.id != "gdb" && row.id != "new"));
    assert_eq!(
        notes,
        [
            "`debugpy.command` of the workspace's table is left out: it could start programs",
            "`new.command` of the workspace's table is left out: it could start programs",
            "`new` of the workspace's table is no known adapter",
        ]
    );
    let wrong = Table::new(&[("[gdb]\nmarkers = 3\n", Trust::Full)]).unwrap_err().to_string();
    assert!(wrong.starts_with("the adapter `gdb`: invalid type"), "{wrong}");
}

#[test]
fn what_stands_in_braces_is_filled_in() {
    let (table, _) = Table::new(&[]).unwrap();
    let blanks = Blanks { executable: "/v/bin/python", scratch: "/t", port: 7 };
    let fields = row(&table, "debugpy").launch(Kind::Python, &blanks);
    assert_eq!(fields["python"], serde_json::json!(["/v/bin/python"]));
    let fields = row(&table, "delve").launch(Kind::GoTest, &blanks);
    assert_eq!((&fields["mode"], &fields["output"]), (&"test".into(), &"/t/debugged".into()));
    let lldb = row(&table, "lldb").attach.as_ref().unwrap();
    assert_eq!(lldb.request(&blanks)["gdb-remote-port"], 7);
}
