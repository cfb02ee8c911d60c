//! Endings: when a game is over, and what it comes to.

use super::moves::mentions;
use super::{Checker, Defined, Frame, Ty};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::{Id, Members};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, SCORE};
use std::collections::BTreeSet;

impl Checker<'_> {
    pub(super) fn check_endings(&mut self) {
        let project = self.project;
        if self.words.contains_key(SCORE) {
            let asked = self.is_used(Defined::Word, SCORE);
            self.rules.score = self.word(SCORE);
            if let Some(body) =
                self.rules.score.and_then(|score| self.rules.words.get(score.0)).map(|word| word.body.clone())
            {
                self.check_score_value(&body);
            }
            // That there is one is no use of it.
            if !asked {
                self.used.remove(&(Defined::Word, SCORE.to_owned()));
            }
        }
        let mut uses_score = None;
        let mut speaks_of_stuck = false;
        for item in project.items() {
            match &item.kind {
                ast::ItemKind::End(lines) => {
                    for line in lines {
                        if matches!(line.result, ast::ResultOf::BestScore | ast::ResultOf::LowestScore) {
                            uses_score = uses_score.or(Some(line.span));
                            self.mark_used(Defined::Word, SCORE);
                        }
                        // A full board is the other way to have no move, and the only one of games that just fill it.
                        let full = |guard: &ast::Expr| self.project.sources.phrase(guard.span) == "no empty";
                        speaks_of_stuck |= line.guard.as_ref().is_none_or(full);
                        speaks_of_stuck |= line.guard.as_ref().is_some_and(|guard| mentions(guard, "stuck"));
                        self.ending(line);
                    }
                }
                ast::ItemKind::Ties { players: Some(players), guard } => {
                    self.frame = Frame { in_end: true, ..Frame::default() };
                    let guard = guard.as_ref().map(|guard| self.typed(guard, Type::Condition));
                    let dead = guard.as_ref().and_then(Expr::as_decided) == Some(false);
                    let players = self.dead(dead, |checker| checker.typed(players, Type::Players));
                    if !dead {
                        self.rules.ties.push((players, guard.filter(|guard| guard.as_decided().is_none())));
                    }
                }
                _ => {}
            }
        }
        if let (Some(span), None) = (uses_score, self.rules.score)
            && !self.words.contains_key(SCORE)
            && !self.project.lost.contains(SCORE)
        {
            self.report(
                Diagnostic::new(Code::Section, span, "the game has no score to compare")
                    .help("write one: score(p) = count(piece of p)"),
            );
        }
        // Where the game would be over without something, there is something to move. What is the mover's at the end of a turn
        // is not that of who comes next.
        let decisive = self.rules.endings.iter().filter(|ending| decides(ending));
        let some: Vec<&Expr> = decisive.filter_map(over_without).filter(|set| !self.asks_whose_turn(set)).collect();
        let always = |turn: &Turn| {
            let starts = self.next_of(turn.entry);
            starts.iter().any(|start| self.surely_goes_on(*start, &some, &mut BTreeSet::new()))
        };
        let later = self.rules.turns.iter().filter(|turn| !matches!(turn.of, TurnOf::Numbers(..)));
        let silent: Vec<Span> = later.filter(|turn| !always(turn)).map(|turn| turn.span).collect();
        if !speaks_of_stuck && !silent.is_empty() {
            let span = project
                .items()
                .find(|item| matches!(item.kind, ast::ItemKind::End(_)))
                .map_or(project.head(), |item| item.span);
            let head = Span { end: span.start + 3, ..span };
            let message = "nothing is said about a player who has no legal move; such a player will lose";
            let found = Diagnostic::new(Code::SilentStuck, head, message);
            let heads = silent.into_iter().filter_map(|turn| self.head_of_turn(turn));
            let found = heads.fold(found, |found, head| found.also(head, "in this turn there may be none"));
            self.report(
                found.help(match self.passes_fail() {
                    true => "write `next loses when stuck` (or `draw when stuck`): a player may always pass, but what is changed after each ply is changed then too, and may be impossible",
                    false => "write `next loses when stuck` (or `draw when stuck`), or let a turn be passed: `else pass`",
                }),
            );
        }
    }

    /// The words with which a section of turns begins.
    fn head_of_turn(&self, turn: Span) -> Option<Span> {
        self.project.items().filter(|item| item.span == turn).find_map(|item| {
            let ast::ItemKind::Turn(of) = &item.kind else { return None };
            let text = self.project.sources.slice(Span { end: of.pattern.span.start, ..turn });
            let length = text.split('{').next().map_or(0, |head| head.trim_end().len());
            Some(Span { end: turn.start + u32::try_from(length).ok()?, ..turn })
        })
    }

    /// Whether an expression depends on whose turn it is, with the words put in that it asks for.
    fn asks_whose_turn(&self, expr: &Expr) -> bool {
        let players = [Id::Mover, Id::Next, Id::Previous];
        matches!(&expr.kind, ExprKind::Primitive(word, _) if players.contains(&word.id))
            || matches!(&expr.kind, ExprKind::Word(word, _) | ExprKind::Adjective { word, .. }
                if self.rules.words.get(word.0).is_some_and(|word| self.asks_whose_turn(&word.body)))
            || expr.children().into_iter().any(|part| self.asks_whose_turn(part))
    }

    /// Whether each turn may be passed, and only what is changed after each ply stands in the way.
    fn passes_fail(&self) -> bool {
        let mut turns = self.project.items().filter_map(|item| {
            let ast::ItemKind::Turn(turn) = &item.kind else { return None };
            Some(self.project.sources.slice(turn.pattern.span))
        });
        let has_changes =
            self.project.items().any(|item| matches!(item.kind, ast::ItemKind::After(ast::Period::Ply, _)));
        has_changes && turns.all(|turn| turn.ends_with("else pass") || turn.ends_with("or pass"))
    }

    fn ending(&mut self, line: &ast::OutcomeLine) {
        self.frame = Frame { in_end: true, ..Frame::default() };
        // What decides for a player who does not play with these options decides nothing.
        let away = matches!(&line.result, ast::ResultOf::Player { player, .. } if self.is_away(player));
        if away {
            self.dead(true, |checker| checker.outcome_line(line));
            self.frame = Frame::default();
            return;
        }
        self.outcome_line(line);
        self.frame = Frame::default();
    }

    fn outcome_line(&mut self, line: &ast::OutcomeLine) {
        let result = match &line.result {
            ast::ResultOf::Draw => EndingResult::Draw,
            ast::ResultOf::BestScore => EndingResult::BestScore,
            ast::ResultOf::LowestScore => EndingResult::LowestScore,
            ast::ResultOf::Ranks(by) => EndingResult::Ranks(self.typed(by, Type::Number)),
            ast::ResultOf::AnyPlayer { name, wins } => {
                let local = self.bind(name, Ty::Known(Type::Players));
                EndingResult::AnyPlayer { local, wins: *wins }
            }
            ast::ResultOf::Player { player, wins } => {
                EndingResult::Player { player: self.typed(player, Type::Players), wins: *wins }
            }
        };
        let condition = line.guard.as_ref().map(|guard| self.typed(guard, Type::Condition));
        let reason = match (&line.reason, &line.guard) {
            (Some(reason), _) => reason.text.clone(),
            (None, Some(guard)) => self.project.sources.phrase(guard.span),
            (None, None) => "the end".to_owned(),
        };
        let decided = condition.as_ref().and_then(Expr::as_decided);
        if decided != Some(false) && self.live {
            let condition = condition.filter(|_| decided.is_none());
            self.rules.endings.push(Ending { result, at_once: line.at_once, condition, reason, span: line.span });
        }
    }
}

/// Whether a line ends the game whenever its condition is true.
pub(super) fn decides(ending: &Ending) -> bool {
    match &ending.result {
        EndingResult::Draw | EndingResult::BestScore | EndingResult::LowestScore | EndingResult::Ranks(_) => true,
        EndingResult::AnyPlayer { .. } => false,
        EndingResult::Player { player, .. } => {
            matches!(&player.kind, ExprKind::Constant(Value::Players(players)) if players.0 != 0)
                || matches!(&player.kind, ExprKind::Primitive(word, _) if word.members == Members::One)
        }
    }
}

/// The set without which a line ends the game.
fn over_without(ending: &Ending) -> Option<&Expr> {
    if let ExprKind::None(set) = &ending.condition.as_ref()?.kind { Some(set) } else { None }
}
