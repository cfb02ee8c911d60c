//! Why a move is legal or not, or why the game is over: the clause that decides, in words.

use crate::engine::reference::{Cause, Refusal};
use crate::game::notation::{content_text, declared, ply_text, readings, value_text};
use crate::game::{Game, PlayError, Position, value_json};
use crate::rules::{Expr, MoveId, NodeKind, Rules, Value};
use crate::source::Span;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;

/// How many members of a set are told to people.
const MAX_MEMBERS: usize = 12;

/// What decides about a move.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The move as it was asked about.
    pub text: String,
    /// Whether the move can be played.
    pub legal: bool,
    /// Whether the game is over.
    pub over: bool,
    /// The reason in words.
    pub reason: String,
    /// None where no line of the rules speaks of the matter.
    pub clause: Option<Span>,
    /// The part of the clause that decides, and what is to be said of it.
    pub label: Option<(Span, String)>,
    /// What the parts of the clause came to, each with its place.
    pub values: Vec<(Span, Value)>,
    /// The clauses that a legal move passes, in order.
    pub path: Vec<Span>,
    /// What stands in the way, for people who do not read rule texts.
    pub obstacle: Option<String>,
}

impl Position {
    /// Why a text is a legal move here or is none, or why the game is over.
    #[must_use]
    pub fn why(&self, text: &str) -> Explanation {
        let none = Explanation {
            text: text.trim().to_owned(),
            legal: false,
            over: self.is_over(),
            reason: String::new(),
            clause: None,
            label: None,
            values: Vec::new(),
            path: Vec::new(),
            obstacle: None,
        };
        match self.find(text) {
            Err(PlayError::Over { reason }) => self.why_over(Explanation { reason, ..none }),
            Ok(index) => self.why_legal(index, none),
            Err(PlayError::Ambiguous { candidates, .. }) => {
                let reason = format!("it could be {}, each of which is", candidates.join(" or "));
                Explanation { legal: true, reason, ..none }
            }
            Err(PlayError::Illegal { .. }) => self.why_not(none),
            Err(PlayError::Stopped { message, .. }) => Explanation { reason: message, ..none },
        }
    }

    /// The values that make a condition hold or fail here, each as `expression = value`.
    #[must_use]
    pub fn deciding(&self, condition: &Expr) -> Vec<String> {
        let values = self.placed(self.game().engine().deciding(&self.situation().state, condition));
        // That the condition itself fails is known.
        let parts = values.iter().filter(|(span, _)| *span != condition.span);
        parts.map(|(span, value)| value_line(self.game(), *span, value)).collect()
    }

    /// An error of playing, with the reason if the move is illegal.
    #[must_use]
    pub fn explained(&self, error: &PlayError) -> String {
        match error {
            PlayError::Illegal { text, .. } => format!("{error} ({})", self.why(text).reason),
            PlayError::Ambiguous { .. } | PlayError::Over { .. } | PlayError::Stopped { .. } => error.to_string(),
        }
    }

    fn why_over(&self, none: Explanation) -> Explanation {
        let rules = self.game().rules();
        let situation = self.situation();
        let ending = self.outcome().and_then(|outcome| outcome.ending).and_then(|ending| rules.endings.get(ending));
        let values = self.game().engine().why_over(situation);
        Explanation {
            // Where no line of `end` spoke, it is the turn that could not be begun or finished.
            clause: ending.map(|ending| ending.span).or(rules.turns.first().map(|turn| self.head(turn.span))),
            label: ending
                .and_then(|ending| ending.condition.as_ref())
                .map(|condition| (condition.span, "this decided".to_owned())),
            values: self.placed(values),
            ..none
        }
    }

    fn why_legal(&self, index: usize, none: Explanation) -> Explanation {
        let situation = self.situation();
        let Some(ply) = situation.legal.get(index) else { return none };
        let mv = self.game().rules().moves.get(ply.mv.0);
        let mut path: Vec<Span> = Vec::new();
        for node in self.game().engine().passed(&situation.state, ply) {
            match &node.kind {
                // They only join what is said by others.
                NodeKind::Turn | NodeKind::Fork | NodeKind::Prefer | NodeKind::Move(_) | NodeKind::Done => {}
                NodeKind::Change(changes) => path.extend(changes.iter().map(|change| change.span)),
                _ => path.push(node.span),
            }
        }
        path.dedup();
        let reason = mv.map_or(String::new(), |mv| match mv.doc.as_str() {
            "" => mv.name.clone(),
            doc => format!("{}, {doc}", mv.name),
        });
        Explanation { legal: true, reason, clause: mv.map(|mv| mv.span), path, ..none }
    }

