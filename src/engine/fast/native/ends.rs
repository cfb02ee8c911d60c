//! How a turn ends in machine code: what the game comes to, whose turn is next, and where it begins.

use super::context::{Reason, offset};
use super::course::{Course, OVER, after_turn};
use super::emit::{Emit, Scene, Scope};
use super::memory::{Facts, List, Region};
use super::succession::{Following, Next};
use super::value::{Flag, Num, Word};
use crate::program::ir::When;
use crate::program::{DutyKind, EndOfTurn, EndingResult, FirstValue};
use crate::rules::{CompareOp, TurnOf};
use cranelift_codegen::ir::{InstBuilder, Value, types};

/// Why a game may be over, and what the host needs for it.
#[derive(Clone, Copy)]
pub(super) enum Why {
    AtOnce,
    TurnOver,
    Unfinished,
    /// The player to move, the next one, the place in the order, the turn, its section and place, as they were: the next turn
    /// has begun and is taken back.
    Turn([Value; 6]),
    /// The same where nothing can be done in the next turn, and the host looks at the lines of `end`.
    Stuck([Value; 6]),
}

impl Emit<'_, '_> {
    pub(super) fn over_if(&mut self, flag: Flag, why: Why) {
        let flag = self.flag(flag);
        let (over, on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(over);
        self.split(flag, over, on);
        self.begin(over);
        self.finish(why);
        self.begin(on);
    }

    /// The host works out who has won.
    pub(super) fn finish(&mut self, why: Why) {
        self.tell_scene();
        let reason = match why {
            Why::AtOnce => Reason::AtOnce,
            Why::TurnOver => Reason::TurnOver,
            Why::Unfinished => Reason::Unfinished,
            Why::Turn(_) => Reason::Turn,
            Why::Stuck(_) => Reason::Stuck,
        };
        if let Why::Turn(old) | Why::Stuck(old) = why {
            for (at, old) in old.into_iter().enumerate() {
                self.set_context_field(old, offset::SAVED + 8 * at);
            }
        }
        let why = self.constant(reason as i64);
        let address = self.plan.addresses.finish;
        self.call(address, &[self.context, why]);
        let over = self.constant(OVER);
        self.b.ins().return_(&[over]);
    }

    /// Whether some line of `end` holds; the host is told which.
    pub(super) fn outcome(&mut self, mover: usize, at_once: bool) -> Flag {
        let program = &self.plan.program;
        let mut over = Flag::Known(false);
        let none = self.constant(-1);
        self.set_context_field(none, offset::HELD);
        let outer = self.scope.clone();
        if !at_once {
            program.by_mover[mover].kept.iter().for_each(|kept| self.bind_kept(kept));
        }
        for (index, ending) in program.by_mover[mover].endings.iter().enumerate() {
            if at_once && !ending.at_once {
                continue;
            }
            let open = self.not(over);
            let held = self.and_then(open, |e| {
                let held = e.test(&ending.condition);
                match &ending.result {
                    // A player who is not known decides nothing.
                    EndingResult::Players { players, .. } => e.and_then(held, |e| {
                        let players = e.int(players);
                        let known = e.is_known(players);
                        let playing = e.those_playing(players.word);
                        let some = e.compare_words(CompareOp::NotEqual, playing, Word::Known(0));
                        e.flags_and(known, some)
                    }),
                    _ => held,
                }
            });
            self.when(held, |e| {
                let index = e.constant(index as i64);
                e.set_context_field(index, offset::HELD);
            });
            over = self.flags_or(over, held);
        }
        self.scope = outer;
        over
    }

    pub(super) fn write_end_of_turn(&mut self, mover: usize, course: &Course) {
        let program = &self.plan.program;
        self.scene = self.scene_of(mover);
        for action in &program.end_of_turn {
            match action {
                EndOfTurn::Without { seen, count } => {
                    let had = Word::Value(self.cell(usize::from(*seen)));
                    let had = self.compare_words(CompareOp::Equal, had, Word::Known(1));
                    let old = self.cell(usize::from(*count));
                    let zero = self.constant(0);
                    let least = self.b.ins().smax(old, zero);
                    let more = self.b.ins().iadd_imm_s(least, 1);
                    let most = Word::Known(i64::MAX as u64);
                    let full = self.compare_words(CompareOp::Equal, Word::Value(least), most);
                    let more = self.select(full, most, Word::Value(more));
                    let new = self.select(had, Word::Known(0), more);
                    let new = self.value(new);
                    self.set_cell(new, usize::from(*count));
                }
            }
        }
        self.write_after_turn(mover);
        if self.is_dynamic() {
            let chosen = self.chosen_next(mover);
            return self.write_next_turn(mover, Next::Chosen(chosen), course);
        }
        let mut extra = Flag::Known(false);
        for (index, duties) in program.by_mover[mover].duties.iter().enumerate() {
            for duty in duties.iter().filter(|duty| matches!(duty.kind, DutyKind::ExtraTurn)) {
                let here = self.in_section(index);
                let held = self.and_then(here, |e| e.test(&duty.guard));
                extra = self.flags_or(extra, held);
            }
        }
        match extra {
            Flag::Known(false) => self.write_next_turn(mover, Next::After, course),
            Flag::Known(true) => self.write_next_turn(mover, Next::Again, course),
            Flag::Value(extra) => {
                let (again, on) = (self.b.create_block(), self.b.create_block());
                self.split(extra, again, on);
                self.begin(again);
                self.write_next_turn(mover, Next::Again, course);
                self.begin(on);
                self.scope = Scope::default();
                self.write_next_turn(mover, Next::After, course);
            }
        }
    }

    /// What the rules do after each turn, where it can be done.
    fn write_after_turn(&mut self, mover: usize) {
        let program = &self.plan.program;
        let Some((call, test)) = program.by_mover.get(mover).and_then(|own| after_turn(own, program)) else { return };
        let can = test.map_or(Flag::Known(true), |test| self.test(test));
        self.when(can, |e| {
            e.play(call);
        });
        self.scope = Scope::default();
        self.facts = Facts::default();
    }

    fn write_next_turn(&mut self, mover: usize, whose: Next, course: &Course) {
        let addresses = &self.plan.addresses;
        let Following { before, order, new_mover, new_next } = self.following(mover, whose);
        let finished = Scene { next: new_mover, ..self.scene_of(mover) };
        self.scene = finished;
        if !course.asks {
            let over = self.outcome(mover, false);
            self.over_if(over, Why::TurnOver);
        }
        let [next, order_before] = before.map(|word| self.value(word));
        let mover_before = self.constant(mover as i64);
        let (turn, section) = (self.value(finished.turn.word), self.state_field(types::I64, addresses.section));
        let old = [mover_before, next, order_before, turn, section, self.state_field(types::I16, addresses.place)];
        self.keep_turn();
        let places = [
            (types::I8, addresses.mover, new_mover.word),
            (types::I8, addresses.next, new_next.word),
            (types::I64, addresses.order, order),
        ];
        for (ty, place, new) in places {
            let new = self.value(new);
            self.set_state_field(ty, new, place);
        }
        let turn = self.value(finished.turn.word);
        let turn = self.b.ins().iadd_imm_s(turn, 1);
        self.set_state_field(types::I32, turn, addresses.turn);
        let begun = Scene { next: new_next, turn: Num::within(turn, 0, i64::from(u32::MAX) + 1), ..finished };
        let count = self.begin_turn_of(new_mover, begun);
        let mut stuck = self.compare_words(CompareOp::Equal, Word::Value(count), Word::Known(0));
        self.scope = Scope::default();
        if course.stuck_by_host {
            self.scene = Scene { stuck, following: true, ..finished };
            self.over_if(stuck, Why::Stuck(old));
            stuck = Flag::Known(false);
        }
        if course.asks {
            // Lines of `end` read the turn that is over.
            self.exchange();
            self.scene = Scene { stuck, following: true, ..finished };
            let over = self.outcome(mover, false);
            self.exchange();
            self.over_if(over, Why::Turn(old));
        }
        self.scene = Scene { stuck, following: true, ..finished };
        let alone = self.nobody_to_play_with();
        let over = self.flags_or(stuck, alone);
        self.over_if(over, Why::Turn(old));
        self.b.ins().return_(&[count]);
    }

    /// The turn of a player begins: values begin afresh, and the plies are counted.
    fn begin_turn_of(&mut self, mover: Num, scene: Scene) -> Value {
        if let Some(mover) = mover.constant().and_then(|mover| usize::try_from(mover).ok()) {
            return self.begin_own_turn(mover, scene);
        }
        let count = self.variable(types::I64);
        let (begun, facts) = (self.b.create_block(), self.facts.clone());
        let last = self.plan.program.players.saturating_sub(1);
        for own in 0..last {
            let (here, on) = (self.b.create_block(), self.b.create_block());
            let is_own = self.compare_words(CompareOp::Equal, mover.word, Word::Known(own as u64));
            let is_own = self.flag(is_own);
            self.split(is_own, here, on);
            self.begin(here);
            let plies = self.begin_own_turn(own, scene);
            self.b.def_var(count, plies);
            self.go_to(begun);
            self.begin(on);
            self.facts = facts.clone();
        }
        let plies = self.begin_own_turn(last, scene);
        self.b.def_var(count, plies);
        self.go_to(begun);
        self.begin(begun);
        self.facts = Facts::default();
        self.b.use_var(count)
    }

    fn begin_own_turn(&mut self, mover: usize, scene: Scene) -> Value {
        self.scope = Scope::default();
        self.scene = Scene { mover, ..scene };
        self.begin_afresh(mover);
        let turn = self.value(scene.turn.word);
        self.first_plies(mover, turn)
    }

    /// Keeps what is remembered for one turn only: lines of `end` read the turn that is over.
    pub(super) fn keep_turn(&mut self) {
        let kept_cells = self.lasting_field(offset::KEPT_CELLS);
        let plan = self.plan;
        for (at, cell) in plan.turn_cells.iter().enumerate() {
            let value = self.cell(usize::from(*cell));
            self.store(value, Region::KeptCells, kept_cells, 8 * at);
        }
        for (at, index) in plan.turn_sets.iter().enumerate() {
            let set = self.load_set(List::Memory(When::Now), usize::from(*index));
            self.store_set(&set, List::Kept, at);
        }
    }

    /// Values of the turn begin afresh.
    pub(super) fn begin_afresh(&mut self, mover: usize) {
        for reset in &self.plan.program.by_mover[mover].resets {
            let (base, count) = (usize::from(reset.place.base), usize::from(reset.place.count));
            match &reset.value {
                FirstValue::Int(int) => {
                    let number = self.int(int);
                    let value = self.value(number.word);
                    (base..base + count).for_each(|cell| self.set_cell(value, cell));
                }
                FirstValue::Sets(set) => {
                    let set = self.bits(set);
                    (base..base + count).for_each(|index| self.remember(&set, index));
                }
            }
        }
    }

    /// The plies at the beginning of the section in force: how many there are.
    pub(super) fn first_plies(&mut self, mover: usize, turn: Value) -> Value {
        let (program, addresses) = (&self.plan.program, &self.plan.addresses);
        // The more special section comes first: a number, a phase, any.
        let rank = |of: TurnOf| match of {
            TurnOf::Numbers(..) => 0,
            TurnOf::Phase(_) => 1,
            TurnOf::Any => 2,
        };
        let mut ranked: Vec<usize> = (0..program.sections.len()).collect();
        ranked.sort_by_key(|at| rank(program.sections[*at].of));
        let found = self.b.create_block();
        let count = self.variable(types::I64);
        for index in ranked {
            let section = program.sections[index];
            let held = match section.of {
                TurnOf::Numbers(first, last) if first == last => {
                    self.compare_words(CompareOp::Equal, Word::Value(turn), Word::Known(first as u64))
                }
                TurnOf::Numbers(first, last) => {
                    let turn = Word::Value(turn);
                    let begun = self.compare_words(CompareOp::GreaterEqual, turn, Word::Known(first as u64));
                    let there = self.compare_words(CompareOp::LessEqual, turn, Word::Known(last as u64));
                    self.flags_and(begun, there)
                }
                TurnOf::Phase(choice) => match program.phase {
                    Some(phase) => {
                        let phase = self.cell(usize::from(phase));
                        self.compare_words(CompareOp::Equal, Word::Value(phase), Word::Known(u64::from(choice.0)))
                    }
                    None => Flag::Known(false),
                },
                TurnOf::Any => Flag::Known(true),
            };
            let (here, on) = (self.b.create_block(), self.b.create_block());
            let held = self.flag(held);
            self.split(held, here, on);
            self.begin(here);
            let (number, place) = (self.constant(index as i64), self.constant(i64::from(section.entry)));
            self.set_state_field(types::I64, number, addresses.section);
            self.set_state_field(types::I16, place, addresses.place);
            self.remember_position();
            let plies = self.legal(mover, section.entry);
            self.b.def_var(count, plies);
            self.go_to(found);
            self.begin(on);
        }
        // No turn is described for this phase: there are no plies.
        let none = self.constant(0);
        self.set_state_field(types::I64, none, addresses.section);
        self.remember_position();
        self.b.def_var(count, none);
        self.go_to(found);
        self.begin(found);
        self.b.use_var(count)
    }

    /// The position that a turn begins with is one of those that were, where rules ask for them.
    fn remember_position(&mut self) {
        if self.plan.program.repetition.any() {
            let counts = self.call(self.plan.addresses.remember, &[self.context]);
            self.set_context_field(counts, offset::SEEN);
        }
    }

    /// What is remembered for one turn only changes places with what was kept.
    pub(super) fn exchange(&mut self) {
        let plan = self.plan;
        if plan.turn_cells.is_empty() && plan.turn_sets.is_empty() {
            return;
        }
        let kept_cells = self.lasting_field(offset::KEPT_CELLS);
        for (at, cell) in plan.turn_cells.iter().enumerate() {
            let here = self.cell(usize::from(*cell));
            let there = self.load(Region::KeptCells, kept_cells, 8 * at);
            self.set_cell(there, usize::from(*cell));
            self.store(here, Region::KeptCells, kept_cells, 8 * at);
        }
        for (at, index) in plan.turn_sets.iter().enumerate() {
            let here = self.load_set(List::Memory(When::Now), usize::from(*index));
            let there = self.load_set(List::Kept, at);
            self.store_set(&there, List::Memory(When::Now), usize::from(*index));
            self.store_set(&here, List::Kept, at);
        }
    }
}
