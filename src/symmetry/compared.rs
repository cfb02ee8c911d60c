//! Random games beside their images: a mapping that is no symmetry is soon refuted.

use super::mapping::Mapping;
use crate::engine::{Engine, Play, Snapshot};
use crate::game::Game;
use crate::rules::{MoveId, Value};
use crate::study::playout::{generator, pick};
use std::collections::HashMap;

/// So many games are compared, or fewer if they have so many legal plies in all.
const GAMES: u64 = 40;
const CHOICES: usize = 40_000;

/// A game that is longer is compared no further.
const LONGEST: usize = 1_000;

/// Whether random games and their images are alike, from a start that stays as it is.
pub fn agrees(game: &Game, mapping: &Mapping, start: &Snapshot) -> bool {
    agrees_from(game, mapping, start, start)
}

/// The image of a start, at each place in the order of turns at which its mover moves.
pub fn starts(game: &Game, image: Snapshot) -> impl Iterator<Item = Snapshot> {
    let order = game.rules().order.clone();
    let mover = image.mover;
    let places = order.into_iter().enumerate().filter(move |(_, player)| *player == mover);
    places.map(move |(order, _)| Snapshot { order, ..image.clone() })
}

/// Whether random games from a start and their images from another are alike: the same plies, scores and ends.
pub fn agrees_from(game: &Game, mapping: &Mapping, start: &Snapshot, image: &Snapshot) -> bool {
    let (mut one, mut other) = (game.player(Engine::Fast), game.player(Engine::Fast));
    let mut left = CHOICES;
    for number in 0..GAMES {
        if left == 0 {
            break;
        }
        one.load(start);
        other.load(image);
        let mut chance = generator(SEED, number);
        for _ in 0..LONGEST {
            if !alike(mapping, one.as_mut(), other.as_mut()) {
                return false;
            }
            let count = one.count();
            left = left.saturating_sub(count);
            let Some(index) = pick(count, &mut chance) else { break };
            let Some(there) = images(other.as_mut()).get(&image_of(mapping, one.as_mut(), index)).copied() else {
                return false;
            };
            one.play(index);
            other.play(there);
        }
    }
    true
}

const SEED: u64 = 0x5e11;

type Ply = Option<(MoveId, Vec<Value>)>;

fn image_of(mapping: &Mapping, player: &mut dyn Play, index: usize) -> Ply {
    let (mv, parts) = player.ply(index)?;
    Some((mv, parts.iter().map(|part| mapping.value(part)).collect()))
}

fn images(player: &mut dyn Play) -> HashMap<Ply, usize> {
    (0..player.count()).map(|index| (player.ply(index), index)).collect()
}

/// Whether two positions are the same but for the mapping, as far as can be seen.
fn alike(mapping: &Mapping, one: &mut dyn Play, other: &mut dyn Play) -> bool {
    let players = one.players();
    let image = |player: usize| if mapping.swaps() && player < 2 { 1 - player } else { player };
    if image(one.mover()) != other.mover() || one.count() != other.count() || one.chance() != other.chance() {
        return false;
    }
    let (scores, there) = (one.scores(), other.scores());
    if (0..players).any(|player| scores.get(player) != there.get(image(player))) {
        return false;
    }
    if (0..players).any(|player| image(one.seat(player)) != other.seat(image(player))) {
        return false;
    }
    match (one.over(), other.over()) {
        (None, None) => {}
        (Some(over), Some(there)) => {
            return (0..players).all(|player| over.places.get(player) == there.places.get(image(player)));
        }
        (Some(_), None) | (None, Some(_)) => return false,
    }
    let legal = images(other);
    (0..one.count()).all(|index| legal.contains_key(&image_of(mapping, one, index)))
}