    fn why_not(&self, none: Explanation) -> Explanation {
        let game = self.game();
        let state = &self.situation().state;
        let mut furthest: Option<Refusal<'_>> = None;
        let readings = match readings(game.rules(), &none.text) {
            Ok(readings) => readings,
            Err(left) => return Explanation { reason: no_notation(game.rules(), &left), ..none },
        };
        for reading in readings {
            match game.engine().why(state, &reading) {
                Ok(_) => {
                    let name = self.move_name(reading.mv);
                    return Explanation { reason: format!("`{name}` is not written like that here"), ..none };
                }
                Err(refusal) if furthest.as_ref().is_none_or(|best| refusal.is_further_than(best)) => {
                    furthest = Some(refusal);
                }
                Err(_) => {}
            }
        }
        match furthest {
            Some(refusal) => self.refused(refusal, none),
            None => none,
        }
    }

    fn refused(&self, refusal: Refusal<'_>, none: Explanation) -> Explanation {
        let told = self.told(&refusal);
        Explanation {
            reason: told.reason,
            clause: told.clause,
            label: told.label,
            values: self.placed(refusal.values),
            obstacle: self.obstacle(&refusal.cause),
            ..none
        }
    }

    /// What a player sees standing in the way: a site that something stands on, or one that cannot be chosen.
    fn obstacle(&self, cause: &Cause<'_>) -> Option<String> {
        let Cause::Outside { member: Some(member), .. } = cause else { return None };
        let site = member.site()?;
        let rules = self.game().rules();
        let (name, content) = (rules.board.name(site), self.situation().state.content(site));
        let kind = content.kind().and_then(|kind| rules.kinds.get(usize::from(kind.0)));
        let owner = content.owner().and_then(|owner| rules.players.get(usize::from(owner.0)));
        Some(match (kind, owner) {
            (Some(kind), Some(owner)) => {
                format!("{name} cannot be chosen: a {} of {} stands there", kind.name, owner.name)
            }
            (Some(kind), None) => format!("{name} cannot be chosen: a {} stands there", kind.name),
            (None, _) => format!("{name} cannot be chosen now"),
        })
    }

