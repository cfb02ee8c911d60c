//! What a game is worth when everybody plays as well as can be, with proof.
//!
//! With two seats there are two ways. A table of all positions that can come up is the answer to everything, also where
//! positions return, but it must fit: it is tried first with few positions. Proof-number search looks at a small part of
//! what can come up, and cannot value play that goes round in circles. With more seats every seat takes what is best for
//! itself, and of equal plies the first; then the search goes to the end of the game at once. So it does where chance plays a
//! part: what is found then is the result that each seat may expect.

mod each;
mod graph;
mod images;
mod past;
mod proof;
mod room;
mod table;

use super::world::World;
use crate::game::Line;
use crate::study::halt::Halt;
use graph::{Graph, Worth};
use images::Images;
use past::Past;
use std::fmt;
use table::Table;

pub use table::Counts;

/// Longer games are not solved.
const MAX_DEPTH: usize = 1_000;

/// With so many positions at most a table is made before anything else is tried.
const FEW: u64 = 100_000;

/// What is kept in memory unless it is said: a GiB.
pub const MEMORY: usize = 1 << 30;

/// How a result was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// A table of all positions, from the ends of games back.
    Table,
    /// Proof-number search.
    Proof,
    /// All ways to go on to the end, with more seats than two or with chance.
    Search,
}

impl Way {
    /// What it is called in answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Proof => "proof",
            Self::Search => "search",
        }
    }
}

/// Why something is not solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// More positions would have to be looked at.
    Positions,
    /// More memory would be needed.
    Memory,
    /// It was stopped.
    Time,
    /// Games are too long.
    Depth,
    /// Positions return, and this way cannot value them.
    Circles,
    /// A ply took more steps than it may.
    Steps,
    /// The past decides about more than draws, as is told.
    Past(&'static str),
    /// Turns are counted, and the count may end the game as a draw before it is won.
    Count,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Positions => write!(f, "more positions would have to be looked at; `--nodes` allows them"),
            Self::Memory => write!(f, "more memory is needed; `--memory` allows it"),
            Self::Time => write!(f, "stopped before it was solved"),
            Self::Depth => write!(f, "games go on for more than {MAX_DEPTH} plies"),
            Self::Circles => write!(f, "positions return, which this way cannot value"),
            Self::Steps => write!(f, "working out a ply takes too many steps; `--steps` allows more"),
            Self::Past(why) => write!(f, "there is no table of positions, since {why}"),
            Self::Count => write!(f, "turns that are counted may end the game as a draw before it is won"),
        }
    }
}

/// What is known about the worth of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The result of each seat: 1 for the first place alone, 0 for the last. None if it could not be found.
    pub values: Option<Vec<f32>>,
    /// With two seats: between what the result of the first one lies, as far as is known.
    pub bounds: Option<(f32, f32)>,
    /// Play that keeps to the value, where it is known.
    pub moves: Vec<String>,
    /// Positions looked at.
    pub nodes: u64,
    /// How it was found, or tried last.
    pub way: Way,
    /// From a table: how many plies it takes to win when both sides play as well as can be.
    pub distance: Option<u32>,
    /// From a table: what all positions are worth that can come up.
    pub counts: Option<Counts>,
    /// From a table: a draw that no good play ends, but for positions that come back too often if the rules count them.
    pub endless: bool,
    /// The most bytes that were kept of positions.
    pub bytes: u64,
    /// Why there is no result.
    pub missing: Option<Missing>,
}

impl Solution {
    /// One that tells no result yet.
    fn by(way: Way, nodes: u64, bytes: usize) -> Self {
        Self {
            values: None,
            bounds: None,
            moves: Vec::new(),
            nodes,
            way,
            distance: None,
            counts: None,
            endless: false,
            bytes: bytes as u64,
            missing: None,
        }
    }
}

/// How much may be used, and which way is gone.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// So many positions are looked at.
    pub nodes: u64,
    /// What is kept of positions takes so many bytes.
    pub bytes: usize,
    /// The way, with two seats and no chance; whichever serves where none is said.
    pub way: Option<Way>,
}

struct Solver<'g> {
    world: World<'g>,
    /// In proofs: turned and mirrored positions that are one.
    images: Option<Images>,
    /// The positions on the way to the present one.
    path: Vec<u64>,
    nodes: u64,
    most: u64,
    bytes: usize,
    halt: Halt<'g>,
    missing: Option<Missing>,
}

