//! The debugger's part of the tour: a Python program stopped in the middle, if debugpy is installed.

use outrigger::Surface;
use serde_json::{Value, json};

use super::show::Show;

pub(super) async fn tour(surface: &Surface, show: &mut Show) {
    let about = "Which debug adapters are usable here, and why not the others";
    let adapters = show.step(surface, about, ("debug", json!({"action": "adapters"})), &["debugpy"]).await;
    if !adapters.is_ok_and(|output| output.to_text().contains("debugpy: usable")) {
        return;
    }
    let breakpoint = json!({"action": "breakpoints", "file": "tool.py", "lines": [3]});
    let about = "A breakpoint before the program is launched";
    let _ = show.step(surface, about, ("debug", breakpoint), &["pending"]).await;
    let launch = json!({"action": "launch", "program": "tool.py"});
    let about = "It stops there, with the place and the lines around it";
    let stopped = show.step(surface, about, ("debug", launch), &["stopped: breakpoint", "tool.py:3"]).await;
    let frame = stopped.ok().and_then(|output| output.data).map(|data| data["frame_id"].clone());
    let evaluate =
        json!({"action": "evaluate", "expression": "os.sep", "frame_id": frame.filter(Value::is_number)});
    let _ = show.step(surface, "An expression in that frame", ("debug", evaluate), &["'/'"]).await;
    let again = json!({"action": "launch", "program": "tool.py"});
    let about = "A second launch is refused, not put in the place of the first";
    let _ = show.step(surface, about, ("debug", again), &["refused"]).await;
    let end = ("debug", json!({"action": "terminate"}));
    let _ = show.step(surface, "The end of all of it", end, &["tool.py"]).await;
}
