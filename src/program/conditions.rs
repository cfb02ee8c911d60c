//! Conditions put together: constants are folded, and what is said in several ways is said in one.

use super::ir::*;
use super::single::has_one_at_most;
use crate::rules::CompareOp;

pub fn and(tests: Vec<Test>) -> Test {
    let mut all: Vec<Test> = Vec::new();
    for test in tests {
        match test {
            Test::Const(true) => {}
            Test::Const(false) => return Test::Const(false),
            Test::And(inner) => all.extend(inner),
            other if all.contains(&other) => {}
            other => all.push(other),
        }
    }
    if all.len() == 1 {
        all.remove(0)
    } else if all.is_empty() {
        Test::Const(true)
    } else {
        Test::And(all)
    }
}

pub fn or(tests: Vec<Test>) -> Test {
    let mut all: Vec<Test> = Vec::new();
    for test in tests {
        match test {
            Test::Const(false) => {}
            Test::Const(true) => return Test::Const(true),
            Test::Or(inner) => all.extend(inner),
            other if all.contains(&other) => {}
            other => match all.iter_mut().find_map(|known| one_comparison(known, &other).map(|whole| (known, whole))) {
                Some((known, whole)) => *known = whole,
                None => all.push(other),
            },
        }
    }
    if all.len() == 1 {
        all.remove(0)
    } else if all.is_empty() {
        Test::Const(false)
    } else {
        Test::Or(all)
    }
}

/// `a = b or a > b` as one comparison.
fn one_comparison(test: &Test, other: &Test) -> Option<Test> {
    let (Test::Compare(op, a, b), Test::Compare(another, c, d)) = (test, other) else { return None };
    if a != c || b != d {
        return None;
    }
    let op = match (op, another) {
        (CompareOp::Equal, CompareOp::Greater) | (CompareOp::Greater, CompareOp::Equal) => CompareOp::GreaterEqual,
        (CompareOp::Equal, CompareOp::Less) | (CompareOp::Less, CompareOp::Equal) => CompareOp::LessEqual,
        _ => return None,
    };
    Some(Test::Compare(op, a.clone(), b.clone()))
}

pub fn not(test: Test) -> Test {
    match test {
        Test::Const(held) => Test::Const(!held),
        Test::Not(inner) => *inner,
        other => Test::Not(Box::new(other)),
    }
}

/// Conditions in an order in which all others are asked before those that look for plies: each is the same whatever was asked
/// before it.
pub fn dear_last(tests: Vec<Test>) -> Vec<Test> {
    let searches = |test: &Test| Part::Test(test).asks(&|part| matches!(part, Part::Test(Test::Possible { .. })));
    let (dear, mut all): (Vec<Test>, Vec<Test>) = tests.into_iter().partition(searches);
    all.extend(dear);
    all
}

fn is_name(set: &Sets) -> bool {
    matches!(set, Sets::One(site) if matches!(**site, Int::Slot(_)))
}

pub fn any(set: Sets) -> Test {
    match set {
        // Whether what a name stands for is among others.
        Sets::And(mut parts) if parts.iter().any(is_name) => {
            let at = parts.iter().position(is_name).unwrap_or(0);
            match parts.remove(at) {
                Sets::One(site) if parts.len() == 1 => contains(parts.remove(0), *site),
                Sets::One(site) => contains(Sets::And(parts), *site),
                other => Test::Any(other),
            }
        }
        Sets::Const(set) => Test::Const(!set.is_empty()),
        Sets::One(site) => known(*site),
        other => Test::Any(other),
    }
}

pub fn known(site: Int) -> Test {
    match site {
        Int::Const(at) => Test::Const(at != NONE),
        // Of a set with one member at most that one is known if there is any.
        Int::Only(set) if has_one_at_most(&set) => any(*set),
        Int::Ahead { from, direction, steps } if counts_line(&steps, &from, &direction) => {
            and(vec![known(*from), known(*direction)])
        }
        other => Test::Known(other),
    }
}

/// Whether there are so many steps as sites in a row were found in that direction: as many lead to the last of them.
fn counts_line(steps: &Int, start: &Int, way: &Int) -> bool {
    let Int::Count(set) = steps else { return false };
    let Sets::Run { from, directions, .. } = &**set else { return false };
    matches!(&**from, Sets::One(from) if **from == *start) && **directions == super::build::bit(way.clone())
}

pub fn contains(set: Sets, site: Int) -> Test {
    match (set, site) {
        (_, Int::Const(NONE)) => Test::Const(false),
        (Sets::Const(set), Int::Const(at)) => Test::Const(
            usize::try_from(at).ok().and_then(crate::board::Site::from_index).is_some_and(|site| set.contains(site)),
        ),
        (Sets::Const(set), _) if set.is_empty() => Test::Const(false),
        (Sets::Or(parts), site) if parts.contains(&Sets::One(Box::new(site.clone()))) => known(site),
        (set, site) => Test::Contains(set, site),
    }
}

