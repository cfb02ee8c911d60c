//! The rules of a game as a sheet for people, made from what its file says under the options chosen.

use crate::check::Project;
use crate::game::Game;
use crate::rules::catalogue::Id;
use crate::rules::{self, Call, Ending, EndingResult, NodeKind, Rules};
use crate::syntax::ast::{
    self, DutyKind, Expr, ExprKind, ItemKind, MoveItem, NotationPiece, Pattern, PatternKind, TurnOf,
};
use petgraph::visit::Dfs;
use std::collections::BTreeSet;
use std::fmt::Write as _;

pub struct Sheet<'a> {
    rules: &'a Rules,
    project: &'a Project,
}

/// How a phrase holds together: only a single thing, and what stands between semicolons, is clear without brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tightness {
    Else,
    Or,
    Then,
    Unit,
}

impl<'a> Sheet<'a> {
    pub fn new(game: &'a Game, project: &'a Project) -> Self {
        Self { rules: game.rules(), project }
    }

    /// The whole sheet, a line for each statement.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        let about = &self.rules.about;
        if !about.source.is_empty() {
            let _ = writeln!(out, "Source: {}", about.source);
        }
        let players: Vec<&str> = self.rules.players.iter().map(|player| player.name.as_str()).collect();
        let _ = writeln!(out, "\nPlayers: {}", players.join(", "));
        let piece = |kind: &crate::rules::Kind| match kind.neutral {
            true => format!("{} (neutral)", kind.name),
            false => format!("{} of each player", kind.name),
        };
        let pieces: Vec<String> = self.rules.kinds.iter().map(piece).collect();
        // Seeds in pits are numbers, not pieces.
        if !pieces.is_empty() {
            let _ = writeln!(out, "Pieces: {}", pieces.join(", "));
        }
        if let Some(most) = self.rules.stacks {
            let _ = writeln!(out, "Stacks: up to {most} pieces on a site; the top one counts as the piece of the site");
        }
        let moves = self.moves();
        let name =
            |mv: &MoveItem| if mv.chance { format!("{} (by chance)", mv.name.text) } else { mv.name.text.clone() };
        let rows = moves.iter().map(|mv| [name(mv), notation(mv), text(mv.doc.as_ref())]);
        out.push_str(&section("Moves:", rows.collect()));
        out.push_str(&section("Words:", self.words()));
        self.write_turns(&mut out);
        let rows = self.rules.endings.iter().map(|ending| [self.result(ending), String::new(), ending.reason.clone()]);
        out.push_str(&section("End, by the first that applies:", rows.collect()));
        self.write_score(&mut out);
        out
    }

    /// The words of the game's own files; those of the language need no explanation in every game.
    fn words(&self) -> Vec<[String; 3]> {
        let word = |word: &ast::Definition| {
            let params: Vec<&str> = word.params.iter().map(|param| param.name.text.as_str()).collect();
            let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
            word.doc.as_ref().map(|doc| [format!("{}{params}", word.name.text), String::new(), doc.text.clone()])
        };
        let own = self.project.items().filter(|item| !self.project.is_standard(item.span));
        own.filter_map(|item| match &item.kind {
            ItemKind::Word(definition) | ItemKind::Region(definition) => word(definition),
            _ => None,
        })
        .collect()
    }

    /// The moves that some turn plays, in the order of the text.
    pub fn moves(&self) -> Vec<&'a MoveItem> {
        let graph = &self.rules.graph;
        let mut played = BTreeSet::new();
        for turn in &self.rules.turns {
            let mut search = Dfs::new(graph, turn.entry);
            while let Some(node) = search.next(graph) {
                if let Some(NodeKind::Call(Call { mv, .. })) = graph.node_weight(node).map(|node| &node.kind) {
                    played.extend(self.rules.moves.get(mv.0).map(|mv| mv.name.as_str()));
                }
            }
        }
        let items = self.project.items().filter_map(|item| match &item.kind {
            ItemKind::Move(mv) if played.contains(mv.name.text.as_str()) => Some(mv),
            _ => None,
        });
        // Those of the prelude (pass, skip, stop) come first there, and last on a sheet.
        let (own, common): (Vec<_>, Vec<_>) = items.partition(|mv| !self.project.is_standard(mv.name.span));
        own.into_iter().chain(common).collect()
    }

    fn write_turns(&self, out: &mut String) {
        let mut named = Vec::new();
        out.push_str("\nTurn:\n");
        for turn in self.project.items().filter_map(|item| match &item.kind {
            ItemKind::Turn(turn) => Some(turn),
            _ => None,
        }) {
            let Some((pattern, _)) = self.phrase(&turn.pattern, &mut named) else { continue };
            let when = match &turn.of {
                TurnOf::Any if self.rules.turns.len() > 1 => "any other: ".to_owned(),
                TurnOf::Any => String::new(),
                TurnOf::Number(number) => format!("turn {number}: "),
                TurnOf::Phase(phase) => format!("in the phase {}: ", phase.text),
            };
            let _ = writeln!(out, "  {when}{pattern}");
            for duty in &turn.duties {
                if let Some(duty) = self.duty(duty) {
                    let _ = writeln!(out, "    {duty}");
                }
            }
        }
        let mut done = 0;
        // A pattern may name further ones.
        while let Some(name) = named.get(done).cloned() {
            done += 1;
            let found = self.project.items().find_map(|item| match &item.kind {
                ItemKind::Pattern { name: known, doc, pattern } if known.text == name => Some((doc, pattern)),
                _ => None,
            });
            let Some((doc, pattern)) = found else { continue };
            if let Some((phrase, _)) = self.phrase(pattern, &mut named) {
                let doc = doc.as_ref().map_or(String::new(), |doc| format!(" ({})", doc.text));
                let _ = writeln!(out, "  {name}: {phrase}{doc}");
            }
        }
    }

    fn duty(&self, duty: &ast::Duty) -> Option<String> {
        let open = match &duty.guard {
            Some(guard) => match self.decided(guard) {
                Some(false) => return None,
                Some(true) => None,
                None => Some(self.source(guard)),
            },
            None => None,
        };
        let when = open.map_or(String::new(), |guard| format!(" when {guard}"));
        if let Some(reason) = &duty.reason {
            return Some(format!("{}{when}", reason.text));
        }
        Some(match &duty.kind {
            DutyKind::Must(event) => format!("must, if possible: {}{when}", self.slice(event.span)),
            DutyKind::MustMost(number) => format!("must have the most {}{when}", self.source(number)),
            DutyKind::SuchThat(condition) => format!("such that {}{when}", self.source(condition)),
            DutyKind::ExtraTurn => format!("another turn{when}"),
        })
    }

    /// A pattern in words; none where the options switch it off. Patterns that it names are noted.
    fn phrase(&self, pattern: &Pattern, named: &mut Vec<String>) -> Option<(String, Tightness)> {
        let all = |parts: &[Pattern], by: &str, tightness: Tightness, named: &mut Vec<String>| {
            let phrases: Vec<_> = parts.iter().filter_map(|part| self.phrase(part, named)).collect();
            match phrases.as_slice() {
                [] => None,
                [single] => Some(single.clone()),
                several => {
                    let parts: Vec<String> = several.iter().map(|phrase| within(phrase, tightness)).collect();
                    Some((parts.join(by), tightness))
                }
            }
        };
        let unit = |part: &Pattern, named: &mut Vec<String>| {
            self.phrase(part, named).map(|phrase| within(&phrase, Tightness::Unit))
        };
        let phrase = match &pattern.kind {
            PatternKind::Sequence(parts) => return all(parts, ", then ", Tightness::Then, named),
            PatternKind::Either(parts) => return all(parts, " or ", Tightness::Or, named),
            PatternKind::Else(parts) => return all(parts, "; if that is impossible, ", Tightness::Else, named),
            PatternKind::When(part, guard) => match self.decided(guard) {
                Some(true) => return self.phrase(part, named),
                Some(false) => return None,
                None => format!("{} when {}", unit(part, named)?, self.source(guard)),
            },
            PatternKind::Nothing => "nothing".to_owned(),
            PatternKind::Name(name) => {
                if !named.contains(&name.text) {
                    named.push(name.text.clone());
                }
                name.text.clone()
            }
            PatternKind::Maybe(part) => format!("perhaps {}", unit(part, named)?),
            PatternKind::Again(part) => format!("any number of {}", unit(part, named)?),
            PatternKind::Chain(part) => format!("{} (and again with the same piece)", unit(part, named)?),
            PatternKind::ByIt(part) => format!("{} with the same piece", unit(part, named)?),
            PatternKind::With(part, condition) => format!("{} with {}", unit(part, named)?, self.source(condition)),
            PatternKind::Until(part, condition) => format!("{} until {}", unit(part, named)?, self.source(condition)),
            PatternKind::SuchThat(part, condition) => {
                format!("{} such that {}", unit(part, named)?, self.source(condition))
            }
        };
        Some((phrase, Tightness::Unit))
    }

    /// What a condition on options comes to; none for one that play decides.
    fn decided(&self, condition: &Expr) -> Option<bool> {
        let setting = |name: &str| {
            let found = self.rules.settings.iter().find(|(known, _)| known == name);
            found.map(|(_, setting)| self.rules.setting_text(*setting))
        };
        match &condition.kind {
            ExprKind::Name(name) => setting(name).map(|value| value == "yes"),
            ExprKind::Is { left, not, right } => match (&left.kind, &right.kind) {
                (ExprKind::Name(name), ExprKind::Name(value) | ExprKind::Bare(value)) => {
                    setting(name).map(|set| (set == *value) != *not)
                }
                (ExprKind::Name(name), ExprKind::Number(value)) => {
                    setting(name).map(|set| (set == value.to_string()) != *not)
                }
                _ => None,
            },
            ExprKind::Not(inner) => self.decided(inner).map(|holds| !holds),
            ExprKind::And(all) | ExprKind::Or(all) => {
                let last_word = matches!(condition.kind, ExprKind::Or(_));
                let parts: Vec<Option<bool>> = all.iter().map(|part| self.decided(part)).collect();
                if parts.contains(&Some(last_word)) {
                    Some(last_word)
                } else {
                    parts.iter().all(Option::is_some).then_some(!last_word)
                }
            }
            _ => None,
        }
    }

    /// Who gets what in an ending.
    pub fn result(&self, ending: &Ending) -> String {
        let verb = |wins: bool| if wins { "wins" } else { "loses" };
        let result = match &ending.result {
            EndingResult::Draw => "a draw".to_owned(),
            EndingResult::BestScore => "the best score wins".to_owned(),
            EndingResult::LowestScore => "the lowest score wins".to_owned(),
            EndingResult::Ranks(value) => format!("the most of {} wins", self.slice(value.span)),
            EndingResult::AnyPlayer { wins, .. } => format!("a player {}", verb(*wins)),
            EndingResult::Player { player, wins } => match &player.kind {
                rules::ExprKind::Primitive(word, _) if word.id == Id::Mover => format!("who has moved {}", verb(*wins)),
                rules::ExprKind::Primitive(word, _) if word.id == Id::Next => format!("who is to move {}", verb(*wins)),
                _ => format!("{} {}", self.slice(player.span), verb(*wins)),
            },
        };
        if ending.at_once { format!("{result} at once") } else { result }
    }

    fn write_score(&self, out: &mut String) {
        for item in self.project.items() {
            if let ItemKind::Score(score) = &item.kind {
                let doc = score.doc.as_ref().map_or_else(|| self.source(&score.body), |doc| doc.text.clone());
                let _ = writeln!(out, "\nScore: {doc}");
            }
        }
        let mut ahead = self.project.items().filter_map(|item| match &item.kind {
            ItemKind::Ties { players: Some(players), guard }
                if guard.as_ref().is_none_or(|guard| self.decided(guard) != Some(false)) =>
            {
                Some(self.source(players))
            }
            _ => None,
        });
        if let Some(first) = ahead.next() {
            let all: Vec<String> = std::iter::once(first).chain(ahead).collect();
            let _ = writeln!(out, "Ahead in a tie: {}", all.join("; then "));
        }
    }

    fn source(&self, expr: &Expr) -> String {
        self.slice(expr.span)
    }

    /// What stands at a place, on one line.
    fn slice(&self, span: crate::source::Span) -> String {
        self.project.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn within((phrase, tightness): &(String, Tightness), around: Tightness) -> String {
    let clear = around == Tightness::Else || *tightness == Tightness::Unit;
    if clear { phrase.clone() } else { format!("({phrase})") }
}

fn text(text: Option<&ast::Text>) -> String {
    text.map_or(String::new(), |text| text.text.clone())
}

/// How a move is written down, with its parts in angle brackets and what may be missing in square ones.
pub fn notation(mv: &MoveItem) -> String {
    let pieces = mv.notation.iter().flat_map(|notation| &notation.pieces);
    pieces
        .map(|piece| match piece {
            NotationPiece::Text(text) => text.clone(),
            NotationPiece::Optional { text, where_needed: _ } => format!("[{text}]"),
            NotationPiece::Value { text, where_needed: true, .. } => format!("[<{text}>]"),
            NotationPiece::Value { text, where_needed: false, .. } => format!("<{text}>"),
        })
        .collect()
}

/// Rows of a name, perhaps a notation, and an explanation, in columns below a title; empty without rows.
pub fn section(title: &str, rows: Vec<[String; 3]>) -> String {
    let mut out = String::new();
    if rows.is_empty() {
        return out;
    }
    let _ = writeln!(out, "\n{title}");
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    for [name, notation, doc] in &rows {
        let gap = if second == 0 { "" } else { "  " };
        let row = format!("  {name:first$}{gap}{notation:second$}  {doc}");
        let _ = writeln!(out, "{}", row.trim_end());
    }
    out
}
