//! What lies under the pieces: cells, checkered or not, pits, crossing lines, or points.

use crate::board::{Board, Direction, Grid, Site};
use crate::game::joins;
use crate::rules::{Figure, NodeKind, Rules};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// Cells side by side.
    Cells,
    /// Squares of two shades in turn.
    Checkered,
    /// Squares of which those of the lighter shade are no sites.
    Halved,
    /// Round hollows with counters in them.
    Pits,
    /// Lines that cross in the sites.
    Crossings,
    /// Squares with their edges or corners as sites of their own.
    Divided,
    /// Points with lines between neighbours.
    Points,
    /// Holes, where pieces that lie apart are joined by lines.
    Holes,
}

impl Ground {
    /// Whether a cell has the darker shade.
    pub fn is_dark(self, board: &Board, site: Site) -> bool {
        let (x, y) = board.xy(site);
        match self {
            // As on a board for chess: the corner at the lower left is dark.
            Self::Checkered => (x - y + rows(board)).rem_euclid(2.0) < 0.5,
            Self::Halved => true,
            _ => false,
        }
    }
}

/// Such that the lowest cell of the first column is dark.
fn rows(board: &Board) -> f64 {
    board.all().iter().map(|site| board.xy(site).1).fold(0.0, f64::max)
}

/// Chooses what lies under the pieces of a game: by its board, and by what its pieces do.
pub fn ground(rules: &Rules) -> Ground {
    let board = &rules.board;
    match board.grid() {
        Grid::Points => Ground::Points,
        Grid::Square | Grid::Hex if rules.words.iter().any(joins) => Ground::Holes,
        Grid::Hex if rules.kinds.is_empty() => Ground::Pits,
        Grid::Hex => Ground::Cells,
        Grid::Square if !(board.edges() | board.vertices()).is_empty() => Ground::Divided,
        Grid::Square if rules.kinds.is_empty() => Ground::Pits,
        Grid::Square if only_diagonal(board) => Ground::Halved,
        // Stones stand on crossings, pieces on squares.
        Grid::Square if rules.kinds.iter().all(|kind| kind.figure(0) == Figure::Stone) => Ground::Crossings,
        // Where pieces move over the squares two shades help to follow them.
        Grid::Square if pieces_move(rules) => Ground::Checkered,
        Grid::Square => Ground::Cells,
    }
}

/// Whether sites touch each other at corners only, as half the squares of a board do.
fn only_diagonal(board: &Board) -> bool {
    let sides = [Direction::N, Direction::E, Direction::S, Direction::W];
    board.len() > 1 && board.all().iter().all(|site| sides.iter().all(|way| board.step(site, *way).is_none()))
}

fn pieces_move(rules: &Rules) -> bool {
    rules.graph.node_weights().any(|node| match &node.kind {
        NodeKind::Change(changes) | NodeKind::Repeat { changes, .. } => {
            changes.iter().any(|change| change.kind.source().is_some())
        }
        _ => false,
    })
}
