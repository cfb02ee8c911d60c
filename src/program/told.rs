//! Whether plies that differ in a part that is not printed differ in what is printed: only where they may not are plies compared.

use super::build::*;
use super::generator::beside;
use super::ir::*;
use super::lift::{all_of, replace_int};
use super::lower::{Lowered, Lowering};
use super::overlay::held;
use super::parts::conjuncts;
use super::plan::{Line, MovePlan, values_printed};
use super::single::has_one_at_most;
use super::{Chronicle, Generator, Printed, Step};
use crate::rules::{self, ArithmeticOp, CompareOp, NotationPiece, Type};

impl Lowering<'_> {
    /// Whether different plies of a move may print alike, as far as parts and places tell.
    pub fn may_print_alike(&mut self, plan: &MovePlan<'_>, generator: &Generator) -> Lowered<bool> {
        self.know(&plan.known);
        let hidden = hidden(plan, generator);
        Ok(!hidden.is_empty()
            && !self.told_apart(plan, generator)
            && !self.told_by_lines(plan, &hidden)?
            && !self.told_by_places(plan, &hidden)?
            && !self.told_by_sets(plan, &hidden)?
            && !self.has_no_rivals(plan, generator)?)
    }

    /// The same of plies of which that tells nothing: where it hangs on a number of steps being none, or on a part that decides
    /// nothing else, the generator is made to find only the first of those that do. `body` is what of the plan's body is
    /// needed.
    pub fn may_repeat(
        &mut self,
        (plan, body): (&MovePlan<'_>, &[Step]),
        generator: &mut Generator,
        until: Option<&Test>,
        chronicles: &[Chronicle],
    ) -> Lowered<bool> {
        let hidden = hidden(plan, generator);
        let later = |slot: u16| {
            until.is_some_and(|until| until.reads(slot))
                || chronicles.iter().any(|chronicle| match chronicle {
                    Chronicle::Note { when, .. } => when.reads(slot),
                    Chronicle::Collect { sites, .. } => sites.reads(slot),
                    Chronicle::It { .. } => false,
                })
        };
        // Plies that fulfil a duty are looked for by themselves, and of chance each has its weight.
        let bound = plan.mv.chance || self.may_be_obliged(plan.id);
        if let Some(unmoved) = self.printed_by_ways(plan, &hidden)?
            && unmoved.iter().all(|still| !bound && !later(still.slot) && still.is_all(&plan.body, generator))
            && unmoved.iter().all(|still| still.keep_first(generator))
        {
            return Ok(false);
        }
        Ok(bound || !self.keeps_first((plan, body), generator, &hidden, &later)?)
    }

    /// Whether branches of one part print different sites.
    fn told_apart(&self, plan: &MovePlan<'_>, generator: &Generator) -> bool {
        let Generator::Fan { slot, branches } = generator else { return false };
        let shown_slots = told(plan);
        if !shown_slots.contains(slot) {
            return false;
        }
        // Where each branch leads, site by site: no two may print the same.
        let board = &self.rules.board;
        let follow = |site, int: &Int| self.follow(site, int);
        board.all().iter().all(|site| {
            let mut seen = Vec::new();
            branches.iter().all(|branch| {
                let printed: Vec<_> = branch
                    .derived
                    .iter()
                    .filter(|(slot, _)| shown_slots.contains(slot))
                    .map(|(_, int)| follow(site, int))
                    .collect();
                let off = branch.derived.iter().any(|(_, int)| follow(site, int).is_none());
                let new = !seen.contains(&printed);
                seen.push(printed);
                off || new
            })
        })
    }

    /// Whether every hidden part is told by the line on which a printed site lies: a part that is the only one of its set in
    /// each direction from a known site is told by that direction, if it is printed; and a site that lies further on in the same
    /// direction tells it, where the lines from a site have no site in common. A part that is the only one of its set is told
    /// by what the set hangs on.
    fn told_by_lines(&mut self, plan: &MovePlan<'_>, hidden: &[u16]) -> Lowered<bool> {
        let (mut sites, mut asked) = (Vec::new(), Vec::new());
        if !required(&plan.line, &mut asked) || !self.ways.rays_are_apart {
            return Ok(false);
        }
        picked_sites(&plan.line, &mut sites);
        let on_lines = sites.iter().filter_map(|(slot, set)| Some((*slot, self.in_its_own_direction(set, *slot)?)));
        let on_lines: Vec<(u16, Sets)> = on_lines.collect();
        sites.extend(on_lines.iter().map(|(slot, set)| (*slot, set)));
        let printed = self.printed(plan)?.0;
        let (mut told, mut hidden) = (told(plan), hidden.to_vec());
        let within = |slot: u16| sites.iter().filter(move |(own, _)| *own == slot).map(|(_, set)| *set);
        while !hidden.is_empty() {
            let by_line = |part: &u16| {
                let is_told = |set: &Sets| reads_only(&Part::Sets(set), &told);
                let has_one = |set: &Sets| self.is_one_at_most(set) || is_counted_once(set, &asked);
                if within(*part).any(|set| has_one(set) && is_told(set)) {
                    return true;
                }
                // Or by what it must be equal to.
                let equal = |test: &Test| beside(test, CompareOp::Equal, *part);
                if asked.iter().filter_map(equal).any(|same| reads_only(&Part::Int(&same), &told)) {
                    return true;
                }
                told.iter().any(|from| {
                    // A site that is printed lies alone between two: the other one is two steps on.
                    let is_mid = |shown: &Printed| {
                        let Printed::Number(site @ Int::Only(between)) = shown else { return false };
                        let two_on = || within(*part).any(|set| are_two_steps_on(set, *from));
                        let is_alone = || matches!(**between, Sets::Between(..)) && is_there(site, &asked);
                        lies_between(between, *from, *part) && (is_alone() || two_on())
                    };
                    if printed.iter().any(is_mid) {
                        return true;
                    }
                    let has_one = within(*part).any(|set| self.has_one_each_way(set, *from, &told))
                        || within(*from).any(|set| self.is_next_to(set, *part));
                    let way = Int::Direction(Box::new(Int::Slot(*from)), Box::new(Int::Slot(*part)));
                    if has_one
                        && printed.iter().any(|shown| matches!(shown, Printed::Number(number) if is_way(number, &way)))
                    {
                        return true;
                    }
                    // What lies between two sites of which one is two steps on is one site.
                    told.iter().any(|far| {
                        let is_between = within(*part).any(|set| lies_between(set, *from, *far));
                        let behind = is_between || within(*far).any(|set| lies_behind(set, *from, *part));
                        has_one && behind || is_between && within(*far).any(|set| are_two_steps_on(set, *from))
                    })
                })
            };
            let Some(at) = hidden.iter().position(by_line) else { return Ok(false) };
            told.push(hidden.remove(at));
        }
        Ok(true)
    }

    /// What is printed, before a ply is played, and of which type each of it is.
    pub(super) fn printed(&mut self, plan: &MovePlan<'_>) -> Lowered<(Vec<Printed>, Vec<Option<Type>>)> {
        self.scoped(|own| {
            let names = own.names(plan, &values_printed(plan.mv))?;
            own.shown(plan.mv, &names)
        })
    }

    /// Whether a set has one site at most in each direction from the site in a slot, and nothing in it hangs on what is not
    /// told.
    fn has_one_each_way(&self, set: &Sets, from: u16, told: &[u16]) -> bool {
        let starts = |set: &Sets| matches!(set, Sets::One(site) if **site == Int::Slot(from));
        let decides = |test: &Test| reads_only(&Part::Test(test), told);
        lies_within(set, &decides, &|set| match set {
            Sets::Near(site) => **site == Int::Slot(from) && self.ways.steps_are_neighbours,
            Sets::Dilate(set) => starts(set) && self.ways.steps_are_neighbours,
            Sets::Ahead { from, steps, .. } => starts(from) && is_told(steps, told),
            Sets::Beyond { from, through, .. } => starts(from) && reads_only(&Part::Sets(through), told),
            set => are_steps_apart(set, from),
        })
    }

    /// Whether all members of a set are neighbours of the site in a slot, so that this is one of theirs.
    fn is_next_to(&self, set: &Sets, site: u16) -> bool {
        let is_near = |set: &Sets| matches!(set, Sets::Near(centre) if **centre == Int::Slot(site));
        self.ways.steps_are_neighbours && lies_within(set, &|_| true, &is_near)
    }

    /// A site that surely lies some steps on from another one: one that lies further on in the same direction from a site which
    /// itself lies on the line from another one is on the line from there.
    fn further_on<'a>(&self, seen: Seen<'a>, parts: &'a [(Int, &'a Sets)]) -> Option<Seen<'a>> {
        let least = |steps: Option<&Int>| steps.map_or(Some(1), |steps| self.least_if_any(steps));
        let of_part = || {
            let sets = parts.iter().filter(|(part, _)| part == seen.from);
            sets.into_iter().find_map(|(part, set)| seen_in(set, part).filter(|before| before.way == seen.way))
        };
        let before = seen_along(seen.from).filter(|before| before.way == seen.way).or_else(of_part);
        let steps = least(seen.steps)?;
        if let Some(before) = before
            && let Some(more) = least(before.steps)
            && steps >= 0
            && more >= 0
            && steps.max(more) > 0
        {
            return self.further_on(Seen { site: seen.site, steps: None, ..before }, parts);
        }
        (steps > 0).then_some(Seen { steps: None, ..seen })
    }

    /// The least that a number can be where it is there at all.
    fn least_if_any(&self, number: &Int) -> Option<i64> {
        match number {
            Int::Count(_) | Int::Distance(..) => Some(0),
            Int::Table { values, .. } => values.iter().copied().filter(|value| *value != NONE).min(),
            Int::Arithmetic(ArithmeticOp::Add, a, b) => self.least_if_any(a)?.checked_add(self.least_if_any(b)?),
            Int::Arithmetic(ArithmeticOp::Multiply, a, b) => {
                let (a, b) = (self.least_if_any(a)?, self.least_if_any(b)?);
                (a >= 0 && b >= 0).then(|| a.checked_mul(b)).flatten()
            }
            other => self.bounds(other).map(|(least, _)| least),
        }
    }

    /// The steps that must not be none for every hidden part to be told by the direction in which a printed site lies from
    /// what is known already; none where that cannot be said.
    ///
    /// A site that is printed, is there in every legal ply, and is so many steps away in a direction, tells that direction
    /// if the lines from a site have no site in common and there are any steps; and the direction tells the part that it is
    /// worked out from if different values of that give different directions.
    fn printed_by_ways(&mut self, plan: &MovePlan<'_>, hidden: &[u16]) -> Lowered<Option<Vec<Unmoved>>> {
        let mut asked = Vec::new();
        if !required(&plan.line, &mut asked) {
            return Ok(None);
        }
        // What is printed and what is asked were put together apart: sets that say the same are made the same.
        for test in &mut asked {
            if let Test::Known(Int::Only(set)) = test {
                **set = self.named_set((**set).clone());
            }
        }
        // What is picked is there.
        let picked =
            |test: &Test| matches!(test, Test::Known(Int::Slot(own)) if plan.parts.iter().any(|(_, slot)| slot == own));
        let follows = |test: &Test| *test == Test::Const(true) || picked(test) || asked.contains(test);
        let there = |site: &Int| is_there(site, &asked) || conjuncts(known(site.clone())).iter().all(follows);
        let (mut printed, mut sets) = (Vec::new(), Vec::new());
        for shown in self.printed(plan)?.0 {
            match shown {
                Printed::Number(number) => printed.push(number),
                Printed::Sites(set) => {
                    let set = self.named_set(set);
                    // If every legal ply needs the only member, that is what is printed.
                    let site = Int::Only(Box::new(set.clone()));
                    if there(&site) { printed.push(site) } else { sets.push(set) }
                }
            }
        }
        let mut ways: Vec<Seen<'_>> = printed.iter().filter(|site| there(site)).filter_map(seen_along).collect();
        // What may stand on each of these sites.
        let planes = |site: &Int| {
            asked.iter().fold(planes_of(site, self.ground.planes), |mask, test| {
                let (test, held) = if let Test::Not(inner) = test { (&**inner, false) } else { (test, true) };
                match test {
                    Test::Contains(Sets::Planes(own, When::Now), same) if same == site => {
                        mask & if held { *own } else { !*own }
                    }
                    _ => mask,
                }
            })
        };
        let stand: Vec<u64> = printed
            .iter()
            .filter(|site| there(site))
            .filter_map(|site| seen_along(site).map(|_| planes(site)))
            .collect();
        let (mut told, mut hidden) = (told(plan), hidden.to_vec());
        let mut picked = Vec::new();
        picked_sites(&plan.line, &mut picked);
        let parts: Vec<(Int, &Sets)> = picked.iter().map(|(slot, set)| (Int::Slot(*slot), *set)).collect();
        let is_told_part = |part: &Int| matches!(part, Int::Slot(slot) if told.contains(slot));
        let of_parts = parts.iter().filter(|(part, _)| is_told_part(part));
        ways.extend(of_parts.filter_map(|(part, set)| self.further_on(seen_in(set, part)?, &parts)));
        let mut unmoved = Vec::new();
        let ranges = ranges_of(&plan.line);
        let least = |steps: &Int| {
            // How many sites a set has which every legal ply needs to have any.
            let some = matches!(steps, Int::Count(set) if asked.contains(&any((**set).clone())));
            // Or it comes to where nothing can stand that stands where it comes from.
            let stands = |from: &Int| held(&one(from.clone()), &plan.before.pieces, self.ground.planes);
            let moves =
                |(seen, planes): (&Seen<'_>, &u64)| seen.steps == Some(steps) && planes & stands(seen.from) == 0;
            let known = least_of(steps, &ranges).or_else(|| self.bounds(steps).map(|(low, _)| low));
            if some || known.is_some_and(|least| least >= 0) && ways.iter().zip(&stand).any(moves) {
                known.max(Some(1))
            } else {
                known
            }
        };
        // Where a way begins is printed, or told by what is.
        let begins = |seen: &Seen<'_>, told: &[u16]| is_told(seen.from, told) || printed.contains(seen.from);
        while !hidden.is_empty() {
            // The only site of a set is told by what the set hangs on.
            let is_only = |slot: &u16| {
                let of_part = |(own, set): &&(u16, &Sets)| {
                    own == slot && self.is_one_at_most(set) && reads_only(&Part::Sets(set), &told)
                };
                picked.iter().any(|part| of_part(&part))
            };
            if let Some(at) = hidden.iter().position(is_only) {
                told.push(hidden.remove(at));
                continue;
            }
            let by = hidden.iter().enumerate().find_map(|(at, slot)| {
                // However many steps there are, if there are any the site lies on the line in that direction alone.
                let fits = |seen: &&Seen<'_>| {
                    begins(seen, &told)
                        && seen
                            .steps
                            .is_none_or(|steps| is_told(steps, &told) || least(steps).is_some_and(|least| least > 0))
                        && tells(seen.way, *slot)
                };
                ways.iter().find(fits).map(|seen| (at, seen))
            });
            let Some((at, seen)) = by else {
                // Where the number of steps is hidden too, the site tells both: how far it lies, and in which direction.
                let mut begun = ways.iter().filter(|seen| begins(seen, &told));
                let found = begun.find_map(|seen| far_and_way(seen, &hidden, &told, &least));
                let Some(found) = found else { return Ok(None) };
                hidden.retain(|slot| !found.contains(slot));
                told.extend(found);
                continue;
            };
            let slot = hidden.remove(at);
            told.push(slot);
            if let Some(steps) = seen.steps
                && least(steps).is_none_or(|least| least <= 0)
                && self.bounds(steps).is_none_or(|(_, most)| most >= 0)
            {
                unmoved.push(Unmoved { slot, steps: steps.clone(), site: seen.site.clone() });
            }
        }
        // What else is printed may not tell them apart either.
        let says_no_more = |still: &Unmoved| {
            let of_numbers = printed.iter().all(|value| {
                let mut value = value.clone();
                replace_int(&mut PartMut::Int(&mut value), &still.site, &Int::Const(NONE));
                !value.reads(still.slot)
            });
            of_numbers && !sets.iter().any(|set| set.reads(still.slot))
        };
        Ok((unmoved.iter().all(says_no_more) && self.ways.rays_are_apart).then_some(unmoved))
    }
}

