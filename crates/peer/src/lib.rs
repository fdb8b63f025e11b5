//! A child process Outrigger talks to: spawned under a guardian, framed, stopped with its whole tree.
