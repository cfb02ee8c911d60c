//! Evaluates the instructions of a program on a state.

use super::effects::Changes;
use super::geometry::Geometry;
use super::set::Set;
use super::state::{State, Zobrist, mix};
use crate::board::{Direction, Directions, SiteSet};
use crate::program::ir::{Arg, Domain, Int, NONE, Sets, Tally, Test, When};
use crate::program::{MemoryInfo, Program};
use crate::rules::catalogue::{Primitive, Scene};
use crate::rules::{
    BinaryOp, ChoiceId, CompareOp, Content, Kinds, PlayerId, Players, Reduce, Rules, Type, Value, compare_numbers,
};
use std::cmp::Ordering;
use std::sync::Arc;

/// As many members as a range of numbers may have; the reference keeps the same bound.
const MAX_RANGE: usize = 100_000;

/// Whether the pattern at a node of the turn can be played to its end from a state.
pub type Possible<const W: usize> = fn(&Core<W>, &State<W>, u16) -> bool;

/// Everything that stays the same while a game is played.
#[derive(Clone, Debug)]
pub struct Core<const W: usize> {
    pub geometry: Geometry<W>,
    pub program: Arc<Program>,
    pub rules: Arc<Rules>,
    /// Only for games that ask about repetition.
    pub zobrist: Option<Zobrist>,
    /// The machinery of turns, which the evaluation itself knows nothing of.
    pub possible: Possible<W>,
    /// A bit for every plane.
    every_plane: u64,
    owner_of: Vec<i64>,
    kind_of: Vec<i64>,
    /// The planes of each player's, and of each kind's, pieces.
    planes_of_owner: Vec<u64>,
    planes_of_kind: Vec<u64>,
    counted_cells: Vec<u16>,
    counted_sets: Vec<u16>,
    /// What is remembered for one turn only.
    pub(super) turn_cells: Vec<u16>,
    pub(super) turn_sets: Vec<u16>,
    /// Positions ascend otherwise than sites do, as on some circles.
    pub(super) reordered: bool,
}

impl<const W: usize> Core<W> {
    #[must_use]
    pub fn new(geometry: Geometry<W>, program: Arc<Program>, rules: Arc<Rules>, possible: Possible<W>) -> Self {
        let count = program.planes.len().min(64);
        let every_plane = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
        let owner_of: Vec<i64> =
            program.planes.iter().map(|piece| piece.owner().map_or(NONE, |owner| i64::from(owner.0))).collect();
        let kind_of: Vec<i64> =
            program.planes.iter().map(|piece| piece.kind().map_or(NONE, |kind| i64::from(kind.0))).collect();
        let holding = |list: &[i64], wanted: usize| {
            let fits = list.iter().take(64).enumerate().filter(|(_, member)| **member == wanted as i64);
            fits.fold(0u64, |all, (plane, _)| all | 1 << plane)
        };
        let planes_of_owner = (0..rules.players.len()).map(|player| holding(&owner_of, player)).collect();
        let planes_of_kind = (0..rules.kinds.len()).map(|kind| holding(&kind_of, kind)).collect();
        let places = |sites: bool, wanted: fn(&MemoryInfo) -> bool| {
            let fits = program.memories.iter().filter(move |memory| wanted(memory) && memory.sites == sites);
            fits.flat_map(|memory| memory.base..memory.base.saturating_add(memory.count)).collect::<Vec<u16>>()
        };
        let positions: Vec<usize> = rules.board.all().iter().map(|site| program.layout.position(site)).collect();
        Self {
            every_plane,
            planes_of_owner,
            planes_of_kind,
            counted_cells: places(false, |memory| memory.counted),
            counted_sets: places(true, |memory| memory.counted),
            turn_cells: places(false, |memory| memory.each_turn),
            turn_sets: places(true, |memory| memory.each_turn),
            reordered: !positions.is_sorted(),
            zobrist: program.repetition.then(|| Zobrist::new(program.layout.positions, program.planes.len().max(1))),
            owner_of,
            kind_of,
            geometry,
            program,
            rules,
            possible,
        }
    }

    /// Pieces, tracked values that outlast a turn, and the player to move.
    #[must_use]
    pub fn position_hash(&self, state: &State<W>) -> u64 {
        let mut hash = mix(state.board_hash ^ mix(u64::from(state.mover)));
        for cell in &self.counted_cells {
            let value = state.cells.get(usize::from(*cell)).copied().unwrap_or(NONE);
            hash = mix(hash ^ value as u64);
        }
        for index in &self.counted_sets {
            let set = state.sets.get(usize::from(*index)).copied().unwrap_or(Set::EMPTY);
            for word in set.0 {
                hash = mix(hash ^ word);
            }
        }
        hash
    }

    /// The planes of the pieces of these kinds.
    #[inline]
    fn kind_planes(&self, kinds: i64) -> u64 {
        union_of(&self.planes_of_kind, kinds)
    }

    #[inline]
    fn owner_planes(&self, players: i64) -> u64 {
        union_of(&self.planes_of_owner, players)
    }

    /// The union of planes; where most are asked for, all sites without the others.
    #[inline]
    fn planes(&self, state: &State<W>, mask: u64) -> Set<W> {
        let others = self.every_plane & !mask;
        if others.count_ones() < mask.count_ones() {
            self.geometry.all - joined(state, others)
        } else {
            joined(state, mask)
        }
    }
}

#[inline]
fn union_of(planes: &[u64], mask: i64) -> u64 {
    bits(mask).fold(0, |all, index| all | planes.get(index as usize).copied().unwrap_or(0))
}