/// The planes of which one is on a site, as far as the set says of which it is the only member.
fn planes_of(site: &Int, all: u64) -> u64 {
    let Int::Only(set) = site else { return all };
    let parts = if let Sets::And(parts) = &**set { parts.as_slice() } else { std::slice::from_ref(&**set) };
    parts.iter().fold(all, |mask, part| if let Sets::Planes(own, When::Now) = part { mask & own } else { mask })
}

/// A site on the line from another one in a direction, so many steps on, or somewhere behind it.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    site: &'a Int,
    pub from: &'a Int,
    pub way: &'a Int,
    steps: Option<&'a Int>,
}

/// The hidden parts that a site tells which lies as many steps away as one of them says, and perhaps in a direction that
/// another one says; none where it may be no steps at all. Where it begins is known.
fn far_and_way(seen: &Seen<'_>, hidden: &[u16], told: &[u16], least: &dyn Fn(&Int) -> Option<i64>) -> Option<Vec<u16>> {
    let steps = seen.steps?;
    let far = *hidden.iter().find(|slot| tells(steps, **slot))?;
    if is_told(seen.way, told) {
        return (least(steps)? >= 0).then(|| vec![far]);
    }
    let way = *hidden.iter().find(|slot| **slot != far && tells(seen.way, **slot))?;
    (least(steps)? > 0).then(|| vec![far, way])
}

