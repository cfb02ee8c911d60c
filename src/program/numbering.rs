//! What a program knows by numbers: planes of pieces, and places in memory.

use super::narrow::narrow;
use super::{EndOfTurn, MemoryInfo, Stacks, Unsupported};
use crate::rules::{self, Content, KindId, MemoryId, PlayerId, Rules, Stacking, Type, Value};
use crate::source::Span;
use std::ops::RangeInclusive;

/// The planes of all pieces, the empty sites first.
pub(super) struct Planes {
    pub contents: Vec<Content>,
    /// For every kind the planes of its pieces by owner, the last without one; 0 where there is none.
    pub of: Vec<Vec<u8>>,
}

impl Planes {
    pub fn of(rules: &Rules, span: Span) -> Result<Self, Unsupported> {
        let mut contents = vec![Content::EMPTY];
        let players = rules.players.len();
        let mut of = Vec::new();
        for (kind, info) in (0..).map(KindId).zip(&rules.kinds) {
            let mut row = vec![0u8; players + 1];
            let owners = (0..).map(PlayerId).take(players).map(Some).chain([None]);
            for (plane, owner) in row.iter_mut().zip(owners).filter(|(_, owner)| owner.is_none() == info.neutral) {
                *plane = narrow(contents.len(), "more kinds of pieces than fit a word", span)?;
                contents.push(Content::piece(kind, owner));
            }
            of.push(row);
        }
        if contents.len() > 64 {
            return Err(Unsupported { what: "more kinds of pieces than fit a word".into(), span });
        }
        Ok(Self { contents, of })
    }

    /// The bits of all planes.
    pub fn all(&self) -> u64 {
        match self.contents.len() {
            count @ 0..64 => (1 << count) - 1,
            _ => u64::MAX,
        }
    }
}

/// Where every memory is kept.
pub(super) struct Memories {
    pub places: Vec<MemoryInfo>,
    /// Where stacks are kept, behind all that the rules remember.
    pub stacks: Option<Stacks>,
    pub cells: usize,
    pub sets: usize,
}

impl Memories {
    /// Entries for sites stand at the positions of the sites, of which there are so many.
    pub fn of(rules: &Rules, positions: usize, planes: usize) -> Result<Self, Unsupported> {
        let (mut cells, mut sets) = (0, 0);
        let mut places = Vec::new();
        for memory in &rules.memories {
            let many = |number| narrow(number, "more tracked values than can be numbered", memory.span);
            let count = memory.scope.entries(rules, positions);
            let sites = memory.ty == Type::Sites;
            let next = if sites { &mut sets } else { &mut cells };
            let base = many(*next)?;
            *next += count;
            // The end of the last one must have a number too.
            let _: u16 = many(*next)?;
            places.push(MemoryInfo {
                sites,
                base,
                count: many(count)?,
                counted: memory.declared && !memory.each_turn,
                each_turn: memory.each_turn,
                range: memory.range.filter(|(low, high)| begins_within(memory, *low..=*high)),
            });
        }
        let stacks = stacks(rules, cells, positions, planes)?;
        if let Some(Stacks { base, count, .. }) = stacks {
            places.push(MemoryInfo { sites: false, base, count, counted: true, each_turn: false, range: None });
            cells += positions;
        }
        Ok(Self { places, stacks, cells, sets })
    }

    pub fn place(&self, memory: MemoryId) -> Option<MemoryInfo> {
        self.places.get(memory.0).copied()
    }

    /// What the end of a turn does to them.
    pub fn end_of_turn(&self, rules: &Rules) -> Vec<EndOfTurn> {
        let mut all = Vec::new();
        for chronicle in &rules.chronicles {
            match chronicle {
                rules::Chronicle::Without { seen, count, .. } => {
                    if let (Some(seen), Some(count)) = (self.place(*seen), self.place(*count)) {
                        all.push(EndOfTurn::Without { seen: seen.base, count: count.base });
                    }
                }
                rules::Chronicle::Carry { .. }
                | rules::Chronicle::Happened { .. }
                | rules::Chronicle::Part { .. }
                | rules::Chronicle::LastTo { .. }
                | rules::Chronicle::It { .. } => {}
            }
        }
        all
    }
}

/// The bits of a number that is not negative.
const BITS: usize = 63;

/// Whether a number is one of a range at first. It stays one of it then, since no move can leave it.
fn begins_within(memory: &rules::Memory, range: RangeInclusive<i64>) -> bool {
    matches!(memory.first.as_constant(), Some(Value::Number(Some(first))) if range.contains(first))
}

/// Where stacks are kept, if a number can hold as many pieces as may lie beneath another.
fn stacks(rules: &Rules, base: usize, positions: usize, planes: usize) -> Result<Option<Stacks>, Unsupported> {
    let Some(Stacking { most: height, span }) = rules.stacks else { return Ok(None) };
    let bits = usize::try_from(planes.saturating_sub(1).max(1).ilog2() + 1).unwrap_or(BITS);
    let most = height.saturating_sub(1);
    if most > BITS / bits {
        let highest = BITS / bits + 1;
        let what = format!(
            "stacks of more than {highest}, with so many sorts of pieces; instead: write `stacks to {highest}`"
        );
        return Err(Unsupported { what: what.into(), span });
    }
    let many = |number| narrow(number, "more stacks than can be numbered", span);
    // The end of the last one must have a number too.
    let _: u16 = many(base + positions)?;
    Ok(Some(Stacks { base: many(base)?, count: many(positions)?, bits: many(bits)?, most: many(most)? }))
}
