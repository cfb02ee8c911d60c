//! What stands between two sites, asked of all sites at once: who is seen from one site along the lines of the board.

use super::build::*;
use super::ir::*;
use super::lift::each_int;
use super::lower::Lowering;
use super::narrow::count as narrow;
use super::parts::chain;
use crate::board::{Direction, Site, SiteSet};

/// The site from which a set is what is not hidden, if that is its form.
fn seen_from(set: &Sets) -> Option<&Int> {
    let Sets::Not(hidden) = set else { return None };
    let Sets::Minus(lines, _) = &**hidden else { return None };
    let Sets::Run { from, .. } = &**lines else { return None };
    if let Sets::One(from) = &**from { Some(from) } else { None }
}

/// A direction between the site in a slot and another one that a test asks for: what asks for it, the other site, and whether
/// the direction leads back from the slot to that one.
fn direction_asked(test: &Test, slot: u16) -> Option<(Int, Int, bool)> {
    let (own, mut found) = (Int::Slot(slot), None);
    each_int(&Part::Test(test), &mut Vec::new(), &mut |int| {
        let Int::Direction(from, to) = int else { return };
        let (end, is_back) = if **to == own { (from, false) } else { (to, true) };
        if (!is_back || **from == own) && !end.reads(slot) {
            found = Some((int.clone(), (**end).clone(), is_back));
        }
    });
    found
}

