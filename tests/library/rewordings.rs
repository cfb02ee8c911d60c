//! All shipped rules said in other words that mean the same: each is the same program as before.

use super::common::files::{game_of, rule_files};
use crate::game::Game;
use crate::library::Library;
use crate::program::{compile, dump};
use crate::source::{SourceId, Span};
use crate::syntax::ast::{Expr, ExprKind, ItemKind, MoveLineKind, Quantifier};
use crate::syntax::parse;

/// What an expression is in other words, where it has the form that is reworded. What it holds is reworded first.
type Rewording = fn(&Expr, &mut dyn FnMut(&Expr) -> String) -> Option<String>;

const REWORDINGS: [(&str, Rewording); 5] = [
    ("`any S` as `count S > 0`", |expr, said| match &expr.kind {
        ExprKind::Quantified(Quantifier::Any, set) => Some(format!("(count ({}) > 0)", said(set))),
        _ => None,
    }),
    ("`no S` as `1 > count S`", |expr, said| match &expr.kind {
        ExprKind::Quantified(Quantifier::No, set) => Some(format!("(1 > count ({}))", said(set))),
        _ => None,
    }),
    ("`some x in S with C` as `any { x in S with C }`", |expr, said| match &expr.kind {
        ExprKind::Some { none, name, domain, condition } => {
            let (one, set, asked) = (if *none { "no" } else { "any" }, said(domain), said(condition));
            Some(format!("({one} {{ {} in ({set}) with {asked} }})", name.text))
        }
        _ => None,
    }),
    ("`some x in S with C` as `count { x in S with C } > 0`", |expr, said| match &expr.kind {
        ExprKind::Some { none, name, domain, condition } => {
            let (compared, set, asked) = (if *none { "= 0" } else { "> 0" }, said(domain), said(condition));
            Some(format!("(count {{ {} in ({set}) with {asked} }} {compared})", name.text))
        }
        _ => None,
    }),
    ("`a > 3` as `3 < a`", |expr, said| match &expr.kind {
        ExprKind::Compare { first, rest } => match rest.as_slice() {
            [(op, number)] if matches!(number.kind, ExprKind::Number(_)) => {
                Some(format!("({} {} ({}))", said(number), op.turned(), said(first)))
            }
            _ => None,
        },
        _ => None,
    }),
];

/// Programs that are others in other words, and as fast: a set is asked for before it is counted, or something is kept.
const OTHERS: [(&str, &str); 5] = [
    ("abalone", "`any S` as `count S > 0`"),
    ("order_and_chaos", "`some x in S with C` as `count { x in S with C } > 0`"),
    ("teeko", "`some x in S with C` as `count { x in S with C } > 0`"),
    ("yut_nori", "`any S` as `count S > 0`"),
    ("senet", "`some x in S with C` as `count { x in S with C } > 0`"),
];

/// Parts of which it is asked first whether they are in a set that is gone through, and only then what else is asked of them.
const PARTS: [&str; 1] = ["congkak: pit : home(mover) full"];

/// The text with some expressions in other words; none where there are none of their form.
fn reworded(text: &str, rewording: Rewording) -> Option<String> {
    let (file, diagnostics) = parse(SourceId(0), text);
    assert!(diagnostics.is_empty());
    let mut found: Vec<&Expr> = Vec::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Word(word) | ItemKind::Region(word) => found.push(&word.body),
            ItemKind::End(lines) => found.extend(lines.iter().filter_map(|line| line.guard.as_ref())),
            ItemKind::Move(item) => {
                for line in &item.lines {
                    found.extend(&line.guard);
                    match &line.kind {
                        MoveLineKind::Part { domain, conditions, .. } => {
                            found.extend(conditions.iter().chain([domain]))
                        }
                        MoveLineKind::If(condition) | MoveLineKind::SoThat { condition, .. } => found.push(condition),
                        MoveLineKind::Definition { value, .. } => found.push(value),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    let mut made = 0;
    let new = spliced(text, 0..text.len(), found, &mut |expr| said(text, expr, rewording, &mut made));
    (made > 0).then_some(new)
}

/// An expression as it is written, but for what is reworded in it.
fn said(text: &str, expr: &Expr, rewording: Rewording, made: &mut usize) -> String {
    if let Some(new) = rewording(expr, &mut |inner| said(text, inner, rewording, made)) {
        *made += 1;
        return new;
    }
    let mut parts = Vec::new();
    expr.kind.visit(&mut |part| parts.push(part));
    spliced(text, expr.span.range(), parts, &mut |part| said(text, part, rewording, made))
}

fn spliced(
    text: &str,
    whole: std::ops::Range<usize>,
    mut parts: Vec<&Expr>,
    said: &mut dyn FnMut(&Expr) -> String,
) -> String {
    parts.sort_by_key(|part| part.span.start);
    let (mut new, mut at) = (String::new(), whole.start);
    for part in parts {
        let range = part.span.range();
        // Words that are written out by the reader stand nowhere.
        if range.start >= at && range.end <= whole.end {
            new.push_str(&text[at..range.start]);
            new.push_str(&said(part));
            at = range.end;
        }
    }
    new + &text[at..whole.end]
}

pub(super) fn program(game: &Game) -> Option<String> {
    let compiled = compile(game.rules()).ok()?;
    Some(dump(game.rules(), &compiled, &|_: Span| String::new()))
}

#[test]
fn shipped_rules_in_other_words_are_the_same_programs() {
    let mut others = Vec::new();
    let mut compared = 0;
    for path in rule_files(&["games", "examples"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let Some(known) = program(&game_of(&path)) else { continue };
        for (what, rewording) in REWORDINGS {
            let Some(new) = reworded(&text, rewording) else { continue };
            let game = Game::from_text(path.to_str().unwrap(), &new, None, &[], &Library);
            let game = game.unwrap_or_else(|error| panic!("{name}, {what}:\n{new}\n{error:?}"));
            compared += 1;
            if program(&game).as_ref() != Some(&known) {
                others.push((name.to_owned(), what));
            }
        }
    }
    let others: Vec<(&str, &str)> = others.iter().map(|(name, what)| (name.as_str(), *what)).collect();
    assert_eq!(others, OTHERS, "of {compared}");
    assert!(compared > 200, "{compared}");
}

#[test]
fn parts_are_the_same_wherever_it_is_said_what_they_are_among() {
    let (mut compared, mut others) = (0, Vec::new());
    for path in rule_files(&["games", "examples"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let Some(known) = program(&game_of(&path)) else { continue };
        let (file, _) = parse(SourceId(0), &text);
        let lines = file
            .items
            .iter()
            .filter_map(|item| if let ItemKind::Move(item) = &item.kind { Some(&item.lines) } else { None });
        for line in lines.flatten() {
            let MoveLineKind::Part { name: part, domain, .. } = &line.kind else { continue };
            let (before, set) = (&text[..domain.span.range().start], &text[domain.span.range()]);
            let behind = &text[domain.span.range().end..];
            let new = format!("{before}site, {} in ({set}){behind}", part.text);
            // What is picked may be a direction, a number or a kind of piece as well.
            let Ok(game) = Game::from_text(path.to_str().unwrap(), &new, None, &[], &Library) else { continue };
            compared += 1;
            if program(&game).as_ref() != Some(&known) {
                others.push(format!("{name}: {} : {set}", part.text));
            }
        }
    }
    assert_eq!(others, PARTS, "of {compared}");
    assert!(compared > 100, "{compared}");
}
