//! The instructions of a program: whole-board sets, numbers and tests, with every site a position of the layout.
//!
//! A missing value is [`NONE`] among numbers and the empty set among sets. Tests have two values: a condition of the
//! language, which may have no value, becomes one test for "it is true" and another for "it is false".
//!
//! Each instruction is declared here once. What walks over its parts and lists it follows from that ([`super::instruction`]).

pub use super::instruction::{Part, PartMut};

use super::instruction::{Field, Listed, Names, called, instructions};
use crate::board::SiteSet;
use crate::operator::{ArithmeticOp, CompareOp};
use crate::rules::catalogue::Primitive;
use crate::rules::{Reduce, Type};
use std::sync::Arc;

/// The number that stands for "no value".
pub const NONE: i64 = i64::MIN;

/// Which state an instruction reads: the one reached so far in the move, or the one in which the move began.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum When {
    Now,
    Before,
}

instructions! {
    /// A set of positions.
    part Sets {
        Const(set: SiteSet) => set.to_string(),
        /// The union of the planes whose bits are set.
        Planes(mask: u64, when: When) => format!("{}{mask}", when.first()),
        /// A remembered set.
        Memory(at: u16, when: When) => format!("{}sites[{at}]", when.first()),
        Slot(at: u16) => format!("S{at}"),
        One(site: Box<Int>) => format!("{{{site}}}"),
        And(all: Vec<Sets>) => format!("({})", all.by(" & ")),
        Or(all: Vec<Sets>) => format!("({})", all.by(" | ")),
        Not(inner: Box<Sets>) => format!("!{inner}"),
        Minus(a: Box<Sets>, b: Box<Sets>) => format!("({a} - {b})"),
        /// The neighbours of a site.
        Near(site: Box<Int>),
        /// The neighbours of all members.
        Dilate(inner: Box<Sets>),
        /// The sites at most so many steps from a member.
        Within { of: Box<Sets>, steps: Box<Int> },
        /// The sites from which a member of the one set is nearer than all of the other, or with `equal` as near; none where
        /// one of them has no members.
        Nearer { to: Box<Sets>, than: Box<Sets>, equal: bool }
            => format!("nearer{}({to}, {than})", if *equal.of { "_or_equal" } else { "" }),
        /// The sites from which a step in the direction leads into the set.
        Pull(direction: u8, goal: Box<Sets>),
        /// The sites from which a step in one of the directions leads into the set.
        PullAny(directions: i64, goal: Box<Sets>) => format!("pull_any({}, {goal})", directions.ways()),
        /// The sites from which the first site outside `through` in one of the directions lies in `goal`.
        PullBeyond { directions: i64, goal: Box<Sets>, through: Box<Sets> }
            => format!("pull_beyond({}, {goal}, {through})", directions.ways()),
        /// The sites whose run through `through` in one of the directions meets `goal`.
        PullRun { directions: i64, goal: Box<Sets>, through: Box<Sets> }
            => format!("pull_run({}, {goal}, {through})", directions.ways()),
        Ahead { from: Box<Sets>, directions: Box<Int>, steps: Box<Int> }
            => format!("ahead({from}, {}, {steps})", directions.ways()),
        Trail { from: Box<Sets>, directions: Box<Int>, steps: Box<Int> }
            => format!("trail({from}, {}, {steps})", directions.ways()),
        Run { from: Box<Sets>, directions: Box<Int>, through: Box<Sets> }
            => format!("run({from}, {}, {through})", directions.ways()),
        Beyond { from: Box<Sets>, directions: Box<Int>, through: Box<Sets> }
            => format!("beyond({from}, {}, {through})", directions.ways()),
        Between(a: Box<Int>, b: Box<Int>),
        Connected { from: Box<Sets>, within: Box<Sets> },
        /// Of each group of a set, members that neighbours in it link, the one with the lowest number.
        Heads(inner: Box<Sets>),
        /// The member with the lowest number.
        First(inner: Box<Sets>),
        /// The same from fixed sites over planes that never lose a piece: kept with the state.
        Grown { kept: u16, from: Box<Sets>, within: Box<Sets> },
        /// The runs through a set from a site, in those directions of a mask in which a site of the goal comes next.
        Bracketed { from: Box<Int>, directions: i64, through: Box<Sets>, goal: Box<Sets> }
            => format!("bracketed({from}, {}, {through}, {goal})", directions.ways()),
        Alike(site: Box<Int>, when: When),
        /// The set in a row of a table; none where there is no such row.
        Table { rows: Arc<[SiteSet]>, index: Box<Int> } => format!("sets_of_{}({index})", rows.of.len()),
        OfKinds(kinds: Box<Int>, when: When),
        OfPlayers(players: Box<Int>, when: When),
        If(test: Box<Test>, a: Box<Sets>, b: Box<Sets>) => format!("({test} ? {a} : {b})"),
        /// Something kept in a slot for a set that reads it more than once.
        With { kept: Kept, of: Box<Sets> } => format!("({kept}: {of})"),
        /// The members of the domain that pass a test, one after the other.
        Filter { slot: u16, domain: Box<Sets>, test: Box<Test> } => format!("filter(s{slot} in {domain} where {test})"),
        Collect { slot: u16, domain: Box<Domain>, test: Box<Test>, body: Box<Sets> }
            => format!("collect({body} for s{slot} in {domain} where {test})"),
        /// The positions at which a number, counted in parallel, compares as said.
        Tally(tally: Box<Tally>),
        /// The positions at which the first of the numbers compared that differ is greater (or less) on the left; with
        /// `equal` also those at which none differs.
        Ranked { greater: bool, equal: bool, levels: Vec<Tally> } => {
            let sign = if *greater.of { ">" } else { "<" };
            format!("ranked({sign}{} {})", if *equal.of { "=" } else { "" }, levels.by("; "))
        },
        Primitive(word: &'static Primitive, args: Vec<(Type, Arg)>, when: When)
            => format!("{}word {word}({args})", when.first()),
    }

    /// A number; sites, directions, players, kinds, pieces and names are numbers too, sets of the small ones bit masks.
    part Int {
        Const(number: i64) => number.to_string(),
        Slot(at: u16) => format!("s{at}"),
        Cell(cell: u16, when: When) => format!("{}number[{cell}]", when.first()),
        /// An entry of a memory kept for each site or player.
        CellAt { base: u16, count: u16, index: Box<Int>, when: When } => format!("{}number[{base} + {index}]", when.first()),
        /// An entry of a table that play does not change; none where there is no such entry.
        Table { values: Arc<[i64]>, index: Box<Int> } => format!("table_of_{}({index})", values.of.len()),
        Count(set: Box<Sets>) => format!("count {set}"),
        /// The only member.
        Only(set: Box<Sets>) => format!("only {set}"),
        Step(direction: u8, from: Box<Int>) => format!("{from}.{direction}"),
        Ahead { from: Box<Int>, direction: Box<Int>, steps: Box<Int> },
        Beyond { from: Box<Int>, direction: Box<Int>, through: Box<Sets> },
        /// The number of sites in the runs from the sites of a set, these included.
        RowLength { from: Box<Sets>, directions: Box<Int>, through: Box<Sets> }
            => format!("row_length({from}, {}, {through})", directions.ways()),
        Direction(a: Box<Int>, b: Box<Int>),
        Distance(a: Box<Int>, b: Box<Int>),
        Owner(site: Box<Int>, when: When),
        Kind(site: Box<Int>, when: When),
        Piece(site: Box<Int>, when: When),
        Owners(set: Box<Sets>, when: When),
        KindsIn(set: Box<Sets>, when: When),
        /// The plane of a piece made from a kind and an owner (one past the last player for nobody).
        Make(kind: Box<Int>, owner: Box<Int>),
        Arithmetic(op: ArithmeticOp, a: Box<Int>, b: Box<Int>) => format!("({a} {op} {b})"),
        Negative(inner: Box<Int>) => format!("-{inner}"),
        Max(a: Box<Int>, b: Box<Int>),
        Min(a: Box<Int>, b: Box<Int>),
        Abs(inner: Box<Int>),
        If(test: Box<Test>, a: Box<Int>, b: Box<Int>) => format!("({test} ? {a} : {b})"),
        /// Something kept in a slot for a number that reads it more than once.
        With { kept: Kept, of: Box<Int> } => format!("({kept}: {of})"),
        Reduce { reduce: Reduce, slot: u16, domain: Box<Domain>, test: Box<Test>, body: Box<Int> }
            => format!("{reduce}({body} for s{slot} in {domain} where {test})"),
        /// The mask of those members that pass.
        MaskWhere { slot: u16, domain: Box<Int>, test: Box<Test> } => format!("mask_where(s{slot} in {domain} where {test})"),
        MaskCollect { slot: u16, domain: Box<Domain>, test: Box<Test>, body: Box<Int> }
            => format!("mask_collect({body} for s{slot} in {domain} where {test})"),
        MaskAnd(a: Box<Int>, b: Box<Int>),
        MaskOr(a: Box<Int>, b: Box<Int>),
        /// The members of the constant that are not in the mask.
        MaskNot(every: i64, mask: Box<Int>) => format!("mask_not({:#x}, {mask})", every.of),
        /// The mask of one member, or of none.
        Bit(member: Box<Int>),
        OnlyBit(mask: Box<Int>),
        Ones(mask: Box<Int>),
        Opposite(direction: Box<Int>),
        OppositeMask(directions: Box<Int>),
        /// A number as a stack: each piece is so many bits with its plane, the uppermost piece the lowest bits. How many
        /// pieces there are.
        Pieces(bits: u16, stack: Box<Int>) => format!("pieces({stack})"),
        /// How many of them are on one of the planes.
        Among { bits: u16, planes: u64, stack: Box<Int> } => format!("pieces({planes} in {stack})"),
        /// So many of the uppermost pieces of a stack; of fewer all.
        Upper { bits: u16, stack: Box<Int>, count: Box<Int> } => format!("upper({count} of {stack})"),
        /// A stack without so many of its uppermost pieces.
        Lower { bits: u16, stack: Box<Int>, count: Box<Int> } => format!("lower({stack} but {count})"),
        /// So many pieces upon a stack; none where these are more than a stack may have.
        Pile { bits: u16, most: u16, upper: Box<Int>, count: Box<Int>, lower: Box<Int> }
            => format!("pile({count} of {upper} on {lower})"),
        Turn,
        Ply,
        Next,
        /// A condition with three values: 1, 0 or none.
        Truth(yes: Box<Test>, no: Box<Test>),
        Primitive(word: &'static Primitive, args: Vec<(Type, Arg)>, when: When)
            => format!("{}word {word}({args})", when.first()),
    }

    part Test {
        Const(held: bool) => held.to_string(),
        Not(inner: Box<Test>) => format!("not {inner}"),
        And(all: Vec<Test>) => format!("({})", all.by(" and ")),
        Or(all: Vec<Test>) => format!("({})", all.by(" or ")),
        Any(set: Sets) => format!("any {set}"),
        Contains(set: Sets, member: Int) => format!("{member} in {set}"),
        Subset(a: Sets, b: Sets) => format!("{a} within {b}"),
        /// Neither side is missing, and they compare so.
        Compare(op: CompareOp, a: Int, b: Int) => format!("{a} {op} {b}"),
        Known(number: Int) => format!("known {number}"),
        Lists(op: CompareOp, left: Vec<Int>, right: Vec<Int>) => format!("[{left}] {op} [{right}]"),
        Exists { slot: u16, domain: Box<Domain>, test: Box<Test> } => format!("exists s{slot} in {domain} with {test}"),
        Seen { board: bool, times: Option<i64> }
            => format!("{} seen {:?}", if *board.of { "board" } else { "position" }, times.of),
        /// The pattern at this node of the turn can be played to its end; where `answers`, by the next player, as if the turn
        /// were over.
        Possible { place: u16, answers: bool }
            => format!("{} from place {place}", if *answers.of { "answered" } else { "possible" }),
        Stuck,
        Unfinished,
        /// The changes can be made all at once.
        CanApply(effects: Vec<Effect>) => format!("can_apply({})", effects.by("; ")),
        /// A number kept in a slot for a test that reads it more than once.
        With { slot: u16, value: Box<Int>, test: Box<Test> } => format!("s{slot} := {value}: {test}"),
        /// The same with a set.
        WithSites { held: u16, value: Sets, test: Box<Test> } => format!("S{held} := {value}: {test}"),
        /// A test of those members of a set that were not among them when it did not hold the last time: it holds of a set
        /// as soon as it holds of one more member, and no more of a set with fewer. What is held is what is new.
        OfNew { kept: u16, held: u16, set: Sets, test: Box<Test> } => format!("of_new S{held} in {set}: {test}"),
    }

    /// What is worked out once and kept in a slot.
    group Kept {
        Int(slot: u16, value: Box<Int>) => format!("s{slot} := {value}"),
        Sets(held: u16, value: Box<Sets>) => format!("S{held} := {value}"),
    }

    /// What a value is picked from.
    group Domain {
        Sites(set: Sets) => set.to_string(),
        Mask(mask: Int) => mask.to_string(),
        Range(low: Int, high: Int) => format!("{low} .. {high}"),
    }

    /// What a change does.
    group Effect {
        Put { target: Sets, piece: Int, guard: Test } => format!("{target} := {}{}", piece.piece(), guard.guard()),
        Move { from: Int, to: Int, piece: Option<Int>, guard: Test } => {
            let piece = if piece.of.is_some() { format!(" as {piece}") } else { String::new() };
            format!("{from} -> {to}{piece}{}", guard.guard())
        },
        Set { base: u16, count: u16, index: Option<Int>, value: Int, range: Option<(i64, i64)>, guard: Test } => {
            let index = if index.of.is_some() { format!(" + {index}") } else { String::new() };
            format!("number[{base}{index}] := {value}{}", guard.guard())
        },
        SetSites { base: u16, value: Sets, guard: Test } => format!("sites[{base}] := {value}{}", guard.guard()),
        Each { slot: u16, domain: Domain, effect: Box<Effect> } => format!("for s{slot} in {domain}: {effect}"),
    }

    /// An argument of a word that has no instruction of its own.
    group Arg {
        Sets(set: Sets) => set.to_string(),
        Int(number: Int) => number.to_string(),
    }
}

/// The sites at which the number of `left` sets holding the site plus `offset` compares with the number of `right` sets.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct Tally {
    pub op: CompareOp,
    pub left: Vec<Sets>,
    pub right: Vec<Sets>,
    pub offset: Int,
}

impl Sets {
    /// The planes of the present state on which it may have members, as a mask; all bits where nothing is known.
    #[must_use]
    pub fn planes_met(&self) -> u64 {
        match self {
            Self::Planes(mask, When::Now) => *mask,
            Self::And(parts) => parts.iter().fold(u64::MAX, |met, part| met & part.planes_met()),
            Self::Connected { within: set, .. } | Self::Minus(set, _) | Self::Filter { domain: set, .. } => {
                set.planes_met()
            }
            Self::Run { through, .. } => through.planes_met(),
            // What comes next on a line is not one of those that it leads through.
            Self::Beyond { through, .. } => {
                if let Self::Planes(mask, When::Now) = **through {
                    !mask
                } else {
                    u64::MAX
                }
            }
            _ => u64::MAX,
        }
    }
}
