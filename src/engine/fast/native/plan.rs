//! What the writer of machine code knows of a game: tables of positions, and how sets are shifted.

use super::addresses::Addresses;
use crate::board::Direction;
use crate::engine::fast::eval::Core;
use crate::engine::fast::geometry::Move;
use crate::engine::fast::lots::Urn;
use crate::engine::fast::set::Set;
use crate::program::Program;
use crate::program::ir::NONE;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How all members of a set make a step in one direction.
#[derive(Debug)]
pub enum Step {
    None,
    /// The sources of each shift, and by how much they move.
    By(Vec<(Vec<u64>, i32)>),
    Table,
}

/// Tables of positions near each other, by direction and steps.
type Windows = HashMap<(usize, usize), Arc<[u64]>>;

/// Tables that machine code reads; they stay where they are as long as the code does. Those by position have one row more
/// than there are positions, for what is none.
#[derive(Debug)]
pub struct Plan {
    pub program: Arc<Program>,
    pub addresses: Addresses,
    /// What plies of random games are drawn from.
    pub urn: Arc<Urn>,
    pub words: usize,
    /// How many positions the words can hold.
    pub bits: usize,
    /// One more than that.
    pub rows: usize,
    pub all: Vec<u64>,
    /// How many of the positions are sites.
    pub sites: i64,
    pub steps: Vec<Step>,
    pub spreads: Option<Vec<(Vec<u64>, i32)>>,
    /// Whether positions ascend in a direction, or descend, where it is one of the two.
    pub ascending: [Option<bool>; 16],
    /// 1 for directions in which positions ascend.
    pub up: Vec<i64>,
    /// The most steps in each direction.
    pub longest: [usize; 16],
    pub singles: Vec<u64>,
    pub near: Vec<u64>,
    /// By direction and position.
    pub next: Vec<i16>,
    pub previous: Vec<i16>,
    /// Where steps lead, by direction, number of steps and position, up to one step more than any line has; none where lines
    /// run in circles.
    pub walks: Option<Vec<i16>>,
    /// Lines run in no circles, no two steps in one direction lead to the same site, and positions neither ascend nor descend
    /// along some lines: from one site it is quickest to go back step by step.
    pub walks_back: bool,
    pub rays: Vec<u64>,
    /// By two positions.
    pub aims: Vec<i16>,
    pub distances: Vec<i16>,
    /// By plane.
    pub owner_of: Vec<i64>,
    pub kind_of: Vec<i64>,
    /// The plane of the pieces of each kind and owner, of whom there are so many, or none.
    pub pieces: Vec<i64>,
    pub owners: usize,
    pub planes_of_owner: Vec<u64>,
    pub planes_of_kind: Vec<u64>,
    pub every_plane: u64,
    /// By position and plane, for games that look back.
    pub zobrist: Option<Vec<u64>>,
    pub turn_cells: Vec<u16>,
    pub turn_sets: Vec<u16>,
    windows: Mutex<Windows>,
}

/// Where steps lead, by direction, number of steps and position.
fn walks(next: &[i16], rows: usize, longest: &[usize; 16]) -> Option<Vec<i16>> {
    let most = longest.iter().copied().max().unwrap_or(0);
    let mut walks = Vec::with_capacity(16 * (most + 2) * rows);
    for next in next.chunks_exact(rows) {
        let mut at: Vec<i16> = (0..rows).map(|from| if from + 1 < rows { from as i16 } else { -1 }).collect();
        for _ in 0..most + 2 {
            walks.extend_from_slice(&at);
            at.iter_mut().for_each(|at| *at = usize::try_from(*at).map_or(-1, |at| next[at]));
        }
        // Whoever is still on the board goes round and round.
        if walks[walks.len() - rows..].iter().any(|at| *at >= 0) {
            return None;
        }
    }
    Some(walks)
}

/// The plane of the pieces of each kind and owner. Plane 0 stands for a piece that no rule can make.
fn pieces(program: &Program, owners: usize) -> Vec<i64> {
    let plane = |row: &[u8], owner: usize| row.get(owner).copied().filter(|plane| *plane > 0).map_or(NONE, i64::from);
    program.plane_of.iter().flat_map(|row| (0..owners).map(move |owner| plane(row, owner))).collect()
}

