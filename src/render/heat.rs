//! Numbers on the sites of a board, as colour and as text: where something happens often.

use super::ground::Ground;
use super::scene::{Place, Scene};
use super::style::{Style, Theme};
use super::svg::{self, Frame, UNIT, bar, polygon};
use super::text::{escape, number};
use super::theme::Colours;
use crate::board::Outline;
use crate::game::Position;
use std::fmt::Write as _;

/// On boards with more sites the numbers would not be read.
const READ: usize = 140;

/// From here on letters are as dark as the page on a light colour, and from there on as light as the page on a dark one.
const MIDDLE: f64 = 0.5;
const STRONG: f64 = 0.78;

/// The board of a position without its pieces, each site the stronger in colour the larger its number, which is said as
/// well. Numbers are from 0 up, in the order of the sites of the board; none where there is nothing to say. A page gives
/// colours to the classes `heat` and `heat-text`; in grey the order of the numbers stays.
#[must_use]
pub fn heat(position: &Position, title: &str, values: &[Option<f64>], say: &dyn Fn(f64) -> String) -> String {
    let style = Style { theme: Theme::Auto, sheet: false, ..Style::default() };
    let mut scene = Scene::of(position, &style);
    let most = values.iter().flatten().copied().fold(0.0, f64::max);
    scene.title = title.to_owned();
    scene.description = described(position, values, say);
    let frame = Frame::of(&scene, 0);
    let read = scene.places.len() <= READ;
    let mut out = svg::open(&scene, &style, &frame, Colours::Variables);
    out.push_str(&svg::under(&scene));
    for place in &mut scene.places {
        let value = values.get(place.site.index()).copied().flatten();
        let said = value.map_or_else(|| "nothing".to_owned(), say);
        place.words = format!("{}: {said}", place.name);
        let share = value.map_or(0.0, |value| if most > 0.0 { value / most } else { 0.0 });
        let text = said.trim_end_matches([' ', '%']);
        let text = if read && share > 0.0 && !matches!(place.outline, Outline::Bar(..)) { text } else { "" };
        out.push_str(&svg::site(place, scene.ground, &spot(place, scene.ground, share, text)));
    }
    out.push_str(&svg::coordinates(&scene, &frame));
    out.push_str("</svg>\n");
    out
}

/// The sites with the largest numbers, in words.
fn described(position: &Position, values: &[Option<f64>], say: &dyn Fn(f64) -> String) -> String {
    let board = &position.game().rules().board;
    let named = board.all().iter().filter_map(|site| Some((board.name(site), values.get(site.index()).copied()??)));
    let mut all: Vec<(&str, f64)> = named.collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let first = all.iter().take(5).map(|(name, value)| format!("{name} {}", say(*value)));
    format!("Most: {}", first.collect::<Vec<_>>().join(", "))
}

fn spot(place: &Place, ground: Ground, share: f64, text: &str) -> String {
    let opacity = number(0.08 + 0.92 * share);
    let mut svg = String::new();
    if share > 0.0 {
        let paint = format!(r#"class="heat" fill-opacity="{opacity}""#);
        let _ = match &place.outline {
            Outline::Polygon(_) if ground == Ground::Pits => write!(svg, r#"<circle {paint} r="22"/>"#),
            Outline::Polygon(corners) => write!(svg, r#"<path {paint} d="{}"/>"#, polygon(corners, UNIT * 0.96)),
            Outline::Bar(from, to) => write!(svg, r#"<path {paint} d="{}"/>"#, polygon(&bar(*from, *to, 0.12), UNIT)),
            Outline::Point => write!(svg, r#"<circle {paint} r="19"/>"#),
        };
    }
    if !text.is_empty() {
        let class = match share {
            share if share > STRONG => "heat-text strong",
            share if share > MIDDLE => "heat-text middle",
            _ => "heat-text",
        };
        let _ = write!(svg, r#"<text class="{class}" dy=".35em" font-size="13">{}</text>"#, escape(text));
    }
    svg
}
