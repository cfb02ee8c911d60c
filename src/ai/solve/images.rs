//! Positions that are turned or mirrored are one: the key of them all is that of the image with the least number.
//!
//! Only mappings count of which the rules prove that they change nothing, and all that a position holds goes with them:
//! pieces, remembered sites, and values of sites.

use super::graph::{mixed, standing};
use crate::engine::Play;
use crate::engine::observe::Remembered;
use crate::game::Position;
use crate::rules::{MemoryId, Rules, Scope, Type};
use crate::symmetry;

/// More mappings take longer than they save.
const MOST: usize = 16;

/// Mappings of the board by the numbers that the engine has for sites.
pub struct Images {
    mappings: Vec<Vec<usize>>,
    /// What is remembered, with whether there is one value for every site.
    memories: Vec<(usize, bool)>,
}

impl Images {
    /// Those of a game, without the memories that are left out; none where nothing would be gained.
    pub fn of(position: &Position, player: &dyn Play, left_out: &[MemoryId]) -> Option<Self> {
        let rules = position.game().rules();
        if !is_told(rules) {
            return None;
        }
        let found = symmetry::proved(position.game());
        if !(2..=MOST).contains(&found.len()) {
            return None;
        }
        let places = player.places();
        let by_place = |sites: &[usize]| {
            let mut to: Vec<usize> = (0..places.iter().max().map_or(0, |most| most + 1)).collect();
            for (site, place) in places.iter().enumerate() {
                let image = sites.get(site).and_then(|image| places.get(*image));
                if let (Some(to), Some(image)) = (to.get_mut(*place), image) {
                    *to = *image;
                }
            }
            to
        };
        let mappings = found.iter().map(|mapping| by_place(mapping.sites())).collect();
        let kept = rules.memories.iter().enumerate().filter(|(at, _)| !left_out.contains(&MemoryId(*at)));
        let memories = kept.map(|(at, memory)| (at, memory.scope == Scope::Site)).collect();
        Some(Self { mappings, memories })
    }

    pub fn count(&self) -> usize {
        self.mappings.len()
    }

    /// The same for what stands on the board alone.
    pub fn key_of_pieces(&self, player: &dyn Play) -> u64 {
        let image = |mapping: &Vec<usize>| standing(player, |place| mapping.get(place).copied().unwrap_or(place));
        self.mappings.iter().map(image).min().unwrap_or(0)
    }

    /// The key of a position and of all its images.
    pub fn key(&self, player: &dyn Play) -> u64 {
        // Where the turn may stand at several places they are not told.
        let Some(place) = player.place_in_turn() else { return mixed(player.hash(), 5) };
        let mut same = mixed(place as u64, player.mover() as u64 + 1);
        // Each thing on a site: what it is, and where.
        let mut things: Vec<(u64, usize)> = Vec::new();
        player.each_piece(&mut |content, place| things.push((u64::from(content.code()), place)));
        for (memory, by_site) in &self.memories {
            let name = mixed(*memory as u64, 6);
            player.remembered(*memory, &mut |offset, value| match value {
                Remembered::Sites(words) => {
                    for (at, word) in words.iter().enumerate() {
                        let bits = (0..64).filter(|bit| word >> bit & 1 == 1);
                        things.extend(bits.map(|bit| (mixed(name, offset as u64), at * 64 + bit)));
                    }
                }
                Remembered::Number(number) => {
                    let value = mixed(name, number.cast_unsigned());
                    if *by_site {
                        things.push((value, offset));
                    } else {
                        same = mixed(same ^ value, offset as u64);
                    }
                }
            });
        }
        let image = |mapping: &Vec<usize>| {
            let place = |place: usize| mapping.get(place).copied().unwrap_or(place) as u64;
            let all = things.iter().map(|(thing, at)| mixed(*thing, place(*at) + 1));
            all.fold(0, u64::wrapping_add)
        };
        mixed(self.mappings.iter().map(image).min().unwrap_or(0), same)
    }
}

/// Whether all that a position is can be told by what stands on the board, what is remembered, and the place in the turn.
fn is_told(rules: &Rules) -> bool {
    rules.stacks.is_none() && rules.memories.iter().all(|memory| memory.ty != Type::Directions)
}
