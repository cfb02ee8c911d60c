//! The edges of a search tree, a few at a time field by field, so that those of a node are weighed together.

use std::ops::Range;

/// An edge that leads nowhere yet.
pub(super) const NOWHERE: u32 = u32::MAX;

/// From here on older games count less and less, so that sums stay exact.
const MAX_LATER: u32 = 1 << 20;

/// Plies noted in a round; where two share a place the later one is forgotten, which is harmless.
const NOTED: usize = 1 << 12;

/// How the plies of a node are weighed against each other.
#[derive(Clone, Copy)]
pub(super) struct Weighing {
    /// How soon a ply's own games count more than those in which it was played later.
    pub bias: f32,
    /// What is added for a ply that was never tried.
    pub spread: f32,
    /// What the node is worth as far as is known, for plies of which nothing is known.
    pub expected: f32,
}

/// So many edges of one node stand together: their numbers are weighed at once, and lie beside each other in memory.
const TOGETHER: usize = 8;

/// One number of each kind for some plies of a node. In this order, so that what is read after every game lies together, and
/// so does what is weighed: two and three lines of the processor's cache.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Group {
    /// The upper halves of keys, which tell plies of a game apart.
    signs: [u32; TOGETHER],
    /// Games in which the same seat played the ply here or later.
    later: [u32; TOGETHER],
    later_totals: [f32; TOGETHER],
    /// What games with the ply here were worth to the seat that decides, in the mean.
    means: [f32; TOGETHER],
    visits: [u32; TOGETHER],
    /// What the ply is worth with certainty to the seat that decides; no number where that is not known.
    certain: [f32; TOGETHER],
    nodes: [u32; TOGETHER],
    /// The sum of what games with the ply here were worth.
    totals: [f64; TOGETHER],
    /// The lower halves of keys.
    rests: [u32; TOGETHER],
}

impl Group {
    const BLANK: Self = Self {
        signs: [0; TOGETHER],
        later: [0; TOGETHER],
        later_totals: [0.0; TOGETHER],
        means: [0.0; TOGETHER],
        visits: [0; TOGETHER],
        certain: [f32::NAN; TOGETHER],
        nodes: [NOWHERE; TOGETHER],
        totals: [0.0; TOGETHER],
        rests: [0; TOGETHER],
    };

    /// Older games count less than new ones.
    #[cold]
    fn halve(&mut self) {
        for (later, total) in self.later.iter_mut().zip(&mut self.later_totals) {
            if *later >= MAX_LATER {
                *later /= 2;
                *total /= 2.0;
            }
        }
    }

    /// How good each ply looks. No branches within, so that several are weighed at a time.
    fn weights(&self, weighing: Weighing) -> [f32; TOGETHER] {
        let Weighing { bias, spread, expected } = weighing;
        let mut weights = [0.0; TOGETHER];
        for (at, weight) in weights.iter_mut().enumerate() {
            let (own, later) = (self.visits[at].cast_signed() as f32, self.later[at].cast_signed() as f32);
            let mean = if own > 0.0 { self.means[at] } else { expected };
            // The mean of later games has the share `later / games` of the whole.
            let games = own + later + bias * own * later;
            let games = if games > 0.0 { games } else { 1.0 };
            *weight = mean + (self.later_totals[at] - later * mean) / games + spread / (own + 1.0).sqrt();
        }
        // What is certain needs no exploring; a certain loss is taken only where there is nothing else.
        for (weight, certain) in weights.iter_mut().zip(&self.certain).filter(|(_, certain)| !certain.is_nan()) {
            *weight = if *certain <= 0.0 { -1.0 } else { *certain };
        }
        weights
    }
}

/// The edges of all nodes, by number: those of a node follow each other from a multiple of [`TOGETHER`] on.
#[derive(Debug, Default)]
pub(super) struct Edges(Vec<Group>);

impl Edges {
    /// Room for so many edges, where addresses are plenty: only what is filled takes memory, and nothing of it has to be moved
    /// while it is.
    pub fn with_room(edges: usize) -> Self {
        let mut all = Vec::new();
        if cfg!(target_pointer_width = "64") {
            // Where so much is not to be had, it grows as it is filled.
            all.try_reserve_exact(edges / TOGETHER).ok();
        }
        Self(all)
    }

    /// How many edges there is room for in use.
    pub fn len(&self) -> usize {
        self.0.len() * TOGETHER
    }

    /// Adds the edges of a node, one for each key; the number of the first.
    pub fn add(&mut self, keys: &[u64]) -> u32 {
        let first = self.len() as u32;
        for chunk in keys.chunks(TOGETHER) {
            let mut group = Group::BLANK;
            for ((sign, rest), key) in group.signs.iter_mut().zip(&mut group.rests).zip(chunk) {
                (*sign, *rest) = halves(*key);
            }
            self.0.push(group);
        }
        first
    }

