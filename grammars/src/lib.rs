//! The bundled languages, as data: a feature and a folder each.
