//! Games of somebody against himself, and what each of them says.

use super::Settings;
use super::quantity::{Numbers, Quantity};
use crate::ai::agent::{Agent, Budget};
use crate::ai::arena::{self, MARGIN, Played, Step, Watch};
use crate::ai::world::worth;
use crate::engine::Engine;
use crate::game::Game;
use crate::study::games::Lines;
use crate::study::halt::Halt;
use crate::study::playout::{self, Run};
use crate::study::traffic::Traffic;
use std::ops::Range;

/// What one game of somebody against himself says.
#[derive(Clone, Debug)]
pub struct Told {
    /// Its numbers.
    pub numbers: Numbers,
    /// Why it ended, or that it was cut.
    pub reason: String,
    /// The number of the line of `end` that decided, if one did.
    pub line: Option<usize>,
    /// What happened on the board, if it was followed.
    pub traffic: Option<Traffic>,
}

/// Games of a player against himself, by programs or at random: those of these numbers. Now and then one who thinks less is
/// asked what he would do. The taker is given what each says, and its line if games are written down, and says whether to go
/// on.
pub fn of(
    game: &Game,
    settings: Settings,
    (player, shadow): (Agent, Option<Agent>),
    games: Range<u64>,
    (halt, lines): (Halt<'_>, Option<&Lines<'_>>),
    take: &mut dyn FnMut(Told, &[u8]) -> bool,
) {
    match player {
        Agent::Random => random(game, settings, games, (halt, lines), take),
        Agent::Greedy
        | Agent::Flat(_)
        | Agent::Mcts(_)
        | Agent::AlphaBeta(_)
        | Agent::Learned(_)
        | Agent::Level(..) => {
            let arena = settings.arena(vec![player; game.rules().players.len()], games.end);
            let watch = Watch { shadow, lines, traffic: true, ..Watch::of(halt) };
            arena::some(game, &arena, games, watch, &mut |played, line| take(Told::of(played), line));
        }
    }
}

/// The numbers of the same games.
pub fn numbers(
    game: &Game,
    settings: Settings,
    player: Agent,
    games: Range<u64>,
    halt: Halt<'_>,
    told: &mut dyn FnMut(),
) -> Vec<Numbers> {
    let mut all = Vec::new();
    of(game, settings, (player, None), games, (halt, None), &mut |one, _| {
        all.push(one.numbers);
        told();
        true
    });
    all
}

/// Random games.
fn random(
    game: &Game,
    settings: Settings,
    games: Range<u64>,
    (halt, lines): (Halt<'_>, Option<&Lines<'_>>),
    take: &mut dyn FnMut(Told, &[u8]) -> bool,
) {
    let rules = game.rules();
    let run = playout::Settings {
        games: games.end,
        seed: settings.seed,
        threads: settings.threads,
        max_plies: Some(settings.max_plies),
        engine: Engine::Fast,
    };
    Run { settings: run, games, halt, lines }.each(game, &mut |_, played, written| {
        let over = played.over.as_ref();
        let places = over.and_then(|over| over.places.get(..rules.players.len()));
        let line = over.and_then(|over| over.line);
        let ending = line.and_then(|line| rules.endings.get(line));
        let reason = ending.map_or("no line of `end`", |ending| ending.reason.as_str());
        let mut told = Told::ended(played.plies, places.map(|places| (places, reason, line)));
        if played.plies > 0 {
            told.say(Quantity::Branching, played.choices as f64 / played.plies as f64);
        }
        take(told, written)
    });
}

impl Told {
    /// What the length and the end of a game say: the places by seat, why it ended and by which line, if it did.
    fn ended(plies: u64, end: Option<(&[u8], &str, Option<usize>)>) -> Self {
        let (reason, line) = end.map_or(("cut", None), |(_, reason, line)| (reason, line));
        let mut told = Self { numbers: Numbers::default(), reason: reason.to_owned(), line, traffic: None };
        told.say(Quantity::Plies, plies as f64);
        told.say(Quantity::Completion, f64::from(u8::from(end.is_some())));
        if let Some((places, ..)) = end {
            told.say(Quantity::FirstSeat, f64::from(worth(places, 0)));
            told.say(Quantity::Draws, f64::from(u8::from(playout::winner(places).is_none())));
        }
        told
    }

