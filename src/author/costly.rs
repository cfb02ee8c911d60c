//! Clauses that take most of the time of random games: each is left out in turn, and the games are timed without it.

use crate::check::Project;
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::Engine;
use crate::game::Game;
use crate::rules::{Expr, NodeKind, Rules, Value};
use crate::source::Span;
use crate::study::bench::{Settings, bench};
use petgraph::graph::NodeIndex;
use std::time::{Duration, Instant};

/// A game is slow from so many nanoseconds on for each legal move that there is to choose from. Of others nothing is said,
/// whatever share a clause has.
const SLOW: f64 = 100.0;
/// A clause is told of from this share of the time on: it takes more than all others together.
const SHARE: f64 = 0.5;
/// How long the games with each clause left out are timed.
const TIMED: Duration = Duration::from_millis(40);
/// Games are cut after so many plies, and where they are as long as they are on average with all clauses: without a line of
/// `end` they would go on into positions that do not come up otherwise. They are cut earlier where this would take longer than
/// is timed, but not before [`FEWEST`].
const MOST: u64 = 300;
const FEWEST: u64 = 20;
/// Of clauses without a fast way the first is told of, and beside it so many others.
const SHOWN: usize = 3;
/// The first look is at so many plies.
const GLANCE: u64 = 4;

/// How fast random games of some rules are.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Nanoseconds a ply.
    pub ply: f64,
    /// The mean number of legal moves.
    pub branching: f64,
    /// How long a game is.
    pub plies: f64,
}

/// Times random games, which are cut after so many plies.
pub type Timer<'t> = &'t mut dyn FnMut(&Game, u64) -> Option<Pace>;

/// A clause that takes most of the time.
#[derive(Clone, Debug)]
pub struct Costly {
    /// Where it stands first.
    pub span: Span,
    /// At how many further places the same is written.
    pub others: usize,
    /// Nanoseconds a ply with it and without.
    pub with: f64,
    /// The same games without it at all its places.
    pub without: f64,
}

impl Costly {
    /// The part of the time that goes into it, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        1.0 - self.without / self.with
    }

    /// What was measured, as a sentence without its subject.
    #[must_use]
    pub fn told(&self) -> String {
        let others = match self.others {
            0 => String::new(),
            1 => " (together with the same text at another place)".to_owned(),
            many => format!(" (together with the same text at {many} other places)"),
        };
        let share = 100.0 * self.share();
        let (with, without) = (self.with, self.without);
        format!("takes {share:.0} % of the time{others}: {with:.0} ns a move, {without:.0} without it")
    }
}

/// Something that can be left out, so that the rest is still a game.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// A condition of a line of a move, by its number.
    Condition(NodeIndex, usize),
    Ending(usize),
    /// What has to be played, by turn and number.
    Duty(usize, usize),
    /// That turns must be finished.
    Whole(usize),
}

/// The same text at one place or at several.
struct Clause<'g> {
    text: &'g str,
    span: Span,
    places: Vec<Place>,
}

/// Times random games on this thread with the fast engine.
#[must_use]
pub fn timed(game: &Game, most: u64) -> Option<Pace> {
    game.fast()?;
    game.warm();
    let bench = |time, most| bench(game, Settings { time, seed: 0, max_plies: Some(most), engine: Engine::Fast });
    // Without some clause there may be so much to choose from that one game would take all the time there is.
    let glance = bench(TIMED / 40, GLANCE);
    if glance.ns_per_move() * most as f64 > 10.0 * TIMED.as_nanos() as f64 {
        return None;
    }
    let timing = bench(TIMED, most);
    let totals = &timing.totals;
    Some(Pace { ply: timing.ns_per_move(), branching: totals.mean_branching(), plies: totals.mean_plies() })
}

/// The clauses of a slow game that take more time than all others together, the costliest first; as many as can be looked at
/// within a limit. None where the game is fast enough, or runs on the reference engine only.
#[must_use]
pub fn costly(game: &Game, limit: Duration, timer: Timer<'_>) -> Option<Vec<Costly>> {
    let began = Instant::now();
    let pace = timer(game, MOST).filter(is_slow)?;
    let most = (TIMED.as_nanos() as f64 / pace.ply) as u64;
    let most = most.max(FEWEST).min(pace.plies as u64).clamp(1, MOST);
    let Pace { ply: with, .. } = timer(game, most)?;
    let mut found = Vec::new();
    for clause in clauses(game) {
        if began.elapsed() > limit {
            break;
        }
        let Some(pace) = timer(&game.with_rules(without(game.rules(), &clause.places)), most) else { continue };
        if pace.ply <= with * (1.0 - SHARE) {
            let (span, others) = (clause.span, clause.places.len() - 1);
            found.push(Costly { span, others, with, without: pace.ply });
        }
    }
    found.sort_by(|a, b| a.without.total_cmp(&b.without));
    Some(found)
}