#[inline]
fn joined<const W: usize>(state: &State<W>, mut mask: u64) -> Set<W> {
    let mut set = Set::EMPTY;
    while mask != 0 {
        set |= state.plane(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
    set
}

/// The members of a set of directions, players or kinds; none of them has more than 32.
#[inline]
pub(super) fn bits(mask: i64) -> impl Iterator<Item = i64> {
    let mut left = mask as u32;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let lowest = left.trailing_zeros();
        left &= left - 1;
        Some(i64::from(lowest))
    })
}

/// The values of parts, definitions and bound names.
#[derive(Clone, Debug, Default)]
pub struct Frame<const W: usize> {
    pub ints: Vec<i64>,
    pub sets: Vec<Set<W>>,
    /// What tests of changes gather into.
    scratch: Changes<W>,
}

impl<const W: usize> Frame<W> {
    #[must_use]
    pub fn new(program: &Program) -> Self {
        Self {
            ints: vec![NONE; program.int_slots],
            sets: vec![Set::EMPTY; program.set_slots],
            scratch: Changes::default(),
        }
    }

    #[inline]
    #[must_use]
    pub fn int(&self, slot: u16) -> i64 {
        self.ints.get(usize::from(slot)).copied().unwrap_or(NONE)
    }

    #[inline]
    pub fn bind(&mut self, slot: u16, value: i64) {
        if let Some(place) = self.ints.get_mut(usize::from(slot)) {
            *place = value;
        }
    }

    #[inline]
    pub fn bind_sites(&mut self, slot: u16, value: Set<W>) {
        if let Some(place) = self.sets.get_mut(usize::from(slot)) {
            *place = value;
        }
    }
}

/// Where an instruction is read.
#[derive(Debug)]
pub struct View<'a, const W: usize> {
    pub engine: &'a Core<W>,
    pub now: &'a State<W>,
    /// The state at the beginning of the move.
    pub before: &'a State<W>,
    pub mover: u8,
    pub next: u8,
    pub turn: u32,
    pub ply: u32,
    pub stuck: bool,
    pub unfinished: bool,
    /// In `end`: the state in which the next player is to move.
    pub following: Option<&'a State<W>>,
}

impl<const W: usize> Clone for View<'_, W> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<const W: usize> Copy for View<'_, W> {}

#[inline]
fn position(number: i64) -> Option<usize> {
    usize::try_from(number).ok()
}

#[inline]
fn site_or_none(position: Option<usize>) -> i64 {
    position.map_or(NONE, |position| position as i64)
}

/// The direction with this number, or the one that leads back.
#[inline]
fn way(direction: i64, back: bool) -> Option<Direction> {
    let way = usize::try_from(direction).ok().and_then(Direction::from_index)?;
    Some(if back { way.opposite() } else { way })
}

/// A direction that is part of an instruction, which always has one of the sixteen numbers.
#[inline]
fn fixed(direction: u8) -> Direction {
    Direction::from_index(usize::from(direction)).unwrap_or(Direction::N)
}

#[inline]
fn present(number: Option<i64>) -> i64 {
    number.unwrap_or(NONE)
}

impl<'a, const W: usize> View<'a, W> {
    #[inline]
    #[must_use]
    pub fn of(engine: &'a Core<W>, state: &'a State<W>) -> Self {
        Self {
            engine,
            now: state,
            before: state,
            mover: state.mover,
            next: state.next,
            turn: state.turn,
            ply: state.ply,
            stuck: false,
            unfinished: false,
            following: None,
        }
    }

    /// The same move, further on.
    #[inline]
    #[must_use]
    pub fn at(self, state: &'a State<W>) -> Self {
        Self { now: state, ..self }
    }

    /// Keeps a number in a slot of the frame.
    #[inline]
    pub(super) fn define(&self, slot: u16, value: &Int, f: &mut Frame<W>) {
        let value = self.int(value, f);
        f.bind(slot, value);
    }

    #[inline]
    pub(super) fn define_sites(&self, slot: u16, value: &Sets, f: &mut Frame<W>) {
        let value = self.sets(value, f);
        f.bind_sites(slot, value);
    }

