//! The flow of control: what is done only sometimes, over and over, or for one member after the other.

use super::emit::Emit;
use super::memory::Region;
use super::value::{Flag, Num, Word, Words};
use crate::program::ir::Domain;
use crate::rules::{CompareOp, MAX_RANGE};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Type, Value, types};
use cranelift_frontend::Variable;

/// The members of a domain: sites, the bits of a mask, or numbers from one to another.
pub enum Members {
    Sites(Words),
    Mask(Num),
    Range(Num, Num),
}

impl Members {
    /// All of them are numbers below the number of bits of a set.
    pub fn fit_a_set(&self, bits: usize) -> bool {
        match self {
            Self::Sites(_) | Self::Mask(_) => true,
            Self::Range(low, high) => low.low >= 0 && high.high < bits as i64,
        }
    }
}

impl Emit<'_, '_> {
    // The flow of control.

    pub fn variable(&mut self, ty: Type) -> Variable {
        self.b.declare_var(ty)
    }

    pub fn set_variable(&mut self, variable: Variable, word: Word) {
        let value = self.value(word);
        self.b.def_var(variable, value);
    }

    pub fn read(&mut self, variable: Variable) -> Word {
        Word::Value(self.b.use_var(variable))
    }

    /// Variables for a set, empty at first.
    pub fn variables(&mut self) -> Vec<Variable> {
        let none = self.none();
        self.kept(&none)
    }

    /// Variables that begin as a set.
    pub fn kept(&mut self, set: &[Word]) -> Vec<Variable> {
        set.iter()
            .map(|word| {
                let variable = self.variable(types::I64);
                self.set_variable(variable, *word);
                variable
            })
            .collect()
    }

    pub fn keep(&mut self, variables: &[Variable], set: &[Word]) {
        for (variable, word) in variables.iter().zip(set) {
            self.set_variable(*variable, *word);
        }
    }

    /// The members of a set are added to variables.
    pub fn gather(&mut self, variables: &[Variable], set: &[Word]) {
        for (variable, word) in variables.iter().zip(set) {
            let old = self.read(*variable);
            let new = self.or(old, *word);
            self.set_variable(*variable, new);
        }
    }

    pub fn gathered(&mut self, variables: &[Variable]) -> Words {
        variables.iter().map(|variable| self.read(*variable)).collect()
    }

    pub fn go_to(&mut self, block: Block) {
        self.b.ins().jump(block, &[]);
    }

    pub fn begin(&mut self, block: Block) {
        self.b.switch_to_block(block);
    }

    pub fn split(&mut self, flag: Value, yes: Block, no: Block) {
        self.b.ins().brif(flag, yes, &[], no, &[]);
    }

    /// One thing or the other; names bound inside are forgotten.
    pub fn branch(&mut self, flag: Flag, yes: impl FnOnce(&mut Self), no: impl FnOnce(&mut Self)) {
        let scope = self.scope.clone();
        match flag {
            Flag::Known(true) => yes(self),
            Flag::Known(false) => no(self),
            Flag::Value(value) => {
                let facts = self.facts.clone();
                let (then, other, after) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
                self.split(value, then, other);
                self.begin(then);
                yes(self);
                self.go_to(after);
                self.scope = scope.clone();
                let then = std::mem::replace(&mut self.facts, facts.clone());
                self.begin(other);
                no(self);
                self.go_to(after);
                self.begin(after);
                // What both ways leave as it was.
                self.facts = facts.common([&then, &self.facts]);
            }
        }
        self.scope = scope;
    }

    pub fn when(&mut self, flag: Flag, yes: impl FnOnce(&mut Self)) {
        self.branch(flag, yes, |_| {});
    }

    /// One set or the other, worked out only when it is wanted.
    pub fn choose(
        &mut self,
        flag: Flag,
        yes: impl FnOnce(&mut Self) -> Words,
        no: impl FnOnce(&mut Self) -> Words,
    ) -> Words {
        match flag {
            Flag::Known(true) => yes(self),
            Flag::Known(false) => no(self),
            Flag::Value(_) => {
                let chosen = self.variables();
                self.branch(
                    flag,
                    |e| {
                        let words = yes(e);
                        e.keep(&chosen, &words);
                    },
                    |e| {
                        let words = no(e);
                        e.keep(&chosen, &words);
                    },
                );
                self.gathered(&chosen)
            }
        }
    }

