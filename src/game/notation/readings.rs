//! What a text may mean that is no legal move: the notations it fits, with parts from all that the board has.

use super::{several, tidy, value_text};
use crate::board::{Direction, Directions, Site};
use crate::engine::reference::Reading;
use crate::rules::{
    ChoiceId, Expr, ExprKind, KindId, Kinds, Move, NotationPiece, PlayerId, Players, Rules, Signs, Type, Value,
};

/// A notation with many marks that may be left out fits a text in very many ways.
const MAX_STEPS: usize = 20_000;
const MAX_READINGS: usize = 64;

/// What is written as a dash, or as zero.
const DASH: Value = Value::Condition(None);

/// The moves, with values of parts, that a text is a notation of; if there are none, those that it begins.
///
/// A text that is neither gives what is left of it where the notation that comes furthest stops.
pub fn readings(rules: &Rules, input: &str) -> Result<Vec<Reading>, String> {
    let input = tidy(input);
    let mut whole = Vec::new();
    let mut begun = Vec::new();
    let mut left = input.len();
    for (id, mv) in rules.played_moves() {
        let mut fitting = Fitting { rules, mv, said: Vec::new(), steps: 0, left, whole: Vec::new(), begun: Vec::new() };
        fitting.fit(&mv.notation, &input);
        let reading = |said| Reading { mv: id, said };
        whole.extend(fitting.whole.into_iter().map(reading));
        begun.extend(fitting.begun.into_iter().map(reading));
        left = fitting.left;
    }
    match (whole.is_empty(), begun.is_empty() || input.is_empty()) {
        (false, _) => Ok(whole),
        (true, false) => Ok(begun),
        (true, true) => Err(input[input.len() - left..].to_owned()),
    }
}

/// Whether a text is a whole move in the notation of the rules, legal or not. A direction that the board does not have is no
/// part of one: `e8n` may be short for `e8ne` on hexes.
#[must_use]
pub fn is_written(rules: &Rules, input: &str) -> bool {
    let input = tidy(input);
    rules.played_moves().any(|(_, mv)| {
        let left = input.len();
        let mut fitting = Fitting { rules, mv, said: Vec::new(), steps: 0, left, whole: Vec::new(), begun: Vec::new() };
        fitting.fit(&mv.notation, &input);
        let ways = rules.board.ways();
        let is_there = |value: &Value| {
            let Value::Directions(wanted) = value else { return true };
            wanted.iter().all(|way| ways.contains(way))
        };
        fitting.whole.iter().any(|said| said.iter().all(|(_, value)| is_there(value)))
    })
}

/// A notation as the text of the rules has it, expressions left out.
#[must_use]
pub fn declared(mv: &Move) -> String {
    let piece = |piece: &NotationPiece| match piece {
        NotationPiece::Text(text) => text.clone(),
        NotationPiece::Optional { text, where_needed } => format!("[{text}]{}", if *where_needed { "?" } else { "" }),
        NotationPiece::Value { value, where_needed, dash, signs } => {
            let name =
                mv.names.iter().find(|named| matches!(value.kind, ExprKind::Local(local) if local == named.local));
            let mark = if *dash {
                "|-"
            } else if *where_needed {
                "?"
            } else {
                ""
            };
            let name = name.map_or("...", |named| named.name.as_str());
            match signs {
                None => format!("{{{name}{mark}}}"),
                Some(Signs { before, mark: true, .. }) => format!("[{before}]"),
                Some(Signs { before, behind, mark: false }) => format!("[{before}{{{name}}}{behind}]"),
            }
        }
    };
    mv.notation.iter().map(piece).collect()
}

/// One notation laid along a text.
struct Fitting<'a> {
    rules: &'a Rules,
    mv: &'a Move,
    said: Vec<(Expr, Value)>,
    steps: usize,
    /// The shortest rest of the text at which it stopped.
    left: usize,
    whole: Vec<Vec<(Expr, Value)>>,
    begun: Vec<Vec<(Expr, Value)>>,
}

