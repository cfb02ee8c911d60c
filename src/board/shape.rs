//! What rule files say of a board: its shape, and what is chosen besides, each with its name.

/// Something that is chosen by one of a few names.
pub trait Named: Copy + 'static {
    const ALL: &'static [Self];

    fn name(self) -> &'static str;

    fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|choice| choice.name() == name)
    }

    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|choice| choice.name()).collect()
    }
}

/// Which squares count as neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Adjacency {
    Orthogonal,
    Diagonal,
    All,
}

impl Named for Adjacency {
    const ALL: &'static [Self] = &[Self::Orthogonal, Self::Diagonal, Self::All];

    fn name(self) -> &'static str {
        match self {
            Self::Orthogonal => "orthogonal",
            Self::Diagonal => "diagonal",
            Self::All => "all",
        }
    }
}

/// How the cells are named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coordinates {
    /// Hex boards: a letter for each half step to the right, starting with the leftmost cell,
    /// and a number for the row, 1 at the top.
    Doubled,
    /// Square boards: a letter for the column and a number for the row, 1 at the bottom.
    /// Rhombus and triangle: a letter for the place in the row, rows numbered from the top.
    /// Other hex boards: a letter for the slanted line through the cell from north-west to
    /// south-east, the leftmost one a, and a number for the row, 1 at the top.
    Plain,
    /// Numbers from 1 in reading order.
    Numbered,
    /// What the row and the column of a cell are called, in the order in which they are said.
    Axes([Axis; 2]),
}

/// How rows or columns are called: of hexes, columns are the slanted lines that `Plain` names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axis {
    pub of: Lines,
    pub signs: Signs,
    /// Counted from the right or from the bottom, and not from the left or from the top.
    pub backwards: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lines {
    Columns,
    Rows,
}

impl Named for Lines {
    const ALL: &'static [Self] = &[Self::Columns, Self::Rows];

    fn name(self) -> &'static str {
        match self {
            Self::Columns => "columns",
            Self::Rows => "rows",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signs {
    Letters,
    Numbers,
}

impl Named for Signs {
    const ALL: &'static [Self] = &[Self::Letters, Self::Numbers];

    fn name(self) -> &'static str {
        match self {
            Self::Letters => "letters",
            Self::Numbers => "numbers",
        }
    }
}

impl Named for Coordinates {
    const ALL: &'static [Self] = &[Self::Doubled, Self::Plain, Self::Numbered];

    fn name(self) -> &'static str {
        match self {
            Self::Doubled => "doubled",
            Self::Plain => "plain",
            Self::Numbered => "numbered",
            Self::Axes(_) => "row-and-column",
        }
    }
}

/// A sort of sites.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Cells,
    Edges,
    Vertices,
}

impl Named for Class {
    const ALL: &'static [Self] = &[Self::Cells, Self::Edges, Self::Vertices];

    fn name(self) -> &'static str {
        match self {
            Self::Cells => "cells",
            Self::Edges => "edges",
            Self::Vertices => "vertices",
        }
    }
}

/// What the cells of a drawing are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drawn {
    Hex,
    Square,
}

impl Named for Drawn {
    const ALL: &'static [Self] = &[Self::Hex, Self::Square];

    fn name(self) -> &'static str {
        match self {
            Self::Hex => "hex",
            Self::Square => "square",
        }
    }
}

impl Drawn {
    /// The shape of a drawing.
    #[must_use]
    pub fn shape(self, drawing: String) -> Shape {
        match self {
            Self::Hex => Shape::DrawnHex(drawing),
            Self::Square => Shape::DrawnSquare(drawing),
        }
    }
}

/// The outline of a board.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// Hexes in a hexagon; with different sides they alternate, the longer one on top.
    Hexagon { a: u32, b: u32 },
    /// Hexes in a rhombus, each row half a cell to the right of the one above.
    Rhombus { width: u32, height: u32 },
    /// Hexes in a triangle with one cell on top.
    Triangle { side: u32 },
    /// Hexes in a hexagon with a triangle of this side on each of its sides.
    Star { side: u32 },
    /// Squares in a rectangle.
    Rectangle { width: u32, height: u32 },
    /// Squares in a rectangle whose rows go round: behind the last cell of each comes its first. So do the columns if said.
    Round { width: u32, height: u32, columns: bool },
    /// Squares in a rectangle standing on its tip.
    Diamond { side: u32 },
    /// Points on a circle; east leads onward, clockwise, and west leads back.
    Ring { n: u32 },
    /// Points on circles around each other, as many on each; east leads onward and west back, north outward and south inward.
    Rings { circles: u32, points: u32 },
    /// Small triangles in a large one with the tip on top: up-pointing and down-pointing ones in turn along each row.
    Triangles { side: u32 },
    /// Hexes as drawn: `o` or `.` for a cell, `-` and `*` for none.
    DrawnHex(String),
    /// Squares as drawn with the same characters.
    DrawnSquare(String),
    /// Points joined along the rows given by name.
    Lines(Vec<Vec<String>>),
    /// Points with places (x to the right, y downwards) joined by links.
    Graph { points: Vec<(String, f64, f64)>, links: Vec<(String, String)> },
}

