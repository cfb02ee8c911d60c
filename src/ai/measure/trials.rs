//! What single moves are worth: each first move, each kind of move to whom it is forbidden, and the mirror image as an answer.

use super::{LITTLE, Measure, Settings};
use crate::ai::Contestant;
use crate::ai::arena::{self, Played, Watch};
use crate::ai::world::worth;
use crate::game::Game;
use crate::study::estimate::{Estimate, Sample};
use std::ops::Range;

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
pub const MOST: u64 = 1_000;

/// How many games are played with so many first moves, as many with each.
#[must_use]
pub fn firsts(each: Option<u64>, moves: usize) -> u64 {
    let moves = moves as u64;
    each.map_or(MOST_FIRSTS, |games| FIRSTS.saturating_mul(games)).div_ceil(moves.max(1)).saturating_mul(moves)
}

/// How many games are played with a mirror.
#[must_use]
pub fn mirrors(each: Option<u64>) -> u64 {
    each.map_or(MOST, |games| MIRRORS.saturating_mul(games))
}

/// The moves that somebody chooses, by number.
pub fn choices(game: &Game) -> impl Iterator<Item = usize> {
    game.rules().played_moves().filter(|(_, mv)| !mv.chance).map(|(id, _)| id.0)
}

/// Games of which each says what a player got of 1; none where it says nothing of that.
pub fn shares<A: Contestant>(
    game: &Game,
    settings: Settings,
    (agents, games): (Vec<A>, Range<u64>),
    watch: Watch<'_>,
    share: &dyn Fn(&Played) -> Option<f64>,
    take: &mut dyn FnMut(Option<f64>, &[u8]) -> bool,
) {
    let arena = Settings { seed: settings.seed ^ TRIALS, ..settings }.arena(agents, games.end);
    arena::some(game, &arena, games, watch, &mut |played, line| take(share(played), line));
}

/// What a seat got.
#[must_use]
pub fn share_of_seat(played: &Played, seat: usize) -> Option<f64> {
    Some(f64::from(worth(&played.places, seat)))
}

/// What a program got.
#[must_use]
pub fn share_of_program(played: &Played, program: usize) -> Option<f64> {
    share_of_seat(played, played.sat.iter().position(|at| *at == program)?)
}

/// What each first move came to, the best first.
#[must_use]
pub fn told_firsts(words: &[(String, Option<String>)], shares: &[Option<f64>]) -> Vec<First> {
    let mut samples = vec![Sample::default(); words.len()];
    let mut next = (0..words.len()).cycle();
    for share in shares {
        if let (Some(sample), Some(share)) = (next.next().and_then(|at| samples.get_mut(at)), share) {
            sample.add(*share);
        }
    }
    let played = words.iter().zip(&samples).filter(|(_, sample)| sample.count > 0);
    let first = |((text, site), sample): (&(String, Option<String>), &Sample)| First {
        text: text.clone(),
        site: site.clone(),
        share: sample.score(),
        games: sample.count,
    };
    let mut firsts: Vec<First> = played.map(first).collect();
    firsts.sort_by(|a, b| b.share.value.total_cmp(&a.share.value));
    firsts
}

/// The first move after which it matters least who goes on: the one for whoever cuts a pie.
#[must_use]
pub fn fairest(firsts: &[First]) -> Option<&First> {
    let away = |first: &First| (first.share.value - 0.5).abs();
    firsts.iter().min_by(|a, b| away(a).total_cmp(&away(b)))
}

/// What it came to for a program to do without each of these moves; the dearest first.
#[must_use]
pub fn told_restricted(found: &[(&str, &[Option<f64>])]) -> Vec<Restricted> {
    let mut all: Vec<Restricted> = Vec::new();
    for (name, shares) in found {
        let sample = sample(shares);
        if sample.count > 0 {
            all.push(Restricted { name: (*name).to_owned(), share: sample.score(), games: sample.count });
        }
    }
    all.sort_by(|a, b| a.share.value.total_cmp(&b.share.value));
    all
}

/// What it came to that the second seat answers with the mirror image.
#[must_use]
pub fn told_mirror(shares: &[Option<f64>]) -> Measure {
    let sample = sample(shares);
    Measure {
        name: "mirror",
        estimate: (sample.count > 0).then(|| sample.score()),
        games: sample.count,
        players: format!("mcts:{LITTLE}, whose second seat answers with the mirror image"),
        unit: "share",
        about: "what a second seat gets that mirrors through the middle",
    }
}

fn sample(shares: &[Option<f64>]) -> Sample {
    let mut sample = Sample::default();
    shares.iter().flatten().for_each(|share| sample.add(*share));
    sample
}

/// Parts these games from those of the series.
const TRIALS: u64 = 0x7261_6c73;

#[cfg(test)]
mod tests {
    use super::super::plan::{Stage, Words};
    use super::super::tally::Tally;
    use super::*;
    use crate::library::Library;
    use crate::study::halt::Halt;
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

    fn game(text: &str) -> Game {
        Game::from_text("test.game", text, None, &[], &Library).unwrap()
    }

    fn settings(games: u64) -> Settings {
        Settings { time: Duration::ZERO, games: Some(games), seed: 1, threads: 2, max_plies: 500 }
    }

    fn tally(game: &Game, stage: Stage, each: u64) -> Vec<Option<f64>> {
        let words = Words::of(game);
        let mut tally = stage.nothing(&words);
        stage.play(game, settings(each), 0..stage.games(Some(each), &words), (Halt::never(), None), &mut |item, _| {
            tally.add(item);
            true
        });
        let Tally::Shares(shares) = tally else { panic!("{tally:?}") };
        shares
    }

    #[test]
    fn who_mirrors_wins_where_mirroring_wins() {
        let share = |text: &str| told_mirror(&tally(&game(text), Stage::Mirror, 10)).estimate.unwrap().value;
        assert_eq!(share(APART), 1.0);
        // On a board of three by three the first player takes the middle.
        assert!(share(&APART.replace("square(4)", "square(3)")) < 0.5);
    }

    #[test]
    fn who_must_do_without_a_move_that_wins_gets_less_and_without_an_idle_one_as_much() {
        let game = game(TAKING);
        let kinds: Vec<usize> = choices(&game).collect();
        let shares: Vec<_> = kinds.iter().map(|kind| tally(&game, Stage::Without(*kind), 60)).collect();
        let names = kinds.iter().map(|kind| game.rules().moves[*kind].name.as_str());
        let played: Vec<_> = names.zip(&shares).map(|(name, shares)| (name, shares.as_slice())).collect();
        let found = told_restricted(&played);
        let share = |name: &str| found.iter().find(|one| one.name == name).unwrap().share;
        assert!(share("take").high < 0.2, "{found:?}");
        assert!(share("wait").low < 0.5 && share("wait").high > 0.5, "{found:?}");
    }
}
