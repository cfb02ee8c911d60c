//! "So many in a row" on a whole board: a row that was not there when it was asked for last goes through a piece that is new.

use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use super::narrow::counted;
use crate::rules::CompareOp;

/// Longer rows than this are looked for on the whole board.
const LONGEST: usize = 16;

/// Sites of a set in a row.
#[derive(PartialEq)]
struct Row {
    of: Sets,
    length: usize,
}

impl Lowering<'_> {
    /// A condition in which rows are asked for only of what is new.
    pub fn rows_of_new(&mut self, mut test: Test) -> Test {
        if self.ways.steps_lead_back && !self.ways.rings {
            self.find_rows(&mut test);
        }
        test
    }

    /// Whether there is a row of so many sites of a set, where that is asked of the row in which each of its members lies.
    pub(super) fn some_row(&self, slot: u16, set: &Sets, test: &Test) -> Option<Test> {
        if let Test::Or(cases) = test {
            let rows = cases.iter().map(|case| self.some_row(slot, set, case));
            return Some(or(rows.collect::<Option<_>>()?));
        }
        let Test::Compare(op, Int::Count(row), Int::Const(bound)) = test else { return None };
        let length = match op {
            CompareOp::GreaterEqual => *bound,
            CompareOp::Greater => bound.checked_add(1)?,
            CompareOp::Equal | CompareOp::NotEqual | CompareOp::Less | CompareOp::LessEqual => return None,
        };
        let Sets::Or(parts) = &**row else { return None };
        let own = one(Int::Slot(slot));
        let run = parts.iter().find(|part| **part != own).filter(|_| parts.len() == 2 && parts.contains(&own))?;
        let Sets::Run { from, directions, through } = run else { return None };
        let (true, Int::Const(directions)) = (**from == own && **through == *set, &**directions) else { return None };
        let way = u8::try_from(members(*directions).next()?).ok()?;
        let both_ways = *directions == 1 << way | 1 << (way + 8);
        let length = usize::try_from(length).ok().filter(|length| (2..=LONGEST).contains(length))?;
        if !both_ways || !self.ways.steps_lead_back || self.ways.rings {
            return None;
        }
        let further = |on: &Sets| Some(self.pull(way, on.clone()));
        let all = std::iter::successors(Some(set.clone()), further).take(length).collect();
        Some(any(self.ground.and(all)))
    }

    fn find_rows(&mut self, test: &mut Test) {
        match test {
            Test::And(parts) => parts.iter_mut().for_each(|part| self.find_rows(part)),
            Test::Not(inner) => self.find_rows(inner),
            Test::Or(parts) => {
                let mut rows: Vec<(Row, i64)> = Vec::new();
                let mut rest = Vec::new();
                for mut part in std::mem::take(parts) {
                    match row(&part) {
                        Some((found, way)) => match rows.iter_mut().find(|(known, _)| *known == found) {
                            Some((_, ways)) => *ways |= way,
                            None => rows.push((found, way)),
                        },
                        None => {
                            self.find_rows(&mut part);
                            rest.push(part);
                        }
                    }
                }
                rest.extend(rows.into_iter().map(|(row, ways)| self.row_of_new(row, ways)));
                *test = or(rest);
            }
            other => {
                if let Some((found, way)) = row(other) {
                    *other = self.row_of_new(found, way);
                }
            }
        }
    }

    fn row_of_new(&mut self, row: Row, ways: i64) -> Test {
        let (member, new) = (self.int_slot(), self.set_slot());
        let from = Box::new(one(Int::Slot(member)));
        let each = members(ways).map(|way| {
            let directions = Box::new(Int::Const(1 << way | 1 << (way + 8)));
            let through = Box::new(row.of.clone());
            let length = Int::RowLength { from: from.clone(), directions, through };
            compare(CompareOp::GreaterEqual, length, counted(row.length))
        });
        let test = Box::new(or(each.collect()));
        let test = Test::Exists { slot: member, domain: Box::new(Domain::Sites(Sets::Slot(new))), test };
        Test::OfNew { kept: 0, held: new, set: row.of, test: Box::new(test) }
    }
}

/// A test that asks for a row, and its direction, which may as well be the opposite one.
fn row(test: &Test) -> Option<(Row, i64)> {
    let Test::Any(Sets::And(parts)) = test else { return None };
    let of = parts.iter().find(|part| matches!(part, Sets::Planes(_, When::Now)))?;
    let length = parts.len();
    let (way, _) = parts.iter().find_map(|part| steps(part, of))?;
    let mut found: Vec<usize> = parts
        .iter()
        .filter_map(|part| steps(part, of).filter(|(other, _)| *other == way).map(|(_, steps)| steps))
        .collect();
    found.sort_unstable();
    (found.into_iter().eq(1..length) && length <= LONGEST).then(|| (Row { of: of.clone(), length }, 1 << (way % 8)))
}

/// In which direction, and by how many steps, a set is pulled back.
fn steps(part: &Sets, of: &Sets) -> Option<(u8, usize)> {
    let Sets::Pull(way, inner) = part else { return None };
    if **inner == *of {
        return Some((*way, 1));
    }
    steps(inner, of).filter(|(other, _)| other == way).map(|(way, steps)| (way, steps + 1))
}
