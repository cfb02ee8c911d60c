//! Where machine code finds what it calls, and the fields of a state.

use super::arithmetic::{add, divide, modulo, multiply, select, subtract};
use super::host::{
    all_legal, checking, draw, drew_in_vain, finish, grow, int, leaves_out, legal, remember, roll, roll_several, sets,
    stage, test, tried, try_on_copy,
};
use crate::engine::fast::state::State;
use std::mem::offset_of;

/// Functions that machine code calls, and where the fields of a state are.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    pub sets: usize,
    pub int: usize,
    pub test: usize,
    pub grow: usize,
    pub stage: usize,
    pub try_on_copy: usize,
    pub tried: usize,
    pub remember: usize,
    pub legal: usize,
    pub all_legal: usize,
    pub draw: usize,
    pub roll: usize,
    pub roll_several: usize,
    pub leaves_out: usize,
    pub drew_in_vain: usize,
    pub finish: usize,
    pub add: usize,
    pub subtract: usize,
    pub multiply: usize,
    pub divide: usize,
    pub modulo: usize,
    /// Says whether a place may be read or written, where that is to be asked each time.
    pub check: Option<usize>,
    /// Finds the k-th bit of a word, where the processor has an instruction for it.
    pub select: Option<usize>,
    pub mover: usize,
    pub next: usize,
    pub order: usize,
    pub turn: usize,
    pub ply: usize,
    pub section: usize,
    pub place: usize,
    pub board_hash: usize,
}

impl Addresses {
    pub fn of<const W: usize>(checked: bool) -> Self {
        Self {
            check: if checked { checking::<W>() } else { None },
            sets: sets::<W> as *const () as usize,
            int: int::<W> as *const () as usize,
            test: test::<W> as *const () as usize,
            grow: grow::<W> as *const () as usize,
            stage: stage::<W> as *const () as usize,
            try_on_copy: (try_on_copy::<W> as *const ()).addr(),
            tried: (tried::<W> as *const ()).addr(),
            remember: remember::<W> as *const () as usize,
            all_legal: (all_legal::<W> as *const ()).addr(),
            legal: legal::<W> as *const () as usize,
            draw: draw::<W> as *const () as usize,
            roll: (roll::<W> as *const ()).addr(),
            roll_several: (roll_several::<W> as *const ()).addr(),
            leaves_out: (leaves_out::<W> as *const ()).addr(),
            drew_in_vain: (drew_in_vain::<W> as *const ()).addr(),
            finish: finish::<W> as *const () as usize,
            add: add as *const () as usize,
            subtract: subtract as *const () as usize,
            multiply: multiply as *const () as usize,
            divide: divide as *const () as usize,
            modulo: modulo as *const () as usize,
            select: select(),
            mover: offset_of!(State<W>, mover),
            next: offset_of!(State<W>, next),
            order: offset_of!(State<W>, order),
            turn: offset_of!(State<W>, turn),
            ply: offset_of!(State<W>, ply),
            section: offset_of!(State<W>, section),
            place: offset_of!(State<W>, places.one),
            board_hash: offset_of!(State<W>, board_hash),
        }
    }
}
