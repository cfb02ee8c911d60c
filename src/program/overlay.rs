//! What a stage does, said in the state before it: conditions that come after need no copy of the state.

use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use super::{Branch, Generator};
use std::collections::HashMap;

/// The planes that the site in a slot is known to hold when the slot is bound.
pub(super) type Facts = HashMap<u16, u64>;

/// The changes of one stage.
pub(super) struct Overlay<'a> {
    ground: &'a Ground,
    lowering: &'a Lowering<'a>,
    facts: &'a Facts,
    /// Sites that pieces leave, with the planes that these may hold.
    left: Vec<(Int, u64)>,
    /// Sites at which a plane arrives, with the planes that they may have held.
    arrived: Vec<(Sets, u8, u64)>,
    cells: Vec<(u16, Int)>,
    sets: Vec<(u16, Sets)>,
    /// No stage comes before: what was before the move is what is now.
    first: bool,
}

impl<'a> Overlay<'a> {
    /// None where an effect cannot be followed.
    pub fn of(lowering: &'a Lowering<'a>, effects: &[Effect], facts: &'a Facts, first: bool) -> Option<Self> {
        let mut overlay = Self {
            ground: &lowering.ground,
            lowering,
            facts,
            left: Vec::new(),
            arrived: Vec::new(),
            cells: Vec::new(),
            sets: Vec::new(),
            first,
        };
        for effect in effects {
            match effect {
                Effect::Put { target, piece: Int::Const(plane), guard: Test::Const(true) } => {
                    let held = overlay.held(target);
                    overlay.arrived.push((target.clone(), u8::try_from(*plane).ok()?, held));
                }
                Effect::Move { from: from @ Int::Slot(_), to, piece, guard: Test::Const(true) } => {
                    let held = overlay.held(&one(from.clone()));
                    let plane = match piece {
                        Some(Int::Const(plane)) => u8::try_from(*plane).ok()?,
                        None if held.is_power_of_two() => held.trailing_zeros() as u8,
                        _ => return None,
                    };
                    overlay.left.push((from.clone(), held));
                    let to = one(to.clone());
                    let held = overlay.held(&to);
                    overlay.arrived.push((to, plane, held));
                }
                Effect::Set { base, index: None, value, range: None, guard: Test::Const(true), .. } => {
                    overlay.cells.push((*base, value.clone()));
                }
                Effect::SetSites { base, value, guard: Test::Const(true) } => {
                    overlay.sets.push((*base, value.clone()));
                }
                _ => return None,
            }
        }
        Some(overlay)
    }

    fn held(&self, set: &Sets) -> u64 {
        held(set, self.facts, self.ground.planes)
    }

    /// What comes after the stage, for the state before it.
    pub fn generator(&self, after: &Generator) -> Option<Generator> {
        let mut before = after.clone();
        self.walk(&mut before)?;
        Some(before)
    }

    fn walk(&self, generator: &mut Generator) -> Option<()> {
        match generator {
            Generator::One => {}
            Generator::Stage(..) | Generator::Repeat(..) => return None,
            Generator::Leaf { set, .. } => self.rewrite_sets(set)?,
            Generator::Fan { branches, .. } => {
                for Branch { set, derived } in branches {
                    self.rewrite_sets(set)?;
                    for (_, int) in derived {
                        self.rewrite_int(int)?;
                    }
                }
            }
            Generator::Loop { domain, tests, inner, .. } => {
                let mut done = true;
                domain.parts_mut(&mut |part| done = done && self.rewrite(part).is_some());
                done.then_some(())?;
                for test in tests {
                    self.rewrite_test(test)?;
                }
                self.walk(inner)?;
            }
            Generator::Test(test, inner) => {
                self.rewrite_test(test)?;
                self.walk(inner)?;
            }
            Generator::If(test, yes, no) => {
                self.rewrite_test(test)?;
                self.walk(yes)?;
                self.walk(no)?;
            }
            Generator::Let(_, int, inner) => {
                self.rewrite_int(int)?;
                self.walk(inner)?;
            }
            Generator::LetSites(_, set, inner) => {
                self.rewrite_sets(set)?;
                self.walk(inner)?;
            }
        }
        Some(())
    }

    fn rewrite(&self, part: PartMut<'_>) -> Option<()> {
        match part {
            PartMut::Sets(sets) => self.rewrite_sets(sets),
            PartMut::Int(int) => self.rewrite_int(int),
            PartMut::Test(test) => self.rewrite_test(test),
        }
    }

    /// `Before` is `Now` where no stage came before.
    fn earlier(&self, when: &mut When) {
        if self.first {
            *when = When::Now;
        }
    }

    /// The plane that arrives at the site in a slot.
    fn plane_at(&self, site: &Int) -> Option<u8> {
        let Int::Slot(_) = site else { return None };
        let at = |sites: &Sets| matches!(sites, Sets::One(arrived) if **arrived == *site);
        self.arrived.iter().find(|(sites, ..)| at(sites)).map(|(_, plane, _)| *plane)
    }

