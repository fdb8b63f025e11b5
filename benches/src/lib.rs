//! Side by side with peers: figures, printed as tables.
