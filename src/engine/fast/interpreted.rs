//! Stands for machine code in a program that is built without it: there never is any.

use super::eval::{Core, Frame};
use super::facing::{Chooser, Listed};
use super::found::{Alike, Found};
use super::plies::Ply;
use super::scratch::{Lister, Scratch};
use super::set::Set;
use super::state::State;
use super::tries::{Drawn, Draws, Tries};
use crate::engine::Over;
use crate::program::Program;
use crate::rules::{Rules, Span};
use host::{Code, Lent, Room};
use std::time::Duration;

/// How much of a program machine code runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Coverage {
    Nothing,
}

impl Coverage {
    #[must_use]
    pub fn of(_: &Program) -> Self {
        Self::Nothing
    }
}

impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("none, this program was built without it")
    }
}

/// A clause for which a place of the turn is left to the interpreter.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    pub span: Span,
    pub why: &'static str,
}

/// Everything is left to it, and no clause is to blame.
pub fn left(_: &Program, _: &Rules) -> Vec<Left> {
    Vec::new()
}

/// What there is none of: its code has no value.
#[derive(Debug)]
pub struct Native {
    pub code: Code,
    pub room: Room,
    pub took: Duration,
}

impl Native {
    pub fn compile<const W: usize>(_: &Core<W>, _: bool) -> Option<Self> {
        None
    }

    pub fn run<const W: usize>(&self, _: Lent<'_, '_, W>, _: u64, _: &mut impl Chooser<W>) -> (u64, u64, Option<Over>) {
        match self.code {}
    }

    pub fn records(&self) -> Listed<'_> {
        match self.code {}
    }
}

impl Native {
    pub fn sheaves<const W: usize>(
        &self,
        _: &Core<W>,
        _: &State<W>,
        _: &Found<'_, W>,
        _: &mut Frame<W>,
        _: &mut impl FnMut(Alike<'_, W>),
    ) {
        match self.code {}
    }
}

impl<const W: usize> Lister<W> for Native {
    fn ply<'p>(&self, _: &'p Core<W>, _: &State<W>, _: &Found<'p, W>, _: &mut Scratch<'p, W>, _: usize) -> Option<Ply> {
        match self.code {}
    }

    fn key<'p>(&self, _: &'p Core<W>, _: &State<W>, _: &Found<'p, W>, _: &mut Scratch<'p, W>, _: usize) -> Option<u64> {
        match self.code {}
    }

    fn keys(&self, _: &Core<W>, _: &State<W>, _: &Found<'_, W>, _: &mut Frame<W>, _: &mut Vec<u64>) {
        match self.code {}
    }

    fn list_all<'p>(&self, _: &'p Core<W>, _: &State<W>, _: &mut Scratch<'p, W>, _: &mut Found<'p, W>) -> bool {
        match self.code {}
    }

    fn weigh<'p>(&self, _: &'p Core<W>, _: &State<W>, _: &mut Scratch<'p, W>, _: &mut [(u16, u64)]) -> usize {
        match self.code {}
    }

    fn draw<'p>(
        &self,
        _: &'p Core<W>,
        _: &State<W>,
        _: &mut Scratch<'p, W>,
        _: &mut Tries<'_>,
        _: &mut Draws,
        _: &mut Ply,
    ) -> Drawn {
        match self.code {}
    }

    fn is_open<'p>(&self, _: &'p Core<W>, _: &State<W>, _: &mut Scratch<'p, W>, _: u16) -> Option<bool> {
        match self.code {}
    }

    fn finishes<'p>(&self, _: &'p Core<W>, _: &State<W>, _: &Ply, _: &mut Scratch<'p, W>) -> Option<bool> {
        match self.code {}
    }

    fn play_ahead<'p>(&self, _: &'p Core<W>, _: &State<W>, _: &Ply, _: &mut State<W>, _: &mut Scratch<'p, W>) -> bool {
        match self.code {}
    }

    fn plays(&self, _: &State<W>, _: &Found<'_, W>) -> bool {
        match self.code {}
    }
}

/// What is lent to machine code, were there any.
pub mod host {
    use crate::engine::fast::eval::Core;
    use crate::engine::fast::found::Found;
    use crate::engine::fast::scratch::Scratch;
    use crate::engine::fast::state::State;

    #[derive(Debug)]
    pub enum Code {}

    impl Code {
        pub fn list<const W: usize>(&self, _: Lent<'_, '_, W>, _: Room) -> bool {
            match *self {}
        }
    }

    #[derive(Clone, Copy, Debug)]
    pub struct Room;

    #[derive(Clone, Debug)]
    pub struct Spare<const W: usize>;

    impl<const W: usize> Spare<W> {
        pub fn new(_: &Core<W>) -> Self {
            Self
        }
    }

    pub struct Lent<'a, 'p, const W: usize> {
        pub core: &'p Core<W>,
        pub state: &'a mut State<W>,
        pub scratch: &'a mut Scratch<'p, W>,
        pub found: &'a mut Found<'p, W>,
        pub spare: &'a mut Spare<W>,
    }
}
