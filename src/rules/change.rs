//! What a line of a move changes. Each kind of change is declared once; what is asked of any change follows from its row.

use super::canonical::Written;
use super::expr::{Expr, Local, MemoryId};
use super::form::{Field as _, forms};
use crate::operator::{End, Place};
use crate::source::Span;

/// What a change does with a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// A value that it needs.
    Operand,
    /// The sites where pieces change.
    Target,
    /// The sites that pieces leave for the target.
    Source,
}

forms! {
    #[derive(Clone, Debug)]
    pub enum ChangeKind of Share {
        "becomes" Becomes { target: Expr as Target, piece: Expr },
        "goes" MoveTo { from: Expr as Source, to: Expr as Target, piece: Option<Expr> },
        /// Pieces are put on top of each site of a set, the first one first, or beneath all that stands there.
        "gets" Gets { target: Expr as Target, bottom: bool, pieces: Vec<Expr> },
        /// A part of the stack on each site of a set becomes pieces of this sort, or is taken away.
        "part-becomes" Slice { slice: Slice, target: Expr as Target, piece: Expr },
        /// A stack or a part of it goes where another stands. Its top may become another piece.
        "carries" Carry {
            slice: Option<Slice>,
            from: Expr as Source,
            place: Place,
            to: Expr as Target,
            piece: Option<Expr>
        },
        "remember" Remember { memory: MemoryId, index: Option<Expr>, value: Expr },
        /// Two players go on with each other's pieces and goals.
        "seats" Seats { one: Expr, other: Expr },
        /// Nothing changes: among lines that are made one after the other, what those behind it know by a name.
        "know" Know { local: Local, value: Expr },
    }
}

/// So many pieces from one end of a stack; one where no number is said.
#[derive(Clone, Debug)]
pub struct Slice {
    pub end: End,
    pub count: Option<Expr>,
}

/// One line of changes; with `each`, done for every member.
#[derive(Clone)]
pub struct Change {
    pub each: Option<(Local, Expr)>,
    pub kind: ChangeKind,
    pub guard: Option<Expr>,
    /// Follows from another line: nobody has written it.
    pub carried: bool,
    pub span: Span,
}

impl Change {
    /// The expressions in it.
    #[must_use]
    pub fn exprs(&self) -> Vec<&Expr> {
        let mut found: Vec<&Expr> = self.each.iter().map(|(_, domain)| domain).chain(&self.guard).collect();
        found.extend(self.kind.exprs());
        found
    }
}

impl ChangeKind {
    /// The expressions in it.
    #[must_use]
    pub fn exprs(&self) -> Vec<&Expr> {
        let mut found = Vec::new();
        self.visit(&mut |expr, _| found.push(expr));
        found
    }

    /// The sites where pieces change, if any do.
    #[must_use]
    pub fn target(&self) -> Option<&Expr> {
        self.only(Share::Target)
    }

    /// The sites that pieces leave for others: what has them is a move of pieces.
    #[must_use]
    pub fn source(&self) -> Option<&Expr> {
        self.only(Share::Source)
    }

    fn only(&self, share: Share) -> Option<&Expr> {
        let mut found = None;
        self.visit(&mut |expr, its| found = found.or((its == share).then_some(expr)));
        found
    }
}
