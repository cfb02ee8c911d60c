//! Lines on a screen of characters, joined where they meet.

use std::collections::BTreeMap;

/// One character of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ink {
    pub x: i32,
    pub y: i32,
    pub stroke: Stroke,
}

/// What a character of a line looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stroke {
    /// Arms from the middle to the sides.
    Arms { up: bool, down: bool, left: bool, right: bool },
    /// From the lower left to the upper right.
    Rising,
    /// From the upper left to the lower right.
    Falling,
    /// Two lines that cross.
    Crossing,
    /// A place that only shows where something could be.
    Dot,
}

impl Stroke {
    /// The character for it.
    #[must_use]
    pub fn glyph(self, ascii: bool) -> char {
        match (self, ascii) {
            (Stroke::Rising, false) => '╱',
            (Stroke::Falling, false) => '╲',
            (Stroke::Crossing, false) => '╳',
            (Stroke::Dot, false) => '•',
            (Stroke::Rising, true) => '/',
            (Stroke::Falling, true) => '\\',
            (Stroke::Crossing, true) => 'X',
            (Stroke::Dot, true) => '+',
            (Stroke::Arms { up, down, left, right }, true) => match (up || down, left || right) {
                (true, false) => '|',
                (false, true) => '-',
                _ => '+',
            },
            (Stroke::Arms { up, down, left, right }, false) => {
                let arms = [up, down, left, right].into_iter().fold(0, |bits, arm| bits * 2 + usize::from(arm));
                // Up, down, left and right as the bits of a number from the highest.
                [' ', '╶', '╴', '─', '╷', '┌', '┐', '┬', '╵', '└', '┘', '┴', '│', '├', '┤', '┼']
                    .get(arms)
                    .copied()
                    .unwrap_or(' ')
            }
        }
    }
}

/// Collects lines.
#[derive(Default)]
pub struct Pen {
    marks: BTreeMap<(i32, i32), Stroke>,
}

impl Pen {
    /// A line from one place to another, of which either the column or the line is the same.
    pub fn line(&mut self, from: (i32, i32), to: (i32, i32)) {
        let (dx, dy) = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
        let mut at = from;
        while at != to {
            let next = (at.0 + dx, at.1 + dy);
            self.arm(at, (dx, dy));
            self.arm(next, (-dx, -dy));
            at = next;
        }
    }

    fn arm(&mut self, at: (i32, i32), way: (i32, i32)) {
        let none = Stroke::Arms { up: false, down: false, left: false, right: false };
        if let Stroke::Arms { up, down, left, right } = self.marks.entry((at.1, at.0)).or_insert(none) {
            match way {
                (0, -1) => *up = true,
                (0, 1) => *down = true,
                (-1, 0) => *left = true,
                _ => *right = true,
            }
        }
    }

    /// A line between two places that touches neither.
    pub fn slope(&mut self, from: (i32, i32), to: (i32, i32)) {
        let (from, to) = if from.1 <= to.1 { (from, to) } else { (to, from) };
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let steep = if dx < 0 { Stroke::Rising } else { Stroke::Falling };
        for line in 1..dy {
            // The middle of the line in this row, rounded to a column.
            let column = from.0 + (2 * dx * line + dy).div_euclid(2 * dy);
            self.stroke((column, from.1 + line), steep);
        }
    }

    pub fn stroke(&mut self, at: (i32, i32), stroke: Stroke) {
        let crossing = |old: &Stroke| {
            matches!((old, stroke), (Stroke::Rising, Stroke::Falling) | (Stroke::Falling, Stroke::Rising))
        };
        self.marks
            .entry((at.1, at.0))
            .and_modify(|old| *old = if crossing(old) { Stroke::Crossing } else { stroke })
            .or_insert(stroke);
    }

    /// Whether something is drawn there.
    pub fn covers(&self, at: (i32, i32)) -> bool {
        self.marks.contains_key(&(at.1, at.0))
    }

    /// All that was drawn, in reading order.
    pub fn finish(self) -> Vec<Ink> {
        self.marks.into_iter().map(|((y, x), stroke)| Ink { x, y, stroke }).collect()
    }
}
