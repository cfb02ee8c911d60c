//! The changes of a stage: all operands are read before anything happens.

use super::{Frame, View};
use crate::engine::fast::changes::{Changes, Quick};
use crate::engine::fast::set::Set;
use crate::program::ir::{Domain, Effect, Int, NONE, Test};

impl<const W: usize> Changes<W> {
    /// Reads the operands of all changes of a stage; false if they cannot be made together.
    #[inline]
    #[must_use]
    pub fn gather(&mut self, view: &View<'_, W>, effects: &[Effect], f: &mut Frame<W>) -> bool {
        self.clear();
        if let [only] = effects {
            return self.gather_only(view, only, f);
        }
        effects.iter().all(|effect| self.add(view, effect, f))
    }

    fn gather_only(&mut self, view: &View<'_, W>, effect: &Effect, f: &mut Frame<W>) -> bool {
        match effect {
            Effect::Put { target, piece, guard } => {
                if view.test(guard, f) {
                    let sites = view.sets(target, f);
                    let Some(plane) = plane(view.int(piece, f)) else { return sites.is_empty() };
                    if plane != 0 {
                        self.it = sites.only().map(|site| site as u16);
                    }
                    self.quick = Quick::Put { sites, plane };
                }
                true
            }
            Effect::Move { from, to, piece, guard } => {
                if view.test(guard, f) {
                    let Some((from, to, plane)) = moved(view, from, to, piece.as_ref(), f) else { return false };
                    self.it = Some(to as u16);
                    self.quick = Quick::Move { from, to, plane };
                }
                true
            }
            Effect::Set { base, count, index, value, range, guard } => {
                if view.test(guard, f) {
                    let Some((cell, value)) = set(view, *base, *count, index.as_ref(), value, *range, f) else {
                        return false;
                    };
                    self.quick = Quick::Cell(cell, value);
                }
                true
            }
            Effect::SetSites { .. } | Effect::Each { .. } => self.add(view, effect, f),
        }
    }

    fn add(&mut self, view: &View<'_, W>, effect: &Effect, f: &mut Frame<W>) -> bool {
        match effect {
            Effect::Put { target, piece, guard } => {
                if !view.test(guard, f) {
                    return true;
                }
                let sites = view.sets(target, f);
                let Some(plane) = plane(view.int(piece, f)) else { return sites.is_empty() };
                if !self.arrive(sites, plane) {
                    return false;
                }
                if self.it.is_none() && plane != 0 {
                    self.it = sites.only().map(|site| site as u16);
                }
                true
            }
            Effect::Move { from, to, piece, guard } => {
                if !view.test(guard, f) {
                    return true;
                }
                let Some((from, to, plane)) = moved(view, from, to, piece.as_ref(), f) else { return false };
                self.left.insert(from);
                if !self.arrive(Set::single(to), plane) {
                    return false;
                }
                if !self.moved {
                    self.it = Some(to as u16);
                    self.moved = true;
                }
                true
            }
            Effect::Set { base, count, index, value, range, guard } => {
                if !view.test(guard, f) {
                    return true;
                }
                match set(view, *base, *count, index.as_ref(), value, *range, f) {
                    Some((cell, value)) => self.write(cell, value),
                    None => false,
                }
            }
            Effect::SetSites { base, value, guard } => {
                if !view.test(guard, f) {
                    return true;
                }
                let value = view.sets(value, f);
                match self.sets.iter().find(|(known, _)| known == base) {
                    Some((_, known)) => *known == value,
                    None => {
                        self.sets.push((*base, value));
                        true
                    }
                }
            }
            Effect::Each { slot, domain, effect } => self.each(view, *slot, domain, effect, f),
        }
    }

    fn each(&mut self, view: &View<'_, W>, slot: u16, domain: &Domain, effect: &Effect, f: &mut Frame<W>) -> bool {
        // One number for the entries of many sites.
        if let Domain::Sites(sites) = domain
            && let Effect::Set { base, count, index: Some(Int::Slot(index)), value: Int::Const(value), range, guard } =
                effect
            && *index == slot
            && *guard == Test::Const(true)
        {
            let fits = range.is_none_or(|(low, high)| (low..=high).contains(value));
            let mut entries = view.sets(sites, f).iter().map(|site| site as u16);
            return entries.all(|entry| fits && entry < *count && self.write(base.saturating_add(entry), *value));
        }
        if let (Domain::Sites(sites), true) = (domain, view.engine.reordered) {
            // Which piece is the first one placed is told by the order of the sites.
            let layout = &view.engine.program.layout;
            let sites = layout.sites_at(view.sets(sites, f).to_sites());
            return sites.iter().all(|site| {
                f.bind(slot, layout.position(site) as i64);
                self.add(view, effect, f)
            });
        }
        view.members(slot, domain, f, |f| self.add(view, effect, f))
    }
}

#[inline]
fn plane(number: i64) -> Option<u8> {
    u8::try_from(number).ok()
}

#[inline]
fn moved<const W: usize>(
    view: &View<'_, W>,
    from: &Int,
    to: &Int,
    piece: Option<&Int>,
    f: &mut Frame<W>,
) -> Option<(usize, usize, u8)> {
    let from = usize::try_from(view.int(from, f)).ok()?;
    let to = usize::try_from(view.int(to, f)).ok()?;
    let plane = match piece {
        None => view.now.contents.get(from).copied()?,
        Some(piece) => plane(view.int(piece, f))?,
    };
    Some((from, to, plane))
}

/// The cell and its value; a number outside the range of what is tracked makes the move illegal.
#[inline]
fn set<const W: usize>(
    view: &View<'_, W>,
    base: u16,
    count: u16,
    index: Option<&Int>,
    value: &Int,
    range: Option<(i64, i64)>,
    f: &mut Frame<W>,
) -> Option<(u16, i64)> {
    let offset = match index {
        None => 0,
        Some(index) => u16::try_from(view.int(index, f)).ok().filter(|offset| *offset < count)?,
    };
    let value = view.int(value, f);
    if let Some((low, high)) = range
        && (value == NONE || value < low || value > high)
    {
        return None;
    }
    Some((base.checked_add(offset)?, value))
}
