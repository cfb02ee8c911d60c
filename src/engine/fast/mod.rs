//! The fast engine: runs a program on sets of machine words, the number of which is fixed for each board.

pub mod bounds;
pub mod changes;
mod draw;
mod ends;
pub mod eval;
mod facing;
mod follows;
pub mod found;
pub mod generate;
pub mod geometry;
mod judge;
pub mod lots;
pub mod names;
#[cfg_attr(not(feature = "native"), path = "interpreted.rs")]
pub mod native;
mod observe;
pub mod play;
mod player;
pub mod plies;
pub mod rings;
mod runner;
pub mod scratch;
pub mod seen;
pub mod set;
mod shared_lots;
mod standing;
pub mod state;
pub mod toil;
mod told;
pub mod tries;
pub mod turns;
pub mod urn;
mod values;
mod whole;
mod worst;

use super::Play;
use super::steps::STEPS;
use crate::program::{Program, Unsupported, compile};
use crate::rules::Rules;
use crate::stack::on_large_stack;
use eval::Core;
use geometry::Geometry;
use petgraph::graph::NodeIndex;
use player::Player;
use runner::Runner;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use worst::{Worst, worst};

/// A game lowered and ready to be run; cheap to clone.
#[derive(Clone, Debug)]
pub struct Fast {
    machine: Arc<dyn Machine>,
    program: Arc<Program>,
}

/// When machine code is made. It takes some milliseconds, which a single question about a position is not worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MachineCode {
    /// Instructions are interpreted one by one.
    Never,
    /// Once plies enough have been played to pay for it.
    #[default]
    WhenWarm,
    AtOnce,
    /// At once, and it compares every place that it reads or writes with the part of memory that it belongs to: much slower.
    #[cfg(test)]
    Checked,
}

/// Room for lists of plies is made for as many as there may be; of more the reference counts the bytes.
const MOST_PLIES: u64 = 50_000_000;

trait Machine: Send + Sync + std::fmt::Debug {
    fn player(&self) -> Box<dyn Play + '_>;
    fn machine_code_time(&self) -> Option<Duration>;
    fn drawn_places(&self) -> Vec<u16>;
    fn warm(&self);
    fn worst(&self) -> Worst;
}

impl Fast {
    /// Lowers rules; what cannot be lowered is said with its place.
    pub fn new(rules: &Arc<Rules>) -> Result<Self, Unsupported> {
        Self::with(rules, MachineCode::WhenWarm)
    }

    /// The same, for plies that may take so many steps each. Rules of which neither the text nor the program that they become
    /// is proved to take fewer cannot be run, since only the reference counts each step; so nothing need be counted here but
    /// searches over the rest of a turn.
    pub fn within(rules: &Arc<Rules>, native: MachineCode, steps: u64) -> Result<Self, Unsupported> {
        let (clause, mv) = rules.dearest;
        let fast = Self::lowered(rules, native, steps)?;
        let cost = if fast.program.tries_plies() { rules.cost } else { rules.cost_once };
        if cost <= steps && rules.most_plies <= MOST_PLIES {
            return Ok(fast);
        }
        let worst = fast.machine.worst();
        if cost > steps && worst.steps > steps {
            let what =
                "this may take more steps than a ply has, and only the reference counts the steps that are taken";
            return Err(Unsupported { what: what.into(), span: clause });
        }
        if rules.most_plies > MOST_PLIES && worst.plies > MOST_PLIES {
            return Err(Unsupported { what: "moves that may be made in too many ways".into(), span: mv });
        }
        Ok(fast)
    }

    /// The same, with a word on when machine code is made of the instructions.
    pub fn with(rules: &Arc<Rules>, native: MachineCode) -> Result<Self, Unsupported> {
        Self::within(rules, native, STEPS)
    }

    fn lowered(rules: &Arc<Rules>, native: MachineCode, steps: u64) -> Result<Self, Unsupported> {
        // Lowering recurses on expressions, and what it keeps at each level is much.
        let deep =
            Unsupported { what: "a thread to lower the rules on".into(), span: rules.graph[NodeIndex::new(0)].span };
        let program = Arc::new(on_large_stack(|| compile(rules)).unwrap_or(Err(deep))?);
        // Each width is one more copy of the engine to compile. Builds for development have four of them and play every
        // board with the next wider one; campaigns in release builds compare all eight.
        let machine = match program.layout.words {
            0 | 1 => machine::<1>(rules, &program, native, steps),
            2 => machine::<2>(rules, &program, native, steps),
            #[cfg(not(debug_assertions))]
            3 => machine::<3>(rules, &program, native, steps),
            ..=4 => machine::<4>(rules, &program, native, steps),
            #[cfg(not(debug_assertions))]
            5 | 6 => machine::<6>(rules, &program, native, steps),
            #[cfg(not(debug_assertions))]
            7 | 8 => machine::<8>(rules, &program, native, steps),
            #[cfg(not(debug_assertions))]
            9 | 10 => machine::<10>(rules, &program, native, steps),
            _ => machine::<16>(rules, &program, native, steps),
        };
        let span = rules.turns.first().map(|turn| turn.span);
        match (machine, span) {
            (Some(machine), _) => Ok(Self { machine, program }),
            (None, Some(span)) => Err(Unsupported { what: "a board with too many places".into(), span }),
            (None, None) => {
                Err(Unsupported { what: "a game without turns".into(), span: rules.graph[NodeIndex::new(0)].span })
            }
        }
    }

    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How long it took to write machine code; none as long as there is none.
    #[must_use]
    pub fn machine_code_time(&self) -> Option<Duration> {
        self.machine.machine_code_time()
    }

    /// The places in turns at which random games draw a ply instead of listing all.
    #[must_use]
    pub fn drawn_places(&self) -> Vec<u16> {
        self.machine.drawn_places()
    }

    /// Makes machine code now, which all who are asked to play from now on use from their first ply.
    pub fn warm(&self) {
        self.machine.warm();
    }

    /// Somebody to play games on it.
    #[must_use]
    pub fn player(&self) -> Box<dyn Play + '_> {
        self.machine.player()
    }
}

fn machine<const W: usize>(
    rules: &Arc<Rules>,
    program: &Arc<Program>,
    native: MachineCode,
    steps: u64,
) -> Option<Arc<dyn Machine>> {
    let geometry = Geometry::<W>::of(&rules.board, &program.layout)?;
    let core = Core::new(geometry, Arc::clone(program), Arc::clone(rules), whole::possible::<W>, steps);
    #[cfg(test)]
    let checked = native == MachineCode::Checked;
    #[cfg(not(test))]
    let checked = false;
    let runner = Runner { core, native: OnceLock::new(), checked };
    match native {
        MachineCode::Never => {
            let _ = runner.native.set(None);
        }
        MachineCode::WhenWarm => {}
        MachineCode::AtOnce => {
            let _ = runner.compiled();
        }
        #[cfg(test)]
        MachineCode::Checked => {
            let _ = runner.compiled();
        }
    }
    Some(Arc::new(runner))
}

impl<const W: usize> Machine for Runner<W> {
    fn machine_code_time(&self) -> Option<Duration> {
        self.native.get().and_then(Option::as_ref).map(|native| native.took)
    }

    fn drawn_places(&self) -> Vec<u16> {
        (0..).zip(&self.core.urn.places).filter(|(_, drawn)| **drawn).map(|(place, _)| place).collect()
    }

    fn warm(&self) {
        let _ = self.compiled();
    }

    fn worst(&self) -> Worst {
        worst(&self.core)
    }

    fn player(&self) -> Box<dyn Play + '_> {
        Box::new(Player::of(self))
    }
}
