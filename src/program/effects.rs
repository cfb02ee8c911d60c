//! The changes of a stage lowered, and what they take from the board.

use super::build::*;
use super::ir::*;
use super::lift::replace_int;
use super::lower::{Env, Lowered, Lowering};
use super::members::MOST_PIECES;
use super::overlay::{Facts, held};
use super::parts::conjuncts;
use super::values::Val;
use super::{Repeat, Step, Unsupported};
use crate::rules::{self, Change, ChangeKind, Expr, Scope, Type};

/// Numbers with more entries are changed member by member.
const MOST_ENTRIES: u16 = 16;

/// A change for each of some numbers, directions, players or kinds is not written out where that takes more instructions.
const MOST_WRITTEN: usize = 600;

impl Lowering<'_> {
    /// The changes of a stage, which are made all at once.
    pub fn effects(&mut self, changes: &[Change], env: &Env) -> Lowered<Vec<Effect>> {
        let mut effects = Vec::new();
        for change in changes {
            match self.for_each_known(change, env)? {
                Some(each) => effects.extend(each),
                None => effects.extend(self.of_line(change, env)?),
            }
        }
        Ok(effects)
    }

    /// A change for every member of a small set that is known, written out. Only within a stage, where it makes no
    /// difference whether they are one change or several.
    fn for_each_known(&mut self, change: &Change, env: &Env) -> Lowered<Option<Vec<Effect>>> {
        let Some((local, domain)) = &change.each else { return Ok(None) };
        let domain = self.expr(domain, env)?;
        if let Domain::Sites(sites) = self.domain(domain.clone())
            && let Some(site) = self.surely_one(&sites)
        {
            let mut inner = env.clone();
            inner.set(*local, self.member(&domain, site));
            return self.plain_effects(change, &inner).map(Some);
        }
        let (Domain::Mask(Int::Const(mask)), false) = (self.domain(domain.clone()), domain == Val::Missing) else {
            return Ok(None);
        };
        let mut inner = env.clone();
        let mut effects = Vec::new();
        for member in members(mask) {
            inner.set(*local, self.member(&domain, Int::Const(member)));
            effects.extend(self.plain_effects(change, &inner)?);
        }
        Ok(Some(effects))
    }

    /// The only site of a set that surely has one.
    fn surely_one(&self, sites: &Sets) -> Option<Int> {
        if let Sets::One(site) = sites {
            return (self.is_there(site) == Test::Const(true)).then(|| (**site).clone());
        }
        // What is taken away is elsewhere.
        if let Sets::Minus(whole, taken) = sites {
            return if self.are_apart(whole, taken) { self.surely_one(whole) } else { None };
        }
        let Sets::And(parts) = sites else { return None };
        let (one, rest): (Vec<&Sets>, Vec<&Sets>) = parts.iter().partition(|part| matches!(part, Sets::One(_)));
        let [one] = one.as_slice() else { return None };
        let keeps = |part: &&Sets| matches!(part, Sets::Not(taken) if self.are_apart(one, taken));
        if rest.iter().all(keeps) { self.surely_one(one) } else { None }
    }

    /// Changes as they are made one after the other, and what those behind know of the state before.
    fn one_by_one(&mut self, changes: &[Change], env: &Env) -> Lowered<Vec<Step>> {
        let (mut steps, mut env) = (Vec::new(), env.clone());
        for change in changes {
            if let ChangeKind::Know { local, value } = &change.kind {
                let value = self.expr(value, &env)?;
                let (known, kept) = self.keep(value);
                steps.extend(known);
                env.set(*local, kept);
            } else {
                let effects = self.of_line(change, &env)?;
                steps.push(Step::Change(effects));
            }
        }
        Ok(steps)
    }

    /// A line of changes.
    fn of_line(&mut self, change: &Change, env: &Env) -> Lowered<Vec<Effect>> {
        let ChangeKind::Seats { one, other } = &change.kind else { return self.of_change(change, env) };
        let Some(memory) = self.rules.seats else { return Ok(Vec::new()) };
        let seat = |player: &rules::Expr| rules::ExprKind::Memory { memory, index: Some(Box::new(player.clone())) };
        let mut effects = Vec::new();
        for (to, from) in [(one, other), (other, one)] {
            let value = rules::Expr { kind: seat(from), span: change.span };
            let kind = ChangeKind::Remember { memory, index: Some(to.clone()), value };
            effects.extend(self.of_change(&Change { kind, ..change.clone() }, env)?);
        }
        Ok(effects)
    }

    fn of_change(&mut self, change: &Change, env: &Env) -> Lowered<Vec<Effect>> {
        if let Some((local, domain)) = &change.each {
            let domain = self.expr(domain, env)?;
            let mut inner = env.clone();
            if let Val::Site(site) = &domain {
                inner.set(*local, domain.clone());
                let effects = self.plain_effects(change, &inner)?;
                return Ok(effects.into_iter().map(|effect| self.where_is(site, effect)).collect());
            }
            let slot = self.int_slot();
            inner.set(*local, self.member(&domain, Int::Slot(slot)));
            self.bind(slot, &domain);
            let effects = self.plain_effects(change, &inner)?;
            let domain = self.domain(domain);
            return Ok(effects.into_iter().flat_map(|effect| self.each_member(slot, &domain, effect)).collect());
        }
        self.plain_effects(change, env)
    }

    /// A change for a site, if there is one.
    fn where_is(&self, site: &Int, mut effect: Effect) -> Effect {
        // A piece that is put on no site is put nowhere.
        let is_put_there = matches!(&effect, Effect::Put { target: Sets::One(at), piece, .. }
            if **at == *site && self.is_sure(piece));
        if !is_put_there {
            let guard = guard_of(&mut effect);
            let known = std::mem::replace(guard, Test::Const(true));
            *guard = and(vec![known, self.is_there(site)]);
        }
        effect
    }

    /// A change for each member of a domain; the same piece put somewhere for all of them is put on a set, and so is one that
    /// the piece there decides.
    fn each_member(&mut self, slot: u16, domain: &Domain, effect: Effect) -> Vec<Effect> {
        (self.piece_by_piece(slot, domain, &effect).or_else(|| self.entry_by_entry(slot, domain, &effect)))
            .unwrap_or_else(|| {
                let effect = self.all_members(slot, domain, effect);
                self.member_by_member(&effect).unwrap_or_else(|| vec![effect])
            })
    }

    /// A change for each of a few numbers, directions, players or kinds as one for each that there may be: of each it is known
    /// what it changes.
    fn member_by_member(&self, effect: &Effect) -> Option<Vec<Effect>> {
        let Effect::Each { slot, domain: domain @ (Domain::Mask(_) | Domain::Range(..)), effect } = effect else {
            return None;
        };
        match &**effect {
            Effect::Set { .. } => {}
            Effect::Put { piece, .. } if !self.remembers_first(piece) => {}
            Effect::Put { .. } | Effect::Move { .. } | Effect::SetSites { .. } | Effect::Each { .. } => return None,
        }
        let mut size = 0;
        effect.parts(&mut |part| size += part.size());
        let members = members_if(domain).filter(|members| members.len().saturating_mul(size) <= MOST_WRITTEN)?;
        let of_one = |(member, there)| {
            let mut one = (**effect).clone();
            one.parts_mut(&mut |part| put_in(part, *slot, &Int::Const(member)));
            let guard = guard_of(&mut one);
            *guard = and(vec![there, std::mem::replace(guard, Test::Const(true))]);
            (*guard != Test::Const(false)).then_some(one)
        };
        Some(members.into_iter().filter_map(of_one).collect())
    }

    /// Where a member only tells which of few entries changes, as in `points(owner(x)) becomes points(owner(x)) + 1`, one
    /// change for each of them that some member tells.
    fn entry_by_entry(&mut self, slot: u16, domain: &Domain, effect: &Effect) -> Option<Vec<Effect>> {
        let Effect::Set { base, count, index, value, range, guard } = effect else { return None };
        let (base, count, range) = (*base, *count, *range);
        let told = |own: &mut Self, tells: Test| own.some(slot, domain.clone(), and(vec![tells, guard.clone()]));
        let Some(index) = index.as_ref().filter(|index| index.reads(slot)) else {
            // All members say the same of one number.
            let (index, value) = (index.clone(), (!value.reads(slot)).then(|| value.clone())?);
            let guard = told(self, Test::Const(true));
            return Some(vec![Effect::Set { base, count, index, value, range, guard }]);
        };
        if *index == Int::Slot(slot) || count > MOST_ENTRIES {
            return None;
        }
        let mut changes = Vec::new();
        for entry in (0..i64::from(count)).map(Int::Const) {
            let mut value = value.clone();
            replace_int(&mut PartMut::Int(&mut value), index, &entry);
            if value.reads(slot) {
                return None;
            }
            let guard = told(self, compare(rules::CompareOp::Equal, index.clone(), entry.clone()));
            changes.push(Effect::Set { base, count, index: Some(entry), value, range, guard });
        }
        // Where a member tells none of them, the change cannot be made.
        let mut off = vec![not(known(index.clone()))];
        if !self.bounds(index).is_some_and(|(low, high)| low >= 0 && high < i64::from(count)) {
            off.push(compare(rules::CompareOp::Less, index.clone(), Int::Const(0)));
            off.push(compare(rules::CompareOp::GreaterEqual, index.clone(), Int::Const(i64::from(count))));
        }
        let guard = told(self, or(off));
        let (index, value) = (Some(Int::Const(NONE)), Int::Const(0));
        changes.push(Effect::Set { base, count, index, value, range: None, guard });
        changes.retain(|change| !matches!(change, Effect::Set { guard: Test::Const(false), .. }));
        Some(changes)
    }

    /// Where the kind or the owner of the piece on a member decides what is put there, one change for each that may stand
    /// there: all pieces of that kind and owner among the members.
    fn piece_by_piece(&mut self, slot: u16, domain: &Domain, effect: &Effect) -> Option<Vec<Effect>> {
        let (Domain::Sites(members), Effect::Put { target: Sets::One(site), piece, guard }) = (domain, effect) else {
            return None;
        };
        let remembers_first = self.remembers_first(piece);
        let planes = held(members, self.facts(), self.ground.planes);
        if **site != Int::Slot(slot) || !piece.reads(slot) || remembers_first || planes.count_ones() > MOST_PIECES {
            return None;
        }
        let mut found: Vec<(Int, u64)> = Vec::new();
        for plane in (0..64).filter(|plane| planes >> plane & 1 == 1) {
            let mut piece = piece.clone();
            self.suppose_content(PartMut::Int(&mut piece), slot, plane)?;
            // A piece that is none keeps the move from being made, if one of the members is of that plane.
            if piece.reads(slot) || matches!(piece, Int::Const(NONE)) || !matches!(piece, Int::Const(_)) {
                return None;
            }
            match found.iter_mut().find(|(known, _)| *known == piece) {
                Some((_, planes)) => *planes |= 1 << plane,
                None => found.push((piece, 1 << plane)),
            }
        }
        let (own, guard) = conjuncts(guard.clone()).into_iter().partition(|test| test.reads(slot));
        let members = self.filtered(slot, members.clone(), and(own));
        let guard = and(guard);
        let put = |(piece, planes)| {
            let target = self.ground.and(vec![members.clone(), self.ground.planes(planes, When::Now)]);
            Effect::Put { target, piece, guard: guard.clone() }
        };
        Some(found.into_iter().map(put).collect())
    }

    /// Whether somebody asks for the site of the piece that is placed first, and something is placed.
    fn remembers_first(&self, piece: &Int) -> bool {
        *piece != Int::Const(0) && self.rules.chronicles.iter().any(|one| matches!(one, rules::Chronicle::It { .. }))
    }

    fn all_members(&mut self, slot: u16, domain: &Domain, effect: Effect) -> Effect {
        match (domain, effect) {
            (Domain::Sites(members), Effect::Put { target: Sets::One(site), piece, guard })
                if *site == Int::Slot(slot) && !piece.reads(slot) && !self.remembers_first(&piece) =>
            {
                let (own, guard) = conjuncts(guard).into_iter().partition(|test| test.reads(slot));
                let target = self.filtered(slot, members.clone(), and(own));
                Effect::Put { target, piece, guard: and(guard) }
            }
            (_, Effect::Put { target, piece, guard }) if !piece.reads(slot) && !self.remembers_first(&piece) => {
                let (own, rest): (Vec<Test>, Vec<Test>) =
                    conjuncts(guard.clone()).into_iter().partition(|test| test.reads(slot));
                let own = and(own);
                if let Some(target) = self.at_once(slot, domain, &own, &target) {
                    return Effect::Put { target, piece, guard: and(rest) };
                }
                // Where each member has one site of its own, others can be told from it.
                if let Sets::One(_) = target {
                    let effect = Box::new(Effect::Put { target, piece, guard });
                    return Effect::Each { slot, domain: domain.clone(), effect };
                }
                Effect::Put { target: self.collected(slot, domain.clone(), own, target), piece, guard: and(rest) }
            }
            (_, effect) => Effect::Each { slot, domain: domain.clone(), effect: Box::new(effect) },
        }
    }

    /// A change as what is done for it at once. Where there are stacks these are several things.
    fn plain_effects(&mut self, change: &Change, env: &Env) -> Lowered<Vec<Effect>> {
        match self.stacks {
            Some(stacks) => self.of_stacks(stacks, change, env),
            None => Ok(vec![self.plain_effect(change, env)?]),
        }
    }

    pub fn plain_effect(&mut self, change: &Change, env: &Env) -> Lowered<Effect> {
        let guard = self.guard(change.guard.as_ref(), env)?;
        Ok(match &change.kind {
            ChangeKind::Becomes { target, piece } => {
                let target = self.sites(target, env)?;
                let piece = self.expr(piece, env)?;
                Effect::Put { target, piece: self.stored(Type::Piece, piece), guard }
            }
            ChangeKind::MoveTo { from, to, piece } => {
                let (from, to) = (self.expr(from, env)?, self.expr(to, env)?);
                let piece = match piece {
                    None => None,
                    Some(piece) => {
                        let piece = self.expr(piece, env)?;
                        Some(self.stored(Type::Piece, piece))
                    }
                };
                let from = self.site_of(from);
                // Where the only piece of a plane moves, it is known which.
                let piece = piece.or_else(|| match &from {
                    Int::Only(set) => match **set {
                        Sets::Planes(mask, When::Now) if mask.is_power_of_two() => {
                            Some(Int::Const(i64::from(mask.trailing_zeros())))
                        }
                        _ => None,
                    },
                    _ => None,
                });
                Effect::Move { from, to: self.site_of(to), piece, guard }
            }
            ChangeKind::Gets { .. } | ChangeKind::Slice { .. } | ChangeKind::Carry { .. } => {
                return Err(Unsupported { what: "stacks without a place for them".into(), span: change.span });
            }
            ChangeKind::Seats { .. } => {
                return Err(Unsupported { what: "seats changed here".into(), span: change.span });
            }
            ChangeKind::Know { .. } => return Err(Unsupported { what: "a value kept here".into(), span: change.span }),
            ChangeKind::Remember { memory, index, value } => {
                let unknown = || Unsupported { what: "an unknown memory".into(), span: change.span };
                let info = self.rules.memories.get(memory.0).ok_or_else(unknown)?;
                let place = *self.memories.get(memory.0).ok_or_else(unknown)?;
                let value = self.expr(value, env)?;
                if place.sites {
                    return Ok(Effect::SetSites { base: place.base, value: self.sets_of(value), guard });
                }
                let index = match (info.scope, index) {
                    (Scope::Game, _) => None,
                    (Scope::Player | Scope::Kind, Some(index)) => {
                        let index = self.expr(index, env)?;
                        Some(self.index_of(index))
                    }
                    (Scope::PlayerKind, Some(index)) => {
                        let index = self.expr(index, env)?;
                        Some(self.number_of(index))
                    }
                    (Scope::Site, Some(index)) => {
                        let index = self.expr(index, env)?;
                        Some(self.site_of(index))
                    }
                    _ => Some(Int::Const(NONE)),
                };
                Effect::Set {
                    base: place.base,
                    count: place.count,
                    index,
                    value: self.stored(info.ty, value),
                    range: info.range,
                    guard,
                }
            }
        })
    }

    pub fn repeat(&mut self, times: &Expr, condition: Option<&Expr>, changes: &[Change], env: &Env) -> Lowered<Repeat> {
        let times = self.expr(times, env)?;
        // There each line is made at once, and of a stack it takes several things to change it.
        let moves = |change: &&Change| change.kind.target().is_some();
        if let (Some(_), Some(change)) = (self.stacks, changes.iter().find(moves)) {
            return Err(Unsupported { what: "stacks changed within `repeat`".into(), span: change.span });
        }
        Ok(Repeat {
            times: self.number_of(times),
            condition: self.guard(condition, env)?,
            steps: self.one_by_one(changes, env)?,
        })
    }

    /// The planes from which the steps of a move may take a piece.
    pub fn takes(&self, body: &[Step], facts: &Facts) -> u64 {
        let all = self.ground.planes;
        let mut takes = 0;
        // What is known of sites holds before the first stage.
        let (nothing, mut known) = (Facts::new(), facts);
        for step in body {
            let effects = match step {
                Step::Let(..) | Step::LetSites(..) => continue,
                Step::Change(effects) => effects,
                Step::Repeat(_) => return all,
            };
            for effect in effects {
                takes |= match effect {
                    Effect::Put { target, .. } => held(target, known, all),
                    Effect::Move { from, to, .. } => {
                        held(&one(from.clone()), known, all) | held(&one(to.clone()), known, all)
                    }
                    Effect::Set { .. } | Effect::SetSites { .. } => 0,
                    Effect::Each { .. } => all,
                };
            }
            known = &nothing;
        }
        takes
    }
}

