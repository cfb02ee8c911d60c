//! Writes a scene as SVG.

use super::figures;
use super::ground::Ground;
use super::look::NEUTRAL;
use super::scene::{Piece, Place, Scene};
use super::style::{Marks, Style};
use super::text::{escape, number};
use super::theme::{Colours, sheet};
use crate::board::Outline;
use crate::game::Home;
use crate::rules::Figure;
use std::fmt::Write as _;

/// How many units of the picture lie between two neighbours.
pub const UNIT: f64 = 48.0;
/// Around all that is drawn.
const MARGIN: f64 = 8.0;
/// The height of letters where a board is ten sites wide; they grow with the board.
const LETTERS: f64 = 14.0;
/// As many seeds are drawn one by one.
const SEEDS: i64 = 16;

/// The box that a picture fills, in its own units.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    /// Where the lines below the board begin.
    pub below: f64,
    /// The height of letters beside the board.
    pub letters: f64,
}

impl Frame {
    /// A box for a scene with room for lines below.
    pub fn of(scene: &Scene, lines: usize) -> Self {
        let (left, top, right, bottom) = scene.bounds();
        let (left, top) = (left * UNIT - MARGIN, top * UNIT - MARGIN);
        let (width, below) = (right * UNIT + MARGIN - left, bottom * UNIT + MARGIN);
        let letters = (LETTERS * (width.max(below - top) / (10.0 * UNIT)).clamp(0.7, 1.5)).min(room(scene));
        let height = below - top + if lines == 0 { 0.0 } else { letters * 1.6 * lines as f64 + MARGIN };
        Self { left, top, width, height, below, letters }
    }

    /// Width and height in pixels with the longer of them given.
    pub fn pixels(&self, size: u32) -> (u32, u32) {
        let scale = f64::from(size) / self.width.max(self.height);
        let side = |length: f64| (length * scale).round().max(1.0) as u32;
        (side(self.width), side(self.height))
    }
}

/// How high letters may be before neighbours along the border touch.
fn room(scene: &Scene) -> f64 {
    let labels = &scene.labels;
    let pairs =
        labels.iter().enumerate().flat_map(|(index, one)| labels.iter().skip(index + 1).map(move |two| (one, two)));
    let beside = pairs.filter(|(one, two)| (one.y - two.y).abs() < 0.1);
    let rooms = beside.map(|(one, two)| {
        let letters = (one.text.chars().count() + two.text.chars().count()) as f64 / 2.0;
        (one.x - two.x).abs() * UNIT / (letters * 0.62 + 0.3)
    });
    rooms.fold(f64::INFINITY, f64::min)
}

/// The whole picture.
pub fn write(scene: &Scene, style: &Style, colours: Colours) -> String {
    let frame = Frame::of(scene, scene.caption.len());
    let mut svg = open(scene, style, &frame, colours);
    svg.push_str(&under(scene));
    for place in &scene.places {
        let marks = marks(place, &style.marks, scene.ground);
        svg.push_str(&site(place, scene.ground, &(marks + &content(place, scene.ground))));
    }
    svg.push_str(&ways(scene));
    svg.push_str(&coordinates(scene, &frame));
    svg.push_str(&caption(&scene.caption, &frame));
    svg.push_str("</svg>\n");
    svg
}

/// The beginning of a picture: its size, what it says to those who cannot see it, and its colours.
pub fn open(scene: &Scene, style: &Style, frame: &Frame, colours: Colours) -> String {
    let size = style.size.map_or(String::new(), |size| {
        let (width, height) = frame.pixels(size);
        format!(r#" width="{width}" height="{height}""#)
    });
    let bounds = [frame.left, frame.top, frame.width, frame.height].map(number).join(" ");
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="ludwright {}" viewBox="{bounds}"{size} role="img">"#,
        style.theme.name()
    );
    let _ = write!(svg, "\n<title>{}</title>\n<desc>{}</desc>\n", escape(&scene.title), escape(&scene.description));
    if style.sheet {
        let _ = write!(svg, "<style>\n{}</style>\n", sheet(style.theme, scene, colours));
    }
    let _ = writeln!(
        svg,
        r#"<rect class="page" x="{}" y="{}" width="{}" height="{}"/>"#,
        number(frame.left),
        number(frame.top),
        number(frame.width),
        number(frame.height)
    );
    svg
}

