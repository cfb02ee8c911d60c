//! The rules of a game as a sheet for people, made from what its file says under the options chosen.

use crate::board::Stretch;
use crate::check::Project;
use crate::game::Game;
use crate::rules::catalogue::Id;
use crate::rules::{self, Call, Ending, EndingResult, NodeKind, PlayerId, Rules, Stacking, Value};
use crate::syntax::ast::{
    self, CompareOp, DutyKind, Expr, ExprKind, HiddenItem, ItemKind, MoveItem, NotationPiece, Pattern, PatternKind,
    Period, TurnOf,
};
use petgraph::visit::Dfs;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What stands on a sheet.
#[derive(Clone, Debug, Serialize)]
pub struct Content {
    pub source: String,
    pub players: Vec<String>,
    pub pieces: Vec<String>,
    /// What a site can hold, where that is more than one piece.
    pub stacks: Option<String>,
    /// What goes along with pieces.
    pub carried: Vec<String>,
    /// The paths with the sites along them.
    pub paths: Vec<[String; 2]>,
    pub moves: Vec<MoveRow>,
    /// Words of the game with what they mean.
    pub terms: Vec<[String; 2]>,
    pub turn: Vec<String>,
    /// Who gets what, and why.
    pub endings: Vec<[String; 2]>,
    pub score: Vec<String>,
    /// What a player does not see, with what that means.
    pub hidden: Vec<[String; 2]>,
}

