//! Whether two sets can have a site in common, and two conditions hold together: proofs from their form.
//!
//! What is compared is read in one state, so that equal instructions have equal values there. Each rule below is one of
//! sets (what is not in S has nothing in common with what lies within S) or of truth (A and B hold together only if A does),
//! so whatever is said to be apart is so in every state. What has no rule is not said to be.

use super::build::{Reads, put_in};
use super::extent::Given;
use super::ir::*;
use super::lower::Lowering;
use super::overlay::held;
use crate::board::SiteSet;
use crate::rules::CompareOp;

/// A proof has no more steps within each other than this.
const DEEPEST: u8 = 12;

impl Lowering<'_> {
    /// Whether two sets never have a site in common.
    pub fn are_apart(&self, a: &Sets, b: &Sets) -> bool {
        self.apart(a, b, DEEPEST) || self.lie_apart(a, b)
    }

    /// Whether two sets that both speak of one site lie apart wherever that is, whatever stands on the board.
    fn lie_apart(&self, a: &Sets, b: &Sets) -> bool {
        let apart = |given: Given<'_>| !self.extent(a, given).most.intersects(self.extent(b, given).most);
        let wherever = |slot: &u16| self.ground.all.iter().all(|site| apart(&[(*slot, i64::from(site.0))]));
        apart(&[]) || self.facts().keys().any(|slot| a.reads(*slot) && b.reads(*slot) && wherever(slot))
    }

    /// Whether all of one set lies in another one for certain.
    pub fn surely_within(&self, a: &Sets, b: &Sets) -> bool {
        self.within(a, b, DEEPEST)
    }

    /// Whether two tests never hold together.
    pub fn exclude(&self, a: &Test, b: &Test) -> bool {
        self.excludes(a, b, DEEPEST)
    }

    fn held(&self, set: &Sets) -> u64 {
        held(set, self.facts(), self.ground.planes)
    }

    fn apart(&self, a: &Sets, b: &Sets, left: u8) -> bool {
        let Some(left) = left.checked_sub(1) else { return false };
        self.held(a) & self.held(b) == 0 || self.apart_from(a, b, left) || self.apart_from(b, a, left)
    }

    fn apart_from(&self, a: &Sets, b: &Sets, left: u8) -> bool {
        // What lies between two sites is neither of them.
        if let (Sets::Between(one, other), Sets::One(site)) = (a, b)
            && (site == one || site == other)
        {
            return true;
        }
        // What is asked of the members of both cannot hold of one site.
        if let (Sets::Filter { slot, test, .. }, Sets::Filter { slot: other, test: asked, .. }) = (a, b) {
            let mut asked = (**asked).clone();
            put_in(PartMut::Test(&mut asked), *other, &Int::Slot(*slot));
            if self.excludes(test, &asked, left) {
                return true;
            }
        }
        match form(a) {
            Form::Const(set) => set.is_empty() || matches!(b, Sets::Const(other) if (*set & *other).is_empty()),
            Form::Counted(tally) => matches!(b, Sets::Tally(other) if no_count_fits(tally, other)),
            Form::All(parts) => parts.iter().any(|part| self.apart(part, b, left)),
            Form::Some(parts) => parts.iter().all(|part| self.apart(part, b, left)),
            Form::Not(inner) => self.within(b, inner, left),
            Form::Minus(inner, taken) => self.within(b, taken, left) || self.apart(inner, b, left),
            Form::Either(yes, no) => self.apart(yes, b, left) && self.apart(no, b, left),
            Form::Among(whole) => self.apart(whole, b, left),
            Form::Line(from, through) => {
                self.is_off_line(from, b) || through.is_some_and(|through| self.apart(through, b, left))
            }
            Form::One(site) => self.is_site_apart(site, b, left),
            Form::Planes | Form::Other => false,
        }
    }

    /// No line comes back to where it began, unless the board has rings.
    fn is_off_line(&self, from: &Sets, other: &Sets) -> bool {
        !self.ways.rings && matches!(from, Sets::One(_)) && from == other
    }

    fn is_site_apart(&self, site: &Int, other: &Sets, left: u8) -> bool {
        if let Int::Only(set) = site
            && self.apart(set, other, left)
        {
            return true;
        }
        matches!(other, Sets::One(other) if self.are_different(site, other))
    }

    /// Whether all of one set surely lies in another one.
    fn within(&self, a: &Sets, b: &Sets, left: u8) -> bool {
        let Some(left) = left.checked_sub(1) else { return false };
        a == b || self.lies_in(a, b, left) || self.takes_in(b, a, left)
    }

    /// By the form of the smaller one.
    fn lies_in(&self, a: &Sets, b: &Sets, left: u8) -> bool {
        match form(a) {
            Form::Const(set) => set.is_empty() || matches!(b, Sets::Const(other) if (*set - *other).is_empty()),
            Form::Planes => {
                matches!((a, b), (Sets::Planes(mask, when), Sets::Planes(other, at)) if when == at && mask & !other == 0)
            }
            Form::All(parts) => parts.iter().any(|part| self.within(part, b, left)),
            Form::Some(parts) => parts.iter().all(|part| self.within(part, b, left)),
            Form::Minus(whole, _) | Form::Among(whole) | Form::Line(_, Some(whole)) => self.within(whole, b, left),
            Form::Either(yes, no) => self.within(yes, b, left) && self.within(no, b, left),
            Form::One(Int::Only(set)) => self.within(set, b, left),
            Form::One(_) => matches!(b, Sets::Planes(mask, When::Now) if self.held(a) & !mask == 0),
            Form::Not(_) | Form::Counted(_) | Form::Line(_, None) | Form::Other => false,
        }
    }

    /// By the form of the larger one.
    fn takes_in(&self, b: &Sets, a: &Sets, left: u8) -> bool {
        match form(b) {
            Form::Const(set) => *set == self.ground.all,
            Form::All(parts) => parts.iter().all(|part| self.within(a, part, left)),
            Form::Some(parts) => parts.iter().any(|part| self.within(a, part, left)),
            Form::Not(inner) => self.apart(a, inner, left),
            Form::Minus(inner, taken) => self.within(a, inner, left) && self.apart(a, taken, left),
            Form::Planes
            | Form::Either(..)
            | Form::Among(_)
            | Form::Counted(_)
            | Form::Line(..)
            | Form::One(_)
            | Form::Other => false,
        }
    }

    fn excludes(&self, a: &Test, b: &Test, left: u8) -> bool {
        let Some(left) = left.checked_sub(1) else { return false };
        self.excludes_from(a, b, left) || self.excludes_from(b, a, left)
    }

    fn excludes_from(&self, a: &Test, b: &Test, left: u8) -> bool {
        match claim(a) {
            Claim::Const(held) => !held,
            Claim::All(parts) => parts.iter().any(|part| self.excludes(part, b, left)),
            Claim::Some(parts) => parts.iter().all(|part| self.excludes(part, b, left)),
            Claim::Not(inner) => self.implies(b, inner, left),
            Claim::Compared(one) => matches!(claim(b), Claim::Compared(other) if no_number_fits(one, other)),
            Claim::Member(set, site) => {
                matches!(b, Test::Contains(other, same) if site == same && self.apart(set, other, left))
            }
            Claim::Any(_) | Claim::Known(_) | Claim::Other => false,
        }
    }

    /// Whether one test holds wherever another one does.
    fn implies(&self, a: &Test, b: &Test, left: u8) -> bool {
        let Some(left) = left.checked_sub(1) else { return false };
        a == b || self.implies_by(a, b, left) || self.is_implied_by(b, a, left)
    }

    fn implies_by(&self, a: &Test, b: &Test, left: u8) -> bool {
        match (claim(a), claim(b)) {
            (Claim::Const(held), _) => !held,
            (Claim::All(parts), _) => parts.iter().any(|part| self.implies(part, b, left)),
            (Claim::Some(parts), _) => parts.iter().all(|part| self.implies(part, b, left)),
            (Claim::Member(set, site), Claim::Member(other, same)) => site == same && self.within(set, other, left),
            (Claim::Member(_, site), Claim::Known(same)) => site == same,
            (Claim::Member(set, _) | Claim::Any(set), Claim::Any(other)) => self.within(set, other, left),
            (Claim::Known(Int::Only(set)), Claim::Any(other)) => self.within(set, other, left),
            (
                Claim::Not(_) | Claim::Compared(_) | Claim::Member(..) | Claim::Any(_) | Claim::Known(_) | Claim::Other,
                _,
            ) => false,
        }
    }

    fn is_implied_by(&self, b: &Test, a: &Test, left: u8) -> bool {
        match claim(b) {
            Claim::Const(held) => held,
            Claim::All(parts) => parts.iter().all(|part| self.implies(a, part, left)),
            Claim::Some(parts) => parts.iter().any(|part| self.implies(a, part, left)),
            Claim::Not(inner) => self.excludes(a, inner, left),
            Claim::Compared(_) | Claim::Member(..) | Claim::Any(_) | Claim::Known(_) | Claim::Other => false,
        }
    }
}

