//! Tests about one site turned round: the set of all sites that pass, computed for the whole board at once.

use super::build::*;
use super::cases::is_plain;
use super::gather::all_ahead;
use super::ir::*;
use super::lower::Lowering;
use super::parts::chain;
use super::relation::FEW_SITES;
use super::single::has_one_at_most;
use crate::board::{Direction, Site};
use crate::rules::CompareOp;

impl Lowering<'_> {
    /// All sites for which a test of the site in the slot holds, where that can be said for the whole board.
    pub fn lift(&self, test: &Test, slot: u16) -> Option<Sets> {
        if !test.reads(slot) {
            return Some(self.ground.choose(test.clone(), self.ground.everything(), nothing()));
        }
        if let Some(split) = self.split(test, slot) {
            return self.lift(&split, slot);
        }
        // On large boards lines take less room than tables of all sites.
        let (told, lines) = (|| self.related(test, slot), || self.by_direction(test, slot));
        self.lift_form(test, slot)
            .or_else(|| if self.layout.positions > FEW_SITES { lines().or_else(told) } else { told().or_else(lines) })
    }

    fn lift_form(&self, test: &Test, slot: u16) -> Option<Sets> {
        match test {
            Test::Not(inner) => Some(self.ground.not(self.lift(inner, slot)?)),
            Test::And(parts) => {
                Some(self.ground.and(parts.iter().map(|part| self.lift(part, slot)).collect::<Option<_>>()?))
            }
            Test::Or(parts) => {
                Some(self.ground.or(parts.iter().map(|part| self.lift(part, slot)).collect::<Option<_>>()?))
            }
            Test::Any(set) => {
                let seen = || Some(self.seen_on_lines(set.clone())).filter(|seen| seen != set);
                let lifted = self.lift_any(set, slot).or_else(|| self.hidden(all_of(set), slot));
                lifted.or_else(|| self.lift_any(&seen()?, slot))
            }
            Test::Subset(set, whole) if let Some(joining) = self.joining(set, whole, slot) => Some(joining),
            // A set lies within another one where nothing else does.
            Test::Subset(set, whole) if set.reads(slot) && !whole.reads(slot) => {
                let others = [set.clone(), self.ground.not(whole.clone())];
                let outside = self.lift_any(&self.ground.and(others.to_vec()), slot);
                Some(self.ground.not(outside.or_else(|| self.hidden(&others, slot))?))
            }
            Test::Known(site) if self.finds_sites(site, slot) => self.sources(site, self.ground.everything(), slot),
            Test::Contains(set, site) => self.lift_contains(set, site, slot),
            // A set that is the same for all sites, and mostly has one member.
            Test::Subset(set, whole) if !set.reads(slot) => {
                let inside = self.lift(&contains(whole.clone(), only(set.clone())), slot)?;
                let is_one = compare(CompareOp::Equal, Int::Count(Box::new(set.clone())), Int::Const(1));
                let domain = Box::new(self.ground.everything());
                let each = Sets::Filter { slot, domain, test: Box::new(test.clone()) };
                Some(self.ground.choose(is_one, inside, each))
            }
            Test::Compare(op, a, b) => self.lift_compare(*op, a, b, slot),
            Test::Lists(op, a, b) => self.lift_lists(*op, a, b, slot),
            Test::Exists { slot: inner, domain, test } => {
                let of_named = || match &**domain {
                    Domain::Sites(set) => self.lift(&self.some_of_named(*inner, set, test)?, slot),
                    Domain::Mask(_) | Domain::Range(..) => None,
                };
                self.lift_some((*inner, domain, test), slot)
                    .or_else(of_named)
                    .or_else(|| self.some_so_many_steps_away((*inner, domain, test), slot))
                    .or_else(|| self.some_is_near((*inner, domain, test), slot))
                    .or_else(|| self.met_by_some(*inner, domain, test, slot))
            }
            _ => None,
        }
    }

    /// The sites of the slot for which some member of a domain passes a test.
    fn lift_some(&self, (member, domain, test): (u16, &Domain, &Test), slot: u16) -> Option<Sets> {
        match domain {
            Domain::Sites(set) => {
                let groups = |part: &Sets| matches!(part, Sets::Connected { .. });
                // Groups that have one of some members are found at once, whatever tells these.
                let each = || Sets::Filter {
                    slot: member,
                    domain: Box::new(self.ground.everything()),
                    test: Box::new(test.clone()),
                };
                let lifted = match self.lift(test, member) {
                    None if !test.reads(slot) && all_of(set).iter().any(groups) => each(),
                    lifted => lifted?,
                };
                // What is told of the other site by a table can be asked the other way round.
                let is_told = |part: &Sets| matches!(part, Sets::Table { index, .. } if **index == Int::Slot(slot));
                if !all_of(&lifted).iter().all(|part| is_told(part) || !part.reads(slot)) {
                    return None;
                }
                self.lift_any(&self.ground.and(vec![set.clone(), lifted]), slot)
            }
            Domain::Mask(_) | Domain::Range(..) => {
                let members = members_if(domain)?;
                // What goes round a ring more than once would be a long chain of steps.
                let far = |(at, _): &(i64, Test)| {
                    usize::try_from(at.unsigned_abs()).is_ok_and(|at| at > self.rules.board.len())
                };
                if matches!(domain, Domain::Range(..)) && members.iter().any(far) {
                    return None;
                }
                if members.len().saturating_mul(written(&Part::Test(test))) > MOST_WRITTEN {
                    return None;
                }
                let passing = |(at, there)| and(vec![there, with(test, member, at)]);
                let each = members.into_iter().map(|one| self.lift(&passing(one), slot));
                Some(self.ground.or(each.collect::<Option<_>>()?))
            }
        }
    }

    /// A test that looks along a line on which the site in the slot may stand in the way: one version with it in the
    /// way, one without.
    fn split(&self, test: &Test, slot: u16) -> Option<Test> {
        if !matches!(test, Test::Contains(..) | Test::Compare(..) | Test::Known(_)) {
            return None;
        }
        let mut sight = None;
        each_int(&Part::Test(test), &mut Vec::new(), &mut |int| {
            if let Int::Beyond { from, direction, through } = int
                && let Some(open) = blocked_by(through, slot)
                && !from.reads(slot)
                && matches!(**direction, Int::Const(0..))
            {
                sight = Some((int.clone(), from.clone(), direction.clone(), Box::new(open)));
            }
        });
        let (node, from, direction, open) = sight?;
        let way = bit((*direction).clone());
        let line = Sets::Run { from: Box::new(one((*from).clone())), directions: Box::new(way), through: open.clone() };
        let blocked = contains(line, Int::Slot(slot));
        let (mut with, mut without) = (test.clone(), test.clone());
        replace_int(&mut PartMut::Test(&mut with), &node, &Int::Slot(slot));
        let free = Int::Beyond { from, direction, through: open };
        replace_int(&mut PartMut::Test(&mut without), &node, &free);
        Some(or(vec![and(vec![blocked.clone(), with]), and(vec![not(blocked), without])]))
    }

    fn lift_contains(&self, set: &Sets, site: &Int, slot: u16) -> Option<Sets> {
        if !set.reads(slot) {
            return self.sources(site, set.clone(), slot);
        }
        let own = Int::Slot(slot);
        if *site == own
            && let Some(lines) = self.in_its_own_direction(set, slot)
        {
            return Some(lines);
        }
        match set {
            Sets::One(same) if **same == *site => self.sources(site, self.ground.everything(), slot),
            // Links are mutual: who is linked to the site in the slot has it, or a neighbour of it, in his own group.
            Sets::Connected { from, within }
                if self.ways.steps_are_neighbours && **from == Sets::One(Box::new(own.clone())) =>
            {
                if *site == own {
                    return self.lift_contains_or_plain(within, site, slot);
                }
                let others = without(within, slot);
                if site.reads(slot) || others.reads(slot) {
                    return None;
                }
                let member = contains((**within).clone(), own.clone());
                let there = self.lift(&member, slot)?;
                let group = Sets::Connected { from: Box::new(one(site.clone())), within: Box::new(others.clone()) };
                let around = Sets::Dilate(Box::new(group.clone()));
                let linked = self.ground.or(vec![group, around, one(site.clone())]);
                Some(self.ground.and(vec![there, linked]))
            }
            Sets::And(parts) => Some(
                self.ground.and(
                    parts
                        .iter()
                        .map(|part| self.lift(&contains(part.clone(), site.clone()), slot))
                        .collect::<Option<_>>()?,
                ),
            ),
            Sets::Or(parts) => Some(
                self.ground.or(parts
                    .iter()
                    .map(|part| self.lift(&contains(part.clone(), site.clone()), slot))
                    .collect::<Option<_>>()?),
            ),
            Sets::Minus(whole, taken) => {
                let whole = self.lift_contains_or_plain(whole, site, slot)?;
                let taken = self.lift_contains_or_plain(taken, site, slot)?;
                Some(self.ground.and(vec![whole, self.ground.not(taken)]))
            }
            Sets::Run { .. } | Sets::Beyond { .. } if chain(site, slot) => self.on_line(set, site, slot),
            Sets::Not(inner) => {
                let inside = self.lift(&contains((**inner).clone(), site.clone()), slot)?;
                let there = self.lift(&known(site.clone()), slot)?;
                Some(self.ground.and(vec![there, self.ground.not(inside)]))
            }
            Sets::If(test, yes, no) => {
                let chosen = self.lift(test, slot)?;
                let (yes, no) =
                    (self.lift_contains_or_plain(yes, site, slot)?, self.lift_contains_or_plain(no, site, slot)?);
                Some(self.ground.or(vec![
                    self.ground.and(vec![chosen.clone(), yes]),
                    self.ground.and(vec![self.ground.not(chosen), no]),
                ]))
            }
            // In how many sets a site lies that is some steps away.
            Sets::Tally(tally) if !tally.offset.reads(slot) => {
                let each = |sets: &[Sets]| -> Option<Vec<Sets>> {
                    sets.iter().map(|set| self.lift_contains_or_plain(set, site, slot)).collect()
                };
                let held = self.tally(tally.op, each(&tally.left)?, each(&tally.right)?, tally.offset.clone());
                Some(self.ground.and(vec![self.lift(&known(site.clone()), slot)?, held]))
            }
            // No site is its own neighbour.
            Sets::Near(other) if **other == *site => Some(nothing()),
            // Being a neighbour is mutual.
            Sets::Near(other) if self.ways.steps_are_neighbours && !site.reads(slot) => {
                self.sources(other, Sets::Near(Box::new(site.clone())), slot)
            }
            Sets::One(other) if !site.reads(slot) => self.sources(other, one(site.clone()), slot),
            Sets::Table { rows, index } if **index == own && !site.reads(slot) => {
                Some(row(super::relation::turned_round(rows), site.clone()))
            }
            // What lies behind it on a line from the other end has it in between. Of members that are gone through, all lines
            // are found together.
            Sets::Between(a, b)
                if self.parts.contains(&slot) && !site.reads(slot) && !self.ways.rings && self.ways.rays_are_apart =>
            {
                let far = other_end((a, b), &own)?;
                let leads = self.ways.directions_are_lines && self.ways.steps_lead_back && !far.reads(slot);
                let way = bit(direction(far.clone(), site.clone()));
                leads.then(|| self.lines(site, way))
            }
            Sets::Dilate(near) if site.reads(slot) => self.lift_two_steps(near, site, slot),
            // A line that leads to one site is a line from there.
            Sets::Run { from, directions, through } | Sets::Beyond { from, directions, through }
                if !site.reads(slot)
                    && **from == one(own.clone())
                    && let Some(leading) = self.leading_to(site, directions, through, slot) =>
            {
                let passed = self.stands_in((**through).clone(), site);
                // No line begins at a site that is none.
                let leads = if matches!(set, Sets::Run { .. }) { passed } else { not(passed) };
                Some(self.ground.choose(leads, leading, nothing()))
            }
            // What leads to one site is found from there.
            Sets::Run { .. } | Sets::Beyond { .. } | Sets::Ahead { .. } | Sets::Dilate(_) if !site.reads(slot) => {
                self.lift_any(&self.ground.and(vec![one(site.clone()), set.clone()]), slot)
            }
            _ => None,
        }
    }

    fn lift_contains_or_plain(&self, set: &Sets, site: &Int, slot: u16) -> Option<Sets> {
        self.lift(&contains(set.clone(), site.clone()), slot)
    }

    /// The sites of the slot from which `site` is known and lies in a set that does not read the slot.
    pub fn sources(&self, site: &Int, set: Sets, slot: u16) -> Option<Sets> {
        match site {
            Int::Slot(own) if *own == slot => Some(set),
            Int::Step(way, inner) => self.sources(inner, self.pull(*way, set), slot),
            Int::Beyond { from, direction, through } => match &**direction {
                Int::Const(way) => {
                    let through = Box::new(self.passed(from, through, slot)?);
                    let pulled = Sets::PullBeyond { directions: 1 << way, goal: Box::new(set), through };
                    self.sources(from, pulled, slot)
                }
                _ => None,
            },
            // More steps than are written out at a single site.
            Int::Ahead { from, direction, steps }
                if let (Int::Const(way @ 0..16), Int::Const(steps)) = (&**direction, &**steps)
                    && (0..=MOST_STEPS).contains(steps) =>
            {
                let way = u8::try_from(*way).ok()?;
                let set = (0..*steps).fold(set, |set, _| self.pull(way, set));
                self.sources(from, set, slot)
            }
            // In a direction that hangs on a condition: one way or the other.
            Int::Ahead { from, direction, steps } => {
                let Int::If(test, yes, no) = &**direction else { return None };
                let way = |way: &Int| Box::new(ahead((**from).clone(), way.clone(), (**steps).clone()));
                self.sources(&Int::If(test.clone(), way(yes), way(no)), set, slot)
            }
            Int::If(test, yes, no) if is_plain(test) => {
                let chosen = self.lift(test, slot)?;
                let (yes, no) = (self.sources(yes, set.clone(), slot)?, self.sources(no, set, slot)?);
                Some(self.ground.or(vec![
                    self.ground.and(vec![chosen.clone(), yes]),
                    self.ground.and(vec![self.ground.not(chosen), no]),
                ]))
            }
            Int::Only(inner) => match &**inner {
                Sets::One(site) => self.sources(site, set, slot),
                inner if has_one_at_most(inner) => self.lift_any(&self.ground.and(vec![inner.clone(), set]), slot),
                _ => None,
            },
            site if !site.reads(slot) => {
                Some(self.ground.choose(contains(set, site.clone()), self.ground.everything(), nothing()))
            }
            _ => None,
        }
    }

    /// What a line from `from` passes through, as a set that does not read the slot: the site it begins at is never
    /// passed, unless lines lead back.
    fn passed(&self, from: &Int, through: &Sets, slot: u16) -> Option<Sets> {
        if !through.reads(slot) {
            return Some(through.clone());
        }
        let others = without(through, slot);
        (*from == Int::Slot(slot) && !self.ways.rings && !others.reads(slot)).then_some(others)
    }

    /// The sites for which a set that reads the slot has a member.
    pub fn lift_any(&self, set: &Sets, slot: u16) -> Option<Sets> {
        if !set.reads(slot) {
            return Some(self.ground.choose(any(set.clone()), self.ground.everything(), nothing()));
        }
        let parts = match set {
            Sets::And(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let (mut own, rest): (Vec<Sets>, Vec<Sets>) = parts.into_iter().partition(|part| part.reads(slot));
        let rest = self.ground.and(rest);
        if own.len() > 1 {
            let Some(at) = own.iter().position(|part| matches!(part, Sets::One(_))) else {
                let all: Vec<Sets> = own.iter().chain([&rest]).cloned().collect();
                return self.lift_any_of_few(own, rest, slot).or_else(|| self.any_so_many_steps_away(&all, slot));
            };
            let Sets::One(site) = own.remove(at) else { return None };
            own.push(rest);
            return self.lift(&and(own.into_iter().map(|part| contains(part, (*site).clone())).collect()), slot);
        }
        let within = |part: &Sets| self.lift_any(&self.ground.and(vec![rest.clone(), part.clone()]), slot);
        match own.pop()? {
            Sets::One(site) => self.sources(&site, rest, slot),
            Sets::Near(site) if self.ways.steps_are_neighbours => {
                self.sources(&site, Sets::Dilate(Box::new(rest)), slot)
            }
            Sets::Dilate(inner) if self.ways.steps_are_neighbours => {
                self.lift_any(&self.ground.and(vec![Sets::Dilate(Box::new(rest)), *inner]), slot)
            }
            // From which a run that is not empty leads up to a site of the goal.
            Sets::Bracketed { from, directions, through, goal }
                if *from == Int::Slot(slot)
                    && rest == self.ground.everything()
                    && !through.reads(slot)
                    && !goal.reads(slot) =>
            {
                let in_direction = |way: u8| {
                    let led = Sets::PullBeyond { directions: 1 << way, goal: goal.clone(), through: through.clone() };
                    self.ground.and(vec![self.pull(way, (*through).clone()), led])
                };
                Some(self.ground.or(ways(directions).map(in_direction).collect()))
            }
            // Whose group has a member somewhere: all of the groups that begin there.
            Sets::Connected { from, within }
                if self.ways.steps_are_neighbours && *from == Sets::One(Box::new(Int::Slot(slot))) =>
            {
                let groups = |within: Sets| {
                    let from = Box::new(self.ground.and(vec![rest.clone(), within.clone()]));
                    Sets::Connected { from, within: Box::new(within) }
                };
                match *within {
                    Sets::Alike(site, when) if *site == Int::Slot(slot) => {
                        let known = if when == When::Now { self.facts().get(&slot).copied() } else { None };
                        let known = known.unwrap_or(u64::MAX) & self.ground.planes;
                        let planes: Vec<u64> = (0..64).map(|plane| 1 << plane).filter(|bit| known & bit != 0).collect();
                        let each = planes.iter().map(|plane| groups(Sets::Planes(*plane, when)));
                        (planes.len() <= FEW_PLANES).then(|| self.ground.or(each.collect()))
                    }
                    within if !within.reads(slot) => Some(groups(within)),
                    _ => None,
                }
            }
            Sets::Table { rows, index } if *index == Int::Slot(slot) => {
                if let Some(steps) = self.neighbourhood(&rows) {
                    let around = |set: Sets| self.ground.or(vec![set.clone(), Sets::Dilate(Box::new(set))]);
                    return Some((0..steps).fold(rest, |set, _| around(set)));
                }
                if let Some((directions, itself)) = self.whole_lines_of(&rows) {
                    let itself = if itself { rest.clone() } else { nothing() };
                    let (goal, through) = (Box::new(rest), Box::new(self.ground.everything()));
                    return Some(self.ground.or(vec![Sets::PullRun { directions, goal, through }, itself]));
                }
                let each = self.ways_in(&rows, slot)?.into_iter().map(|(site, where_it_leads)| {
                    let leading = self.sources(&site, rest.clone(), slot)?;
                    Some(self.ground.and(vec![self.lift(&where_it_leads, slot)?, leading]))
                });
                Some(self.ground.or(each.collect::<Option<_>>()?))
            }
            Sets::Or(parts) => Some(self.ground.or(parts.iter().map(within).collect::<Option<_>>()?)),
            Sets::If(test, yes, no) => {
                let chosen = self.lift(&test, slot)?;
                let (yes, no) = (within(&yes)?, within(&no)?);
                Some(self.ground.or(vec![
                    self.ground.and(vec![chosen.clone(), yes]),
                    self.ground.and(vec![self.ground.not(chosen), no]),
                ]))
            }
            // In directions that hang on a condition: one way or the other.
            set @ (Sets::Run { .. } | Sets::Beyond { .. } | Sets::Trail { .. } | Sets::Ahead { .. })
                if let Some((test, yes, no)) = either_way(&set) =>
            {
                let chosen = self.lift(&test, slot)?;
                let (yes, no) = (within(&yes)?, within(&no)?);
                Some(self.ground.or(vec![
                    self.ground.and(vec![chosen.clone(), yes]),
                    self.ground.and(vec![self.ground.not(chosen), no]),
                ]))
            }
            // From several sites, or from one that must lie in a set: some of them are such that a line from there leads on.
            Sets::Run { from, directions, through } if !through.reads(slot) && !matches!(*from, Sets::One(_)) => {
                let Int::Const(directions @ 0..) = *directions else { return None };
                let leading = Sets::PullRun { directions, goal: Box::new(rest), through };
                self.lift_any(&self.ground.and(vec![leading, *from]), slot)
            }
            Sets::Beyond { from, directions, through } if !through.reads(slot) && !matches!(*from, Sets::One(_)) => {
                let Int::Const(directions @ 0..) = *directions else { return None };
                let leading = Sets::PullBeyond { directions, goal: Box::new(rest), through };
                self.lift_any(&self.ground.and(vec![leading, *from]), slot)
            }
            // Away from another site: on each line from there, what lies further on.
            Sets::Run { from, directions, through }
                if let Some(start) = self.away_from(&from, &directions, slot)
                    && !through.reads(slot) =>
            {
                let each = ways(self.all_ways()).map(|way| {
                    let lines = self.lines(&start, Int::Const(1 << way));
                    self.ground.and(vec![lines, self.run_into(way, &rest, (*through).clone())])
                });
                Some(self.ground.or(each.collect()))
            }
            Sets::Run { from, directions, through } => self.pulled(&from, &directions, &through, slot, |direction| {
                self.run_into(direction, &rest, without(&through, slot))
            }),
            Sets::Beyond { from, directions, through } => {
                self.pulled(&from, &directions, &through, slot, |direction| Sets::PullBeyond {
                    directions: 1 << direction,
                    goal: Box::new(rest.clone()),
                    through: Box::new(without(&through, slot)),
                })
            }
            Sets::Trail { from, directions, steps } => {
                let (Sets::One(site), Int::Const(mask), Int::Const(count @ ..=32)) = (&*from, &*directions, &*steps)
                else {
                    return None;
                };
                let line = |way: u8| {
                    let next = move |set: &Sets| Some(self.pull(way, set.clone()));
                    std::iter::successors(next(&rest), next).take(usize::try_from(*count).unwrap_or(0))
                };
                let each = ways(*mask).flat_map(line).map(|far| self.sources(site, far, slot));
                Some(self.ground.or(each.collect::<Option<_>>()?))
            }
            Sets::Ahead { from, directions, steps } => {
                let (Int::Const(mask), Int::Const(count @ 1..=32)) = (&*directions, &*steps) else { return None };
                let far = ways(*mask).map(|way| (0..*count).fold(rest.clone(), |set, _| self.pull(way, set)));
                match &*from {
                    Sets::One(site) => {
                        let each = far.map(|far| self.sources(site, far, slot));
                        Some(self.ground.or(each.collect::<Option<_>>()?))
                    }
                    from => self.lift_any(&self.ground.and(vec![self.ground.or(far.collect()), from.clone()]), slot),
                }
            }
            Sets::Filter { slot: member, domain, test } => {
                let domain = Box::new(Domain::Sites(self.ground.and(vec![rest, *domain])));
                self.lift(&Test::Exists { slot: member, domain, test }, slot)
            }
            _ => None,
        }
    }

    /// The sites from which lines in some directions lead to one site through nothing but a set.
    fn leading_to(&self, site: &Int, directions: &Int, through: &Sets, slot: u16) -> Option<Sets> {
        let (Int::Const(directions @ 0..), false) = (directions, through.reads(slot)) else { return None };
        if !self.ways.steps_lead_back || !self.ways.rays_are_apart || self.ways.rings {
            return None;
        }
        let (from, directions) = (Box::new(one(site.clone())), Box::new(opposite_mask(Int::Const(*directions))));
        let through = Box::new(through.clone());
        let (start, ways, open) = (from.clone(), directions.clone(), through.clone());
        let last = Sets::Beyond { from, directions, through };
        Some(self.ground.or(vec![Sets::Run { from: start, directions: ways, through: open }, last]))
    }

    /// The site from which a line leads away that begins at the site in the slot.
    fn away_from(&self, from: &Sets, directions: &Int, slot: u16) -> Option<Int> {
        let Int::Bit(way) = directions else { return None };
        let Int::Direction(start, through) = &**way else { return None };
        let own = Int::Slot(slot);
        let is_behind = **through == own && *from == one(own) && !start.reads(slot);
        (is_behind && self.ways.rays_are_apart && self.ways.directions_are_lines && !self.ways.rings)
            .then(|| (**start).clone())
    }

    /// The sites for which one of a few sites, each some steps away, lies in all of some sets.
    fn lift_any_of_few(&self, mut own: Vec<Sets>, rest: Sets, slot: u16) -> Option<Sets> {
        // A neighbour of the site in a set to which the site itself is added.
        let names_it = |part: &Sets| matches!(part, Sets::Or(cases) if cases.contains(&one(Int::Slot(slot))));
        let is_near = |part: &Sets| matches!(part, Sets::Near(site) if **site == Int::Slot(slot));
        if own.iter().any(is_near)
            && let Some(at) = own.iter().position(names_it)
            && let Sets::Or(cases) = own.remove(at)
        {
            own.push(rest);
            let each = cases.into_iter().map(|case| {
                let all = std::iter::once(case).chain(own.iter().cloned()).collect();
                self.lift_any(&self.ground.and(all), slot)
            });
            return Some(self.ground.or(each.collect::<Option<_>>()?));
        }
        let is_steps = |site: &Sets| matches!(site, Sets::One(site) if chain(site, slot));
        let few = |part: &Sets| matches!(part, Sets::Or(sites) if sites.iter().all(is_steps));
        let at = own.iter().position(few)?;
        let Sets::Or(sites) = own.remove(at) else { return None };
        own.push(rest);
        let each = sites.into_iter().map(|site| {
            let all = std::iter::once(site).chain(own.iter().cloned()).collect();
            self.lift_any(&self.ground.and(all), slot)
        });
        Some(self.ground.or(each.collect::<Option<_>>()?))
    }

    /// The sites for which a site some steps away is a neighbour of a neighbour that lies in a set: in each direction in which
    /// that neighbour may lie, the form of the board says for which sites the two are neighbours.
    fn lift_two_steps(&self, near: &Sets, site: &Int, slot: u16) -> Option<Sets> {
        let parts = if let Sets::And(parts) = near { parts.as_slice() } else { std::slice::from_ref(near) };
        let (own, rest): (Vec<&Sets>, Vec<&Sets>) = parts.iter().partition(|part| part.reads(slot));
        let [Sets::Near(centre)] = own.as_slice() else { return None };
        if **centre != Int::Slot(slot) || !chain(site, slot) || !self.ways.steps_are_neighbours {
            return None;
        }
        let (rest, board) = (self.ground.and(rest.into_iter().cloned().collect()), &self.rules.board);
        let each = ways(self.all_directions()).map(|way| {
            let meet = |from: Site| {
                let step = board.step(from, Direction::from_index(usize::from(way))?)?;
                Some(board.neighbours(step).contains(self.follow(from, site)?))
            };
            let where_they_meet = board.all().iter().filter(|from| meet(*from) == Some(true)).collect();
            self.ground.and(vec![self.constant_sites(where_they_meet), self.pull(way, rest.clone())])
        });
        Some(self.ground.or(each.collect()))
    }

    /// The sites that lie on lines from another one in their own direction from there: all that lie on its lines.
    pub(super) fn in_its_own_direction(&self, set: &Sets, slot: u16) -> Option<Sets> {
        if !self.ways.rays_are_apart || !self.ways.directions_are_lines || self.ways.rings {
            return None;
        }
        let mut lines = if let Sets::One(site) = set
            && let Int::Beyond { from, direction, through } = (**site).clone()
        {
            Sets::Beyond { from: Box::new(one(*from)), directions: Box::new(bit(*direction)), through }
        } else {
            all_ahead(set).unwrap_or_else(|| set.clone())
        };
        // No steps, or steps backwards, lead to no site in that direction.
        if let Sets::Ahead { steps, .. } = &lines
            && !matches!(**steps, Int::Const(1..))
            && self.bounds(steps).is_none_or(|(least, _)| least < 1)
        {
            return None;
        }
        let directions = directions_of(&mut lines)?;
        let Int::Bit(way) = &**directions else { return None };
        let Int::Direction(start, end) = &**way else { return None };
        let (start, is_own) = (one((**start).clone()), **end == Int::Slot(slot));
        **directions = Int::Const(self.all_ways());
        let (Sets::Run { from, .. } | Sets::Beyond { from, .. } | Sets::Ahead { from, .. } | Sets::Trail { from, .. }) =
            &lines
        else {
            return None;
        };
        (is_own && **from == start && !lines.reads(slot)).then_some(lines)
    }

    /// The sites from which a run in a direction leads into a set.
    fn run_into(&self, way: u8, goal: &Sets, through: Sets) -> Sets {
        // Any run at all begins with a step into what it goes through.
        if *goal == self.ground.everything() {
            return self.pull(way, through);
        }
        Sets::PullRun { directions: 1 << way, goal: Box::new(goal.clone()), through: Box::new(through) }
    }

    /// The sites from which a step in a direction leads into a set.
    pub(super) fn pull(&self, way: u8, set: Sets) -> Sets {
        let Sets::Const(known) = &set else { return Sets::Pull(way, Box::new(set)) };
        let (known, board) = (self.layout.sites_at(*known), &self.rules.board);
        let leads = |from: &Site| {
            let step = Direction::from_index(usize::from(way)).and_then(|way| board.step(*from, way));
            step.is_some_and(|to| known.contains(to))
        };
        self.constant_sites(board.all().iter().filter(leads).collect())
    }

    fn pulled(
        &self,
        from: &Sets,
        directions: &Int,
        through: &Sets,
        slot: u16,
        pull: impl Fn(u8) -> Sets,
    ) -> Option<Sets> {
        Some(self.ground.or(self.pulled_each(from, directions, through, slot, pull)?))
    }

    /// The same for each direction.
    pub(super) fn pulled_each(
        &self,
        from: &Sets,
        directions: &Int,
        through: &Sets,
        slot: u16,
        pull: impl Fn(u8) -> Sets,
    ) -> Option<Vec<Sets>> {
        let (Sets::One(site), Int::Const(mask)) = (from, directions) else { return None };
        self.passed(site, through, slot)?;
        ways(*mask).map(|way| self.sources(site, pull(way), slot)).collect()
    }
}

/// So many steps are taken of whole sets, one after the other: as many as lead across a large board.
const MOST_STEPS: i64 = 24;

/// More instructions than this are not made of a test that is asked of each of a few members.
pub(super) const MOST_WRITTEN: usize = 20_000;

/// The size of an instruction in which what is asked of each of a few members is written out for all of them.
pub(super) fn written(part: &Part<'_>) -> usize {
    let mut times = 1;
    if let Part::Test(Test::Exists { domain, .. }) = part
        && let Some(members) = few(domain)
    {
        times = members.len().max(1);
    }
    if let Part::Int(Int::MaskWhere { domain, .. }) = part
        && let Int::Const(domain) = **domain
    {
        times = members(domain).count().max(1);
    }
    let mut size: usize = 1;
    part.parts(&mut |part| size = size.saturating_add(written(&part)));
    size.saturating_mul(times)
}

/// The sets of which a set is what all have.
pub(super) fn all_of(set: &Sets) -> &[Sets] {
    if let Sets::And(parts) = set { parts } else { std::slice::from_ref(set) }
}

/// A line in directions that hang on a condition: the condition, the line where it holds, and where it does not.
pub(super) fn either_way(set: &Sets) -> Option<(Test, Sets, Sets)> {
    let (mut yes, mut no) = (set.clone(), set.clone());
    let (chosen, other) = (directions_of(&mut yes)?, directions_of(&mut no)?);
    let test = match &mut **chosen {
        Int::If(test, one, another) => {
            let (test, one, another) = (test.clone(), (**one).clone(), (**another).clone());
            (**chosen, **other) = (one, another);
            test
        }
        Int::Bit(way) => {
            let Int::If(test, one, another) = &**way else { return None };
            let (test, one, another) = (test.clone(), bit((**one).clone()), bit((**another).clone()));
            (**chosen, **other) = (one, another);
            test
        }
        _ => return None,
    };
    is_plain(&test).then_some((*test, yes, no))
}

/// The directions of steps or lines.
pub(super) fn directions_of(set: &mut Sets) -> Option<&mut Box<Int>> {
    if let Sets::Run { directions, .. }
    | Sets::Beyond { directions, .. }
    | Sets::Trail { directions, .. }
    | Sets::Ahead { directions, .. } = set
    {
        return Some(directions);
    }
    None
}

/// As many planes may be flooded one after the other.
const FEW_PLANES: usize = 8;

/// Calls a function with every number within an instruction, but for those that read a slot bound on the way.
pub(super) fn each_int(part: &Part<'_>, bound: &mut Vec<u16>, f: &mut dyn FnMut(&Int)) {
    let before = bound.len();
    if let Part::Int(int) = part
        && !bound.iter().any(|slot| int.reads(*slot))
    {
        f(int);
    }
    part.binds(&mut |slot| bound.push(slot));
    part.parts(&mut |part| each_int(&part, bound, f));
    bound.truncate(before);
}

/// Puts a number in the place of another wherever that stands.
pub(super) fn replace_int(part: &mut PartMut<'_>, old: &Int, new: &Int) {
    let mut each = |mut part: PartMut<'_>| replace_int(&mut part, old, new);
    match part {
        PartMut::Sets(sets) => sets.parts_mut(&mut each),
        PartMut::Test(test) => test.parts_mut(&mut each),
        PartMut::Int(int) if **int == *old => **int = new.clone(),
        PartMut::Int(int) => int.parts_mut(&mut each),
    }
}

/// A test with a member of a small set in the place of a slot.
pub(super) fn with(test: &Test, slot: u16, at: i64) -> Test {
    let mut test = test.clone();
    put_in(PartMut::Test(&mut test), slot, &Int::Const(at));
    test
}

/// A set from which just the site in a slot is taken: the set with it.
pub(super) fn blocked_by(through: &Sets, slot: u16) -> Option<Sets> {
    match through {
        Sets::Minus(open, taken) if **taken == Sets::One(Box::new(Int::Slot(slot))) && !open.reads(slot) => {
            Some((**open).clone())
        }
        _ => None,
    }
}

/// A set without the site in a slot.
pub(super) fn without(set: &Sets, slot: u16) -> Sets {
    let own = Sets::One(Box::new(Int::Slot(slot)));
    match set {
        Sets::Or(parts) => {
            let mut rest: Vec<Sets> =
                parts.iter().filter(|part| **part != own).map(|part| without(part, slot)).collect();
            if rest.len() == 1 { rest.remove(0) } else { Sets::Or(rest) }
        }
        Sets::Minus(inner, taken) if **taken == own => without(inner, slot),
        other => other.clone(),
    }
}
