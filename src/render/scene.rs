//! A position as shapes with places: what every kind of picture draws.

use super::caption::caption;
use super::ground::{Ground, ground};
use super::look::{Look, Seat, looks, seats};
use super::style::Style;
use crate::board::{Board, BorderLabel, Outline, Path, Site, SiteSet};
use crate::game::notation::content_text;
use crate::game::{Home, Position, joins};
use crate::rules::{Content, Memory, PlayerId, Rules, Scope, Type, Value};

/// A position ready to be drawn. Places are x to the right and y downwards; the nearest sites are 1 apart.
#[derive(Clone, Debug)]
pub struct Scene {
    pub title: String,
    /// The picture in words.
    pub description: String,
    pub ground: Ground,
    /// Lines under the sites.
    pub lines: Vec<((f64, f64), (f64, f64))>,
    /// The steps of paths between sites near each other, each once.
    pub ways: Vec<((f64, f64), (f64, f64))>,
    /// Where lines meet though no site is there.
    pub dots: Vec<(f64, f64)>,
    /// Crossings that are marked, to find one's way.
    pub stars: Vec<(f64, f64)>,
    /// Whether the rules join pieces by lines, be there some or not.
    pub joined: bool,
    /// In the order of the board, but cells before edges, and these before points.
    pub places: Vec<Place>,
    pub labels: Vec<BorderLabel>,
    /// The names of the players with their colours, in order.
    pub seats: Vec<Seat>,
    /// How many kinds of pieces belong to nobody.
    pub neutrals: usize,
    pub caption: Vec<String>,
}

/// A site of the board and all that is to be seen there.
#[derive(Clone, Debug)]
pub struct Place {
    pub site: Site,
    pub name: String,
    pub x: f64,
    pub y: f64,
    pub outline: Outline,
    /// One of the darker cells.
    pub dark: bool,
    /// Whose region this is.
    pub(crate) tint: Option<Home>,
    pub piece: Option<Piece>,
    /// What is here is not seen, nor whether anything is.
    pub hidden: bool,
    /// Where the pieces are to which the rules join this one, seen from here.
    pub joints: Vec<(f64, f64)>,
    /// What lies beneath it, from the bottom.
    pub beneath: Vec<Piece>,
    /// A number that the rules keep here.
    pub count: Option<i64>,
    /// The name in the picture, with its place seen from the middle of the site.
    pub label: Option<(f64, f64)>,
    /// The place and what is there, in words.
    pub words: String,
}

/// A piece as it looks.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    pub look: Look,
    /// None for neutral ones.
    pub owner: Option<PlayerId>,
}

