//! What the writer of machine code knows of a game: tables of positions, and how sets are shifted.

use super::addresses::Addresses;
use crate::board::Direction;
use crate::engine::fast::eval::Core;
use crate::engine::fast::geometry::Move;
use crate::engine::fast::set::Set;
use crate::engine::fast::urn::Urn;
use crate::program::Program;
use crate::program::ir::NONE;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// How all members of a set make a step in one direction.
#[derive(Debug)]
pub enum Step {
    None,
    /// The sources of each shift, and by how much they move.
    By(Vec<(Vec<u64>, i32)>),
    Table,
}

/// So many shifts of a word take as long as to look up where few members of a set lead.
const MOST_SHIFTS: usize = 12;

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
    /// Whether positions ascend in a direction, or descend, where it is one of the two, but for one step at most of each line,
    /// which leads round the words.
    pub ascending: [Option<bool>; 16],
    /// 1 for directions in which positions ascend.
    pub up: Vec<i64>,
    /// By direction and position, what is met before such a step; none where there is none.
    pub before_turn: Option<Vec<u64>>,
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
    /// Tables that were made while code was written.
    tables: Mutex<Vec<Arc<[u16]>>>,
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

/// How positions follow each other on the lines of each direction.
struct Lines {
    /// Whether they ascend, or descend, where they do but for one step at most of each line.
    ascending: [Option<bool>; 16],
    /// What is met before that step, by direction and position.
    before_turn: Vec<u64>,
}

impl Lines {
    fn of(next: &[i16], rows: usize, longest: &[usize; 16]) -> Self {
        let words = rows / 64;
        let (mut ascending, mut before_turn) = ([None; 16], vec![0; 16 * rows * words]);
        for (way, next) in next.chunks_exact(rows).enumerate() {
            let line = |from: usize| {
                let mut at = from;
                let step = move || {
                    at = next.get(at).and_then(|next| usize::try_from(*next).ok())?;
                    Some(at)
                };
                std::iter::from_fn(step).take(longest[way])
            };
            let turns = |up: bool| {
                (0..rows).map(move |from| {
                    let before = std::iter::once(from).chain(line(from));
                    before.zip(line(from)).filter(|(at, next)| (next > at) != up).count()
                })
            };
            let fits = |up: &bool| longest[way] > 0 && turns(*up).all(|turns| turns <= 1);
            let Some(up) = [true, false].into_iter().find(fits) else { continue };
            ascending[way] = Some(up);
            for from in 0..rows {
                let mut at = from;
                for met in line(from).take_while(|met| {
                    let goes_on = (*met > at) == up;
                    at = *met;
                    goes_on
                }) {
                    before_turn[(way * rows + from) * words + met / 64] |= 1 << (met % 64);
                }
            }
        }
        Self { ascending, before_turn }
    }
}

/// Steps from one position to another as shifts, each with its sources; none where there would be so many that it is quicker to
/// go through the members of a set.
fn shifts(steps: impl Iterator<Item = (usize, usize)>, words: usize) -> Option<Vec<(Vec<u64>, i32)>> {
    let mut shifts: BTreeMap<i32, Vec<u64>> = BTreeMap::new();
    for (from, to) in steps {
        let by = i32::try_from(to).ok()? - i32::try_from(from).ok()?;
        let sources = shifts.entry(by).or_insert_with(|| vec![0; words]);
        *sources.get_mut(from / 64)? |= 1 << (from % 64);
    }
    (shifts.len() * words <= MOST_SHIFTS).then(|| shifts.into_iter().map(|(by, sources)| (sources, by)).collect())
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
        let steps = geometry.moves.iter().zip(next.chunks_exact(rows)).map(|(step, next)| match *step {
            Move::None => Step::None,
            Move::By { sources, by } => Step::By(vec![(words(sources), by)]),
            Move::Around { sources, by, wrapping, wrap_by } => {
                Step::By(vec![(words(sources), by), (words(wrapping), wrap_by)])
            }
            Move::Table => {
                let all = next.iter().enumerate().filter_map(|(at, next)| Some((at, usize::try_from(*next).ok()?)));
                shifts(all, W).map_or(Step::Table, Step::By)
            }
        });
        let spreads = geometry.spreads.as_ref().map(|(up, down)| {
            let up = up.iter().map(|spread| (words(spread.sources), spread.by as i32));
            up.chain(down.iter().map(|spread| (words(spread.sources), -(spread.by as i32)))).collect()
        });
        let all_near = || {
            let near = |(at, near): (usize, &Set<W>)| near.iter().map(move |next| (at, next)).collect::<Vec<_>>();
            geometry.neighbours.iter().enumerate().flat_map(near)
        };
        let spreads = spreads.or_else(|| shifts(all_near(), W));
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
        let lines = Lines::of(&next, rows, &longest);
        let ascending = std::array::from_fn(|way| {
            let known = geometry.ascending.get(way).copied().flatten();
            known.or_else(|| lines.ascending[way].filter(|_| walks.is_some()))
        });
        let turns = bent && (0..16).all(|way| longest[way] == 0 || ascending[way].is_some());
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
            ascending: if turns { ascending } else { geometry.ascending },
            up: ascending.iter().map(|up| i64::from(*up == Some(true))).collect(),
            before_turn: turns.then_some(lines.before_turn),
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
            tables: Mutex::default(),
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

    /// A table for the code that is being written, which stays where it is as long as the code does.
    pub fn keep(&self, table: Vec<u16>) -> Arc<[u16]> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let known = tables.iter().find(|other| other[..] == table[..]).cloned();
        known.unwrap_or_else(|| {
            let table: Arc<[u16]> = table.into();
            tables.push(Arc::clone(&table));
            table
        })
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
