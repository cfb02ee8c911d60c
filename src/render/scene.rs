//! A position as shapes with places: what every kind of picture draws.

use super::caption::caption;
use super::ground::{Ground, ground};
use super::look::{Look, Seat, looks};
use super::style::Style;
use crate::board::{BorderLabel, Outline, Site, SiteSet};
use crate::game::Position;
use crate::notation::content_text;
use crate::rules::{PlayerId, Rules, Scope, Type, Value, WordId};

/// A position ready to be drawn. Places are x to the right and y downwards; the nearest sites are 1 apart.
#[derive(Clone, Debug)]
pub struct Scene {
    pub title: String,
    /// The picture in words.
    pub description: String,
    pub ground: Ground,
    /// Lines under the sites.
    pub lines: Vec<((f64, f64), (f64, f64))>,
    /// Where lines meet though no site is there.
    pub dots: Vec<(f64, f64)>,
    /// In the order of the board.
    pub places: Vec<Place>,
    pub labels: Vec<BorderLabel>,
    /// The names of the players with their colours, in order.
    pub seats: Vec<Seat>,
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
    pub tint: Option<PlayerId>,
    pub piece: Option<Piece>,
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
        let tints = tints(position);
        let counts = counts(position);
        let labels = if style.coordinates { board.border() } else { Vec::new() };
        let labels: Vec<BorderLabel> = labels
            .into_iter()
            .map(|label| BorderLabel { x: label.x / spacing, y: label.y / spacing, ..label })
            .collect();
        let named = style.coordinates && labels.is_empty();
        let at = |site: Site| {
            let (x, y) = board.xy(site);
            (x / spacing, y / spacing)
        };
        let middle = middle(board.all().iter().map(at));
        let places: Vec<Place> = board
            .all()
            .iter()
            .map(|site| {
                let (x, y) = at(site);
                let content = state.content(site);
                let piece = content.kind().and_then(|kind| {
                    let look = looks.of(kind, content.owner())?.clone();
                    Some(Piece { look, owner: content.owner() })
                });
                let count = counts.as_ref().and_then(|counts| counts.get(site.index()).copied());
                let outline = if ground == Ground::Crossings { Outline::Point } else { board.outline(site) };
                let label = named.then(|| match outline {
                    Outline::Polygon(_) if board.outline(site) != Outline::Point => (0.0, -0.36),
                    _ => away((x, y), middle),
                });
                let name = board.name(site).to_owned();
                let words = words(&name, &content_text(rules, content), count);
                let tint = tints.get(site.index()).copied().flatten();
                let dark = ground.is_dark(board, site);
                Place { site, name, x, y, outline, dark, tint, piece, count, label, words }
            })
            .collect();
        let line = |(a, b): (Site, Site)| (at(a), at(b));
        let lines = match ground {
            Ground::Points => board.links().into_iter().map(line).collect(),
            Ground::Crossings => crossing_links(rules).into_iter().map(line).collect(),
            _ => Vec::new(),
        };
        let dots = bare_corners(&places, board.vertices());
        let about = &rules.about;
        let seats = super::look::seats(rules);
        let caption_lines = caption(position);
        let standing: Vec<&str> = places
            .iter()
            .filter(|place| place.piece.is_some() || place.count.is_some_and(|count| count != 0))
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
            dots,
            places,
            labels,
            seats,
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

fn words(name: &str, content: &str, count: Option<i64>) -> String {
    match (content.split_once(':'), content.is_empty(), count) {
        (_, true, Some(count)) => format!("{name}: {count}"),
        (_, true, None) => name.to_owned(),
        (Some((kind, owner)), _, _) => format!("{name}: {kind} of {owner}"),
        (None, _, _) => format!("{name}: {content}"),
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

/// The sites beside each other without a site between, straight through the sides.
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

/// Whose each site is under the regions that the rules name for players. An earlier region goes before a later one, and
/// what a region gives to several players is nobody's.
fn tints(position: &Position) -> Vec<Option<PlayerId>> {
    let rules = position.game().rules();
    let state = &position.situation().state;
    let engine = position.game().engine();
    let mut tints = vec![None; rules.board.len()];
    let mut done = SiteSet::EMPTY;
    let regions = rules
        .words
        .iter()
        .enumerate()
        .filter(|(_, word)| word.region && word.params == [Type::Players] && word.result == Type::Sites);
    for (index, _) in regions {
        let of = |player: usize| engine.sites_of(state, WordId(index), PlayerId(player as u8));
        let sets: Vec<SiteSet> = (0..rules.players.len()).map(of).collect();
        let union = sets.iter().fold(SiteSet::EMPTY, |all, set| all | *set);
        for (player, set) in sets.iter().enumerate() {
            let elsewhere =
                |site: &Site| sets.iter().enumerate().all(|(other, set)| other == player || !set.contains(*site));
            for site in (*set - done).iter().filter(elsewhere) {
                if let Some(tint) = tints.get_mut(site.index()) {
                    *tint = Some(PlayerId(player as u8));
                }
            }
        }
        done |= union;
    }
    tints
}

/// The first numbers that the rules keep for each site.
fn counts(position: &Position) -> Option<Vec<i64>> {
    let rules = position.game().rules();
    let counted =
        |memory: &crate::rules::Memory| memory.declared && memory.scope == Scope::Site && memory.ty == Type::Number;
    let index = rules.memories.iter().position(counted)?;
    let values = position.game().engine().values(&position.situation().state, index);
    let number = |value: &Value| if let Value::Number(Some(number)) = value { *number } else { 0 };
    Some(values.iter().map(number).collect())
}
