//! Who may see a tool. The order of the tiers is the whole of the rule: a surface serves a tier and those below.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a tool does to the world, from nothing to starting processes. `Read < Write < Exec`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// No side effects.
    Read,
    /// Changes files of the workspace.
    Write,
    /// Starts or steers a process.
    Exec,
}

impl Tier {
    /// The tier's name as schemas and people write it: `read`, `write`, `exec`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Exec => "exec",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tier {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Read, Self::Write, Self::Exec]
            .into_iter()
            .find(|tier| tier.name() == text)
            .ok_or_else(|| format!("`{text}` is no tier; use read, write or exec"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_are_ordered_and_spelt_in_lower_case() {
        assert!(Tier::Read < Tier::Write && Tier::Write < Tier::Exec);
        for tier in [Tier::Read, Tier::Write, Tier::Exec] {
            assert_eq!(tier.name().parse(), Ok(tier));
        }
        assert_eq!("Read".parse::<Tier>(), Err("`Read` is no tier; use read, write or exec".to_owned()));
    }
}
