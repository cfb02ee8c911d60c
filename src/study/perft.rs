//! Counts the sequences of moves, or of whole turns, that a position allows.

use crate::engine::{Engine, Play, Stopped};
use crate::game::{Game, Position};
use crate::study::halt::Halt;
use std::collections::HashSet;

/// What one root move or turn leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The move in notation.
    pub text: String,
    /// Sequences of the full length that begin with it.
    pub nodes: u64,
}

/// The counts of every depth, and how the last one divides among the first moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many sequences there are of each length, from the shortest.
    pub nodes: Vec<u64>,
    /// The same for the greatest length, move by move.
    pub branches: Vec<Branch>,
    /// A ply took more steps than it may, so that what it leads to is not counted.
    pub stopped: Option<Stopped>,
}

/// Counts from the start of a game up to a depth; `progress` is told of done and all root branches. Whole turns are
/// counted by the reference, as are games that cannot be lowered: the engine that counted comes with the counts.
pub fn perft_from_start(
    game: &Game,
    depth: usize,
    turns: bool,
    engine: Engine,
    progress: &mut dyn FnMut(u64, u64),
) -> (Counts, Engine) {
    perft_until(game, depth, turns, engine, Halt::never(), progress)
}

/// The same until it is halted: then the counts are of what was counted by then.
pub fn perft_until(
    game: &Game,
    depth: usize,
    turns: bool,
    engine: Engine,
    halt: Halt<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> (Counts, Engine) {
    match game.runner(engine) {
        Engine::Fast if !turns => {
            (perft_fast(game, game.player(Engine::Fast).as_mut(), depth, halt, progress), Engine::Fast)
        }
        _ => (perft_of(&game.start(), depth, turns, halt, progress), Engine::Reference),
    }
}

/// Counts plies on the fast engine.
fn perft_fast(
    game: &Game,
    player: &mut dyn Play,
    depth: usize,
    halt: Halt<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> Counts {
    let total = player.count();
    let mut counts = Counts { nodes: vec![0; depth], ..Counts::default() };
    if let Some(first) = counts.nodes.first_mut() {
        *first = total as u64;
    }
    counts.stopped = player.stopped();
    // Moves print as the reference prints them, in its order.
    let start = game.start();
    let places = start.places_of_plies();
    let place = |ply: Option<_>| ply.and_then(|ply| places.get(&ply).copied()).unwrap_or(usize::MAX);
    let mut order: Vec<(usize, usize)> = (0..total).map(|index| (place(player.ply(index)), index)).collect();
    order.sort_unstable();
    for (done, (place, index)) in order.into_iter().enumerate() {
        if depth > 1 {
            player.reset();
            player.play(index);
        }
        let mut nodes = 1;
        for (level, sum) in counts.nodes.iter_mut().enumerate().skip(1) {
            nodes = below(player, level, halt);
            *sum += nodes;
        }
        counts.branches.push(Branch { text: start.move_text(place).unwrap_or_default(), nodes });
        progress(done as u64 + 1, total as u64);
        counts.stopped = counts.stopped.or(player.stopped());
        if counts.stopped.is_some() || halt.is_set() {
            break;
        }
    }
    counts
}

/// So many levels are counted without asking whether to go on.
const AT_ONCE: usize = 3;

/// The sequences of so many plies from where a player stands; too few where it is halted.
fn below(player: &mut dyn Play, level: usize, halt: Halt<'_>) -> u64 {
    if level <= AT_ONCE {
        return player.perft(u32::try_from(level).unwrap_or(0));
    }
    let mut nodes = 0;
    for index in 0..player.count() {
        if halt.is_set() {
            break;
        }
        player.push();
        player.play(index);
        nodes += below(player, level - 1, halt);
        player.pop();
    }
    nodes
}

/// Counts up to a depth on the reference; `progress` is told of done and all root branches.
pub fn perft(start: &Position, depth: usize, turns: bool, progress: &mut dyn FnMut(u64, u64)) -> Counts {
    perft_of(start, depth, turns, Halt::never(), progress)
}

/// The same until it is halted.
pub fn perft_of(
    start: &Position,
    depth: usize,
    turns: bool,
    halt: Halt<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> Counts {
    if depth == 0 {
        return Counts::default();
    }
    let mut counts = Counts { nodes: vec![0; depth], ..Counts::default() };
    let root = if turns { turn_branches(start, halt) } else { ply_branches(start) };
    let total = root.len() as u64;
    if let Some(first) = counts.nodes.first_mut() {
        *first = total;
    }
    let mut stopped = start.stopped().copied();
    for (done, (text, position)) in root.into_iter().enumerate() {
        if stopped.is_some() || halt.is_set() {
            break;
        }
        let position = position.or_else(|| (!turns && depth > 1).then(|| start.play_index(done)).flatten());
        let below = match position {
            Some(position) if depth > 1 => count(position, depth - 1, turns, halt, &mut stopped),
            _ => Vec::new(),
        };
        for (sum, nodes) in counts.nodes.iter_mut().skip(1).zip(&below) {
            *sum += nodes;
        }
        let nodes = if depth == 1 { 1 } else { below.last().copied().unwrap_or(0) };
        counts.branches.push(Branch { text, nodes });
        progress(done as u64 + 1, total);
    }
    counts.stopped = stopped;
    counts
}

/// Each move; the position after it is worked out when it is wanted.
fn ply_branches(start: &Position) -> Vec<(String, Option<Position>)> {
    start.moves().into_iter().map(|text| (text, None)).collect()
}

fn turn_branches(start: &Position, halt: Halt<'_>) -> Vec<(String, Option<Position>)> {
    turn_ends(start, true, halt).into_iter().map(|(text, position)| (text, Some(position))).collect()
}

/// The counts of each depth below a position. The stack is explicit since depths may be large.
fn count(start: Position, depth: usize, turns: bool, halt: Halt<'_>, stopped: &mut Option<Stopped>) -> Vec<u64> {
    let mut nodes = vec![0; depth];
    let mut stack = vec![(start, 0)];
    while let Some((position, level)) = stack.pop() {
        *stopped = stopped.or(position.stopped().copied());
        if stopped.is_some() || halt.is_set() {
            break;
        }
        let last = level + 1 == depth;
        let ways = if turns {
            let ends = turn_ends(&position, false, halt);
            let ways = ends.len();
            if !last {
                stack.extend(ends.into_iter().map(|(_, end)| (end, level + 1)));
            }
            ways
        } else {
            let ways = position.move_count();
            if !last {
                stack.extend((0..ways).filter_map(|index| position.play_index(index)).map(|after| (after, level + 1)));
            }
            ways
        };
        if let Some(sum) = nodes.get_mut(level) {
            *sum += ways as u64;
        }
    }
    nodes
}

/// The different positions in which a turn from here can end, each with the first moves that lead to it; some of them where
/// it is halted.
fn turn_ends(start: &Position, named: bool, halt: Halt<'_>) -> Vec<(String, Position)> {
    let turn = start.turn();
    let mut seen = HashSet::new();
    let mut ends = Vec::new();
    let mut stack = vec![(String::new(), start.clone())];
    while let Some((text, position)) = stack.pop() {
        let mut children = Vec::new();
        for index in 0..position.move_count() {
            if halt.is_set() {
                return ends;
            }
            let Some(after) = position.play_index(index) else { continue };
            let text = if named { extended(&text, &position, index) } else { String::new() };
            if after.turn() == turn && !after.is_over() {
                children.push((text, after));
            } else if seen.insert(after.hash()) {
                ends.push((text, after));
            }
        }
        stack.extend(children.into_iter().rev());
    }
    ends
}

fn extended(text: &str, position: &Position, index: usize) -> String {
    let mv = position.move_text(index).unwrap_or_default();
    if text.is_empty() { mv } else { format!("{text}, {mv}") }
}
