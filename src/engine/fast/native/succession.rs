//! Whose turn is next in machine code: by the order of turns, by a duty that says so, and without those who have left.

use super::course::goes_round;
use super::emit::Emit;
use super::value::{Flag, Num, Word};
use crate::program::DutyKind;
use crate::rules::CompareOp;
use cranelift_codegen::ir::{InstBuilder, types};

/// Whose turn follows.
#[derive(Clone, Copy)]
pub(super) enum Next {
    /// That of the next player in order.
    After,
    /// That of the same player.
    Again,
    /// That of the player with this number; less than 0 where it is that of the next one in order.
    Chosen(Word),
}

/// Who moves when a turn is over.
pub(super) struct Following {
    /// Who was next in the turn that is over, and its place in the order of turns.
    pub before: [Word; 2],
    pub order: Word,
    pub new_mover: Num,
    pub new_next: Num,
}

/// No player.
const NOBODY: Word = Word::Known(u64::MAX);

impl Emit<'_, '_> {
    /// Whether it takes a look at the state to know who is next.
    pub(super) fn is_dynamic(&self) -> bool {
        let program = &self.plan.program;
        let mut duties = program.by_mover.iter().flat_map(|own| &own.duties).flatten();
        program.left.is_some() || !goes_round(program) || duties.any(|duty| matches!(duty.kind, DutyKind::NextTurn(_)))
    }

    /// Whether the turn that is over was described by this section.
    pub(super) fn in_section(&mut self, index: usize) -> Flag {
        if self.plan.program.sections.len() < 2 {
            return Flag::Known(true);
        }
        let section = self.state_field(types::I64, self.plan.addresses.section);
        self.compare_words(CompareOp::Equal, Word::Value(section), Word::Known(index as u64))
    }

    /// The player whom the first duty names whose guard holds and who is still in the game; less than 0 for nobody.
    pub(super) fn chosen_next(&mut self, mover: usize) -> Word {
        let mut chosen = NOBODY;
        for (index, duties) in self.plan.program.by_mover[mover].duties.iter().enumerate() {
            for duty in duties {
                let named = match &duty.kind {
                    DutyKind::ExtraTurn => None,
                    DutyKind::NextTurn(player) => Some(player),
                    DutyKind::Must(_) | DutyKind::MustMost(..) => continue,
                };
                let here = self.in_section(index);
                let open = self.compare_words(CompareOp::Equal, chosen, NOBODY);
                let here = self.flags_and(here, open);
                let result = self.variable(types::I64);
                let before = self.value(chosen);
                self.b.def_var(result, before);
                let held = self.and_then(here, |e| e.test(&duty.guard));
                self.when(held, |e| {
                    let player = match named {
                        None => Word::Known(mover as u64),
                        Some(player) => {
                            let mask = e.int(player);
                            e.only_player(mask)
                        }
                    };
                    let gone = e.has_left(player);
                    let player = e.select(gone, NOBODY, player);
                    let player = e.value(player);
                    e.b.def_var(result, player);
                });
                chosen = self.read(result);
            }
        }
        chosen
    }

    /// The only player of a mask; less than 0 where there is none or are several.
    fn only_player(&mut self, mask: Num) -> Word {
        let known = self.is_known(mask);
        let mask = self.value(mask.word);
        let count = self.b.ins().popcnt(mask);
        let one = self.compare_words(CompareOp::Equal, Word::Value(count), Word::Known(1));
        let one = self.flags_and(known, one);
        let player = self.b.ins().ctz(mask);
        self.select(one, Word::Value(player), NOBODY)
    }

    /// Whether the player with a number has left the game.
    fn has_left(&mut self, player: Word) -> Flag {
        let program = &self.plan.program;
        let Some(left) = program.left.map(usize::from) else { return Flag::Known(false) };
        let mut gone = Flag::Known(false);
        for own in 0..program.players {
            let is_own = self.compare_words(CompareOp::Equal, player, Word::Known(own as u64));
            let its = self.is_out(left, own);
            let both = self.flags_and(is_own, its);
            gone = self.flags_or(gone, both);
        }
        gone
    }

    fn is_out(&mut self, left: usize, player: usize) -> Flag {
        let cell = Word::Value(self.cell(left + player));
        self.compare_words(CompareOp::NotEqual, cell, Word::Known(0))
    }

    /// Whether a player has left whose number is known.
    pub(super) fn mover_has_left(&mut self, mover: usize) -> Flag {
        let left = self.plan.program.left.map(usize::from);
        left.map_or(Flag::Known(false), |left| self.is_out(left, mover))
    }

    /// Of a mask of players those who are still in the game.
    pub(super) fn those_playing(&mut self, players: Word) -> Word {
        let program = &self.plan.program;
        let Some(left) = program.left.map(usize::from) else { return players };
        let mut playing = Word::Known(0);
        for own in 0..program.players {
            let gone = self.is_out(left, own);
            let bit = self.select(gone, Word::Known(0), Word::Known(1 << own));
            let (all, bit) = (self.value(playing), self.value(bit));
            playing = Word::Value(self.b.ins().bor(all, bit));
        }
        let (players, playing) = (self.value(players), self.value(playing));
        Word::Value(self.b.ins().band(players, playing))
    }