/// The least numbers that parts can be.
fn ranges_of(line: &Line) -> Vec<(u16, i64)> {
    match line {
        Line::Part { slot, domain, rest, .. } => {
            let mut ranges = ranges_of(rest);
            if let Domain::Range(Int::Const(low), _) = domain
                && *low != NONE
            {
                ranges.push((*slot, *low));
            }
            ranges
        }
        Line::Keep(_, rest) | Line::Require(_, rest) => ranges_of(rest),
        Line::Guarded { .. } | Line::Change { .. } | Line::Repeat { .. } | Line::Done(_) => Vec::new(),
    }
}

/// The least that a number can be which is a part and some more.
fn least_of(steps: &Int, ranges: &[(u16, i64)]) -> Option<i64> {
    if let Int::Arithmetic(op @ (ArithmeticOp::Add | ArithmeticOp::Subtract), part, more) = steps
        && let Int::Const(more) = **more
    {
        return op.apply(least_of(part, ranges)?, more);
    }
    let Int::Slot(slot) = steps else { return None };
    ranges.iter().find(|(part, _)| part == slot).map(|(_, low)| *low)
}

/// A part that says in which direction steps lead to a site: where there are none, it makes no difference.
struct Unmoved {
    slot: u16,
    steps: Int,
    site: Int,
}

