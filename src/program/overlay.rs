//! What a stage does, said in the state before it: conditions that come after need no copy of the state.

use super::Generator;
use super::binders::bound_slots;
use super::build::*;
use super::heads::first_of_each;
use super::instruction::{Part, PartMut};
use super::ir::*;
use super::lower::Lowering;
use crate::rules::{ArithmeticOp, CompareOp, Content};
use std::collections::HashMap;
use std::ops::Range;

/// The planes that the site in a slot is known to hold when the slot is bound.
pub(super) type Facts = HashMap<u16, u64>;

/// The changes of one stage.
pub(super) struct Overlay<'a> {
    ground: &'a Ground,
    lowering: &'a Lowering<'a>,
    facts: &'a Facts,
    /// Sites that pieces leave, with the planes that these may hold.
    left: Vec<(Sets, u64)>,
    arrived: Vec<Arrival>,
    written: Vec<Written>,
    sets: Vec<(u16, Sets)>,
    /// No stage comes before: what was before the move is what is now.
    first: bool,
}

/// Sites at which a piece arrives.
struct Arrival {
    sites: Sets,
    piece: Arriving,
    /// The planes that the sites may have held.
    held: u64,
}

/// Numbers that are written: where the first of them lies among all numbers, how many there are, and which get the value.
struct Written {
    base: u16,
    count: u16,
    entries: Entries,
    value: Int,
    guard: Test,
}

/// Which numbers are written.
enum Entries {
    First,
    At(Int),
    /// Those of the members of a set, each of which is in the slot while its value is worked out.
    Of(u16, Sets),
    /// It is not known which, nor what they get.
    Unknown,
}

impl Written {
    fn cells(&self) -> Range<u32> {
        u32::from(self.base)..u32::from(self.base) + u32::from(self.count.max(1))
    }

    /// What is read at an entry, counted from the first that is written, given what it was before.
    fn over(&self, at: &Int, before: Int) -> Option<Int> {
        let (test, value) = match &self.entries {
            Entries::First => (same(at, &Int::Const(0)), self.value.clone()),
            Entries::At(index) => (same(at, index), self.value.clone()),
            Entries::Of(slot, members) => {
                let (mut guard, mut value) = (self.guard.clone(), self.value.clone());
                // What binds slots of its own could be asked within itself.
                let binds = !bound_slots(&Part::Test(&guard)).is_empty() || !bound_slots(&Part::Int(&value)).is_empty();
                if binds && !matches!(at, Int::Slot(_) | Int::Const(_)) {
                    return None;
                }
                put_in(PartMut::Test(&mut guard), *slot, at);
                put_in(PartMut::Int(&mut value), *slot, at);
                return Some(pick(and(vec![contains(members.clone(), at.clone()), guard]), value, before));
            }
            Entries::Unknown => return None,
        };
        Some(pick(and(vec![self.guard.clone(), test]), value, before))
    }
}

fn same(a: &Int, b: &Int) -> Test {
    if a == b { Test::Const(true) } else { compare(CompareOp::Equal, a.clone(), b.clone()) }
}

/// Of more planes it is not asked on which of them a piece is that goes along with others.
const MOST_CARRIED: u32 = 4;

/// Of more lines that write numbers it is not asked which of them has written one.
const MOST_WRITTEN: usize = 12;

/// What is asked of a piece.
#[derive(Clone, Copy)]
enum Property {
    Kind,
    Owner,
}

/// What is known of a piece that arrives.
enum Arriving {
    Known(u8),
    /// The planes that it may be of, and the number that tells.
    OneOf(u64, Int),
    /// Pieces that all go in the same way: the sites they come from, with the planes that these may hold.
    Carried(Sets, u64, Way),
}

/// The steps that lead from a site in a slot to another one, the same from every site.
struct Way(Int);

impl Way {
    /// None where steps depend on where they begin.
    fn of(slot: u16, to: &Int) -> Option<Self> {
        let alike = match to {
            Int::Step(_, from) => Self::of(slot, from).is_some(),
            Int::Ahead { from, direction, steps } => {
                **from == Int::Slot(slot) && !direction.reads(slot) && !steps.reads(slot)
            }
            site => *site == Int::Slot(slot),
        };
        alike.then(|| Self(to.clone()))
    }

