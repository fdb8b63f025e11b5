//! The files of one run: a contained root, the walk, text and its positions.
