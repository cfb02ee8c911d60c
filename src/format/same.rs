//! Whether two texts say the same: equal trees, equal comments.

use crate::syntax::ast::{BoardExpr, BoardKind, Drawn, File, ItemKind, Setup, StepKind};
use crate::syntax::{Token, TokenKind};

/// Whether two trees differ in nothing but places, and in blanks where drawings and records are free of them.
pub fn trees(a: &File, b: &File) -> bool {
    even_file(a) == even_file(b)
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

/// The tree with all drawings and records written alike.
fn even_file(file: &File) -> File {
    let mut file = file.clone();
    for item in &mut file.items {
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
    file
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
