//! Moves as text: printed as the rules declare, read leniently but never ambiguously.

mod readings;
mod several;

pub use readings::{declared, is_written, readings};

use crate::board::{Board, Direction};
use crate::engine::reference::{Ply, Reference, State};
use crate::rules::{Move, NodeKind, NotationPiece, PlayerId, Rules, Signs, Value};
use std::collections::HashMap;

/// A part of a printed move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Always(String),
    /// Printed where two legal moves would else look alike.
    Needed(String),
    /// Printed where there is something, and left out on input at will.
    Optional(String),
    /// A number or a choice; none and zero are `-`.
    Dash(String),
    /// Several sites, in the order of the board.
    Set(String),
}

impl Piece {
    fn text(&self) -> &str {
        match self {
            Piece::Always(text)
            | Piece::Needed(text)
            | Piece::Optional(text)
            | Piece::Dash(text)
            | Piece::Set(text) => text,
        }
    }
}

/// The legal moves of a position as text.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    pieces: Vec<Vec<Piece>>,
    printed: Vec<String>,
    /// Further names of sites, with the ones that are printed.
    names: HashMap<String, String>,
}

/// What an input may mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    One(usize),
    None,
    Several(Vec<usize>),
}

impl Texts {
    #[must_use]
    pub fn new(engine: &Reference, state: &State, plies: &[Ply]) -> Self {
        let pieces: Vec<Vec<Piece>> = plies.iter().map(|ply| pieces_of(engine, state, ply)).collect();
        let mut printed = told_apart(&pieces);
        // Rules whose notation cannot tell two moves apart: a number does.
        let mut before: HashMap<String, usize> = HashMap::new();
        for index in alike(&printed) {
            let times = before.entry(printed[index].clone()).or_default();
            *times += 1;
            if *times > 1 {
                printed[index] = format!("{}~{times}", printed[index]);
            }
        }
        let board = &engine.rules().board;
        let names =
            board.other_names().map(|(name, site)| (name.to_lowercase(), board.name(site).to_owned())).collect();
        Self { pieces, printed, names }
    }

    #[must_use]
    pub fn printed(&self) -> &[String] {
        &self.printed
    }

    /// The moves that a text fits: as printed, else with remarks, else in any of the accepted forms, else as a beginning.
    #[must_use]
    pub fn find(&self, rules: &Rules, input: &str) -> Found {
        // A notation may have the sign of a remark.
        let exact = self.renamed(&spaced(input));
        let input = self.renamed(&tidy(input));
        let matching =
            |fits: &dyn Fn(usize) -> bool| (0..self.printed.len()).filter(|index| fits(*index)).collect::<Vec<_>>();
        let as_printed = |index: usize| spaced(&self.printed[index]) == exact;
        let with_remarks = |index: usize| spaced(&self.printed[index]) == input;
        let plain = |index: usize| tidy(&self.printed[index]) == input;
        let form = |index: usize| {
            let input = if self.pieces[index].iter().any(|piece| matches!(piece, Piece::Dash(_))) {
                dashed(&input)
            } else {
                input.clone()
            };
            forms(&self.pieces[index]).iter().any(|form| tidy(form) == input)
        };
        let beginning = |index: usize| {
            let input = if self.pieces[index].iter().any(|piece| matches!(piece, Piece::Dash(_))) {
                dashed(&input)
            } else {
                input.clone()
            };
            !input.is_empty() && forms(&self.pieces[index]).iter().any(|form| tidy(form).starts_with(&input))
        };
        // What is a whole move, legal or not, is not the beginning of a longer one: `a1` does not stand for `a10`.
        let begun = || if is_written(rules, &input) { Vec::new() } else { matching(&beginning) };
        let in_any_order = |index: usize| {
            let pieces = &self.pieces[index];
            pieces.iter().any(|piece| matches!(piece, Piece::Set(_))) && several::fits(pieces, &input)
        };
        let ways: [&dyn Fn() -> Vec<usize>; 6] = [
            &|| matching(&as_printed),
            &|| matching(&with_remarks),
            &|| matching(&plain),
            &|| matching(&form),
            &|| matching(&in_any_order),
            &begun,
        ];
        let found = ways.iter().map(|way| way()).find(|found| !found.is_empty());
        match found.as_deref() {
            None | Some([]) => Found::None,
            Some([only]) => Found::One(*only),
            Some(several) => Found::Several(several.to_vec()),
        }
    }
}

impl Texts {
    /// A move with all that may be left out.
    pub(super) fn whole(&self, index: usize) -> String {
        self.pieces.get(index).map_or(String::new(), |pieces| print(pieces, usize::MAX))
    }
}

