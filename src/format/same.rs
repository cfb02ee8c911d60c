//! Whether two texts say the same: equal trees but for places, equal comments.

use crate::syntax::ast::{BoardExpr, BoardKind, Drawn, File, ItemKind, Setup, StepKind};
use crate::syntax::{Token, TokenKind};

/// Whether two trees differ in nothing but places, and in blanks where drawings and records are free of them.
pub fn trees(a: &File, b: &File) -> bool {
    a.lost == b.lost && plain(a) == plain(b)
}

/// Whether the comments of two texts are the same, in order.
pub fn comments(a: &str, old: &[Token], b: &str, new: &[Token]) -> bool {
    fn of<'t>(text: &'t str, tokens: &'t [Token]) -> impl Iterator<Item = &'t str> {
        tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Comment)
            .map(|token| text.get(token.span.range()).unwrap_or("").trim_end())
    }
    of(a, old).eq(of(b, new))
}

/// The tree as text without its places.
fn plain(file: &File) -> String {
    let mut items = file.items.clone();
    for item in &mut items {
        match &mut item.kind {
            ItemKind::Board(board) => even_board(board),
            ItemKind::Start(Setup::Drawn(drawn)) => drawn.text = super::layout::rows(&drawn.text).join("\n"),
            ItemKind::Script(script) => {
                for step in &mut script.steps {
                    match &mut step.kind {
                        StepKind::Position { setup: Setup::Drawn(drawn), .. } => even(drawn),
                        StepKind::Play(text) | StepKind::Legal(text) | StepKind::Only(text) => {
                            let lines: Vec<&str> =
                                text.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
                            text.text = lines.join("\n");
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    without_places(&format!("{items:?}"))
}

fn even_board(board: &mut BoardExpr) {
    match &mut board.kind {
        BoardKind::Case { cases, .. } => cases.iter_mut().for_each(|(_, board)| even_board(board)),
        BoardKind::Drawn(drawn) => even(drawn),
        BoardKind::Lines(_) | BoardKind::Graph { .. } | BoardKind::Shape { .. } => {}
    }
}

fn even(drawn: &mut Drawn) {
    drawn.text = super::layout::rows(&drawn.text).join("\n");
}

/// Takes out every `span: 0:12..34`.
fn without_places(text: &str) -> String {
    const MARK: &str = "span: ";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        rest = rest[at + MARK.len()..].trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '.'));
    }
    out.push_str(rest);
    out
}