    /// Adds the edges of a node of another tree; `rename` tells the node here that each leads to.
    pub fn copy(&mut self, from: &Self, edges: &Range<usize>, mut rename: impl FnMut(u32) -> u32) -> u32 {
        let first = self.len() as u32;
        for group in from.0.get(groups(edges)).unwrap_or_default() {
            let mut group = group.clone();
            group.nodes.iter_mut().filter(|node| **node != NOWHERE).for_each(|node| *node = rename(*node));
            self.0.push(group);
        }
        first
    }

    pub fn key(&self, edge: u32) -> Option<u64> {
        self.group(edge).map(|group| u64::from(group.signs[lane(edge)]) << 32 | u64::from(group.rests[lane(edge)]))
    }

    /// The node that an edge leads to.
    pub fn node(&self, edge: u32) -> u32 {
        self.group(edge).map_or(NOWHERE, |group| group.nodes[lane(edge)])
    }

    pub fn lead(&mut self, edge: u32, node: u32) {
        if let Some(group) = self.group_mut(edge) {
            group.nodes[lane(edge)] = node;
        }
    }

    /// The nodes that some edges lead to, in their order.
    pub fn nodes_of<'a>(&'a self, edges: &Range<usize>) -> impl Iterator<Item = u32> + use<'a> {
        let groups = self.0.get(groups(edges)).unwrap_or_default();
        groups.iter().flat_map(|group| group.nodes).take(edges.len())
    }

    /// How often an edge was taken, and what games came to.
    pub fn tried(&self, edge: u32) -> (u32, f64) {
        let Some(group) = self.group(edge) else { return (0, 0.0) };
        let (visits, total) = (group.visits[lane(edge)], group.totals[lane(edge)]);
        (visits, if visits > 0 { total / f64::from(visits) } else { 0.0 })
    }

    /// Whether it is noted what an edge is worth with certainty.
    pub fn is_certain(&self, edge: u32) -> bool {
        self.group(edge).is_some_and(|group| !group.certain[lane(edge)].is_nan())
    }

    /// An edge is worth so much with certainty.
    pub fn settle(&mut self, edge: u32, value: f32) {
        if let Some(group) = self.group_mut(edge) {
            group.certain[lane(edge)] = value;
        }
    }

    /// A game in which an edge was taken was worth so much.
    pub fn visit(&mut self, edge: u32, value: f32) {
        let Some(group) = self.group_mut(edge) else { return };
        let at = lane(edge);
        group.visits[at] += 1;
        group.totals[at] += f64::from(value);
        group.means[at] = (group.totals[at] / f64::from(group.visits[at])) as f32;
    }

    /// The place of the heaviest of some edges: among equals the first, if the look round begins at a place. Those that are
    /// barred do not count.
    pub fn heaviest(&self, edges: &Range<usize>, weighing: Weighing, offset: usize, barred: &[bool]) -> usize {
        let (mut heaviest, mut chosen) = (f32::NEG_INFINITY, offset);
        // How far the look round has come at a place.
        let round = |place: usize| if place >= offset { place - offset } else { place + edges.len() - offset };
        for (at, group) in self.0.get(groups(edges)).unwrap_or_default().iter().enumerate() {
            let mut weights = group.weights(weighing);
            let begin = at * TOGETHER;
            if begin + TOGETHER > edges.len() || !barred.is_empty() {
                for (place, weight) in (begin..).zip(&mut weights) {
                    let counts = place < edges.len() && barred.get(place) != Some(&true);
                    *weight = if counts { *weight } else { f32::NEG_INFINITY };
                }
            }
            let most = greatest(&weights);
            if most < heaviest || most == f32::NEG_INFINITY {
                continue;
            }
            // Without a jump for each: which of them is the heaviest is as good as random.
            let equal = weights.iter().rev().fold(0_u32, |equal, weight| equal << 1 | u32::from(*weight == most));
            let behind = equal & u32::MAX << offset.saturating_sub(begin).min(TOGETHER);
            let first = if behind == 0 { equal } else { behind };
            let place = begin + first.trailing_zeros() as usize;
            if most > heaviest || round(place) < round(chosen) {
                (heaviest, chosen) = (most, place);
            }
        }
        chosen
    }

    /// Games in which a seat played the plies that are noted were worth so much: whichever of some edges they are.
    pub fn note_later(&mut self, edges: &Range<usize>, seat: u8, value: f32, noted: &Noted) {
        let (of_seat, _) = halves(signed(seat));
        for group in self.0.get_mut(groups(edges)).unwrap_or_default() {
            let played = group.signs.map(|sign| u32::from(noted.has(sign ^ of_seat)));
            for (at, played) in played.iter().enumerate() {
                // No branch that is taken half of the time.
                group.later[at] += played;
                group.later_totals[at] += played.cast_signed() as f32 * value;
            }
            if group.later.iter().fold(0, |all, later| all | later) >= MAX_LATER {
                group.halve();
            }
        }
    }

    fn group(&self, edge: u32) -> Option<&Group> {
        self.0.get(edge as usize / TOGETHER)
    }

    fn group_mut(&mut self, edge: u32) -> Option<&mut Group> {
        self.0.get_mut(edge as usize / TOGETHER)
    }
}