/// Warnings about what makes the games of a file slow, with its usual options: the clauses that take most of the time, and
/// those for which the compiler found no fast way. Nothing is said of games that are fast.
#[must_use]
pub fn warnings(project: &Project, limit: Duration, timer: Timer<'_>) -> Vec<Diagnostic> {
    let Ok(game) = Game::from_project(project, None, &[]) else { return Vec::new() };
    let Some(costly) = costly(&game, limit, timer) else { return Vec::new() };
    let slow = game.slow_places();
    let meets = |a: Span, b: Span| a.source == b.source && a.start < b.end && b.start < a.end;
    let measured = costly.iter().map(|costly| {
        let diagnostic = Diagnostic::new(Code::Costly, costly.span, format!("this {}", costly.told()));
        match slow.iter().find(|place| meets(place.span, costly.span)) {
            Some(place) => {
                let help = place.cure.unwrap_or(HELP);
                diagnostic.label(format!("it {}", place.how)).help(help)
            }
            None => diagnostic.label("more than all the rest of the rules").help(HELP),
        }
    });
    let mut others = slow.iter().filter(|place| {
        let told = costly.iter().any(|costly| meets(place.span, costly.span));
        !told && place.span.source == project.main
    });
    let further = others.next().map(|place| {
        let message = "the games are slow, and no fast way was found for this";
        let help = place.cure.unwrap_or(HELP);
        let diagnostic =
            Diagnostic::new(Code::Costly, place.span, message).label(format!("it {}", place.how)).help(help);
        others.take(SHOWN).fold(diagnostic, |found, other| found.also(other.span, format!("this {}", other.how)))
    });
    measured.filter(|found| found.span.source == project.main).chain(further).collect()
}

/// Whether the games of a file are fast, with its usual options, whatever its clauses might take.
#[must_use]
pub fn is_fast(project: &Project, timer: Timer<'_>) -> bool {
    let game = Game::from_project(project, None, &[]).ok();
    game.and_then(|game| timer(&game, MOST)).is_some_and(|pace| !is_slow(&pace))
}

/// Where no other wording is known.
const HELP: &str = "ask something cheaper before it on the same part, so that it is asked less often, or ask it of fewer sites; if the game needs it: allow costly \"why\"";

fn is_slow(pace: &Pace) -> bool {
    pace.ply > SLOW * pace.branching.max(1.0)
}

/// All that can be left out, by its text, in the order in which it stands in the rules.
fn clauses(game: &Game) -> Vec<Clause<'_>> {
    let rules = game.rules();
    let mut found: Vec<Clause<'_>> = Vec::new();
    let mut add = |place: Place, span: Span| {
        let text = game.sources().slice(span);
        match found.iter_mut().find(|clause| clause.text == text) {
            Some(clause) => clause.places.push(place),
            None => found.push(Clause { text, span, places: vec![place] }),
        }
    };
    for node in rules.moves.iter().flat_map(|mv| &mv.lines) {
        let conditions = rules.graph.node_weight(*node).map_or(&[][..], |node| conditions(&node.kind));
        (0..).zip(conditions).for_each(|(at, condition)| add(Place::Condition(*node, at), condition.span));
    }
    for (at, ending) in rules.endings.iter().enumerate() {
        add(Place::Ending(at), ending.span);
    }
    for (at, turn) in rules.turns.iter().enumerate() {
        (0..).zip(&turn.duties).for_each(|(number, duty)| add(Place::Duty(at, number), duty.span));
        if turn.whole {
            add(Place::Whole(at), turn.span);
        }
    }
    found
}

/// What has to hold for a line of a move.
fn conditions(kind: &NodeKind) -> &[Expr] {
    match kind {
        NodeKind::Choose { conditions, .. } => conditions,
        NodeKind::Require { condition, .. } => std::slice::from_ref(condition),
        NodeKind::Turn
        | NodeKind::Fork
        | NodeKind::Prefer
        | NodeKind::Guard { .. }
        | NodeKind::Call(_)
        | NodeKind::End
        | NodeKind::Move(_)
        | NodeKind::Let { .. }
        | NodeKind::Weigh(_)
        | NodeKind::Change(_)
        | NodeKind::Repeat { .. }
        | NodeKind::Done => &[],
    }
}

