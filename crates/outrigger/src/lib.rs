//! The embedded tool library of an agent runtime: the run builder and its layers.