impl Plan {
    pub fn of<const W: usize>(core: &Core<W>, checked: bool) -> Self {
        let geometry = &core.geometry;
        let (bits, rows) = (64 * W, 64 * W + 1);
        let words = |set: Set<W>| set.0.to_vec();
        let steps = geometry.moves.iter().map(|step| match *step {
            Move::None => Step::None,
            Move::By { sources, by } => Step::By(vec![(words(sources), by)]),
            Move::Around { sources, by, wrapping, wrap_by } => {
                Step::By(vec![(words(sources), by), (words(wrapping), wrap_by)])
            }
            Move::Table => Step::Table,
        });
        let spreads = geometry.spreads.as_ref().map(|(up, down)| {
            let up = up.iter().map(|spread| (words(spread.sources), spread.by as i32));
            up.chain(down.iter().map(|spread| (words(spread.sources), -(spread.by as i32)))).collect()
        });
        let directions = || (0..16).filter_map(Direction::from_index);
        let number = |found: Option<usize>| found.map_or(-1, |found| found as i16);
        let by_direction = |entry: &dyn Fn(usize, Direction) -> i16| -> Vec<i16> {
            directions().flat_map(|way| (0..rows).map(move |at| (at, way))).map(|(at, way)| entry(at, way)).collect()
        };
        let ray = |at: usize, way: Direction| {
            let known = at < geometry.positions && geometry.all.contains(at);
            let ray = geometry.rays.get(way.index() * geometry.positions + at).filter(|_| known);
            ray.copied().unwrap_or(Set::EMPTY)
        };
        let by_pair = |entry: &dyn Fn(usize, usize) -> i16| -> Vec<i16> {
            (0..rows).flat_map(|a| (0..rows).map(move |b| (a, b))).map(|(a, b)| entry(a, b)).collect()
        };
        let next = by_direction(&|at, way| number(geometry.step(at, way)));
        let previous = by_direction(&|at, way| number(geometry.step_back(at, way)));
        let leads_back = |(at, next): (usize, &i16)| {
            let (from, way) = (at % rows, at / rows);
            let back = |to: usize| previous.get(way * rows + to).and_then(|back| usize::try_from(*back).ok());
            usize::try_from(*next).map_or(true, |to| back(to) == Some(from))
        };
        let one_way_back = next.iter().enumerate().all(leads_back);
        let mut longest = [0; 16];
        for way in directions() {
            longest[way.index()] = (0..rows).map(|at| ray(at, way).len()).max().unwrap_or(0);
        }
        let walks = walks(&next, rows, &longest);
        let owners = core.program.plane_of.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let bent = (0..16).any(|way| longest[way] > 0 && geometry.ascending[way].is_none());
        Self {
            program: Arc::clone(&core.program),
            addresses: Addresses::of::<W>(checked),
            urn: Arc::clone(&core.urn),
            words: W,
            bits,
            rows,
            all: words(geometry.all),
            sites: geometry.all.len() as i64,
            steps: steps.collect(),
            spreads,
            ascending: geometry.ascending,
            up: geometry.ascending.iter().map(|up| i64::from(*up == Some(true))).collect(),
            longest,
            singles: (0..rows).flat_map(|at| Set::<W>::single(at).0).collect(),
            near: (0..rows).flat_map(|at| geometry.neighbours.get(at).copied().unwrap_or(Set::EMPTY).0).collect(),
            walks_back: one_way_back && bent && walks.is_some(),
            walks,
            next,
            previous,
            rays: directions()
                .flat_map(|way| (0..rows).map(move |at| (at, way)))
                .flat_map(|(at, way)| ray(at, way).0)
                .collect(),
            aims: by_pair(&|a, b| {
                let known = a < geometry.positions;
                number(geometry.aim(a, b).filter(|_| known).map(|way| way.index()))
            }),
            distances: by_pair(&|a, b| {
                let known = a < geometry.positions;
                number(geometry.distance(a, b).filter(|_| known).map(|steps| steps as usize))
            }),
            owner_of: core.owner_of.clone(),
            kind_of: core.kind_of.clone(),
            pieces: pieces(&core.program, owners),
            owners,
            planes_of_owner: core.planes_of_owner.clone(),
            planes_of_kind: core.planes_of_kind.clone(),
            every_plane: core.every_plane,
            zobrist: core.zobrist.as_ref().map(|zobrist| {
                (0..bits)
                    .flat_map(|at| (0..zobrist.planes).map(move |plane| (at, plane)))
                    .map(|(at, plane)| zobrist.keys.get(at * zobrist.planes + plane).copied().unwrap_or(0))
                    .collect()
            }),
            turn_cells: core.turn_cells.clone(),
            turn_sets: core.turn_sets.clone(),
            windows: Mutex::default(),
        }
    }

    /// Where so many steps in a direction lead, by position; none where lines run in circles.
    pub fn walk(&self, direction: usize, steps: usize) -> Option<&[i16]> {
        let walks = self.walks.as_ref()?;
        // As many steps lead to no site from anywhere.
        let most = walks.len() / (16 * self.rows) - 1;
        let row = direction * (most + 1) + steps.min(most);
        walks.get(row * self.rows..(row + 1) * self.rows)
    }

    /// Positions at most so many steps away in a direction or back, the middle included: a run as long as one step more
    /// within them passes the middle.
    pub fn window(&self, direction: usize, steps: usize) -> Arc<[u64]> {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let window = windows.entry((direction, steps)).or_insert_with(|| {
            let mut rows = vec![0u64; self.rows * self.words];
            for at in 0..self.bits {
                let row = &mut rows[at * self.words..][..self.words];
                if self.all[at / 64] >> (at % 64) & 1 == 0 {
                    continue;
                }
                row[at / 64] |= 1 << (at % 64);
                for table in [&self.next, &self.previous] {
                    let mut here = at;
                    for _ in 0..steps {
                        let Ok(there) = usize::try_from(table[direction * self.rows + here]) else { break };
                        row[there / 64] |= 1 << (there % 64);
                        here = there;
                    }
                }
            }
            rows.into()
        });
        Arc::clone(window)
    }
}