    #[inline]
    fn state(&self, when: When) -> &'a State<W> {
        match when {
            When::Now => self.now,
            When::Before => self.before,
        }
    }

    // ---- sets ----

    /// What is only looked up is looked up at once; the rest is worth a call.
    #[inline(always)]
    #[must_use]
    pub fn sets(&self, e: &Sets, f: &mut Frame<W>) -> Set<W> {
        match e {
            Sets::Slot(slot) => f.sets.get(usize::from(*slot)).copied().unwrap_or(Set::EMPTY),
            Sets::Planes(mask, When::Now) if mask.is_power_of_two() => self.now.plane(mask.trailing_zeros() as usize),
            _ => self.computed(e, f),
        }
    }

    fn computed(&self, e: &Sets, f: &mut Frame<W>) -> Set<W> {
        match e {
            Sets::Const(set) => Set::from_words(set),
            Sets::Planes(mask, when) => {
                let state = self.state(*when);
                if mask.is_power_of_two() {
                    state.plane(mask.trailing_zeros() as usize)
                } else {
                    self.engine.planes(state, *mask)
                }
            }
            Sets::Memory(index, when) => self.state(*when).sets.get(usize::from(*index)).copied().unwrap_or(Set::EMPTY),
            Sets::Slot(slot) => f.sets.get(usize::from(*slot)).copied().unwrap_or(Set::EMPTY),
            Sets::One(site) => match position(self.int(site, f)) {
                Some(position) => Set::single(position),
                None => Set::EMPTY,
            },
            Sets::And(all) => {
                let mut rest = all.iter();
                let mut set = match rest.next() {
                    Some(first) => self.sets(first, f),
                    None => self.engine.geometry.all,
                };
                for one in rest {
                    if set.is_empty() {
                        break;
                    }
                    set = self.sets_in(one, set, f);
                }
                set
            }
            Sets::Or(all) => {
                let mut set = Set::EMPTY;
                for one in all {
                    set |= self.sets(one, f);
                }
                set
            }
            Sets::Not(inner) => self.engine.geometry.all - self.sets(inner, f),
            Sets::Minus(a, b) => {
                let set = self.sets(a, f);
                if set.is_empty() { set } else { set - self.sets(b, f) }
            }
            Sets::Near(site) => match position(self.int(site, f)) {
                Some(position) => self.near(position),
                None => Set::EMPTY,
            },
            Sets::Dilate(inner) => self.engine.geometry.dilate(self.sets(inner, f)),
            Sets::Pull(direction, inner) => self.engine.geometry.pull(self.sets(inner, f), fixed(*direction)),
            Sets::PullBeyond { direction, goal, through } => {
                let goal = self.sets(goal, f);
                let through = self.sets(through, f);
                self.engine.geometry.pull_beyond(fixed(*direction), goal, through)
            }
            Sets::PullRun { direction, goal, through } => {
                let goal = self.sets(goal, f);
                let through = self.sets(through, f);
                self.engine.geometry.pull_run(fixed(*direction), goal, through)
            }
            Sets::If(test, a, b) => {
                if self.test(test, f) {
                    self.sets(a, f)
                } else {
                    self.sets(b, f)
                }
            }
            Sets::Tally(tally) => self.tally(tally, f),
            Sets::Ranked { greater, equal, levels } => {
                self.ranked(*greater, *equal, levels, self.engine.geometry.all, f)
            }
            Sets::Filter { slot, domain, test } => self.filter(*slot, domain, test, f),
            Sets::Connected { from, within } => {
                let from = self.sets(from, f);
                let within = self.sets(within, f);
                self.engine.geometry.flood(from, within)
            }
            Sets::Grown { kept, from, within } => {
                let from = self.sets(from, f);
                let within = self.sets(within, f);
                let Some(kept) = self.now.grown.get(usize::from(*kept)) else { return Set::EMPTY };
                let reached = self.engine.geometry.grow(kept.get(), from, within);
                kept.set(reached);
                reached
            }
            Sets::Enclosed { from, directions, through, goal } => {
                let Some(from) = position(self.int(from, f)) else { return Set::EMPTY };
                let through = self.sets(through, f);
                let goal = self.sets(goal, f);
                let mut set = Set::EMPTY;
                for direction in bits(*directions) {
                    let (passed, end) = self.engine.geometry.run_and_beyond(from, fixed(direction as u8), through);
                    if end.is_some_and(|end| goal.contains(end)) {
                        set |= passed;
                    }
                }
                set
            }
            _ => self.other_sets(e, f),
        }
    }

    /// The members of a set that lie in another one: what is asked of these only need not be known of all.
    fn sets_in(&self, e: &Sets, within: Set<W>, f: &mut Frame<W>) -> Set<W> {
        match e {
            Sets::And(all) => {
                let mut set = within;
                for one in all {
                    if set.is_empty() {
                        break;
                    }
                    set = self.sets_in(one, set, f);
                }
                set
            }
            Sets::Or(all) => {
                let mut set = Set::EMPTY;
                for one in all {
                    set |= self.sets_in(one, within - set, f);
                }
                set
            }
            Sets::Not(inner) => within - self.sets_in(inner, within, f),
            Sets::If(test, a, b) => {
                let chosen = if self.test(test, f) { a } else { b };
                self.sets_in(chosen, within, f)
            }
            Sets::Filter { slot, domain, test } => {
                let domain = self.sets_in(domain, within, f);
                self.filtered(*slot, domain, test, f)
            }
            Sets::Ranked { greater, equal, levels } => self.ranked(*greater, *equal, levels, within, f),
            _ => within & self.sets(e, f),
        }
    }

    /// Where the first number that differs is greater, or less; only for the sites of a set.
    fn ranked(&self, greater: bool, equal: bool, levels: &[Tally], within: Set<W>, f: &mut Frame<W>) -> Set<W> {
        let (mut found, mut open) = (Set::EMPTY, within);
        let op = if greater { CompareOp::Greater } else { CompareOp::Less };
        for level in levels {
            if open.is_empty() {
                return found;
            }
            let most = level.left.len() + level.right.len();
            let offset = self.int(&level.offset, f);
            // A sum may be no larger than its bits can tell, and the offset is no larger than that.
            let [ahead, same] = if offset == NONE || offset.unsigned_abs() > 4_096 {
                let ahead = (offset > 0) == greater && offset != NONE;
                [if ahead { open } else { Set::EMPTY }, Set::EMPTY]
            } else if most + (offset.unsigned_abs() as usize) < 16 {
                self.ahead_and_same::<4>(level, op, offset, f)
            } else {
                self.ahead_and_same::<SUM_BITS>(level, op, offset, f)
            };
            found |= ahead & open;
            open &= same;
        }
        if equal { found | open } else { found }
    }

    #[inline]
    fn ahead_and_same<const B: usize>(
        &self,
        level: &Tally,
        op: CompareOp,
        offset: i64,
        f: &mut Frame<W>,
    ) -> [Set<W>; 2] {
        let (left, right) = self.sums::<B>(level, offset, f);
        let all = self.engine.geometry.all;
        [left.compare(op, &right, all), left.compare(CompareOp::Equal, &right, all)]
    }

    /// The sets that are rare or take long anyway, so that the common ones share a small function.
    #[inline(never)]
    fn other_sets(&self, e: &Sets, f: &mut Frame<W>) -> Set<W> {
        let geometry = &self.engine.geometry;
        match e {
            Sets::Ahead { from, directions, steps } => {
                let steps = self.int(steps, f);
                if steps == NONE {
                    return Set::EMPTY;
                }
                let from = self.sets(from, f);
                let mut set = Set::EMPTY;
                for direction in bits(self.int(directions, f)) {
                    let Some(way) = way(direction, steps < 0) else { continue };
                    set |= self.pushed(from, way, steps.unsigned_abs());
                }
                set
            }
            Sets::Trail { from, directions, steps } => {
                let steps = self.int(steps, f);
                let from = self.sets(from, f);
                let mut set = Set::EMPTY;
                for direction in bits(self.int(directions, f)) {
                    let Some(way) = way(direction, false) else { continue };
                    let mut at = from;
                    // A missing number is negative, so that it means no step here as well.
                    for _ in 0..steps.clamp(0, self.engine.program.layout.sites as i64) {
                        at = geometry.push(at, way);
                        if at.is_empty() {
                            break;
                        }
                        set |= at;
                    }
                }
                set
            }
            Sets::Run { from, directions, through } => {
                let from = self.sets(from, f);
                let directions = self.int(directions, f);
                let through = self.sets(through, f);
                let ways = bits(directions).filter_map(|direction| way(direction, false));
                ways.fold(Set::EMPTY, |all, way| all | self.runs(from, way, through).0)
            }
            Sets::Beyond { from, directions, through } => {
                let from = self.sets(from, f);
                let directions = self.int(directions, f);
                let through = self.sets(through, f);
                let ways = bits(directions).filter_map(|direction| way(direction, false));
                ways.fold(Set::EMPTY, |all, way| all | self.runs(from, way, through).1)
            }
            Sets::Between(a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                match (position(a), position(b), self.aim(a, b)) {
                    (Some(a), Some(b), Some(way)) => self.runs(Set::single(a), way, geometry.all - Set::single(b)).0,
                    _ => Set::EMPTY,
                }
            }
            Sets::Alike(site, when) => {
                let site = self.int(site, f);
                let state = self.state(*when);
                match position(site).and_then(|site| state.contents.get(site)) {
                    Some(plane) => state.plane(usize::from(*plane)),
                    None => Set::EMPTY,
                }
            }
            Sets::OfKinds(kinds, when) => {
                let kinds = self.int(kinds, f);
                self.engine.planes(self.state(*when), self.engine.kind_planes(kinds))
            }
            Sets::OfPlayers(players, when) => {
                let players = self.int(players, f);
                self.engine.planes(self.state(*when), self.engine.owner_planes(players))
            }
            Sets::Collect { slot, domain, test, body } => {
                let mut set = Set::EMPTY;
                self.members(*slot, domain, f, |f| {
                    if self.test(test, f) {
                        set |= self.sets(body, f);
                    }
                    true
                });
                set
            }
            Sets::Primitive(primitive, args, when) => {
                let value = self.primitive(primitive, args, *when, f);
                Set::from_words(&self.engine.program.layout.set(value.sites()))
            }
            // All others are handled where this is called.
            _ => Set::EMPTY,
        }
    }

    #[inline]
    fn near(&self, position: usize) -> Set<W> {
        self.engine.geometry.neighbours.get(position).copied().unwrap_or(Set::EMPTY)
    }

    fn pushed(&self, from: Set<W>, way: Direction, steps: u64) -> Set<W> {
        let mut at = from;
        // No line is longer than the board, so that a huge number of steps leaves it soon.
        for _ in 0..steps.min(self.engine.program.layout.sites as u64 + 1) {
            if at.is_empty() {
                break;
            }
            at = self.engine.geometry.push(at, way);
        }
        at
    }

    /// The sites passed from all of `from`, and the first ones outside `through`.
    fn runs(&self, from: Set<W>, way: Direction, through: Set<W>) -> (Set<W>, Set<W>) {
        if let Some(from) = from.only() {
            let (passed, beyond) = self.engine.geometry.run_and_beyond(from, way, through);
            return (passed, beyond.map_or(Set::EMPTY, Set::single));
        }
        let (mut passed, mut beyond) = (Set::EMPTY, Set::EMPTY);
        let mut at = from;
        loop {
            let next = self.engine.geometry.push(at, way);
            beyond |= next - through;
            // On a ring the run would come round to where it has been.
            at = (next & through) - passed;
            if at.is_empty() {
                return (passed, beyond);
            }
            passed |= at;
        }
    }

    #[inline]
    fn filter(&self, slot: u16, domain: &Sets, test: &Test, f: &mut Frame<W>) -> Set<W> {
        let set = self.sets(domain, f);
        self.filtered(slot, set, test, f)
    }

    #[inline]
    fn filtered(&self, slot: u16, mut set: Set<W>, test: &Test, f: &mut Frame<W>) -> Set<W> {
        for position in set {
            f.bind(slot, position as i64);
            if !self.test(test, f) {
                set.remove(position);
            }
        }
        set
    }

    fn tally(&self, tally: &Tally, f: &mut Frame<W>) -> Set<W> {
        let (most_left, most_right) = (tally.left.len() as i64, tally.right.len() as i64);
        let all = self.engine.geometry.all;
        let offset = self.int(&tally.offset, f);
        if offset == NONE {
            return Set::EMPTY;
        }
        // So large an offset decides alone, and would not fit below.
        let decided = |greater: bool| match (tally.op, greater) {
            (CompareOp::NotEqual, _) => all,
            (CompareOp::Greater | CompareOp::GreaterEqual, true) | (CompareOp::Less | CompareOp::LessEqual, false) => {
                all
            }
            _ => Set::EMPTY,
        };
        if offset > most_right {
            return decided(true);
        }
        if offset < -most_left {
            return decided(false);
        }
        // No sum exceeds the number of sets: the offset on one side is at most the number on the other.
        if most_left + most_right < 16 {
            self.count::<4>(tally, offset, f)
        } else {
            self.count::<SUM_BITS>(tally, offset, f)
        }
    }

    #[inline]
    fn count<const B: usize>(&self, tally: &Tally, offset: i64, f: &mut Frame<W>) -> Set<W> {
        let (left, right) = self.sums::<B>(tally, offset, f);
        left.compare(tally.op, &right, self.engine.geometry.all)
    }

    /// Both sides of a comparison, the offset on one of them.
    #[inline]
    fn sums<const B: usize>(&self, tally: &Tally, offset: i64, f: &mut Frame<W>) -> (Sum<W, B>, Sum<W, B>) {
        let all = self.engine.geometry.all;
        let mut left = Sum::<W, B>::new(all, offset.max(0).unsigned_abs());
        let mut right = Sum::<W, B>::new(all, offset.min(0).unsigned_abs());
        for one in &tally.left {
            left.add(self.sets(one, f));
        }
        for one in &tally.right {
            right.add(self.sets(one, f));
        }
        (left, right)
    }

    // ---- numbers ----

    #[inline]
    #[must_use]
    pub fn int(&self, e: &Int, f: &mut Frame<W>) -> i64 {
        match e {
            Int::Const(number) => *number,
            Int::Slot(slot) => f.int(*slot),
            Int::Cell(cell, when) => self.state(*when).cells.get(usize::from(*cell)).copied().unwrap_or(NONE),
            Int::CellAt { base, count, index, when } => {
                let index = self.int(index, f);
                if index < 0 || index >= i64::from(*count) {
                    return NONE;
                }
                self.state(*when).cells.get(usize::from(*base) + index as usize).copied().unwrap_or(NONE)
            }
            Int::Count(set) => self.sets(set, f).len() as i64,
            Int::Only(set) => site_or_none(self.sets(set, f).only()),
            Int::RowLength { from, directions, through } => {
                let from = self.sets(from, f);
                let ways = bits(self.int(directions, f)).filter_map(|direction| way(direction, false));
                let through = self.sets(through, f);
                if let Some(from) = from.only() {
                    // Runs from one site have no site in common.
                    let geometry = &self.engine.geometry;
                    1 + ways.map(|way| geometry.reach(from, way, &through) as i64).sum::<i64>()
                } else {
                    ways.fold(from, |all, way| all | self.runs(from, way, through).0).len() as i64
                }
            }
            Int::Step(direction, from) => match position(self.int(from, f)) {
                Some(from) => site_or_none(self.engine.geometry.step(from, fixed(*direction))),
                None => NONE,
            },
            Int::Owner(site, when) => self.by_plane(&self.engine.owner_of, site, *when, f),
            Int::Kind(site, when) => self.by_plane(&self.engine.kind_of, site, *when, f),
            Int::Piece(site, when) => {
                let site = position(self.int(site, f));
                match site.and_then(|site| self.state(*when).contents.get(site)) {
                    Some(plane) => i64::from(*plane),
                    None => NONE,
                }
            }
            Int::Arithmetic(op, a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                arithmetic(*op, a, b)
            }
            Int::If(test, a, b) => {
                if self.test(test, f) {
                    self.int(a, f)
                } else {
                    self.int(b, f)
                }
            }
            Int::Reduce { reduce, slot, domain, test, body } => self.reduce(*reduce, *slot, domain, test, body, f),
            _ => self.other_int(e, f),
        }
    }

    #[inline(never)]
    fn other_int(&self, e: &Int, f: &mut Frame<W>) -> i64 {
        match e {
            Int::Ahead { from, direction, steps } => {
                let (from, direction, steps) = (self.int(from, f), self.int(direction, f), self.int(steps, f));
                self.ahead(from, direction, steps)
            }
            Int::Beyond { from, direction, through } => {
                let (from, direction) = (self.int(from, f), self.int(direction, f));
                let through = self.sets(through, f);
                self.beyond(from, direction, through)
            }
            Int::Direction(a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                self.aim(a, b).map_or(NONE, |way| way.index() as i64)
            }
            Int::Distance(a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                let found = position(a).zip(position(b)).and_then(|(a, b)| self.engine.geometry.distance(a, b));
                found.map_or(NONE, i64::from)
            }
            Int::Owners(set, when) => {
                let set = self.sets(set, f);
                self.planes_met(&self.engine.planes_of_owner, set, *when)
            }
            Int::KindsIn(set, when) => {
                let set = self.sets(set, f);
                self.planes_met(&self.engine.planes_of_kind, set, *when)
            }
            Int::Make(kind, owner) => {
                let (kind, owner) = (position(self.int(kind, f)), position(self.int(owner, f)));
                let owners = kind.and_then(|kind| self.engine.program.plane_of.get(kind));
                match owners.zip(owner).and_then(|(owners, owner)| owners.get(owner)) {
                    // Plane 0 stands for a piece that no rule can make.
                    None | Some(0) => NONE,
                    Some(plane) => i64::from(*plane),
                }
            }
            Int::Negative(inner) => present(self.int(inner, f).checked_neg()),
            Int::Abs(inner) => present(self.int(inner, f).checked_abs()),
            Int::Max(a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                if a == NONE || b == NONE { NONE } else { a.max(b) }
            }
            Int::Min(a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                // A missing number is the least of all.
                a.min(b)
            }
            Int::MaskWhere { slot, domain, test } => {
                let mut mask = 0;
                for member in bits(self.int(domain, f)) {
                    f.bind(*slot, member);
                    if self.test(test, f) {
                        mask |= 1 << member;
                    }
                }
                mask
            }
            Int::MaskCollect { slot, domain, test, body } => {
                let mut mask = 0;
                self.members(*slot, domain, f, |f| {
                    if self.test(test, f) {
                        mask |= as_mask(self.int(body, f));
                    }
                    true
                });
                mask
            }
            Int::MaskAnd(a, b) => as_mask(self.int(a, f)) & as_mask(self.int(b, f)),
            Int::MaskOr(a, b) => as_mask(self.int(a, f)) | as_mask(self.int(b, f)),
            Int::MaskNot(every, inner) => every & !as_mask(self.int(inner, f)),
            Int::Bit(inner) => match self.int(inner, f) {
                member @ 0..32 => 1 << member,
                _ => 0,
            },
            Int::OnlyBit(inner) => {
                let mask = as_mask(self.int(inner, f));
                if mask.count_ones() == 1 { i64::from(mask.trailing_zeros()) } else { NONE }
            }
            Int::Ones(inner) => i64::from(as_mask(self.int(inner, f)).count_ones()),
            Int::Opposite(inner) => way(self.int(inner, f), true).map_or(NONE, |way| way.index() as i64),
            Int::OppositeMask(inner) => i64::from((self.int(inner, f) as u16).rotate_left(8)),
            Int::Turn => i64::from(self.turn),
            Int::Ply => i64::from(self.ply),
            Int::Next => i64::from(self.next),
            Int::Truth(yes, no) => {
                if self.test(yes, f) {
                    1
                } else if self.test(no, f) {
                    0
                } else {
                    NONE
                }
            }
            Int::Primitive(primitive, args, when) => {
                let value = self.primitive(primitive, args, *when, f);
                self.number_of(&value)
            }
            // All others are handled where this is called.
            _ => NONE,
        }
    }

    #[inline]
    fn by_plane(&self, table: &[i64], site: &Int, when: When, f: &mut Frame<W>) -> i64 {
        let site = position(self.int(site, f));
        let plane = site.and_then(|site| self.state(when).contents.get(site));
        plane.and_then(|plane| table.get(usize::from(*plane))).copied().unwrap_or(NONE)
    }

    fn planes_met(&self, groups: &[u64], set: Set<W>, when: When) -> i64 {
        let state = self.state(when);
        let met = groups.iter().enumerate().filter(|(_, planes)| joined(state, **planes).meets(set));
        met.fold(0, |mask, (index, _)| mask | 1 << index)
    }

    fn aim(&self, a: i64, b: i64) -> Option<Direction> {
        self.engine.geometry.aim(position(a)?, position(b)?)
    }

    fn ahead(&self, from: i64, direction: i64, steps: i64) -> i64 {
        if steps == NONE {
            return NONE;
        }
        let (Some(mut at), Some(way)) = (position(from), way(direction, steps < 0)) else { return NONE };
        for _ in 0..steps.unsigned_abs().min(self.engine.program.layout.sites as u64 + 1) {
            match self.engine.geometry.step(at, way) {
                Some(next) => at = next,
                None => return NONE,
            }
        }
        at as i64
    }

    fn beyond(&self, from: i64, direction: i64, through: Set<W>) -> i64 {
        let (Some(from), Some(way)) = (position(from), way(direction, false)) else { return NONE };
        site_or_none(self.engine.geometry.beyond(from, way, through))
    }

    #[inline]
    fn reduce(&self, reduce: Reduce, slot: u16, domain: &Domain, test: &Test, body: &Int, f: &mut Frame<W>) -> i64 {
        let mut result = if reduce == Reduce::Sum { 0 } else { NONE };
        self.members(slot, domain, f, |f| {
            if !self.test(test, f) {
                return true;
            }
            let number = self.int(body, f);
            result = reduced(reduce, result, number);
            result != NONE
        });
        result
    }

    /// Binds one member after the other until the visitor has enough; whether it never had.
    #[inline]
    pub(super) fn members(
        &self,
        slot: u16,
        domain: &Domain,
        f: &mut Frame<W>,
        mut visit: impl FnMut(&mut Frame<W>) -> bool,
    ) -> bool {
        match domain {
            Domain::Sites(set) => {
                for position in self.sets(set, f) {
                    f.bind(slot, position as i64);
                    if !visit(f) {
                        return false;
                    }
                }
            }
            Domain::Mask(mask) => {
                for member in bits(self.int(mask, f)) {
                    f.bind(slot, member);
                    if !visit(f) {
                        return false;
                    }
                }
            }
            Domain::Range(low, high) => {
                let (low, high) = (self.int(low, f), self.int(high, f));
                if low == NONE || high == NONE {
                    return true;
                }
                for number in (low..=high).take(MAX_RANGE) {
                    f.bind(slot, number);
                    if !visit(f) {
                        return false;
                    }
                }
            }
        }
        true
    }

    // ---- tests ----

    #[inline]
    #[must_use]
    pub fn test(&self, e: &Test, f: &mut Frame<W>) -> bool {
        match e {
            Test::Const(held) => *held,
            Test::Not(inner) => !self.test(inner, f),
            Test::And(all) => all.iter().all(|one| self.test(one, f)),
            Test::Or(all) => all.iter().any(|one| self.test(one, f)),
            Test::Any(set) => self.sets(set, f).any(),
            Test::Contains(set, member) => match position(self.int(member, f)) {
                Some(position) => self.sets(set, f).contains(position),
                None => false,
            },
            Test::Subset(a, b) => {
                let a = self.sets(a, f);
                a.is_empty() || a.subset(self.sets(b, f))
            }
            Test::Compare(op, a, b) => {
                let (a, b) = (self.int(a, f), self.int(b, f));
                a != NONE && b != NONE && compare_numbers(*op, a, b)
            }
            Test::Known(number) => self.int(number, f) != NONE,
            Test::Exists { slot, domain, test } => !self.members(*slot, domain, f, |f| !self.test(test, f)),
            Test::Stuck => self.stuck,
            Test::Unfinished => self.unfinished,
            _ => self.other_test(e, f),
        }
    }

    #[inline(never)]
    fn other_test(&self, e: &Test, f: &mut Frame<W>) -> bool {
        match e {
            Test::Lists(op, left, right) => self.lists(*op, left, right, f),
            Test::Seen { board, times } => self.seen(*board, *times),
            Test::Possible(node) => (self.engine.possible)(self.engine, self.following.unwrap_or(self.now), *node),
            Test::CanApply(effects) => {
                // A test within the changes would find a fresh one.
                let mut changes = std::mem::take(&mut f.scratch);
                let fits = changes.gather(self, effects, f);
                f.scratch = changes;
                fits
            }
            Test::WithSites { slot, value, test } => {
                self.define_sites(*slot, value, f);
                self.test(test, f)
            }
            Test::With { slot, value, test } => {
                self.define(*slot, value, f);
                self.test(test, f)
            }
            // All others are handled where this is called.
            _ => false,
        }
    }

    fn lists(&self, op: CompareOp, left: &[Int], right: &[Int], f: &mut Frame<W>) -> bool {
        let mut order = Ordering::Equal;
        for index in 0..left.len().max(right.len()) {
            let (a, b) = (left.get(index).map(|one| self.int(one, f)), right.get(index).map(|one| self.int(one, f)));
            if a == Some(NONE) || b == Some(NONE) {
                return false;
            }
            // A list that ends is less than one that goes on, and so is nothing than something.
            order = order.then(a.cmp(&b));
        }
        compare_numbers(op, order as i64, 0)
    }

    fn seen(&self, board: bool, times: Option<i64>) -> bool {
        let (seen, now) = match self.following {
            // The position reached is the last one remembered.
            Some(following) => (&following.seen, following.seen.last().copied()),
            None => (&self.now.seen, None),
        };
        let now = now.unwrap_or_else(|| (self.engine.position_hash(self.now), self.now.board_hash));
        let found = seen.iter().filter(|seen| if board { seen.1 == now.1 } else { seen.0 == now.0 }).count();
        let earlier = if self.following.is_some() { found.saturating_sub(1) } else { found };
        match times {
            None => earlier == 0,
            Some(times) => earlier as i64 + 1 >= times,
        }
    }

    // ---- words without an instruction of their own ----

    #[cold]
    #[inline(never)]
    fn primitive(&self, primitive: &Primitive, args: &[(Type, Arg)], when: When, f: &mut Frame<W>) -> Value {
        let values: Vec<Value> = args.iter().map(|(ty, arg)| self.argument(*ty, arg, f)).collect();
        let (rules, layout) = (&self.engine.rules, &self.engine.program.layout);
        let state = self.state(when);
        let piece = |plane: &u8| self.engine.program.planes.get(usize::from(*plane)).copied();
        let contents: Vec<Content> = (0..rules.board.len())
            .map(|index| crate::board::Site::from_index(index).map_or(usize::MAX, |site| layout.position(site)))
            .map(|position| state.contents.get(position).and_then(piece).unwrap_or_default())
            .collect();
        let (turn, ply) = match when {
            When::Now => (self.turn, self.ply),
            When::Before => (state.turn, state.ply),
        };
        let scene = Scene {
            board: &rules.board,
            players: &rules.players,
            kinds: &rules.kinds,
            contents: &contents,
            empty: layout.sites_at(state.plane(0).to_sites()),
            mover: PlayerId(self.mover),
            next: PlayerId(self.next),
            turn,
            ply,
            stuck: self.stuck,
            unfinished: self.unfinished,
        };
        (primitive.eval)(&scene, &values)
    }

    fn argument(&self, ty: Type, arg: &Arg, f: &mut Frame<W>) -> Value {
        let layout = &self.engine.program.layout;
        let number = match arg {
            Arg::Sets(set) => return Value::Sites(layout.sites_at(self.sets(set, f).to_sites())),
            Arg::Int(int) => self.int(int, f),
        };
        let known = (number != NONE).then_some(number);
        match ty {
            Type::Condition => Value::Condition(known.map(|number| number != 0)),
            Type::Sites => Value::Sites(match position(number).and_then(|position| layout.site(position)) {
                Some(site) => SiteSet::single(site),
                None => SiteSet::EMPTY,
            }),
            Type::Directions => {
                let ways = bits(number).filter_map(|way| Direction::from_index(way as usize));
                Value::Directions(ways.fold(Directions::EMPTY, |all, way| all | Directions::single(way)))
            }
            Type::Players => Value::Players(Players(number as u8)),
            Type::Kinds => Value::Kinds(Kinds(number as u32)),
            Type::Piece => {
                Value::Piece(position(number).and_then(|plane| self.engine.program.planes.get(plane)).copied())
            }
            Type::Choice => match u16::try_from(number) {
                Ok(choice) => Value::Choice(ChoiceId(choice)),
                Err(_) => Value::Condition(None),
            },
            Type::Number | Type::Range | Type::List | Type::Unknown => Value::Number(known),
        }
    }

    fn number_of(&self, value: &Value) -> i64 {
        match value {
            Value::Condition(condition) => condition.map_or(NONE, i64::from),
            Value::Number(number) => number.unwrap_or(NONE),
            Value::Sites(set) => site_or_none(set.only().map(|site| self.engine.program.layout.position(site))),
            Value::Directions(set) => set.iter().fold(0, |mask, way| mask | 1 << way.index()),
            Value::Players(players) => i64::from(players.0),
            Value::Kinds(kinds) => i64::from(kinds.0),
            Value::Piece(piece) => {
                let plane = piece.and_then(|piece| self.engine.program.planes.iter().position(|known| *known == piece));
                site_or_none(plane)
            }
            Value::Choice(choice) => i64::from(choice.0),
            Value::Range(_) | Value::List(_) => NONE,
        }
    }
}

