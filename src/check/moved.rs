//! `it` in what is done after each ply: the name that each move has for the site of the piece that it moves or places.

use super::Checker;
use super::substitute::{Values, names_in_line, within_line};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{self, Change, ChangeKind, ExprKind, MoveItem, MoveLine, MoveLineKind, Quantifier};

const IT: &str = "it";

/// What `it` stands for once the changes of a move are made.
enum Moved {
    /// A name that the move gives to the site.
    At(ast::Expr),
    /// Nothing is moved or placed, so that `it` is what it was before.
    Nothing,
    /// The line that decides, where no name says it.
    Unnamed(Span),
}

impl Checker<'_> {
    /// Puts the name of a move for the piece that it moves or places where lines that are done after it say `it`.
    pub(super) fn name_moved(&mut self, item: &MoveItem, after: &mut [Change]) {
        if !after.iter().any(asks_for_it) {
            return;
        }
        match self.moved_by(item) {
            Moved::At(site) => {
                let values = Values::new(vec![(IT.to_owned(), site)]);
                after.iter_mut().for_each(|line| values.put_into_change(line));
            }
            Moved::Nothing => {}
            Moved::Unnamed(line) => {
                let at = after.iter().find(|line| asks_for_it(line)).and_then(place_of_it).unwrap_or(line);
                self.report(
                    Diagnostic::new(Code::TwoReadings, at, format!("no name of `{}` says what `it` is here", item.name.text))
                        .label("the piece that the ply has moved or placed")
                        .also(line, "this line moves or places it")
                        .help("give the site a name, as in `to = ahead(from, d)` and `from -> to`, on a line without `every` and `when`; or say it `after each turn`, where `it` is always known"),
                );
            }
        }
    }

    /// The piece that `it` is behind a move: in its first stage that moves or places anything the first that goes, or else
    /// the first that is placed.
    fn moved_by(&self, item: &MoveItem) -> Moved {
        for stage in item.lines.split(|line| matches!(line.kind, MoveLineKind::Then)) {
            let mut placed = None;
            for line in stage {
                match &line.kind {
                    MoveLineKind::Change(change) => match self.moved_in(change, item) {
                        Moved::Nothing => {}
                        found if matches!(change.kind, ChangeKind::MoveTo { .. }) => return found,
                        found => placed = placed.or(Some(found)),
                    },
                    MoveLineKind::Repeat { changes, .. } => {
                        let moves =
                            changes.iter().find(|change| !matches!(self.moved_in(change, item), Moved::Nothing));
                        if let Some(change) = moves {
                            return Moved::Unnamed(change.span);
                        }
                    }
                    MoveLineKind::Then
                    | MoveLineKind::Part { .. }
                    | MoveLineKind::Definition { .. }
                    | MoveLineKind::If(_)
                    | MoveLineKind::Weight(_)
                    | MoveLineKind::SoThat { .. } => {}
                }
            }
            if let Some(placed) = placed {
                return placed;
            }
        }
        Moved::Nothing
    }

    fn moved_in(&self, change: &Change, item: &MoveItem) -> Moved {
        let site = match &change.kind {
            ChangeKind::MoveTo { to, .. } => to,
            ChangeKind::Becomes(piece) if is_nothing(piece) || self.is_tracked(&change.target) => {
                return Moved::Nothing;
            }
            ChangeKind::Becomes(piece) if change.slice.is_some() || may_be_nothing(piece) => {
                return Moved::Unnamed(change.span);
            }
            ChangeKind::Becomes(_) | ChangeKind::Gets { .. } => &change.target,
            ChangeKind::Do | ChangeKind::Know(_) | ChangeKind::Seats { .. } | ChangeKind::Leaves { .. } => {
                return Moved::Nothing;
            }
        };
        let ExprKind::Name(name) = &site.kind else { return Moved::Unnamed(change.span) };
        let named = item.lines.iter().find_map(|line| of_one_site(line, name));
        if change.guard.is_some() || change.each.is_some() {
            return Moved::Unnamed(change.span);
        }
        match named {
            Some(true) => Moved::At(site.clone()),
            Some(false) => {
                let kind = ExprKind::Quantified(Quantifier::The, Box::new(site.clone()));
                Moved::At(ast::Expr { kind, span: site.span })
            }
            None => Moved::Unnamed(change.span),
        }
    }

    fn is_tracked(&self, target: &ast::Expr) -> bool {
        let mut names = Vec::new();
        if let ExprKind::Name(_) | ExprKind::Call { .. } = target.kind {
            called_in(target, &mut names);
        }
        names.first().is_some_and(|(name, _)| self.tracks_value(name))
    }

    /// A word that asks for `it` cannot be told which move it is asked about.
    pub(super) fn refuse_words_of_it(&mut self, after: &[Change]) {
        let named = after.iter().flat_map(named_in);
        let word = named.into_iter().find(|(name, _)| name != IT && self.word_asks_for_it(name, &mut Vec::new()));
        if let Some((name, span)) = word {
            self.report(
                Diagnostic::new(
                    Code::TwoReadings,
                    span,
                    format!("`{name}` asks for `it`, and does not know what this ply has moved"),
                )
                .help(format!(
                    "write here what `{name}` says, with `it` in it, or give it a parameter and say `{name}(it)`"
                )),
            );
        }
    }

    fn word_asks_for_it(&self, name: &str, within: &mut Vec<String>) -> bool {
        if within.iter().any(|known| known == name) {
            return false;
        }
        within.push(name.to_owned());
        let bodies = self.project.items().filter_map(|item| {
            let (ast::ItemKind::Word(word) | ast::ItemKind::Region(word)) = &item.kind else { return None };
            (word.name.text == name).then_some(&word.body)
        });
        let mut names = Vec::new();
        bodies.for_each(|body| called_in(body, &mut names));
        names.iter().any(|(name, _)| name == IT || self.word_asks_for_it(name, within))
    }
}