    fn rewrite_sets(&self, sets: &mut Sets) -> Option<()> {
        match sets {
            Sets::Planes(mask, When::Now) => {
                *sets = self.planes(*mask);
                return Some(());
            }
            Sets::Memory(at, When::Now) => {
                if let Some((_, value)) = self.sets.iter().find(|(set, _)| set == at) {
                    *sets = value.clone();
                }
                return Some(());
            }
            Sets::Alike(site, When::Now) => {
                let plane = self.plane_at(site)?;
                *sets = self.planes(1 << plane);
                return Some(());
            }
            Sets::OfKinds(_, When::Now) | Sets::OfPlayers(_, When::Now) | Sets::Primitive(_, _, When::Now) => {
                return None;
            }
            Sets::Planes(_, when)
            | Sets::Memory(_, when)
            | Sets::Alike(_, when)
            | Sets::OfKinds(_, when)
            | Sets::OfPlayers(_, when)
            | Sets::Primitive(_, _, when) => self.earlier(when),
            _ => {}
        }
        let mut done = true;
        sets.parts_mut(&mut |part| done = done && self.rewrite(part).is_some());
        done.then_some(())?;
        let whole = std::mem::replace(sets, nothing());
        *sets = match whole {
            Sets::And(parts) => self.ground.and(parts),
            Sets::Or(parts) => self.ground.or(parts),
            Sets::Not(inner) => self.ground.not(*inner),
            other => other,
        };
        Some(())
    }

    /// The sites that hold one of the planes after the stage.
    fn planes(&self, mask: u64) -> Sets {
        let mut set = self.ground.planes(mask, When::Now);
        // Pieces that leave make their sites empty, unless something arrives there.
        let mut leaving = 0;
        for (from, held) in &self.left {
            if mask & 1 == 1 {
                set = self.ground.or(vec![set, one(from.clone())]);
                leaving |= held;
            } else if held & mask != 0 {
                set = minus(set, one(from.clone()));
            }
        }
        for (sites, plane, held) in &self.arrived {
            if mask >> plane & 1 == 1 {
                set = self.ground.or(vec![set, sites.clone()]);
            } else if held & (mask | leaving) != 0 {
                set = minus(set, sites.clone());
            }
        }
        set
    }

    fn rewrite_int(&self, int: &mut Int) -> Option<()> {
        match int {
            Int::Cell(at, When::Now) => {
                if let Some((_, value)) = self.cells.iter().find(|(cell, _)| cell == at) {
                    *int = value.clone();
                }
                return Some(());
            }
            Int::CellAt { base, count, when: When::Now, .. } => {
                let range = *base..base.saturating_add(*count);
                if self.cells.iter().any(|(cell, _)| range.contains(cell)) {
                    return None;
                }
            }
            Int::Piece(site, When::Now) => {
                *int = Int::Const(i64::from(self.plane_at(site)?));
                return Some(());
            }
            Int::Owner(site, When::Now) => {
                let content = self.lowering.planes.get(usize::from(self.plane_at(site)?))?;
                *int = Int::Const(content.owner().map_or(NONE, |owner| i64::from(owner.0)));
                return Some(());
            }
            Int::Kind(site, When::Now) => {
                let content = self.lowering.planes.get(usize::from(self.plane_at(site)?))?;
                *int = Int::Const(content.kind().map_or(NONE, |kind| i64::from(kind.0)));
                return Some(());
            }
            Int::Owners(_, When::Now) | Int::KindsIn(_, When::Now) | Int::Primitive(_, _, When::Now) => return None,
            Int::Cell(_, when)
            | Int::CellAt { when, .. }
            | Int::Piece(_, when)
            | Int::Owner(_, when)
            | Int::Kind(_, when)
            | Int::Owners(_, when)
            | Int::KindsIn(_, when)
            | Int::Primitive(_, _, when) => self.earlier(when),
            _ => {}
        }
        let mut done = true;
        int.parts_mut(&mut |part| done = done && self.rewrite(part).is_some());
        done.then_some(())
    }

    fn rewrite_test(&self, test: &mut Test) -> Option<()> {
        match test {
            Test::Seen { .. } | Test::Possible(_) | Test::Stuck | Test::Unfinished => return None,
            Test::CanApply(effects) => {
                for effect in effects.iter_mut() {
                    self.name_piece(effect)?;
                }
            }
            _ => {}
        }
        let mut done = true;
        test.parts_mut(&mut |part| done = done && self.rewrite(part).is_some());
        done.then_some(())
    }

    /// A piece that moves on is named, for the state before the stage may hold another one there.
    fn name_piece(&self, effect: &mut Effect) -> Option<()> {
        match effect {
            Effect::Move { from, piece: piece @ None, .. } => {
                let plane = match from {
                    Int::Only(set) => match **set {
                        Sets::Planes(mask, When::Now) if mask.is_power_of_two() => mask.trailing_zeros() as u8,
                        _ => return None,
                    },
                    site => self.plane_at(site)?,
                };
                *piece = Some(Int::Const(i64::from(plane)));
                Some(())
            }
            Effect::Each { effect, .. } => self.name_piece(effect),
            _ => Some(()),
        }
    }
}

/// The planes that the members of a set may hold, as far as its form tells.
pub(super) fn held(set: &Sets, facts: &Facts, all: u64) -> u64 {
    match set {
        Sets::Planes(mask, When::Now) => *mask,
        Sets::And(parts) => parts.iter().fold(all, |mask, part| mask & held(part, facts, all)),
        Sets::Or(parts) => parts.iter().fold(0, |mask, part| mask | held(part, facts, all)),
        Sets::Minus(inner, _) | Sets::Filter { domain: inner, .. } | Sets::Run { through: inner, .. } => {
            held(inner, facts, all)
        }
        Sets::If(_, yes, no) => held(yes, facts, all) | held(no, facts, all),
        Sets::One(site) => match &**site {
            Int::Slot(slot) => facts.get(slot).copied().unwrap_or(all),
            _ => all,
        },
        _ => all,
    }
}

fn minus(set: Sets, other: Sets) -> Sets {
    if set == nothing() { set } else { Sets::Minus(Box::new(set), Box::new(other)) }
}
