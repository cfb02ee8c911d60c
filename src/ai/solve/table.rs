//! What all positions are worth, found from the ends of games back (retrograde analysis; T. Ströhlein, *Untersuchungen über
//! kombinatorische Spiele*, 1970).
//!
//! A position is won for who decides if one ply leads to one that is won for him, and lost if all lead to such as are won for
//! the other. What is found neither way nobody can lose who does not want to: it is drawn, by an end or because nobody need
//! ever end it.

use super::graph::{Graph, NOTHING, Worth};
use crate::ai::world::World;
use crate::game::Line;

/// How many positions are worth what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// For each seat.
    pub won: Vec<u64>,
    /// Nobody can force a win; `endless` of them among these.
    pub drawn: u64,
    /// No good play comes to an end that is a draw: the game goes on for ever, or until positions come back too often.
    pub endless: u64,
    /// How many images of a position are one with it: turned and mirrored ones, itself among them.
    pub images: usize,
    /// How many plies away the end is at most where somebody wins.
    pub longest: u32,
}

impl Counts {
    /// Of all positions that can come up.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.won.iter().sum::<u64>() + self.drawn
    }
}

/// Positions that are to be looked at, in the order in which they came, one linked to the next.
struct Queue {
    first: u32,
    last: u32,
}

impl Queue {
    fn new() -> Self {
        Self { first: NOTHING, last: NOTHING }
    }

    fn push(&mut self, graph: &mut Graph<'_>, number: u32) {
        graph.nodes.at_mut(number).link = NOTHING;
        match self.last {
            NOTHING => self.first = number,
            last => graph.nodes.at_mut(last).link = number,
        }
        self.last = number;
    }

    fn pop(&mut self, graph: &Graph<'_>) -> Option<u32> {
        let number = (self.first != NOTHING).then_some(self.first)?;
        self.first = graph.nodes.at(number).link;
        if self.first == NOTHING {
            self.last = NOTHING;
        }
        Some(number)
    }
}

/// A table of all positions of a whole graph.
pub struct Table<'p> {
    graph: Graph<'p>,
}

impl<'p> Table<'p> {
    /// Finds what every position is worth.
    pub fn of(mut graph: Graph<'p>) -> Self {
        spread(
            &mut graph,
            |worth| matches!(worth, Worth::Won(_)),
            |graph, number, worth| {
                let Worth::Won(seat) = worth else { return false };
                let node = graph.nodes.at_mut(number);
                node.left = node.left.saturating_sub(1);
                node.seat == seat || node.left == 0
            },
        );
        spread(&mut graph, |worth| worth == Worth::Drawn, |_, _, _| true);
        Self { graph }
    }

    pub fn bytes(&self) -> usize {
        self.graph.bytes()
    }

    /// What the first position is worth, and how many plies the end is away; none if there need be no end.
    pub fn worth(&self) -> (Worth, Option<u32>) {
        let first = self.graph.nodes.at(0);
        match first.worth {
            Worth::Open => (Worth::Drawn, None),
            worth @ (Worth::Won(_) | Worth::Drawn) => (worth, Some(first.distance)),
        }
    }

    pub fn counts(&self) -> Counts {
        let mut counts = Counts { won: vec![0; 2], drawn: 0, endless: 0, images: self.graph.images(), longest: 0 };
        for number in 0..self.graph.end() {
            let node = self.graph.nodes.at(number);
            match node.worth {
                Worth::Won(seat) => {
                    counts.won.iter_mut().skip(usize::from(seat)).take(1).for_each(|count| *count += 1);
                    counts.longest = counts.longest.max(node.distance);
                }
                Worth::Drawn => counts.drawn += 1,
                Worth::Open => {
                    counts.drawn += 1;
                    counts.endless += 1;
                }
            }
        }
        counts
    }

    /// Best play from the marked position to the end.
    pub fn play(&self, world: &mut World<'_>, line: &Line) -> Vec<String> {
        let (mut line, mut moves) = (line.clone(), Vec::new());
        let (worth, Some(distance)) = self.worth() else { return moves };
        world.player.reset();
        self.graph.forget(world);
        for left in (0..distance).rev() {
            // Whoever wins comes nearer, and whoever loses has chosen the longest way long before.
            let next = self.graph.ply_to(world, |node| node.worth == worth && node.distance == left);
            let Some(ply) = next else { break };
            let Some(legal) = world.legal_index(line.position(), ply) else { break };
            world.player.play(ply);
            self.graph.forget(world);
            match line.play(legal) {
                Some(mv) => moves.push(mv),
                None => break,
            }
        }
        moves
    }
}

/// Carries a worth from the ends that have it back to open positions, those first that are nearest: `reaches` says whether a
/// ply to it settles the position before.
fn spread(
    graph: &mut Graph<'_>,
    begins: impl Fn(Worth) -> bool,
    mut reaches: impl FnMut(&mut Graph<'_>, u32, Worth) -> bool,
) {
    let mut queue = Queue::new();
    for number in 0..graph.end() {
        if graph.nodes.at(number).distance == 0 && begins(graph.nodes.at(number).worth) {
            queue.push(graph, number);
        }
    }
    while let Some(number) = queue.pop(graph) {
        let node = *graph.nodes.at(number);
        let mut edge = node.into;
        while edge != NOTHING {
            let back = *graph.edges.at(edge);
            edge = back.next;
            if graph.nodes.at(back.from).worth == Worth::Open && reaches(graph, back.from, node.worth) {
                let before = graph.nodes.at_mut(back.from);
                (before.worth, before.distance) = (node.worth, node.distance + 1);
                queue.push(graph, back.from);
            }
        }
    }
}
