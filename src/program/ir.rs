//! The instructions of a program: whole-board sets, numbers and tests, with every site a position of the layout.
//!
//! A missing value is [`NONE`] among numbers and the empty set among sets. Tests have two values: a condition of the
//! language, which may have no value, becomes one test for "it is true" and another for "it is false".

use crate::board::SiteSet;
use crate::rules::catalogue::Primitive;
use crate::rules::{ArithmeticOp, CompareOp, Reduce, Type};

/// The number that stands for "no value".
pub const NONE: i64 = i64::MIN;

/// Which state an instruction reads: the one reached so far in the move, or the one in which the move began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    Now,
    Before,
}

/// A set of positions.
#[derive(Clone, PartialEq, Debug)]
pub enum Sets {
    Const(SiteSet),
    /// The union of the planes whose bits are set.
    Planes(u64, When),
    /// A remembered set.
    Memory(u16, When),
    Slot(u16),
    One(Box<Int>),
    And(Vec<Sets>),
    Or(Vec<Sets>),
    Not(Box<Sets>),
    Minus(Box<Sets>, Box<Sets>),
    /// The neighbours of a site.
    Near(Box<Int>),
    /// The neighbours of all members.
    Dilate(Box<Sets>),
    /// The sites from which a step in the direction leads into the set.
    Pull(u8, Box<Sets>),
    /// The sites from which a step in one of the directions leads into the set.
    PullAny(i64, Box<Sets>),
    /// The sites from which the first site outside `through` in one of the directions lies in `goal`.
    PullBeyond {
        directions: i64,
        goal: Box<Sets>,
        through: Box<Sets>,
    },
    /// The sites whose run through `through` in one of the directions meets `goal`.
    PullRun {
        directions: i64,
        goal: Box<Sets>,
        through: Box<Sets>,
    },
    Ahead {
        from: Box<Sets>,
        directions: Box<Int>,
        steps: Box<Int>,
    },
    Trail {
        from: Box<Sets>,
        directions: Box<Int>,
        steps: Box<Int>,
    },
    Run {
        from: Box<Sets>,
        directions: Box<Int>,
        through: Box<Sets>,
    },
    Beyond {
        from: Box<Sets>,
        directions: Box<Int>,
        through: Box<Sets>,
    },
    Between(Box<Int>, Box<Int>),
    Connected {
        from: Box<Sets>,
        within: Box<Sets>,
    },
    /// The same from fixed sites over planes that never lose a piece: kept with the state.
    Grown {
        kept: u16,
        from: Box<Sets>,
        within: Box<Sets>,
    },
    /// The runs through a set from a site, in those directions of a mask in which a site of the goal comes next.
    Enclosed {
        from: Box<Int>,
        directions: i64,
        through: Box<Sets>,
        goal: Box<Sets>,
    },
    Alike(Box<Int>, When),
    OfKinds(Box<Int>, When),
    OfPlayers(Box<Int>, When),
    If(Box<Test>, Box<Sets>, Box<Sets>),
    /// The members of the domain that pass a test, one after the other.
    Filter {
        slot: u16,
        domain: Box<Sets>,
        test: Box<Test>,
    },
    Collect {
        slot: u16,
        domain: Box<Domain>,
        test: Box<Test>,
        body: Box<Sets>,
    },
    /// The positions at which a number, counted in parallel, compares as said.
    Tally(Box<Tally>),
    /// The positions at which the first of the numbers compared that differ is greater (or less) on the left; with
    /// `equal` also those at which none differs.
    Ranked {
        greater: bool,
        equal: bool,
        levels: Vec<Tally>,
    },
    Primitive(&'static Primitive, Vec<(Type, Arg)>, When),
}

/// The sites at which the number of `left` sets holding the site plus `offset` compares with the number of `right` sets.
#[derive(Clone, PartialEq, Debug)]
pub struct Tally {
    pub op: CompareOp,
    pub left: Vec<Sets>,
    pub right: Vec<Sets>,
    pub offset: Int,
}

/// An argument of a word that has no instruction of its own.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    Sets(Sets),
    Int(Int),
}