impl Lowering<'_> {
    /// The sites of the slot for which something of a set lies between them and another site.
    ///
    /// Where the lines from a site have no site in common, what lies between it and a site on one of them is the way there:
    /// a site behind the first that is met on its line is hidden, and no other one is.
    pub(super) fn hidden(&self, parts: &[Sets], slot: u16) -> Option<Sets> {
        let (own, rest): (Vec<&Sets>, Vec<&Sets>) = parts.iter().partition(|part| part.reads(slot));
        let [Sets::Between(a, b)] = own.as_slice() else { return None };
        if !self.ways.rays_are_apart {
            return None;
        }
        let met = self.ground.and(rest.into_iter().cloned().collect());
        let from = match (&**a, &**b) {
            (Int::Slot(own), from) | (from, Int::Slot(own)) if *own == slot && !from.reads(slot) => from,
            (from, to) => return self.met_between((from, to), &met, slot),
        };
        Some(self.not_seen_through(self.ground.not(met), from))
    }

    /// The sites on lines from one site that are not seen from there through nothing but a set.
    fn not_seen_through(&self, open: Sets, from: &Int) -> Sets {
        let ways = self.all_ways();
        minus(self.lines(from, Int::Const(ways)), self.visible(from, ways, open))
    }

    /// All that lies on lines from a site in some directions.
    pub(super) fn lines(&self, from: &Int, ways: Int) -> Sets {
        let through = Box::new(self.ground.everything());
        Sets::Run { from: Box::new(one(from.clone())), directions: Box::new(ways), through }
    }

    /// What is seen from a site in some directions through nothing but a set: all of it, and what comes behind.
    fn visible(&self, from: &Int, ways: i64, open: Sets) -> Sets {
        let next_to_it = self.ways.steps_are_neighbours && ways == self.all_directions();
        if open == nothing() && next_to_it {
            return Sets::Near(Box::new(from.clone()));
        }
        let (from, directions, through) = (Box::new(one(from.clone())), Box::new(Int::Const(ways)), Box::new(open));
        let run = Sets::Run { from: from.clone(), directions: directions.clone(), through: through.clone() };
        self.ground.or(vec![run, Sets::Beyond { from, directions, through }])
    }

    /// Through which set all sites of a set are seen from a site, or lie on no line from there, if it is all that have this.
    pub(super) fn seen_through(&self, set: &Sets, from: &Int) -> Option<Sets> {
        let Sets::Not(hidden) = set else { return None };
        let Sets::Minus(_, seen) = &**hidden else { return None };
        let Sets::Or(parts) = &**seen else { return None };
        let through =
            |part: &Sets| if let Sets::Beyond { through, .. } = part { Some((**through).clone()) } else { None };
        let open = parts.iter().find_map(through)?;
        (self.not_seen_through(open.clone(), from) == **hidden).then_some(open)
    }

    /// The same set, where it is seen from a site and something else says on which of the lines from there it lies: what is
    /// hidden on other lines need not be found out.
    pub(super) fn seen_on_lines(&self, set: Sets) -> Sets {
        let Sets::And(parts) = &set else { return set };
        let seen = parts.iter().enumerate().find_map(|(at, part)| {
            let from = seen_from(part)?;
            Some((at, from, self.seen_through(part, from)?))
        });
        let Some((at, from, open)) = seen else { return set };
        // Different lines have no site in common.
        let ways = parts.iter().filter_map(|part| self.lines_of(part, from)).reduce(|all, own| all & own);
        let Some(ways) = ways else { return set };
        let seen = self.visible(from, ways, open);
        let is_said_by_it = |part: &Sets| self.whole_lines(part).is_some_and(|(start, _)| start == from);
        let left = |part: &Sets| match part {
            part if is_said_by_it(part) => None,
            Sets::Minus(lines, taken) if is_said_by_it(lines) => Some(self.ground.not((**taken).clone())),
            other => Some(other.clone()),
        };
        let rest = parts.iter().enumerate().filter(|(other, _)| *other != at).filter_map(|(_, part)| left(part));
        self.ground.and(rest.chain([seen]).collect())
    }

    /// The site and the directions of which a set is all that lies on lines.
    fn whole_lines<'s>(&self, set: &'s Sets) -> Option<(&'s Int, i64)> {
        if let Sets::Table { rows, index } = set {
            let mask = self.lines_of(set, index)?;
            let line = |site: Site| self.walk().trail(SiteSet::single(site), mask, i64::MAX);
            let is_whole = |site: Site| rows.get(site.index()) == Some(&line(site));
            return self.ground.all.iter().all(is_whole).then_some((&**index, mask));
        }
        let Sets::Run { from, directions, through } = set else { return None };
        let (Sets::One(from), Int::Const(mask)) = (&**from, &**directions) else { return None };
        (**through == self.ground.everything()).then_some((&**from, *mask))
    }

    /// The same set with one part for all lines from one site: different lines have no site in common.
    pub(super) fn on_common_lines(&self, set: Sets) -> Sets {
        let Sets::And(parts) = &set else { return set };
        let lines: Vec<(&Int, i64)> = parts.iter().filter_map(|part| self.whole_lines(part)).collect();
        let Some((from, _)) = lines.first().filter(|_| self.ways.rays_are_apart) else { return set };
        if lines.len() < 2 || lines.iter().any(|(other, _)| other != from) {
            return set;
        }
        let ways = lines.iter().fold(-1, |all, (_, ways)| all & ways);
        let rest = parts.iter().filter(|part| self.whole_lines(part).is_none()).cloned();
        self.ground.and(rest.chain([self.lines(from, Int::Const(ways))]).collect())
    }

    /// The directions from a site in which all of a set lies, if its form says so.
    fn lines_of(&self, set: &Sets, from: &Int) -> Option<i64> {
        if let Sets::Table { rows, index } = set
            && **index == *from
        {
            let each = rows.iter().enumerate().map(|(at, row)| self.ways_to_all(Site::from_index(at)?, *row));
            return each.collect::<Option<Vec<i64>>>().map(|ways| ways.iter().fold(0, |all, own| all | own));
        }
        if let Sets::Minus(set, _) = set {
            return self.lines_of(set, from);
        }
        let (Sets::Run { from: start, directions, .. } | Sets::Beyond { from: start, directions, .. }) = set else {
            return None;
        };
        let (Sets::One(start), Int::Const(mask)) = (&**start, &**directions) else { return None };
        (**start == *from).then_some(*mask)
    }

    /// The directions in which some positions lie from another one; none where one lies on no line from there.
    fn ways_to_all(&self, from: Site, mut to: SiteSet) -> Option<i64> {
        let mut ways = 0;
        for way in self.rules.board.compass().iter().map(|way| 1 << way.index()) {
            let line = self.walk().trail(SiteSet::single(from), way, i64::MAX);
            if line.intersects(to) {
                ways |= way;
                to -= line;
            }
        }
        to.is_empty().then_some(ways)
    }

    /// How many members a mask has: in how many directions the site that is seen lies in a set is how many sites that are seen
    /// lie in it, where no site is seen in two directions.
    pub(super) fn ones(&self, mask: Int) -> Int {
        if let Int::MaskWhere { slot, domain, test } = &mask
            && let (Int::Const(_), Test::Contains(goal, seen)) = (&**domain, &**test)
            && self.ways.rays_are_apart
            && !goal.reads(*slot)
        {
            let apart = |from: &Int, way: &Int| !from.reads(*slot) && *way == Int::Slot(*slot);
            let start = |from: &Int| Box::new(one(from.clone()));
            let found = if let Int::Beyond { from, direction, through } = seen
                && apart(from, direction)
                && !through.reads(*slot)
            {
                Some(Sets::Beyond { from: start(from), directions: domain.clone(), through: through.clone() })
            } else if let Int::Ahead { from, direction, steps } = seen
                && apart(from, direction)
                && matches!(**steps, Int::Const(1..))
            {
                Some(Sets::Ahead { from: start(from), directions: domain.clone(), steps: steps.clone() })
            } else {
                None
            };
            if let Some(found) = found {
                return Int::Count(Box::new(self.ground.and(vec![goal.clone(), found])));
            }
        }
        Int::Ones(Box::new(mask))
    }

    /// The sites of the slot from which a run along a line, or what comes behind it, holds a site some steps away: in which
    /// direction and how far it lies on the line is a matter of the board.
    pub(super) fn on_line(&self, line: &Sets, site: &Int, slot: u16) -> Option<Sets> {
        let behind = matches!(line, Sets::Beyond { .. });
        let (Sets::Run { from, directions, through } | Sets::Beyond { from, directions, through }) = line else {
            return None;
        };
        let (Sets::One(from), Int::Const(mask)) = (&**from, &**directions) else { return None };
        if !chain(from, slot) || through.reads(slot) || !self.ways.rays_are_apart {
            return None;
        }
        let found = self.places_on_lines((&**from, site), *mask);
        let each = found.into_iter().map(|(way, passed, starts)| {
            let steps =
                |count: usize| ahead((**from).clone(), Int::Const(direction_index(way)), Int::Const(narrow(count)));
            let open = (1..=passed).map(|count| contains((**through).clone(), steps(count)));
            let last = contains((**through).clone(), site.clone());
            let all = and(open.chain([if behind { not(last) } else { last }]).collect());
            Some(self.ground.and(vec![self.constant_sites(starts), self.lift(&all, slot)?]))
        });
        Some(self.ground.or(each.collect::<Option<_>>()?))
    }

    /// In which direction, and behind how many sites, a site some steps away lies on a line from another one, with the sites of
    /// the slot from which that is so.
    fn places_on_lines(&self, (from, site): (&Int, &Int), mask: i64) -> Vec<(Direction, usize, SiteSet)> {
        let board = &self.rules.board;
        let mut found: Vec<(Direction, usize, SiteSet)> = Vec::new();
        for start in board.all() {
            let (Some(from), Some(to)) = (self.follow(start, from), self.follow(start, site)) else { continue };
            let passed = |way: Direction| {
                let mut line = std::iter::successors(board.step(from, way), |at| board.step(*at, way));
                line.position(|at| at == to)
            };
            let mut ways = board.ways().iter().filter(|way| mask >> way.index() & 1 == 1);
            let Some((way, passed)) = ways.find_map(|way| Some((way, passed(way)?))) else { continue };
            match found.iter_mut().find(|(other, far, _)| (*other, *far) == (way, passed)) {
                Some((.., starts)) => starts.insert(start),
                None => found.push((way, passed, SiteSet::single(start))),
            }
        }
        found
    }

    /// The lines between two sites some steps away, each with the sites of the slot from which it leads and whether each place
    /// on it lies in a set.
    fn lines_between(&self, (from, to): (&Int, &Int), set: &Sets, slot: u16) -> Option<Vec<(Sets, Vec<Test>)>> {
        if !self.ways.rays_are_apart || !chain(from, slot) || !chain(to, slot) || set.reads(slot) {
            return None;
        }
        let all = self.all_ways();
        let lines = self.places_on_lines((from, to), all).into_iter().map(|(way, passed, starts)| {
            let steps = |count: usize| ahead(from.clone(), Int::Const(direction_index(way)), Int::Const(narrow(count)));
            let places = (1..=passed).map(|count| contains(set.clone(), steps(count)));
            (self.constant_sites(starts), places.collect())
        });
        Some(lines.collect())
    }

    /// The sites of the slot for which a test holds that reads nothing but the direction from another site, or to it: those on
    /// the lines of the directions for which it holds, and those on no line if it holds without a direction. Tests that read
    /// anything else would be asked once for each direction, which is more than once for each of a few sites.
    pub(super) fn by_direction(&self, test: &Test, slot: u16) -> Option<Sets> {
        if !self.ways.rays_are_apart || !self.ways.directions_are_lines {
            return None;
        }
        let (direction, end, is_back) = direction_asked(test, slot)?;
        if is_back && !self.ways.steps_lead_back {
            return None;
        }
        let holds = |way: Int| {
            let mut test = test.clone();
            refold(PartMut::Test(&mut test), &|int| (*int == direction).then(|| way.clone()));
            if let Test::Const(holds) = test { Some(holds) } else { None }
        };
        let on_lines = |mask: i64| {
            let mask = Int::Const(mask);
            self.lines(&end, if is_back { opposite_mask(mask) } else { mask })
        };
        let mut ways = 0;
        for way in self.rules.board.compass().iter().map(direction_index) {
            ways |= i64::from(holds(Int::Const(way))?) << way;
        }
        let beside = if holds(Int::Const(NONE))? { self.ground.not(on_lines(self.all_ways())) } else { nothing() };
        Some(self.ground.or(vec![on_lines(ways), beside]))
    }

    /// The members of a set between two sites some steps away, as sets of the sites of the slot: one for each place on the
    /// line.
    pub(super) fn counted_between(&self, ends: (&Int, &Int), set: &Sets, slot: u16) -> Option<Vec<Sets>> {
        let lines = self.lines_between(ends, set, slot)?;
        let most = lines.iter().map(|(_, places)| places.len()).max().unwrap_or_default();
        let at = |place: usize| {
            let each = lines.iter().filter_map(|(starts, places)| {
                let there = self.lift(places.get(place)?, slot);
                Some(there.map(|there| self.ground.and(vec![starts.clone(), there])))
            });
            Some(self.ground.or(each.collect::<Option<_>>()?))
        };
        (0..most).map(at).collect()
    }

    /// The sites of the slot for which something of a set lies between two sites some steps away.
    fn met_between(&self, ends: (&Int, &Int), met: &Sets, slot: u16) -> Option<Sets> {
        let each = self.lines_between(ends, met, slot)?.into_iter().map(|(starts, places)| {
            let some = self.lift(&or(places), slot)?;
            Some(self.ground.and(vec![starts, some]))
        });
        Some(self.ground.or(each.collect::<Option<_>>()?))
    }
}
