//! What the calls of a program are drawn from, at which places, and what that costs: worked out once, when the program is made
//! ready.

use super::bounds::{Bounds, Known};
use super::geometry::Geometry;
use super::lots::Lots;
use super::shared_lots::SharedLots;
use super::toil::{Cost, DRAWN};
use crate::program::ir::Test;
use crate::program::{ForMover, Program, TurnNode, calls_behind, closing, nodes_behind};

/// Plies are drawn where to list them takes more instructions than this, and so many times as many as to draw one.
const LITTLE_TOIL: u64 = 600;
const WORTH: u64 = 2;

/// To see whether a turn can be finished counts as so many instructions.
const FOLLOW: u64 = 1_000;

/// What the calls of a program are drawn from, and where.
#[derive(Debug)]
pub struct Urn {
    /// By player and call; none where there may be too many candidates.
    pub calls: Vec<Vec<Option<Lots>>>,
    /// The places at which a ply is drawn in random games.
    pub places: Vec<bool>,
    /// The calls that each place leads to.
    pub behind: Vec<Vec<u16>>,
    /// The places at which one way is preferred to others.
    pub prefers: Vec<bool>,
    /// By call, whether it is drawn from alone, and most candidates are missing: several are drawn at a time then.
    sparse: Vec<bool>,
    /// What plies of a place cost, by place.
    costs: Vec<Cost>,
    /// By player and call, whether a ply of it ends the turn, where that shows before it is played.
    closing: Vec<Vec<Option<Test>>>,
    /// Which of the calls share numbers.
    shared: SharedLots,
    pub bounds: Bounds,
}

impl Urn {
    pub fn of<const W: usize>(program: &Program, geometry: &Geometry<W>) -> Self {
        let bounds = Bounds::of(program, geometry);
        let by_mover = program.by_mover.iter();
        let calls: Vec<Vec<Option<Lots>>> = by_mover
            .map(|own| own.calls.iter().map(|call| Lots::of(&call.generator, &bounds, &mut Known::default())).collect())
            .collect();
        let any_whole = program.sections.iter().any(|section| section.whole);
        let behind: Vec<Vec<u16>> = (0..program.nodes.len()).map(|place| calls_behind(&program.nodes, place)).collect();
        let is_slow = |behind: &Vec<u16>| {
            calls.iter().any(|own| {
                let lots = || behind.iter().filter_map(|call| own.get(usize::from(*call))?.as_ref());
                let listing = lots().map(|lots| lots.listing(&bounds)).fold(0, u64::saturating_add);
                let cost = lots().map(|lots| lots.cost(&bounds)).fold(Cost::default(), Cost::or);
                listing > LITTLE_TOIL.max(cost.of_drawing(DRAWN, DRAWN).saturating_mul(WORTH))
            })
        };
        let draws = |(place, behind): (usize, &Vec<u16>)| {
            program.plain.get(place) == Some(&true) && !behind.is_empty() && (any_whole || is_slow(behind))
        };
        let places: Vec<bool> = behind.iter().enumerate().map(draws).collect();
        let closing = |own: &ForMover| own.calls.iter().map(|call| closing(&program.nodes, own, call)).collect();
        let closing = program.by_mover.iter().map(closing).collect();
        let prefers = |place: usize| {
            let nodes = nodes_behind(&program.nodes, place);
            nodes.into_iter().any(|node| matches!(node, TurnNode::Prefer(_)))
        };
        let prefers = (0..program.nodes.len()).map(prefers).collect();
        let cost = |behind: &Vec<u16>| {
            let lots = calls.iter().flat_map(|own| behind.iter().filter_map(|call| own.get(usize::from(*call))));
            lots.flatten().fold(Cost::default(), |cost, lots| cost.or(lots.cost(&bounds)))
        };
        let costs = behind.iter().map(cost).collect();
        // Such a call is the only one wherever it is drawn, so that its code is made for that.
        let is_sparse = |call: &u16| {
            let known = || calls.iter().filter_map(|own| own.get(usize::from(*call))?.as_ref());
            let mut drawn = behind.iter().zip(&places).filter(|(_, draws)| **draws).map(|(behind, _)| behind);
            known().any(Lots::is_sparse)
                && !known().any(Lots::changes_a_copy)
                && drawn.all(|behind| !behind.contains(call) || behind.len() == 1)
        };
        let count = calls.iter().map(Vec::len).max().unwrap_or(0);
        let sparse = (0..count).map(|call| u16::try_from(call).is_ok_and(|call| is_sparse(&call))).collect();
        let shared = SharedLots::of(program, &calls);
        Self { calls, places, behind, prefers, sparse, costs, closing, shared, bounds }
    }

    /// What a call is drawn from.
    pub fn lots(&self, mover: u8, call: u16) -> Option<&Lots> {
        self.calls.get(usize::from(mover))?.get(usize::from(call))?.as_ref()
    }

    /// Whether a ply of a call, whose parts are bound, ends the turn; none where it has to be played to find out.
    pub fn closing(&self, mover: u8, call: u16) -> Option<&Test> {
        self.closing.get(usize::from(mover))?.get(usize::from(call))?.as_ref()
    }

    /// Whether several candidates of a call are drawn at a time. None of them changes a copy of the state.
    pub fn is_sparse(&self, call: u16) -> bool {
        self.sparse.get(usize::from(call)) == Some(&true)
    }

    /// By call that is drawn from at a place, another one that shares its numbers.
    pub fn beside(&self, mover: u8, place: u16) -> &[Option<u16>] {
        self.shared.beside(mover, place)
    }

    /// What plies of a place cost.
    pub fn cost(&self, place: u16, whole: bool) -> Cost {
        let cost = self.costs.get(usize::from(place)).copied().unwrap_or_default();
        let follow = if whole { FOLLOW } else { 0 };
        Cost { test: cost.test + follow, each: cost.each + follow, ..cost }
    }

    /// Whether at most one of several ways leads to plies.
    pub fn one_plays(&self, ways: &[u16]) -> bool {
        let plays = |way: &&u16| self.behind.get(usize::from(**way)).is_some_and(|calls| !calls.is_empty());
        ways.iter().filter(plays).count() <= 1
    }

    /// Whether plies are drawn at a place.
    pub fn draws_at(&self, place: u16) -> bool {
        self.places.get(usize::from(place)) == Some(&true)
    }
}
