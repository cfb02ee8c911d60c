//! Random games of which somebody is told every ply before it is played, and what the notation of a ply shows.

use super::eval::View;
use super::player::Player;
use super::plies::bind;
use super::tries::Draws;
use super::values::remembered;
use crate::engine::dice::Dice;
use crate::engine::{Play, Shown};
use crate::program::Printed;
use crate::program::ir::Int;
use crate::rules::{MoveId, Type};

impl<const W: usize> Player<'_, W> {
    /// From now on plies may be drawn without being listed, where the game is made for it; whether it is.
    pub(super) fn begin_draws(&mut self, dice: &Dice) -> bool {
        self.scratch.draws = self.draws.then(|| Box::new(Draws::new(dice.clone())));
        self.draws
    }

    /// Plies are listed again, those of the position that is left among them, since they may be asked for. How many more
    /// there were to choose from than were listed.
    pub(super) fn end_draws(&mut self, dice: &mut Dice) -> (u64, u64) {
        let Some(draws) = self.scratch.draws.take() else { return (0, 0) };
        dice.clone_from(&draws.dice);
        if self.now.over.is_none() && self.now.found.drawn {
            self.core.legal(&self.now.state, &mut self.scratch, &mut self.now.found);
            self.list();
        }
        (draws.played, draws.offered)
    }

    /// The games of `playout`, ply by ply.
    pub(super) fn told(
        &mut self,
        dice: &mut Dice,
        most: u64,
        tell: &mut dyn FnMut(&mut dyn Play, usize),
    ) -> (u64, u64) {
        // Where chance has its say nothing is drawn.
        let draws = !self.chances && self.begin_draws(dice);
        let (mut plies, mut choices) = (0, 0);
        while plies < most && self.now.over.is_none() {
            let count = self.now.found.count;
            let index = if let Some(draws) = &mut self.scratch.draws {
                draws.choose(count)
            } else if self.chances && self.is_chance() {
                self.drawn(&mut |count| dice.choose(count))
            } else {
                dice.choose(count)
            };
            tell(self, index);
            let (played, offered) = self.run(|_, _| index, 1);
            if played == 0 {
                break;
            }
            plies += played;
            choices += offered;
        }
        if draws {
            let (played, offered) = self.end_draws(dice);
            choices = choices.saturating_sub(played) + offered;
        }
        (plies, choices)
    }

    /// The move of a legal ply and the values that its notation prints; none where numbers do not tell them.
    pub(super) fn values_shown(&mut self, index: usize, values: &mut Vec<Shown>) -> Option<MoveId> {
        values.clear();
        let ply = self.decode(index)?;
        let core = self.core;
        let call = core.own(&self.now.state).calls.get(usize::from(ply.call))?;
        let part = |shown: &Printed| {
            let Printed::Number(Int::Slot(slot)) = shown else { return None };
            ply.parts.get(usize::from(*slot)).copied()
        };
        // What is more than a part may ask for all of them.
        if !call.shown.iter().all(|shown| part(shown).is_some()) {
            bind(&mut self.scratch.frame, &ply.parts);
        }
        let view = View::of(core, &self.now.state);
        for (shown, ty) in call.shown.iter().zip(&call.shown_as) {
            let Printed::Number(of) = shown else { return None };
            let number = part(shown).unwrap_or_else(|| view.int(of, &mut self.scratch.frame));
            values.push(match (*ty)? {
                Type::Sites => Shown::Site(usize::try_from(number).ok().and_then(|at| core.program.layout.site(at))),
                ty => Shown::Value(remembered(&core.program, ty, number)),
            });
        }
        Some(call.mv)
    }
}