    /// Where they lead from all members of a set.
    fn from(&self, members: Sets) -> Sets {
        steps_from(&self.0, members)
    }
}

fn steps_from(to: &Int, members: Sets) -> Sets {
    let (from, directions, steps) = if let Int::Step(way, from) = to {
        (steps_from(from, members), Int::Const(1 << way), Int::Const(1))
    } else if let Int::Ahead { direction, steps, .. } = to {
        (members, bit((**direction).clone()), (**steps).clone())
    } else {
        return members;
    };
    Sets::Ahead { from: Box::new(from), directions: Box::new(directions), steps: Box::new(steps) }
}

impl Arriving {
    fn planes(&self) -> u64 {
        match self {
            Self::Known(plane) => 1 << plane,
            Self::OneOf(planes, _) | Self::Carried(_, planes, _) => *planes,
        }
    }
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
            written: Vec::new(),
            sets: Vec::new(),
            first,
        };
        for effect in effects {
            match effect {
                Effect::Put { target, piece, guard } => {
                    let piece = overlay.arriving(piece)?;
                    let held = overlay.held(target);
                    let sites = overlay.ground.choose(guard.clone(), target.clone(), nothing());
                    overlay.arrived.push(Arrival { sites, piece, held });
                }
                Effect::Move { from, to, piece, guard } => {
                    let leaving = one(from.clone());
                    let piece = match piece {
                        Some(piece) => overlay.arriving(piece)?,
                        None => overlay.arriving(&Int::Piece(Box::new(from.clone()), When::Now))?,
                    };
                    let chosen = |set: Sets| lowering.ground.choose(guard.clone(), set, nothing());
                    let held = overlay.held(&leaving);
                    overlay.left.push((chosen(leaving), held));
                    let to = one(to.clone());
                    let held = overlay.held(&to);
                    overlay.arrived.push(Arrival { sites: chosen(to), piece, held });
                }
                // What does not fit its range, or has no place, keeps the stage from being made at all.
                Effect::Set { base, count, index, value, guard, .. } => {
                    let entries = index.as_ref().map_or(Entries::First, |index| Entries::At(index.clone()));
                    overlay.write(*base, *count, entries, value, guard);
                }
                Effect::SetSites { base, value, guard } => {
                    let old = overlay.sets.iter().position(|(set, _)| set == base);
                    let old = old.map_or(Sets::Memory(*base, When::Now), |at| overlay.sets.swap_remove(at).1);
                    overlay.sets.push((*base, overlay.ground.choose(guard.clone(), value.clone(), old)));
                }
                Effect::Each { slot, domain, effect } => match (&**effect, domain) {
                    (
                        Effect::Set { base, count, index: Some(Int::Slot(index)), value, guard, .. },
                        Domain::Sites(members),
                    ) if index == slot => {
                        overlay.write(*base, *count, Entries::Of(*slot, members.clone()), value, guard);
                    }
                    (Effect::Set { base, count, value, guard, .. }, _) => {
                        overlay.write(*base, *count, Entries::Unknown, value, guard);
                    }
                    (Effect::Move { from, to, piece: None, guard }, Domain::Sites(members))
                        if *from == Int::Slot(*slot) && !guard.reads(*slot) =>
                    {
                        let way = Way::of(*slot, to)?;
                        let held = overlay.held(members);
                        let leaving = lowering.ground.choose(guard.clone(), members.clone(), nothing());
                        let sites = way.from(leaving.clone());
                        overlay.left.push((leaving.clone(), held));
                        let (piece, held) = (Arriving::Carried(leaving, held, way), overlay.held(&sites));
                        overlay.arrived.push(Arrival { sites, piece, held });
                    }
                    _ => return None,
                },
            }
        }
        Some(overlay)
    }

    fn write(&mut self, base: u16, count: u16, entries: Entries, value: &Int, guard: &Test) {
        self.written.push(Written { base, count, entries, value: value.clone(), guard: guard.clone() });
    }

    fn held(&self, set: &Sets) -> u64 {
        held(set, self.facts, self.ground.planes)
    }

    /// What is known of a piece that arrives; none where it cannot be followed.
    fn arriving(&self, piece: &Int) -> Option<Arriving> {
        let planes = self.pieces(piece)?;
        Some(match only_plane(planes) {
            Some(plane) => Arriving::Known(plane),
            None => Arriving::OneOf(planes, piece.clone()),
        })
    }

    /// The planes that a piece may be of.
    fn pieces(&self, piece: &Int) -> Option<u64> {
        match piece {
            Int::Const(plane @ 0..64) => Some(1 << plane),
            Int::Piece(site, When::Now) => Some(self.held(&one((**site).clone()))),
            Int::If(_, yes, no) => Some(self.pieces(yes)? | self.pieces(no)?),
            Int::Make(kind, owner) => Some(self.made(kind, owner).fold(0, |planes, (plane, ..)| planes | 1 << plane)),
            _ => None,
        }
    }

    /// The planes of the pieces that may be made of a kind and an owner, with the numbers of these.
    fn made(&self, kind: &Int, owner: &Int) -> impl Iterator<Item = (u8, i64, i64)> {
        let fits = |known: &Int, at: i64| !matches!(known, Int::Const(only) if *only != at);
        let rows = (0..).zip(self.lowering.plane_of).filter(move |(at, _)| fits(kind, *at));
        let all = rows.flat_map(|(kind, row)| (0..).zip(row).map(move |(owner, plane)| (*plane, kind, owner)));
        all.filter(move |(plane, _, at)| *plane > 0 && fits(owner, *at))
    }

    /// Whether a piece is of one of the planes.
    fn is_of(&self, piece: &Int, mask: u64) -> Option<Test> {
        let may = self.pieces(piece)?;
        if may & mask == 0 {
            return Some(Test::Const(false));
        }
        if may & !mask == 0 {
            return Some(Test::Const(true));
        }
        match piece {
            Int::Piece(site, When::Now) => Some(contains(self.ground.planes(mask, When::Now), (**site).clone())),
            Int::If(test, yes, no) => {
                let (yes, no) = (self.is_of(yes, mask)?, self.is_of(no, mask)?);
                Some(or(vec![and(vec![(**test).clone(), yes]), and(vec![not((**test).clone()), no])]))
            }
            Int::Make(kind, owner) => {
                let wanted = self.made(kind, owner).filter(|(plane, ..)| mask >> plane & 1 == 1);
                let is_among = |index: &Int, known: i64| {
                    let wanted = mask_and(bit(index.clone()), Int::Const(known));
                    compare(CompareOp::NotEqual, wanted, Int::Const(0))
                };
                if let Int::Const(_) = **owner {
                    return Some(is_among(kind, wanted.fold(0, |kinds, (_, kind, _)| kinds | 1 << kind)));
                }
                let is_known = matches!(**kind, Int::Const(_));
                is_known.then(|| is_among(owner, wanted.fold(0, |owners, (.., owner)| owners | 1 << owner)))
            }
            _ => None,
        }
    }

    /// What comes after the stage, for the state before it.
    pub fn generator(&self, after: &Generator) -> Option<Generator> {
        if after.any(&|inner| matches!(inner, Generator::Stage(..) | Generator::Repeat(..))) {
            return None;
        }
        let mut before = after.clone();
        let mut done = true;
        before.walk_mut(&mut |part| done = done && self.rewrite(part).is_some());
        done.then_some(before)
    }

    /// The same of a condition.
    pub fn test(&self, after: &mut Test) -> Option<()> {
        self.rewrite_test(after)
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

    /// The piece that arrives at the site in a slot.
    fn arrives_at(&self, site: &Int) -> Option<&Arriving> {
        let Int::Slot(_) = site else { return None };
        let at = |sites: &Sets| matches!(sites, Sets::One(arrived) if **arrived == *site);
        self.arrived.iter().find(|arrival| at(&arrival.sites)).map(|arrival| &arrival.piece)
    }

    /// The number after the stage at an entry of those that begin at a base, given what it was before.
    fn number(&self, base: u16, count: u16, at: Int, before: Int) -> Option<Int> {
        let read = match at {
            Int::Const(at) => i64::from(base) + at..i64::from(base) + at + 1,
            _ => i64::from(base)..i64::from(base) + i64::from(count),
        };
        let meets = |cells: Range<u32>| i64::from(cells.start) < read.end && read.start < i64::from(cells.end);
        let written: Vec<&Written> = self.written.iter().filter(|written| meets(written.cells())).collect();
        if written.len() > MOST_WRITTEN {
            return None;
        }
        // What another line of the stage gives it where this one gives nothing; both together are not possible.
        written.into_iter().try_fold(before, |before, written| {
            let nearer = i64::from(base) - i64::from(written.base);
            // What lies outside of the entries that are read may be an entry of others.
            if nearer != 0 && !matches!((&at, &written.entries), (Int::Const(_), _) | (_, Entries::First)) {
                return None;
            }
            written.over(&calculate(ArithmeticOp::Add, at.clone(), Int::Const(nearer)), before)
        })
    }

    /// What is read of a site after the stage, given how it is read in a state and what it is on a plane and of a piece.
    fn content(
        &self,
        site: &Int,
        read: impl Fn(Box<Int>, When) -> Int,
        of_plane: impl Fn(u8) -> Option<i64>,
        of_piece: impl Fn(Int) -> Option<Int>,
    ) -> Option<Int> {
        let arriving = |piece: &Arriving| match piece {
            Arriving::Known(plane) => of_plane(*plane).map(Int::Const),
            Arriving::OneOf(_, piece) => of_piece(piece.clone()),
            Arriving::Carried(..) => None,
        };
        if let Some(piece) = self.arrives_at(site) {
            return arriving(piece);
        }
        // Elsewhere it may be a site of the stage or not.
        let mut site = site.clone();
        self.rewrite_int(&mut site)?;
        let mut content = read(Box::new(site.clone()), When::Now);
        for (from, _) in &self.left {
            content = pick(contains(from.clone(), site.clone()), Int::Const(of_plane(0)?), content);
        }
        for arrival in &self.arrived {
            content = pick(contains(arrival.sites.clone(), site.clone()), arriving(&arrival.piece)?, content);
        }
        Some(content)
    }

    /// What stands on the sites of a plane.
    fn stands(&self, plane: u8) -> Option<&Content> {
        self.lowering.planes.get(usize::from(plane))
    }

    /// The plane of the piece that arrives at the site in a slot, where that is known.
    fn plane_at(&self, site: &Int) -> Option<u8> {
        match self.arrives_at(site)? {
            Arriving::Known(plane) => Some(*plane),
            Arriving::OneOf(..) | Arriving::Carried(..) => None,
        }
    }

    fn rewrite_sets(&self, sets: &mut Sets) -> Option<()> {
        match sets {
            Sets::Planes(mask, When::Now) => {
                *sets = self.planes(*mask)?;
                return Some(());
            }
            Sets::Memory(at, When::Now) => {
                if let Some((_, value)) = self.sets.iter().find(|(set, _)| set == at) {
                    *sets = value.clone();
                }
                return Some(());
            }
            Sets::Alike(site, When::Now) => {
                *sets = match self.plane_at(site) {
                    Some(plane) => self.planes(1 << plane)?,
                    None => self.alike_carried(site)?,
                };
                return Some(());
            }
            Sets::OfKinds(kinds, When::Now) => {
                self.rewrite_int(kinds)?;
                let kinds = (**kinds).clone();
                *sets = self.of_some(sets, &kinds, Property::Kind)?;
                return Some(());
            }
            Sets::OfPlayers(players, When::Now) => {
                self.rewrite_int(players)?;
                let players = (**players).clone();
                *sets = self.of_some(sets, &players, Property::Owner)?;
                return Some(());
            }
            Sets::Primitive(_, _, When::Now) => return None,
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

    /// The sites that hold the same after the stage as the only one of some sites at which pieces arrive together.
    fn alike_carried(&self, site: &Int) -> Option<Sets> {
        let Int::Only(set) = site else { return None };
        let (from, planes, way) = self.arrived.iter().find_map(|arrival| match &arrival.piece {
            Arriving::Carried(from, planes, way) if lies_in(set, &arrival.sites) => Some((from, *planes, way)),
            Arriving::Carried(..) | Arriving::Known(_) | Arriving::OneOf(..) => None,
        })?;
        // No empty site is carried.
        let planes = planes & self.ground.planes & !1;
        if planes.count_ones() > MOST_CARRIED {
            return None;
        }
        let alike = (0..64).map(|plane| 1 << plane).filter(|plane| planes & plane != 0).map(|plane: u64| {
            let carried = way.from(self.ground.and(vec![from.clone(), self.ground.planes(plane, When::Now)]));
            let is_one = any(self.ground.and(vec![(**set).clone(), carried]));
            Some(self.ground.choose(is_one, self.planes(plane)?, nothing()))
        });
        Some(self.ground.or(alike.collect::<Option<Vec<Sets>>>()?))
    }

    /// The sites whose pieces are of one of some kinds or players after the stage, given those before it and the mask of these.
    fn of_some(&self, before: &Sets, mask: &Int, property: Property) -> Option<Sets> {
        let mut set = before.clone();
        for (from, _) in &self.left {
            set = minus(set, from.clone());
        }
        for Arrival { sites, piece, .. } in &self.arrived {
            let piece = match piece {
                Arriving::Known(plane) => Int::Const(i64::from(*plane)),
                Arriving::OneOf(_, piece) => piece.clone(),
                Arriving::Carried(..) => return None,
            };
            let arriving = self.ground.choose(self.has(&piece, mask, property)?, sites.clone(), nothing());
            set = self.ground.or(vec![minus(set, sites.clone()), arriving]);
        }
        Some(set)
    }

    /// Whether the kind of a piece, or its owner, is one of a mask.
    fn has(&self, piece: &Int, mask: &Int, property: Property) -> Option<Test> {
        let is_one = |index: Int| match mask {
            Int::Bit(own) if **own == index && matches!(index, Int::Slot(_)) => Test::Const(true),
            mask => compare(CompareOp::NotEqual, mask_and(bit(index), mask.clone()), Int::Const(0)),
        };
        if let Int::Const(plane) = piece {
            let stands = self.stands(u8::try_from(*plane).ok()?)?;
            let index = match property {
                Property::Kind => stands.kind().map(|kind| kind.0),
                Property::Owner => stands.owner().map(|owner| owner.0),
            };
            return Some(index.map_or(Test::Const(false), |index| is_one(Int::Const(i64::from(index)))));
        }
        if let Int::If(test, yes, no) = piece {
            let (yes, no) = (self.has(yes, mask, property)?, self.has(no, mask, property)?);
            return Some(or(vec![and(vec![(**test).clone(), yes]), and(vec![not((**test).clone()), no])]));
        }
        let index = if let Int::Make(kind, owner) = piece {
            // Nobody is none of the players of a mask.
            match property {
                Property::Kind => (**kind).clone(),
                Property::Owner => (**owner).clone(),
            }
        } else if let Int::Piece(site, When::Now) = piece {
            match property {
                Property::Kind => Int::Kind(site.clone(), When::Now),
                Property::Owner => Int::Owner(site.clone(), When::Now),
            }
        } else {
            return None;
        };
        Some(is_one(index))
    }

    /// The sites that hold one of the planes after the stage.
    fn planes(&self, mask: u64) -> Option<Sets> {
        let mut set = self.ground.planes(mask, When::Now);
        // Pieces that leave make their sites empty, unless something arrives there.
        let mut leaving = 0;
        for (from, held) in &self.left {
            if mask & 1 == 1 {
                set = self.ground.or(vec![set, from.clone()]);
                leaving |= held;
            } else if held & mask != 0 {
                set = minus(set, from.clone());
            }
        }
        for Arrival { sites, piece, held } in &self.arrived {
            let may = piece.planes();
            if may & !mask == 0 {
                set = self.ground.or(vec![set, sites.clone()]);
                continue;
            }
            if held & (mask | leaving) != 0 {
                set = minus(set, sites.clone());
            }
            let arriving = match piece {
                Arriving::OneOf(_, piece) if may & mask != 0 => {
                    self.ground.choose(self.is_of(piece, mask)?, sites.clone(), nothing())
                }
                Arriving::Carried(from, _, way) if may & mask != 0 => {
                    way.from(self.ground.and(vec![from.clone(), self.ground.planes(mask, When::Now)]))
                }
                Arriving::Known(_) | Arriving::OneOf(..) | Arriving::Carried(..) => continue,
            };
            set = self.ground.or(vec![set, arriving]);
        }
        Some(set)
    }

    fn rewrite_int(&self, int: &mut Int) -> Option<()> {
        match int {
            Int::Cell(at, When::Now) => {
                *int = self.number(*at, 1, Int::Const(0), int.clone())?;
                return Some(());
            }
            Int::CellAt { base, count, index, when: When::Now } => {
                self.rewrite_int(index)?;
                *int = self.number(*base, *count, (**index).clone(), int.clone())?;
                return Some(());
            }
            Int::Piece(site, When::Now) => {
                *int = self.content(site, Int::Piece, |plane| Some(i64::from(plane)), Some)?;
                return Some(());
            }
            Int::Owner(site, When::Now) => {
                let owner = |plane| Some(self.stands(plane)?.owner().map_or(NONE, |owner| i64::from(owner.0)));
                *int = self.content(site, Int::Owner, owner, |_| None)?;
                return Some(());
            }
            Int::Kind(site, When::Now) => {
                let kind = |plane| Some(self.stands(plane)?.kind().map_or(NONE, |kind| i64::from(kind.0)));
                *int = self.content(site, Int::Kind, kind, |_| None)?;
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
            Test::Seen { .. } | Test::Possible { .. } | Test::Stuck | Test::Unfinished => return None,
            Test::CanApply(effects) => {
                effects.iter_mut().for_each(|effect| self.name_piece(effect));
            }
            _ => {}
        }
        let mut done = true;
        test.parts_mut(&mut |part| done = done && self.rewrite(part).is_some());
        done.then_some(())
    }

    /// A piece that moves on is named, for the state before the stage may hold another one there.
    fn name_piece(&self, effect: &mut Effect) {
        if let Effect::Each { effect, .. } = effect {
            self.name_piece(effect);
        }
        let Effect::Move { from, piece: piece @ None, .. } = effect else { return };
        let plane = if let Int::Only(set) = &*from
            && let Sets::Planes(mask, When::Now) = **set
        {
            only_plane(mask)
        } else {
            None
        };
        let read = || Int::Piece(Box::new(from.clone()), When::Now);
        *piece = Some(plane.map_or_else(read, |plane| Int::Const(i64::from(plane))));
    }
}

/// Whether the form of a set says that it lies in another one.
fn lies_in(set: &Sets, whole: &Sets) -> bool {
    set == whole
        || matches!(set, Sets::First(inner) if lies_in(inner, whole))
        || matches!(set, Sets::And(parts) if parts.iter().any(|part| lies_in(part, whole)))
}

/// The planes that the members of a set may hold, as far as its form tells.
pub(super) fn held(set: &Sets, facts: &Facts, all: u64) -> u64 {
    match set {
        Sets::Planes(mask, When::Now) => *mask,
        Sets::And(parts) => parts.iter().fold(all, |mask, part| mask & held(part, facts, all)),
        Sets::Or(parts) => parts.iter().fold(0, |mask, part| mask | held(part, facts, all)),
        Sets::Minus(inner, _)
        | Sets::Filter { domain: inner, .. }
        | Sets::Run { through: inner, .. }
        | Sets::Heads(inner)
        | Sets::First(inner) => held(inner, facts, all),
        Sets::If(_, yes, no) => held(yes, facts, all) | held(no, facts, all),
        Sets::One(site) => match &**site {
            Int::Slot(slot) => facts.get(slot).copied().unwrap_or(all),
            Int::Only(set) => held(set, facts, all),
            _ => all,
        },
        set => first_of_each(set).map_or(all, |(_, members)| held(members, facts, all)),
    }
}
