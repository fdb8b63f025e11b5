//! Trees that a run keeps from one call to the next, each under the bytes it was parsed from.
//! It must never give a tree for other bytes: neither a path nor a time of change is ever asked, only the content,
//! which a search reads anyway. It must never hold more than its limit.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use edits::Digest;
use grammars::Grammar;
use tree_sitter::Tree;

#[cfg(test)]
mod tests;

/// What [`Cache::default`] keeps, in bytes.
const MAX_BYTES: usize = 256 << 20;
/// What a tree takes for each of its nodes, in bytes, the hidden ones of the parser with them: the most that was
/// measured in any of the languages on large corpora.
const BYTES_PER_NODE: usize = 168;
/// What a tree takes however small it is, its place in the cache included.
const BYTES_PER_TREE: usize = 512;

/// The syntax trees of a run. Clones share what is kept; the tools of one run are given the same.
#[derive(Debug, Clone)]
pub struct Cache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    max_bytes: usize,
    shelf: Mutex<Shelf>,
}

impl Default for Cache {
    fn default() -> Self {
        Self::new(MAX_BYTES)
    }
}

impl Cache {
    /// Keeps trees of `max_bytes` in all, by estimate: those that were used last. 0 keeps none.
    pub fn new(max_bytes: usize) -> Self {
        Self(Arc::new(Inner { max_bytes, shelf: Mutex::default() }))
    }

    /// The cache as one call uses it.
    pub(crate) fn begin(&self) -> Trees<'_> {
        let since = self.0.shelf().clock;
        Trees { inner: &self.0, since }
    }
}

impl Inner {
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The cache as one call uses it: what the call has used or brought is not pushed out by what it still brings, or
/// the second of two walks over more than the cache holds would find nothing.
#[derive(Debug)]
pub(crate) struct Trees<'a> {
    inner: &'a Inner,
    since: u64,
}

impl Trees<'_> {
    /// The tree of `source`: the one that is kept, else what `parse` makes.
    pub(crate) fn tree<E>(
        &self,
        grammar: &'static Grammar,
        source: &[u8],
        parse: impl FnOnce() -> Result<Tree, E>,
    ) -> Result<Tree, E> {
        if self.inner.max_bytes == 0 {
            return parse();
        }
        let key = Key { language: grammar.id(), content: Digest::of(source) };
        if let Some(known) = self.inner.shelf().get(key) {
            return Ok(known);
        }
        let tree = parse()?;
        let pushed_out = self.inner.shelf().keep(key, &tree, self.inner.max_bytes, self.since);
        // Freeing a tree takes a while: not under the lock.
        drop(pushed_out);
        Ok(tree)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    language: &'static str,
    content: Digest,
}

#[derive(Debug)]
struct Kept {
    tree: Tree,
    bytes: usize,
    used: u64,
}

#[derive(Debug, Default)]
struct Shelf {
    trees: HashMap<Key, Kept>,
    /// By last use.
    order: BTreeMap<u64, Key>,
    clock: u64,
    bytes: usize,
}

impl Shelf {
    fn get(&mut self, key: Key) -> Option<Tree> {
        let kept = self.trees.get_mut(&key)?;
        self.clock += 1;
        self.order.remove(&kept.used);
        self.order.insert(self.clock, key);
        kept.used = self.clock;
        Some(kept.tree.clone())
    }

    /// Keeps a tree if there is room, or room can be made of what was last used before `since`. Returns what had to go.
    fn keep(&mut self, key: Key, tree: &Tree, max_bytes: usize, since: u64) -> Vec<Kept> {
        let bytes = cost(tree);
        let mut pushed_out = Vec::new();
        if bytes > max_bytes || self.trees.contains_key(&key) {
            return pushed_out;
        }
        while self.bytes + bytes > max_bytes {
            let oldest = self.order.first_key_value().filter(|(used, _)| **used <= since);
            let Some(oldest) = oldest.map(|(used, _)| *used) else { return pushed_out };
            if let Some(old) = self.order.remove(&oldest).and_then(|key| self.trees.remove(&key)) {
                self.bytes -= old.bytes;
                pushed_out.push(old);
            }
        }
        self.clock += 1;
        self.bytes += bytes;
        self.order.insert(self.clock, key);
        self.trees.insert(key, Kept { tree: tree.clone(), bytes, used: self.clock });
        pushed_out
    }
}

fn cost(tree: &Tree) -> usize {
    BYTES_PER_TREE + tree.root_node().descendant_count() * BYTES_PER_NODE
}