    fn of(played: &Played) -> Self {
        let end = played.reason.as_deref().map(|reason| (played.places.as_slice(), reason, played.ending));
        let mut told = Self { traffic: played.traffic.clone(), ..Self::ended(played.plies, end) };
        let steps = &played.steps;
        if !steps.is_empty() {
            let choices = steps.iter().map(|step| step.choices as f64);
            told.say(Quantity::Branching, choices.sum::<f64>() / steps.len() as f64);
            let forced = steps.iter().filter(|step| step.choices <= 1).count();
            told.say(Quantity::Forced, forced as f64 / steps.len() as f64);
        }
        told.say(Quantity::GameTree, steps.iter().map(|step| (step.choices.max(1) as f64).log10()).sum());
        let asked: Vec<bool> = steps.iter().filter_map(|step| step.shadow).collect();
        if !asked.is_empty() {
            let same = asked.iter().filter(|same| **same).count();
            told.say(Quantity::Clarity, same as f64 / asked.len() as f64);
        }
        // What follows compares a winner with one other.
        if let (Some(winner), 2) = (end.and_then(|(places, ..)| playout::winner(places)), played.places.len()) {
            let course = course(steps, winner);
            if !course.is_empty() {
                told.say(Quantity::Drama, drama(&course));
                told.say(Quantity::LeadChanges, lead_changes(&course));
                told.say(Quantity::DecisionPly, decided_at(&course));
            }
        }
        told
    }

    fn say(&mut self, quantity: Quantity, number: f64) {
        if let Some(place) = self.numbers.get_mut(quantity.at()) {
            *place = Some(number);
        }
    }
}

/// Who plays where a player plays against himself, in words.
#[must_use]
pub fn against_itself(player: Agent) -> String {
    match player {
        Agent::Random => "random moves".to_owned(),
        Agent::Mcts(Budget::Rounds(rounds)) => format!("mcts:{rounds} against itself"),
        player => format!("{player} against itself"),
    }
}

/// What the later winner could expect at each ply that somebody thought about, with the number of the ply from 1.
fn course(steps: &[Step], winner: usize) -> Vec<(usize, f64)> {
    let expected = |step: &Step| step.value.map(|value| if step.seat == winner { value } else { 1.0 - value });
    (1..).zip(steps).filter_map(|(ply, step)| Some((ply, expected(step)?))).collect()
}

/// How far the later winner was behind, on the mean over the plies: the root of the lead of the other.
fn drama(course: &[(usize, f64)]) -> f64 {
    let behind = course.iter().map(|(_, value)| 1.0 - 2.0 * value).filter(|lead| *lead > 2.0 * MARGIN);
    behind.map(f64::sqrt).sum::<f64>() / course.len().max(1) as f64
}

/// How often somebody else leads than before, leads that are hardly any left out.
fn lead_changes(course: &[(usize, f64)]) -> f64 {
    let leads: Vec<bool> =
        course.iter().filter(|(_, value)| (value - 0.5).abs() > MARGIN).map(|(_, value)| *value > 0.5).collect();
    leads.windows(2).filter(|pair| matches!(pair, [before, after] if before != after)).count() as f64
}

/// The ply from which on the winner is ahead to the end.
fn decided_at(course: &[(usize, f64)]) -> f64 {
    let last = course.iter().rev().find(|(_, value)| *value <= 0.5 + MARGIN);
    last.map_or(1.0, |(ply, _)| (*ply + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Vec<(usize, f64)> {
        (1..).zip(values.iter().copied()).collect()
    }

    #[test]
    fn a_winner_who_was_never_behind_makes_no_drama() {
        assert_eq!(drama(&of(&[0.5, 0.6, 0.9])), 0.0);
        // Behind by 0.64 in one ply of two.
        assert!((drama(&of(&[0.18, 0.9])) - 0.4).abs() < 1e-9);
    }

    #[test]
    fn leads_change_when_somebody_else_is_clearly_ahead() {
        assert_eq!(lead_changes(&of(&[0.6, 0.4, 0.6])), 2.0);
        assert_eq!(lead_changes(&of(&[0.6, 0.48, 0.52, 0.6])), 0.0);
    }

    #[test]
    fn a_game_is_decided_when_the_winner_stays_ahead() {
        assert_eq!(decided_at(&of(&[0.6, 0.3, 0.5, 0.7, 0.9])), 4.0);
        assert_eq!(decided_at(&of(&[0.9, 0.9])), 1.0);
    }

    #[test]
    fn what_the_other_expects_is_what_is_left() {
        let step = |seat: usize, value: f64| Step { seat, choices: 2, value: Some(value), shadow: None };
        assert_eq!(course(&[step(0, 0.75), step(1, 0.75)], 0), [(1, 0.75), (2, 0.25)]);
    }
}