/// A shape that rule files call by its name, with its sizes.
#[derive(Debug)]
pub struct SizedShape {
    pub name: &'static str,
    /// The fewest and the most sizes that it takes.
    pub sizes: (usize, usize),
    pub doc: &'static str,
    /// The shape of its first and its second size; where there is no second, it is the first once more.
    pub of: fn(u32, u32) -> Shape,
}

/// The shapes that are given by sizes.
pub static SIZED: [SizedShape; 13] = [
    SizedShape {
        name: "hexagon",
        sizes: (1, 2),
        doc: "hexes in a hexagon with side n, or with sides a and b in turn",
        of: |a, b| Shape::Hexagon { a, b },
    },
    SizedShape {
        name: "alternating",
        sizes: (2, 2),
        doc: "hexes in a hexagon whose sides alternate; the longer one is on top",
        of: |a, b| Shape::Hexagon { a, b },
    },
    SizedShape {
        name: "rhombus",
        sizes: (1, 2),
        doc: "hexes, each row half a cell to the right of the one above",
        of: |width, height| Shape::Rhombus { width, height },
    },
    SizedShape {
        name: "triangle",
        sizes: (1, 1),
        doc: "hexes with one cell on top",
        of: |side, _| Shape::Triangle { side },
    },
    SizedShape {
        name: "star",
        sizes: (1, 1),
        doc: "hexes in a star whose six points are triangles with side n",
        of: |side, _| Shape::Star { side },
    },
    SizedShape {
        name: "square",
        sizes: (1, 1),
        doc: "squares",
        of: |side, _| Shape::Rectangle { width: side, height: side },
    },
    SizedShape {
        name: "rectangle",
        sizes: (2, 2),
        doc: "squares, so many wide and so many high",
        of: |width, height| Shape::Rectangle { width, height },
    },
    SizedShape {
        name: "diamond",
        sizes: (1, 1),
        doc: "squares in a square that stands on its tip",
        of: |side, _| Shape::Diamond { side },
    },
    SizedShape {
        name: "cylinder",
        sizes: (1, 2),
        doc: "squares, so many wide and so many high, whose rows go round: behind the last cell comes the first",
        of: |width, height| Shape::Round { width, height, columns: false },
    },
    SizedShape {
        name: "torus",
        sizes: (1, 2),
        doc: "the same, and the columns go round as well",
        of: |width, height| Shape::Round { width, height, columns: true },
    },
    SizedShape { name: "ring", sizes: (1, 1), doc: "points on a circle", of: |n, _| Shape::Ring { n } },
    SizedShape {
        name: "rings",
        sizes: (2, 2),
        doc: "so many circles around each other, with so many points on each",
        of: |circles, points| Shape::Rings { circles, points },
    },
    SizedShape {
        name: "triangles",
        sizes: (1, 1),
        doc: "small triangles in a large one with its tip on top",
        of: |side, _| Shape::Triangles { side },
    },
];

/// The shapes that a rule file writes out in braces: their words and what stands there.
pub const WRITTEN_OUT: [(&str, &str); 3] = [
    ("drawn", "hexes or squares as drawn"),
    ("lines", "points joined along rows of names"),
    ("graph", "points with places, joined by links"),
];

impl SizedShape {
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        SIZED.iter().find(|shape| shape.name == name)
    }
}

/// The description of a board.
#[derive(Clone, PartialEq, Debug)]
pub struct BoardSpec {
    pub shape: Shape,
    pub adjacency: Option<Adjacency>,
    pub coordinates: Option<Coordinates>,
    /// None where there are cells only.
    pub classes: Option<Classes>,
}

/// Which sites there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Classes {
    pub cells: bool,
    pub edges: bool,
    pub vertices: bool,
}

impl Classes {
    pub fn insert(&mut self, class: Class) {
        match class {
            Class::Cells => self.cells = true,
            Class::Edges => self.edges = true,
            Class::Vertices => self.vertices = true,
        }
    }
}
