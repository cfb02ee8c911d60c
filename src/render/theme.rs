//! The colours of the board and of all that is not a piece, as a style sheet.

use super::look::{BLACK, NEUTRAL, NEUTRAL_ON_DARK, Paint};
use super::scene::Scene;
use super::style::Theme;
use std::fmt::Write as _;

/// How colours are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colours {
    /// As CSS variables, so that a page may set its own.
    Variables,
    /// As they are, for readers that know no variables.
    Fixed,
}

struct Board {
    page: &'static str,
    cell: &'static str,
    dark: &'static str,
    line: &'static str,
    text: &'static str,
    last: &'static str,
    legal: &'static str,
    chosen: &'static str,
}

const LIGHT: Board = Board {
    page: "#fbf9f4",
    cell: "#efe2c8",
    dark: "#d3b98f",
    line: "#8c7350",
    text: "#4a4438",
    last: "#b25e00",
    legal: "#1f7a4d",
    chosen: "#c2185b",
};

const DARK: Board = Board {
    page: "#16181c",
    cell: "#a58d68",
    dark: "#877153",
    line: "#cbb792",
    text: "#eceef2",
    last: "#ffe27a",
    legal: "#b8f5d4",
    chosen: "#ff9cc2",
};

const PRINT: Board = Board {
    page: "#ffffff",
    cell: "#ffffff",
    dark: "#dddddd",
    line: "#444444",
    text: "#000000",
    last: "#8a8a8a",
    legal: "#555555",
    chosen: "#000000",
};

/// The sheet of one picture; every rule begins with its classes, so that pictures on one page leave each other alone.
pub fn sheet(theme: Theme, scene: &Scene, colours: Colours) -> String {
    let scope = format!(".ludwright.{}", theme.name());
    let shade = match theme {
        Theme::Auto => Theme::Light,
        theme => theme,
    };
    let mut css = rules(&scope, shade, scene, colours);
    if theme == Theme::Auto && colours == Colours::Variables {
        let dark = rules(&scope, Theme::Dark, scene, colours);
        let _ = write!(css, "@media (prefers-color-scheme:dark){{\n{dark}}}\n");
    }
    css
}

