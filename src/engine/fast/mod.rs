//! The fast engine: runs a program on sets of machine words, the number of which is fixed for each board.

pub mod effects;
pub mod eval;
pub mod generate;
pub mod geometry;
pub mod play;
pub mod set;
pub mod state;

use super::Snapshot;
use crate::board::{Direction, Directions, Site, SiteSet};
use crate::program::ir::NONE;
use crate::program::{Program, Unsupported, compile};
use crate::rules::{ChoiceId, Kinds, MoveId, PlayerId, Players, Rules, Scope, Type, Value};
use eval::Core;
use generate::Found;
use geometry::Geometry;
use play::{Over, Scratch};
use set::Set;
use state::State;
use std::sync::Arc;

/// A game lowered and ready to be run; cheap to clone.
#[derive(Clone, Debug)]
pub struct Fast {
    machine: Arc<dyn Machine>,
    program: Arc<Program>,
}

/// One game in progress, with all the room it needs.
pub trait Play {
    /// Sets up a state at the beginning of a turn.
    fn load(&mut self, from: &Snapshot);
    /// Goes back to the state set up last.
    fn reset(&mut self);
    /// How many plies are lawful; none when the game is over.
    fn count(&self) -> usize;
    fn over(&self) -> Option<Over>;
    /// The move and the values of the parts of a lawful ply.
    fn ply(&mut self, index: usize) -> Option<(MoveId, Vec<Value>)>;
    /// Plays a lawful ply.
    fn play(&mut self, index: usize);
    /// Plays on with the plies that `choose` picks among so many; the plies played, and the choices there were.
    fn playout(&mut self, choose: &mut dyn FnMut(usize) -> usize, most: u64) -> (u64, u64);
    /// How many sequences of so many plies there are.
    fn perft(&mut self, depth: u32) -> u64;
    fn snapshot(&self) -> Snapshot;
    fn scores(&mut self) -> Vec<i64>;
    fn players(&self) -> usize;
}

trait Machine: Send + Sync + std::fmt::Debug {
    fn player(&self) -> Box<dyn Play + '_>;
}

impl Fast {
    /// Lowers rules; what cannot be lowered is said with its place.
    pub fn new(rules: &Arc<Rules>) -> Result<Self, Unsupported> {
        let program = Arc::new(compile(rules)?);
        let machine = match program.layout.words {
            0 | 1 => machine::<1>(rules, &program),
            2 => machine::<2>(rules, &program),
            3 => machine::<3>(rules, &program),
            4 => machine::<4>(rules, &program),
            5 | 6 => machine::<6>(rules, &program),
            _ => machine::<8>(rules, &program),
        };
        let span = rules.turns.first().map(|turn| turn.span);
        match (machine, span) {
            (Some(machine), _) => Ok(Self { machine, program }),
            (None, Some(span)) => Err(Unsupported { what: "a board with too many places", span }),
            (None, None) => Err(Unsupported {
                what: "a game without turns",
                span: rules.graph[petgraph::graph::NodeIndex::new(0)].span,
            }),
        }
    }

    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Somebody to play games on it.
    #[must_use]
    pub fn player(&self) -> Box<dyn Play + '_> {
        self.machine.player()
    }
}

fn machine<const W: usize>(rules: &Arc<Rules>, program: &Arc<Program>) -> Option<Arc<dyn Machine>> {
    let geometry = Geometry::<W>::of(&rules.board, &program.layout)?;
    Some(Arc::new(Core::new(geometry, Arc::clone(program), Arc::clone(rules), play::possible::<W>)))
}

impl<const W: usize> Machine for Core<W> {
    fn player(&self) -> Box<dyn Play + '_> {
        let program = &self.program;
        let blank = State::empty(self.geometry.all, program.layout.positions, program);
        Box::new(Player {
            core: self,
            start: blank.clone(),
            state: blank,
            over: None,
            scratch: Scratch::new(program),
            found: Found::default(),
        })
    }
}

struct Player<'p, const W: usize> {
    core: &'p Core<W>,
    start: State<W>,
    state: State<W>,
    over: Option<Over>,
    scratch: Scratch<'p, W>,
    found: Found<'p, W>,
}