impl Scene {
    #[must_use]
    pub fn of(position: &Position, style: &Style) -> Self {
        let rules = position.game().rules();
        let board = &rules.board;
        let state = &position.situation().state;
        let ground = ground(rules);
        let spacing = board.spacing();
        let looks = looks(rules);
        let tints = position.homes();
        let joined = position.joints();
        let counts = counts(position);
        let whole = style.around.is_empty();
        let labels = if style.coordinates && whole { board.border() } else { Vec::new() };
        let labels: Vec<BorderLabel> = labels
            .into_iter()
            .map(|label| BorderLabel { x: label.x / spacing, y: label.y / spacing, ..label })
            .collect();
        let named = style.coordinates && whole && labels.is_empty();
        let long = fold(board);
        let (labels, named) = if long.is_some() { (Vec::new(), style.coordinates && whole) } else { (labels, named) };
        let at = |site: Site| {
            let (x, y) = board.xy(site);
            let place = (x / spacing, y / spacing);
            long.map_or(place, |half| folded(place, half))
        };
        let middle = middle(board.all().iter().map(at));
        let mut places: Vec<Place> = board
            .all()
            .iter()
            .map(|site| {
                let (x, y) = at(site);
                let content = state.content(site);
                let (hidden, masked) = (position.is_hidden(site), position.is_kind_hidden(site));
                let looking = |content: Content| {
                    let look = looks.of(content.kind()?, content.owner())?.clone();
                    let look = if masked { look.masked() } else { look };
                    Some(Piece { look, owner: content.owner() })
                };
                let piece = looking(content);
                let beneath = state.beneath().get(site.index()).map_or(&[][..], Vec::as_slice);
                let count = counts.as_ref().and_then(|counts| counts.get(site.index()).copied());
                let outline = if matches!(ground, Ground::Crossings | Ground::Holes) {
                    Outline::Point
                } else {
                    board.outline(site)
                };
                let label = named.then(|| match outline {
                    Outline::Polygon(_) => (0.0, -0.38),
                    _ => away((x, y), middle),
                });
                let name = board.name(site).to_owned();
                let below =
                    beneath.iter().rev().map(|piece| format!(" on {}", piece_words(&content_text(rules, *piece))));
                let words = match (hidden, masked && !content.is_empty()) {
                    (true, _) => format!("{name} not seen"),
                    (false, true) => format!("{name} {}", masked_words(rules, content)),
                    (false, false) => words(&name, &content_text(rules, content), count) + &below.collect::<String>(),
                };
                let beneath = beneath.iter().copied().filter_map(looking).collect();
                let tint = tints.get(site.index()).copied().flatten();
                let dark = ground.is_dark(board, site);
                let seen_from_here = |other: Site| (at(other).0 - x, at(other).1 - y);
                let joints = joined.get(site.index()).map_or(SiteSet::EMPTY, |others| *others);
                let joints = joints.iter().map(seen_from_here).collect();
                Place { site, name, x, y, outline, dark, tint, piece, hidden, joints, beneath, count, label, words }
            })
            .collect();
        let seen = Window::of(&places, style.around);
        places.retain(|place| seen.holds(place.x, place.y));
        places.sort_by_key(|place| match place.outline {
            Outline::Polygon(_) => 0,
            Outline::Bar(..) => 1,
            Outline::Point => 2,
        });
        let line = |(a, b): (Site, Site)| (at(a), at(b));
        let lines: Vec<_> = match ground {
            Ground::Points => board.links().into_iter().map(line).collect(),
            Ground::Crossings => crossing_links(rules).into_iter().map(line).collect(),
            _ => Vec::new(),
        };
        let lines = lines.into_iter().filter(|(a, b)| seen.holds(a.0, a.1) && seen.holds(b.0, b.1)).collect();
        let ways = path_steps(board).into_iter().map(line);
        let near = |(a, b): &((f64, f64), (f64, f64))| (a.0 - b.0).hypot(a.1 - b.1) < FAR;
        let ways = ways.filter(|(a, b)| seen.holds(a.0, a.1) && seen.holds(b.0, b.1)).filter(near).collect();
        let dots = bare_corners(&places, board.vertices());
        let stars = if ground == Ground::Crossings { stars(&places) } else { Vec::new() };
        let about = &rules.about;
        let seats = seats(rules);
        let caption_lines = caption(position);
        let standing: Vec<&str> = places
            .iter()
            .filter(|place| place.hidden || place.piece.is_some() || place.count.is_some_and(|count| count != 0))
            .map(|place| place.words.as_str())
            .collect();
        let mut description = caption_lines.join(". ");
        if !standing.is_empty() {
            description.push_str(&format!(". {}", standing.join(", ")));
        }
        Self {
            title: about.title.clone(),
            description,
            ground,
            lines,
            ways,
            dots,
            stars,
            joined: rules.words.iter().any(joins),
            places,
            labels,
            seats,
            neutrals: rules.kinds.iter().filter(|kind| kind.neutral).count(),
            caption: if style.caption { caption_lines } else { Vec::new() },
        }
    }

    /// The least and greatest x and y of all that is drawn.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64, f64, f64) {
        let mut bounds = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut hold = |x: f64, y: f64, dx: f64, dy: f64| {
            bounds = (bounds.0.min(x - dx), bounds.1.min(y - dy), bounds.2.max(x + dx), bounds.3.max(y + dy));
        };
        for place in &self.places {
            match &place.outline {
                Outline::Polygon(corners) => {
                    corners.iter().for_each(|corner| hold(place.x + corner.0, place.y + corner.1, 0.08, 0.08));
                }
                Outline::Bar(from, to) => {
                    [from, to].into_iter().for_each(|end| hold(place.x + end.0, place.y + end.1, 0.15, 0.15));
                }
                Outline::Point => hold(place.x, place.y, 0.5, 0.5),
            }
            if let Some((dx, dy)) = place.label {
                hold(place.x + dx, place.y + dy, 0.1 + 0.09 * place.name.chars().count() as f64, 0.22);
            }
        }
        for label in &self.labels {
            hold(label.x, label.y, 0.1 + 0.1 * label.text.chars().count() as f64, 0.25);
        }
        bounds
    }
}

/// A single row with more sites than this would leave most of a picture empty.
const LONG: usize = 16;
/// Room between the two halves of a row that is folded.
const FOLD: f64 = 1.35;

/// How many sites the first half of a row has that is drawn in two, if the board is such a row.
fn fold(board: &Board) -> Option<f64> {
    let (_, first) = board.xy(board.all().iter().next()?);
    let one_row = board.all().iter().all(|site| (board.xy(site).1 - first).abs() < 1e-6);
    (one_row && board.len() > LONG).then(|| board.len().div_ceil(2) as f64)
}

/// A place of a row of which the first half runs below from right to left, and the second above it back again.
fn folded((x, y): (f64, f64), half: f64) -> (f64, f64) {
    if x < half - 0.5 { (half - 1.0 - x, y + FOLD) } else { (x - half, y) }
}

