//! Calls that share the numbers of their candidates: none of these can be a ply of both, so that one number stands for a
//! candidate of each, and where that of the first is no ply, that of the other one is judged.

use super::lots::{Lots, Way};
use crate::program::ir::{Int, Part, Sets, Test};
use crate::program::{Program, TurnNode, nodes_behind};

/// Which calls share numbers, and where.
#[derive(Debug)]
pub struct SharedLots {
    /// By player and call, another call whose candidates have the same numbers: none of them can be a ply of both.
    beside: Vec<Vec<Option<u16>>>,
    /// The places at which calls may share numbers: no condition in the turn closes one of them alone.
    unguarded: Vec<bool>,
}

impl SharedLots {
    /// Of what the calls of each player are drawn from.
    pub fn of(program: &Program, calls: &[Vec<Option<Lots>>]) -> Self {
        let is_unguarded = |place: usize| {
            let nodes = nodes_behind(&program.nodes, place);
            !nodes.into_iter().any(|node| matches!(node, TurnNode::Guard(..)))
        };
        Self {
            beside: calls.iter().map(|own| sharing(own)).collect(),
            unguarded: (0..program.nodes.len()).map(is_unguarded).collect(),
        }
    }

    /// By call that is drawn from at a place, another one whose candidates have the same numbers, if that is drawn from as well:
    /// where a candidate of the first is no ply, that of the other one is judged.
    pub fn beside(&self, mover: u8, place: u16) -> &[Option<u16>] {
        let unguarded = self.unguarded.get(usize::from(place)) == Some(&true);
        self.beside.get(usize::from(mover)).filter(|_| unguarded).map_or(&[], Vec::as_slice)
    }
}

/// By call of a player, one behind it that has the same candidates, none of which can be a ply of both. Every call shares with
/// one other at most.
fn sharing(own: &[Option<Lots>]) -> Vec<Option<u16>> {
    let mut beside: Vec<Option<u16>> = vec![None; own.len()];
    for (other, lots) in (0u16..).zip(own) {
        let is_free = |first: &usize| {
            let is_other = u16::try_from(*first).is_ok_and(|first| beside.contains(&Some(first)));
            let pair = own.get(*first).and_then(Option::as_ref).zip(lots.as_ref());
            beside.get(*first) == Some(&None)
                && !is_other
                && pair.is_some_and(|(one, other)| exclude_each_other(one, other))
        };
        let first = (0..usize::from(other)).find(is_free);
        if let Some(beside) = first.and_then(|first| beside.get_mut(first)) {
            *beside = Some(other);
        }
    }
    beside
}

/// Whether two calls have the same candidates, of which none passes both tests.
fn exclude_each_other(one: &Lots, other: &Lots) -> bool {
    let (Some((slot, domain, ways)), Some((as_slot, other, others))) = (one.sift(), other.sift()) else {
        return false;
    };
    let sets = |way: &Way, slot: u16| -> Vec<Sets> {
        let set = |test: &Test| {
            let Test::Contains(set, at) = test else { return None };
            (*at == Int::Slot(slot)).then(|| set.clone())
        };
        way.tests.iter().filter_map(set).collect()
    };
    let never_both = |(way, other): (&Way, &Way)| {
        let others = sets(other, as_slot);
        sets(way, slot).iter().any(|one| others.iter().any(|other| are_apart(one, other)))
    };
    // A name may stand for something else in the other ones.
    let named = |part: &Part<'_>| matches!(part, Part::Sets(Sets::Slot(_)) | Part::Int(Int::Slot(_)));
    let is_same = domain == other && !Part::Sets(domain).asks(&named);
    is_same && ways.len() == others.len() && ways.iter().zip(others).all(never_both)
}

/// Whether no site lies in both sets, by what stands there: names may stand for something else in each of them.
fn are_apart(one: &Sets, other: &Sets) -> bool {
    match (one, other) {
        (Sets::And(parts), other) | (other, Sets::And(parts)) => parts.iter().any(|part| are_apart(part, other)),
        (Sets::Planes(one, when), Sets::Planes(other, at)) => when == at && one & other == 0,
        (Sets::Pull(way, one), Sets::Pull(same, other)) => way == same && are_apart(one, other),
        _others => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ir::When;

    const EMPTY: Sets = Sets::Planes(1, When::Now);
    const MEN: Sets = Sets::Planes(2, When::Now);

    /// Men beside whom, in some directions, something is.
    fn beside(what: &Sets, directions: &[u8]) -> Option<Lots> {
        let test = |way: &u8| Test::Contains(Sets::Pull(*way, Box::new(what.clone())), Int::Slot(0));
        let ways = directions.iter().map(|way| Way { tests: vec![test(way)], derived: Vec::new() });
        Some(Lots::Sift { slot: 0, domain: MEN, ways: ways.collect(), listed: 0 })
    }

    #[test]
    fn calls_share_numbers_where_no_candidate_can_be_a_ply_of_both() {
        let (step, hop) = (beside(&EMPTY, &[0, 4]), beside(&MEN, &[0, 4]));
        assert_eq!(sharing(&[step.clone(), hop.clone()]), [Some(1), None]);
        let named = hop.clone().map(|hop| Lots::LetSites(1, EMPTY, Box::new(hop)));
        assert_eq!(sharing(&[step.clone(), None, named]), [Some(2), None, None]);
        // The same is asked, in other directions, in fewer of them, or behind a condition that may not hold.
        let closed = hop.clone().map(|hop| Lots::Test(Test::Stuck, Box::new(hop)));
        for other in [step.clone(), beside(&MEN, &[4, 0]), beside(&MEN, &[0]), closed] {
            assert_eq!(sharing(&[step.clone(), other]), [None, None]);
        }
        // What a name stands for may differ.
        let of_names = |lots: &Option<Lots>| match lots {
            Some(Lots::Sift { slot, ways, listed, .. }) => {
                Some(Lots::Sift { slot: *slot, domain: Sets::Slot(2), ways: ways.clone(), listed: *listed })
            }
            _others => None,
        };
        assert_eq!(sharing(&[of_names(&step), of_names(&hop)]), [None, None]);
        // Two share, and nobody shares with them.
        let others = beside(&Sets::Planes(4, When::Now), &[0, 4]);
        assert_eq!(sharing(&[step, hop, others]), [Some(1), None, None]);
    }
}
