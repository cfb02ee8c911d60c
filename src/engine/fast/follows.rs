//! Parts of plies that follow from the one that differs, worked out beforehand for all its values.

use super::eval::{Core, Frame, View};
use super::plies::Ply;
use super::state::State;
use crate::engine::observe::Follow;
use crate::program::ir::{Int, NONE};
use crate::program::{MAX_PARTS, is_fixed_by};

/// What parts follow from the site in a slot, in calls of a player; none where something in play decides, too.
pub fn follows<const W: usize>(core: &Core<W>, mover: u8, slot: u16, derived: &[(u16, Int)]) -> Option<Vec<Follow>> {
    let mut told = vec![slot];
    for (part, number) in derived {
        if !is_fixed_by(number, &told) {
            return None;
        }
        told.push(*part);
    }
    let mut found: Vec<Follow> = derived.iter().map(|(part, _)| blank::<W>(*part)).collect();
    let mut state = State::empty(core.geometry.all, core.program.layout.positions, &core.program);
    state.mover = mover;
    let (view, mut frame) = (View::of(core, &state), Frame::new(&core.program));
    for member in core.geometry.all {
        let mut ply = Ply { call: 0, parts: [NONE; MAX_PARTS], places: None };
        *ply.parts.get_mut(usize::from(slot))? = i64::try_from(member).ok()?;
        ply.derive(derived, &view, &mut frame);
        for follow in &mut found {
            *follow.by_value.get_mut(member)? = ply.parts.get(follow.part).copied()?;
        }
    }
    Some(found)
}

fn blank<const W: usize>(part: u16) -> Follow {
    Follow { part: usize::from(part), by_value: vec![NONE; 64 * W] }
}
