//! Symmetries in the numbers that programs learn by: where sites and actions go when a game is turned or mirrored.

use super::actions::Actions;
use crate::board::Direction;
use crate::game::Game;
use crate::rules::{MoveId, Value};
use crate::symmetry::{Mapping, Symmetries};
use std::collections::HashMap;

/// One symmetry of a game: everything and its image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// By the number of a site, that of its image.
    pub sites: Vec<usize>,
    /// By the number of an action, that of its image; empty where actions are split.
    pub actions: Vec<usize>,
    /// By the number of a direction, that of its image.
    pub ways: Vec<usize>,
    /// Whether both players are exchanged as well.
    pub swaps_players: bool,
}

impl Image {
    /// All symmetries of a game, the one that changes nothing first, and those that exchange the players last.
    #[must_use]
    pub fn all(game: &Game, actions: &Actions) -> Vec<Self> {
        let rules = game.rules();
        let plies: Vec<Option<(MoveId, Vec<Value>)>> =
            (0..actions.len()).map(|action| actions.ply(rules, action)).collect();
        let numbers: HashMap<&(MoveId, Vec<Value>), usize> =
            plies.iter().enumerate().filter_map(|(number, ply)| Some((ply.as_ref()?, number))).collect();
        let symmetries = Symmetries::of(game);
        let image = |mapping: &Mapping| {
            let of = |ply: &Option<(MoveId, Vec<Value>)>| {
                let (mv, parts) = ply.as_ref()?;
                numbers.get(&(*mv, parts.iter().map(|part| mapping.value(part)).collect())).copied()
            };
            // An action without an image is never legal: the image would be legal, and have a number.
            let actions = plies.iter().enumerate().map(|(number, ply)| of(ply).unwrap_or(number));
            Self {
                sites: mapping.sites().to_vec(),
                actions: if numbers.is_empty() { Vec::new() } else { actions.collect() },
                ways: (0..16)
                    .map(|way| Direction::from_index(way).map_or(way, |way| mapping.way(way).index()))
                    .collect(),
                swaps_players: mapping.swaps(),
            }
        };
        symmetries.mappings.iter().chain(&symmetries.swaps).map(image).collect()
    }
}
