//! A ply played, as machine code: all operands of a stage are read first, then everything happens at once.

use super::emit::Emit;
use super::memory::{List, Region};
use super::stage::{CellChange, Stage};
use super::sweeps::entries;
use super::value::{Bits, Flag, Num, Word};
use crate::program::ir::{Domain, Effect, Int, NONE, When};
use crate::program::{Call, Chronicle, Step};
use crate::rules::CompareOp;
use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types;

impl Emit<'_, '_> {
    /// Plays a ply whose parts are bound; whether it fulfils `until`.
    pub fn play(&mut self, call: &Call) -> Flag {
        // Definitions before the first change; what is asked about the ply is asked before it too.
        let defines = |step: &Step| matches!(step, Step::Let(..) | Step::LetSites(..));
        let first = call.body.iter().position(|step| !defines(step)).unwrap_or(call.body.len());
        let (definitions, rest) = call.body.split_at(first);
        definitions.iter().for_each(|step| self.define(step));
        let mut noted = Vec::new();
        for chronicle in &call.chronicles {
            noted.push(match chronicle {
                Chronicle::Note { when, .. } => self.test(when),
                Chronicle::Collect { .. } | Chronicle::It { .. } => Flag::Known(false),
            });
        }
        let leaves = match &call.until {
            Some(until) => self.test(until),
            None => Flag::Known(false),
        };
        // On a copy that is tried the state before is the one that it was made of.
        // A single stage changes nothing before it has read everything; rounds do.
        let at_once = matches!(rest, [] | [Step::Change(_)]);
        if !at_once && call.reads_before && !self.tries {
            if !self.on_a_copy {
                let address = self.plan.addresses.stage;
                self.call(address, &[self.context]);
            }
            self.before = self.bases_of_before();
        }
        let mut it = Num::known(NONE);
        for step in rest {
            match step {
                Step::Change(effects) => {
                    let moved = self.change(effects);
                    it = self.known_or(it, moved);
                }
                Step::Repeat(repeat) => self.rounds(repeat, None),
                Step::Let(..) | Step::LetSites(..) => self.define(step),
            }
        }
        self.before = self.now;
        for (chronicle, noted) in call.chronicles.iter().zip(noted) {
            match chronicle {
                Chronicle::Note { cell, value, .. } => {
                    let cell = usize::from(*cell);
                    let word = match noted {
                        Flag::Known(true) => Word::Known(*value as u64),
                        Flag::Known(false) => continue,
                        Flag::Value(_) => {
                            let old = Word::Value(self.cell(cell));
                            self.select(noted, Word::Known(*value as u64), old)
                        }
                    };
                    let value = self.value(word);
                    self.set_cell(value, cell);
                }
                Chronicle::Collect { sites, set } => {
                    let taken = self.set(sites);
                    let old = self.remembered(usize::from(*set), When::Now).words;
                    let new = self.either(&old, &taken);
                    self.remember(&new.into(), usize::from(*set));
                }
                Chronicle::It { set } => {
                    let known = self.is_known(it);
                    let bit = self.single(it);
                    let new = if known == Flag::Known(true) {
                        Bits { words: bit, single: Some(it) }
                    } else {
                        let old = self.remembered(usize::from(*set), When::Now).words;
                        self.select_words(known, &bit, &old).into()
                    };
                    self.remember(&new, usize::from(*set));
                }
            }
        }
        leaves
    }

    pub fn define(&mut self, step: &Step) {
        match step {
            Step::Let(slot, int) => {
                let number = self.int(int);
                self.bind(*slot, number);
            }
            Step::LetSites(slot, set) => {
                let set = self.bits(set);
                self.bind_sites(*slot, set);
            }
            // Changes are made elsewhere.
            Step::Change(_) | Step::Repeat(_) => {}
        }
    }

    fn known_or(&mut self, a: Num, b: Num) -> Num {
        let known = self.is_known(a);
        match known {
            Flag::Known(true) => a,
            Flag::Known(false) => b,
            Flag::Value(_) => {
                let word = self.select(known, a.word, b.word);
                Num { word, low: a.low.min(b.low), high: a.high.max(b.high), missing: a.missing && b.missing }
            }
        }
    }

    /// All operands are read, then everything happens at once, unless it cannot. The site moved to first, or else placed on.
    fn change(&mut self, effects: &[Effect]) -> Num {
        let stage = self.staged(effects);
        let fits = stage.fits;
        let it = self.known_or(stage.moved, stage.placed);
        self.when(fits, |e| e.commit(&stage));
        self.only_if(fits, it)
    }