/// A move as it stands on a sheet.
#[derive(Clone, Debug, Serialize)]
pub struct MoveRow {
    pub name: String,
    pub chance: bool,
    pub notation: String,
    pub doc: String,
}

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
        let Content { source, players, pieces, stacks, carried, paths, moves, terms, turn, endings, score, hidden } =
            self.content();
        let mut out = String::new();
        if !source.is_empty() {
            let _ = writeln!(out, "Source: {source}");
        }
        let _ = writeln!(out, "\nPlayers: {}", players.join(", "));
        if let Some(order) = self.order() {
            let _ = writeln!(out, "Turns: {order}");
        }
        // Seeds in pits are numbers, not pieces.
        if !pieces.is_empty() {
            let _ = writeln!(out, "Pieces: {}", pieces.join(", "));
        }
        if let Some(stacks) = stacks {
            let _ = writeln!(out, "Stacks: {stacks}");
        }
        for value in carried {
            let _ = writeln!(out, "Each piece: {value}");
        }
        let row = |[name, doc]: [String; 2]| [name, String::new(), doc];
        out.push_str(&section("Paths:", paths.into_iter().map(row).collect()));
        let name = |row: &MoveRow| if row.chance { format!("{} (by chance)", row.name) } else { row.name.clone() };
        let rows = moves.into_iter().map(|row| [name(&row), row.notation, row.doc]);
        out.push_str(&section("Moves:", rows.collect()));
        out.push_str(&section("What the words mean:", terms.into_iter().map(row).collect()));
        out.push_str("\nA turn:\n");
        for line in turn {
            let _ = writeln!(out, "  {line}");
        }
        out.push_str(&section(
            "The game ends by the first of these that applies:",
            endings.into_iter().map(row).collect(),
        ));
        if !score.is_empty() {
            let _ = write!(out, "\n{}\n", score.join("\n"));
        }
        out.push_str(&section("What a player does not see:", hidden.into_iter().map(row).collect()));
        out
    }

    /// Whose turns follow each other, where that is not the order of the players.
    fn order(&self) -> Option<String> {
        let names = |order: &[PlayerId]| {
            let names = order.iter().filter_map(|player| self.rules.players.get(usize::from(player.0)));
            names.map(|player| player.name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let order = &self.rules.order;
        if order.len() == self.rules.players.len() && order.is_sorted() && self.rules.opening == 0 {
            return None;
        }
        let (opening, round) = order.split_at_checked(self.rules.opening)?;
        Some(match opening {
            [] => format!("{}, and so on", names(round)),
            _ => format!("first {}, then {}, and so on", names(opening), names(round)),
        })
    }

    /// What stands on the sheet, statement by statement.
    #[must_use]
    pub fn content(&self) -> Content {
        let piece = |kind: &crate::rules::Kind| match kind.neutral {
            true => format!("{} (belongs to nobody)", kind.name),
            false => format!("{} of each player", kind.name),
        };
        let rows = self.moves().into_iter().map(|mv| MoveRow {
            name: mv.name.text.clone(),
            chance: mv.chance,
            notation: notation(mv),
            doc: text(mv.doc.as_ref()),
        });
        let moves: Vec<MoveRow> = rows.collect();
        let endings: Vec<[String; 2]> =
            self.rules.endings.iter().map(|ending| [self.result(ending), ending.reason.clone()]).collect();
        let (turn, score) = (self.turns(), self.score());
        let said = moves.iter().map(|row| &row.doc).chain(endings.iter().map(|[_, reason]| reason));
        let said: Vec<&str> = said.chain(&turn).chain(&score).map(String::as_str).collect();
        let terms = self.terms(&said.join("\n"));
        Content {
            source: self.rules.about.source.clone(),
            players: self.rules.players.iter().map(|player| player.name.clone()).collect(),
            pieces: self.rules.kinds.iter().map(piece).collect(),
            stacks: self.rules.stacks.map(|Stacking { most, .. }| {
                format!("up to {most} pieces on a site; the top one counts as the piece of the site")
            }),
            carried: self.carried(),
            paths: self.paths(),
            moves,
            terms,
            turn,
            endings,
            score,
            hidden: self.hidden(),
        }
    }

    /// What each path of the text is, and where it leads.
    fn paths(&self) -> Vec<[String; 2]> {
        let board = &self.rules.board;
        let sites = |stretch: &Stretch| {
            let names: Vec<&str> = stretch.sites.iter().map(|site| board.name(*site)).collect();
            if stretch.round { format!("{} and round again", names.join(" ")) } else { names.join(" ") }
        };
        let row = |item: &ast::PathItem| {
            let path = board.paths().iter().find(|path| path.name == item.name.text)?;
            let stretches = path.stretches.iter().map(sites).collect::<Vec<_>>().join("; ");
            let doc = item.doc.as_ref().map_or(String::new(), |doc| format!("{}: ", doc.text));
            Some([item.name.text.replace('_', " "), format!("{doc}{stretches}")])
        };
        let items = self.project.items().filter_map(|item| match &item.kind {
            ItemKind::Path(path) => Some(path),
            _ => None,
        });
        items.filter_map(row).collect()
    }

    /// The values that go along with pieces, each in a sentence.
    fn carried(&self) -> Vec<String> {
        let items = self.project.items().filter_map(|item| match &item.kind {
            ItemKind::Track(track) => Some(track),
            _ => None,
        });
        let of_pieces = items.filter_map(|track| {
            let memory =
                self.rules.memories.iter().find(|memory| memory.with_piece && memory.span == track.name.span)?;
            let values = match (&track.values, memory.range) {
                (_, Some((low, high))) => format!("a number from {low} to {high}"),
                (ast::Values::List(list), None) => {
                    let names: Vec<String> = list.iter().map(|value| value.kind.to_string()).collect();
                    match names.as_slice() {
                        [only] => format!("a {only}"),
                        names => names.join(" or "),
                    }
                }
                (ast::Values::Range { .. }, None) => return None,
            };
            let first = match memory.first.as_constant() {
                Some(Value::Number(Some(number))) => number.to_string(),
                Some(Value::Choice(choice)) => self.rules.choice(*choice).to_owned(),
                Some(_) | None => "none".to_owned(),
            };
            let name = track.name.text.replace('_', " ");
            let doc = track.doc.as_ref().map_or_else(String::new, |doc| format!(" ({})", doc.text));
            Some(format!("it carries its {name}{doc} with it, {values}; {first} for a new piece"))
        });
        of_pieces.collect()
    }

    /// The words of the game's own files that its explanations use; the others are for those who read the rule text.
    fn terms(&self, said: &str) -> Vec<[String; 2]> {
        let said: Vec<&str> = said.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let word = |word: &ast::Definition| {
            let name = &word.name.text;
            let used = said.contains(&name.as_str());
            word.doc.as_ref().filter(|_| used).map(|doc| [name.replace('_', " "), doc.text.clone()])
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

    /// What a turn consists of, a line for each kind of turn, duty and named part.
    fn turns(&self) -> Vec<String> {
        let (mut named, mut lines) = (Vec::new(), Vec::new());
        for turn in self.project.items().filter_map(|item| match &item.kind {
            ItemKind::Turn(turn) => Some(turn),
            _ => None,
        }) {
            let Some((pattern, _)) = self.phrase(&turn.pattern, &mut named) else { continue };
            let when = match &turn.of {
                TurnOf::Any if self.rules.turns.len() > 1 => "all other turns: ".to_owned(),
                TurnOf::Any => String::new(),
                TurnOf::Numbers(1, 1) => "the first turn: ".to_owned(),
                TurnOf::Numbers(first, last) if first == last => format!("turn {first}: "),
                TurnOf::Numbers(first, last) => format!("turns {first} to {last}: "),
                TurnOf::Phase(phase) => format!("in the phase {}: ", phase.text),
            };
            lines.push(format!("{when}{pattern}"));
            lines.extend(turn.duties.iter().filter_map(|duty| self.duty(duty)).map(|duty| format!("  {duty}")));
        }
        // With the options chosen a turn may be like all others.
        let said = |line: &String| line.split_once(": ").map_or(line.clone(), |(_, pattern)| pattern.to_owned());
        if let Some(first) = lines.first().map(said)
            && lines.iter().all(|line| said(line) == first)
        {
            lines = vec![first];
        }
        let mut done = 0;
        // A pattern may name further ones.
        while let Some(name) = named.get(done).cloned() {
            done += 1;
            let Some((doc, pattern)) = self.pattern(&name) else { continue };
            if let Some((phrase, _)) = self.phrase(pattern, &mut named) {
                let doc = doc.map_or(String::new(), |doc| format!(" ({})", doc.text));
                lines.push(format!("{name} is {phrase}{doc}"));
            }
        }
        lines.extend([Period::Ply, Period::Turn].into_iter().filter_map(|period| self.after_each(period)));
        lines
    }

    /// What every move or turn ends with: what named changes are for, else as the rules have it.
    fn after_each(&self, period: Period) -> Option<String> {
        let (changes, _) = self.project.after_each(period)?;
        let said = |change: &ast::Change| {
            let name = match &change.target.kind {
                ast::ExprKind::Name(name) => name,
                ast::ExprKind::Call { name, .. } => &name.text,
                _ => return self.slice(change.span),
            };
            let doc = self.project.items().find_map(|item| match &item.kind {
                ItemKind::Change(named) if named.name.text == *name => named.doc.as_ref(),
                _ => None,
            });
            let made = matches!(change.kind, ast::ChangeKind::Do) && change.guard.is_none() && change.each.is_none();
            doc.filter(|_| made).map_or_else(|| self.slice(change.span), |doc| doc.text.clone())
        };
        let lines: Vec<String> = changes.iter().map(said).collect();
        Some(format!("{}: {}", period.name(), lines.join("; ")))
    }

    /// A part of turns with a name, and what is said of it.
    fn pattern(&self, name: &str) -> Option<(Option<&'a ast::Text>, &'a Pattern)> {
        self.project.items().find_map(|item| match &item.kind {
            ItemKind::Pattern { name: known, doc, pattern } if known.text == name => Some((doc.as_ref(), pattern)),
            _ => None,
        })
    }

    fn duty(&self, duty: &ast::Duty) -> Option<String> {
        let when = match duty.guard.as_ref().map(|guard| self.when(guard)) {
            Some(None) => return None,
            Some(Some(when)) => when,
            None => String::new(),
        };
        if let Some(reason) = &duty.reason {
            return Some(format!("{}{when}", reason.text));
        }
        Some(match &duty.kind {
            DutyKind::Must(event) => format!("must, if possible: {}{when}", self.slice(event.span)),
            DutyKind::MustMost(number) => format!("must have the most {}{when}", self.source(number)),
            DutyKind::SuchThat(condition) => format!("such that {}{when}", self.source(condition)),
            DutyKind::ExtraTurn => format!("another turn{when}"),
            DutyKind::NextTurn(player) => format!("the next turn is that of {}{when}", self.source(player)),
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
            PatternKind::When(part, guard) => match self.when(guard)? {
                when if when.is_empty() => return self.phrase(part, named),
                // A number of turns does not belong to the last word alone.
                when if !when.starts_with(" when ") => format!("{} ({})", unit(part, named)?, when.trim_start()),
                when => format!("{}{when}", unit(part, named)?),
            },
            PatternKind::Nothing => "nothing".to_owned(),
            PatternKind::Name(name) => {
                // What nobody has explained is said in its place.
                if let Some((None, pattern)) = self.pattern(&name.text) {
                    return self.phrase(pattern, named);
                }
                if !named.contains(&name.text) {
                    named.push(name.text.clone());
                }
                name.text.clone()
            }
            PatternKind::Maybe(part) => format!("{} if you like", unit(part, named)?),
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

    /// When something counts: nothing where the options say always, none where they say never. What they settle of a longer
    /// condition is left out.
    fn when(&self, guard: &Expr) -> Option<String> {
        match (self.decided(guard), &guard.kind) {
            (Some(true), _) => Some(String::new()),
            (Some(false), _) => None,
            (None, ExprKind::And(all)) => {
                let open = all.iter().filter(|part| self.decided(part).is_none());
                let open: Vec<String> = open.map(|part| self.condition(part)).collect();
                Some(format!(" {}", open.join(" and ")))
            }
            (None, _) => Some(format!(" {}", self.condition(guard))),
        }
    }

    /// A condition behind what it is about: in words where it is a plain one about the number of the turn.
    fn condition(&self, condition: &Expr) -> String {
        let turn = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if name == "turn");
        match &condition.kind {
            ExprKind::Compare { first, rest } if turn(first) => match rest.as_slice() {
                [(CompareOp::Greater, Expr { kind: ExprKind::Number(number), .. })] => {
                    return format!("from turn {} on", number + 1);
                }
                [(CompareOp::Less, Expr { kind: ExprKind::Number(number), .. })] => {
                    return format!("before turn {number}");
                }
                _ => {}
            },
            _ => {}
        }
        format!("when {}", self.source(condition))
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
            EndingResult::Draw => "draw".to_owned(),
            EndingResult::BestScore => "the best score wins".to_owned(),
            EndingResult::LowestScore => "the lowest score wins".to_owned(),
            EndingResult::Ranks(value) => format!("the most of {} wins", self.slice(value.span)),
            EndingResult::AnyPlayer { wins, .. } => format!("a player {}", verb(*wins)),
            EndingResult::Player { player, wins } => match &player.kind {
                rules::ExprKind::Primitive(word, _) if word.id == Id::Mover => {
                    format!("the player who just moved {}", verb(*wins))
                }
                rules::ExprKind::Primitive(word, _) if word.id == Id::Next => {
                    format!("the player to move {}", verb(*wins))
                }
                _ => format!("{} {}", self.slice(player.span), verb(*wins)),
            },
        };
        if ending.at_once { format!("{result} at once") } else { result }
    }

    /// What a player does not see, by what is hidden.
    fn hidden(&self) -> Vec<[String; 2]> {
        let hidden = self.project.items().filter_map(|item| match &item.kind {
            ItemKind::Hidden(hidden) => Some(hidden),
            _ => None,
        });
        let row = |hidden: &HiddenItem| {
            let definition = &hidden.definition;
            let doc = definition.doc.as_ref().map_or_else(|| self.source(&definition.body), |doc| doc.text.clone());
            let what = if hidden.of_move { "move " } else { "" };
            [format!("{what}{}", definition.name.text), doc]
        };
        hidden.map(row).collect()
    }

    /// What is counted, and who is ahead when that is equal.
    fn score(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for item in self.project.items() {
            if let ItemKind::Score(score) = &item.kind {
                let doc = score.doc.as_ref().map_or_else(|| self.source(&score.body), |doc| doc.text.clone());
                lines.push(format!("Score: {doc}"));
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
            lines.push(format!("Ahead in a tie: {}", all.join("; then ")));
        }
        lines
    }

    /// An expression as it is written. Brackets round its first or last term are no part of it, and are put back.
    fn source(&self, expr: &Expr) -> String {
        let text = self.slice(expr.span);
        let (mut open, mut closed) = (0, 0);
        for sign in text.chars() {
            match sign {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' => closed += 1,
                _ => {}
            }
        }
        format!("{}{text}{}", "(".repeat(closed), ")".repeat(open))
    }

    /// What stands at a place, on one line.
    fn slice(&self, span: crate::source::Span) -> String {
        self.project.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn within((phrase, tightness): &(String, Tightness), around: Tightness) -> String {
    let clear = around == Tightness::Else || *tightness == Tightness::Unit || *tightness == around;
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
            NotationPiece::Optional { text, .. } | NotationPiece::Mark { text, .. } => format!("[{text}]"),
            NotationPiece::Value { text, signs: Some((before, behind)), .. } => format!("[{before}<{text}>{behind}]"),
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
