//! Programs: checked rules lowered to whole-board instructions, once for every player who may be to move.

#![deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]
#![cfg_attr(test, allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss))]

mod along;
mod answers;
mod apart;
mod apply;
mod binders;
mod build;
mod calls;
mod cases;
mod closers;
mod closing;
mod compared;
mod compile;
mod conditions;
mod counted;
mod dump;
mod effects;
mod endings;
mod extent;
mod few;
mod filter;
mod finish;
mod frame;
mod fuse;
mod gather;
mod generator;
mod heads;
mod holes;
mod instruction;
pub mod ir;
pub mod layout;
mod left;
mod lift;
mod lower;
mod members;
mod narrow;
mod nearest;
mod needless;
mod numbering;
mod overlay;
mod parted;
mod parts;
mod places;
mod plan;
mod primitives;
mod prospects;
mod relation;
mod rivals;
mod rows;
#[cfg(test)]
pub(crate) mod samples;
mod scatter;
mod share;
mod sight;
mod single;
mod stacks;
mod strides;
mod tables;
mod thresholds;
mod told;
mod turn_places;
mod turns;
mod values;
pub(crate) mod walk;
mod ways;
mod witnesses;
mod writes;

pub use closing::closing;
pub use compile::compile;
pub use dump::dump;
pub use fuse::floods;
pub use generator::{Branch, Generator, Repeat, Step};
pub use turns::{calls_behind, nodes_behind};
pub use writes::is_fixed_by;

use crate::rules::{Content, MoveId, PlayerId, Repetition, TurnOf, Type};
use crate::source::Span;
use ir::{Int, Kept, Part, Sets, Test};
use layout::Layout;
use std::borrow::Cow;
use std::cell::RefCell;

/// The most parts and definitions that a move can have here.
pub const MAX_PARTS: usize = 8;

/// What cannot be lowered: such a game is left to the reference engine.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{what}")]
pub struct Unsupported {
    pub what: Cow<'static, str>,
    pub span: Span,
}

/// A clause that is not evaluated for the whole board at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slow {
    pub how: How,
    pub span: Span,
    /// The clause that makes it so, where that is another one.
    pub because: Option<Span>,
}

/// What is done instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// A condition or a set is worked out for one site after the other.
    EachSite,
    /// What is asked of a part is asked of one site after the other.
    EachPick,
    /// What follows a stage is tried on a copy of the state for every choice before it.
    Copies,
    /// The plies are listed and compared, because some may be alike or a duty compares them.
    Lists,
    /// A line of `end` goes through the members of a set.
    Members,
    /// After every ply the rest of the turn is looked for.
    Turns,
}

impl How {
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::EachSite | Self::EachPick => "worked out for one site after the other",
            Self::Copies => "tried on a copy of the state for every choice before it",
            Self::Lists => "listed ply by ply and compared, since some may be alike",
            Self::Members => "asked of one member of a set after the other",
            Self::Turns => "looked through to its end after every ply, since it may turn out that it has none",
        }
    }

    /// What an author can write instead.
    #[must_use]
    pub fn cure(self) -> &'static str {
        match self {
            Self::EachSite | Self::EachPick | Self::Members => {
                "ask about sets (`any own next_to x`), or ask something cheaper before it, so that fewer sites are left"
            }
            Self::Copies => {
                "ask before the change what can be asked before it; where a tracked number might leave its range, write what cannot, as in `n becomes min(n + 1, 9)`; what need not bar a move can be said `after each turn`"
            }
            Self::Lists => {
                "print the parts in which plies differ, or pick what is printed: `to : { ahead(from, d) for d in directions }`; where that makes more plies, `ludwright bench` tells whether it pays"
            }
            Self::Turns => {
                "let the turn be ended at any time (`else nothing`), or write `mover loses when unfinished` in `end`"
            }
        }
    }
}