    /// Whether at most one player is still in the game, where players can leave it.
    pub(super) fn nobody_to_play_with(&mut self) -> Flag {
        if self.plan.program.left.is_none() {
            return Flag::Known(false);
        }
        let playing = self.those_playing(Word::Known(u64::MAX));
        let playing = self.value(playing);
        let count = self.b.ins().popcnt(playing);
        self.compare_words(CompareOp::LessEqual, Word::Value(count), Word::Known(1))
    }

    /// Who moves in the turn to come, and who after that: known as long as nobody changes seats, leaves or is chosen.
    pub(super) fn following(&mut self, mover: usize, whose: Next) -> Following {
        let program = &self.plan.program;
        if program.seats.is_none() && !self.is_dynamic() {
            let after = |order: usize| if order + 1 < program.order.len() { order + 1 } else { 0 };
            let order = program.order.iter().position(|player| usize::from(player.0) == mover).unwrap_or(0);
            let player = |order: usize| program.order.get(order).map_or(0, |player| i64::from(player.0));
            let new = if matches!(whose, Next::Again) { order } else { after(order) };
            return Following {
                before: [Word::Known(player(after(order)) as u64), Word::Known(order as u64)],
                order: Word::Known(new as u64),
                new_mover: Num::known(player(new)),
                new_next: Num::known(player(after(new))),
            };
        }
        let next = Word::Value(self.state_field(types::I8, self.plan.addresses.next));
        let before = Word::Value(self.state_field(types::I64, self.plan.addresses.order));
        let order = match whose {
            Next::After => self.order_after(before),
            Next::Again => before,
            Next::Chosen(player) => self.order_of(player, mover, before),
        };
        let then = self.order_after(order);
        let (new_mover, new_next) = (self.seated(order), self.seated(then));
        Following { before: [next, before], order, new_mover, new_next }
    }

    /// The place of the player who was chosen: for the mover the same place again, for others the next one that they have. Where
    /// nobody was chosen, or somebody who has no place, the order goes on.
    fn order_of(&mut self, chosen: Word, mover: usize, before: Word) -> Word {
        let mut place = self.order_after(before);
        let (mut at, mut found) = (self.place_behind(before), Flag::Known(false));
        for _ in 0..self.plan.program.order.len() {
            let player = self.seated(at);
            let here = self.compare_words(CompareOp::Equal, player.word, chosen);
            let open = self.not(found);
            let first = self.flags_and(here, open);
            place = self.select(first, at, place);
            found = self.flags_or(found, here);
            at = self.place_behind(at);
        }
        let again = self.compare_words(CompareOp::Equal, chosen, Word::Known(mover as u64));
        self.select(again, before, place)
    }

    /// The place in the order of turns after another, without those who have left.
    fn order_after(&mut self, order: Word) -> Word {
        let first = self.place_behind(order);
        if self.plan.program.left.is_none() {
            return first;
        }
        let mut place = first;
        for _ in 1..self.plan.program.order.len() {
            let player = self.seated(place);
            let gone = self.has_left(player.word);
            let on = self.place_behind(place);
            place = self.select(gone, on, place);
        }
        // Where all have left, the order goes on as if they had not.
        let player = self.seated(place);
        let gone = self.has_left(player.word);
        self.select(gone, first, place)
    }

    /// The place in the order of turns behind another.
    fn place_behind(&mut self, order: Word) -> Word {
        let program = &self.plan.program;
        let (first, last) = (program.opening as u64, program.order.len().saturating_sub(1));
        let is_last = self.compare_words(CompareOp::GreaterEqual, order, Word::Known(last as u64));
        let order = self.value(order);
        let more = self.b.ins().iadd_imm_s(order, 1);
        self.select(is_last, Word::Known(first), Word::Value(more))
    }

    /// The player at a place in the order of turns, whatever he plays by now.
    fn seated(&mut self, order: Word) -> Num {
        let program = &self.plan.program;
        let mut player = Word::Known(0);
        for (at, seat) in program.order.iter().enumerate() {
            let mut holder = Word::Known(u64::from(seat.0));
            if let Some(seats) = program.seats.map(usize::from) {
                for own in (0..program.players).rev() {
                    let cell = Word::Value(self.cell(seats + own));
                    let holds = self.compare_words(CompareOp::Equal, cell, Word::Known(1 << seat.0));
                    holder = self.select(holds, Word::Known(own as u64), holder);
                }
            }
            let here = self.compare_words(CompareOp::Equal, order, Word::Known(at as u64));
            player = self.select(here, holder, player);
        }
        Num::within(self.value(player), 0, 31)
    }
}
