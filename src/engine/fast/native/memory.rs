//! What machine code reads and writes, divided into parts that do not overlap: what was stored in one part is still known
//! when another one has changed, so that it need not be read again.

use super::value::{Num, Word};
use crate::program::ir::When;
use cranelift_codegen::ir::{MemFlagsData, Value};

/// A part of memory. Every place belongs to one of them, whichever way it is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Region {
    /// The field at this place of the context.
    Context(usize),
    /// The field at this place of the state.
    State(usize),
    /// The planes of both states.
    Planes,
    Contents,
    Cells,
    /// A word of a set of the memory, by the number of the word.
    Memory(usize),
    Grown(usize),
    /// What is kept of the turn before.
    KeptCells,
    KeptSets(usize),
    /// Numbers and sets bound to names.
    Int(usize),
    Slot(usize),
    Records,
    /// Sets on the stack.
    Out,
}

impl Region {
    /// A number of its own for each part.
    pub fn id(self) -> u32 {
        let (kind, at) = match self {
            Self::Context(at) => (0, at),
            Self::State(at) => (1, at),
            Self::Planes => (2, 0),
            Self::Contents => (3, 0),
            Self::Cells => (4, 0),
            Self::Memory(at) => (5, at),
            Self::Grown(at) => (6, at),
            Self::KeptCells => (7, 0),
            Self::KeptSets(at) => (8, at),
            Self::Int(at) => (9, at),
            Self::Slot(at) => (10, at),
            Self::Records => (11, 0),
            Self::Out => (12, 0),
        };
        // Games have far fewer of anything than 2 to the power of 24.
        kind << KIND_SHIFT | (at as u32 & 0x00FF_FFFF)
    }
}

/// Which of the parts the number of one is of.
pub const KIND_SHIFT: u32 = 24;

/// A list of sets.
#[derive(Clone, Copy, Debug)]
pub enum List {
    Planes(When),
    Memory(When),
    Grown,
    Kept,
    Slots,
}

/// What is known of the state because it was stored on the way here.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The only member of sets of the memory.
    pub singles: Vec<(usize, Num)>,
    /// The plane of the piece on a site.
    contents: Vec<(Value, i64)>,
}

impl Facts {
    /// What all of these know.
    pub fn common(mut self, others: [&Self; 2]) -> Self {
        self.singles.retain(|fact| others.iter().all(|other| other.singles.contains(fact)));
        self.contents.retain(|fact| others.iter().all(|other| other.contents.contains(fact)));
        self
    }

    /// The plane of the piece on a site, if that is known.
    pub fn plane_at(&self, site: Num) -> Option<i64> {
        let Word::Value(site) = site.word else { return None };
        self.contents.iter().find(|(at, _)| *at == site).map(|(_, plane)| *plane)
    }

    /// A site is known to hold a piece of this plane.
    pub fn found(&mut self, site: Num, plane: i64) {
        if let Word::Value(site) = site.word {
            self.contents.push((site, plane));
        }
    }

    /// Something was put on a site, which may be any of the others too.
    pub fn put(&mut self, site: Num, plane: Option<i64>) {
        self.contents.clear();
        if let Some(plane) = plane {
            self.found(site, plane);
        }
    }

    /// Something was put on many sites.
    pub fn put_on_many(&mut self) {
        self.contents.clear();
    }
}

/// Of tables, and of addresses that stay the same as long as machine code runs: nobody writes there.
pub fn unchanging() -> MemFlagsData {
    MemFlagsData::trusted().with_readonly().with_can_move()
}
