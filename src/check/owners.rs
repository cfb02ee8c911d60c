//! Owners who are meant of more than they are said of: `man or king of mover`, a score that asks nothing about its player.

use super::Checker;
use super::moves::mentions;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue;
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast, ItemKind, ResultOf};

/// What a word among words joined by `or` says about the owner of pieces.
enum Owner {
    /// `king of mover`, `own king`: the kind alone, and whether the owner stands behind it.
    Said { behind: bool },
    /// `man`
    Open,
}

impl Checker<'_> {
    /// `man or king of mover`: the owner belongs to the kind beside it, and the other kind has all players' pieces.
    pub(super) fn check_owner_of_one(&mut self, parts: &[ast::Expr], span: Span) {
        let found: Option<Vec<Owner>> = parts.iter().map(|part| self.owner_of(part)).collect();
        let Some((first, last)) = found.as_deref().and_then(|found| Some((found.first()?, found.last()?))) else {
            return;
        };
        let slice = |span: Span| self.project.sources.slice(span).trim();
        let (open, said, together) = if let (Owner::Open, Owner::Said { behind: true }) = (first, last) {
            let Some((kinds, owner)) = slice(span).rsplit_once(" of ") else { return };
            (parts.first(), parts.last(), format!("({kinds}) of {owner}"))
        } else if let (Owner::Said { behind: false }, Owner::Open) = (first, last) {
            let Some((owner, kinds)) = slice(span).split_once(' ') else { return };
            (parts.last(), parts.first(), format!("{owner} ({kinds})"))
        } else {
            return;
        };
        let (Some(open), Some(said)) = (open, said) else { return };
        // Brackets around one of them say that it is meant alone.
        if slice(span).contains('(') {
            return;
        }
        let message = format!("`{}` stands for the pieces of all players here", slice(open.span));
        self.report(
            Diagnostic::new(Code::LooseOr, open.span, message)
                .label("whose they are is not asked")
                .also(said.span, "the owner is asked of these alone")
                .help(format!("put brackets around all that it is meant of: `{together}`"))
                .guess(format!("write `{together}`"), span, together),
        );
    }

    /// `empty or enemy next_to from`: where it is to be is asked of the word beside it alone.
    pub(super) fn check_place_of_one(&mut self, parts: &[ast::Expr], span: Span) {
        let is_content = |expr: &ast::Expr| {
            let Ast::Name(name) = &expr.kind else { return false };
            let bound = self.frame.bound.iter().any(|bound| bound.name == *name);
            !bound && (["empty", "own", "enemy", "piece"].contains(&name.as_str()) || self.kinds.contains_key(name))
        };
        let Some((last, others)) = parts.split_last() else { return };
        let Ast::Row(terms) = &last.kind else { return };
        let [content, relation, ..] = terms.as_slice() else { return };
        let leads = matches!(&relation.kind, Ast::Name(word) if catalogue::find(word).is_some_and(|word| !word.params.is_empty()));
        if !leads || !is_content(content) || !others.iter().all(is_content) {
            return;
        }
        let slice = |span: Span| self.project.sources.slice(span).trim();
        let (Some(open), place) = (others.first(), slice(Span { start: relation.span.start, ..last.span })) else {
            return;
        };
        let all = slice(Span { end: content.span.end, ..span });
        let (together, alone) = (format!("({all}) {place}"), format!("({})", slice(last.span)));
        let message = format!("`{}` is meant wherever it is here", slice(open.span));
        self.report(
            Diagnostic::new(Code::LooseOr, open.span, message)
                .label("where it is is not asked")
                .also(last.span, "this is asked of these alone")
                .help(format!("put brackets around all that it is meant of: `{together}`; or around the last, if it is meant of that alone: `{alone}`"))
                .guess(format!("write `{together}`"), span, together),
        );
    }

    /// A kind that players own, with an owner or without; none of anything else.
    fn owner_of(&self, part: &ast::Expr) -> Option<Owner> {
        let kind = |expr: &ast::Expr| {
            let Ast::Name(name) = &expr.kind else { return false };
            let bound = self.frame.bound.iter().any(|bound| bound.name == *name);
            let kind = self.kinds.get(name).and_then(|kind| self.rules.kinds.get(usize::from(kind.0)));
            !bound && kind.is_some_and(|kind| !kind.neutral)
        };
        if kind(part) {
            return Some(Owner::Open);
        }
        let Ast::Row(terms) = &part.kind else { return None };
        let [first, second] = terms.as_slice() else { return None };
        if kind(first) && matches!(second.kind, Ast::Of(_)) {
            return Some(Owner::Said { behind: true });
        }
        let before = matches!(&first.kind, Ast::Name(owner) if matches!(owner.as_str(), "own" | "enemy"));
        (before && kind(second)).then_some(Owner::Said { behind: false })
    }

    /// A score, or a line about any player, that asks nothing about the player.
    pub(super) fn check_asked_players(&mut self) {
        let project = self.project;
        let own = |item: &&ast::Item| item.span.source == project.main;
        for item in project.items().filter(own) {
            if let ItemKind::Score(score) = &item.kind {
                self.check_score(score);
            } else if let ItemKind::End(lines) = &item.kind {
                lines.iter().for_each(|line| self.check_any_player(line));
            }
        }
    }

    fn check_score(&mut self, score: &ast::Definition) {
        let (Some(param), Some(word)) =
            (score.params.first(), self.rules.score.and_then(|id| self.rules.words.get(id.0)))
        else {
            return;
        };
        let name = &param.name.text;
        if self.rules.players.len() < 2 {
            return;
        }
        if let Some(counted) = counts_the_player(&word.body) {
            self.report(
                Diagnostic::new(
                    Code::NeverWins,
                    counted,
                    format!("this counts the player `{name}`, who is always one"),
                )
                .label("the same for every player")
                .help(format!("the pieces of the player are `of {name}`: `count(of {name})`"))
                .guess(format!("write `count(of {name})`"), counted, format!("count(of {name})")),
            );
        } else if !word.body.asks_for(Local(0)) {
            self.report(
                Diagnostic::new(Code::NeverWins, score.body.span, "nobody wins by this score: it is the same for every player")
                    .label(format!("`{name}` is not asked for"))
                    .also(param.name.span, "this stands for one player after the other")
                    .help(format!("ask for what `{name}` has, as in `count(of {name})`; `own` and `mover` are those of whoever has moved last")),
            );
        }
    }

    /// `any p wins when C`, where C speaks of whoever moves and not of p. Who is left alone may be asked for without p.
    fn check_any_player(&mut self, line: &ast::OutcomeLine) {
        let (ResultOf::AnyPlayer { name, .. }, Some(guard)) = (&line.result, &line.guard) else { return };
        let of_mover = ["own", "enemy", "mover", "next"].iter().any(|word| mentions(guard, word));
        if mentions(guard, &name.text) || !of_mover {
            return;
        }
        let player = &name.text;
        self.report(
            Diagnostic::new(Code::NeverWins, guard.span, format!("this does not ask for `{player}`"))
                .label("true for one player whenever it is true for another")
                .also(name.span, "tried for each player, whoever moves first")
                .help(format!(
                    "ask for what `{player}` has: `of {player}` are the sites with the player's pieces; or say who it is: `mover wins`"
                )),
        );
    }
}

/// `count(p)`: the number of players who are p.
fn counts_the_player(expr: &Expr) -> Option<Span> {
    let own = matches!(&expr.kind, ExprKind::Count(inner) if inner.kind == ExprKind::Local(Local(0)));
    if own { Some(expr.span) } else { expr.children().into_iter().find_map(counts_the_player) }
}
