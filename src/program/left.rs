//! Plies that print alike and leave different positions: the site that a piece has left tells which piece it was.

use super::Step;
use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use super::overlay::held;
use super::plan::MovePlan;

/// The plane of the empty sites.
const EMPTY: i64 = 0;

impl Lowering<'_> {
    /// Whether plies that differ in any of some parts always lead to different positions, so that none of them need be compared.
    ///
    /// Each part is a piece whose site becomes empty, and nothing else that is changed can be where such a piece stands: in all
    /// other plies it is still there.
    pub(super) fn leave_apart(&self, plan: &MovePlan<'_>, parts: &[u16]) -> bool {
        let mut stages = plan.body.iter().filter(|step| !matches!(step, Step::Let(..) | Step::LetSites(..)));
        let (Some(Step::Change(effects)), None) = (stages.next(), stages.next()) else { return false };
        self.stacks.is_none()
            && !parts.is_empty()
            && parts.iter().all(|part| self.is_told_by_leaving(plan, effects, *part))
    }

    fn is_told_by_leaving(&self, plan: &MovePlan<'_>, effects: &[Effect], part: u16) -> bool {
        let facts = &plan.before.pieces;
        let Some(pieces) = facts.get(&part).filter(|pieces| **pieces & 1 << EMPTY == 0) else { return false };
        let own = Int::Slot(part);
        let may_be_there = |set: &Sets| held(set, facts, self.ground.planes) & pieces != 0;
        let mut leaves = false;
        let touches_no_other = effects.iter().all(|effect| match effect {
            Effect::Put { target, piece, guard } if *target == one(own.clone()) => {
                leaves |= *guard == Test::Const(true) && *piece == Int::Const(EMPTY);
                *piece == Int::Const(EMPTY)
            }
            Effect::Put { target, .. } => !may_be_there(target),
            Effect::Move { from, to, guard, .. } => {
                leaves |= *guard == Test::Const(true) && *from == own;
                (*from == own || !may_be_there(&one(from.clone()))) && !may_be_there(&one(to.clone()))
            }
            Effect::Set { .. } | Effect::SetSites { .. } => true,
            Effect::Each { .. } => false,
        });
        leaves && touches_no_other
    }
}
