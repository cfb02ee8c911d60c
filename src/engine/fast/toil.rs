//! What it takes to draw a ply and to list all of them, in instructions: an estimate from the form of the rules.

use crate::program::ir::{Int, Part, Sets, Test};

/// What takes long counts as so many instructions.
const HEAVY: u64 = 12;

/// A flood takes so many: a dozen for each of its rounds.
const FLOOD: u64 = 100;

/// To draw a candidate takes so many instructions beside those of its tests.
const DRAW: u64 = 200;

/// The same of members of a set that are asked in one direction or another: no code of its own is run for any of them.
pub const SIFTED: u64 = 100;

/// So many candidates are drawn for a ply, as long as no more is known.
pub const DRAWN: u64 = 2;

/// What is the same for many candidates is counted in such parts of an instruction.
const PARTS: u64 = 1024;

/// What it takes to draw a ply or to list all, in instructions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// To draw, once for a ply, for each candidate, and for the tests of each that is looked at.
    pub once: u64,
    pub draw: u64,
    pub test: u64,
    /// To list, once for all; for each candidate that is looked at; and for each that is counted, in [`PARTS`].
    pub all: u64,
    pub each: u64,
    pub counted: u64,
    /// That a candidate is missing is found before it is tested.
    pub gaps: bool,
}

impl Cost {
    /// Of members of sets that are all plies.
    pub fn of_members() -> Self {
        Self { draw: DRAW, ..Self::default() }
    }

    pub fn or(self, other: Self) -> Self {
        Self {
            once: self.once + other.once,
            draw: self.draw.max(other.draw),
            test: self.test.max(other.test),
            all: self.all + other.all,
            each: self.each.max(other.each),
            counted: self.counted.max(other.counted),
            gaps: self.gaps || other.gaps,
        }
    }

    /// After something that is worked out once either way.
    pub fn after(self, once: u64) -> Self {
        Self { once: self.once + once, all: self.all + once, ..self }
    }

    /// For each member of a loop that counts so many candidates for it, after some tests.
    pub fn in_loop(self, tests: u64, within: u64) -> Self {
        let member = tests + self.all;
        let (each, counted) = if within <= 1 { (member, 0) } else { (0, member * PARTS / within) };
        Self {
            once: 0,
            draw: DRAW,
            test: tests + self.once + self.test,
            all: 0,
            each: each + self.each,
            counted: counted + self.counted,
            gaps: self.gaps,
        }
    }

    /// To draw a ply for which so many candidates are drawn, of which as many are there.
    pub fn of_drawing(&self, drawn: u64, judged: u64) -> u64 {
        let tested = if self.gaps { judged } else { drawn };
        self.once + drawn.saturating_mul(self.draw).saturating_add(tested.saturating_mul(self.test))
    }

    /// To list the plies of so many candidates, of which those are there that so many of those drawn stand for.
    pub fn of_listing(&self, candidates: u64, drawn: u64, judged: u64) -> u64 {
        let tested = if self.gaps { candidates.saturating_mul(judged) / drawn.max(1) } else { candidates };
        let counted = candidates.saturating_mul(self.counted) / PARTS;
        self.all.saturating_add(counted).saturating_add(tested.saturating_mul(self.each))
    }

    /// Of fewer candidates the plies are listed.
    pub fn least(&self) -> u64 {
        let drawing = self.of_drawing(DRAWN, DRAWN);
        let per_candidate = self.counted + self.each * PARTS;
        drawing.saturating_sub(self.all).saturating_mul(PARTS).checked_div(per_candidate).unwrap_or(0)
    }
}

/// About how long an instruction takes.
pub fn weight(part: &Part<'_>) -> u64 {
    let mut sum = own_weight(part);
    part.parts(&mut |part| sum += weight(&part));
    sum
}

/// The same of an instruction by itself, without those that it is made of.
pub fn own_weight(part: &Part<'_>) -> u64 {
    let flood = matches!(part, Part::Sets(Sets::Connected { .. }));
    let heavy = match part {
        Part::Sets(set) => matches!(
            set,
            Sets::Filter { .. }
                | Sets::Collect { .. }
                | Sets::Heads(_)
                | Sets::Grown { .. }
                | Sets::Primitive(..)
                | Sets::Ranked { .. }
                | Sets::Between(..)
                | Sets::Run { .. }
                | Sets::Beyond { .. }
                | Sets::Bracketed { .. }
                | Sets::Within { .. }
                | Sets::Nearer { .. }
        ),
        Part::Int(int) => {
            matches!(int, Int::Reduce { .. } | Int::Primitive(..) | Int::MaskWhere { .. } | Int::MaskCollect { .. })
        }
        Part::Test(test) => {
            matches!(test, Test::Exists { .. } | Test::Seen { .. } | Test::Possible { .. } | Test::CanApply(_))
        }
    };
    let own = if heavy { HEAVY } else { 1 };
    if flood { FLOOD } else { own }
}
