//! Moves that push pieces: several of them go at once, each by steps in a direction that is a part of the move.

use super::author::Author;

impl Author {
    pub(super) fn shove(&mut self) -> String {
        let ways = self.one(&["orthogonal", "directions", "directions but E", "diagonal"]);
        let asked = match self.below(4) {
            0 => String::new(),
            1 => format!(", any {} ahead(from, d)", self.one(&["piece", "enemy", "empty", "site"])),
            2 => ", any ahead(from, d, 2)".to_owned(),
            _ => format!(", {}", self.condition(Some("from"), 0)),
        };
        let beyond =
            self.one(&["ahead(x, d)", "ahead(from, d, 2)", "ahead(x, d, 2)", "ahead(x, turned(d, 1))", "first(x, d)"]);
        let mut lines = vec![format!("x -> {beyond}"), "from -> x".to_owned()];
        if self.chance(30) {
            lines[0] +=
                self.one(&[" when any x piece", " when x in enemy", " when tally < 3", " when any ahead(x, d)"]);
        }
        if self.chance(30) {
            let more = match self.below(4) {
                0 => "ahead(from, d, 3) becomes empty".to_owned(),
                1 => format!("from becomes {}", self.piece()),
                2 => "x becomes empty when no ahead(x, d)".to_owned(),
                _ => format!("tally becomes tally + {}", self.number(Some("from"))),
            };
            lines.push(more);
        }
        if self.chance(50) {
            lines.swap(0, 1);
        }
        if self.chance(20) {
            lines.push(format!("so that {}", self.condition(Some("x"), 0)));
        }
        format!(
            "move shove \"{{from}}>{{d}}\" \"a push\" {{\n  from : own piece\n  d : {ways}{asked}\n  x = ahead(from, d)\n  {}\n}}\n",
            lines.join("\n  ")
        )
    }
}
