//! What the changes of a stage come to in machine code, read before any of it happens.

use super::value::{Bits, Flag, Num, Word, Words};
use crate::program::ir::NONE;
use cranelift_codegen::ir::Value;

/// What a stage does, read before any of it happens.
pub struct Stage {
    pub fits: Flag,
    pub left: Vec<Bits>,
    pub arriving: Vec<(Num, Bits)>,
    pub cells: Vec<CellChange>,
    pub sweeps: Vec<Sweep>,
    pub sets: Vec<(u16, Words, Flag)>,
    /// The first site moved to, and the first one placed on.
    pub moved: Num,
    pub placed: Num,
}

impl Default for Stage {
    fn default() -> Self {
        Self {
            fits: Flag::Known(true),
            left: Vec::new(),
            arriving: Vec::new(),
            cells: Vec::new(),
            sweeps: Vec::new(),
            sets: Vec::new(),
            moved: Num::known(NONE),
            placed: Num::known(NONE),
        }
    }
}

pub struct CellChange {
    pub place: Word,
    pub value: Word,
    pub guard: Flag,
}

/// The new numbers of the entries of some sites.
pub struct Sweep {
    pub base: u16,
    pub sites: Words,
    pub numbers: Numbers,
}

#[derive(Clone, Copy)]
pub enum Numbers {
    /// The same for all sites.
    Same(Word),
    /// Each its own: where on the stack these lie, by the position of the site.
    Own(Value),
}
