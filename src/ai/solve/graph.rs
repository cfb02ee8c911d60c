//! All positions that can come up from one on, each once, with the plies between them backwards.
//!
//! They are looked at in the order of their distance from the first one, which is the shortest way there. Positions are not
//! kept as such: the engine walks along these ways, and those of neighbours have all but their last plies in common.

use super::images::Images;
use super::past::Past;
use super::room::{Index, List};
use super::{MAX_DEPTH, Missing};
use crate::ai::world::World;
use crate::engine::Play;
use crate::game::Position;

/// No number of a position or a ply.
pub const NOTHING: u32 = u32::MAX;

/// What a position is worth, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Worth {
    Open,
    /// The seat that wins.
    Won(u8),
    Drawn,
}

/// A position that can come up.
#[derive(Clone, Copy)]
pub struct Node {
    key: u64,
    /// While positions are looked for, the one before on the shortest way here; afterwards the next one in a queue.
    pub link: u32,
    /// The ply that led here from the one before.
    ply: u32,
    /// The last of the plies that lead here.
    pub into: u32,
    /// How many plies from here are not known to lose.
    pub left: u32,
    /// How many plies the result is away.
    pub distance: u32,
    /// The seat that decides.
    pub seat: u8,
    pub worth: Worth,
}

/// A ply backwards: where it came from, and the next one that leads to the same position.
#[derive(Clone, Copy)]
pub struct Edge {
    pub from: u32,
    pub next: u32,
}

/// Positions and plies as far as they have been looked for.
pub struct Graph<'p> {
    past: &'p Past,
    images: Option<Images>,
    pub nodes: List<Node>,
    pub edges: List<Edge>,
    index: Index,
    /// The next position whose plies are looked for.
    next: u32,
    /// The positions on the way to the one where the engine is, the first one left out; their number is that of its stack.
    way: Vec<u32>,
    /// A position was seen from which the way had come.
    pub circles: bool,
}

impl<'p> Graph<'p> {
    /// The first position alone: that which is marked.
    pub fn new(world: &mut World<'_>, position: &Position, past: &'p Past) -> Self {
        let images = past.images(position, &*world.player);
        let (nodes, edges) = (List::new(), List::new());
        let mut graph =
            Self { past, images, nodes, edges, index: Index::new(), next: 0, way: Vec::new(), circles: false };
        world.player.reset();
        let (key, worth) = graph.identified(world, true);
        graph.add(world, key, worth, NOTHING, 0);
        graph
    }

    /// What tells the present position apart, and its worth if it is an end.
    fn identified(&self, world: &mut World<'_>, first: bool) -> (u64, Worth) {
        if let Some(values) = world.values() {
            let (worth, which) = match values[0] {
                value if value >= 1.0 => (Worth::Won(0), 1),
                value if value <= 0.0 => (Worth::Won(1), 2),
                _drawn => (Worth::Drawn, 3),
            };
            // The last ply is in the state of an end, and matters no more: what stands there is enough.
            let key = match &self.images {
                Some(images) => images.key_of_pieces(&*world.player),
                None => standing(&*world.player, |place| place),
            };
            return (mixed(key, which), worth);
        }
        self.past.forget(&mut *world.player);
        let key = match &self.images {
            Some(images) => images.key(&*world.player),
            None => world.player.hash(),
        };
        if !first && self.past.comes_once_too_often(key) {
            return (mixed(key, 4), Worth::Drawn);
        }
        (key, Worth::Open)
    }

    fn add(&mut self, world: &World<'_>, key: u64, worth: Worth, link: u32, ply: u32) -> u32 {
        let number = u32::try_from(self.nodes.len()).unwrap_or(NOTHING);
        let seat = u8::try_from(world.seat()).unwrap_or(0);
        self.nodes.push(Node { key, link, ply, into: NOTHING, left: 0, distance: 0, seat, worth });
        let nodes = &self.nodes;
        self.index.add(number, |number| nodes.at(number).key);
        number
    }

    /// How many bytes all of it takes with so many positions more, each with a ply.
    fn bytes_with(&self, more: usize) -> usize {
        self.nodes.bytes_with(more) + self.edges.bytes_with(more) + self.index.bytes_with(more)
    }

    pub fn bytes(&self) -> usize {
        self.bytes_with(0)
    }

    /// How many images of a position are one with it.
    pub fn images(&self) -> usize {
        self.images.as_ref().map_or(1, Images::count)
    }

    /// How many positions there are.
    pub fn positions(&self) -> u64 {
        self.nodes.len() as u64
    }

    /// Whether the plies of all positions are there.
    pub fn is_whole(&self) -> bool {
        self.next == self.end()
    }

    /// The number that the next new position would have.
    pub fn end(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(NOTHING)
    }