    /// Whether changes can be made all at once; none where only the host can tell.
    pub fn can_apply(&mut self, effects: &[Effect]) -> Option<Flag> {
        let planes = self.plan.program.planes.len();
        effects.iter().all(|effect| is_native_effect(effect, planes)).then(|| self.staged(effects).fits)
    }

    /// What changes would do, read before any of it happens.
    pub fn staged(&mut self, effects: &[Effect]) -> Stage {
        let mut stage = Stage::default();
        for effect in effects {
            self.gather_effect(effect, &mut stage);
        }
        // Two different pieces cannot arrive on one site.
        for (at, (plane, sites)) in stage.arriving.iter().enumerate() {
            for (other, more) in &stage.arriving[..at] {
                if plane.constant().is_some() && plane.constant() == other.constant() {
                    continue;
                }
                let both = self.both(&sites.words, &more.words);
                let mut clash = self.any(&both);
                if plane.constant().is_none() || other.constant().is_none() {
                    let differ = self.compare_words(CompareOp::NotEqual, plane.word, other.word);
                    clash = self.flags_and(clash, differ);
                }
                self.refuse(&mut stage.fits, clash);
            }
        }
        for (at, cell) in stage.cells.iter().enumerate() {
            for other in &stage.cells[..at] {
                let same = self.compare_words(CompareOp::Equal, cell.place, other.place);
                let differ = self.compare_words(CompareOp::NotEqual, cell.value, other.value);
                let mut clash = self.flags_and(same, differ);
                clash = self.flags_and(clash, cell.guard);
                clash = self.flags_and(clash, other.guard);
                self.refuse(&mut stage.fits, clash);
            }
        }
        self.keep_sweeps_apart(&mut stage);
        for (at, (index, set, guard)) in stage.sets.iter().enumerate() {
            for (other, more, other_guard) in &stage.sets[..at] {
                if index == other {
                    let differ = self.differ(set, more);
                    let mut clash = self.any(&differ);
                    clash = self.flags_and(clash, *guard);
                    clash = self.flags_and(clash, *other_guard);
                    self.refuse(&mut stage.fits, clash);
                }
            }
        }
        stage
    }

    /// The stage cannot be made where the flag is up.
    pub(super) fn refuse(&mut self, fits: &mut Flag, clash: Flag) {
        let apart = self.not(clash);
        *fits = self.flags_and(*fits, apart);
    }

    /// What is wanted must also be possible.
    pub(super) fn require(&mut self, fits: &mut Flag, wanted: Flag, possible: Flag) {
        let lacks = self.not(possible);
        let clash = self.flags_and(wanted, lacks);
        self.refuse(fits, clash);
    }

