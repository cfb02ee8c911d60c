//! The outlines of pieces, drawn for this program.

use super::text::{escape, number};
use crate::rules::Figure;
use std::fmt::Write as _;

/// A piece as SVG around the origin; `r` is the radius of a disc. It takes its colours from what it stands in; the
/// class `detail` is for lines on it, `spot` for areas, `shine` for light.
pub fn draw(figure: Figure, letter: Option<&str>, r: f64) -> String {
    let mut svg = Shapes { svg: String::new(), r };
    match figure {
        Figure::Disc | Figure::Letter => {
            svg.circle(0.0, 0.0, 0.94, "");
            if letter.is_none() {
                svg.circle(0.0, 0.0, 0.66, "detail");
            }
        }
        Figure::Crowned => {
            svg.circle(0.0, 0.0, 0.94, "");
            svg.path("M-.46 .4 L-.56 -.3 L-.26 -.04 L0 -.46 L.26 -.04 L.56 -.3 L.46 .4 Z", "spot");
        }
        Figure::Stone => {
            svg.circle(0.0, 0.0, 0.94, "");
            svg.path("M-.62 -.2 A.65 .65 0 0 1 .1 -.66", "shine");
        }
        Figure::Ball => {
            svg.circle(0.0, 0.0, 0.84, "");
            svg.path("M-.8 .12 Q0 .62 .8 .12", "detail");
            svg.path("M-.5 -.2 A.55 .55 0 0 1 .02 -.56", "shine");
        }
        Figure::Ring => {
            let hole = "M0 -.92 A.92 .92 0 1 1 0 .92 A.92 .92 0 1 1 0 -.92 Z M0 -.5 A.5 .5 0 1 0 0 .5 A.5 .5 0 1 0 0 -.5 Z";
            svg.path(hole, "");
        }
        Figure::Pin => svg.path(
            "M-.4 -.92 H.4 C.4 -.72 .24 -.7 .22 -.6 V-.2 C.26 -.02 .5 0 .52 .22 H.09 L0 .95 L-.09 .22 H-.52 C-.5 0 -.26 -.02 -.22 -.2 V-.6 C-.24 -.7 -.4 -.72 -.4 -.92 Z",
            "",
        ),
        Figure::Square => svg.path("M-.74 -.74 H.74 V.74 H-.74 Z", ""),
        Figure::Diamond => svg.path("M0 -.98 L.78 0 L0 .98 L-.78 0 Z", ""),
        Figure::Triangle => svg.path("M0 -.9 L.88 .68 H-.88 Z", ""),
        Figure::Hex => svg.path("M0 -.98 L.85 -.49 V.49 L0 .98 L-.85 .49 V-.49 Z", ""),
        Figure::Star => svg.path(
            "M0 -.98 L.26 -.34 L.93 -.3 L.42 .13 L.58 .79 L0 .44 L-.58 .79 L-.42 .13 L-.93 -.3 L-.26 -.34 Z",
            "",
        ),
        Figure::Cross => svg.path(
            "M-.5 -.8 L0 -.3 L.5 -.8 L.8 -.5 L.3 0 L.8 .5 L.5 .8 L0 .3 L-.5 .8 L-.8 .5 L-.3 0 L-.8 -.5 Z",
            "",
        ),
        Figure::Dot => svg.circle(0.0, 0.0, 0.42, ""),
        // Cells draw tiles by their own outline; on a point it is a square.
        Figure::Tile => svg.path("M-.9 -.9 H.9 V.9 H-.9 Z", ""),
        Figure::King => {
            svg.path("M-.08 -.4 V-.62 H-.27 V-.77 H-.08 V-.97 H.08 V-.77 H.27 V-.62 H.08 V-.4 Z", "");
            svg.path(
                "M-.56 .86 V.62 L-.46 .4 C-.86 .14 -.92 -.36 -.52 -.44 C-.26 -.48 -.08 -.34 0 -.12 C.08 -.34 .26 -.48 .52 -.44 C.92 -.36 .86 .14 .46 .4 L.56 .62 V.86 Z",
                "",
            );
            svg.path("M-.5 .62 H.5", "detail");
            svg.path("M-.44 .38 C-.2 .28 .2 .28 .44 .38", "detail");
        }
        Figure::Queen => {
            svg.path(
                "M-.56 .86 V.62 L-.46 .36 L-.8 -.4 L-.42 .0 L-.42 -.6 L-.15 -.06 L0 -.72 L.15 -.06 L.42 -.6 L.42 0 L.8 -.4 L.46 .36 L.56 .62 V.86 Z",
                "",
            );
            for (x, y) in [(-0.82, -0.46), (-0.43, -0.68), (0.0, -0.8), (0.43, -0.68), (0.82, -0.46)] {
                svg.circle(x, y, 0.11, "");
            }
            svg.path("M-.5 .62 H.5", "detail");
            svg.path("M-.44 .38 C-.2 .28 .2 .28 .44 .38", "detail");
        }
        Figure::Rook => {
            svg.path(
                "M-.62 .86 V.6 H-.46 L-.38 -.26 L-.58 -.42 V-.84 H-.32 V-.64 H-.13 V-.84 H.13 V-.64 H.32 V-.84 H.58 V-.42 L.38 -.26 L.46 .6 H.62 V.86 Z",
                "",
            );
            svg.path("M-.44 .6 H.44", "detail");
            svg.path("M-.38 -.26 H.38", "detail");
        }
        Figure::Bishop => {
            svg.path(
                "M-.6 .86 V.64 H-.3 L-.24 .4 C-.52 .2 -.54 -.16 -.3 -.42 C-.18 -.56 -.08 -.62 0 -.72 C.08 -.62 .18 -.56 .3 -.42 C.54 -.16 .52 .2 .24 .4 L.3 .64 H.6 V.86 Z",
                "",
            );
            svg.circle(0.0, -0.82, 0.12, "");
            svg.path("M0 -.36 V.06 M-.2 -.16 H.2", "detail");
            svg.path("M-.27 .42 H.27 M-.3 .64 H.3", "detail");
        }
        Figure::Knight => {
            svg.path(
                "M-.46 .86 C-.5 .5 -.1 .36 -.02 .06 C-.2 .14 -.34 .16 -.46 .3 C-.56 .42 -.74 .4 -.76 .22 C-.77 .1 -.62 -.1 -.56 -.3 C-.5 -.48 -.4 -.56 -.3 -.64 L-.28 -.92 L-.06 -.72 C.4 -.68 .68 -.3 .66 .3 C.65 .52 .62 .7 .62 .86 Z",
                "",
            );
            svg.circle(-0.27, -0.36, 0.075, "spot");
            svg.path("M.06 -.5 C.36 -.4 .46 -.06 .44 .42", "detail");
        }
        Figure::Pawn => {
            svg.path(
                "M-.56 .86 V.66 C-.5 .4 -.2 .24 -.16 -.02 H-.3 V-.16 L-.2 -.2 C-.36 -.34 -.34 -.78 0 -.78 C.34 -.78 .36 -.34 .2 -.2 L.3 -.16 V-.02 H.16 C.2 .24 .5 .4 .56 .66 V.86 Z",
                "",
            );
        }
    }
    if let Some(text) = letter {
        svg.svg.push_str(&self::letter(text, r));
    }
    svg.svg
}