/// A game ready to be run.
#[derive(Clone, Debug)]
pub struct Program {
    pub layout: Layout,
    /// The pieces that each plane holds; plane 0 is the empty sites.
    pub planes: Vec<Content>,
    /// For every kind the planes of its pieces by owner, the last without one; 0 where there is none.
    pub plane_of: Vec<Vec<u8>>,
    pub memories: Vec<MemoryInfo>,
    /// How many numbers, and how many sets, are remembered.
    pub cell_count: usize,
    pub set_count: usize,
    /// Where stacks are kept; none where a site holds one piece.
    pub stacks: Option<Stacks>,
    /// How many floods are kept from ply to ply, and how many sets of which a test did not hold.
    pub grown: usize,
    pub failed: usize,
    /// How many numbers, and how many sets, a frame holds.
    pub int_slots: usize,
    pub set_slots: usize,
    pub players: usize,
    pub order: Vec<PlayerId>,
    /// How many places at its beginning are taken once in a game.
    pub opening: usize,
    /// One version for each player, in which "mover" is a constant.
    pub by_mover: Vec<ForMover>,
    /// How many parts a ply can have.
    pub parts: usize,
    /// Nodes of turns and patterns.
    pub nodes: Vec<TurnNode>,
    pub sections: Vec<Section>,
    /// The cell that holds the phase.
    pub phase: Option<u16>,
    /// The first of the cells that tell who plays each player's side.
    pub seats: Option<u16>,
    /// The first of the cells that tell who has left the game; none where nobody can.
    pub left: Option<u16>,
    pub end_of_turn: Vec<EndOfTurn>,
    /// What is remembered of every turn that begins.
    pub repetition: Repetition,
    /// Moves and turns, and not only lines of `end`, ask for earlier positions.
    pub recalls: bool,
    /// Rules read the number of the ply or of the turn, beyond what the sections of turns ask.
    pub clock: bool,
    /// Some line of `end` is read after every ply.
    pub at_once: bool,
    /// Some line of `end` asks what can be done in the turn to come.
    pub asks_on: bool,
    /// Places in a turn that lead to every move at most once, so that no two plies have the same parts.
    pub once: Vec<bool>,
    /// Those of which no two plies need be compared either, since none can print alike and lead to the same.
    pub plain: Vec<bool>,
    /// For places that lead to calls whatever the state is, these calls, and whether the turn may end there.
    pub straight: Vec<Option<Straight>>,
    /// What chance has to do with each place; empty for a game without.
    pub chances: Vec<Chances>,
    /// Where it is slower than it could be, in the order of the text.
    pub slow: Vec<Slow>,
}