    /// A cause in words.
    fn told(&self, refusal: &Refusal<'_>) -> Told {
        let state = &self.situation().state;
        let part = |local: crate::rules::Local| {
            let names = self.game().rules().moves.get(refusal.mv.0).map(|mv| mv.names.as_slice()).unwrap_or_default();
            names.iter().find(|named| named.local == local).map_or("the part", crate::rules::Named::called)
        };
        match &refusal.cause {
            Cause::NotOffered { place } => {
                let mut seen = BTreeSet::new();
                let offered = self.situation().legal.iter().filter(|ply| seen.insert(ply.mv));
                let instead: Vec<&str> = offered.map(|ply| self.move_name(ply.mv)).collect();
                let name = self.move_name(refusal.mv);
                let told = Told::of(format!("`{name}` is not offered here, but {}", listed(&instead)));
                Told { clause: place.map(|node| node.span), ..told }
            }
            Cause::Closed { guard } => {
                let NodeKind::Guard { condition, holds } = &guard.kind else { return Told::of(String::new()) };
                let name = self.move_name(refusal.mv);
                let (not, label) = if *holds { ("", "this does not hold") } else { ("not ", "this holds") };
                let reason = format!("`{name}` is offered here only when {not}`{}`", self.slice(condition.span));
                Told::of(reason).at(guard.span, condition.span, label)
            }
            Cause::Shut { prefer, by } => {
                let by = match by {
                    Some(by) => {
                        let text = ply_text(self.game().engine(), state, by);
                        format!("`{}` is possible: {text}", self.move_name(by.mv))
                    }
                    None => "the turn may end".to_owned(),
                };
                let name = self.move_name(refusal.mv);
                let told = Told::of(format!("`{name}` comes after `else`, and before it {by}"));
                Told { clause: Some(prefer.span), ..told }
            }
            Cause::Outside { choose, part: local, member: None, set, .. } => {
                let reason = format!("there is nothing to pick for `{}`: `{}`", part(*local), self.slice(set.span));
                Told::of(reason).at(choose.span, set.span, "this is empty")
            }
            Cause::Outside { choose, part: local, member: Some(member), set, inside } => {
                let value = self.value(member);
                let on = member.site().map(|site| state.content(site)).filter(|content| !content.is_empty());
                let on = on.map_or(String::new(), |content| {
                    format!(" ({} is there)", content_text(self.game().rules(), content))
                });
                let is = |inside: bool| if inside { "is in" } else { "is not in" };
                let text = self.slice(set.span);
                // Not to be in `not X` is to be in X.
                let (set_text, lies) = match text.strip_prefix("not ") {
                    Some(rest) => (rest, is(!inside)),
                    None => (text.as_str(), is(*inside)),
                };
                let reason = format!("`{}` cannot be {value}{on}, which {lies} `{set_text}`", part(*local));
                Told::of(reason).at(choose.span, set.span, &format!("{value} {} this", is(*inside)))
            }
            Cause::Fails { clause, condition, of } => {
                let of = of.as_ref().map(|(local, value)| format!(" for `{}` {}", part(*local), self.value(value)));
                let reason = match &clause.kind {
                    NodeKind::Require { reason: Some(reason), .. } => reason.clone(),
                    _ => format!("`{}` does not hold{}", self.slice(condition.span), of.unwrap_or_default()),
                };
                Told::of(reason).at(clause.span, condition.span, "this does not hold")
            }
            Cause::Differs { define, local, value } => {
                let reason = format!("`{}` is {} with these parts", part(*local), self.value(value));
                Told::of(reason).at(define.span, define.span, "this comes to something else")
            }
            Cause::Weightless { clause } => {
                let reason = format!("chance never comes to this: `{}` is not above 0", self.slice(clause.span));
                Told::of(reason).at(clause.span, clause.span, "with these parts it weighs nothing")
            }
            Cause::Impossible { change, meets: None } => {
                let reason = format!("`{}` cannot be done", self.slice(change.span));
                Told::of(reason).at(change.span, change.span, "this cannot be done")
            }
            Cause::Impossible { change, meets: Some((other, site)) } => {
                let on = site.map_or(String::new(), |site| format!(" on {}", self.game().rules().board.name(site)));
                let (text, other) = (self.slice(change.span), self.slice(other.span));
                let reason = format!("`{text}` cannot be done at once with `{other}`: they leave different things{on}");
                Told::of(reason).at(change.span, change.span, "this cannot be done with it")
            }
            Cause::Written { clause } => {
                let reason = "with these parts it would be written otherwise".to_owned();
                Told { clause: Some(clause.span), ..Told::of(reason) }
            }
            Cause::OtherPiece { clause, it } => {
                let reason = match it {
                    Some(site) => format!("only the piece on {} may go on", self.game().rules().board.name(*site)),
                    None => "no piece has moved that could go on".to_owned(),
                };
                Told::of(reason).at(clause.span, clause.span, "only with the same piece")
            }
            Cause::Unfinished { clause } => {
                let condition = clause.and_then(|node| match &node.kind {
                    NodeKind::Guard { condition, .. } => Some(condition),
                    _ => None,
                });
                let text = condition.map_or(String::new(), |condition| format!(": `{}`", self.slice(condition.span)));
                let told = Told::of(format!("the turn could not be finished after it{text}"));
                match (clause, condition) {
                    (Some(node), Some(condition)) => {
                        told.at(node.span, condition.span, "this could not hold at the end")
                    }
                    (node, _) => Told { clause: node.map(|node| node.span), ..told },
                }
            }
            Cause::Barred { duty, by } => {
                let by = by.as_ref().map(|by| ply_text(self.game().engine(), state, by));
                let label = by.map_or("another ply is wanted".to_owned(), |by| format!("such as {by}"));
                let reason = duty.reason.clone().unwrap_or_else(|| format!("the turn asks for another ply, {label}"));
                Told::of(reason).at(duty.span, duty.span, &label)
            }
            Cause::Fewer { duty, number, own, most } => {
                let own = own.map_or("nothing".to_owned(), |own| own.to_string());
                let label = format!("`{}` comes to {own}, and {most} is possible", self.slice(number.span));
                Told::of(duty.reason.clone().unwrap_or_else(|| label.clone())).at(duty.span, duty.span, &label)
            }
        }
    }