/// A number; sites, directions, players, kinds, pieces and names are numbers too, sets of the small ones bit masks.
#[derive(Clone, PartialEq, Debug)]
pub enum Int {
    Const(i64),
    Slot(u16),
    Cell(u16, When),
    /// An entry of a memory kept for each site or player.
    CellAt {
        base: u16,
        count: u16,
        index: Box<Int>,
        when: When,
    },
    Count(Box<Sets>),
    /// The only member.
    Only(Box<Sets>),
    Step(u8, Box<Int>),
    Ahead {
        from: Box<Int>,
        direction: Box<Int>,
        steps: Box<Int>,
    },
    Beyond {
        from: Box<Int>,
        direction: Box<Int>,
        through: Box<Sets>,
    },
    /// The number of sites in the runs from the sites of a set, these included.
    RowLength {
        from: Box<Sets>,
        directions: Box<Int>,
        through: Box<Sets>,
    },
    Direction(Box<Int>, Box<Int>),
    Distance(Box<Int>, Box<Int>),
    Owner(Box<Int>, When),
    Kind(Box<Int>, When),
    Piece(Box<Int>, When),
    Owners(Box<Sets>, When),
    KindsIn(Box<Sets>, When),
    /// The plane of a piece made from a kind and an owner (one past the last player for nobody).
    Make(Box<Int>, Box<Int>),
    Arithmetic(ArithmeticOp, Box<Int>, Box<Int>),
    Negative(Box<Int>),
    Max(Box<Int>, Box<Int>),
    Min(Box<Int>, Box<Int>),
    Abs(Box<Int>),
    If(Box<Test>, Box<Int>, Box<Int>),
    Reduce {
        reduce: Reduce,
        slot: u16,
        domain: Box<Domain>,
        test: Box<Test>,
        body: Box<Int>,
    },
    /// The mask of those members that pass.
    MaskWhere {
        slot: u16,
        domain: Box<Int>,
        test: Box<Test>,
    },
    MaskCollect {
        slot: u16,
        domain: Box<Domain>,
        test: Box<Test>,
        body: Box<Int>,
    },
    MaskAnd(Box<Int>, Box<Int>),
    MaskOr(Box<Int>, Box<Int>),
    /// The members of the constant that are not in the mask.
    MaskNot(i64, Box<Int>),
    /// The mask of one member, or of none.
    Bit(Box<Int>),
    OnlyBit(Box<Int>),
    Ones(Box<Int>),
    Opposite(Box<Int>),
    OppositeMask(Box<Int>),
    Turn,
    Ply,
    Next,
    /// A condition with three values: 1, 0 or none.
    Truth(Box<Test>, Box<Test>),
    Primitive(&'static Primitive, Vec<(Type, Arg)>, When),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    Const(bool),
    Not(Box<Test>),
    And(Vec<Test>),
    Or(Vec<Test>),
    Any(Sets),
    Contains(Sets, Int),
    Subset(Sets, Sets),
    /// Neither side is missing, and they compare so.
    Compare(CompareOp, Int, Int),
    Known(Int),
    Lists(CompareOp, Vec<Int>, Vec<Int>),
    Exists {
        slot: u16,
        domain: Box<Domain>,
        test: Box<Test>,
    },
    Seen {
        board: bool,
        times: Option<i64>,
    },
    /// The pattern at this node of the turn can be played to its end.
    Possible(u16),
    Stuck,
    Unfinished,
    /// The changes can be made all at once.
    CanApply(Vec<Effect>),
    /// A number kept in a slot for a test that reads it more than once.
    With {
        slot: u16,
        value: Box<Int>,
        test: Box<Test>,
    },
    /// The same with a set.
    WithSites {
        slot: u16,
        value: Sets,
        test: Box<Test>,
    },
    /// A test of those members of a set that were not among them when it did not hold the last time: it holds of a set as
    /// soon as it holds of one more member, and no more of a set with fewer. What is in the slot is what is new.
    OfNew {
        kept: u16,
        slot: u16,
        set: Sets,
        test: Box<Test>,
    },
}

/// What a value is picked from.
#[derive(Clone, PartialEq, Debug)]
pub enum Domain {
    Sites(Sets),
    Mask(Int),
    Range(Int, Int),
}

/// What a change does.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    Put { target: Sets, piece: Int, guard: Test },
    Move { from: Int, to: Int, piece: Option<Int>, guard: Test },
    Set { base: u16, count: u16, index: Option<Int>, value: Int, range: Option<(i64, i64)>, guard: Test },
    SetSites { base: u16, value: Sets, guard: Test },
    Each { slot: u16, domain: Domain, effect: Box<Effect> },
}

/// A child of an instruction.
pub enum Part<'a> {
    Sets(&'a Sets),
    Int(&'a Int),
    Test(&'a Test),
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
            _ => u64::MAX,
        }
    }
}