fn rules(scope: &str, theme: Theme, scene: &Scene, colours: Colours) -> String {
    let seats = &scene.seats;
    let board = match theme {
        Theme::Light | Theme::Auto => LIGHT,
        Theme::Dark => DARK,
        Theme::Print => PRINT,
    };
    let value = |name: &str, colour: &str| match colours {
        Colours::Variables => format!("var(--lw-{name},{colour})"),
        Colours::Fixed => colour.to_owned(),
    };
    let mut css = String::new();
    let mut rule = |selector: &str, body: String| {
        let _ = writeln!(css, "{scope} {selector}{{{body}}}");
    };
    let (line, text) = (value("line", board.line), value("text", board.text));
    rule(".page", format!("fill:{}", value("page", board.page)));
    rule(".cell", format!("fill:{};stroke:{line};stroke-width:1.2;stroke-linejoin:round", value("cell", board.cell)));
    rule(".cell.dark", format!("fill:{}", value("dark", board.dark)));
    rule(".plate", format!("fill:{};stroke:{line};stroke-width:1.2", value("cell", board.cell)));
    rule(".pit", format!("fill:{};stroke:{line};stroke-width:1.6", value("dark", board.dark)));
    rule(".area", "fill:#000;fill-opacity:0;stroke:none".to_owned());
    rule(".lines", format!("fill:none;stroke:{line};stroke-width:1.6;stroke-linecap:round"));
    if !scene.ways.is_empty() {
        let line = format!(
            "fill:none;stroke:{line};stroke-width:1.2;stroke-opacity:.7;stroke-linecap:round;pointer-events:none"
        );
        rule(".way", line);
    }
    rule(".point", format!("fill:{line};stroke:none"));
    rule(".bar", format!("fill:{};stroke:{line};stroke-width:.6;stroke-opacity:.6", value("cell", board.cell)));
    rule(".coordinates", format!("fill:{text};stroke:{text};stroke-width:.25;text-anchor:middle;font-family:{FAMILY}"));
    rule(".caption", format!("fill:{text};stroke:{text};stroke-width:.2;text-anchor:middle;font-family:{FAMILY}"));
    // An outline, and no fill: regions of the board and pieces keep their colours.
    rule(".last", format!("fill:none;stroke:{};stroke-width:3;stroke-linejoin:round", value("last", board.last)));
    rule(".target", format!("fill:{};fill-opacity:.75;stroke:none", value("legal", board.legal)));
    rule(".source", format!("fill:none;stroke:{};stroke-width:2.6", value("legal", board.legal)));
    rule(".chosen", format!("fill:none;stroke:{};stroke-width:3.4", value("chosen", board.chosen)));
    rule(".count", format!("fill:{text};stroke:{text};stroke-width:.25;text-anchor:middle;font-family:{FAMILY}"));
    rule(
        ".seed",
        format!(
            "fill:{};stroke:{text};stroke-width:.8",
            value("seed", if theme == Theme::Dark { "#c8b48a" } else { "#6b5a3c" })
        ),
    );
    rule(".piece", "stroke-width:1.3;stroke-linejoin:round;fill-rule:evenodd".to_owned());
    rule(".detail", "fill:none;stroke-width:1.1;stroke-opacity:.55;stroke-linecap:round".to_owned());
    rule(".shine", "fill:none;stroke:#fff;stroke-width:1.6;stroke-opacity:.45;stroke-linecap:round".to_owned());
    rule(".spot", "stroke:none".to_owned());
    rule(".letter", format!("stroke-width:.5;text-anchor:middle;font-family:{FAMILY}"));
    let joint = |rule: &mut dyn FnMut(&str, String), name: &str, paint: &Paint| {
        if scene.joined {
            let stroke = value(name, paint.fill);
            rule(&format!(".joint.{name}"), format!("fill:none;stroke:{stroke};stroke-width:6;stroke-linecap:round"));
        }
    };
    let adapted = |index: usize, own: &Paint| match theme {
        // Two players are white and black on paper, whatever their colours.
        Theme::Print if seats.len() <= 2 => {
            let told_apart = seats.iter().any(|seat| seat.paint.dark != own.dark);
            let dark = if told_apart { own.dark } else { index > 0 };
            let (fill, detail) = if dark { ("#222222", "#ffffff") } else { ("#ffffff", "#000000") };
            Paint { fill, line: "#000000", detail, dark }
        }
        Theme::Dark if *own == BLACK => Paint { line: "#b4bac5", ..own.clone() },
        _ => own.clone(),
    };
    rule(".home.special", format!("fill:{line};fill-opacity:.45;stroke:none"));
    for (index, seat) in seats.iter().enumerate() {
        let paint = adapted(index, &seat.paint);
        let name = format!("p{}", index + 1);
        painted(&mut rule, &name, &paint, &value);
        joint(&mut rule, &name, &paint);
        rule(&format!(".home.{name}"), format!("fill:{};fill-opacity:.32;stroke:none", value(&name, paint.fill)));
    }
    rule(
        ".count.beside",
        format!("stroke:{};stroke-width:3;stroke-linejoin:round;paint-order:stroke", value("page", board.page)),
    );
    let neutral = if theme == Theme::Dark { NEUTRAL_ON_DARK } else { NEUTRAL };
    for (index, paint) in neutral.iter().enumerate().take(scene.neutrals) {
        let name = format!("n{}", index + 1);
        painted(&mut rule, &name, paint, &value);
        joint(&mut rule, &name, paint);
    }
    css
}

fn painted(rule: &mut impl FnMut(&str, String), name: &str, paint: &Paint, value: &impl Fn(&str, &str) -> String) {
    let (fill, line) = (value(name, paint.fill), value(&format!("{name}-line"), paint.line));
    let detail = value(&format!("{name}-detail"), paint.detail);
    rule(&format!(".piece.{name}"), format!("fill:{fill};stroke:{line}"));
    rule(&format!(".{name} .detail"), format!("stroke:{detail}"));
    rule(&format!(".{name} .spot"), format!("fill:{detail}"));
    rule(&format!(".{name} .letter"), format!("fill:{detail};stroke:{detail}"));
}

const FAMILY: &str = "system-ui,Ubuntu,sans-serif";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::colours::{CSS, luminance, paint};
    use crate::render::look::NAMED;

    /// How bright a colour is, as WCAG counts.
    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn every_piece_stands_out_from_every_square() {
        let on_dark = Paint { line: "#b4bac5", ..BLACK };
        let own = NAMED.iter().map(|(_, paint)| paint.clone());
        let named = own.chain(CSS.iter().map(|(_, fill)| paint(fill)));
        for (board, neutral) in [(&LIGHT, NEUTRAL), (&DARK, NEUTRAL_ON_DARK)] {
            for paint in named.clone().chain(neutral).chain([on_dark.clone()]) {
                for square in [board.cell, board.dark] {
                    let seen = contrast(paint.fill, square).max(contrast(paint.line, square));
                    assert!(seen >= 3.0, "{} in {} on {square}: {seen:.2}", paint.fill, paint.line);
                }
            }
        }
    }

    #[test]
    fn the_two_kinds_of_squares_and_black_and_white_can_be_told_apart() {
        for board in [LIGHT, DARK] {
            assert!(contrast(board.cell, board.dark) > 1.3);
            for square in [board.cell, board.dark] {
                assert!(contrast(BLACK.fill, square) >= 3.0 && contrast(board.last, square) >= 1.8, "{square}");
            }
        }
    }
}