impl Unmoved {
    /// Whether the part is read for nothing but that site: then all plies without a step are the same but for it.
    fn is_all(&self, body: &[Step], generator: &Generator) -> bool {
        let mut read = false;
        let mut look = |mut part: PartMut<'_>| {
            replace_int(&mut part, &self.site, &Int::Const(NONE));
            read |= reads_slot(&part, self.slot);
        };
        body.to_vec().iter_mut().for_each(|step| step.parts_mut(&mut look));
        generator.clone().walk_mut(&mut look);
        !read
    }

    /// Leaves only the first ply where there is no step; false where that cannot be said.
    fn keep_first(&self, generator: &mut Generator) -> bool {
        if let Some(Generator::Loop { domain: Domain::Mask(Int::Const(mask)), tests, .. }) =
            generator.loop_of(self.slot)
            && let Some(first) = members(*mask).next()
        {
            let moved = compare(CompareOp::NotEqual, self.steps.clone(), Int::Const(0));
            tests.push(or(vec![moved, compare(CompareOp::Equal, Int::Slot(self.slot), Int::Const(first))]));
            return true;
        }
        false
    }
}

/// Whether what every ply passes says that a site is there.
pub(super) fn is_there(site: &Int, asked: &[Test]) -> bool {
    asked.iter().any(|test| {
        matches!(test, Test::Known(same) | Test::Contains(_, same) if leads_from(same, site))
            || matches!(test, Test::Any(Sets::And(parts)) if parts.contains(&one(site.clone())))
            || matches!((test, site), (Test::Any(set), Int::Only(only)) if **only == *set && has_one_at_most(set))
    })
}