    /// Values with their places; what reads alike is said once.
    fn placed(&self, values: Vec<(&Expr, Value)>) -> Vec<(Span, Value)> {
        let mut seen = BTreeSet::new();
        let placed = values.into_iter().map(|(expr, value)| (expr.span, value));
        placed.filter(|(span, value)| seen.insert((self.slice(*span), self.value(value)))).collect()
    }

    fn move_name(&self, mv: MoveId) -> &str {
        self.game().rules().moves.get(mv.0).map_or("?", |mv| mv.name.as_str())
    }

    fn slice(&self, span: Span) -> String {
        one_line(self.game(), span)
    }

    /// The first line of a longer section.
    fn head(&self, span: Span) -> Span {
        let text = self.game().sources().slice(span);
        let end = text.find('\n').map_or(text, |end| text[..end].trim_end()).len();
        Span { end: span.start + u32::try_from(end).unwrap_or(0), ..span }
    }

    /// A value for people.
    fn value(&self, value: &Value) -> String {
        told_value(self.game(), value)
    }
}

fn value_line(game: &Game, span: Span, value: &Value) -> String {
    let is = if matches!(value, Value::Condition(Some(_))) { ":" } else { " =" };
    format!("{}{is} {}", one_line(game, span), told_value(game, value))
}

/// Why a text is no move in any position of a game; nothing where it may be one.
#[must_use]
pub fn never_a_move(rules: &Rules, text: &str) -> Option<String> {
    readings(rules, text).err().map(|left| no_notation(rules, &left))
}

/// What moves look like in a game.
fn no_notation(rules: &Rules, left: &str) -> String {
    let played = |mv: usize| {
        rules.graph.node_weights().any(|node| matches!(&node.kind, NodeKind::Call(call) if call.mv.0 == mv))
    };
    let written: Vec<String> = rules
        .moves
        .iter()
        .enumerate()
        .filter(|(index, _)| played(*index))
        .map(|(_, mv)| format!("`{}` ({})", declared(mv), mv.name))
        .collect();
    let from = if left.is_empty() { "at its end".to_owned() } else { format!("from `{}` on", left.trim_start()) };
    format!("it cannot be read {from}; moves are written {}", written.join(", "))
}

/// A cause in words, with its place.
struct Told {
    reason: String,
    clause: Option<Span>,
    label: Option<(Span, String)>,
}

impl Told {
    fn of(reason: String) -> Self {
        Self { reason, clause: None, label: None }
    }

    fn at(self, clause: Span, deciding: Span, label: &str) -> Self {
        Self { clause: Some(clause), label: Some((deciding, label.to_owned())), ..self }
    }
}

impl Explanation {
    /// The clause on one line.
    #[must_use]
    pub fn clause_text(&self, game: &Game) -> Option<String> {
        self.clause.map(|span| one_line(game, span))
    }

    /// The answer in the words of a player: what stands in the way, and what the move that was meant is.
    #[must_use]
    pub fn plain(&self, position: &Position) -> String {
        if self.legal || self.over {
            return sentence(&self.sentence(position));
        }
        let doc = self.rule(position);
        // A reason that the author wrote says it best; the others quote the rule text.
        let written = !self.reason.contains('`') && !self.reason.is_empty();
        let first = match (&self.obstacle, written) {
            (Some(obstacle), _) => obstacle.clone(),
            (None, true) => self.reason.clone(),
            (None, false) => format!("{} is not possible here", self.text),
        };
        match doc {
            Some(doc) => format!("{} The rule: {doc}.", sentence(&first)),
            None => sentence(&first),
        }
    }