    /// Looks at more positions until all plies are there, or there are so many positions, or so many bytes.
    pub fn grow(
        &mut self,
        world: &mut World<'_>,
        most: u64,
        bytes: usize,
        halted: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), Missing> {
        world.player.reset();
        self.forget(world);
        let mut result = Ok(());
        while result.is_ok() && !self.is_whole() {
            result = if self.next.is_multiple_of(1 << 10) && halted(u64::from(self.next)) {
                Err(Missing::Time)
            } else {
                self.open(world, most, bytes)
            };
        }
        self.way.drain(..).for_each(|_| world.player.pop());
        result
    }

    /// Looks at the plies of the next position.
    fn open(&mut self, world: &mut World<'_>, most: u64, bytes: usize) -> Result<(), Missing> {
        let number = self.next;
        if self.nodes.at(number).worth == Worth::Open {
            self.go_to(world, number)?;
            let count = world.player.count();
            if (self.nodes.len() + count) as u64 > most {
                return Err(Missing::Positions);
            }
            // Numbers of plies are as short as those of positions.
            if self.bytes_with(count) > bytes || self.edges.len() + count >= NOTHING as usize {
                return Err(Missing::Memory);
            }
            if count == 0 {
                return Err(Missing::Steps);
            }
            for ply in 0..count {
                self.step(world, number, ply)?;
            }
        }
        self.next += 1;
        Ok(())
    }

    /// Adds one ply of the position where the engine is, and the position that it leads to.
    fn step(&mut self, world: &mut World<'_>, from: u32, ply: usize) -> Result<(), Missing> {
        world.player.push();
        world.player.play(ply);
        let stopped = world.player.stopped().is_some();
        let (key, worth) = self.identified(world, false);
        let nodes = &self.nodes;
        let known = self.index.find(key, |number| nodes.at(number).key);
        let to = known.unwrap_or_else(|| self.add(world, key, worth, from, u32::try_from(ply).unwrap_or(NOTHING)));
        world.player.pop();
        self.circles = self.circles || known.is_some() && (to == 0 || self.way.contains(&to));
        let edge = u32::try_from(self.edges.len()).unwrap_or(NOTHING);
        let next = std::mem::replace(&mut self.nodes.at_mut(to).into, edge);
        self.edges.push(Edge { from, next });
        self.nodes.at_mut(from).left += 1;
        if stopped { Err(Missing::Steps) } else { Ok(()) }
    }

    /// Brings the engine from where it is to a position, along the way by which that was found.
    fn go_to(&mut self, world: &mut World<'_>, number: u32) -> Result<(), Missing> {
        // From the position back to one that the engine has come through.
        let mut back = Vec::new();
        let mut at = number;
        let mut common = 0;
        while at != 0 {
            // Ways are short beside the number of positions, and mostly all but the last ply is common.
            if let Some(place) = self.way.iter().rposition(|passed| *passed == at) {
                common = place + 1;
                break;
            }
            back.push(at);
            at = self.nodes.at(at).link;
        }
        while self.way.len() > common {
            self.way.pop();
            world.player.pop();
        }
        if self.way.len() + back.len() > MAX_DEPTH {
            return Err(Missing::Depth);
        }
        for number in back.into_iter().rev() {
            world.player.push();
            world.player.play(self.nodes.at(number).ply as usize);
            self.forget(world);
            self.way.push(number);
        }
        Ok(())
    }

    /// Lets the engine forget what led to its position.
    pub fn forget(&self, world: &mut World<'_>) {
        self.past.forget(&mut *world.player);
    }

    /// The ply of the engine's position after which one of these is reached, and what is known of that.
    pub fn ply_to(&self, world: &mut World<'_>, wanted: impl Fn(&Node) -> bool) -> Option<usize> {
        (0..world.player.count()).find(|ply| {
            world.player.push();
            world.player.play(*ply);
            let (key, _) = self.identified(world, false);
            let found = self.index.find(key, |number| self.nodes.at(number).key);
            world.player.pop();
            found.is_some_and(|number| wanted(self.nodes.at(number)))
        })
    }
}

/// A number for the pieces on the board, each on the site that `image` tells.
pub fn standing(player: &dyn Play, image: impl Fn(usize) -> usize) -> u64 {
    let mut key = 0u64;
    player.each_piece(&mut |content, place| {
        key = key.wrapping_add(mixed(u64::from(content.code()), image(place) as u64 + 1));
    });
    key
}

/// Two numbers as one, of which every bit hangs on all bits of both.
pub fn mixed(key: u64, which: u64) -> u64 {
    let mut bits = key ^ which.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    for times in [0xbf58_476d_1ce4_e5b9_u64, 0x94d0_49bb_1331_11eb] {
        bits = (bits ^ bits >> 30).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(times);
    }
    bits ^ bits >> 31
}