/// Whether a line of a move names one site so: a part that is picked from a set does, a definition may have several.
fn of_one_site(line: &MoveLine, wanted: &str) -> Option<bool> {
    match &line.kind {
        MoveLineKind::Part { name, .. } => (name.text == wanted).then_some(line.guard.is_none()),
        MoveLineKind::Definition { name, .. } => (name.text == wanted).then_some(false),
        MoveLineKind::Then
        | MoveLineKind::If(_)
        | MoveLineKind::Weight(_)
        | MoveLineKind::SoThat { .. }
        | MoveLineKind::Change(_)
        | MoveLineKind::Repeat { .. } => None,
    }
}

fn is_nothing(piece: &ast::Expr) -> bool {
    matches!(&piece.kind, ExprKind::Name(name) if name == "empty")
}

/// Whether something is placed hangs on a choice between pieces.
fn may_be_nothing(piece: &ast::Expr) -> bool {
    matches!(piece.kind, ExprKind::If { .. } | ExprKind::Case { .. })
}

fn asks_for_it(line: &Change) -> bool {
    names_in_line(line).iter().any(|name| name == IT)
}

fn place_of_it(line: &Change) -> Option<Span> {
    named_in(line).into_iter().find(|(name, _)| name == IT).map(|(_, span)| span)
}

/// The names in a line, those of words that are called among them, with their places.
fn named_in(line: &Change) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    within_line(line, &mut |expr| called_in(expr, &mut found));
    line.each.iter().for_each(|(_, domain)| called_in(domain, &mut found));
    found
}

/// The names in an expression, those of words that are called among them.
pub(super) fn called_in(expr: &ast::Expr, found: &mut Vec<(String, Span)>) {
    if let ExprKind::Name(name) = &expr.kind {
        found.push((name.clone(), expr.span));
    } else if let ExprKind::Call { name, .. } = &expr.kind {
        found.push((name.text.clone(), name.span));
    }
    expr.kind.visit(&mut |part| called_in(part, found));
}
