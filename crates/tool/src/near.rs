//! Near names: what somebody may have meant. The answer depends only on the word asked and the words offered.

/// The words of `known` within reach of `asked`, nearest first, at most `limit`: an edit distance of a third of the
/// longer word (swapped neighbours count as one), or one word holding the other.
pub fn nearest<'a>(asked: &str, known: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let asked_lower = asked.to_lowercase();
    let mut ranked: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|word| {
            let lower = word.to_lowercase();
            let far = distance(&asked_lower, &lower);
            let longer = asked_lower.chars().count().max(lower.chars().count());
            let contained = asked_lower.len() >= 3
                && lower.len() >= 3
                && (lower.contains(&asked_lower) || asked_lower.contains(&lower));
            (far <= longer.div_ceil(3) && far < longer || contained).then_some((far, word))
        })
        .collect();
    ranked.sort_unstable();
    ranked.dedup();
    ranked.into_iter().take(limit).map(|(_, word)| word).collect()
}

/// Edits between two names, a swap of neighbours being one. Names past 64 characters are compared by their first 64,
/// so that a hostile name costs nothing.
fn distance(a: &str, b: &str) -> usize {
    const MOST: usize = 64;
    let head = |name: &str| name.chars().take(MOST).collect::<String>();
    strsim::osa_distance(&head(a), &head(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_ranked_and_far_ones_left_out() {
        let known = ["ast_grep", "ast_edit", "resolve", "debug"];
        assert_eq!(nearest("ast_gerp", known, 3), ["ast_grep"]);
        assert_eq!(nearest("resolv", known, 3), ["resolve"]);
        assert_eq!(nearest("grep", known, 3), ["ast_grep"]);
        assert!(nearest("weather", known, 3).is_empty());
        assert!(nearest("x", ["y"], 3).is_empty());
    }
}