    /// The number is that of a plane: the lists of planes end there.
    fn is_plane(&mut self, plane: Num) -> Flag {
        let planes = self.plan.program.planes.len() as i64;
        if !plane.missing && plane.low >= 0 && plane.high < planes {
            return Flag::Known(true);
        }
        let value = self.value(plane.word);
        Flag::Value(self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, planes))
    }

    fn gather_effect(&mut self, effect: &Effect, stage: &mut Stage) {
        match effect {
            Effect::Put { target, piece, guard } => {
                let guard = self.test(guard);
                let sites = self.bits(target);
                let plane = self.int(piece);
                // A piece that is none can only go nowhere.
                let is_plane = self.is_plane(plane);
                let some = self.any(&sites.words);
                let wanted = self.flags_and(guard, some);
                self.require(&mut stage.fits, wanted, is_plane);
                let held = self.flags_and(guard, is_plane);
                let (words, single) = match held {
                    Flag::Known(true) => (sites.words, sites.single),
                    _ => {
                        let none = self.none();
                        (self.select_words(held, &sites.words, &none), None)
                    }
                };
                let placed = Bits { words, single };
                if plane.constant() != Some(0) && stage.placed.missing {
                    let only = self.only(&placed);
                    let real = self.compare_words(CompareOp::NotEqual, plane.word, Word::Known(0));
                    let only = self.only_if(real, only);
                    stage.placed = self.known_or(stage.placed, only);
                }
                stage.arriving.push((plane, placed));
            }
            Effect::Move { from, to, piece, guard } => {
                let guard = self.test(guard);
                let (source, target) = (self.int(from), self.int(to));
                let plane = match piece {
                    Some(piece) => self.int(piece),
                    None => self.content(from, When::Now),
                };
                let mut known = self.both_known(source, target);
                let is_plane = self.is_plane(plane);
                known = self.flags_and(known, is_plane);
                self.require(&mut stage.fits, guard, known);
                let held = self.flags_and(guard, known);
                let (source, target) = (self.only_if(held, source), self.only_if(held, target));
                let leaving = self.single(source);
                let words = self.single(target);
                stage.left.push(Bits { words: leaving, single: Some(source) });
                if stage.moved.missing {
                    stage.moved = self.known_or(stage.moved, target);
                }
                stage.arriving.push((plane, Bits { words, single: Some(target) }));
            }
            Effect::Set { base, count, index, value, range, guard } => {
                let guard = self.test(guard);
                let (place, fits) = match index {
                    None => (Word::Known(u64::from(*base)), Flag::Known(true)),
                    Some(index) => {
                        let index = self.int(index);
                        let value = self.value(index.word);
                        let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, i64::from(*count));
                        let zero = self.constant(0);
                        let value = self.b.ins().select(fits, value, zero);
                        let place = self.b.ins().iadd_imm_s(value, i64::from(*base));
                        (Word::Value(place), Flag::Value(fits))
                    }
                };
                let number = self.int(value);
                let within = self.fits(number, *range);
                let fits = self.flags_and(fits, within);
                self.require(&mut stage.fits, guard, fits);
                stage.cells.push(CellChange { place, value: number.word, guard });
            }
            Effect::SetSites { base, value, guard } => {
                let guard = self.test(guard);
                let value = self.set(value);
                stage.sets.push((*base, value, guard));
            }
            // Calls with other changes of this kind are played by the host.
            Effect::Each { slot, domain, effect: each } => match entries(effect) {
                Some(entries) => self.gather_sweep(&entries, stage),
                None => self.gather_each(*slot, domain, each, stage),
            },
        }
    }

    /// A change for each member of a domain: which sites pieces leave, and where those of each plane arrive.
    fn gather_each(&mut self, slot: u16, domain: &Domain, effect: &Effect, stage: &mut Stage) {
        let fits = self.variable(types::I8);
        let yes = self.flag(Flag::Known(true));
        self.b.def_var(fits, yes);
        let (left, none) = (self.variables(), self.none());
        let planes = planes_of(slot, effect, domain, self.plan.program.planes.len());
        let arrived: Vec<_> = planes.map(|plane| (plane, self.variables())).collect();
        self.each(slot, domain, None, |e| {
            let mut one = Stage::default();
            e.gather_effect(effect, &mut one);
            let so_far = Flag::Value(e.b.use_var(fits));
            let held = e.flags_and(so_far, one.fits);
            let held = e.flag(held);
            e.b.def_var(fits, held);
            one.left.iter().for_each(|sites| e.gather(&left, &sites.words));
            for (plane, sites) in &one.arriving {
                for (known, variables) in &arrived {
                    let is_it = e.compare_words(CompareOp::Equal, plane.word, Word::Known(*known as u64));
                    let sites = e.select_words(is_it, &sites.words, &none);
                    e.gather(variables, &sites);
                }
            }
        });
        let held = Flag::Value(self.b.use_var(fits));
        stage.fits = self.flags_and(stage.fits, held);
        stage.left.push(self.gathered(&left).into());
        for (plane, variables) in arrived {
            let sites = self.gathered(&variables);
            stage.arriving.push((Num::known(plane), sites.into()));
        }
    }

    pub fn commit(&mut self, stage: &Stage) {
        let mut arriving = self.none();
        for (_, sites) in &stage.arriving {
            arriving = self.either(&arriving, &sites.words);
        }
        for left in &stage.left {
            match (left.single, stage.arriving.as_slice()) {
                // What moves and arrives where it was is put down again below.
                (Some(single), [_]) => self.put_one(single, Num::known(0)),
                _ => {
                    let gone = self.minus(&left.words, &arriving);
                    self.put_all(&gone, Num::known(0));
                }
            }
        }
        for (plane, sites) in &stage.arriving {
            match sites.single {
                Some(single) => self.put_one(single, *plane),
                None => self.put_all(&sites.words, *plane),
            }
        }
        for cell in &stage.cells {
            let place = self.value(cell.place);
            let bytes = self.b.ins().ishl_imm_u(place, 3);
            let address = self.b.ins().iadd(self.now.cells, bytes);
            let word = match cell.guard {
                Flag::Known(true) => cell.value,
                guard => {
                    let old = Word::Value(self.load(Region::Cells, address, 0));
                    self.select(guard, cell.value, old)
                }
            };
            let value = self.value(word);
            self.store(value, Region::Cells, address, 0);
        }
        for sweep in &stage.sweeps {
            self.commit_sweep(sweep);
        }
        for (index, set, guard) in &stage.sets {
            let old = self.remembered(usize::from(*index), When::Now).words;
            let set = self.select_words(*guard, set, &old);
            self.remember(&set.into(), usize::from(*index));
        }
    }

    /// The piece of a plane is put on all members of a set.
    fn put_all(&mut self, sites: &[Word], plane: Num) {
        self.facts.put_on_many();
        let small = self.plan.program.planes.len() <= 4 && plane.constant().is_some() && self.plan.zobrist.is_none();
        if !small {
            return self.each_member(sites, None, |e, site| e.put_one(site, plane));
        }
        // All planes at once, and only the contents one by one.
        for other in 0..self.plan.program.planes.len() {
            let old = self.load_set(List::Planes(When::Now), other);
            let new =
                if plane.constant() == Some(other as i64) { self.either(&old, sites) } else { self.minus(&old, sites) };
            self.store_set(&new, List::Planes(When::Now), other);
        }
        self.each_member(sites, None, |e, site| {
            let site = e.value(site.word);
            let address = e.b.ins().iadd(e.now.contents, site);
            let plane = e.value(plane.word);
            e.set_content_at(plane, address);
        });
    }

    /// The piece of a plane is put on a site, if it is one.
    fn put_one(&mut self, site: Num, plane: Num) {
        if site.missing || !self.is_position(site) {
            let value = self.value(site.word);
            let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, self.plan.bits as i64);
            let site = Num { low: 0, high: self.plan.bits as i64 - 1, missing: false, ..site };
            return self.when(Flag::Value(fits), |e| e.put_one(site, plane));
        }
        let here = site;
        let site = self.value(site.word);
        let words = self.plan.words as i64;
        let address = self.b.ins().iadd(self.now.contents, site);
        let old = match self.facts.plane_at(here) {
            Some(plane) => self.constant(plane),
            None => self.content_at(address),
        };
        let new = self.value(plane.word);
        self.set_content_at(new, address);
        self.facts.put(here, plane.constant());
        let one = self.constant(1);
        // Shifts count modulo the length of a word.
        let bit = self.b.ins().ishl(one, site);
        let within = if words == 1 {
            self.now.planes
        } else {
            let word = self.b.ins().ushr_imm_u(site, 6);
            let bytes = self.b.ins().ishl_imm_u(word, 3);
            self.b.ins().iadd(self.now.planes, bytes)
        };
        for (plane, insert) in [(old, false), (new, true)] {
            let bytes = self.b.ins().imul_imm_s(plane, 8 * words);
            let address = self.b.ins().iadd(within, bytes);
            let word = self.load(Region::Planes, address, 0);
            let word = if insert { self.b.ins().bor(word, bit) } else { self.b.ins().band_not(word, bit) };
            self.store(word, Region::Planes, address, 0);
        }
        if let Some(zobrist) = &self.plan.zobrist {
            let planes = self.plan.program.planes.len().max(1) as i64;
            let row = self.b.ins().imul_imm_s(site, planes);
            let base = self.constant(zobrist.as_ptr() as i64);
            let mut hash = self.state_field(types::I64, self.plan.addresses.board_hash);
            for plane in [old, new] {
                let index = self.b.ins().iadd(row, plane);
                let bytes = self.b.ins().ishl_imm_u(index, 3);
                let address = self.b.ins().iadd(base, bytes);
                let key = self.constant_at(address, 0);
                hash = self.b.ins().bxor(hash, key);
            }
            self.set_state_field(types::I64, hash, self.plan.addresses.board_hash);
        }
    }
}

