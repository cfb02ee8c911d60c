//! What single moves are worth: each first move, each kind of move to whom it is forbidden, and the mirror image as an answer.

use super::bound::{Bound, Rule, opposite};
use super::{Measure, Settings};
use crate::ai::agent::Agent;
use crate::ai::arena::{self, Played, Watch};
use crate::ai::world::worth;
use crate::game::Game;
use crate::rules::MoveId;
use crate::study::estimate::{Estimate, Sample};
use crate::study::halt::Halt;
use crate::study::traffic::Traffic;
use std::sync::Arc;

/// A first move, and what whoever makes it gets.
#[derive(Clone, PartialEq, Debug)]
pub struct First {
    /// The move in notation.
    pub text: String,
    /// The site, where the move names just one.
    pub site: Option<String>,
    /// What the player gets of 1.
    pub share: Estimate,
    /// In how many games.
    pub games: u64,
}

/// A kind of move, and what a player gets who must do without it.
#[derive(Clone, PartialEq, Debug)]
pub struct Restricted {
    /// The name of the move.
    pub name: String,
    /// What the player gets of 1 against one who may make it; one half where it does not matter.
    pub share: Estimate,
    /// In how many games.
    pub games: u64,
}

/// So many games are played altogether with first moves, and with a mirror, where games are counted.
const FIRSTS: u64 = 4;
const MIRRORS: u64 = 2;

/// In the time that there is as many as tell something, and no more.
const MOST_FIRSTS: u64 = 20_000;
const MOST: u64 = 1_000;

/// What each first move is worth, the best first; nothing where chance begins.
pub fn firsts(game: &Game, settings: Settings, player: Agent, halt: Halt<'_>, told: &mut dyn FnMut()) -> Vec<First> {
    let start = game.start();
    let count = start.move_count();
    let (Some(seat), false, 2..) = (start.seat(), start.is_chance(), count) else { return Vec::new() };
    let each = settings.games.map_or(MOST_FIRSTS, |games| FIRSTS * games).div_ceil(count as u64);
    let arena = series(settings, vec![player; game.rules().players.len()], each * count as u64);
    let mut samples = vec![Sample::default(); count];
    let mut next = (0..count).cycle();
    let watch = Watch { firsts: Some(count), ..Watch::of(halt) };
    arena::traced(game, &arena, watch, &mut |played, _| {
        if let Some(sample) = next.next().and_then(|at| samples.get_mut(at)) {
            sample.add(f64::from(worth(&played.places, seat)));
        }
        told();
        true
    });
    let text = |at: usize| start.move_text(at).unwrap_or_default();
    let names = |at: usize| game.rules().board.find(&text(at)).map(|site| game.rules().board.name(site).to_owned());
    let first = |(at, sample): (usize, &Sample)| First {
        text: text(at),
        site: names(at),
        share: sample.score(),
        games: sample.count,
    };
    let mut firsts: Vec<First> = samples.iter().enumerate().filter(|(_, sample)| sample.count > 0).map(first).collect();
    firsts.sort_by(|a, b| b.share.value.total_cmp(&a.share.value));
    firsts
}

/// The first move after which it matters least who goes on: the one for whoever cuts a pie.
#[must_use]
pub fn fairest(firsts: &[First]) -> Option<&First> {
    let away = |first: &First| (first.share.value - 0.5).abs();
    firsts.iter().min_by(|a, b| away(a).total_cmp(&away(b)))
}

