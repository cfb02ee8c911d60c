//! Questions about the members of values, lowered: comparisons, whether some member passes, and sets of those that do.

use super::Unsupported;
use super::build::*;
use super::ir::*;
use super::lower::{Env, Lowered, Lowering, asks_piece};
use super::overlay::held;
use super::parts::conjuncts;
use super::values::Val;
use crate::rules::{CompareOp, Content, Expr, Local, Type};
use crate::source::Span;

/// More pieces than this are not looked at one after the other.
pub(super) const MOST_PIECES: u32 = 12;

/// On larger boards sites a few steps apart are found by these steps, which also tell of sites that are worked out.
const MOST_LOOKED_UP: usize = 150;

impl Lowering<'_> {
    pub(super) fn some_member(&self, value: Val) -> Test {
        match value {
            Val::Sites(set) => self.has_holes(&set).unwrap_or_else(|| any(set)),
            Val::Site(site) => known(site),
            Val::Directions(_)
            | Val::Direction(_)
            | Val::Players(_)
            | Val::Player(_)
            | Val::Kinds(_)
            | Val::Kind(_) => compare(CompareOp::NotEqual, self.mask_of(value), Int::Const(0)),
            Val::Missing => Test::Const(true),
            _ => Test::Const(true),
        }
    }

    pub fn compare(&mut self, op: CompareOp, a: Val, b: Val) -> (Test, Test) {
        let both = |a: Int, b: Int, op: CompareOp| (compare(op, a.clone(), b.clone()), compare(op.negated(), a, b));
        let same = if op == CompareOp::Equal { CompareOp::Equal } else { CompareOp::NotEqual };
        match (a, b) {
            (Val::Number(a), Val::Number(b)) => {
                if let Some(asked) =
                    self.greatest_compared(op, &a, &b).or_else(|| self.greatest_compared(op.turned(), &b, &a))
                {
                    return asked;
                }
                (self.numbers_compared(op, &a, &b), self.numbers_compared(op.negated(), &a, &b))
            }
            (Val::Choice(a), Val::Choice(b)) => both(a, b, same),
            (Val::List(a), Val::List(b)) => (Test::Lists(op, a.clone(), b.clone()), Test::Lists(op.negated(), a, b)),
            (a @ (Val::Sites(_) | Val::Site(_)), b @ (Val::Sites(_) | Val::Site(_))) => {
                both(self.site_of(a), self.site_of(b), same)
            }
            (a @ (Val::Directions(_) | Val::Direction(_)), b @ (Val::Directions(_) | Val::Direction(_)))
            | (a @ (Val::Players(_) | Val::Player(_)), b @ (Val::Players(_) | Val::Player(_)))
            | (a @ (Val::Kinds(_) | Val::Kind(_)), b @ (Val::Kinds(_) | Val::Kind(_))) => {
                let (a, b) = (self.index_of(a), self.index_of(b));
                let (told, one) = if matches!(a, Int::Const(_)) { (&b, &a) } else { (&a, &b) };
                match *one {
                    Int::Const(one @ 0..32) if is_told_by_a_piece(told) => {
                        let (is, is_not) = self.is_one_of(told, 1 << one);
                        if same == CompareOp::Equal { (is, is_not) } else { (is_not, is) }
                    }
                    _ => both(a, b, same),
                }
            }
            _ => (Test::Const(false), Test::Const(false)),
        }
    }

    pub(super) fn numbers_compared(&self, op: CompareOp, a: &Int, b: &Int) -> Test {
        for (op, a, b) in [(op, a, b), (op.turned(), b, a)] {
            // On large boards sites are not looked up by their distance.
            let is_large = self.layout.positions > MOST_LOOKED_UP;
            if let Some(near) = few_steps_apart(op, a, b).filter(|_| is_large) {
                return near;
            }
            let counted = self.one_counted(op, a, b).or_else(|| self.part_counted(op, a, b));
            if let Some(counted) = counted.or_else(|| self.all_counted(op, a, b)) {
                return counted;
            }
        }
        compare(op, a.clone(), b.clone())
    }

    /// A part has no more members than the whole.
    fn part_counted(&self, op: CompareOp, a: &Int, b: &Int) -> Option<Test> {
        let (Int::Count(part), Int::Count(whole)) = (a, b) else { return None };
        let holds = match op {
            CompareOp::Greater => false,
            CompareOp::LessEqual => true,
            CompareOp::Equal | CompareOp::NotEqual | CompareOp::Less | CompareOp::GreaterEqual => return None,
        };
        self.surely_within(part, whole).then_some(Test::Const(holds))
    }

    /// Tests for "wholly in" and "not wholly in", neither of which holds of nothing.
    pub(super) fn inside(&self, left: Val, right: Val) -> (Test, Test) {
        match (left, right) {
            (Val::Number(number), Val::Range(low, high)) => {
                let inside = and(vec![
                    compare(CompareOp::GreaterEqual, number.clone(), low.clone()),
                    compare(CompareOp::LessEqual, number.clone(), high.clone()),
                ]);
                let outside = and(vec![
                    known(low.clone()),
                    known(high.clone()),
                    or(vec![compare(CompareOp::Less, number.clone(), low), compare(CompareOp::Greater, number, high)]),
                ]);
                (inside, outside)
            }
            (Val::Number(_), _) | (Val::Missing, _) => (Test::Const(false), Test::Const(false)),
            (Val::Site(site), right) => {
                let inside = self.stands_in(self.sets_of(right), &site);
                // What has been picked is there.
                let picked = matches!(site, Int::Slot(slot) if self.facts().contains_key(&slot));
                let there = if picked { Test::Const(true) } else { known(site) };
                (inside.clone(), and(vec![there, not(inside)]))
            }
            (Val::Sites(set), right) => {
                let right = self.sets_of(right);
                let some = self.has_some(&set);
                let within = self.lies_within(set, right);
                (and(vec![some.clone(), within.clone()]), and(vec![some, not(within)]))
            }
            (left, right) => {
                let (mask, among) = (self.mask_of(left), self.mask_of(right));
                if let (Int::Bit(member), Int::Const(among)) = (&mask, &among) {
                    return self.is_one_of(member, *among);
                }
                let some = compare(CompareOp::NotEqual, mask.clone(), Int::Const(0));
                let rest = mask_and(mask, mask_not(i64::from(u32::MAX), among));
                let within = compare(CompareOp::Equal, rest, Int::Const(0));
                (and(vec![some.clone(), within.clone()]), and(vec![some, not(within)]))
            }
        }
    }

    /// Whether a site lies in a set, where what is known of the piece there may tell.
    pub(super) fn stands_in(&self, set: Sets, site: &Int) -> Test {
        // The only member of a set is one of its pieces, if there is one.
        let planes = |when: When| match (site, when) {
            (Int::Only(of), When::Now) => held(of, self.facts(), self.ground.planes),
            (site, when) => self.planes_at(site, when),
        };
        match set {
            Sets::Planes(mask, when) if planes(when) & mask == 0 => Test::Const(false),
            Sets::Planes(mask, when) if planes(when) & !mask == 0 => self.is_there(site),
            set => contains(set, site.clone()),
        }
    }

    /// Tests for a direction, a player or a kind: that it is one of some, and that it is another one. What is told by the piece
    /// on a site is asked as which piece stands there.
    fn is_one_of(&self, member: &Int, some: i64) -> (Test, Test) {
        let stands = |of: &dyn Fn(Content) -> Option<u8>, site: &Int, when: When| {
            let those = |wanted: &dyn Fn(u8) -> bool| {
                let is_wanted = |content: &Content| of(*content).is_some_and(wanted);
                let planes = (0..).zip(self.planes).filter(|(_, content)| is_wanted(content));
                let planes = planes.fold(0, |planes: u64, (plane, _)| planes | 1 << plane);
                self.inside(Val::Site(site.clone()), Val::Sites(self.ground.planes(planes, when))).0
            };
            let is = those(&|one| some >> one & 1 == 1);
            let is_not = those(&|one| some >> one & 1 == 0);
            (is, is_not)
        };
        match member {
            Int::Kind(site, when) => stands(&|content| content.kind().map(|kind| kind.0), site, *when),
            Int::Owner(site, when) => stands(&|content| content.owner().map(|owner| owner.0), site, *when),
            member => {
                let is = if some.count_ones() == 1 {
                    compare(CompareOp::Equal, member.clone(), Int::Const(some.trailing_zeros().into()))
                } else {
                    compare(CompareOp::NotEqual, mask_and(Int::Const(some), bit(member.clone())), Int::Const(0))
                };
                (is.clone(), and(vec![known(member.clone()), not(is)]))
            }
        }
    }

    /// The members of a set of sites of which a condition says that they are in another one, which does not hang on the member
    /// (`some x in site with x in own and ...`), and what else is asked of them. Then it is the same where it is said.
    pub(super) fn narrowed<'e>(
        &mut self,
        local: Local,
        domain: Val,
        condition: impl IntoIterator<Item = &'e Expr>,
        env: &Env,
    ) -> Lowered<(Val, Vec<&'e Expr>)> {
        let parts = condition.into_iter().flat_map(Expr::conjuncts);
        let Val::Sites(mut set) = domain else { return Ok((domain, parts.collect())) };
        let mut others = Vec::new();
        for part in parts {
            match part.set_around(local) {
                Some(around) => {
                    let around = self.expr(around, env)?;
                    set = self.ground.and(vec![set, self.sets_of(around)]);
                }
                None => others.push(part),
            }
        }
        Ok((Val::Sites(set), others))
    }

    pub(super) fn exists(&mut self, local: Local, domain: Val, condition: Option<&Expr>, env: &Env) -> Lowered<Test> {
        let mut inner = env.clone();
        if let Domain::Mask(Int::Const(mask)) = self.domain(domain.clone())
            && domain != Val::Missing
        {
            let mut tests = Vec::new();
            for at in members(mask) {
                inner.set(local, self.member(&domain, Int::Const(at)));
                tests.push(self.guard(condition, &inner)?);
            }
            return Ok(or(tests));
        }
        let slot = self.int_slot();
        let (domain, conditions) = self.narrowed(local, domain, condition, env)?;
        inner.set(local, self.member(&domain, Int::Slot(slot)));
        self.bind(slot, &domain);
        // What does not speak of the member is asked once.
        let test = self.all_hold(&conditions, &inner)?;
        let (own, mut all): (Vec<Test>, Vec<Test>) = conjuncts(test).into_iter().partition(|test| test.reads(slot));
        all.push(self.some_passing((local, slot), domain, and(own), &conditions, inner)?);
        Ok(and(all))
    }

    /// Whether a member of a domain passes a test, which is made of these conditions.
    fn some_passing(
        &mut self,
        (local, slot): (Local, u16),
        domain: Val,
        test: Test,
        conditions: &[&Expr],
        mut inner: Env,
    ) -> Lowered<Test> {
        if let Val::Sites(_) | Val::Site(_) = domain {
            let set = self.sets_of(domain.clone());
            if let Some(asked) = self.asked_of_first(slot, &set, &test) {
                return Ok(asked);
            }
            if let Some(counted) = self.one_beside(slot, &set, &test) {
                return Ok(counted);
            }
            if let Some(between) = self.some_between(slot, &set, &test) {
                return Ok(self.some_member(Val::Sites(between)));
            }
            if let Some(asked) = self.some_row(slot, &set, &test).or_else(|| self.several(slot, &set, &test)) {
                return Ok(asked);
            }
            if let Some(lifted) = self.lift(&test, slot) {
                // What is asked of groups alone holds of the first of each where it holds of any.
                let set = self.whole_groups(slot, &set, &[Part::Test(&test)]).unwrap_or(set);
                return Ok(self.some_member(Val::Sites(self.ground.and(vec![set, lifted]))));
            }
            if let Some(lifted) = self.by_piece(slot, &set, &test, &mut |own| own.all_hold(conditions, &inner))? {
                return Ok(any(lifted));
            }
            if let Some(asked) = self.some_of_named(slot, &set, &test) {
                return Ok(asked);
            }
            // Neighbours are looked at direction by direction: each is one step away.
            if let Some((centre, rest)) = self.around(&set) {
                let mut tests = Vec::new();
                for way in ways(self.all_directions()) {
                    let step = Int::Step(way, Box::new(centre.clone()));
                    inner.set(local, Val::Site(step.clone()));
                    tests.push(and(vec![contains(rest.clone(), step), self.all_hold(conditions, &inner)?]));
                }
                return Ok(or(tests));
            }
        }
        let (domain, own) = match domain {
            Val::Sites(set) => {
                let (set, own) = self.fewer(slot, set, conjuncts(test));
                (Val::Sites(set), and(own))
            }
            domain => (domain, test),
        };
        let domain = self.once_for_each_group(slot, domain, &[Part::Test(&own)]);
        let domain = Box::new(self.domain(domain));
        Ok(match self.some_number(slot, &domain, std::slice::from_ref(&own)) {
            Some(asked) => asked,
            None => self.named_test(Test::Exists { slot, domain, test: Box::new(own) }),
        })
    }

    /// Whether a set has one member alone, or more than one, where a test asks that of one of them: whether there is any beside
    /// it.
    fn one_beside(&self, slot: u16, set: &Sets, test: &Test) -> Option<Test> {
        let parts = |set: &Sets| if let Sets::And(parts) = set { parts.clone() } else { vec![set.clone()] };
        let (mut all, mut beside) = (parts(set), None);
        for test in conjuncts(test.clone()) {
            let (asked, some) = if let Test::Not(inner) = test { (*inner, false) } else { (test, true) };
            if let Test::Contains(lies, Int::Slot(own)) = &asked
                && *own == slot
                && some
                && !lies.reads(slot)
            {
                all.extend(parts(lies));
            } else if let (Test::Any(others), None) = (asked, &beside) {
                beside = Some((others, some));
            } else {
                return None;
            }
        }
        let ((others, some), itself) = (beside?, one(Int::Slot(slot)));
        let mut others = match others {
            Sets::Minus(whole, taken) if *taken == itself => parts(&whole),
            others => {
                let is_itself = |part: &Sets| matches!(part, Sets::Not(out) if **out == itself);
                let (out, others): (Vec<Sets>, Vec<Sets>) = parts(&others).into_iter().partition(is_itself);
                if out.is_empty() {
                    return None;
                }
                others
            }
        };
        for part in &all {
            let at = others.iter().position(|other| other == part)?;
            others.remove(at);
        }
        let op = if some { CompareOp::Greater } else { CompareOp::Equal };
        let counted = Int::Count(Box::new(self.ground.and(all)));
        others.is_empty().then(|| compare(op, counted, Int::Const(1)))
    }

    /// The members of a set that pass a test which asks for the piece there: piece by piece, where each test so lowered says
    /// it for the whole board.
    fn by_piece(
        &mut self,
        slot: u16,
        set: &Sets,
        test: &Test,
        lower: &mut dyn FnMut(&mut Self) -> Lowered<Test>,
    ) -> Lowered<Option<Sets>> {
        let asks = Part::Test(test).asks(&|part| asks_piece(part, slot));
        let planes = held(set, self.facts(), self.ground.planes);
        if !asks || planes.count_ones() > MOST_PIECES {
            return Ok(None);
        }
        let mut found: Vec<(u64, Sets)> = Vec::new();
        for plane in (0..64).filter(|plane| planes >> plane & 1 == 1) {
            let lifted = self.supposing(slot, 1 << plane, |own| {
                let test = lower(own)?;
                Ok(own.lift(&test, slot))
            })?;
            let Some(lifted) = lifted else { break };
            match found.iter_mut().find(|(_, known)| *known == lifted) {
                Some((planes, _)) => *planes |= 1 << plane,
                None => found.push((1 << plane, lifted)),
            }
        }
        if found.iter().fold(0, |all, (planes, _)| all | planes) != planes {
            return Ok(None);
        }
        let ground = self.ground;
        let each = found
            .into_iter()
            .map(|(planes, lifted)| ground.and(vec![set.clone(), ground.planes(planes, When::Now), lifted]));
        Ok(Some(ground.or(each.collect())))
    }

    /// A domain of which all members are asked the same: of sites of which only their groups are asked, one for each group.
    pub(super) fn once_for_each_group(&self, slot: u16, domain: Val, parts: &[Part<'_>]) -> Val {
        let Val::Sites(set) = domain else { return domain };
        let heads = self.any_heads_for(slot, &set, parts).or_else(|| self.heads_for(slot, &set, parts));
        Val::Sites(heads.unwrap_or(set))
    }

    /// A domain with one site for each group, whichever, where nothing but the groups is asked of them.
    pub(super) fn any_of_each_group(&self, slot: u16, domain: Val, parts: &[Part<'_>]) -> Val {
        let Val::Sites(set) = domain else { return domain };
        Val::Sites(self.any_heads_for(slot, &set, parts).unwrap_or(set))
    }

    /// A set of neighbours of one site taken apart: the site, and what else is asked of them.
    pub fn around(&self, set: &Sets) -> Option<(Int, Sets)> {
        if !self.ways.steps_are_neighbours {
            return None;
        }
        let parts = match set {
            Sets::And(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let near = parts.iter().position(|part| matches!(part, Sets::Near(site) if matches!(**site, Int::Slot(_))))?;
        let mut rest = parts;
        let Sets::Near(centre) = rest.remove(near) else { return None };
        Some((*centre, self.ground.and(rest)))
    }

    /// The members of a set that pass a test, which can be lowered again for a site of which more is known.
    pub(super) fn passing(
        &mut self,
        slot: u16,
        set: Sets,
        test: Test,
        lower: &mut dyn FnMut(&mut Self) -> Lowered<Test>,
    ) -> Lowered<Sets> {
        if self.lift(&test, slot).is_none()
            && let Some(lifted) = self.by_piece(slot, &set, &test, lower)?
        {
            return Ok(lifted);
        }
        let passing = self.filtered(slot, set, test);
        if let Sets::Filter { slot, domain, test } = &passing
            && let Some(gathered) = self.gathered_by_others(domain, *slot, test)
        {
            return Ok(gathered);
        }
        Ok(passing)
    }

    pub(super) fn set_of(
        &mut self,
        local: Local,
        domain: Val,
        condition: Option<&Expr>,
        env: &Env,
        span: Span,
    ) -> Lowered<Val> {
        let slot = self.int_slot();
        let mut inner = env.clone();
        let (domain, conditions) = self.narrowed(local, domain, condition, env)?;
        inner.set(local, self.member(&domain, Int::Slot(slot)));
        self.bind(slot, &domain);
        let test = self.all_hold(&conditions, &inner)?;
        Ok(match domain {
            Val::Sites(_) | Val::Site(_) => {
                let set = self.sets_of(domain);
                let lower = &mut |own: &mut Self| own.all_hold(&conditions, &inner);
                Val::Sites(self.passing(slot, set, test, lower)?)
            }
            Val::Range(..) => return Err(Unsupported { what: "a set of numbers".into(), span }),
            Val::Missing => Val::Missing,
            _ => {
                let mask =
                    Int::MaskWhere { slot, domain: Box::new(self.mask_of(domain.clone())), test: Box::new(test) };
                let mask = self.named_int(mask);
                match domain {
                    Val::Directions(_) | Val::Direction(_) => Val::Directions(mask),
                    Val::Players(_) | Val::Player(_) => Val::Players(mask),
                    _ => Val::Kinds(mask),
                }
            }
        })
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn each(
        &mut self,
        local: Local,
        domain: Val,
        condition: Option<&Expr>,
        body: &Expr,
        result: Type,
        env: &Env,
        span: Span,
    ) -> Lowered<Val> {
        let mut inner = env.clone();
        if result == Type::Sites
            && domain != Val::Missing
            && let Domain::Mask(Int::Const(mask)) = self.domain(domain.clone())
        {
            let mut sets = Vec::new();
            for at in members(mask) {
                inner.set(local, self.member(&domain, Int::Const(at)));
                let test = self.guard(condition, &inner)?;
                let set = self.sites(body, &inner)?;
                sets.push(self.ground.choose(test, set, nothing()));
            }
            return Ok(Val::Sites(self.ground.or(sets)));
        }
        let slot = self.int_slot();
        let (domain, conditions) = self.narrowed(local, domain, condition, env)?;
        inner.set(local, self.member(&domain, Int::Slot(slot)));
        self.bind(slot, &domain);
        let test = self.all_hold(&conditions, &inner)?;
        let value = self.expr(body, &inner)?;
        let domain = self.domain(domain);
        if result == Type::Sites {
            let body = self.sets_of(value);
            return Ok(Val::Sites(self.gathered(slot, domain, test, body)));
        }
        let (domain, test) = (Box::new(domain), Box::new(test));
        Ok(match result {
            Type::Directions | Type::Players | Type::Kinds => {
                let mask = Int::MaskCollect { slot, domain, test, body: Box::new(self.mask_of(value)) };
                let mask = self.named_int(mask);
                match result {
                    Type::Directions => Val::Directions(mask),
                    Type::Players => Val::Players(mask),
                    _ => Val::Kinds(mask),
                }
            }
            _ => return Err(Unsupported { what: "a collection of numbers".into(), span }),
        })
    }
}

/// Whether a number is the kind or the owner of the piece on a site.
fn is_told_by_a_piece(int: &Int) -> bool {
    matches!(int, Int::Kind(..) | Int::Owner(..))
}