/// What lies under the sites.
pub fn under(scene: &Scene) -> String {
    let mut svg = String::new();
    if matches!(scene.ground, Ground::Halved | Ground::Crossings) {
        // The board is more than its sites.
        let half = 0.5;
        let mut bounds = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
        for place in &scene.places {
            bounds.0 = bounds.0.min(place.x - half);
            bounds.1 = bounds.1.min(place.y - half);
            bounds.2 = bounds.2.max(place.x + half);
            bounds.3 = bounds.3.max(place.y + half);
        }
        let _ = writeln!(
            svg,
            r#"<rect class="plate" x="{}" y="{}" width="{}" height="{}"/>"#,
            number(bounds.0 * UNIT),
            number(bounds.1 * UNIT),
            number((bounds.2 - bounds.0) * UNIT),
            number((bounds.3 - bounds.1) * UNIT)
        );
    }
    if !scene.lines.is_empty() {
        let mut path = String::new();
        for (from, to) in &scene.lines {
            let _ = write!(path, "M{}L{}", point(*from), point(*to));
        }
        let _ = writeln!(svg, r#"<path class="lines" d="{path}"/>"#);
    }
    for (x, y) in &scene.stars {
        let _ = writeln!(svg, r#"<circle class="point" cx="{}" cy="{}" r="4"/>"#, number(x * UNIT), number(y * UNIT));
    }
    svg
}

/// The steps of paths: short arrows between two sites, which lie over the cells and leave the pieces free.
pub fn ways(scene: &Scene) -> String {
    /// How far an arrow reaches to either side of the border between two sites.
    const HALF: f64 = 0.13;
    const BARB: f64 = 0.07;
    if scene.ways.is_empty() {
        return String::new();
    }
    let mut path = String::new();
    for (from, to) in &scene.ways {
        let length = (to.0 - from.0).hypot(to.1 - from.1).max(1e-6);
        let (dx, dy) = ((to.0 - from.0) / length, (to.1 - from.1) / length);
        let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        let along = |far: f64, aside: f64| point((middle.0 + dx * far - dy * aside, middle.1 + dy * far + dx * aside));
        let (tail, tip) = (along(-HALF, 0.0), along(HALF, 0.0));
        let (left, right) = (along(HALF - BARB, BARB), along(HALF - BARB, -BARB));
        let _ = write!(path, "M{tail}L{tip}M{left}L{tip}L{right}");
    }
    format!("<path class=\"way\" d=\"{path}\"/>\n")
}

/// The letters and numbers along the border; and corners where no site is, which lie over the bars.
pub fn coordinates(scene: &Scene, frame: &Frame) -> String {
    let mut svg = String::new();
    for (x, y) in &scene.dots {
        let _ = writeln!(svg, r#"<circle class="point" cx="{}" cy="{}" r="5"/>"#, number(x * UNIT), number(y * UNIT));
    }
    if scene.labels.is_empty() {
        return svg;
    }
    let _ = write!(svg, r#"<g class="coordinates" font-size="{}" aria-hidden="true">"#, number(frame.letters));
    for label in &scene.labels {
        let _ = write!(
            svg,
            r#"<text x="{}" y="{}" dy=".35em">{}</text>"#,
            number(label.x * UNIT),
            number(label.y * UNIT),
            escape(&label.text)
        );
    }
    svg.push_str("</g>\n");
    svg
}

/// The lines below the board, small enough to fit.
pub fn caption(lines: &[String], frame: &Frame) -> String {
    let mut svg = String::new();
    for (index, line) in lines.iter().enumerate() {
        // A letter is about half as wide as it is high.
        let fitting = (frame.width - 2.0 * MARGIN) / (line.chars().count().max(1) as f64 * 0.52);
        let _ = writeln!(
            svg,
            r#"<text class="caption" x="{}" y="{}" font-size="{}">{}</text>"#,
            number(frame.left + frame.width / 2.0),
            number(frame.below + frame.letters * (1.6 * index as f64 + 1.0)),
            number(fitting.min(frame.letters * 1.15)),
            escape(line)
        );
    }
    svg
}

/// A site with what is on it.
pub fn site(place: &Place, ground: Ground, content: &str) -> String {
    let mut svg = format!(
        r#"<g class="site" data-site="{}" transform="translate({})"><title>{}</title>{}"#,
        escape(&place.name),
        point((place.x, place.y)),
        escape(&place.words),
        outline(place, ground),
    );
    if let Some((x, y)) = place.label {
        let _ = write!(
            svg,
            r#"<text class="coordinates" x="{}" y="{}" font-size="11" dy=".35em">{}</text>"#,
            number(x * UNIT),
            number(y * UNIT),
            escape(&place.name)
        );
    }
    let _ = writeln!(svg, r#"<g class="content">{content}</g></g>"#);
    svg
}

fn outline(place: &Place, ground: Ground) -> String {
    let home = place.tint.map(|tint| match tint {
        Home::Player(player) => format!(" p{}", player.0 + 1),
        Home::Special => " special".to_owned(),
    });
    match &place.outline {
        Outline::Polygon(_) if ground == Ground::Pits => {
            let tint = home.map_or(String::new(), |home| format!(r#"<circle class="home{home}" r="22"/>"#));
            format!(r#"<circle class="pit" r="22"/>{tint}"#)
        }
        Outline::Polygon(corners) => {
            let path = polygon(corners, UNIT);
            let dark = if place.dark { " dark" } else { "" };
            let tint = home.map_or(String::new(), |home| format!(r#"<path class="home{home}" d="{path}"/>"#));
            format!(r#"<path class="cell{dark}" d="{path}"/>{tint}"#)
        }
        Outline::Bar(from, to) => {
            let path = polygon(&bar(*from, *to, 0.07), UNIT);
            let area = polygon(&bar(*from, *to, 0.16), UNIT);
            format!(r#"<path class="area" d="{area}"/><path class="bar" d="{path}"/>"#)
        }
        Outline::Point => {
            // On crossings a disc would look like a stone.
            let tint = home.map_or(String::new(), |home| match ground {
                Ground::Crossings => format!(r#"<path class="home{home}" d="M-24 -24H24V24H-24Z"/>"#),
                _ => format!(r#"<circle class="home{home}" r="14"/>"#),
            });
            let dot = match ground {
                Ground::Crossings => "",
                Ground::Divided => r#"<circle class="point" r="5"/>"#,
                _ => r#"<circle class="point" r="4.5"/>"#,
            };
            format!(r#"<circle class="area" r="22"/>{tint}{dot}"#)
        }
    }
}

/// The marks of a site, which lie between its outline and its piece.
pub fn marks(place: &Place, marks: &Marks, ground: Ground) -> String {
    let mut svg = String::new();
    let whole = |class: &str, by: f64| match &place.outline {
        Outline::Polygon(_) if ground == Ground::Pits => {
            format!(r#"<circle class="{class}" r="{}"/>"#, number(22.0 * by))
        }
        Outline::Polygon(corners) => format!(r#"<path class="{class}" d="{}"/>"#, polygon(corners, UNIT * by)),
        Outline::Bar(from, to) => format!(r#"<path class="{class}" d="{}"/>"#, polygon(&bar(*from, *to, 0.13), UNIT)),
        Outline::Point => format!(r#"<circle class="{class}" r="{}"/>"#, number(22.5 * by)),
    };
    if marks.last.contains(place.site) {
        // Stones that touch would hide what lies under them.
        svg.push_str(&whole("last", if ground == Ground::Crossings { 1.1 } else { 0.93 }));
    }
    if marks.sources.contains(place.site) {
        svg.push_str(&whole("source", 0.9));
    }
    if marks.targets.contains(place.site) {
        let open = place.piece.is_none() && !matches!(place.outline, Outline::Bar(..)) && ground != Ground::Pits;
        svg.push_str(&if open { r#"<circle class="target" r="6.5"/>"#.to_owned() } else { whole("source", 0.9) });
    }
    if marks.chosen == Some(place.site) {
        svg.push_str(&whole("chosen", 0.94));
    }
    svg
}

/// The piece or the number on a site.
pub fn content(place: &Place, ground: Ground) -> String {
    let mut svg = String::new();
    if place.hidden {
        svg.push_str(r#"<text class="count" dy=".35em" font-size="20" opacity=".45">?</text>"#);
    }
    if let Some(piece) = &place.piece {
        svg.push_str(&joints(place, piece));
        let piece = if place.beneath.is_empty() {
            self::piece(piece, &place.outline, ground)
        } else {
            stack(place, piece, ground)
        };
        // A name in the cell needs room.
        let named = place.label.is_some() && matches!(place.outline, Outline::Polygon(_));
        svg.push_str(&if named { format!(r#"<g transform="translate(0 5) scale(.8)">{piece}</g>"#) } else { piece });
    }
    if let Some(count) = place.count.filter(|count| *count != 0 || ground == Ground::Pits) {
        svg.push_str(&counters(count, ground, place.piece.is_some() || ground == Ground::Points));
    }
    svg
}

/// The lines from a piece to those that it is joined to, below it and as far as the middle: the other half is theirs.
fn joints(place: &Place, piece: &Piece) -> String {
    if place.joints.is_empty() {
        return String::new();
    }
    let halves = place.joints.iter().map(|(x, y)| format!("M0 0L{}", point((x / 2.0, y / 2.0))));
    format!(r#"<path class="joint {}" d="{}"/>"#, owner(piece), halves.collect::<String>())
}

/// Pieces one above another, each a little higher than the one below it, and how many they are.
fn stack(place: &Place, top: &Piece, ground: Ground) -> String {
    let steps = place.beneath.len() as f64;
    // However many they are, they stay within the site.
    let rise = (20.0 / steps).min(6.0);
    let mut svg = String::new();
    for (level, piece) in place.beneath.iter().chain([top]).enumerate() {
        let y = number(rise * (steps / 2.0 - level as f64));
        let piece = self::piece(piece, &place.outline, ground);
        let _ = write!(svg, r#"<g transform="translate(0 {y}) scale(.72)">{piece}</g>"#);
    }
    let height = place.beneath.len() + 1;
    let _ = write!(svg, r#"<text class="count beside" x="18" y="-15" dy=".35em" font-size="11">{height}</text>"#);
    svg
}

/// The class that gives a piece the colours of its owner.
fn owner(piece: &Piece) -> String {
    match piece.owner {
        Some(player) => format!("p{}", player.0 + 1),
        None => format!("n{}", piece.look.neutral % NEUTRAL.len() + 1),
    }
}

fn piece(piece: &Piece, outline: &Outline, ground: Ground) -> String {
    let class = owner(piece);
    let letter = piece.look.letter.as_deref();
    let body = match (outline, piece.look.figure) {
        (Outline::Bar(from, to), _) => format!(r#"<path d="{}"/>"#, polygon(&bar(*from, *to, 0.085), UNIT)),
        (Outline::Polygon(corners), Figure::Tile) => {
            let tile = format!(r#"<path d="{}"/>"#, polygon(corners, UNIT * 0.88));
            let letter = letter.map_or(String::new(), |letter| figures::letter(letter, UNIT * 0.4));
            tile + &letter
        }
        (Outline::Polygon(corners), Figure::Hex) if corners.len() == 6 => {
            let tile = format!(r#"<path d="{}"/>"#, polygon(corners, UNIT * 0.74));
            let letter = letter.map_or(String::new(), |letter| figures::letter(letter, UNIT * 0.36));
            tile + &letter
        }
        (Outline::Point, figure) if ground == Ground::Divided => figures::draw(figure, letter, UNIT * 0.16),
        (Outline::Point, figure) if ground == Ground::Crossings => figures::draw(figure, letter, UNIT * 0.49),
        (Outline::Point, figure) if ground == Ground::Holes => figures::draw(figure, letter, UNIT * 0.3),
        (_, figure) => figures::draw(figure, letter, UNIT * 0.41),
    };
    format!(r#"<g class="piece {class} {}">{body}</g>"#, piece.look.figure.name())
}

/// Seeds in a pit, or a number.
fn counters(count: i64, ground: Ground, taken: bool) -> String {
    let mut svg = String::new();
    if ground == Ground::Pits {
        // Seeds lie as in the head of a sunflower, each as far from the others as it can.
        let shown = count.clamp(0, SEEDS);
        let spread = 13.0 / (shown.max(7) as f64).sqrt();
        for index in 0..shown {
            let (turn, away) = (index as f64 * 2.399_963, spread * (index as f64 + 0.35).sqrt());
            let (x, y) = (away * turn.cos(), away * turn.sin());
            let _ = write!(svg, r#"<circle class="seed" cx="{}" cy="{}" r="3"/>"#, number(x), number(y - 4.0));
        }
        let _ = write!(svg, r#"<text class="count" y="15" dy=".35em" font-size="9.5">{count}</text>"#);
    } else {
        // Beside what stands there, with the ground around it.
        let place = if taken { r#" x="16" y="-13""# } else { "" };
        let _ = write!(svg, r#"<text class="count beside"{place} dy=".35em" font-size="13">{count}</text>"#);
    }
    svg
}

/// The four corners of a bar around a line.
pub fn bar(from: (f64, f64), to: (f64, f64), half: f64) -> Vec<(f64, f64)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1e-9);
    let (dx, dy) = (dx / length, dy / length);
    // The ends keep clear of the corners.
    let (ax, ay, bx, by) = (from.0 + dx * 0.1, from.1 + dy * 0.1, to.0 - dx * 0.1, to.1 - dy * 0.1);
    let (sx, sy) = (-dy * half, dx * half);
    vec![(ax + sx, ay + sy), (bx + sx, by + sy), (bx - sx, by - sy), (ax - sx, ay - sy)]
}

pub fn polygon(corners: &[(f64, f64)], scale: f64) -> String {
    let mut path = String::new();
    for (index, (x, y)) in corners.iter().enumerate() {
        let _ = write!(path, "{}{} {}", if index == 0 { 'M' } else { 'L' }, number(x * scale), number(y * scale));
    }
    path.push('Z');
    path
}

/// A place of the board in units of the picture.
fn point((x, y): (f64, f64)) -> String {
    format!("{} {}", number(x * UNIT), number(y * UNIT))
}