/// What a player gets who must do without a move, for each move that there is a choice about.
pub fn restricted(
    game: &Game,
    settings: Settings,
    (player, traffic): (Agent, &Traffic),
    (halt, ends): (Halt<'_>, &dyn Fn(usize, usize) -> Option<std::time::Instant>),
    told: &mut dyn FnMut(),
) -> Vec<Restricted> {
    let chosen = |(at, _): &(usize, &u64)| game.rules().moves.get(*at).is_some_and(|mv| !mv.chance);
    let kinds = traffic.beside.iter().enumerate().filter(|(_, count)| **count > 0).filter(chosen);
    let kinds: Vec<usize> = kinds.map(|(at, _)| at).collect();
    let seats = game.rules().players.len();
    let mut all = Vec::new();
    for (number, kind) in kinds.iter().enumerate() {
        let halt = ends(number, kinds.len()).map_or(halt, |end| halt.by(end));
        let rule = |seat| if seat == 0 { Rule::Without(MoveId(*kind)) } else { Rule::Free };
        let agents = (0..seats).map(|seat| Bound { agent: player, rule: rule(seat) }).collect();
        let arena = series(settings, agents, settings.games.unwrap_or(MOST));
        let mut sample = Sample::default();
        arena::traced(game, &arena, Watch::of(halt), &mut |played, _| {
            if let Some(share) = share_of(played, 0) {
                sample.add(share);
            }
            told();
            true
        });
        if let Some(mv) = game.rules().moves.get(*kind).filter(|_| sample.count > 0) {
            all.push(Restricted { name: mv.name.clone(), share: sample.score(), games: sample.count });
        }
    }
    all.sort_by(|a, b| a.share.value.total_cmp(&b.share.value));
    all
}

/// What the second seat gets by answering with the mirror image.
pub fn mirror(game: &Game, settings: Settings, player: Agent, halt: Halt<'_>, told: &mut dyn FnMut()) -> Measure {
    let mut sample = Sample::default();
    let images = opposite(&game.rules().board).filter(|_| game.rules().players.len() == 2);
    if let Some(images) = images {
        let rules = [Rule::Free, Rule::Mirror(Arc::new(images))];
        let agents = rules.into_iter().map(|rule| Bound { agent: player, rule }).collect();
        let games = settings.games.map_or(MOST, |games| MIRRORS * games);
        let arena = series(settings, agents, games);
        arena::traced(game, &arena, Watch::of(halt), &mut |played, _| {
            // Only who comes second can answer.
            if played.sat.get(1) == Some(&1) {
                sample.add(f64::from(worth(&played.places, 1)));
            }
            told();
            true
        });
    }
    Measure {
        name: "mirror",
        estimate: (sample.count > 0).then(|| sample.score()),
        games: sample.count,
        players: format!("{player}, whose second seat answers with the mirror image"),
        unit: "share",
        about: "what a second seat gets that mirrors through the middle",
    }
}

/// What a player of a series got.
fn share_of(played: &Played, agent: usize) -> Option<f64> {
    let seat = played.sat.iter().position(|at| *at == agent)?;
    Some(f64::from(worth(&played.places, seat)))
}

fn series<A>(settings: Settings, agents: Vec<A>, games: u64) -> arena::Settings<A> {
    let Settings { seed, threads, max_plies, .. } = settings;
    arena::Settings { agents, games, seed: seed ^ TRIALS, threads, max_plies: Some(max_plies), opening: 0 }
}

/// Parts these games from those of the series.
const TRIALS: u64 = 0x7261_6c73;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ai::agent::Budget;
    use crate::library::Library;
    use std::time::Duration;

    /// No two stones beside each other, and who finds no room loses: whoever comes second mirrors and wins on an even board.
    const APART: &str = r#"
        game "Apart"
        players Black, White
        board square(4)
        piece stone of each player
        move put "{cell}" { cell : empty; if no (next_to cell and not empty); cell becomes stone of mover }
        turn { put }
        end { mover wins when stuck "no room" }
    "#;

    /// Stones count after six plies: without taking nobody wins, and waiting is worth nothing.
    const TAKING: &str = r#"
        game "Taking"
        players Black, White
        board square(4)
        piece stone of each player
        move take "{cell}" { cell : empty; cell becomes stone of mover }
        move wait "wait" { if ply >= 0 }
        turn { take or wait }
        end {
            any p wins when ply >= 6 and count(of p) > 2 and count(of p) > count(not of p and not empty) "more stones"
            draw when ply >= 6 "as many"
        }
    "#;

    const PLAYER: Agent = Agent::Mcts(Budget::Rounds(32));

    fn game(text: &str) -> Game {
        Game::from_text("test.game", text, None, &[], &Library).unwrap()
    }

    fn settings(games: u64) -> Settings {
        Settings { time: Duration::ZERO, games: Some(games), seed: 1, threads: 2, max_plies: 500 }
    }

    #[test]
    fn who_mirrors_wins_where_mirroring_wins() {
        let share = |text: &str| {
            let mirror = mirror(&game(text), settings(10), PLAYER, Halt::never(), &mut || {});
            mirror.estimate.unwrap().value
        };
        assert_eq!(share(APART), 1.0);
        // On a board of three by three the first player takes the middle.
        assert!(share(&APART.replace("square(4)", "square(3)")) < 0.5);
    }

    #[test]
    fn who_must_do_without_a_move_that_wins_gets_less_and_without_an_idle_one_as_much() {
        let game = game(TAKING);
        let traffic = Traffic { beside: vec![1; game.rules().moves.len()], ..Traffic::of(&game) };
        let found = restricted(&game, settings(60), (PLAYER, &traffic), (Halt::never(), &|_, _| None), &mut || {});
        let share = |name: &str| found.iter().find(|one| one.name == name).unwrap().share;
        assert!(share("take").high < 0.2, "{found:?}");
        assert!(share("wait").low < 0.5 && share("wait").high > 0.5, "{found:?}");
    }
}