impl Program {
    /// The places at which plies are asked for: where turns begin and where plies lead.
    #[must_use]
    pub fn stations(&self) -> Vec<u16> {
        let entries = self.sections.iter().map(|section| section.entry);
        let calls = self.by_mover.iter().flat_map(|own| &own.calls);
        let next = calls.flat_map(|call| call.next.iter().chain(&call.until_next)).copied();
        let mut places: Vec<u16> = entries.chain(next).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Whether changes are made before it is known that a ply is legal.
    #[must_use]
    pub fn tries_plies(&self) -> bool {
        self.slow.iter().any(|slow| matches!(slow.how, How::Copies | How::Turns))
    }

    /// Whether lines of `end` ask what is connected.
    #[must_use]
    pub fn asks_for_connection(&self) -> bool {
        let floods =
            |part: &Part<'_>| matches!(part, Part::Sets(Sets::Connected { .. } | Sets::Grown { .. } | Sets::Heads(_)));
        self.by_mover.iter().any(|own| {
            let mut asks = own.endings.iter().any(|ending| Part::Test(&ending.condition).asks(&floods));
            own.kept.iter().for_each(|kept| kept.parts(&mut |part| asks = asks || part.asks(&floods)));
            asks
        })
    }

    /// Whether there are plies that name a site and nothing else.
    #[must_use]
    pub fn names_lone_sites(&self) -> bool {
        self.by_mover.iter().flat_map(|own| &own.calls).any(|call| call.only_site.is_some())
    }

    /// Whether every ply ends its turn, and the next turn is always that of the next player in order.
    #[must_use]
    pub fn passes_on_after_every_ply(&self) -> bool {
        let ends = |place: &u16| matches!(self.nodes.get(usize::from(*place)), Some(TurnNode::End));
        let passes_on = |duty: &Duty| match duty.kind {
            DutyKind::Must(_) | DutyKind::MustMost(..) => true,
            DutyKind::ExtraTurn | DutyKind::NextTurn(_) => false,
        };
        self.by_mover.iter().all(|own| {
            own.calls.iter().flat_map(|call| call.next.iter().chain(&call.until_next)).all(ends)
                && own.duties.iter().flatten().all(passes_on)
        })
    }

    /// The places from which lines of `end` ask whether something is possible.
    #[must_use]
    pub fn asked_places(&self) -> Vec<u16> {
        let asked = RefCell::new(Vec::new());
        for ending in self.by_mover.iter().flat_map(|own| &own.endings) {
            // Looked through to the end, since nothing in it is what is asked for.
            let _ = Part::Test(&ending.condition).asks(&|part| {
                if let Part::Test(Test::Possible { place, .. }) = part {
                    asked.borrow_mut().push(*place);
                }
                false
            });
        }
        let mut places = asked.into_inner();
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// What chance has to do with a place of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chances {
    /// The player to move decides.
    Never,
    /// Chance decides, and all that it can come to weighs the same.
    Even,
    /// The plies have to be asked: whether chance makes them, and what they weigh.
    Asked,
}

/// The calls that a place leads to without any condition.
#[derive(Clone, Debug, Default)]
pub struct Straight {
    pub calls: Vec<u16>,
    pub end: bool,
}

/// Where it is kept what lies beneath the piece of each site: numbers that hold the planes of the pieces, the uppermost in the
/// lowest bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stacks {
    /// The number of the first position.
    pub base: u16,
    pub count: u16,
    /// How many bits a piece takes.
    pub bits: u16,
    /// How many pieces can lie beneath another.
    pub most: u16,
}

/// Where a memory is kept: numbers from `base` on in the cells, or one set.
#[derive(Clone, Copy, Debug)]
pub struct MemoryInfo {
    pub sites: bool,
    pub base: u16,
    pub count: u16,
    /// Part of what makes a position the same as another.
    pub counted: bool,
    pub each_turn: bool,
    /// Between which numbers it lies in every state, where it is never missing.
    pub range: Option<(i64, i64)>,
}

/// Between which numbers a cell lies in every state, where it is never missing.
pub fn range_of(memories: &[MemoryInfo], cell: u16) -> Option<(i64, i64)> {
    let has = |place: &&MemoryInfo| !place.sites && (place.base..place.base + place.count).contains(&cell);
    memories.iter().find(has)?.range
}

#[derive(Clone, Copy, Debug)]
pub struct Section {
    pub of: TurnOf,
    pub entry: u16,
    pub whole: bool,
}

/// A node of the turn graph, without the bodies of moves.
#[derive(Clone, Debug)]
pub enum TurnNode {
    Fork(Vec<u16>),
    Prefer(Vec<u16>),
    /// The index of a test of [`ForMover::guards`].
    Guard(u16, Vec<u16>),
    /// The index of a call of [`ForMover::calls`].
    Call(u16),
    End,
}

/// Everything that reads the player to move.
#[derive(Clone, Debug, Default)]
pub struct ForMover {
    pub guards: Vec<Test>,
    /// By place, the number of the condition among these that tells whether the turn can be ended there at once or by one
    /// more ply, where that is one.
    pub finishes: Vec<Option<u16>>,
    pub calls: Vec<Call>,
    /// The number among these of what is done after each turn, which is at no place of a turn.
    pub after_turn: Option<u16>,
    pub duties: Vec<Vec<Duty>>,
    /// What several lines of `end` ask for is worked out before them, but for those that are asked at once.
    pub kept: Vec<Kept>,
    pub endings: Vec<Ending>,
    pub scores: Vec<Int>,
    pub ties: Vec<(Int, Test)>,
    /// First values of what belongs to a turn.
    pub resets: Vec<Reset>,
}

/// A memory that begins every turn afresh.
#[derive(Clone, Debug)]
pub struct Reset {
    pub place: MemoryInfo,
    pub value: FirstValue,
}

#[derive(Clone, Debug)]
pub enum FirstValue {
    Int(Int),
    Sets(Sets),
}

/// What the end of a turn does to memory.
#[derive(Clone, Copy, Debug)]
pub enum EndOfTurn {
    /// One more turn without what `seen` tells of, or none.
    Without { seen: u16, count: u16 },
}

#[derive(Clone, Debug)]
pub enum DutyKind {
    /// For every call, the condition on the parts under which it fulfils the duty, and how such plies are found.
    Must(Vec<(Test, Option<Generator>)>),
    /// A number of which the most must be reached, and the calls after which the turn can end and nothing changes it any more.
    MustMost(Int, Vec<bool>),
    ExtraTurn,
    /// The mask of the player whose turn is next.
    NextTurn(Int),
}

#[derive(Clone, Debug)]
pub struct Duty {
    pub kind: DutyKind,
    pub guard: Test,
}

/// A value that a notation prints.
#[derive(Clone, PartialEq, Debug)]
pub enum Printed {
    Number(ir::Int),
    /// A set that may have several members.
    Sites(ir::Sets),
}

/// One ply at a place in a turn.
#[derive(Clone, Debug)]
pub struct Call {
    pub mv: MoveId,
    /// Chance plays it.
    pub chance: bool,
    /// How heavy a ply of chance is; none where all weigh the same.
    pub weight: Option<Int>,
    /// How its plies are listed.
    pub generator: Generator,
    /// The slots of the parts, in the order of the text.
    pub parts: Vec<u16>,
    /// The slot of its only part, where that is a site.
    pub only_site: Option<u16>,
    /// What is done when it is played.
    pub body: Vec<Step>,
    /// It reads the state in which it began when that has changed.
    pub reads_before: bool,
    pub until: Option<Test>,
    /// Where the turn goes on: after a ply, and after one that fulfils `until`.
    pub next: Vec<u16>,
    pub until_next: Vec<u16>,
    pub chronicles: Vec<Chronicle>,
    /// Different plies may print alike.
    pub may_print_alike: bool,
    /// Some of them may lead to the same: these are one.
    pub may_repeat: bool,
    /// What the notation prints, where plies may print alike.
    pub shown: Vec<Printed>,
    /// What the values printed are; none where they do not tell the text, as several sites.
    pub shown_as: Vec<Option<Type>>,
    /// The planes from which playing it may take a piece.
    pub takes: u64,
}

/// What a ply leaves in memory.
#[derive(Clone, Debug)]
pub enum Chronicle {
    /// The cell becomes a value if the test, read before the ply, holds.
    Note { when: Test, cell: u16, value: i64 },
    /// The sites are added to a set.
    Collect { sites: Sets, set: u16 },
    /// The site of the piece moved or placed becomes the only member of the set.
    It { set: u16 },
}

#[derive(Clone, Debug)]
pub enum EndingResult {
    Draw,
    BestScore,
    LowestScore,
    Ranks(Vec<Int>),
    /// The mask of the players who win, or lose.
    Players {
        players: Int,
        wins: bool,
    },
}

#[derive(Clone, Debug)]
pub struct Ending {
    pub result: EndingResult,
    pub at_once: bool,
    pub condition: Test,
    /// The line of `end` that it comes from.
    pub line: usize,
}