pub fn compare(op: CompareOp, a: Int, b: Int) -> Test {
    match (&a, &b) {
        (Int::Const(NONE), _) | (_, Int::Const(NONE)) => Test::Const(false),
        (Int::Const(a), Int::Const(b)) => Test::Const(op.holds(a, b)),
        // What is compared with a constant stands on the left.
        (Int::Const(_), _) => compare(op.turned(), b, a),
        // How many there are, where that only asks whether there are any.
        (Int::Count(set), Int::Const(bound)) if asks_for_any(op, *bound) => {
            let some = any((**set).clone());
            if op.holds(&1, bound) { some } else { not(some) }
        }
        // A value that is one of several constants, by a condition.
        (Int::If(test, yes, no), Int::Const(_)) if is_choice(yes) && is_choice(no) => {
            let [yes, no] = [yes, no].map(|value| compare(op, (**value).clone(), b.clone()));
            match (yes, no) {
                (Test::Const(true), no) => or(vec![(**test).clone(), no]),
                (Test::Const(false), no) => and(vec![not((**test).clone()), no]),
                (yes, Test::Const(true)) => or(vec![not((**test).clone()), yes]),
                (yes, Test::Const(false)) => and(vec![(**test).clone(), yes]),
                (yes, no) => or(vec![and(vec![(**test).clone(), yes]), and(vec![not((**test).clone()), no])]),
            }
        }
        // The greater of two numbers is within a bound where both are, and beyond it where one is.
        (Int::Max(one, other) | Int::Min(one, other), Int::Const(_)) if never_missing(one) && never_missing(other) => {
            let each = |op| [one, other].map(|number| compare(op, (**number).clone(), b.clone())).to_vec();
            let within = if matches!(a, Int::Max(..)) { CompareOp::LessEqual } else { CompareOp::GreaterEqual };
            match op {
                CompareOp::Equal => and(vec![and(each(within)), or(each(op))]),
                CompareOp::NotEqual => not(compare(CompareOp::Equal, a, b)),
                CompareOp::Less | CompareOp::LessEqual if within == CompareOp::LessEqual => and(each(op)),
                CompareOp::Greater | CompareOp::GreaterEqual if within == CompareOp::GreaterEqual => and(each(op)),
                CompareOp::Less | CompareOp::LessEqual | CompareOp::Greater | CompareOp::GreaterEqual => or(each(op)),
            }
        }
        // Whether some member of a small set passes, and whether none does.
        (Int::MaskWhere { slot, domain, test }, Int::Const(0)) if is_equality(op) => {
            let domain = Box::new(Domain::Mask((**domain).clone()));
            let some = Test::Exists { slot: *slot, domain, test: test.clone() };
            if op == CompareOp::NotEqual { some } else { not(some) }
        }
        _ => Test::Compare(op, a, b),
    }
}

/// Whether a number is there whatever the position is.
pub fn never_missing(int: &Int) -> bool {
    match int {
        Int::Max(one, other) | Int::Min(one, other) => never_missing(one) && never_missing(other),
        Int::Const(number) => *number != NONE,
        other => matches!(other, Int::Count(_) | Int::Ones(_)),
    }
}

/// Whether a count that is so compared differs between none and some, and between no others.
pub fn asks_for_any(op: CompareOp, bound: i64) -> bool {
    match op {
        CompareOp::Equal | CompareOp::NotEqual | CompareOp::Greater | CompareOp::LessEqual => bound == 0,
        CompareOp::GreaterEqual | CompareOp::Less => bound == 1,
    }
}

/// Whether a value is one of several constants.
fn is_choice(value: &Int) -> bool {
    if let Int::If(_, yes, no) = value { is_choice(yes) && is_choice(no) } else { matches!(value, Int::Const(_)) }
}

/// Whether two sites are so few steps apart, as neighbours, or neighbours of one; none where that asks for more.
pub fn few_steps_apart(op: CompareOp, a: &Int, b: &Int) -> Option<Test> {
    let (Int::Distance(from, to), Int::Const(steps)) = (a, b) else { return None };
    let within = |steps: i64| {
        let near = Sets::Near(from.clone());
        let all = [Sets::One(from.clone()), near.clone(), Sets::Dilate(Box::new(near))];
        let mut within: Vec<Sets> = all.into_iter().zip(0..=steps).map(|(set, _)| set).collect();
        let set = if within.len() == 1 { within.remove(0) } else { Sets::Or(within) };
        contains(set, (**to).clone())
    };
    match (op, *steps) {
        (CompareOp::Equal, 1) => Some(contains(Sets::Near(from.clone()), (**to).clone())),
        (CompareOp::Equal, 2) => Some(and(vec![within(2), not(within(1))])),
        (CompareOp::LessEqual, steps @ 0..=2) => Some(within(steps)),
        (CompareOp::Less, steps @ 1..=3) => Some(within(steps - 1)),
        (
            CompareOp::Equal
            | CompareOp::NotEqual
            | CompareOp::Less
            | CompareOp::LessEqual
            | CompareOp::Greater
            | CompareOp::GreaterEqual,
            _,
        ) => None,
    }
}

fn is_equality(op: CompareOp) -> bool {
    matches!(op, CompareOp::Equal | CompareOp::NotEqual)
}
