//! Weights that ship with games, found by the hash of the rules that they were trained for: a file beside a rule file that
//! changes it, or another option, and they no longer count.

use super::file::{self, Facts};
use super::weights::Weights;
use crate::game::Game;
use crate::library::Library;
use std::sync::OnceLock;

/// The files, with what they say of themselves.
static SHIPPED: OnceLock<Vec<(Facts, &'static [u8])>> = OnceLock::new();

fn all() -> &'static [(Facts, &'static [u8])] {
    SHIPPED.get_or_init(|| {
        let known = |bytes: &'static [u8]| Some((file::facts(bytes).ok()?, bytes));
        Library::weights().into_iter().filter_map(|(_, bytes)| known(bytes)).collect()
    })
}

fn of(rules_hash: &str) -> Option<&'static (Facts, &'static [u8])> {
    all().iter().find(|(facts, _)| facts.rules_hash == rules_hash)
}

/// What is known of their training.
pub fn facts(rules_hash: &str) -> Option<&'static Facts> {
    of(rules_hash).map(|(facts, _)| facts)
}

/// The weights themselves.
pub fn read(rules_hash: &str, game: &Game) -> Option<Weights> {
    let (_, bytes) = of(rules_hash)?;
    file::read(bytes, game).ok().map(|(_, weights)| weights)
}
