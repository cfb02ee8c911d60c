//! Moves as other programs write them: as printed without blanks, by the sites they name, or as points of a Go board.
//!
//! All of it is derived from the legal plies of a position, so it holds for any game: what two plies would be called alike
//! is called as it is printed.

use crate::board::{Board, Site};
use crate::engine::reference::Ply;
use crate::game::Position;
use crate::rules::{Content, KindId, Rules, Value};
use std::collections::{HashMap, HashSet};

/// How moves are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// As printed, with `_` for blanks.
    Notation,
    /// From, to and what becomes of the piece, as in `e2e4` and `e7e8q`; `0000` for a pass.
    Sites,
    /// The one point that is named, as in `J9`, or `pass`.
    Vertices,
}

/// Why a text is no move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misread {
    /// No legal move is called so.
    None,
    /// These are.
    Several(Vec<String>),
}

/// The first letter that the Go Text Protocol leaves out.
const LEFT_OUT: char = 'i';

impl Style {
    /// By the word for a setting.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "notation" => Some(Self::Notation),
            "sites" => Some(Self::Sites),
            "points" => Some(Self::Vertices),
            _ => None,
        }
    }

    /// The legal moves of a position, in their order. Each is called differently.
    #[must_use]
    pub fn write_all(self, position: &Position) -> Vec<String> {
        let printed = || position.moves().iter().map(|text| without_blanks(text)).collect::<Vec<_>>();
        match self {
            Self::Notation => printed(),
            Self::Sites | Self::Vertices => {
                let plies = &position.situation().legal;
                let mut written: Vec<Option<String>> = match self {
                    Self::Vertices => (0..plies.len()).map(|index| vertex_of(position, index)).collect(),
                    Self::Sites | Self::Notation => plies.iter().map(|ply| by_parts(position, ply)).collect(),
                };
                if self == Self::Sites {
                    add_moved(position, &mut written);
                }
                let mut times = HashMap::new();
                written.iter().flatten().for_each(|text| *times.entry(text.clone()).or_insert(0) += 1);
                let only = |text: &String| times.get(text) == Some(&1);
                let written = written.into_iter().map(|text| text.filter(only));
                written.zip(printed()).map(|(text, printed)| text.unwrap_or(printed)).collect()
            }
        }
    }

    /// A legal move of a position by its number.
    #[must_use]
    pub fn write(self, position: &Position, index: usize) -> Option<String> {
        match self {
            Self::Notation => position.move_text(index).map(|text| without_blanks(&text)),
            Self::Sites | Self::Vertices => self.write_all(position).into_iter().nth(index),
        }
    }

    /// Which legal move a text means: one that is written so, else one that is printed so.
    pub fn read(self, position: &Position, text: &str) -> Result<usize, Misread> {
        let text = text.trim();
        let all = self.write_all(position);
        let same = |written: &&usize| all.get(**written).is_some_and(|written| written.eq_ignore_ascii_case(text));
        let numbers: Vec<usize> = (0..all.len()).collect();
        let found: Vec<usize> = numbers.iter().filter(same).copied().collect();
        match found.as_slice() {
            [only] => return Ok(*only),
            [] => {}
            several => return Err(Misread::Several(several.iter().filter_map(|at| all.get(*at).cloned()).collect())),
        }
        // Points of a Go board are other points in our letters.
        if self == Self::Vertices && is_vertex(text) {
            return Err(Misread::None);
        }
        let printed = |text: &str| match position.find(text) {
            Ok(index) => Ok(index),
            Err(crate::game::PlayError::Ambiguous { candidates, .. }) => Err(Misread::Several(candidates)),
            Err(_) => Err(Misread::None),
        };
        printed(text).or_else(|misread| printed(&text.replace('_', " ")).map_err(|_| misread))
    }
}

fn without_blanks(text: &str) -> String {
    text.replace(char::is_whitespace, "_")
}

/// The sites that a ply names, and the kind at the end, if these are all its parts.
fn by_parts(position: &Position, ply: &Ply) -> Option<String> {
    let rules = position.game().rules();
    let mut text = String::new();
    let (mut sites, mut ended) = (0, false);
    for value in ply.parts(rules) {
        match &value {
            Value::Sites(set) if !ended => {
                text.push_str(rules.board.name(set.only()?));
                sites += 1;
            }
            Value::Kinds(kinds) if sites > 0 && !ended => {
                text.push_str(&mark(rules, kinds.iter().next()?)?);
                ended = true;
            }
            _ => return None,
        }
    }
    (sites > 0).then_some(text)
}

