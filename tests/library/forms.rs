//! Which forms of the language, and which pairs of a form and one right within it, occur in rule files made at random: what
//! never occurs there is compared by no random game.

use super::common::files::text_of;
use super::generated::made;
use crate::game::Game;
use crate::library::Library;
use crate::rules::catalogue::CATALOGUE;
use crate::rules::{Change, DutyKind, EndingResult, Expr, ExprKind, NodeKind, Rules};
use crate::source::SourceId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// Enough for the rarest forms to come up.
const GAMES: u64 = 400;

/// Forms that random games leave out, with the reason.
const LEFT_OUT: &[(&str, &str)] = &[];

/// What occurs, and how often.
#[derive(Default)]
struct Seen {
    forms: BTreeMap<String, u64>,
    pairs: BTreeMap<(String, String), u64>,
    words: BTreeSet<&'static str>,
}

/// The name of a variant, as it is declared.
fn name_of(form: &impl Debug) -> String {
    let text = format!("{form:?}");
    text.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

impl Seen {
    fn form(&mut self, form: &impl Debug) {
        *self.forms.entry(name_of(form)).or_default() += 1;
    }

    /// An expression and all in it; what the standard words are made of does not count.
    fn expr(&mut self, expr: &Expr, main: SourceId) {
        if expr.span.source == main {
            self.form(&expr.kind);
            if let ExprKind::Primitive(word, _) = &expr.kind {
                self.words.insert(word.name);
            }
        }
        for part in expr.children() {
            if part.span.source == main && expr.span.source == main {
                *self.pairs.entry((name_of(&expr.kind), name_of(&part.kind))).or_default() += 1;
            }
            self.expr(part, main);
        }
    }

    fn changes(&mut self, changes: &[Change], main: SourceId) {
        for change in changes {
            self.form(&change.kind);
            change.kind.exprs().into_iter().chain(&change.guard).for_each(|expr| self.expr(expr, main));
            if let Some((_, domain)) = &change.each {
                *self.forms.entry("a change for each".to_owned()).or_default() += 1;
                self.expr(domain, main);
            }
        }
    }

    fn node(&mut self, kind: &NodeKind, main: SourceId) {
        self.form(kind);
        match kind {
            NodeKind::Guard { condition, .. } | NodeKind::Require { condition, .. } => self.expr(condition, main),
            NodeKind::Call(call) => call.with.iter().chain(&call.until).for_each(|expr| self.expr(expr, main)),
            NodeKind::Choose { domain, conditions, guard, .. } => {
                std::iter::once(domain).chain(conditions).chain(guard).for_each(|expr| self.expr(expr, main));
            }
            NodeKind::Let { value, guard, .. } => {
                std::iter::once(value).chain(guard).for_each(|expr| self.expr(expr, main));
            }
            NodeKind::Weigh(weight) => self.expr(weight, main),
            NodeKind::Change(changes) => self.changes(changes, main),
            NodeKind::Repeat { times, condition, changes } => {
                std::iter::once(times).chain(condition).for_each(|expr| self.expr(expr, main));
                self.changes(changes, main);
            }
            NodeKind::Turn | NodeKind::Fork | NodeKind::Prefer | NodeKind::End | NodeKind::Move(_) | NodeKind::Done => {
            }
        }
    }

    fn rules(&mut self, rules: &Rules, main: SourceId) {
        rules.words.iter().for_each(|word| self.expr(&word.body, main));
        rules.graph.node_weights().for_each(|node| self.node(&node.kind, main));
        self.changes(&rules.start, main);
        for turn in &rules.turns {
            if turn.whole {
                *self.forms.entry("whole turn".to_owned()).or_default() += 1;
            }
            for duty in &turn.duties {
                self.form(&duty.kind);
                duty.guard.iter().for_each(|guard| self.expr(guard, main));
                if let DutyKind::MustMost(number) = &duty.kind {
                    self.expr(number, main);
                }
            }
        }
        for ending in &rules.endings {
            self.form(&ending.result);
            ending.condition.iter().for_each(|condition| self.expr(condition, main));
            if let EndingResult::Ranks(expr) | EndingResult::Player { player: expr, .. } = &ending.result {
                self.expr(expr, main);
            }
        }
        rules.chronicles.iter().for_each(|chronicle| self.form(chronicle));
    }
}

/// The variants of an enum, as its declaration in a file names them.
fn declared(path: &str, of: &str) -> Vec<String> {
    let text = text_of(path);
    let from = text.find(&format!("enum {of}")).unwrap_or_else(|| panic!("no `enum {of}` in {path}"));
    let mut depth = 0;
    let mut names = Vec::new();
    for line in text[from..].lines().map(str::trim) {
        let line = line.split("//").next().unwrap_or_default();
        let name = line.trim_start_matches(|sign: char| sign == '"' || sign.is_lowercase() || sign == '-').trim_start();
        let word: String = name.chars().take_while(|sign| sign.is_alphanumeric()).collect();
        if depth == 1 && word.starts_with(char::is_uppercase) {
            names.push(word);
        }
        depth += line.matches(['{', '(']).count();
        let closed = line.matches(['}', ')']).count();
        if depth <= closed {
            break;
        }
        depth -= closed;
    }
    assert!(names.len() > 2, "{of}: {names:?}");
    names
}

#[test]
fn games_made_at_random_have_every_form_of_the_language() {
    let mut seen = Seen::default();
    let mut rules = 0;
    for number in 0..GAMES {
        let Ok(game) = Game::from_text("made.game", &made(1, number), None, &[], &Library) else { continue };
        rules += 1;
        let main = game.sources().iter().find(|(_, source)| source.name == "made.game").map(|(id, _)| id).unwrap();
        seen.rules(game.rules(), main);
    }
    let enums = [
        ("src/rules/expr.rs", "ExprKind"),
        ("src/rules/change.rs", "ChangeKind"),
        ("src/rules/mod.rs", "NodeKind"),
        ("src/rules/mod.rs", "DutyKind"),
        ("src/rules/mod.rs", "EndingResult"),
        ("src/rules/mod.rs", "Chronicle"),
    ];
    let mut forms: Vec<String> = enums.iter().flat_map(|(path, of)| declared(path, of)).collect();
    forms.extend(["whole turn", "a change for each"].map(str::to_owned));
    let words: Vec<String> = CATALOGUE.iter().map(|word| word.name.to_owned()).collect();
    let is_left_out = |name: &String| LEFT_OUT.iter().any(|(left_out, _)| left_out == name);
    let missing: Vec<&String> =
        forms.iter().filter(|name| !seen.forms.contains_key(*name) && !is_left_out(name)).collect();
    let unsaid: Vec<&String> =
        words.iter().filter(|name| !seen.words.contains(name.as_str()) && !is_left_out(name)).collect();
    let expressions = declared("src/rules/expr.rs", "ExprKind").len();
    println!(
        "{rules} of {GAMES} games are rules; {} of {} forms, {} of {} words, {} pairs of {expressions} forms of expressions",
        forms.len() - missing.len(),
        forms.len(),
        words.len() - unsaid.len(),
        words.len(),
        seen.pairs.len(),
    );
    if std::env::var("SHOW").is_ok() {
        println!("{:#?}\n{:?}", seen.forms, seen.pairs);
    }
    assert!(missing.is_empty() && unsaid.is_empty(), "never made: {missing:?}, and the words {unsaid:?}");
    for (name, _) in LEFT_OUT {
        let occurs = seen.forms.contains_key(*name) || seen.words.contains(name);
        assert!(!occurs, "{name} occurs, and need not be left out");
    }
    assert!(seen.pairs.len() > 190, "{} pairs", seen.pairs.len());
}
