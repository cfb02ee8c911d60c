//! Long conditions that several functions ask: each is a function of its own, so that it is translated once.

use super::context::{ON_COPY, PRESENT};
use super::emit::Emit;
use super::value::Flag;
use crate::program::ir::{Int, Part, Test};
use crate::program::{ForMover, Generator};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

/// A condition of fewer instructions is written out wherever it is asked.
const LONG: usize = 60;

/// The long conditions of a player that are asked in several places and read nothing that was picked: those on the rest of a
/// turn, and those in front of all plies of a call.
pub(super) fn conditions(own: &ForMover) -> Vec<&Test> {
    let finishes = own.finishes.iter().flatten().filter_map(|guard| own.guards.get(usize::from(*guard)));
    let in_front = own.calls.iter().filter_map(|call| {
        let Generator::Let(_, Int::If(test, ..), _) = &call.generator else { return None };
        Some(&**test)
    });
    let mut found: Vec<&Test> = Vec::new();
    for test in finishes.chain(in_front).filter(|test| Part::Test(test).size() >= LONG) {
        if !found.contains(&test) {
            found.push(test);
        }
    }
    found
}

impl Emit<'_, '_> {
    /// Whether a condition holds, where that is told by a function.
    pub(super) fn asked_apart(&mut self, test: &Test) -> Option<Flag> {
        let mover = self.scene.mover;
        let function = self.apart.iter().find(|(own, other, _)| *own == mover && *other == test)?.2;
        // Such functions read of the turn what the state says of it.
        let scene = &self.scene;
        if scene.stuck != Flag::Known(false) || scene.unfinished || scene.following {
            return None;
        }
        let of = self.constant(if self.tries { ON_COPY } else { PRESENT }.cast_signed());
        let call = self.b.ins().call(function, &[self.context, of]);
        let held = self.b.inst_results(call)[0];
        Some(Flag::Value(self.b.ins().icmp_imm_u(IntCC::NotEqual, held, 0)))
    }

    /// Whether a condition holds in the present state, or in the copy on which something is tried: the function's whole body.
    pub(super) fn write_condition(&mut self, mover: usize, test: &Test, of_copy: Value) {
        self.apart.retain(|(_, other, _)| *other != test);
        let (now, trial) = (self.now, self.bases_of_trial());
        self.now = now.either(trial, |present, copy| self.b.ins().select(of_copy, copy, present));
        self.scene = self.scene_of(mover);
        let held = self.test(test);
        let held = self.flag(held);
        let held = self.b.ins().uextend(types::I64, held);
        self.b.ins().return_(&[held]);
    }
}