impl<const W: usize> Play for Player<'_, W> {
    fn load(&mut self, from: &Snapshot) {
        let core = self.core;
        let program = &core.program;
        let mut state = State::empty(core.geometry.all, program.layout.positions, program);
        for (index, content) in from.contents.iter().enumerate() {
            let plane = program.planes.iter().position(|plane| plane == content).unwrap_or(0);
            if let Some(site) = Site::from_index(index).filter(|_| plane > 0) {
                state.put(program.layout.position(site), plane as u8, core.zobrist.as_ref());
            }
        }
        let mut values = from.memory.iter();
        for (memory, place) in core.rules.memories.iter().zip(&program.memories) {
            let entries = match memory.scope {
                Scope::Game => 1,
                Scope::Player => core.rules.players.len(),
                Scope::Site => core.rules.board.len(),
            };
            for entry in 0..entries {
                let Some(value) = values.next() else { continue };
                let offset = match (memory.scope, Site::from_index(entry)) {
                    (Scope::Site, Some(site)) => program.layout.position(site),
                    _ => entry,
                };
                let at = usize::from(place.base) + offset;
                if place.sites {
                    if let Some(set) = state.sets.get_mut(at) {
                        *set = Set::from_words(&program.layout.set(value.sites()));
                    }
                } else if let Some(cell) = state.cells.get_mut(at) {
                    *cell = stored(program, value);
                }
            }
        }
        state.mover = from.mover.0;
        state.order = from.order;
        state.next = core.player_at(&state, core.following(from.order));
        state.turn = from.turn;
        state.ply = from.ply;
        core.enter_turn(&mut state);
        if program.repetition {
            state.seen.push((core.position_hash(&state), state.board_hash));
        }
        self.start = state;
        self.reset();
    }

    fn reset(&mut self) {
        self.state.clone_from(&self.start);
        self.over = self.core.begin(&mut self.state, &mut self.scratch, &mut self.found);
    }

    fn count(&self) -> usize {
        if self.over.is_some() { 0 } else { self.found.count }
    }

    fn over(&self) -> Option<Over> {
        self.over
    }

    fn ply(&mut self, index: usize) -> Option<(MoveId, Vec<Value>)> {
        let core = self.core;
        let ply = self.found.get(core, &self.state, &mut self.scratch.frame, index)?;
        let call = core.own(&self.state).calls.get(usize::from(ply.call))?;
        let mv = core.rules.moves.get(call.mv.0)?;
        let parts = mv.names.iter().filter(|name| name.part).zip(&call.parts).map(|(name, slot)| {
            let value = ply.parts.get(usize::from(*slot)).copied().unwrap_or(NONE);
            if value == NONE { Value::Condition(None) } else { part(&core.program, name.ty, value) }
        });
        Some((call.mv, parts.collect()))
    }

    fn play(&mut self, index: usize) {
        if self.over.is_some() {
            return;
        }
        if let Some(ply) = self.found.get(self.core, &self.state, &mut self.scratch.frame, index) {
            self.core.play_ply(&mut self.state, &ply, &mut self.scratch);
            self.over = self.core.settle(&mut self.state, &mut self.scratch, &mut self.found);
        }
    }

    fn playout(&mut self, choose: &mut dyn FnMut(usize) -> usize, most: u64) -> (u64, u64) {
        let (mut plies, mut choices) = (0, 0);
        while self.over.is_none() && plies < most {
            let count = self.found.count;
            let index = choose(count);
            self.play(index);
            plies += 1;
            choices += count as u64;
        }
        (plies, choices)
    }

    fn perft(&mut self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let count = self.count();
        if depth == 1 {
            return count as u64;
        }
        let here = self.scratch.state(&self.state);
        let found = std::mem::take(&mut self.found);
        let mut sum = 0;
        for index in 0..count {
            self.state.clone_from(&here);
            if let Some(ply) = found.get(self.core, &here, &mut self.scratch.frame, index) {
                self.core.play_ply(&mut self.state, &ply, &mut self.scratch);
                self.over = self.core.settle(&mut self.state, &mut self.scratch, &mut self.found);
                sum += self.perft(depth - 1);
            }
        }
        self.state.clone_from(&here);
        self.scratch.give_back(here);
        self.found = found;
        self.over = None;
        sum
    }

    fn snapshot(&self) -> Snapshot {
        let core = self.core;
        let program = &core.program;
        let board = &core.rules.board;
        let content = |site: Site| {
            let plane = self.state.contents.get(program.layout.position(site)).copied().unwrap_or(0);
            program.planes.get(usize::from(plane)).copied().unwrap_or_default()
        };
        let mut memory = Vec::new();
        for (info, place) in core.rules.memories.iter().zip(&program.memories) {
            let offsets: Vec<usize> = match info.scope {
                Scope::Game => vec![0],
                Scope::Player => (0..core.rules.players.len()).collect(),
                Scope::Site => board.all().iter().map(|site| program.layout.position(site)).collect(),
            };
            for offset in offsets {
                let at = usize::from(place.base) + offset;
                memory.push(if place.sites {
                    let set = self.state.sets.get(at).copied().unwrap_or(Set::EMPTY);
                    Value::Sites(program.layout.sites_at(set.to_sites()))
                } else {
                    let cell = self.state.cells.get(at).copied().unwrap_or(NONE);
                    remembered(program, info.ty, cell)
                });
            }
        }
        Snapshot {
            contents: board.all().iter().map(content).collect(),
            memory,
            mover: PlayerId(self.state.mover),
            order: self.state.order,
            turn: self.state.turn,
            ply: self.state.ply,
        }
    }

    fn players(&self) -> usize {
        self.core.program.players
    }

    fn scores(&mut self) -> Vec<i64> {
        self.core.scores(&self.state, &mut self.scratch)
    }
}

