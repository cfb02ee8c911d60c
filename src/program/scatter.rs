//! Where the members of a set are sent, tried for every member and whatever else it depends on: whether all arrive, and no two
//! at one site.

use super::build::*;
use super::extent::{Given, place};
use super::ir::*;
use super::lower::Lowering;
use super::narrow::count;
use super::told::seen_along;
use crate::board::{Site, SiteSet};

/// More values of what it depends on are not tried, nor more members for all of them together.
const MOST_TRIED: i64 = 4096;

impl Lowering<'_> {
    /// Whether no two members of a set are sent to one site, wherever the sites in other slots are.
    pub(super) fn sends_apart(&self, to: &Int, slot: u16, members: &Sets) -> bool {
        self.wherever(to, slot, members, &mut |given, all| {
            let mut taken = SiteSet::EMPTY;
            all.iter().all(|site| match self.sent(to, (slot, site), given) {
                Some(NONE) => true,
                Some(at) => {
                    let there = place(at);
                    let is_new = there.is_some_and(|there| !taken.contains(there));
                    there.into_iter().for_each(|there| taken.insert(there));
                    is_new
                }
                None => false,
            })
        })
    }

    /// Whether every member of a set is sent to a site of the board.
    pub(super) fn surely_get_there(&self, to: &Int, slot: u16, members: &Sets) -> bool {
        self.lie_on_the_way(to, slot, members)
            || self.wherever(to, slot, members, &mut |given, all| {
                all.iter().all(|site| self.sent(to, (slot, site), given).is_some_and(|at| at != NONE))
            })
    }

    /// Whether every member of a set goes one step towards a site that lies behind it: all of them lie between another site and
    /// one in that direction from there.
    fn lie_on_the_way(&self, to: &Int, slot: u16, members: &Sets) -> bool {
        let (from, way) = if let Int::Step(way, from) = to {
            (from, Int::Const(i64::from(*way)))
        } else if let Int::Ahead { from, direction, steps } = to
            && **steps == Int::Const(1)
        {
            (from, (**direction).clone())
        } else {
            return false;
        };
        let is_line = !self.ways.rings && self.ways.rays_are_apart && self.ways.directions_are_lines;
        **from == Int::Slot(slot) && is_line && lie_between(members, &way)
    }

    /// Where a member is sent, if nothing in play decides that.
    fn sent(&self, to: &Int, (slot, member): (u16, Site), given: Given<'_>) -> Option<i64> {
        let mut inner = given.to_vec();
        inner.push((slot, i64::from(member.0)));
        self.number(to, &inner)
    }

    /// Whether two changes for the members of two sets never send two of them to one site, nor are both made for the same one.
    pub(super) fn never_both(
        &self,
        (members, slot, to, own): (&Sets, u16, &Int, &Test),
        (others, another, there, asked): (&Sets, u16, &Int, &Test),
    ) -> bool {
        let (mut there, mut asked) = (there.clone(), asked.clone());
        put_in(PartMut::Int(&mut there), another, &Int::Slot(slot));
        put_in(PartMut::Test(&mut asked), another, &Int::Slot(slot));
        there == *to
            && (self.are_apart(members, others) || self.exclude(own, &asked))
            && self.sends_apart(to, slot, &self.ground.or(vec![members.clone(), others.clone()]))
    }

    /// Whether something holds of the members that a set may have, for all values of what else is read.
    fn wherever(&self, to: &Int, slot: u16, members: &Sets, holds: &mut dyn FnMut(Given<'_>, SiteSet) -> bool) -> bool {
        let mut free: Vec<u16> = Vec::new();
        for part in [Part::Int(to), Part::Sets(members)] {
            note_slots(&part, &mut free);
        }
        free.retain(|other| *other != slot);
        let mut left = MOST_TRIED;
        self.each_setting(&free, &mut Vec::new(), &mut left, &mut |given, left| {
            let all = self.extent(members, given).most;
            // Settings in which nothing is sent take their time as well.
            *left = left.saturating_sub(count(all.len().max(1)));
            *left > 0 && holds(given, all)
        })
    }

    fn each_setting(
        &self,
        free: &[u16],
        given: &mut Vec<(u16, i64)>,
        left: &mut i64,
        holds: &mut dyn FnMut(Given<'_>, &mut i64) -> bool,
    ) -> bool {
        let Some((slot, rest)) = free.split_first() else { return holds(given, left) };
        let values: Vec<i64> = if let Some((low, high)) = self.knowledge.ranges.get(slot) {
            if high.saturating_sub(*low) >= MOST_TRIED {
                return false;
            }
            (*low..=*high).collect()
        } else if self.facts().contains_key(slot) {
            let home = self.knowledge.homes.get(slot).copied().unwrap_or(self.ground.all);
            home.iter().map(|site| i64::from(site.0)).collect()
        } else {
            return false;
        };
        values.into_iter().all(|value| {
            given.push((*slot, value));
            let held = self.each_setting(rest, given, left, holds);
            given.pop();
            held
        })
    }
}

/// Notes the slots of numbers that are read within an instruction.
fn note_slots(part: &Part<'_>, found: &mut Vec<u16>) {
    if let Part::Int(Int::Slot(slot)) = part
        && !found.contains(slot)
    {
        found.push(*slot);
    }
    part.parts(&mut |part| note_slots(&part, found));
}

/// Whether all members of a set lie between two sites, the second of which lies in a direction from the first.
fn lie_between(members: &Sets, way: &Int) -> bool {
    if let Sets::Or(parts) = members {
        return parts.iter().all(|part| lie_between(part, way));
    }
    if let Sets::And(parts) = members {
        return parts.iter().any(|part| lie_between(part, way));
    }
    let Sets::Between(a, b) = members else { return false };
    let leads = |start: &Int, end: &Int| seen_along(end).is_some_and(|seen| seen.from == start && seen.way == way);
    leads(a, b) || leads(b, a)
}
