//! What changes nothing in play: values of options, rulesets and lines of `end`, found by playing the same seeds with each.

use crate::check::Project;
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::Play;
use crate::engine::dice::Dice;
use crate::game::Game;
use crate::rules::catalogue::Id;
use crate::rules::{Ending, Expr, ExprKind};
use crate::source::Span;
use crate::study::playout::{Engine, generator};
use crate::syntax::ast::{OptionItem, Values};
use std::collections::{BTreeMap, BTreeSet};

/// Games that are compared, and their plies altogether; longer games are cut.
const GAMES: u64 = 100;
const PLIES: u64 = 6000;
const GAME: u64 = 500;
/// Of fewer games that came to an end nothing follows for the lines of `end`.
const ENDED: usize = 20;
const SEED: u64 = 0;

/// The options of the file as they stand, or one of its rulesets.
type Setting = (String, String);

/// Random games with one choice of options, as far as they have been played.
struct Series {
    game: Game,
    digests: Vec<u64>,
}

/// Lines of `end`, those that decided a game, and how many games were decided.
#[derive(Default)]
struct Ends {
    lines: BTreeMap<Span, String>,
    decided: BTreeSet<Span>,
    games: usize,
}

/// Warnings about what no game shows.
pub(super) fn idle(project: &Project) -> Vec<Diagnostic> {
    let names: Vec<String> = project.rulesets().map(|ruleset| ruleset.name.text.clone()).collect();
    let rulesets = std::iter::once(None).chain(names.iter().map(|name| Some(name.as_str())));
    let series: Vec<(Option<&str>, Series)> =
        rulesets.filter_map(|ruleset| Some((ruleset, Series::new(project, ruleset, &[])?))).collect();
    let mut ends = Ends::default();
    for (_, series) in &series {
        ends.look(&series.game);
    }
    let mut found = ends.silent();
    for option in project.options() {
        found.extend(idle_values(project, option, &series));
    }
    found.extend(idle_rulesets(project, &series));
    found
}

impl Series {
    fn new(project: &Project, ruleset: Option<&str>, options: &[Setting]) -> Option<Self> {
        let game = Game::from_project(project, ruleset, options).ok()?;
        let digests = course(game.player(Engine::Fast).as_mut(), |_| true);
        Some(Self { game, digests })
    }

    /// Whether another game is played alike, seed by seed.
    fn is_played_like(&self, other: &Game) -> bool {
        let mut own = self.digests.iter();
        let mut alike = true;
        let count = course(other.player(Engine::Fast).as_mut(), |digest| {
            alike = own.next() == Some(&digest);
            alike
        });
        alike && count.len() == self.digests.len()
    }
}

/// What is known of each game of a series by its moves, its end and its scores, for as long as somebody wants to go on.
fn course(player: &mut dyn Play, mut more: impl FnMut(u64) -> bool) -> Vec<u64> {
    let mut digests = Vec::new();
    let mut left = PLIES;
    for number in 0..GAMES {
        let mut dice = Dice::new(generator(SEED, number));
        player.reset();
        let (plies, _) = player.playout(&mut dice, GAME.min(left));
        for place in player.over().iter().flat_map(|over| over.places) {
            dice.note(u64::from(place));
        }
        for score in player.scores() {
            dice.note(score.cast_unsigned());
        }
        let digest = dice.digest();
        digests.push(digest);
        left = left.saturating_sub(plies.max(1));
        if !more(digest) || left == 0 {
            break;
        }
    }
    digests
}

/// The values of an option that play like its default, alone and on top of every ruleset. Of a range its ends are tried.
fn idle_values(project: &Project, option: &OptionItem, series: &[(Option<&str>, Series)]) -> Vec<Diagnostic> {
    let default = option.default.kind.to_string();
    let mut found = Vec::new();
    for name in &option.names {
        let alike = |value: &str| {
            let options = [(name.text.clone(), value.to_owned())];
            series.iter().all(|(ruleset, series)| {
                Game::from_project(project, *ruleset, &options).is_ok_and(|game| series.is_played_like(&game))
            })
        };
        let mut note = |span: Span, message: String| {
            found.push(
                Diagnostic::new(Code::Idle, span, message)
                    .label("nothing differs")
                    .help("write the rule that should depend on it, or take it out; what matters too rarely for random games may stay: allow idle in NAME"),
            );
        };
        match &option.values {
            Values::List(values) => {
                for value in values.iter().filter(|value| value.kind != option.default.kind) {
                    let text = value.kind.to_string();
                    if alike(&text) {
                        let span = if option.names.len() == 1 { value.span } else { name.span };
                        let name = &name.text;
                        note(span, format!("`{name} {text}` plays as `{name} {default}` in {GAMES} random games"));
                    }
                }
            }
            Values::Range { low, high, .. } => {
                let ends = [low.to_string(), high.to_string()];
                if ends.iter().filter(|end| **end != default).all(|end| alike(end)) {
                    note(name.span, format!("whatever `{}` is, {GAMES} random games are the same", name.text));
                }
            }
        }
    }
    found
}

