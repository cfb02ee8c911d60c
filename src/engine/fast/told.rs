//! Random games of which somebody is told every ply before it is played, and what the notation of a ply shows.

use super::eval::View;
use super::facing::{Chooser, Facing, Number};
use super::names::named;
use super::player::Player;
use super::plies::bind;
use super::tries::Draws;
use super::values::remembered;
use crate::engine::dice::Dice;
use crate::engine::guide::{CHANCE, Guide};
use crate::engine::{Play, Shown};
use crate::program::Printed;
use crate::program::ir::Int;
use crate::rules::{MoveId, Type};

/// Plies that players decided on: their seats and keys.
type Noted = Vec<(u8, u64)>;

/// Chooses as a guide says, and notes what is chosen.
struct Guided<'a> {
    guide: Guide<'a>,
    /// None where plies are drawn: what draws them has its own.
    dice: Option<&'a mut Dice>,
    noted: &'a mut Noted,
    /// Of the last key only the name is noted: the part follows when the ply has been played.
    named: bool,
}

impl<'a> Guided<'a> {
    fn new(guide: Guide<'a>, dice: Option<&'a mut Dice>, noted: &'a mut Noted) -> Self {
        Self { guide, dice, noted, named: false }
    }

    #[inline]
    fn roll<const W: usize>(&mut self, count: usize, facing: &mut Facing<'_, '_, W>) -> usize {
        match &mut self.dice {
            Some(dice) => dice.roll(count),
            None => facing.drawn(count),
        }
    }

    /// The ply that keeps together what the last one would part.
    #[inline]
    fn keeping<const W: usize>(&mut self, count: usize, facing: &Facing<'_, '_, W>) -> Option<usize> {
        let dice = self.dice.as_mut().filter(|_| self.guide.keeps_together)?;
        let (_, key) = self.noted.last().filter(|(by, _)| *by != CHANCE)?;
        facing.keeping(*key, count, |several| dice.roll(several))
    }
}

impl<const W: usize> Chooser<W> for Guided<'_> {
    #[inline]
    fn choose(&mut self, count: usize, mut facing: Facing<'_, '_, W>) -> usize {
        let seat = facing.seat();
        let keeping = self.keeping(count, &facing);
        let mut index = keeping.unwrap_or_else(|| self.roll(count, &mut facing));
        self.named = false;
        if let (None, Some((better, _))) = (keeping, self.guide.better) {
            let (mut key, other) = (facing.key(index), self.roll(count, &mut facing));
            if other != index {
                let its = facing.key(other);
                if better(seat, key, its) {
                    (index, key) = (other, its);
                }
            }
            self.noted.push((seat, key));
            return index;
        }
        let name = facing.name(index);
        self.named = name.is_some();
        self.noted.push((seat, name.unwrap_or_else(|| facing.key(index))));
        index
    }

    #[inline]
    fn played(&mut self, varied: i64) {
        if let (true, Some((_, key))) = (self.named, self.noted.last_mut()) {
            *key = named(*key, varied);
        }
    }
}

impl<const W: usize> Player<'_, W> {
    /// From now on plies may be drawn without being listed, where the game is made for it; whether it is.
    pub(super) fn begin_draws(&mut self, dice: &Dice) -> bool {
        self.scratch.draws = self.draws.then(|| Box::new(Draws::new(dice.clone(), self.shunned.clone())));
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
        (draws.counted, draws.offered)
    }

    /// A random game by a guide, of which each ply that a player decided on is noted: the seat and the key.
    pub(super) fn guided(&mut self, dice: &mut Dice, guide: Guide<'_>, most: u64, noted: &mut Noted) -> u64 {
        if self.chances {
            return self.with_chance(dice, guide, most, noted);
        }
        let plain = Guide { better: None, ..guide };
        let mut plies = 0;
        if let Some((_, compared)) = guide.better {
            // Two can be compared where all are listed.
            plies = self.run(Guided::new(guide, Some(dice), noted), compared.min(most)).0;
        }
        if !self.begin_draws(dice) {
            return plies + self.run(Guided::new(plain, Some(dice), noted), most - plies).0;
        }
        plies += self.run(Guided::new(plain, None, noted), most - plies).0;
        self.end_draws(dice);
        plies
    }

    /// The same of a game in which chance decides here and there, and nothing is kept together.
    fn with_chance(&mut self, dice: &mut Dice, guide: Guide<'_>, most: u64, noted: &mut Noted) -> u64 {
        let mut plies = 0;
        while plies < most && self.now.over.is_none() {
            let (played, _) = if self.is_chance() {
                let index = self.drawn(&mut |count| dice.roll(count));
                self.run(Number(index), 1)
            } else {
                let better = guide.better.filter(|(_, compared)| plies < *compared);
                self.run(Guided::new(Guide { keeps_together: false, better }, Some(dice), noted), 1)
            };
            if played == 0 {
                break;
            }
            plies += played;
        }
        plies
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
            let index = if self.scratch.draws.is_some() {
                self.facing().drawn(count)
            } else if self.chances && self.is_chance() {
                self.drawn(&mut |count| dice.choose(count))
            } else {
                dice.choose(count)
            };
            tell(self, index);
            let (played, offered) = self.run(Number(index), 1);
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
