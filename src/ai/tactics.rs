//! A look at the next two plies before any search: what wins at once is played, and what loses at once is not, as long as
//! there is anything else (F. Teytaud and O. Teytaud, *On the huge benefit of decisive moves in Monte-Carlo tree search*,
//! 2010).

use super::world::World;

/// No more plies are played for such a look; what is not looked at counts as harmless.
const MOST: usize = 50_000;

/// What a look at the next two plies has shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tactics {
    /// This ply wins.
    Wins(usize),
    /// Every ply loses; the answer that wins is hardest to find after this one.
    Lost(usize),
    /// Only these plies do not lose at once: all of them, where there is no danger.
    Among(Vec<usize>),
}

/// Own plies are looked at for so many times as long as the answers, if it must be.
const OWN: f64 = 2.0;

/// Looks at the marked position of a world, in which a player decides, until it is late: `is_late` is asked for a number of
/// times as long as such a look may take.
pub fn look(world: &mut World<'_>, is_late: &dyn Fn(f64) -> bool) -> Tactics {
    world.player.reset();
    let (seat, count) = (world.seat(), world.player.count());
    let mut open = Vec::with_capacity(count);
    let mut lost = Vec::new();
    let mut answers = Vec::new();
    for index in 0..count {
        if is_late(OWN) {
            open.extend(index..count);
            break;
        }
        world.player.reset();
        world.player.play(index);
        match world.values().and_then(|values| values.get(seat).copied()) {
            Some(value) if value >= 1.0 => {
                world.player.reset();
                return Tactics::Wins(index);
            }
            Some(value) if value <= 0.0 => lost.push((usize::MAX, index)),
            Some(_) => open.push(index),
            None => answers.push(index),
        }
    }
    let mut played = count;
    for index in answers {
        world.player.reset();
        world.player.play(index);
        // What there is no time for counts as harmless.
        match if is_late(1.0) { 0 } else { refutations(world, seat, &mut played) } {
            0 => open.push(index),
            refutations => lost.push((refutations, index)),
        }
    }
    world.player.reset();
    open.sort_unstable();
    // The fewer answers win the better; to lose by an own ply is worst.
    match lost.iter().min() {
        Some((_, index)) if open.is_empty() => Tactics::Lost(*index),
        _ => Tactics::Among(open),
    }
}

/// How many plies of somebody else lose the game for a seat at once.
fn refutations(world: &mut World<'_>, seat: usize, played: &mut usize) -> usize {
    let count = world.player.count();
    if *played + count > MOST || world.player.chance() || world.seat() == seat {
        return 0;
    }
    *played += count;
    let mut refutations = 0;
    for index in 0..count {
        world.player.push();
        world.player.play(index);
        let value = world.values().and_then(|values| values.get(seat).copied());
        refutations += usize::from(value.is_some_and(|value| value <= 0.0));
        world.player.pop();
    }
    refutations
}
