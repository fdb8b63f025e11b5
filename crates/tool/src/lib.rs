//! The contract of Outrigger: tiers, tool traits, registry, surfaces and gates.