#[inline]
fn as_mask(number: i64) -> i64 {
    // The mark of a missing number lies above all bits that a mask can have.
    i64::from(number as u32)
}

/// One more number is taken in; nothing so far is zero of a sum and a missing number else.
#[inline]
fn reduced(reduce: Reduce, so_far: i64, number: i64) -> i64 {
    match reduce {
        _ if number == NONE => NONE,
        Reduce::Sum => present(so_far.checked_add(number)),
        Reduce::Least if so_far != NONE => so_far.min(number),
        Reduce::Least => number,
        // A missing number is the least of all.
        Reduce::Most => so_far.max(number),
    }
}

#[inline]
fn arithmetic(op: BinaryOp, a: i64, b: i64) -> i64 {
    if a == NONE || b == NONE {
        return NONE;
    }
    // A result that happens to be the least number counts as missing, as it does in the reference.
    present(match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Subtract => a.checked_sub(b),
        BinaryOp::Multiply => a.checked_mul(b),
        BinaryOp::Divide => a.checked_div_euclid(b),
        BinaryOp::Modulo => a.checked_rem_euclid(b),
        BinaryOp::But | BinaryOp::Range => None,
    })
}

/// As many bits as a count of sets can need: no text that can be read has room for more.
const SUM_BITS: usize = 16;