/// A text without the signs that only decorate a move: from to, takes, check, mate, becomes.
pub(super) fn bare(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '-' | '+' | '#' | '=' | '!' | '?' | ':' | 'x') && !c.is_whitespace()).collect()
}

/// Whether a bare text is short for a move whose last site is known.
pub(super) fn is_short_for(input: &str, whole: &str, last: &str) -> bool {
    let whole = bare(whole);
    let Some((start, end)) = whole.rfind(last).map(|at| whole.split_at(at)) else { return false };
    let Some(begun) = input.strip_suffix(end) else { return false };
    let mut letters = start.chars();
    begun.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

impl Texts {
    /// The text with sites called as they are printed.
    fn renamed(&self, text: &str) -> String {
        if self.names.is_empty() {
            return text.to_owned();
        }
        let mut renamed = String::new();
        for part in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
            let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
            renamed.push_str(self.names.get(word).map_or(word, String::as_str));
            renamed.push_str(&part[word.len()..]);
        }
        renamed
    }
}

/// The indices of texts that stand more than once.
fn alike(texts: &[String]) -> Vec<usize> {
    let mut counts = HashMap::new();
    for text in texts {
        *counts.entry(text.clone()).or_insert(0usize) += 1;
    }
    (0..texts.len()).filter(|index| counts.get(&texts[*index]).is_some_and(|count| *count > 1)).collect()
}

/// How plies are printed beside each other: where two look alike, more and more of what may be left out.
pub(super) fn told_apart(pieces: &[Vec<Piece>]) -> Vec<String> {
    let mut printed: Vec<String> = pieces.iter().map(|pieces| print(pieces, 0)).collect();
    let most =
        pieces.iter().map(|pieces| pieces.iter().filter(|piece| matches!(piece, Piece::Needed(_))).count()).max();
    for needed in 1..=most.unwrap_or(0) {
        for index in alike(&printed) {
            printed[index] = print(&pieces[index], needed);
        }
    }
    printed
}

fn print(pieces: &[Piece], needed: usize) -> String {
    let mut left = needed;
    let mut text = String::new();
    for piece in pieces {
        if matches!(piece, Piece::Needed(_)) {
            if left == 0 {
                continue;
            }
            left -= 1;
        }
        text.push_str(piece.text());
    }
    text
}

/// Every text that means the move: with and without what may be left out.
fn forms(pieces: &[Piece]) -> Vec<String> {
    let mut forms = vec![String::new()];
    for piece in pieces {
        let without = forms.clone();
        for form in &mut forms {
            form.push_str(piece.text());
        }
        if matches!(piece, Piece::Needed(_) | Piece::Optional(_)) && forms.len() < 64 {
            forms.extend(without);
        }
    }
    forms
}

/// Small letters, single blanks, no remarks.
fn tidy(text: &str) -> String {
    spaced(&text.replace(['!', '?'], ""))
}

/// Small letters, single blanks.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// `--` and `0` mean `-`, `+2` means `2`.
fn dashed(text: &str) -> String {
    text.split(' ')
        .map(|token| match token {
            "--" | "0" => "-",
            token => token.strip_prefix('+').filter(|rest| rest.parse::<i64>().is_ok()).unwrap_or(token),
        })
        .collect::<Vec<_>>()
        .join(" ")
}

fn pieces_of(engine: &Reference, state: &State, ply: &Ply) -> Vec<Piece> {
    let rules = engine.rules();
    let Some(mv) = rules.moves.get(ply.mv.0) else { return Vec::new() };
    pieces(rules, mv, &engine.shown(state, ply))
}

/// The parts of a printed move, of which the notation shows these values.
pub(super) fn pieces(rules: &Rules, mv: &Move, shown: &[Value]) -> Vec<Piece> {
    let mut shown = shown.iter();
    mv.notation
        .iter()
        .map(|piece| match piece {
            NotationPiece::Text(text) => Piece::Always(text.clone()),
            NotationPiece::Optional { text, where_needed: true } => Piece::Needed(text.clone()),
            NotationPiece::Optional { text, where_needed: false } => Piece::Optional(text.clone()),
            NotationPiece::Value { where_needed, signs: Some(signs), .. } => {
                let text = shown.next().map_or(String::new(), |value| signed(rules, value, signs));
                match (text.is_empty(), where_needed) {
                    (true, _) => Piece::Always(text),
                    (false, true) => Piece::Needed(text),
                    (false, false) => Piece::Optional(text),
                }
            }
            NotationPiece::Value { where_needed, dash, signs: None, .. } => {
                let value = shown.next();
                let text = value.map_or(String::new(), |value| value_text(rules, value));
                if *dash {
                    let none = text.is_empty() || value == Some(&Value::Number(Some(0)));
                    Piece::Dash(if none { "-".to_owned() } else { text })
                } else if *where_needed {
                    Piece::Needed(text)
                } else if matches!(value, Some(Value::Sites(sites)) if sites.len() > 1) {
                    Piece::Set(text)
                } else {
                    Piece::Always(text)
                }
            }
        })
        .collect()
}

