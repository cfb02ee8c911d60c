//! Says in plain words what is wrong with the description of a board.

use super::MAX_SITES;

/// What is wrong with the description of a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    #[error("this board has no cells")]
    NoSites,
    #[error("nothing of this board is kept")]
    NothingKept,
    #[error("this board would have {count} cells, but a board can have at most {MAX_SITES}")]
    TooManySites { count: u128 },
    #[error("{board} takes no choice of adjacency")]
    AdjacencyNotAllowed { board: &'static str },
    #[error("{board} has no edges or vertices to play on")]
    ClassesNotAllowed { board: &'static str },
    #[error("{board} cannot have {coordinates} coordinates")]
    CoordinatesNotAllowed { board: &'static str, coordinates: &'static str },
    #[error("the drawing has a {found:?}, which stands for nothing")]
    UnknownCharacter { found: char, offset: usize },
    #[error("the drawing has a tab in it; use blanks")]
    Tab { offset: usize },
    #[error("row {row} of the drawing is blank")]
    BlankRow { row: usize, offset: usize },
    #[error("the cells in row {row} of the drawing do not stand two columns apart here")]
    UnevenRow { row: usize, offset: usize },
    #[error("row {row} of the drawing must be shifted by one blank")]
    ShiftRow { row: usize, offset: usize, hex: bool },
    #[error("the cells of the drawing lie too far apart")]
    TooSpread,
    #[error("a point of this board has an empty name")]
    EmptyName,
    #[error("there are two sites named {name:?}")]
    DuplicateName { name: String },
    #[error("a link names the point {name:?}, which this board does not have")]
    UnknownPoint { name: String },
    #[error("the point {name:?} is linked to itself")]
    SelfLink { name: String },
    #[error("the place given for the point {name:?} is not a usable number")]
    BadPlace { name: String },
    #[error("the points {first:?} and {second:?} are at the same place")]
    SamePlace { first: String, second: String },
}

impl BoardError {
    /// Where in the drawing the trouble is, in bytes from its beginning.
    pub fn offset(&self) -> Option<usize> {
        match self {
            BoardError::UnknownCharacter { offset, .. }
            | BoardError::Tab { offset }
            | BoardError::BlankRow { offset, .. }
            | BoardError::UnevenRow { offset, .. }
            | BoardError::ShiftRow { offset, .. } => Some(*offset),
            _ => None,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            BoardError::NoSites => {
                "every size must be at least 1, and a drawing needs an \"o\" or \".\" for each cell".to_owned()
            }
            BoardError::NothingKept => "name the sites that are to be left, as in `keeping dark`".to_owned(),
            BoardError::TooManySites { .. } => "make the board smaller".to_owned(),
            BoardError::AdjacencyNotAllowed { .. } => {
                "leave the adjacency out; only boards of squares have one to choose".to_owned()
            }
            BoardError::ClassesNotAllowed { .. } => {
                "only boards of squares are divided so; of others, list points and links: board graph { ... }"
                    .to_owned()
            }
            BoardError::CoordinatesNotAllowed { coordinates, .. } => match *coordinates {
                "row-and-column" => {
                    "only rows and columns of hexes or of squares without edges and vertices can be named so".to_owned()
                }
                "doubled" => "doubled coordinates are for boards of hexagons".to_owned(),
                _ => "leave the coordinates out; the points have their names already".to_owned(),
            },
            BoardError::UnknownCharacter { .. } => {
                "use \"o\" or \".\" for a cell, \"-\" for one cut off at the rim and \"*\" for a hole".to_owned()
            }
            BoardError::Tab { .. } => {
                "a tab is not equally wide everywhere, so the columns would be unclear".to_owned()
            }
            BoardError::BlankRow { .. } => "remove the row, or draw its missing cells as \"*\"".to_owned(),
            BoardError::UnevenRow { .. } => {
                "put exactly one blank between two cells, or an odd number of blanks over a gap".to_owned()
            }
            BoardError::ShiftRow { row, hex: true, .. } => format!(
                "each row of a hex board stands half a cell beside the row above it: put one blank before row {row}, or take one away"
            ),
            BoardError::ShiftRow { row, hex: false, .. } => format!(
                "the cells of a square board stand exactly under each other: put one blank before row {row}, or take one away"
            ),
            BoardError::TooSpread => "leave out the wide gaps between the cells".to_owned(),
            BoardError::DuplicateName { .. } => {
                "give each a name of its own, on boards with rows and columns by letters for one of them".to_owned()
            }
            BoardError::UnknownPoint { .. } => "add the point, or correct the name in the link".to_owned(),
            BoardError::SelfLink { .. } => "a link joins two different points".to_owned(),
            BoardError::BadPlace { .. } => "use numbers between -1000000 and 1000000".to_owned(),
            BoardError::SamePlace { .. } => "move one of them".to_owned(),
            BoardError::EmptyName => return None,
        };
        Some(help)
    }
}