/// Rulesets that play like the file as it stands, or like one before them.
fn idle_rulesets(project: &Project, series: &[(Option<&str>, Series)]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (index, (name, own)) in series.iter().enumerate() {
        let Some(ruleset) = project.rulesets().find(|ruleset| Some(ruleset.name.text.as_str()) == *name) else {
            continue;
        };
        let Some((like, _)) = series.iter().take(index).find(|(_, other)| other.digests == own.digests) else {
            continue;
        };
        let like = like.map_or("the game without it".to_owned(), |like| format!("the ruleset `{like}`"));
        let message = format!("the ruleset `{}` plays as {like} in {GAMES} random games", ruleset.name.text);
        found.push(
            Diagnostic::new(Code::Idle, ruleset.name.span, message)
                .label("nothing differs")
                .help("set an option that matters, or take it out; what matters too rarely for random games may stay: allow idle in NAME"),
        );
    }
    found
}

impl Ends {
    fn look(&mut self, game: &Game) {
        let endings = &game.rules().endings;
        let lines = endings.iter().filter(|ending| !is_limit(ending));
        self.lines.extend(lines.map(|ending| (ending.span, ending.reason.clone())));
        let mut player = game.player(Engine::Fast);
        let mut left = PLIES;
        for number in 0..GAMES {
            let mut dice = Dice::new(generator(SEED, number));
            player.reset();
            let (plies, _) = player.playout(&mut dice, GAME.min(left));
            if let Some(over) = player.over() {
                self.games += 1;
                let line = over.line.and_then(|line| endings.get(line));
                self.decided.extend(line.map(|ending| ending.span));
            }
            left = left.saturating_sub(plies.max(1));
            if left == 0 {
                break;
            }
        }
    }

    fn silent(&self) -> Vec<Diagnostic> {
        if self.games < ENDED {
            return Vec::new();
        }
        let silent = self.lines.keys().filter(|span| !self.decided.contains(span));
        let warn = |span: &Span| {
            Diagnostic::new(Code::Idle, *span, format!("this line decided none of {} random games", self.games))
                .label("another line always came first, or this one was never true")
                .help("perhaps it can never be true, or a line above it always ends the game first; if it is only rare it may stay: allow idle \"rare\"")
        };
        silent.map(warn).collect()
    }
}

/// Lines that keep games from going on for ever, or say what happens to who cannot move, need not decide any.
fn is_limit(ending: &Ending) -> bool {
    let mut waiting: Vec<&Expr> = ending.condition.iter().collect();
    if waiting.is_empty() {
        return true;
    }
    while let Some(expr) = waiting.pop() {
        match &expr.kind {
            ExprKind::Primitive(word, _) if word.counts.is_some() || [Id::Stuck, Id::Unfinished].contains(&word.id) => {
                return true;
            }
            ExprKind::Seen { .. } => return true,
            _ => waiting.extend(expr.children()),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Alone;

    fn said(rules: &str) -> Vec<String> {
        let text = format!(
            "game \"Put\" 2026\nplayers Black, White\nboard square(4)\npiece stone of each player\n\
             move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\nturn {{ put }}\n{rules}"
        );
        idle(&Project::load("x.game", &text, &Alone)).into_iter().map(|found| found.message).collect()
    }

    #[test]
    fn what_changes_nothing_in_play_is_told() {
        let rules = "option long : 2..3 = 3\noption bite : no, yes = no\nruleset storm { bite yes }\nruleset short { long 2 }\n\
                     end { mover wins when line(long, own, directions) or bite is yes and count own > 20\n\
                     mover wins when line(4, own, directions); draw when stuck }";
        assert_eq!(
            said(rules),
            [
                "this line decided none of 300 random games",
                "`bite yes` plays as `bite no` in 100 random games",
                "the ruleset `storm` plays as the game without it in 100 random games",
            ]
        );
    }

    #[test]
    fn what_changes_the_scores_alone_matters() {
        let rules = "option bonus : 0, 5 = 0\nscore(p) = count(of p) + bonus\nend { best score when no empty }";
        assert_eq!(said(rules), [] as [&str; 0]);
    }

    #[test]
    fn what_matters_and_what_only_limits_is_not_told() {
        let rules = "option long : 2..3 = 3\nruleset short { long 2 }\n\
                     end { mover wins when line(long, own, directions); draw when turn > 100; draw when stuck }";
        assert_eq!(said(rules), [] as [&str; 0]);
    }
}