/// The part of the board that is shown.
struct Window {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Window {
    /// Around some sites, or the whole board if there are none.
    fn of(places: &[Place], around: SiteSet) -> Self {
        const BESIDE: f64 = 2.1;
        let (mut left, mut top, mut right, mut bottom) =
            (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
        for place in places.iter().filter(|place| around.is_empty() || around.contains(place.site)) {
            (left, top) = (left.min(place.x), top.min(place.y));
            (right, bottom) = (right.max(place.x), bottom.max(place.y));
        }
        Self { left: left - BESIDE, top: top - BESIDE, right: right + BESIDE, bottom: bottom + BESIDE }
    }

    fn holds(&self, x: f64, y: f64) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
}

fn words(name: &str, content: &str, count: Option<i64>) -> String {
    match (content.is_empty(), count) {
        (true, Some(count)) => format!("{name}: {count}"),
        (true, None) => name.to_owned(),
        (false, None) => format!("{name}: {}", piece_words(content)),
        (false, Some(count)) => format!("{name}: {}, {count}", piece_words(content)),
    }
}

fn piece_words(content: &str) -> String {
    match content.split_once(':') {
        Some((kind, owner)) => format!("{kind} of {owner}"),
        None => content.to_owned(),
    }
}

/// The middle of the box around some places.
fn middle(places: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let start = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
    let (left, top, right, bottom) = places.fold(start, |b, (x, y)| (b.0.min(x), b.1.min(y), b.2.max(x), b.3.max(y)));
    ((left + right) / 2.0, (top + bottom) / 2.0)
}

/// Where the name of a point stands: on its far side, seen from the middle of the board.
fn away(at: (f64, f64), middle: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (at.0 - middle.0, at.1 - middle.1);
    let length = dx.hypot(dy);
    if length < 1e-6 { (0.45, 0.45) } else { (dx / length * 0.64, dy / length * 0.64) }
}

/// Longer steps of paths would cross the picture.
const FAR: f64 = 3.0;

/// The steps of all paths, each once.
fn path_steps(board: &Board) -> Vec<(Site, Site)> {
    let mut steps: Vec<(Site, Site)> = board.paths().iter().flat_map(Path::steps).collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// The pairs of sites beside each other, straight through their sides, each once.
fn crossing_links(rules: &Rules) -> Vec<(Site, Site)> {
    let board = &rules.board;
    let next = |site: Site| {
        board.orthogonal().iter().filter_map(move |way| board.step(site, way)).map(move |other| (site, other))
    };
    board.all().iter().flat_map(next).filter(|(site, other)| site.index() < other.index()).collect()
}

/// The ends of edges where there are no sites for the corners.
fn bare_corners(places: &[Place], vertices: SiteSet) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    if !vertices.is_empty() {
        return corners;
    }
    for place in places {
        if let Outline::Bar(from, to) = place.outline {
            for end in [from, to] {
                let corner = (place.x + end.0, place.y + end.1);
                if !corners.contains(&corner) {
                    corners.push(corner);
                }
            }
        }
    }
    corners
}

/// The marked crossings of a full square: the middle and those near the corners, and on large boards between these.
fn stars(places: &[Place]) -> Vec<(f64, f64)> {
    let Some(side) = (9..=31).step_by(2).find(|side| side * side == places.len()) else { return Vec::new() };
    let (last, middle) = ((side - 1) as f64, (side - 1) as f64 / 2.0);
    let inset = if side < 13 { 2.0 } else { 3.0 };
    let lines = [inset, middle, last - inset];
    let between = |x: f64, y: f64| (x == middle) != (y == middle);
    let all = lines.into_iter().flat_map(|x| lines.map(|y| (x, y)));
    let wanted = all.filter(|(x, y)| side >= 17 || !between(*x, *y));
    wanted.filter(|(x, y)| places.iter().any(|place| place.x == *x && place.y == *y)).collect()
}

/// A piece of which only the owner is seen.
fn masked_words(rules: &Rules, content: Content) -> String {
    let owner = content.owner().and_then(|owner| rules.players.get(usize::from(owner.0)));
    owner.map_or_else(|| "a piece not seen".to_owned(), |owner| format!("a piece of {} not seen", owner.name))
}

/// The first numbers that the rules keep for each site, or for the piece on it.
fn counts(position: &Position) -> Option<Vec<i64>> {
    let rules = position.game().rules();
    let counted = |memory: &Memory| memory.declared && memory.scope == Scope::Site && memory.ty == Type::Number;
    let index = rules.memories.iter().position(counted)?;
    let values = position.game().engine().values(&position.situation().state, index);
    let of_pieces = rules.memories.get(index)?.with_piece;
    let stands = |site: Site| !of_pieces || !position.situation().state.content(site).is_empty();
    let number = |(site, value): (Site, &Value)| value.number().filter(|_| stands(site)).unwrap_or(0);
    Some(rules.board.all().iter().zip(values).map(number).collect())
}