/// The same, to be changed.
fn conditions_mut(kind: &mut NodeKind) -> &mut [Expr] {
    if let NodeKind::Require { condition, .. } = kind {
        return std::slice::from_mut(condition);
    }
    if let NodeKind::Choose { conditions, .. } = kind { conditions } else { &mut [] }
}

/// The rules without some clauses.
fn without(rules: &Rules, places: &[Place]) -> Rules {
    let mut rules = rules.clone();
    let (mut endings, mut duties) = (Vec::new(), Vec::new());
    for place in places {
        match *place {
            Place::Condition(node, at) => {
                let kind = rules.graph.node_weight_mut(node).map(|node| &mut node.kind);
                if let Some(condition) = kind.and_then(|kind| conditions_mut(kind).get_mut(at)) {
                    *condition = Expr::constant(Value::Condition(Some(true)), condition.span);
                }
            }
            Place::Ending(at) => endings.push(at),
            Place::Duty(turn, at) => duties.push((turn, at)),
            Place::Whole(turn) => {
                if let Some(turn) = rules.turns.get_mut(turn) {
                    turn.whole = false;
                }
            }
        }
    }
    let mut at = 0..;
    rules.endings.retain(|_| !at.next().is_some_and(|at| endings.contains(&at)));
    for (turn, own) in rules.turns.iter_mut().enumerate() {
        let mut at = 0..;
        own.duties.retain(|_| !at.next().is_some_and(|at| duties.contains(&(turn, at))));
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Alone;

    const TEXT: &str = "game \"Put\" by \"A. Player\" 2026\nplayers Black, White\nboard square(3)\n\
        piece stone of each player\npiece king of each player\n\
        move put \"{cell}\" { cell : empty; if no enemy king; cell becomes stone of mover }\n\
        move crown \"k{cell}\" { cell : empty, cell in edge; if no enemy king; cell becomes king of mover }\n\
        turn { crown or put; must crown }\n\
        end { mover wins when line(3, own, directions); draw when no empty; next loses when stuck }\n";

    /// As slow as there are nodes that ask for kings and lines of `end`.
    fn told(by_condition: f64, by_ending: f64) -> Option<Vec<(String, usize, f64, f64)>> {
        let game = Game::from_text("put.game", TEXT, None, &[], &Alone).unwrap();
        let mut timer = |game: &Game, _| {
            let rules = game.rules();
            let nodes = rules.graph.node_weights().filter_map(|node| match &node.kind {
                NodeKind::Require { condition, .. } => Some(condition),
                _ => None,
            });
            let asked = nodes.filter(|condition| condition.as_decided().is_none()).count();
            let duties: usize = rules.turns.iter().map(|turn| turn.duties.len()).sum();
            let ply = by_condition * asked as f64 + by_ending * rules.endings.len() as f64 + duties as f64;
            Some(Pace { ply, branching: 2.0, plies: 9.0 })
        };
        let found = costly(&game, Duration::MAX, &mut timer)?;
        Some(found.iter().map(|one| (game.clause(one.span), one.others, one.with, one.without)).collect())
    }

    #[test]
    fn a_clause_is_left_out_at_all_its_places_and_told_of_if_half_of_the_time_goes_with_it() {
        let kings = "put.game:6:38: `no enemy king`".to_owned();
        assert_eq!(told(100.0, 10.0), Some(vec![(kings, 1, 231.0, 31.0)]));
        assert_eq!(told(10.0, 100.0), Some(Vec::new()), "each line of `end` has less than a third");
        assert_eq!(told(10.0, 10.0), None, "such a game is not slow");
    }

    #[test]
    fn games_are_fast_that_can_be_played_and_are_not_slow() {
        let project = Project::load("put.game", TEXT, &Alone);
        let at = |ply: f64| is_fast(&project, &mut |_, _| Some(Pace { ply, branching: 2.0, plies: 9.0 }));
        assert!(at(150.0) && !at(250.0));
        assert!(!is_fast(&project, &mut |_, _| None), "the fast engine cannot play it");
    }

    #[test]
    fn games_are_timed_as_they_are_played() {
        let game = Game::from_text("put.game", TEXT, None, &[], &Alone).unwrap();
        let pace = timed(&game, 300).unwrap();
        assert!(pace.ply > 0.0 && pace.branching > 1.0, "{pace:?}");
        assert!(
            clauses(&game)
                .iter()
                .all(|clause| timed(&game.with_rules(without(game.rules(), &clause.places)), 300).is_some())
        );
    }
}
