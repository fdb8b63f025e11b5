//! Names of files with at most one `*`, as the table writes them.
//! It must never match across a path separator: a pattern is about one name.

/// Whether `name` is what `pattern` says: the name itself, or what stands before and after its `*`.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything_between() {
        assert!(fits("*.rs", "main.rs") && fits("*.rs", ".rs") && fits("Dockerfile.*", "Dockerfile.dev"));
        assert!(fits("go.mod", "go.mod") && fits("a*a", "aa"));
        assert!(!fits("*.rs", "main.rs.bak") && !fits("a*a", "a") && !fits("go.mod", "cargo.mod"));
    }
}