    /// A test that is worked out only when another one holds.
    pub fn and_then(&mut self, flag: Flag, then: impl FnOnce(&mut Self) -> Flag) -> Flag {
        match flag {
            Flag::Known(false) => flag,
            Flag::Known(true) => then(self),
            Flag::Value(_) => {
                let held = self.variable(types::I8);
                let no = self.flag(Flag::Known(false));
                self.b.def_var(held, no);
                self.when(flag, |e| {
                    let flag = then(e);
                    let value = e.flag(flag);
                    e.b.def_var(held, value);
                });
                Flag::Value(self.b.use_var(held))
            }
        }
    }

    /// Does something for one member after the other, in ascending order, until the variable is no longer zero.
    pub fn each_member(&mut self, set: &[Word], until: Option<Variable>, body: impl FnOnce(&mut Self, Num)) {
        if set.iter().all(|word| *word == Word::Known(0)) {
            return;
        }
        let (scope, facts) = (self.scope.clone(), self.facts.clone());
        let (head, inside, after) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let left = self.variable(types::I64);
        self.set_variable(left, set[0]);
        // Of several words the others wait on the stack.
        let passed = (set.len() > 1).then(|| self.variable(types::I64));
        let waiting = passed.map(|passed| {
            self.set_variable(passed, Word::Known(0));
            let out = self.room_for_a_set();
            self.store_set_at(set, Region::Out, out);
            out
        });
        self.go_to(head);
        self.begin(head);
        if let Some(until) = until {
            let (open, done) = (self.b.create_block(), self.b.use_var(until));
            self.split(done, after, open);
            self.begin(open);
        }
        let word = self.b.use_var(left);
        match passed.zip(waiting) {
            None => self.split(word, inside, after),
            Some((passed, waiting)) => {
                let empty = self.b.create_block();
                self.split(word, inside, empty);
                self.begin(empty);
                let before = self.b.use_var(passed);
                let next = self.b.ins().iadd_imm_s(before, 64);
                self.b.def_var(passed, next);
                let more = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, self.plan.bits as i64);
                let further = self.b.create_block();
                self.split(more, further, after);
                self.begin(further);
                // As many words of 8 bytes as there are 64 positions.
                let bytes = self.b.ins().ushr_imm_u(next, 3);
                let address = self.b.ins().iadd(waiting, bytes);
                let word = self.load(Region::Out, address, 0);
                self.b.def_var(left, word);
                self.go_to(head);
            }
        }
        self.begin(inside);
        let member = self.b.ins().ctz(word);
        let member = match passed {
            None => member,
            Some(passed) => {
                let passed = self.b.use_var(passed);
                self.b.ins().iadd(passed, member)
            }
        };
        let less = self.b.ins().iadd_imm_s(word, -1);
        let rest = self.b.ins().band(word, less);
        self.b.def_var(left, rest);
        body(self, Num::within(member, 0, self.plan.bits as i64 - 1));
        self.go_to(head);
        self.begin(after);
        (self.scope, self.facts) = (scope, facts);
    }

    /// The same for the bits of a mask of at most 32; those of a known mask are written out one by one.
    pub fn each_bit(&mut self, mask: Num, until: Option<Variable>, mut body: impl FnMut(&mut Self, Num)) {
        let (scope, facts) = (self.scope.clone(), self.facts.clone());
        if let Some(known) = mask.constant() {
            for bit in (0..32).filter(|bit| known as u32 >> bit & 1 == 1) {
                let open = match until {
                    Some(until) => {
                        let done = Flag::Value(self.b.use_var(until));
                        self.not(done)
                    }
                    None => Flag::Known(true),
                };
                self.when(open, |e| body(e, Num::known(bit)));
            }
            (self.scope, self.facts) = (scope, facts);
            return;
        }
        let low = self.and(mask.word, Word::Known(u64::from(u32::MAX)));
        let left = self.variable(types::I64);
        self.set_variable(left, low);
        let (head, inside, after) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.go_to(head);
        self.begin(head);
        let word = self.b.use_var(left);
        let mut some = Flag::Value(self.b.ins().icmp_imm_u(IntCC::NotEqual, word, 0));
        if let Some(until) = until {
            let done = Flag::Value(self.b.use_var(until));
            let open = self.not(done);
            some = self.flags_and(some, open);
        }
        let some = self.flag(some);
        self.split(some, inside, after);
        self.begin(inside);
        let member = self.b.ins().ctz(word);
        let less = self.b.ins().iadd_imm_s(word, -1);
        let rest = self.b.ins().band(word, less);
        self.b.def_var(left, rest);
        body(self, Num::within(member, 0, 31));
        self.go_to(head);
        self.begin(after);
        (self.scope, self.facts) = (scope, facts);
    }

    /// Does something over and over as long as the test says so.
    pub fn repeat(&mut self, test: impl FnOnce(&mut Self) -> Flag, body: impl FnOnce(&mut Self)) {
        let (scope, facts) = (self.scope.clone(), self.facts.clone());
        let (head, inside, after) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.go_to(head);
        self.begin(head);
        let flag = test(self);
        let flag = self.flag(flag);
        self.split(flag, inside, after);
        self.begin(inside);
        body(self);
        self.go_to(head);
        self.begin(after);
        (self.scope, self.facts) = (scope, facts);
    }

    /// What a domain comes to.
    pub fn members(&mut self, domain: &Domain) -> Members {
        match domain {
            Domain::Sites(set) => Members::Sites(self.set(set)),
            Domain::Mask(mask) => Members::Mask(self.int(mask)),
            Domain::Range(low, high) => Members::Range(self.int(low), self.int(high)),
        }
    }

    /// Binds one member of a domain after the other, until the variable is no longer zero.
    pub fn each(&mut self, slot: u16, domain: &Domain, until: Option<Variable>, body: impl FnMut(&mut Self)) {
        let members = self.members(domain);
        self.each_of(slot, &members, until, body);
    }

    pub fn each_of(&mut self, slot: u16, members: &Members, until: Option<Variable>, mut body: impl FnMut(&mut Self)) {
        match members {
            Members::Sites(set) => {
                self.each_member(set, until, |e, member| {
                    e.bind(slot, member);
                    body(e);
                });
            }
            Members::Mask(mask) => {
                self.each_bit(*mask, until, |e, member| {
                    e.bind(slot, member);
                    body(e);
                });
            }
            Members::Range(low, high) => {
                let (low, high) = (*low, *high);
                let (a, b) = (self.is_known(low), self.is_known(high));
                let known = self.flags_and(a, b);
                let (at, left) = (self.variable(types::I64), self.variable(types::I64));
                self.set_variable(at, low.word);
                self.set_variable(left, Word::Known(MAX_RANGE as u64));
                let short = high.high.saturating_sub(low.low) < MAX_RANGE as i64;
                self.when(known, |e| {
                    e.repeat(
                        |e| {
                            let (at, left) = (e.read(at), e.read(left));
                            let within = e.compare_words(CompareOp::LessEqual, at, high.word);
                            let mut on = within;
                            if !short {
                                let some = e.compare_words(CompareOp::Greater, left, Word::Known(0));
                                on = e.flags_and(within, some);
                            }
                            if let Some(until) = until {
                                let done = Flag::Value(e.b.use_var(until));
                                let open = e.not(done);
                                on = e.flags_and(on, open);
                            }
                            on
                        },
                        |e| {
                            let number = e.b.use_var(at);
                            e.bind(slot, Num::within(number, low.low, high.high));
                            body(e);
                            let next = e.b.ins().iadd_imm_s(number, 1);
                            e.b.def_var(at, next);
                            let count = e.b.use_var(left);
                            let less = e.b.ins().iadd_imm_s(count, -1);
                            e.b.def_var(left, less);
                        },
                    );
                });
            }
        }
    }
}