/// The greatest of some weights, none of which is missing.
fn greatest(weights: &[f32; TOGETHER]) -> f32 {
    let greater = |a: f32, b: f32| if a > b { a } else { b };
    let (halves, _) = weights.as_chunks::<{ TOGETHER / 2 }>();
    let mut most = [f32::NEG_INFINITY; TOGETHER / 2];
    for half in halves {
        for (most, weight) in most.iter_mut().zip(half) {
            *most = greater(*most, *weight);
        }
    }
    most.into_iter().fold(f32::NEG_INFINITY, greater)
}

fn lane(edge: u32) -> usize {
    edge as usize % TOGETHER
}

/// The groups of the edges of a node.
fn groups(edges: &Range<usize>) -> Range<usize> {
    edges.start / TOGETHER..edges.end.div_ceil(TOGETHER)
}

/// The plies of one game, by seat and key.
#[derive(Debug)]
pub(super) struct Noted {
    /// The signs of plies, with the number of the round in which they were noted put in.
    stamps: Box<[u32; NOTED]>,
    round: u32,
}

impl Noted {
    pub fn new() -> Self {
        Self { stamps: Box::new([0; NOTED]), round: 0x51ed_270b }
    }

    /// Forgets all that is noted.
    pub fn clear(&mut self) {
        self.round = self.round.wrapping_add(0x9e37_79b9);
    }

    pub fn note(&mut self, seat: u8, key: u64) {
        let (sign, _) = halves(key ^ signed(seat));
        self.stamps[place(sign)] = sign ^ self.round;
    }

    fn has(&self, sign: u32) -> bool {
        self.stamps[place(sign)] == sign ^ self.round
    }
}

/// What tells the plies of a seat from those of others.
fn signed(seat: u8) -> u64 {
    u64::from(seat).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

fn place(sign: u32) -> usize {
    sign as usize % NOTED
}

/// The upper and the lower half of a number.
fn halves(number: u64) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = number.to_be_bytes();
    (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Weighing = Weighing { bias: 0.05, spread: 0.0, expected: 0.5 };

    #[test]
    fn the_heaviest_edge_is_the_one_that_was_worth_most_or_is_sure_to_be() {
        let mut edges = Edges::default();
        edges.add(&[9; 3]);
        let first = edges.add(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(first as usize, TOGETHER);
        let all = first as usize..first as usize + 10;
        edges.visit(first, 0.25);
        edges.visit(first + 2, 0.75);
        let heaviest = |edges: &Edges, offset, barred: &[bool]| edges.heaviest(&all, PLAIN, offset, barred);
        assert_eq!(heaviest(&edges, 0, &[]), 2);
        // Among equals it is the first one from where the look round begins.
        edges.visit(first + 9, 0.75);
        assert_eq!([0, 3, 9].map(|offset| heaviest(&edges, offset, &[])), [2, 9, 9]);
        assert_eq!(heaviest(&edges, 1, &[false, false, true, false, false, false, false, false, false, true]), 1);
        edges.settle(first + 8, 1.0);
        assert_eq!(heaviest(&edges, 0, &[]), 8);
        (1..10).for_each(|at| edges.settle(first + at, 0.0));
        assert_eq!(heaviest(&edges, 2, &[]), 0);
    }

    #[test]
    fn later_games_count_as_much_as_there_are_many_of_them() {
        let mut group = Group::BLANK;
        (group.visits[0], group.means[0], group.later[0], group.later_totals[0]) = (3, 0.5, 6, 6.0);
        (group.later[1], group.later_totals[1]) = (2, 1.5);
        let weights = group.weights(Weighing { spread: 0.4, ..PLAIN });
        let share = 6.0 / (3.0 + 6.0 + 0.05 * 3.0 * 6.0);
        let expected = [0.5 + share * (1.0 - 0.5) + 0.4 / 2.0, 0.75 + 0.4, 0.5 + 0.4];
        for (weight, expected) in weights.iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-6, "{weight} {expected}");
        }
    }

    #[test]
    fn keys_are_told_as_they_were_added_and_an_edge_takes_forty_bytes() {
        let keys: Vec<u64> = (1u64..=11).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let mut edges = Edges::default();
        let first = edges.add(&keys);
        assert_eq!((0..11).map(|at| edges.key(first + at)).collect::<Option<Vec<_>>>(), Some(keys));
        assert_eq!(size_of::<Group>(), TOGETHER * 40);
    }

    #[test]
    fn plies_count_for_the_seat_that_played_them_in_the_last_round_alone() {
        let (mut edges, mut noted) = (Edges::default(), Noted::new());
        edges.add(&[7 << 32, 8 << 32]);
        noted.note(1, 7 << 32);
        edges.note_later(&(0..2), 0, 1.0, &noted);
        edges.note_later(&(0..2), 1, 1.0, &noted);
        let later = |edges: &Edges| edges.0.first().map(|group| (group.later[..2].to_vec(), group.later_totals[0]));
        assert_eq!(later(&edges), Some((vec![1, 0], 1.0)));
        noted.clear();
        edges.note_later(&(0..2), 1, 1.0, &noted);
        assert_eq!(later(&edges), Some((vec![1, 0], 1.0)));
    }
}