/// A letter on a piece.
pub fn letter(text: &str, r: f64) -> String {
    // Long marks are drawn smaller, so that they stay on the piece.
    let size = r * 1.2 / (1.0 + 0.45 * text.chars().count().saturating_sub(1) as f64);
    format!(r#"<text class="letter" font-size="{}" dy=".36em">{}</text>"#, number(size), escape(text))
}

struct Shapes {
    svg: String,
    r: f64,
}

impl Shapes {
    fn circle(&mut self, x: f64, y: f64, radius: f64, class: &str) {
        let place = match (x == 0.0, y == 0.0) {
            (true, true) => String::new(),
            _ => format!(r#" cx="{}" cy="{}""#, number(x * self.r), number(y * self.r)),
        };
        let _ = write!(self.svg, r#"<circle{}{place} r="{}"/>"#, class_of(class), number(radius * self.r));
    }

    /// A path given for a radius of 1.
    fn path(&mut self, path: &str, class: &str) {
        let _ = write!(self.svg, r#"<path{} d="{}"/>"#, class_of(class), scaled(path, self.r));
    }
}

fn class_of(class: &str) -> String {
    if class.is_empty() { String::new() } else { format!(r#" class="{class}""#) }
}

/// A path with all its numbers multiplied, but for the three flags of arcs.
fn scaled(path: &str, by: f64) -> String {
    let mut out = String::new();
    let mut command = ' ';
    let mut index = 0;
    for word in path.split_whitespace() {
        let (letter, rest) = match word.chars().next().filter(char::is_ascii_alphabetic) {
            Some(letter) => {
                command = letter;
                index = 0;
                (Some(letter), &word[1..])
            }
            None => (None, word),
        };
        match letter {
            Some(letter) => out.push(letter),
            None if !out.is_empty() => out.push(' '),
            None => {}
        }
        if rest.is_empty() {
            continue;
        }
        let flag = command == 'A' && (2..=4).contains(&(index % 7));
        match rest.parse::<f64>() {
            Ok(value) if !flag => out.push_str(&number(value * by)),
            _ => out.push_str(rest),
        }
        index += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_scaled_but_not_their_flags() {
        assert_eq!(scaled("M-.5 1 A.5 .25 0 0 1 1 -1 Z", 10.0), "M-5 10A5 2.5 0 0 1 10 -10Z");
    }

    #[test]
    fn every_figure_is_drawn() {
        for figure in Figure::ALL {
            assert!(draw(*figure, None, 10.0).contains("<"), "{figure:?}");
        }
    }
}