/// Whether a site is another one, or some steps away from it.
fn leads_from(site: &Int, other: &Int) -> bool {
    site == other
        || matches!(site, Int::Ahead { from, .. } | Int::Beyond { from, .. } | Int::Step(_, from) if leads_from(from, other))
}

/// Whether what every ply passes says that a set, or one in which it lies, has one member.
fn is_counted_once(set: &Sets, asked: &[Test]) -> bool {
    asked.iter().any(|test| {
        matches!(test, Test::Compare(CompareOp::Equal, Int::Count(of), Int::Const(0..=1))
            if all_of(of).iter().all(|part| all_of(set).contains(part)))
    })
}

/// What the parts are picked from, before anything changes.
pub(super) fn picked_from<'l>(line: &'l Line, domains: &mut Vec<(u16, &'l Domain)>) {
    match line {
        Line::Part { slot, domain, rest, .. } => {
            domains.push((*slot, domain));
            picked_from(rest, domains);
        }
        Line::Keep(_, rest) | Line::Require(_, rest) => picked_from(rest, domains),
        Line::Guarded { .. } | Line::Change { .. } | Line::Repeat { .. } | Line::Done(_) => {}
    }
}

/// The sets from which sites are picked, with what else each is asked to lie in, before anything changes.
pub(super) fn picked_sites<'l>(line: &'l Line, sites: &mut Vec<(u16, &'l Sets)>) {
    match line {
        Line::Part { slot, domain, test, rest, .. } => {
            if let Domain::Sites(set) = domain {
                sites.push((*slot, set));
            }
            asked_within(test, sites);
            picked_sites(rest, sites);
        }
        Line::Require(test, rest) => {
            asked_within(test, sites);
            picked_sites(rest, sites);
        }
        Line::Keep(_, rest) => picked_sites(rest, sites),
        Line::Guarded { .. } | Line::Change { .. } | Line::Repeat { .. } | Line::Done(_) => {}
    }
}