impl Part<'_> {
    /// Visits the children of the child.
    pub fn parts(&self, f: &mut dyn FnMut(Part<'_>)) {
        match self {
            Part::Sets(sets) => sets.parts(f),
            Part::Int(int) => int.parts(f),
            Part::Test(test) => test.parts(f),
        }
    }

    /// Whether this instruction, or one within it, is of a kind.
    #[must_use]
    pub fn asks(&self, wanted: &dyn Fn(&Part<'_>) -> bool) -> bool {
        let mut found = wanted(self);
        self.parts(&mut |part| found = found || part.asks(wanted));
        found
    }
}

/// A child of an instruction, to be changed.
pub enum PartMut<'a> {
    Sets(&'a mut Sets),
    Int(&'a mut Int),
    Test(&'a mut Test),
}

impl PartMut<'_> {
    /// Visits the children of the child.
    pub fn parts_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        match self {
            PartMut::Sets(sets) => sets.parts_mut(f),
            PartMut::Int(int) => int.parts_mut(f),
            PartMut::Test(test) => test.parts_mut(f),
        }
    }
}

/// Walks over children for reading and for writing alike.
macro_rules! walkers {
    ($part:ident, $sets:ident, $int:ident, $test:ident, $domain:ident, $effect:ident, $args:ident, [$($mutability:tt)?]) => {
        impl Sets {
            pub fn $sets(&$($mutability)? self, f: &mut dyn FnMut($part<'_>)) {
                match self {
                    Sets::Const(_) | Sets::Planes(..) | Sets::Memory(..) | Sets::Slot(_) => {}
                    Sets::One(a) | Sets::Near(a) | Sets::Alike(a, _) | Sets::OfKinds(a, _) | Sets::OfPlayers(a, _) => f($part::Int(a)),
                    Sets::And(all) | Sets::Or(all) => {
                        for one in all {
                            f($part::Sets(one));
                        }
                    }
                    Sets::Not(a) | Sets::Dilate(a) | Sets::Pull(_, a) | Sets::PullAny(_, a) => f($part::Sets(a)),
                    Sets::Minus(a, b) => {
                        f($part::Sets(a));
                        f($part::Sets(b));
                    }
                    Sets::PullBeyond { goal, through, .. } | Sets::PullRun { goal, through, .. } => {
                        f($part::Sets(goal));
                        f($part::Sets(through));
                    }
                    Sets::Ahead { from, directions, steps } | Sets::Trail { from, directions, steps } => {
                        f($part::Sets(from));
                        f($part::Int(directions));
                        f($part::Int(steps));
                    }
                    Sets::Run { from, directions, through } | Sets::Beyond { from, directions, through } => {
                        f($part::Sets(from));
                        f($part::Int(directions));
                        f($part::Sets(through));
                    }
                    Sets::Between(a, b) => {
                        f($part::Int(a));
                        f($part::Int(b));
                    }
                    Sets::Enclosed { from, through, goal, .. } => {
                        f($part::Int(from));
                        f($part::Sets(through));
                        f($part::Sets(goal));
                    }
                    Sets::Connected { from, within } | Sets::Grown { from, within, .. } => {
                        f($part::Sets(from));
                        f($part::Sets(within));
                    }
                    Sets::If(test, a, b) => {
                        f($part::Test(test));
                        f($part::Sets(a));
                        f($part::Sets(b));
                    }
                    Sets::Filter { domain, test, .. } => {
                        f($part::Sets(domain));
                        f($part::Test(test));
                    }
                    Sets::Collect { domain, test, body, .. } => {
                        domain.$domain(f);
                        f($part::Test(test));
                        f($part::Sets(body));
                    }
                    Sets::Tally(tally) => {
                        let Tally { left, right, offset, .. } = &$($mutability)? **tally;
                        f($part::Int(offset));
                        for one in left {
                            f($part::Sets(one));
                        }
                        for one in right {
                            f($part::Sets(one));
                        }
                    }
                    Sets::Ranked { levels, .. } => {
                        for Tally { left, right, offset, .. } in levels {
                            f($part::Int(offset));
                            for one in left {
                                f($part::Sets(one));
                            }
                            for one in right {
                                f($part::Sets(one));
                            }
                        }
                    }
                    Sets::Primitive(_, args, _) => $args(args, f),
                }
            }
        }

        fn $args(args: &$($mutability)? [(Type, Arg)], f: &mut dyn FnMut($part<'_>)) {
            for (_, arg) in args {
                match arg {
                    Arg::Sets(sets) => f($part::Sets(sets)),
                    Arg::Int(int) => f($part::Int(int)),
                }
            }
        }

        impl Int {
            pub fn $int(&$($mutability)? self, f: &mut dyn FnMut($part<'_>)) {
                match self {
                    Int::Const(_) | Int::Slot(_) | Int::Cell(..) | Int::Turn | Int::Ply | Int::Next => {}
                    Int::CellAt { index: a, .. } | Int::Step(_, a) | Int::Owner(a, _) | Int::Kind(a, _) | Int::Piece(a, _)
                    | Int::Negative(a) | Int::Abs(a) | Int::MaskNot(_, a) | Int::Bit(a) | Int::OnlyBit(a) | Int::Ones(a)
                    | Int::Opposite(a) | Int::OppositeMask(a) => f($part::Int(a)),
                    Int::Count(set) | Int::Only(set) | Int::Owners(set, _) | Int::KindsIn(set, _) => f($part::Sets(set)),
                    Int::Ahead { from, direction, steps } => {
                        f($part::Int(from));
                        f($part::Int(direction));
                        f($part::Int(steps));
                    }
                    Int::Beyond { from, direction, through } => {
                        f($part::Int(from));
                        f($part::Int(direction));
                        f($part::Sets(through));
                    }
                    Int::RowLength { from, directions, through } => {
                        f($part::Sets(from));
                        f($part::Int(directions));
                        f($part::Sets(through));
                    }
                    Int::Direction(a, b) | Int::Distance(a, b) | Int::Make(a, b) | Int::Arithmetic(_, a, b)
                    | Int::Max(a, b) | Int::Min(a, b) | Int::MaskAnd(a, b) | Int::MaskOr(a, b) => {
                        f($part::Int(a));
                        f($part::Int(b));
                    }
                    Int::If(test, a, b) => {
                        f($part::Test(test));
                        f($part::Int(a));
                        f($part::Int(b));
                    }
                    Int::Reduce { domain, test, body, .. } | Int::MaskCollect { domain, test, body, .. } => {
                        domain.$domain(f);
                        f($part::Test(test));
                        f($part::Int(body));
                    }
                    Int::MaskWhere { domain, test, .. } => {
                        f($part::Int(domain));
                        f($part::Test(test));
                    }
                    Int::Truth(yes, no) => {
                        f($part::Test(yes));
                        f($part::Test(no));
                    }
                    Int::Primitive(_, args, _) => $args(args, f),
                }
            }
        }

        impl Domain {
            pub fn $domain(&$($mutability)? self, f: &mut dyn FnMut($part<'_>)) {
                match self {
                    Domain::Sites(sets) => f($part::Sets(sets)),
                    Domain::Mask(mask) => f($part::Int(mask)),
                    Domain::Range(low, high) => {
                        f($part::Int(low));
                        f($part::Int(high));
                    }
                }
            }
        }

        impl Effect {
            pub fn $effect(&$($mutability)? self, f: &mut dyn FnMut($part<'_>)) {
                match self {
                    Effect::Put { target, piece, guard } => {
                        f($part::Sets(target));
                        f($part::Int(piece));
                        f($part::Test(guard));
                    }
                    Effect::Move { from, to, piece, guard } => {
                        f($part::Int(from));
                        f($part::Int(to));
                        if let Some(piece) = piece {
                            f($part::Int(piece));
                        }
                        f($part::Test(guard));
                    }
                    Effect::Set { index, value, guard, .. } => {
                        if let Some(index) = index {
                            f($part::Int(index));
                        }
                        f($part::Int(value));
                        f($part::Test(guard));
                    }
                    Effect::SetSites { value, guard, .. } => {
                        f($part::Sets(value));
                        f($part::Test(guard));
                    }
                    Effect::Each { domain, effect, .. } => {
                        domain.$domain(f);
                        effect.$effect(f);
                    }
                }
            }
        }

        impl Test {
            pub fn $test(&$($mutability)? self, f: &mut dyn FnMut($part<'_>)) {
                match self {
                    Test::Const(_) | Test::Seen { .. } | Test::Possible(_) | Test::Stuck | Test::Unfinished => {}
                    Test::Not(a) => f($part::Test(a)),
                    Test::And(all) | Test::Or(all) => {
                        for one in all {
                            f($part::Test(one));
                        }
                    }
                    Test::Any(set) => f($part::Sets(set)),
                    Test::Contains(set, int) => {
                        f($part::Sets(set));
                        f($part::Int(int));
                    }
                    Test::Subset(a, b) => {
                        f($part::Sets(a));
                        f($part::Sets(b));
                    }
                    Test::Compare(_, a, b) => {
                        f($part::Int(a));
                        f($part::Int(b));
                    }
                    Test::Known(a) => f($part::Int(a)),
                    Test::Lists(_, left, right) => {
                        for one in left {
                            f($part::Int(one));
                        }
                        for one in right {
                            f($part::Int(one));
                        }
                    }
                    Test::Exists { domain, test, .. } => {
                        domain.$domain(f);
                        f($part::Test(test));
                    }
                    Test::CanApply(effects) => {
                        for effect in effects {
                            effect.$effect(f);
                        }
                    }
                    Test::With { value, test, .. } => {
                        f($part::Int(value));
                        f($part::Test(test));
                    }
                    Test::WithSites { value: set, test, .. } | Test::OfNew { set, test, .. } => {
                        f($part::Sets(set));
                        f($part::Test(test));
                    }
                }
            }
        }
    };
}

walkers!(Part, parts, parts, parts, parts, parts, parts_of_args, []);
walkers!(PartMut, parts_mut, parts_mut, parts_mut, parts_mut, parts_mut, parts_of_args_mut, [mut]);