/// Solves the position of a line, looking at no more positions than these; `progress` is told how many there were.
pub fn solve(line: &Line, most: u64, progress: &mut dyn FnMut(u64)) -> Solution {
    solve_with(line, Settings { nodes: most, bytes: MEMORY, way: None }, Halt::never(), progress)
}

/// The same with more to say about it, until it is halted: what is known then is told.
pub fn solve_with(line: &Line, settings: Settings, halt: Halt<'_>, progress: &mut dyn FnMut(u64)) -> Solution {
    let (world, _) = World::at(line);
    let seats = world.seats;
    let Settings { nodes: most, bytes, way } = settings;
    let mut solver = Solver { world, images: None, path: Vec::new(), nodes: 0, most, bytes, halt, missing: None };
    if seats != 2 || line.game().rules().has_chance() {
        return solver.expected(line);
    }
    solver.images = Past::images_in_proofs(line.position(), &*solver.world.player);
    match way {
        Some(Way::Proof) => solver.proof(line, most, bytes, progress),
        Some(Way::Table) => solver.table(line, progress),
        Some(Way::Search) | None => solver.whichever(line, progress),
    }
}

impl Solver<'_> {
    /// No more positions are to be looked at.
    fn is_over(&self) -> bool {
        self.nodes >= self.most || self.halt.is_set()
    }

    fn out_of(&self) -> Missing {
        if self.halt.is_set() { Missing::Time } else { Missing::Positions }
    }

    /// What tells a position apart: where earlier ones decide, they do too.
    fn key(&self) -> u64 {
        if let Some(images) = &self.images {
            return images.key(&*self.world.player);
        }
        let hash = self.world.player.hash();
        if !self.world.player.looks_back() {
            return hash;
        }
        self.path
            .iter()
            .fold(hash.rotate_left(7), |sum, seen| sum.wrapping_add(seen.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    fn proof(&mut self, line: &Line, nodes: u64, bytes: usize, progress: &mut dyn FnMut(u64)) -> Solution {
        self.most = self.nodes.saturating_add(nodes);
        proof::Search::within(self, bytes).solution(line, progress)
    }

    /// A small table, then a proof; where positions return a short one, then a large table, and then a longer proof.
    fn whichever(&mut self, line: &Line, progress: &mut dyn FnMut(u64)) -> Solution {
        let (most, bytes) = (self.most, self.bytes);
        let past = Past::before(line);
        let (Ok(past), Some(_)) = (past, line.game().fast()) else {
            return self.proof(line, most, bytes, progress);
        };
        let mut graph = Graph::new(&mut self.world, line.position(), &past);
        let small = self.grow(&mut graph, FEW.min(most / 4), bytes / 4, progress);
        if small.is_ok() {
            return self.told(line, graph, &past, progress);
        }
        let hopeless = matches!(small, Err(Missing::Steps | Missing::Depth | Missing::Time));
        self.nodes = graph.positions();
        let left = most.saturating_sub(self.nodes);
        // What is mirrored is one position of a table, and many of a proof where a part of the past is left out.
        let many = graph.images() > 1 && self.images.is_none();
        let returns = graph.circles || many;
        let share = if returns && !hopeless { left / 16 } else { left };
        let proof = self.proof(line, share, bytes.saturating_sub(graph.bytes()), progress);
        // Where nothing returns a table is no smaller than what the proof has looked at.
        let tried = returns || proof.missing == Some(Missing::Circles);
        if proof.values.is_some() || hopeless || !tried || proof.missing == Some(Missing::Time) {
            return proof;
        }
        self.nodes = proof.nodes.saturating_sub(graph.positions());
        let large = self.grow(&mut graph, most.saturating_sub(self.nodes) / 2, bytes, progress);
        let Err(missing) = large else {
            self.most = most;
            return self.told(line, graph, &past, progress);
        };
        self.nodes += graph.positions();
        let most_bytes = graph.bytes() as u64;
        drop(graph);
        if proof.missing == Some(Missing::Circles) || missing == Missing::Time {
            let found = Solution::by(Way::Table, self.nodes, 0);
            return Solution { bounds: proof.bounds, missing: Some(missing), bytes: most_bytes, ..found };
        }
        let last = self.proof(line, most.saturating_sub(self.nodes), bytes, progress);
        Solution { bytes: last.bytes.max(most_bytes), ..last }
    }

    /// A table, or nothing.
    fn table(&mut self, line: &Line, progress: &mut dyn FnMut(u64)) -> Solution {
        let nothing = Solution { bounds: Some((0.0, 1.0)), ..Solution::by(Way::Table, 0, 0) };
        match Past::before(line) {
            Ok(past) => self.table_without(line, &past, progress),
            Err(why) => Solution { missing: Some(Missing::Past(why)), ..nothing },
        }
    }

    fn table_without(&mut self, line: &Line, past: &Past, progress: &mut dyn FnMut(u64)) -> Solution {
        let mut graph = Graph::new(&mut self.world, line.position(), past);
        match self.grow(&mut graph, self.most.saturating_sub(self.nodes), self.bytes, progress) {
            Ok(()) => self.told(line, graph, past, progress),
            Err(missing) => {
                let found = Solution::by(Way::Table, self.nodes + graph.positions(), graph.bytes());
                Solution { bounds: Some((0.0, 1.0)), missing: Some(missing), ..found }
            }
        }
    }

    fn grow(
        &mut self,
        graph: &mut Graph<'_>,
        most: u64,
        bytes: usize,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), Missing> {
        let (before, halt) = (self.nodes, self.halt);
        let mut halted = |positions: u64| {
            progress(before + positions);
            halt.is_set()
        };
        graph.grow(&mut self.world, most, bytes, &mut halted)
    }

    /// What the table of a whole graph says.
    fn told(&mut self, line: &Line, graph: Graph<'_>, past: &Past, progress: &mut dyn FnMut(u64)) -> Solution {
        let nodes = self.nodes + graph.positions();
        let table = Table::of(graph);
        let (worth, distance) = table.worth();
        let first = match worth {
            Worth::Won(0) => 1.0,
            Worth::Won(_) => 0.0,
            Worth::Drawn | Worth::Open => 0.5,
        };
        let found = Solution::by(Way::Table, nodes, table.bytes());
        if first != 0.5 && distance.is_some_and(|plies| !past.allows(line.position(), plies)) {
            // The count belongs to the position then, if it can.
            if let Some(past) = past.counting() {
                drop(table);
                self.nodes = nodes;
                return self.table_without(line, &past, progress);
            }
            let bounds = if first > 0.5 { (0.5, 1.0) } else { (0.0, 0.5) };
            return Solution { bounds: Some(bounds), missing: Some(Missing::Count), ..found };
        }
        Solution {
            values: Some(vec![first, 1.0 - first]),
            bounds: Some((first, first)),
            moves: table.play(&mut self.world, line),
            distance: distance.filter(|_| first != 0.5),
            counts: Some(table.counts()),
            endless: distance.is_none(),
            ..found
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::library::Library;

    fn solved(name: &str, options: &[(&str, &str)], moves: &[&str]) -> Solution {
        let options: Vec<(String, String)> =
            options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let game = Game::from_text(name, Library::text(name).unwrap(), None, &options, &Library).unwrap();
        let line = Line::replayed(&game, moves).unwrap();
        let solution = solve(&line, 2_000_000, &mut |_| {});
        // Best play leads where the value says.
        if let Some(values) = &solution.values {
            let mut line = line.clone();
            solution.moves.iter().for_each(|mv| assert!(line.play_text(mv).is_ok()));
            let places = line.position().outcome_by_seat().unwrap();
            let first = if places[0] < places[1] {
                1.0
            } else if places[0] > places[1] {
                0.0
            } else {
                0.5
            };
            assert_eq!(values[0], first, "{name}: {:?}", solution.moves);
        }
        solution
    }

    #[test]
    fn small_games_have_the_values_that_are_known() {
        assert_eq!(solved("tic_tac_toe", &[], &[]).values, Some(vec![0.5, 0.5]));
        // By strategy stealing the first player wins at Hex.
        assert_eq!(solved("hex", &[("size", "3")], &[]).values, Some(vec![1.0, 0.0]));
        // A corner answered in the middle; after a mistake X wins.
        assert_eq!(solved("tic_tac_toe", &[], &["a1", "b2"]).values, Some(vec![0.5, 0.5]));
        assert_eq!(solved("tic_tac_toe", &[], &["a1", "a2"]).values, Some(vec![1.0, 0.0]));
    }
}