fn asked_within<'l>(test: &'l Test, sites: &mut Vec<(u16, &'l Sets)>) {
    if let Test::And(parts) = test {
        parts.iter().for_each(|part| asked_within(part, sites));
    } else if let Test::Contains(set, Int::Slot(slot)) = test {
        sites.push((*slot, set));
    }
}

/// Whether the form of a set says that it lies within one of a kind: one of its parts does, or both of its cases, where the
/// condition may decide.
fn lies_within(set: &Sets, may_decide: &dyn Fn(&Test) -> bool, is_such: &dyn Fn(&Sets) -> bool) -> bool {
    match set {
        Sets::And(parts) => parts.iter().any(|part| lies_within(part, may_decide, is_such)),
        Sets::Minus(set, _) => lies_within(set, may_decide, is_such),
        Sets::If(test, yes, no) => {
            may_decide(test) && lies_within(yes, may_decide, is_such) && lies_within(no, may_decide, is_such)
        }
        set => is_such(set),
    }
}

/// Whether a set is made of single sites, each so many steps from the site in a slot, all in different directions.
fn are_steps_apart(set: &Sets, from: u16) -> bool {
    let Sets::Or(parts) = set else { return false };
    let mut ways = Vec::new();
    parts.iter().all(|part| {
        let Sets::One(site) = part else { return false };
        let Int::Step(way, start) = &**site else { return false };
        let mut start = start;
        while let Int::Step(other, before) = &**start
            && other == way
        {
            start = before;
        }
        let new = !ways.contains(way);
        ways.push(*way);
        new && **start == Int::Slot(from)
    })
}

/// Whether a set lies on the line from the site in one slot through that in another, behind the latter.
fn lies_behind(set: &Sets, from: u16, through: u16) -> bool {
    let is_way = |way: &Int| *way == Int::Direction(Box::new(Int::Slot(from)), Box::new(Int::Slot(through)));
    let is_one_way = |ways: &Int| matches!(ways, Int::Bit(way) if is_way(way));
    let passed = |site: &Int| *site == Int::Slot(through);
    let begins = |set: &Sets| matches!(set, Sets::One(site) if passed(site));
    // Sites in some direction from each other are apart.
    let is_end = |site: &Int| matches!(site, Int::Slot(slot) if *slot == from || *slot == through);
    let goes_on = |steps: &Int| {
        matches!(steps, Int::Const(1..)) || matches!(steps, Int::Distance(a, b) if a != b && is_end(a) && is_end(b))
    };
    let is_site_behind = |site: &Int| {
        matches!(site, Int::Ahead { from, direction, steps } if passed(from) && is_way(direction) && goes_on(steps))
            || matches!(site, Int::Beyond { from, direction, .. } if passed(from) && is_way(direction))
    };
    lies_within(set, &|_| true, &|set| {
        matches!(set, Sets::One(site) if is_site_behind(site))
            || matches!(set, Sets::Or(cases) if cases.iter().all(|case| lies_behind(case, from, through)))
            || matches!(set, Sets::Ahead { from, directions, steps }
                if begins(from) && is_one_way(directions) && goes_on(steps))
            || matches!(set, Sets::Run { from, directions, .. } | Sets::Beyond { from, directions, .. }
                if begins(from) && is_one_way(directions))
    })
}

