//! The processes below one process, read from `/proc`: for memory figures, and to see that nothing is left.
//! It must never be needed to kill anything while a guardian lives: sandboxes hide `/proc`, and what it says is old
//! when it is read.

use std::collections::{HashMap, HashSet};
use std::fs;

/// One process, as the system described it a moment ago.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    pub(crate) session: u32,
    /// The program's name, cut to 15 bytes by the kernel.
    pub name: String,
    /// Ended, but not yet reaped by its parent.
    pub zombie: bool,
    /// Memory in use, in pages of the system's size.
    pub resident_pages: u64,
}

/// Every process below `top`, without `top` itself. Empty where there is no `/proc`.
pub fn descendants(top: u32) -> Vec<Process> {
    let all = all();
    let parents: HashMap<u32, u32> = all.iter().map(|process| (process.pid, process.parent)).collect();
    all.into_iter().filter(|process| is_below(process.pid, top, &parents)).collect()
}

/// One process by its pid.
pub(crate) fn process(pid: u32) -> Option<Process> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

pub(crate) fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.filter_map(|entry| process(entry.ok()?.file_name().to_str()?.parse().ok()?)).collect()
}

fn is_below(pid: u32, top: u32, parents: &HashMap<u32, u32>) -> bool {
    // The lines were read one after another: a pid used anew meanwhile could make a ring.
    let mut seen = HashSet::from([pid]);
    let mut at = pid;
    while let Some(&parent) = parents.get(&at) {
        if parent == top {
            return true;
        }
        if !seen.insert(parent) {
            return false;
        }
        at = parent;
    }
    false
}

/// `pid (name) state parent group session …`; the name may hold spaces and parentheses. Resident pages are field 24.
fn parse(stat: &str) -> Option<Process> {
    let (pid, rest) = stat.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(Process {
        pid: pid.parse().ok()?,
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        name: name.to_owned(),
        zombie: matches!(*fields.first()?, "Z" | "X"),
        resident_pages: fields.get(21)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_rest_of_the_line() {
        let line =
            "77 (a) Z (b) S 12 77 77 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 100 1000 345 18446744073709551615";
        let process = parse(line).unwrap();
        assert_eq!((process.pid, process.parent, process.zombie), (77, 12, false));
        assert_eq!((process.name.as_str(), process.resident_pages), ("a) Z (b", 345));
    }

    #[test]
    fn a_ring_of_reused_pids_ends() {
        let parents = HashMap::from([(5, 6), (6, 5)]);
        assert!(!is_below(5, 1, &parents));
        assert!(is_below(5, 6, &parents));
    }
}