/// A value with the signs around it; of a condition that holds the signs alone, and nothing where there is nothing.
pub(super) fn signed(rules: &Rules, value: &Value, signs: &Signs) -> String {
    let text = match value {
        Value::Condition(Some(true)) if signs.mark => String::new(),
        Value::Condition(_) if signs.mark => return String::new(),
        value => value_text(rules, value),
    };
    if text.is_empty() && !signs.mark { text } else { format!("{}{text}{}", signs.before, signs.behind) }
}

/// A ply printed without regard to others that might look alike.
#[must_use]
pub fn ply_text(engine: &Reference, state: &State, ply: &Ply) -> String {
    print(&pieces_of(engine, state, ply), 0)
}

/// A ply as a player reads it who does not see all of it: `?` for each value that is made of a hidden part, or for the whole.
/// None where all of it is seen.
pub(super) fn seen_ply(engine: &Reference, state: &State, ply: &Ply, player: PlayerId) -> Option<String> {
    let mut hidden = engine.unseen_parts(state, ply, player)?.to_vec();
    let mv = engine.rules().moves.get(ply.mv.0).filter(|_| !hidden.is_empty());
    let Some(mv) = mv else { return Some("?".to_owned()) };
    // What is worked out from a hidden part could tell of it.
    for line in mv.lines.iter().filter_map(|line| engine.rules().graph.node_weight(*line)) {
        if let NodeKind::Let { local, value, .. } = &line.kind
            && hidden.iter().any(|part| value.asks_for(*part))
        {
            hidden.push(*local);
        }
    }
    let pieces = pieces(engine.rules(), mv, &engine.shown(state, ply)).into_iter().zip(&mv.notation);
    let shown = pieces.map(|(piece, notation)| match notation {
        NotationPiece::Value { value, .. } if hidden.iter().any(|part| value.asks_for(*part)) => "?".to_owned(),
        NotationPiece::Optional { where_needed: true, .. } => String::new(),
        NotationPiece::Text(_) | NotationPiece::Optional { .. } | NotationPiece::Value { .. } => {
            piece.text().to_owned()
        }
    });
    Some(shown.collect())
}

/// A direction as players write it; paths as the rules call them.
fn way_text(board: &Board, way: Direction) -> String {
    if board.compass().contains(way) { way.name().to_lowercase() } else { board.way_name(way) }
}

/// A value as players write it; directions in small letters.
#[must_use]
pub fn value_text(rules: &Rules, value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(" ");
    match value {
        Value::Number(number) => number.map_or(String::new(), |number| number.to_string()),
        Value::Sites(sites) => joined(sites.iter().map(|site| rules.board.name(site).to_owned()).collect()),
        Value::Directions(directions) => joined(directions.iter().map(|way| way_text(&rules.board, way)).collect()),
        Value::Players(players) => joined(
            players
                .iter()
                .filter_map(|player| rules.players.get(usize::from(player.0)))
                .map(|player| player.name.clone())
                .collect(),
        ),
        Value::Kinds(kinds) => joined(
            kinds
                .iter()
                .filter_map(|kind| rules.kinds.get(usize::from(kind.0)))
                .map(|kind| kind.mark.clone())
                .collect(),
        ),
        Value::Choice(choice) => rules.choice(*choice).to_owned(),
        Value::Condition(condition) => {
            condition.map_or(String::new(), |condition| if condition { "yes" } else { "no" }.to_owned())
        }
        Value::Piece(piece) => piece.map_or(String::new(), |piece| content_text(rules, piece)),
        Value::Range(_) | Value::List(_) => String::new(),
    }
}

/// `ball`, or `disc:Black`.
#[must_use]
pub fn content_text(rules: &Rules, content: crate::rules::Content) -> String {
    let Some(kind) = content.kind().and_then(|kind| rules.kinds.get(usize::from(kind.0))) else { return String::new() };
    match content.owner().and_then(|owner| rules.players.get(usize::from(owner.0))) {
        Some(player) => format!("{}:{}", kind.name, player.name),
        None => kind.name.clone(),
    }
}