/// Whether a number is a direction, or holds nothing else.
fn is_way(number: &Int, way: &Int) -> bool {
    number == way || matches!(number, Int::Bit(inner) | Int::OnlyBit(inner) if is_way(inner, way))
}

/// Whether a set lies between the sites in two slots.
fn lies_between(set: &Sets, from: u16, far: u16) -> bool {
    let ends = [from, far].map(Int::Slot);
    let is_between = |a: &Int, b: &Int| [a, b] == [&ends[0], &ends[1]] || [b, a] == [&ends[0], &ends[1]];
    lies_within(set, &|_| true, &|set| matches!(set, Sets::Between(a, b) if is_between(a, b)))
}

/// Whether all members of a set are two steps on from the site in a slot.
fn are_two_steps_on(set: &Sets, from: u16) -> bool {
    let starts = |site: &Int| *site == Int::Slot(from);
    let is_on = |site: &Int| {
        matches!(site, Int::Step(way, inner)
            if matches!(&**inner, Int::Step(before, start) if before == way && starts(start)))
            || matches!(site, Int::Ahead { from, steps, .. } if starts(from) && **steps == Int::Const(2))
    };
    let is_one = |set: &Sets| matches!(set, Sets::One(site) if is_on(site));
    lies_within(set, &|_| true, &|set| {
        matches!(set, Sets::Ahead { from, steps, .. }
            if matches!(&**from, Sets::One(site) if starts(site)) && **steps == Int::Const(2))
            || matches!(set, Sets::Or(parts) if parts.iter().all(is_one))
            || is_one(set)
    })
}

pub(super) fn reads_slot(part: &PartMut<'_>, slot: u16) -> bool {
    match part {
        PartMut::Sets(sets) => sets.reads(slot),
        PartMut::Int(int) => int.reads(slot),
        PartMut::Test(test) => test.reads(slot),
    }
}

/// Whether a number reads no part but those that are told.
pub(super) fn is_told(int: &Int, told: &[u16]) -> bool {
    reads_only(&Part::Int(int), told)
}

pub(super) fn reads_only(part: &Part<'_>, told: &[u16]) -> bool {
    !part.asks(&|part| {
        matches!(part, Part::Sets(Sets::Slot(_))) || matches!(part, Part::Int(Int::Slot(slot)) if !told.contains(slot))
    })
}

/// Collects what every ply of a move passes before anything changes; false where parts may be left out.
pub(super) fn required(line: &Line, asked: &mut Vec<Test>) -> bool {
    requires(line, &mut Vec::new(), asked)
}

/// The same behind definitions that are kept, in whose place what they are is put.
fn requires<'l>(line: &'l Line, kept: &mut Vec<&'l Step>, asked: &mut Vec<Test>) -> bool {
    match line {
        Line::Part { test, rest, .. } | Line::Require(test, rest) => {
            asked.extend(conjuncts(test.clone()).into_iter().map(|test| written_out(test, kept)));
            requires(rest, kept, asked)
        }
        Line::Keep(steps, rest) => {
            kept.extend(steps);
            requires(rest, kept, asked)
        }
        Line::Guarded { .. } => false,
        // A part behind a stage is not known to be picked on the way. What the first stage needs is there on the board before it.
        Line::Change { test, rest, .. } => {
            asked.extend(conjuncts(test.clone()).into_iter().map(|test| written_out(test, kept)));
            picks_nothing(rest)
        }
        Line::Repeat { rest, .. } => picks_nothing(rest),
        Line::Done(_) => true,
    }
}

fn written_out(mut test: Test, kept: &[&Step]) -> Test {
    for step in kept.iter().rev() {
        match step {
            Step::Let(slot, value) => put_in(PartMut::Test(&mut test), *slot, value),
            Step::LetSites(slot, set) => {
                if test == Test::Any(Sets::Slot(*slot)) {
                    test = any(set.clone());
                } else if test == Test::Known(Int::Only(Box::new(Sets::Slot(*slot)))) {
                    test = Test::Known(Int::Only(Box::new(set.clone())));
                }
            }
            Step::Change(_) | Step::Repeat(_) => {}
        }
    }
    test
}

