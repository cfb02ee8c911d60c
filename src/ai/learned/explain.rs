//! What was learnt, as people can read it: the patterns that weigh most, with what stands where.

use super::weights::{Weight, Weights};
use crate::board::Site;
use crate::game::Game;
use crate::rules::Content;

/// What was told less of is not known well enough to be told.
const ENOUGH: f32 = 1.0;

/// A pattern with what stands on its sites.
#[derive(Clone, PartialEq, Debug)]
pub struct Feature {
    /// What it adds to the odds of the player named, as a logarithm.
    pub weight: f32,
    /// For whom it speaks.
    pub player: String,
    /// Who is to move.
    pub mover: String,
    /// The names of sites with what stands there, `empty` for nothing.
    pub sites: Vec<(String, String)>,
    /// A picture: a character for each site of the pattern, a dot for the others.
    pub picture: Vec<String>,
}

/// The heaviest patterns, at most so many; of those that share a weight by symmetry the first.
pub(crate) fn heaviest(game: &Game, weights: &Weights, most: usize) -> Vec<Feature> {
    let mut known: Vec<Weight> = weights.each().filter(|weight| weight.moved >= ENOUGH).collect();
    // What was seen seldom weighs much by chance.
    let rank = |weight: &Weight| weight.value.abs() * weight.moved.sqrt().min(10.0);
    known.sort_by(|a, b| rank(b).total_cmp(&rank(a)).then(a.index.cmp(&b.index)));
    known.into_iter().filter_map(|weight| feature(game, weights, weight)).take(most).collect()
}

fn feature(game: &Game, weights: &Weights, weight: Weight) -> Option<Feature> {
    let shape = &weights.shape;
    let (bank, index) = (weight.index / shape.bank(), weight.index % shape.bank());
    let of = |pattern: &&super::shape::Pattern| {
        let size = u32::try_from(pattern.cells.len()).map_or(usize::MAX, |sites| pattern.radix.saturating_pow(sites));
        (pattern.table..pattern.table.saturating_add(size)).contains(&index)
    };
    let pattern = shape.patterns.iter().find(of)?;
    let mut left = index - pattern.table;
    let mut stands: Vec<(Site, Content)> = Vec::new();
    for cell in pattern.cells.iter().rev() {
        let number = left.checked_rem(pattern.radix)?;
        left /= pattern.radix;
        let site = shape.places.iter().position(|place| *place == usize::from(*cell)).and_then(Site::from_index);
        // What lies beyond the board is not shown.
        if let (Some(site), Some(content)) = (site, shape.contents.get(number)) {
            stands.push((site, *content));
        }
    }
    stands.reverse();
    // A pattern that is empty says little to anybody.
    stands.iter().any(|(_, content)| !content.is_empty()).then_some(())?;
    let names = &game.rules().players;
    let player = |index: usize| names.get(index).map_or_else(String::new, |player| player.name.clone());
    Some(Feature {
        weight: weight.value.abs(),
        player: player(usize::from(weight.value < 0.0)),
        mover: player(bank),
        sites: stands
            .iter()
            .map(|(site, content)| (game.rules().board.name(*site).to_owned(), told(game, *content)))
            .collect(),
        picture: picture(game, &stands),
    })
}

/// A piece in words.
fn told(game: &Game, content: Content) -> String {
    let rules = game.rules();
    let Some(kind) = content.kind().and_then(|kind| rules.kinds.get(usize::from(kind.0))) else {
        return "empty".to_owned();
    };
    match content.owner().and_then(|owner| rules.players.get(usize::from(owner.0))) {
        Some(owner) => format!("{} of {}", kind.name, owner.name),
        None => kind.name.clone(),
    }
}

/// The sites of the pattern where they lie, and around them those of the board.
fn picture(game: &Game, stands: &[(Site, Content)]) -> Vec<String> {
    let board = &game.rules().board;
    let shown: Vec<(f64, f64)> = stands.iter().map(|(site, _)| board.xy(*site)).collect();
    let bound =
        |of: fn(&(f64, f64)) -> f64, pick: fn(f64, f64) -> f64, from: f64| shown.iter().map(of).fold(from, pick);
    let (left, right) = (bound(|at| at.0, f64::min, f64::MAX) - 1.1, bound(|at| at.0, f64::max, f64::MIN) + 1.1);
    let (top, bottom) = (bound(|at| at.1, f64::min, f64::MAX) - 1.1, bound(|at| at.1, f64::max, f64::MIN) + 1.1);
    let mut marks: Vec<(i64, i64, String)> = Vec::new();
    for site in board.all().iter() {
        let (x, y) = board.xy(site);
        if !(left..=right).contains(&x) || !(top..=bottom).contains(&y) {
            continue;
        }
        let mark = stands
            .iter()
            .find(|(own, _)| *own == site)
            .map_or_else(|| "·".to_owned(), |(_, content)| mark(game, *content));
        // Two characters for each step to the right, so that hexes fit between.
        marks.push((
            (y * 1.16).round().clamp(-1e6, 1e6) as i64,
            ((x - left) * 2.0).round().clamp(0.0, 1e6) as i64,
            mark,
        ));
    }
    marks.sort();
    let mut rows: Vec<String> = Vec::new();
    let mut row = None;
    for (y, x, mark) in marks {
        if row != Some(y) {
            rows.push(String::new());
            row = Some(y);
        }
        if let Some(line) = rows.last_mut() {
            let at = usize::try_from(x).unwrap_or(0);
            let gap = at.saturating_sub(line.chars().count());
            line.push_str(&" ".repeat(gap));
            line.push_str(&mark);
        }
    }
    rows
}

/// A character for what stands on a site of a pattern: as in drawings, with the second player's in small letters.
fn mark(game: &Game, content: Content) -> String {
    let rules = game.rules();
    let Some(owner) = content.owner() else {
        return content.kind().map_or("_", |_| "*").to_owned();
    };
    let initial = |name: &str| name.chars().next().unwrap_or('?').to_string();
    let kinds = rules.kinds.iter().filter(|kind| !kind.neutral).count();
    let kind = content.kind().and_then(|kind| rules.kinds.get(usize::from(kind.0)));
    if kinds < 2 {
        return rules.players.get(usize::from(owner.0)).map_or_else(String::new, |player| initial(&player.name));
    }
    let mark = kind.map_or_else(String::new, |kind| initial(&kind.name));
    if owner.0 == 0 { mark.to_uppercase() } else { mark.to_lowercase() }
}
