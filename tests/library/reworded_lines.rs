//! Lines of shipped rules in other words: parts, conditions, changes and endings said otherwise stay as fast.

use super::common::files::{game_of, rule_files};
use super::rewordings::program;
use crate::game::Game;
use crate::library::Library;
use crate::operator::Place;
use crate::source::SourceId;
use crate::syntax::ast::{ChangeKind, Expr, ExprKind, ItemKind, MoveLine, MoveLineKind, OutcomeLine};
use crate::syntax::parse;
use std::collections::HashMap;
use std::ops::Range;

/// A line of a move and the one before it.
struct Line<'a> {
    text: &'a str,
    before: Option<&'a MoveLine>,
    line: &'a MoveLine,
}

impl Line<'_> {
    fn said(&self, expr: &Expr) -> &str {
        &self.text[expr.span.range()]
    }
}

/// What stands in which place instead.
type Instead = (Range<usize>, String);

/// What a line of a move is in other words, where it has the form that is reworded.
type Rewording = fn(&Line<'_>) -> Option<Instead>;

const REWORDINGS: [(&str, Rewording); 8] = [
    ("conditions of a part as lines with `if`", |line| {
        let (behind, conditions) = conditions(line, 1)?;
        let lines = conditions.iter().map(|condition| format!("\n  if {}", line.said(condition)));
        Some((behind, lines.collect()))
    }),
    ("conditions of a part, the last first", |line| {
        let (behind, conditions) = conditions(line, 2)?;
        let turned = conditions.iter().rev().map(|condition| format!(", {}", line.said(condition)));
        Some((behind, turned.collect()))
    }),
    ("conditions of a part joined by `and`", |line| {
        let (behind, conditions) = conditions(line, 2)?;
        let all: Vec<String> = conditions.iter().map(|condition| format!("({})", line.said(condition))).collect();
        Some((behind, format!(", {}", all.join(" and "))))
    }),
    ("`if A and B` as two lines", |line| {
        let MoveLineKind::If(Expr { kind: ExprKind::And(parts), .. }) = &line.line.kind else { return None };
        let lines: Vec<String> = parts.iter().map(|part| format!("if {}", line.said(part))).collect();
        Some((line.line.span.range(), lines.join("\n  ")))
    }),
    ("two lines with `if` joined by `and`", |line| {
        let MoveLineKind::If(second) = &line.line.kind else { return None };
        let before = line.before?;
        let MoveLineKind::If(first) = &before.kind else { return None };
        let both = format!("if ({}) and ({})", line.said(first), line.said(second));
        Some((before.span.range().start..line.line.span.range().end, both))
    }),
    ("`S becomes P` as `every x in S: x becomes P`", |line| {
        let MoveLineKind::Change(change) = &line.line.kind else { return None };
        if change.each.is_some() || change.slice.is_some() || !matches!(change.kind, ChangeKind::Becomes(_)) {
            return None;
        }
        let target = format!("every one_of_them in ({}): one_of_them", line.said(&change.target));
        Some((change.target.span.range(), target))
    }),
    ("`a -> b` as two changes", |line| {
        let MoveLineKind::Change(change) = &line.line.kind else { return None };
        let ChangeKind::MoveTo { place: Place::Instead, to, piece: None } = &change.kind else { return None };
        if change.each.is_some() || change.slice.is_some() {
            return None;
        }
        let guard = change.guard.as_ref().map_or(String::new(), |guard| format!(" when {}", line.said(guard)));
        let (from, to) = (line.said(&change.target), line.said(to));
        let both = format!("{to} becomes piece_on({from}){guard}\n  {from} becomes empty{guard}");
        Some((line.line.span.range(), both))
    }),
    ("`then` between two changes", |line| {
        let changes = |line: &MoveLine| matches!(line.kind, MoveLineKind::Change(_));
        let between = changes(line.line) && changes(line.before?);
        let start = line.line.span.range().start;
        between.then(|| (start..start, "then\n  ".to_owned()))
    }),
];

/// What is not the same program, since places and stages are told, but not slow either.
const OF_THEIR_OWN: [&str; 2] = ["`a -> b` as two changes", "`then` between two changes"];

/// The conditions of a part that has at least so many, and where they stand with the comma before them.
fn conditions<'a>(line: &Line<'a>, least: usize) -> Option<(Range<usize>, &'a [Expr])> {
    let MoveLineKind::Part { domain, conditions, .. } = &line.line.kind else { return None };
    let last = conditions.last().filter(|_| conditions.len() >= least)?;
    Some((domain.span.range().end..last.span.range().end, conditions))
}

/// A line of `end` whose condition is a choice, as a line for each.
fn for_each_choice(text: &str, line: &OutcomeLine) -> Option<Instead> {
    let guard = line.guard.as_ref()?;
    let ExprKind::Or(choices) = &guard.kind else { return None };
    let (whole, asked) = (line.span.range(), guard.span.range());
    let one = |choice: &Expr| {
        let said = &text[choice.span.range()];
        format!("{}({said}){}", &text[whole.start..asked.start], &text[asked.end..whole.end])
    };
    Some((whole.clone(), choices.iter().map(one).collect::<Vec<_>>().join("\n  ")))
}

/// Each rewording with what it puts where.
fn reworded(text: &str) -> Vec<(&'static str, Instead)> {
    let (file, diagnostics) = parse(SourceId(0), text);
    assert!(diagnostics.is_empty());
    let mut found = Vec::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Move(item) => {
                let mut before = None;
                for line in &item.lines {
                    let one = Line { text, before, line };
                    found.extend(REWORDINGS.iter().filter_map(|(what, reworded)| Some((*what, reworded(&one)?))));
                    before = Some(line);
                }
            }
            ItemKind::End(lines) => {
                let lines = lines.iter().filter_map(|line| for_each_choice(text, line));
                found.extend(lines.map(|instead| ("an ending by a choice as several", instead)));
            }
            _ => {}
        }
    }
    found
}

/// What stays slow in a program, each with how often.
fn slow(program: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for line in program.lines().filter(|line| line.starts_with("slow:")) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

#[test]
fn lines_in_other_words_are_the_same_programs() {
    let (mut compared, mut refused) = (0, 0);
    let (mut others, mut slower) = (Vec::new(), Vec::new());
    for path in rule_files(&["games", "examples"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let Some(known) = program(&game_of(&path)) else { continue };
        for (what, (range, new)) in reworded(&text) {
            let said = text[range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
            let new = format!("{}{new}{}", &text[..range.start], &text[range.end..]);
            // Not every condition may stand in every place, and what is changed is not always a set of sites.
            let game = Game::from_text(path.to_str().unwrap(), &new, None, &[], &Library);
            let Some(new) = game.ok().as_ref().and_then(program) else {
                refused += 1;
                continue;
            };
            compared += 1;
            if slow(&new).iter().any(|(why, count)| slow(&known).get(why).is_none_or(|before| count > before)) {
                slower.push(format!("{name}: {what}: {said}"));
            } else if new != known && !OF_THEIR_OWN.contains(&what) {
                others.push(format!("{name}: {what}: {said}"));
            }
        }
    }
    insta::assert_snapshot!(format!(
        "compared {compared}, refused {refused}\n\nslower:\n{}\n\nothers:\n{}",
        slower.join("\n"),
        others.join("\n")
    ));
}