/// A value as memory stores it.
fn stored(program: &Program, value: &Value) -> i64 {
    match value {
        Value::Condition(condition) => condition.map_or(NONE, i64::from),
        Value::Number(number) => number.unwrap_or(NONE),
        Value::Directions(set) => set.iter().fold(0, |mask, way| mask | 1 << way.index()),
        Value::Players(players) => i64::from(players.0),
        Value::Kinds(kinds) => i64::from(kinds.0),
        Value::Choice(choice) => i64::from(choice.0),
        Value::Piece(piece) => piece
            .and_then(|piece| program.planes.iter().position(|plane| *plane == piece))
            .map_or(NONE, |plane| plane as i64),
        Value::Sites(_) | Value::Range(_) | Value::List(_) => NONE,
    }
}

/// What memory stores, as a value.
fn remembered(program: &Program, ty: Type, cell: i64) -> Value {
    match ty {
        Type::Condition => Value::Condition((cell != NONE).then_some(cell == 1)),
        Type::Number => Value::Number((cell != NONE).then_some(cell)),
        Type::Directions => Value::Directions(directions(cell)),
        Type::Players => Value::Players(Players(cell as u8)),
        Type::Kinds => Value::Kinds(Kinds(cell as u32)),
        Type::Choice => {
            if cell == NONE {
                Value::Condition(None)
            } else {
                Value::Choice(ChoiceId(cell as u16))
            }
        }
        Type::Piece => Value::Piece(usize::try_from(cell).ok().and_then(|plane| program.planes.get(plane)).copied()),
        _ => Value::Condition(None),
    }
}

fn directions(mask: i64) -> Directions {
    (0..16).filter(|at| mask >> at & 1 == 1).filter_map(Direction::from_index).fold(
        Directions::EMPTY,
        |mut set, way| {
            set.insert(way);
            set
        },
    )
}

/// One member, as the part of a move.
fn part(program: &Program, ty: Type, value: i64) -> Value {
    let index = usize::try_from(value).unwrap_or(usize::MAX);
    match ty {
        Type::Sites => Value::Sites(program.layout.site(index).map_or(SiteSet::EMPTY, SiteSet::single)),
        Type::Directions => Value::Directions(directions(1 << (value & 15))),
        Type::Players => Value::Players(Players(1 << (value & 7))),
        Type::Kinds => Value::Kinds(Kinds(1 << (value & 31))),
        _ => Value::Number(Some(value)),
    }
}
