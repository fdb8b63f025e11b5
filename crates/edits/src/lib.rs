//! Staged changes against snapshots, committed all or nothing; the tool resolve.
