//! Mappings of a board onto itself that keep its steps, and how some of them make others.

use super::mapping::Mapping;
use crate::board::{Board, Direction, Site};
use std::collections::BTreeSet;

/// Boards whose ends meet have a mapping for every site; more than so many are not looked at.
const MOST: usize = 4_096;

/// All mappings of a board that take steps to steps, the one that changes nothing first.
pub fn automorphisms(board: &Board) -> Vec<Mapping> {
    let mut found = vec![Mapping::identity(board.len())];
    for ways in turned(board) {
        for image in board.all().iter() {
            if found.len() >= MOST {
                return found;
            }
            if let Some(sites) = follow(board, &ways, image) {
                let mapping = Mapping::new(sites, ways);
                if keeps(board, &mapping) && !found.contains(&mapping) {
                    found.push(mapping);
                }
            }
        }
    }
    found
}

/// All that those of the mappings that `holds` says are symmetries make together. What others make is not asked for.
pub fn closed(mappings: Vec<Mapping>, mut holds: impl FnMut(&Mapping) -> bool) -> Vec<Mapping> {
    let Some(first) = mappings.first().cloned() else { return Vec::new() };
    let mut known = BTreeSet::from([first.clone()]);
    let mut makers: Vec<Mapping> = Vec::new();
    for mapping in &mappings {
        if known.contains(mapping) || !holds(mapping) {
            continue;
        }
        makers.push(mapping.clone());
        let mut open: Vec<Mapping> = known.iter().cloned().collect();
        while let Some(one) = open.pop() {
            for maker in &makers {
                let next = one.then(maker);
                if known.len() < MOST && known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    mappings.into_iter().filter(|mapping| known.contains(mapping)).collect()
}

/// The ways to turn and mirror the directions of a board: they lie on a circle. Paths lie on none, and stay what they are.
fn turned(board: &Board) -> Vec<[u8; 16]> {
    let used: Vec<Direction> =
        board.compass().iter().filter(|way| board.all().iter().any(|site| board.step(site, *way).is_some())).collect();
    let count = used.len();
    let mut all = Vec::new();
    for mirrored in [false, true] {
        for shift in 0..count.max(1) {
            let mut ways = [0; 16];
            ways.iter_mut().zip(0..).for_each(|(way, index)| *way = index);
            for (at, way) in used.iter().enumerate() {
                let to = (if mirrored { count - at } else { at } + shift) % count;
                if let (Some(place), Some(image)) = (ways.get_mut(way.index()), used.get(to)) {
                    *place = u8::try_from(image.index()).unwrap_or(*place);
                }
            }
            if !all.contains(&ways) {
                all.push(ways);
            }
        }
    }
    all
}

/// Where all sites go if the first goes there and steps go to steps; none where that cannot be.
fn follow(board: &Board, ways: &[u8; 16], image: Site) -> Option<Vec<usize>> {
    let mapping = Mapping::new(Vec::new(), *ways);
    let first = board.all().iter().next()?;
    let mut to: Vec<Option<Site>> = vec![None; board.len()];
    *to.get_mut(first.index())? = Some(image);
    let mut open = vec![first];
    let mut seen = BTreeSet::from([image.index()]);
    while let Some(site) = open.pop() {
        let at = to.get(site.index()).copied().flatten()?;
        for way in Direction::ALL {
            let (next, there) = (board.step(site, way), board.step(at, mapping.way(way)));
            let (Some(next), Some(there)) = (next, there) else {
                if next.is_some() || there.is_some() {
                    return None;
                }
                continue;
            };
            let place = to.get_mut(next.index())?;
            match place {
                Some(known) if *known != there => return None,
                Some(_) => {}
                None if seen.insert(there.index()) => {
                    *place = Some(there);
                    open.push(next);
                }
                None => return None,
            }
        }
    }
    to.into_iter().map(|site| site.map(Site::index)).collect()
}

/// Whether neighbours stay neighbours, and the sites of each class in it.
fn keeps(board: &Board, mapping: &Mapping) -> bool {
    let classes = [board.cells(), board.edges(), board.vertices()];
    classes.into_iter().all(|class| mapping.set(class) == class)
        && board.all().iter().all(|site| mapping.set(board.neighbours(site)) == board.neighbours(mapping.site(site)))
}