/// Of more planes than this, changes for each member of a set are left to the host: each plane has a set of its own.
const MOST_PLANES: usize = 9;

/// The planes of which a change for each member of a domain may put pieces.
fn planes_of(slot: u16, effect: &Effect, domain: &Domain, planes: usize) -> impl Iterator<Item = i64> + use<> {
    let known = if let Effect::Put { piece: Int::Const(plane), .. }
    | Effect::Move { piece: Some(Int::Const(plane)), .. } = effect
    {
        u32::try_from(*plane).ok().and_then(|plane| 1u64.checked_shl(plane)).unwrap_or(0)
    } else if let (Effect::Move { from: Int::Slot(from), piece: None, .. }, Domain::Sites(members)) = (effect, domain)
        && *from == slot
    {
        members.planes_met()
    } else {
        u64::MAX
    };
    (0i64..64).take(planes).filter(move |plane| known >> plane & 1 == 1)
}

/// A change has machine code; the others are made site by site by the host.
pub fn is_native_effect(effect: &Effect, planes: usize) -> bool {
    let Effect::Each { slot, domain, effect: each } = effect else { return true };
    let moves = matches!(**each, Effect::Move { .. } | Effect::Put { .. });
    entries(effect).is_some() || moves && planes_of(*slot, each, domain, planes).count() <= MOST_PLANES
}

/// Which of several pieces is moved first is told by the order of their sites, which the host knows.
pub fn moves_several(effect: &Effect) -> bool {
    matches!(effect, Effect::Each { .. }) && entries(effect).is_none()
}