impl Fitting<'_> {
    fn fit(&mut self, pieces: &[NotationPiece], rest: &str) {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return;
        }
        self.left = self.left.min(rest.len());
        let Some((piece, later)) = pieces.split_first() else {
            if rest.is_empty() {
                note(&mut self.whole, &self.said);
            }
            return;
        };
        match piece {
            NotationPiece::Text(text) => self.word(&text.to_lowercase(), later, rest),
            NotationPiece::Optional { text, .. } => {
                self.word(&text.to_lowercase(), later, rest);
                self.fit(later, rest);
            }
            NotationPiece::Value { value, signs: Some(signs), .. } => {
                self.signed(value, signs, later, rest);
                self.fit(later, rest);
            }
            NotationPiece::Value { value, where_needed, dash, signs: None } => {
                if rest.is_empty() && !where_needed {
                    return note(&mut self.begun, &self.said);
                }
                for (members, length) in self.members(value, rest) {
                    let kept = self.said.len();
                    self.said.extend(members);
                    self.fit(later, &rest[length..]);
                    self.said.truncate(kept);
                }
                let found = self.values(self.type_of(value), *dash, rest);
                for (found, length) in self.several(value, rest).into_iter().chain(found) {
                    self.said.push((value.clone(), found));
                    self.fit(later, &rest[length..]);
                    self.said.pop();
                }
                if *where_needed {
                    self.fit(later, rest);
                }
            }
        }
    }

    /// A value with signs around it, or the signs that tell that a condition holds.
    fn signed(&mut self, value: &Expr, signs: &Signs, later: &[NotationPiece], rest: &str) {
        let (before, behind) = (signs.before.to_lowercase(), signs.behind.to_lowercase());
        let Some(inner) = rest.strip_prefix(before.as_str()) else {
            if before.starts_with(rest) {
                note(&mut self.begun, &self.said);
            }
            return;
        };
        let found = if signs.mark {
            vec![(Value::Condition(Some(true)), 0)]
        } else {
            self.values(self.type_of(value), false, inner)
        };
        for (found, length) in found {
            if let Some(rest) = inner[length..].strip_prefix(behind.as_str()) {
                self.said.push((value.clone(), found));
                self.fit(later, rest);
                self.said.pop();
            }
        }
    }

    fn word(&mut self, word: &str, later: &[NotationPiece], rest: &str) {
        match rest.strip_prefix(word) {
            Some(rest) => self.fit(later, rest),
            None if word.starts_with(rest) || word.trim_end() == rest => note(&mut self.begun, &self.said),
            None => {}
        }
    }

    /// What a text says of the members of a pick of several, and how long that is.
    fn members(&self, value: &Expr, rest: &str) -> Vec<(Vec<(Expr, Value)>, usize)> {
        let ExprKind::Local(pick) = value.kind else { return Vec::new() };
        let names: Vec<_> = self.mv.names.iter().filter(|named| named.pick == Some(pick)).collect();
        if names.is_empty() {
            return Vec::new();
        }
        let said = |sites: Vec<Site>| {
            let all = sites.iter().copied().collect();
            let of = |local| Expr { kind: ExprKind::Local(local), span: value.span };
            let members = names.iter().zip(sites).map(|(named, site)| (of(named.local), Value::of_site(site)));
            members.chain([(value.clone(), Value::of_sites(all))]).collect()
        };
        several::sites(self.rules, names.len(), rest).into_iter().map(|(sites, length)| (said(sites), length)).collect()
    }

    /// The sets of several sites with which a text begins, where a value is no part and so may be one, and how long they are.
    fn several(&self, value: &Expr, rest: &str) -> Vec<(Value, usize)> {
        let is_part = |local| self.mv.names.iter().any(|named| named.local == local && named.part);
        if matches!(value.kind, ExprKind::Local(local) if is_part(local))
            || !matches!(self.type_of(value), Type::Sites | Type::Unknown)
        {
            return Vec::new();
        }
        let so_many = |count| Some(several::sites(self.rules, count, rest)).filter(|found| !found.is_empty());
        let sets = (2..).map_while(so_many).flatten();
        sets.map(|(sites, length)| (Value::of_sites(sites.into_iter().collect()), length)).collect()
    }

    /// The type of a part; other expressions may be anything.
    fn type_of(&self, value: &Expr) -> Type {
        let of = |local| self.mv.names.iter().find(|named| named.local == local).map(|named| named.ty);
        if let ExprKind::Local(local) = value.kind { of(local).unwrap_or(Type::Unknown) } else { Type::Unknown }
    }

    /// The values of a type with which a text begins, and how long they are.
    fn values(&self, ty: Type, dash: bool, rest: &str) -> Vec<(Value, usize)> {
        let rules = self.rules;
        let mut found = Vec::new();
        let mut add = |value: Value| {
            let text = value_text(rules, &value).to_lowercase();
            if !text.is_empty() && rest.starts_with(&text) {
                found.push((value, text.len()));
            }
        };
        let any = ty == Type::Unknown;
        if any || ty == Type::Sites {
            rules.board.all().iter().for_each(|site| add(Value::of_site(site)));
        }
        if any || ty == Type::Directions {
            Direction::ALL.into_iter().for_each(|way| add(Value::Directions(Directions::single(way))));
        }
        if any || ty == Type::Players {
            let players = (0..rules.players.len() as u8).map(PlayerId);
            players.for_each(|player| add(Value::Players(Players::single(player))));
        }
        if any || ty == Type::Kinds {
            let kinds = (0..rules.kinds.len() as u8).map(KindId);
            kinds.for_each(|kind| add(Value::Kinds(Kinds::single(kind))));
        }
        if any || ty == Type::Choice {
            let choices = (0..rules.choices.len()).filter_map(|choice| u16::try_from(choice).ok());
            choices.for_each(|choice| add(Value::Choice(ChoiceId(choice))));
        }
        if any || ty == Type::Number {
            found.extend(number(rest, dash));
        }
        if dash {
            found
                .extend(["--", "-", "0"].iter().filter(|dash| rest.starts_with(**dash)).map(|text| (DASH, text.len())));
        }
        found
    }
}

/// Keeps a reading; a notation that can be read in more ways than these is no help to anybody.
fn note(readings: &mut Vec<Vec<(Expr, Value)>>, said: &[(Expr, Value)]) {
    if readings.len() < MAX_READINGS {
        readings.push(said.to_vec());
    }
}

/// The number with which a text begins; a `+` is read only where a dash is.
fn number(text: &str, plus: bool) -> Option<(Value, usize)> {
    let sign = usize::from(text.starts_with('-') || plus && text.starts_with('+'));
    let digits = text[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let number = text[..sign + digits].parse().ok()?;
    Some((Value::Number(Some(number)), sign + digits))
}