/// The planes on which the steps of a move may put another piece than one that moves, that of empty sites among them.
pub(super) fn puts(body: &[Step]) -> u64 {
    let all = u64::MAX;
    let plane = |piece: &Int| plane_of(piece).unwrap_or(all);
    let put = |effect: &Effect| match effect {
        Effect::Put { piece, .. } => plane(piece),
        Effect::Move { piece, .. } => piece.as_ref().map_or(0, plane),
        Effect::Set { .. } | Effect::SetSites { .. } => 0,
        Effect::Each { .. } => all,
    };
    let of_step = |step: &Step| match step {
        Step::Let(..) | Step::LetSites(..) => 0,
        Step::Change(effects) => effects.iter().fold(0, |planes, effect| planes | put(effect)),
        Step::Repeat(_) => all,
    };
    body.iter().fold(1, |planes, step| planes | of_step(step))
}

/// The plane of a piece that is known.
pub(super) fn plane_of(piece: &Int) -> Option<u64> {
    let Int::Const(plane) = piece else { return None };
    u32::try_from(*plane).ok().and_then(|plane| 1u64.checked_shl(plane))
}

/// The condition under which a change is made.
fn guard_of(effect: &mut Effect) -> &mut Test {
    match effect {
        Effect::Put { guard, .. }
        | Effect::Move { guard, .. }
        | Effect::Set { guard, .. }
        | Effect::SetSites { guard, .. } => guard,
        Effect::Each { effect, .. } => guard_of(effect),
    }
}