/// A number for every position, its bits spread over sets, so that all are counted at once.
struct Sum<const W: usize, const B: usize> {
    bits: [Set<W>; B],
    used: usize,
}

impl<const W: usize, const B: usize> Sum<W, B> {
    #[inline]
    fn new(all: Set<W>, first: u64) -> Self {
        let used = (u64::BITS - first.leading_zeros()) as usize;
        let mut bits = [Set::EMPTY; B];
        for (place, bit) in bits.iter_mut().enumerate().take(used) {
            if first >> place & 1 == 1 {
                *bit = all;
            }
        }
        Self { bits, used: used.min(B) }
    }

    #[inline]
    fn add(&mut self, set: Set<W>) {
        let mut carry = set;
        let used = self.used;
        for bit in self.bits.iter_mut().take(used) {
            let both = *bit & carry;
            *bit ^= carry;
            carry = both;
        }
        if carry.any()
            && let Some(bit) = self.bits.get_mut(used)
        {
            *bit = carry;
            self.used = used + 1;
        }
    }

    #[inline]
    fn compare(&self, op: CompareOp, other: &Self, all: Set<W>) -> Set<W> {
        let used = self.used.max(other.used);
        let pairs = || self.bits.iter().zip(&other.bits).take(used);
        if matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            let differ = pairs().fold(Set::EMPTY, |differ, (a, b)| differ | (*a ^ *b));
            return if op == CompareOp::Equal { all - differ } else { differ & all };
        }
        let (mut greater, mut equal) = (Set::EMPTY, all);
        for (a, b) in pairs().rev() {
            greater |= equal & (*a - *b);
            equal -= *a ^ *b;
        }
        match op {
            CompareOp::Greater => greater,
            CompareOp::GreaterEqual => greater | equal,
            CompareOp::Less => all - greater - equal,
            _ => all - greater,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_compare_as_numbers_do() {
        let all: Set<1> = (0..40).collect();
        // Every set holds other multiples, so that the counts differ from site to site.
        let sets: Vec<Set<1>> = (1..=12).map(|step| (0..40).step_by(step).collect()).collect();
        let ops = [
            CompareOp::Equal,
            CompareOp::NotEqual,
            CompareOp::Less,
            CompareOp::LessEqual,
            CompareOp::Greater,
            CompareOp::GreaterEqual,
        ];
        for first in 0..4u64 {
            for split in 0..=sets.len() {
                let (mine, theirs) = sets.split_at(split);
                let (mut left, mut right) = (Sum::<1, 4>::new(all, first), Sum::<1, 4>::new(all, 0));
                mine.iter().for_each(|set| left.add(*set));
                theirs.iter().for_each(|set| right.add(*set));
                let count = |sets: &[Set<1>], site: usize| sets.iter().filter(|set| set.contains(site)).count() as i64;
                for op in ops {
                    let expected: Set<1> = all
                        .iter()
                        .filter(|site| compare_numbers(op, count(mine, *site) + first as i64, count(theirs, *site)))
                        .collect();
                    assert_eq!(left.compare(op, &right, all), expected, "{op:?} {split}");
                }
            }
        }
    }

    #[test]
    fn a_missing_number_makes_the_whole_missing() {
        assert_eq!(reduced(Reduce::Sum, 4, 3), 7);
        assert_eq!(reduced(Reduce::Sum, i64::MAX, 1), NONE);
        for reduce in [Reduce::Sum, Reduce::Least, Reduce::Most] {
            assert_eq!(reduced(reduce, 4, NONE), NONE);
        }
        assert_eq!(reduced(Reduce::Least, NONE, 3), 3);
        assert_eq!(reduced(Reduce::Least, 2, 3), 2);
        assert_eq!(reduced(Reduce::Most, NONE, -3), -3);
        assert_eq!(reduced(Reduce::Most, -2, -3), -2);
    }

    #[test]
    fn masks_ignore_the_mark_of_a_missing_number() {
        assert_eq!(bits(NONE).count(), 0);
        assert_eq!(bits(0b1010).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(as_mask(NONE), 0);
    }
}
