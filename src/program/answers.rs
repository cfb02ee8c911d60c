//! What could be answered to a ply, as one condition of the state that is asked about: the plies of the other player are not
//! listed where a look at sets tells whether there is one.

use super::build::Reads as _;
use super::ir::{Int, Part, Sets, Test, When};
use super::lower::Lowering;
use super::writes::reads_play;
use super::{ForMover, TurnNode};
use crate::source::Span;
use std::collections::BTreeSet;

/// A condition of more instructions takes longer to put into machine code than it saves: the answer is looked for ply by ply.
const MAX_SIZE: usize = 300;

impl Lowering<'_> {
    /// Whether the next player could play the pattern at a place with at most one ply, were the turn over. None where it has
    /// to be played to find out, or where it depends on what changes with the turn.
    pub(super) fn answered(&mut self, place: u16, span: Span) -> Option<Test> {
        let next = self.next?;
        let mut answering = Lowering::of(self.shared, next, self.shared.next_player(next));
        answering.floor = self.used();
        let test = answering.answer(place)?;
        if test.size() > MAX_SIZE || !self.is_of_board(&test) {
            return None;
        }
        self.leave_out(answering.slots(span).ok()?);
        Some(test)
    }

    fn answer(&mut self, place: u16) -> Option<Test> {
        let places = self.places;
        let (mut own, mut nodes) = (ForMover::default(), vec![TurnNode::Fork(Vec::new()); places.all.len()]);
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![place]);
        while let Some(place) = waiting.pop() {
            if seen.insert(place) {
                let known = places.get(place)?;
                *nodes.get_mut(usize::from(place))? = self.turn_node(known, &mut own).ok()?;
                waiting.extend(known.next.iter().chain(&known.until));
            }
        }
        let taken = self.slots(self.at).ok()?;
        self.begin(taken);
        let test = self.finish(&nodes, &own, place, &mut Vec::new())?;
        Some(self.shared_test(test))
    }

    /// Whether a condition depends on nothing that a new turn changes: whose turn it is, its number, what is remembered of
    /// it, and the positions before.
    fn is_of_board(&self, test: &Test) -> bool {
        let stays = |at: u16, sites: bool| {
            !self.memories.iter().any(|memory| {
                let range = memory.base..memory.base.saturating_add(memory.count);
                memory.each_turn && memory.sites == sites && range.contains(&at)
            })
        };
        let remembered = |part: &Part<'_>| {
            matches!(part, Part::Sets(Sets::Memory(at, When::Now)) if stays(*at, true))
                || matches!(part, Part::Int(Int::Cell(at, When::Now) | Int::CellAt { base: at, when: When::Now, .. })
                    if stays(*at, false))
        };
        let stands = |part: &Part<'_>| {
            matches!(
                part,
                Part::Sets(
                    Sets::Planes(_, When::Now)
                        | Sets::Alike(_, When::Now)
                        | Sets::OfKinds(_, When::Now)
                        | Sets::OfPlayers(_, When::Now)
                ) | Part::Int(
                    Int::Owner(_, When::Now)
                        | Int::Kind(_, When::Now)
                        | Int::Piece(_, When::Now)
                        | Int::Owners(_, When::Now)
                        | Int::KindsIn(_, When::Now)
                ) | Part::Test(Test::CanApply(_))
            )
        };
        let lasts = |part: &Part<'_>| remembered(part) || stands(part);
        !Part::Test(test).asks(&|part| reads_play(part) && !lasts(part))
    }
}