    /// What the rules say of the move whose clause decides.
    #[must_use]
    pub fn rule(&self, position: &Position) -> Option<String> {
        let clause = self.clause?;
        let holds = |mv: &&crate::rules::Move| {
            mv.span.source == clause.source && mv.span.start <= clause.start && clause.end <= mv.span.end
        };
        let mv = position.game().rules().moves.iter().find(holds)?;
        (!mv.doc.is_empty()).then(|| mv.doc.clone())
    }

    /// The answer in one sentence.
    #[must_use]
    pub fn sentence(&self, position: &Position) -> String {
        match (position.result_text(), self.legal) {
            (Some(result), _) => format!("the game is over, {result}: {}", self.reason),
            (None, true) => format!("`{}` is legal: {}", self.text, self.reason),
            (None, false) => format!("`{}` is illegal: {}", self.text, self.reason),
        }
    }

    /// The clauses that a legal move passes, each with its place.
    #[must_use]
    pub fn path_lines(&self, game: &Game) -> Vec<String> {
        let line = |span: &Span| {
            let source = game.sources().get(span.source)?;
            let at = source.locate(span.start as usize);
            Some(format!("{}:{}:{}: {}", source.name, at.line, at.column, one_line(game, *span)))
        };
        self.path.iter().filter_map(line).collect()
    }

    /// The values that decided, each as `expression = value`; what holds or not stands behind a colon.
    #[must_use]
    pub fn value_lines(&self, game: &Game) -> Vec<String> {
        self.values.iter().map(|(span, value)| value_line(game, *span, value)).collect()
    }

    /// The object of the command contract.
    #[must_use]
    pub fn to_json(&self, game: &Game) -> Map<String, Json> {
        let values: Vec<Json> = self
            .values
            .iter()
            .map(|(span, value)| json!({ "text": one_line(game, *span), "value": value_json(game.rules(), value) }))
            .collect();
        let mut object = Map::new();
        object.insert("move".to_owned(), json!(self.text));
        object.insert("legal".to_owned(), json!(self.legal));
        object.insert("over".to_owned(), json!(self.over));
        object.insert("reason".to_owned(), json!(self.reason));
        object.insert("clause".to_owned(), self.clause.map_or(Json::Null, |span| clause_json(game, span)));
        object.insert("values".to_owned(), json!(values));
        if self.legal {
            let path = self.path.iter().map(|span| clause_json(game, *span));
            object.insert("path".to_owned(), path.collect());
        }
        object
    }
}

/// With a full stop; a word at the beginning has a capital letter, and the name of a site none.
fn sentence(text: &str) -> String {
    let text = text.trim_end_matches('.');
    let word = text.split(' ').next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if word.chars().all(char::is_alphabetic) => {
            format!("{}{}.", first.to_uppercase(), letters.as_str())
        }
        Some(_) | None => format!("{text}."),
    }
}

fn clause_json(game: &Game, span: Span) -> Json {
    let Some(source) = game.sources().get(span.source) else { return Json::Null };
    let at = source.locate(span.start as usize);
    json!({ "file": source.name, "line": at.line, "column": at.column, "text": one_line(game, span) })
}

/// A piece of the rules with its line breaks taken out.
fn one_line(game: &Game, span: Span) -> String {
    game.sources().slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn told_value(game: &Game, value: &Value) -> String {
    let rules = game.rules();
    match value {
        Value::Range(Some((low, high))) if low > high => "nothing".to_owned(),
        Value::Range(Some((low, high))) => format!("{low}..{high}"),
        Value::Sites(sites) if sites.len() > MAX_MEMBERS => {
            let first: Vec<&str> = sites.iter().take(MAX_MEMBERS).map(|site| rules.board.name(site)).collect();
            format!("{} and {} more", first.join(" "), sites.len() - MAX_MEMBERS)
        }
        Value::List(numbers) => {
            let number = |number: &Option<i64>| number.map_or("no value".to_owned(), |number| number.to_string());
            format!("[{}]", numbers.iter().map(number).collect::<Vec<_>>().join(", "))
        }
        set if set.is_empty_set() => "nothing".to_owned(),
        value => Some(value_text(rules, value)).filter(|text| !text.is_empty()).unwrap_or("no value".to_owned()),
    }
}

/// `a, b or c`
fn listed(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [only] => format!("`{only}`"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
            format!("{} or `{last}`", first.join(", "))
        }
    }
}