fn mark(rules: &Rules, kind: KindId) -> Option<String> {
    rules.kinds.get(usize::from(kind.0)).map(|kind| kind.mark.to_lowercase())
}

/// Plies whose parts do not say what moves, as castling, are called by what they move; of several pieces by the one whose
/// way no other ply is called by.
fn add_moved(position: &Position, written: &mut [Option<String>]) {
    let known: HashSet<String> = written.iter().flatten().cloned().collect();
    for (index, text) in written.iter_mut().enumerate().filter(|(_, text)| text.is_none()) {
        let moved = moved(position, index);
        *text = match moved.as_slice() {
            [] => Some("0000".to_owned()),
            all => all.iter().find(|way| !known.contains(*way)).cloned(),
        };
    }
}

/// What a ply moves, as from and to; or where it puts something.
fn moved(position: &Position, index: usize) -> Vec<String> {
    let Some(after) = position.play_index(index) else { return Vec::new() };
    let rules = position.game().rules();
    let board = &rules.board;
    let (old, new) = (&position.situation().state, &after.situation().state);
    let changed: Vec<Site> = after.changed_since(position).iter().collect();
    let left: Vec<Site> = changed.iter().copied().filter(|site| !old.content(*site).is_empty()).collect();
    let came = changed.iter().copied().filter(|site| !new.content(*site).is_empty());
    came.filter_map(|to| {
        let now = new.content(to);
        let same = |from: &&Site| old.content(**from) == now;
        let other = |from: &&Site| old.content(**from).owner() == now.owner() && new.content(**from).is_empty();
        let name = |site: Site| board.name(site);
        Some(match (left.iter().find(same), left.iter().find(other)) {
            (Some(from), _) => format!("{}{}", name(*from), name(to)),
            (None, Some(from)) => format!("{}{}{}", name(*from), name(to), mark_of(rules, now)?),
            (None, None) => name(to).to_owned(),
        })
    })
    .collect()
}

fn mark_of(rules: &Rules, content: Content) -> Option<String> {
    mark(rules, content.kind()?)
}

/// A ply that names one point and nothing else, or nothing and changes nothing on the board.
fn vertex_of(position: &Position, index: usize) -> Option<String> {
    let ply = position.situation().legal.get(index)?;
    let rules = position.game().rules();
    let mut parts = ply.parts(rules);
    match (parts.next(), parts.next()) {
        (None, _) => is_pass(position, index).then(|| "pass".to_owned()),
        (Some(value), None) => vertex(&rules.board, value.site()?),
        (Some(_), Some(_)) => None,
    }
}

/// Whether a ply leaves the board, and who plays what, as they are.
fn is_pass(position: &Position, index: usize) -> bool {
    let Some(after) = position.play_index(index) else { return false };
    let engine = position.game().engine();
    let seats = |position: &Position| {
        let state = &position.situation().state;
        (0..2).map(|side| engine.seat(state, crate::rules::PlayerId(side))).collect::<Vec<_>>()
    };
    after.changed_since(position).is_empty() && seats(position) == seats(&after)
}

/// The column and row in the name of a site, from 1: one small letter and a number.
pub fn place(board: &Board, site: Site) -> Option<(usize, usize)> {
    let name = board.name(site);
    let letter = name.chars().next().filter(char::is_ascii_lowercase)?;
    let row = name.get(1..)?.parse().ok()?;
    Some((('a'..='z').position(|known| known == letter)? + 1, row))
}

/// Whether the letter I is left out of the columns: on boards of squares, as the protocol has it, but not on others, as
/// programs for Hex have it.
fn leaves_out(board: &Board) -> bool {
    board.orthogonal().iter().count() == 4
}

/// A site as a point in the words of the Go Text Protocol.
#[must_use]
pub fn vertex(board: &Board, site: Site) -> Option<String> {
    let (column, row) = place(board, site)?;
    let letters = |letter: &char| !leaves_out(board) || *letter != LEFT_OUT;
    let letter = ('a'..='z').filter(letters).nth(column - 1)?;
    Some(format!("{}{row}", letter.to_ascii_uppercase()))
}

/// Whether a text is a point of some board.
#[must_use]
pub fn is_vertex(text: &str) -> bool {
    let mut letters = text.chars();
    let letter = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic());
    letter && letters.as_str().parse::<u32>().is_ok_and(|row| row > 0)
}
