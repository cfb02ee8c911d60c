//! Changes of stacks, as lists of pieces from the bottom to the top.

use super::Reference;
use super::changes::Effects;
use super::eval::{Frame, View};
use crate::board::Site;
use crate::rules::{ChangeKind, Content, End, Place, Slice, Value};

/// The pieces that are meant, and the others, both from the bottom.
struct Cut {
    part: Vec<Content>,
    rest: Vec<Content>,
}

impl Reference {
    /// A change that only games with stacks have; none where it cannot be made.
    pub(super) fn gather_stacks(
        &self,
        view: &View<'_>,
        kind: &ChangeKind,
        frame: &mut Frame,
        effects: &mut Effects,
    ) -> Option<()> {
        match kind {
            ChangeKind::Gets { target, pieces, bottom } => {
                let targets = view.eval(target, frame).sites();
                let pieces: Vec<Option<Content>> =
                    pieces.iter().map(|piece| piece_of(&view.eval(piece, frame))).collect();
                for site in targets.iter() {
                    let new: Vec<Content> = pieces.iter().copied().collect::<Option<_>>()?;
                    let new = new.into_iter().filter(|piece| !piece.is_empty()).collect();
                    let old = view.state.stack(site);
                    let stack = if *bottom { joined(new, old) } else { joined(old, new) };
                    self.arrive_stack(effects, site, stack)?;
                }
            }
            ChangeKind::Slice { target, slice, piece } => {
                let targets = view.eval(target, frame).sites();
                let count = number_of(view, slice, frame);
                let piece = piece_of(&view.eval(piece, frame));
                for site in targets.iter() {
                    let Cut { part, rest } = cut(view.state.stack(site), slice.end, count?)?;
                    let piece = piece?;
                    let new = if piece.is_empty() { Vec::new() } else { vec![piece; part.len()] };
                    let stack = match slice.end {
                        End::Top => joined(rest, new),
                        End::Bottom => joined(new, rest),
                    };
                    self.arrive_stack(effects, site, stack)?;
                }
            }
            ChangeKind::Carry { from, slice, to, place, piece } => {
                let (from, to) = (view.eval(from, frame).site()?, self.destination(view, to, frame)?);
                let whole = view.state.stack(from);
                let Cut { part, rest } = match slice {
                    Some(slice) => cut(whole, slice.end, number_of(view, slice, frame)?)?,
                    None => Cut { part: whole, rest: Vec::new() },
                };
                let part = match piece {
                    Some(piece) => turned_into(part, piece_of(&view.eval(piece, frame))?),
                    None => part,
                };
                let there = view.state.stack(to);
                let stack = match place {
                    Place::Instead => part,
                    Place::On => joined(there, part),
                    Place::Under => joined(part, there),
                };
                effects.arrive(from, rest)?;
                if stack.len() > self.rules.stacks.map_or(1, |stacks| stacks.most) {
                    return None;
                }
                effects.arrive(to, stack)?;
                effects.goes_to(to);
            }
            ChangeKind::Becomes { .. }
            | ChangeKind::MoveTo { .. }
            | ChangeKind::Remember { .. }
            | ChangeKind::Seats { .. }
            | ChangeKind::Know { .. } => {}
        }
        Some(())
    }

    /// More pieces than a site can hold cannot be put there.
    fn arrive_stack(&self, effects: &mut Effects, site: Site, stack: Vec<Content>) -> Option<()> {
        if stack.len() > self.rules.stacks.map_or(1, |stacks| stacks.most) {
            return None;
        }
        if !stack.is_empty() {
            effects.it.get_or_insert(site);
        }
        effects.arrive(site, stack)
    }
}

/// The same pieces with another one on top; with `empty` nothing is left of them.
pub(super) fn turned_into(mut stack: Vec<Content>, piece: Content) -> Vec<Content> {
    if piece.is_empty() {
        return Vec::new();
    }
    if let Some(top) = stack.last_mut() {
        *top = piece;
    }
    stack
}

fn joined(mut lower: Vec<Content>, upper: Vec<Content>) -> Vec<Content> {
    lower.extend(upper);
    lower
}

fn piece_of(value: &Value) -> Option<Content> {
    if let Value::Piece(piece) = value { *piece } else { None }
}

fn number_of(view: &View<'_>, slice: &Slice, frame: &mut Frame) -> Option<usize> {
    match &slice.count {
        None => Some(1),
        Some(count) => usize::try_from(view.eval(count, frame).number()?).ok(),
    }
}

/// None where there are not so many.
fn cut(mut stack: Vec<Content>, end: End, count: usize) -> Option<Cut> {
    let others = stack.len().checked_sub(count)?;
    Some(match end {
        End::Top => {
            let part = stack.split_off(others);
            Cut { part, rest: stack }
        }
        End::Bottom => {
            let rest = stack.split_off(count);
            Cut { part: stack, rest }
        }
    })
}