fn picks_nothing(line: &Line) -> bool {
    match line {
        Line::Part { .. } | Line::Guarded { .. } => false,
        Line::Keep(_, rest) | Line::Require(_, rest) | Line::Change { rest, .. } | Line::Repeat { rest, .. } => {
            picks_nothing(rest)
        }
        Line::Done(_) => true,
    }
}

pub(super) fn seen_along(site: &Int) -> Option<Seen<'_>> {
    if let Int::Ahead { from, direction, steps } = site {
        return Some(Seen { site, from, way: direction, steps: Some(steps) });
    }
    if let Int::Beyond { from, direction, .. } = site {
        return Some(Seen { site, from, way: direction, steps: None });
    }
    let Int::Only(set) = site else { return None };
    seen_in(set, site)
}

pub(super) fn seen_in<'a>(set: &'a Sets, site: &'a Int) -> Option<Seen<'a>> {
    if let Sets::And(parts) = set {
        return parts.iter().find_map(|part| seen_in(part, site));
    }
    if let Sets::One(site) = set {
        return seen_along(site);
    }
    // On one line, whichever case it is.
    if let Sets::Or(cases) = set {
        let (first, others) = cases.split_first()?;
        let first = seen_in(first, site).filter(|seen| seen.steps.is_none())?;
        let is_same = |seen: Seen<'_>| seen.from == first.from && seen.way == first.way && seen.steps.is_none();
        return others.iter().all(|case| seen_in(case, site).is_some_and(is_same)).then_some(Seen { site, ..first });
    }
    // Whichever of some sites it is.
    if let Sets::Filter { domain: set, .. } | Sets::Minus(set, _) = set {
        return seen_in(set, site);
    }
    // On a line from one site in one direction, or at its end, or so many steps on.
    let (from, directions, steps) = if let Sets::Ahead { from, directions, steps } = set {
        (from, directions, Some(&**steps))
    } else if let Sets::Run { from, directions, .. } | Sets::Beyond { from, directions, .. } = set {
        (from, directions, None)
    } else {
        return None;
    };
    let (Sets::One(from), Int::Bit(way)) = (&**from, &**directions) else { return None };
    Some(Seen { site, from, way, steps })
}

/// Whether different values of the part in a slot make different numbers, or none.
fn tells(int: &Int, slot: u16) -> bool {
    match int {
        Int::Slot(own) => *own == slot,
        Int::Opposite(inner) => tells(inner, slot),
        Int::OnlyBit(mask) => matches!(&**mask, Int::Bit(inner) if tells(inner, slot)),
        // Only where the part has no value is the other one meant.
        Int::If(test, own, other) => {
            **test == Test::Known(Int::Slot(slot)) && **own == Int::Slot(slot) && matches!(**other, Int::Const(_))
        }
        Int::Arithmetic(ArithmeticOp::Add | ArithmeticOp::Subtract, a, b) => {
            matches!(**b, Int::Const(_)) && tells(a, slot)
        }
        Int::Table { values, index } => {
            let known = || values.iter().filter(|value| **value != NONE);
            tells(index, slot) && known().enumerate().all(|(at, value)| !known().take(at).any(|other| other == value))
        }
        _ => false,
    }
}

/// The slots of the parts that are printed.
pub(super) fn told(plan: &MovePlan<'_>) -> Vec<u16> {
    plan.parts.iter().filter(|(local, _)| shown(plan.mv, *local)).map(|(_, slot)| *slot).collect()
}

/// The slots of those that are not, without the witnesses that are picked no more.
pub(super) fn hidden(plan: &MovePlan<'_>, generator: &Generator) -> Vec<u16> {
    let hidden = plan.parts.iter().filter(|(local, _)| !shown(plan.mv, *local));
    hidden.filter(|(local, slot)| !plan.is_witness(*local) || generator.binds(*slot)).map(|(_, slot)| *slot).collect()
}

/// Whether a part is printed: by itself, or as one of several that are picked together, in the order of the board.
pub(super) fn shown(mv: &rules::Move, local: rules::Local) -> bool {
    let pick = mv.names.iter().find(|named| named.local == local).and_then(|named| named.pick);
    printed(mv, local) || pick.is_some_and(|pick| printed(mv, pick))
}

fn printed(mv: &rules::Move, local: rules::Local) -> bool {
    mv.notation.iter().any(|piece| {
        matches!(piece, NotationPiece::Value { value, .. }
            if matches!(value.kind, rules::ExprKind::Local(shown) if shown == local))
    })
}