/// What proofs see of a set.
enum Form<'a> {
    Const(&'a SiteSet),
    Planes,
    All(&'a [Sets]),
    Some(&'a [Sets]),
    Not(&'a Sets),
    Minus(&'a Sets, &'a Sets),
    Either(&'a Sets, &'a Sets),
    /// It lies within another one.
    Among(&'a Sets),
    /// So many sets have each of its members.
    Counted(&'a Tally),
    /// A line from somewhere, perhaps all of it in a set.
    Line(&'a Sets, Option<&'a Sets>),
    One(&'a Int),
    Other,
}

fn form(set: &Sets) -> Form<'_> {
    match set {
        Sets::Const(set) => Form::Const(set),
        Sets::Planes(..) => Form::Planes,
        Sets::And(parts) => Form::All(parts),
        Sets::Or(parts) => Form::Some(parts),
        Sets::Not(inner) => Form::Not(inner),
        Sets::Minus(inner, taken) => Form::Minus(inner, taken),
        Sets::If(_, yes, no) => Form::Either(yes, no),
        Sets::Filter { domain: whole, .. }
        | Sets::Connected { within: whole, .. }
        | Sets::Heads(whole)
        | Sets::First(whole) => Form::Among(whole),
        Sets::Run { from, through, .. } => Form::Line(from, Some(through)),
        Sets::Trail { from, .. } => Form::Line(from, None),
        Sets::One(site) => Form::One(site),
        Sets::Tally(tally) => Form::Counted(tally),
        Sets::Memory(..)
        | Sets::Slot(_)
        | Sets::Near(_)
        | Sets::Dilate(_)
        | Sets::Within { .. }
        | Sets::Nearer { .. }
        | Sets::Pull(..)
        | Sets::PullAny(..)
        | Sets::PullBeyond { .. }
        | Sets::PullRun { .. }
        | Sets::Ahead { .. }
        | Sets::Beyond { .. }
        | Sets::Between(..)
        | Sets::Grown { .. }
        | Sets::Bracketed { .. }
        | Sets::Alike(..)
        | Sets::Table { .. }
        | Sets::OfKinds(..)
        | Sets::OfPlayers(..)
        | Sets::Collect { .. }
        | Sets::With { .. }
        | Sets::Ranked { .. }
        | Sets::Primitive(..) => Form::Other,
    }
}

/// What proofs see of a condition.
enum Claim<'a> {
    Const(bool),
    All(&'a [Test]),
    Some(&'a [Test]),
    Not(&'a Test),
    Compared(Compared<'a>),
    Member(&'a Sets, &'a Int),
    Any(&'a Sets),
    Known(&'a Int),
    Other,
}

fn claim(test: &Test) -> Claim<'_> {
    match test {
        Test::Const(held) => Claim::Const(*held),
        Test::And(parts) => Claim::All(parts),
        Test::Or(parts) => Claim::Some(parts),
        Test::Not(inner) => Claim::Not(inner),
        Test::Compare(op, a, b) => Claim::Compared((*op, a, b)),
        Test::Contains(set, site) => Claim::Member(set, site),
        Test::Any(set) => Claim::Any(set),
        Test::Known(site) => Claim::Known(site),
        Test::Subset(..)
        | Test::Lists(..)
        | Test::Exists { .. }
        | Test::Seen { .. }
        | Test::Possible { .. }
        | Test::Stuck
        | Test::Unfinished
        | Test::CanApply(_)
        | Test::With { .. }
        | Test::WithSites { .. }
        | Test::OfNew { .. } => Claim::Other,
    }
}

/// A comparison of two numbers.
type Compared<'a> = (CompareOp, &'a Int, &'a Int);

/// Whether two comparisons of the same number never hold together.
fn no_number_fits(one: Compared<'_>, other: Compared<'_>) -> bool {
    let ((op, x, y), (another, z, w)) = (with_constant_last(one), with_constant_last(other));
    if x != z {
        return false;
    }
    // Where both compare with the same, three numbers stand for all: one below it, itself, one above.
    let (a, b) = if let (Int::Const(a), Int::Const(b)) = (y, w) { (*a, *b) } else { (0, 0) };
    if !matches!((y, w), (Int::Const(_), Int::Const(_))) && y != w {
        return false;
    }
    if a == NONE || b == NONE {
        return true;
    }
    are_exclusive((op, a), (another, b))
}

/// Whether no number compares as said with both of two others.
fn are_exclusive((op, a): (CompareOp, i64), (another, b): (CompareOp, i64)) -> bool {
    // Each comparison holds on one side of its number, or at it, so of the whole numbers these are enough.
    let near = |number: i64| [number.saturating_sub(1), number, number.saturating_add(1)];
    !near(a).into_iter().chain(near(b)).any(|number| op.holds(number, a) && another.holds(number, b))
}

/// Whether two counts of the same sets never hold of one site.
fn no_count_fits(one: &Tally, other: &Tally) -> bool {
    if one.left != other.left || one.right != other.right {
        return false;
    }
    if let (Int::Const(a), Int::Const(b)) = (&one.offset, &other.offset) {
        let is_none = *a == NONE || *b == NONE;
        return is_none || are_exclusive((one.op, a.saturating_neg()), (other.op, b.saturating_neg()));
    }
    one.offset == other.offset && are_exclusive((one.op, 0), (other.op, 0))
}

fn with_constant_last((op, x, y): Compared<'_>) -> Compared<'_> {
    match x {
        Int::Const(_) => (op.turned(), y, x),
        _ => (op, x, y),
    }
}
