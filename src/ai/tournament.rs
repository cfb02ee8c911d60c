//! Tournaments: everybody against everybody, or one against all, in pairs of games that begin alike with seats swapped.

use super::bout::{Contestant, Fixture, Played, Watch};
use super::world::worth;
use crate::engine::Stopped;
use crate::game::{Game, Line};
use crate::study::elo::{Pentanomial, Sprt, Verdict};
use crate::study::games::Lines;
use crate::study::halt::Halt;
use crate::study::series::in_order;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Everybody meets everybody.
    #[default]
    RoundRobin,
    /// The first meets all others.
    Gauntlet,
}

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Tournament<A> {
    /// Who plays.
    pub players: Vec<A>,
    /// Who meets whom.
    pub shape: Shape,
    /// How many pairs of games each two play.
    pub pairs: u64,
    /// The same seed gives the same openings, and the same games where programs do not go by the clock.
    pub seed: u64,
    /// On how many threads.
    pub threads: usize,
    /// Games that last longer count as drawn.
    pub max_plies: Option<u64>,
    /// Plies at the beginning that chance plays.
    pub opening: u64,
    /// A test that ends the tournament of two as soon as it is clear which is better.
    pub sprt: Option<Sprt>,
}

/// What two players came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Meeting {
    /// The numbers of both.
    pub players: [usize; 2],
    /// Whole pairs, as the first of them saw them.
    pub pairs: Pentanomial,
    /// Games with those of a pair that is not whole.
    pub games: u64,
    /// Games won by the first, drawn, and won by the other.
    pub results: [u64; 3],
    /// Half points of the first game of a pair whose second is still to come.
    open: Option<usize>,
}

/// What a tournament has come to.
#[derive(Clone, PartialEq, Debug)]
pub struct Standings {
    /// In the order in which they are played.
    pub meetings: Vec<Meeting>,
    /// Games so far.
    pub games: u64,
    /// Games that were cut.
    pub unfinished: u64,
    /// Games that somebody lost because no legal move came from him in time.
    pub forfeits: u64,
    /// What the test says by now.
    pub verdict: Option<Verdict>,
    sprt: Option<Sprt>,
}

/// One line of the table.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The number of the player.
    pub player: usize,
    /// One for a win, one half for a draw.
    pub points: f64,
    /// How many games.
    pub games: u64,
    /// Whole pairs, as he saw them.
    pub pairs: Pentanomial,
}

/// How a game ended for the tournament.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// The place of each seat.
    pub places: Vec<u8>,
    /// Whether it was cut.
    pub cut: bool,
    /// Whether somebody made no legal move in time.
    pub forfeit: bool,
}

impl Shape {
    /// Who of so many meets whom, in the order of play.
    #[must_use]
    pub fn meetings(self, players: usize) -> Vec<[usize; 2]> {
        let firsts = match self {
            Self::RoundRobin => players,
            Self::Gauntlet => players.min(1),
        };
        (0..firsts).flat_map(|first| (first + 1..players).map(move |second| [first, second])).collect()
    }
}

impl<A: Contestant> Tournament<A> {
    /// Who meets whom, in the order of play.
    #[must_use]
    pub fn meetings(&self) -> Vec<[usize; 2]> {
        self.shape.meetings(self.players.len())
    }

    /// How many games there are, unless the test ends them.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.pairs * 2 * self.meetings().len() as u64
    }

    /// Who sits where in a game, and with which opening.
    #[must_use]
    pub fn seats(&self, index: u64) -> Option<([usize; 2], u64)> {
        let meetings = self.meetings();
        let (pair, second) = (index / 2, index % 2 == 1);
        let count = meetings.len() as u64;
        let [a, b] = *meetings.get(usize::try_from(pair.checked_rem(count)?).ok()?)?;
        Some((if second { [b, a] } else { [a, b] }, pair / count))
    }

    /// What has been played before anything was.
    #[must_use]
    pub fn standings(&self) -> Standings {
        Standings::new(self.players.len(), self.shape, self.sprt)
    }

    /// The plies that chance plays at the beginning of a game.
    #[must_use]
    pub fn opening_of(&self, game: &Game, start: u64) -> Vec<String> {
        let fixture = Fixture { opening: self.opening, ..self.fixture(game, 0, start, &[], &[]) };
        fixture.opening_moves(Line::new(game.start()))
    }

    fn fixture<'a>(
        &self,
        game: &'a Game,
        index: u64,
        start: u64,
        sat: &'a [usize],
        names: &'a [String],
    ) -> Fixture<'a> {
        let Self { seed, opening, max_plies, .. } = *self;
        Fixture { game, index, stream: index, start, seed, opening, max_plies, sat, names }
    }

    /// Plays on from what has been played, until all is played, the test is clear, it is halted, or the taker says no. The
    /// taker is given the standings and the line of the game that came last, if games are written down.
    pub fn play(
        &self,
        game: &Game,
        standings: &mut Standings,
        (halt, lines): (Halt<'_>, Option<&Lines<'_>>),
        take: &mut dyn FnMut(&Standings, &[u8]) -> bool,
    ) {
        if standings.is_decided() {
            return;
        }
        let watch = Watch { lines, ..Watch::of(halt) };
        self.each(game, standings.games..self.games(), watch, &mut |ending, line| {
            standings.add(ending);
            take(standings, line) && !standings.is_decided()
        });
    }

    /// How some of the games end, by their numbers and in order; fewer come when it is halted, when a ply is given up, or when
    /// the taker says no.
    pub fn part(&self, game: &Game, games: Range<u64>, halt: Halt<'_>, take: &mut dyn FnMut(&Ending) -> bool) {
        self.each(game, games, Watch::of(halt), &mut |ending, _| take(ending));
    }

    fn each(&self, game: &Game, games: Range<u64>, watch: Watch<'_>, take: &mut dyn FnMut(&Ending, &[u8]) -> bool) {
        let names: Vec<String> = self.players.iter().map(A::to_string).collect();
        let worker = || {
            let mut players: Vec<_> = self.players.iter().map(A::player).collect();
            let names = &names;
            move |index: u64| {
                let (sat, start) = self.seats(index)?;
                let names = sat.map(|at| names.get(at).cloned().unwrap_or_default());
                let mut line = Vec::new();
                let played = self.fixture(game, index, start, &sat, &names).play(&mut players, watch, &mut line)?;
                Some((Ending::of(&played), line, played.stopped))
            }
        };
        in_order(games, self.threads, &worker, &mut |(ending, line, stopped): (Ending, Vec<u8>, Option<Stopped>)| {
            match stopped {
                None => take(&ending, &line),
                Some(stopped) => {
                    watch.halt.give_up(stopped);
                    false
                }
            }
        });
    }
}

impl Ending {
    fn of(played: &Played) -> Self {
        Self { places: played.places.clone(), cut: played.reason.is_none(), forfeit: played.forfeit.is_some() }
    }
}

impl Standings {
    /// Those of so many players before anything was played.
    #[must_use]
    pub fn new(players: usize, shape: Shape, sprt: Option<Sprt>) -> Self {
        let meeting =
            |players| Meeting { players, pairs: Pentanomial::default(), games: 0, results: [0; 3], open: None };
        Self {
            meetings: shape.meetings(players).into_iter().map(meeting).collect(),
            games: 0,
            unfinished: 0,
            forfeits: 0,
            verdict: sprt.map(|_| Verdict::Open),
            sprt,
        }
    }

    /// The test, if there is one.
    #[must_use]
    pub fn sprt(&self) -> Option<Sprt> {
        self.sprt
    }

    /// The next game, in the order of their numbers.
    pub fn add(&mut self, ending: &Ending) {
        let (pair, second) = (self.games / 2, self.games % 2 == 1);
        let count = self.meetings.len() as u64;
        let at = pair.checked_rem(count).and_then(|at| usize::try_from(at).ok());
        self.games += 1;
        self.unfinished += u64::from(ending.cut);
        self.forfeits += u64::from(ending.forfeit);
        let Some(meeting) = at.and_then(|at| self.meetings.get_mut(at)) else { return };
        // In the second game of a pair the first player has the second seat.
        meeting.add(half_points(&ending.places, usize::from(second)));
        if let (Some(sprt), None) = (self.sprt, meeting.open) {
            self.verdict = Some(sprt.verdict(&meeting.pairs));
        }
    }

    /// Whether the test has ended.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Accepted | Verdict::Rejected))
    }

    /// How much likelier what happened is under the second difference of the test, as a logarithm.
    #[must_use]
    pub fn likelihood(&self) -> Option<f64> {
        Some(self.sprt?.likelihood(&self.meetings.first()?.pairs))
    }

    /// The players, the one with most points a game first.
    #[must_use]
    pub fn table(&self) -> Vec<Row> {
        let count = self.meetings.iter().flat_map(|meeting| meeting.players).max().map_or(0, |last| last + 1);
        let mut rows: Vec<Row> = (0..count).map(|player| self.row(player)).collect();
        // Without a division: who has the larger share of the points.
        rows.sort_by(|a, b| (b.points * a.games as f64).total_cmp(&(a.points * b.games as f64)));
        rows
    }

    fn row(&self, player: usize) -> Row {
        let mut row = Row { player, points: 0.0, games: 0, pairs: Pentanomial::default() };
        for meeting in &self.meetings {
            let [won, drawn, lost] = meeting.results;
            let (own, pairs) = match meeting.players {
                [first, _] if first == player => (won, meeting.pairs),
                [_, second] if second == player => (lost, meeting.pairs.turned()),
                _ => continue,
            };
            row.points += own as f64 + drawn as f64 / 2.0;
            row.games += meeting.games;
            row.pairs.merge(&pairs);
        }
        row
    }
}

impl Meeting {
    fn add(&mut self, half_points: usize) {
        self.games += 1;
        if let Some(count) = self.results.get_mut(2 - half_points.min(2)) {
            *count += 1;
        }
        match self.open.take() {
            Some(first) => self.pairs.add(first + half_points),
            None => self.open = Some(half_points),
        }
    }
}

/// Two for a win, one for a draw.
fn half_points(places: &[u8], seat: usize) -> usize {
    let worth = worth(places, seat);
    if worth > 0.75 { 2 } else { usize::from(worth > 0.25) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ai::Agent;
    use crate::library::Library;

    fn tournament(shape: Shape, threads: usize) -> Tournament<Agent> {
        let players = ["greedy", "flat:30", "random"].map(|name| name.parse().unwrap()).to_vec();
        Tournament { players, shape, pairs: 6, seed: 3, threads, max_plies: None, opening: 2, sprt: None }
    }

    fn game() -> Game {
        Game::from_text("tic_tac_toe", Library::text("tic_tac_toe").unwrap(), None, &[], &Library).unwrap()
    }

    fn played(tournament: &Tournament<Agent>) -> Standings {
        let mut standings = tournament.standings();
        tournament.play(&game(), &mut standings, (Halt::never(), None), &mut |_, _| true);
        standings
    }

    #[test]
    fn everybody_meets_everybody_from_both_seats_with_the_same_openings() {
        let robin = tournament(Shape::RoundRobin, 1);
        assert_eq!((robin.games(), robin.meetings().len()), (36, 3));
        for index in (0..36).step_by(2) {
            let (one, other) = (robin.seats(index).unwrap(), robin.seats(index + 1).unwrap());
            assert_eq!((one.0[0], one.0[1], one.1), (other.0[1], other.0[0], other.1));
        }
        assert_eq!(tournament(Shape::Gauntlet, 1).meetings(), [[0, 1], [0, 2]]);
    }

    #[test]
    fn the_table_does_not_depend_on_the_threads_and_counts_every_game_twice() {
        let standings = played(&tournament(Shape::RoundRobin, 1));
        assert_eq!(standings, played(&tournament(Shape::RoundRobin, 3)));
        let table = standings.table();
        assert_eq!(table.iter().map(|row| row.games).sum::<u64>(), 72);
        assert!((table.iter().map(|row| row.points).sum::<f64>() - 36.0).abs() < 1e-9);
        assert_eq!(table[0].player, 1, "who thinks comes first");
        assert_eq!(table[0].pairs.count(), 12);
    }

    #[test]
    fn games_played_in_parts_are_those_of_one_run() {
        let robin = tournament(Shape::RoundRobin, 2);
        let mut standings = robin.standings();
        let mut endings = Vec::new();
        for games in [20..36, 0..7, 7..20] {
            let mut number = games.start;
            robin.part(&game(), games, Halt::never(), &mut |ending| {
                endings.push((number, ending.clone()));
                number += 1;
                true
            });
        }
        endings.sort_by_key(|(number, _)| *number);
        endings.iter().for_each(|(_, ending)| standings.add(ending));
        assert_eq!(standings, played(&robin));
    }

    #[test]
    fn a_test_ends_the_games_at_a_whole_pair() {
        let sprt = Some(Sprt { elo0: 0.0, elo1: 200.0, model: crate::study::elo::Model::Logistic });
        let mut two = Tournament { sprt, pairs: 500, ..tournament(Shape::RoundRobin, 2) };
        two.players = vec!["flat:100".parse().unwrap(), Agent::Random];
        let standings = played(&two);
        assert_eq!(standings.verdict, Some(Verdict::Accepted));
        assert!(standings.games.is_multiple_of(2) && standings.games < 200, "{}", standings.games);
        two.players.reverse();
        assert_eq!(played(&two).verdict, Some(Verdict::Rejected));
    }

    #[test]
    fn games_of_a_pair_begin_alike() {
        let robin = tournament(Shape::RoundRobin, 1);
        let game = game();
        let lines = Lines::new(&game, &serde_json::Map::new());
        let mut moves = Vec::new();
        robin.play(&game, &mut robin.standings(), (Halt::never(), Some(&lines)), &mut |_, line| {
            let line: serde_json::Value = serde_json::from_slice(line).unwrap();
            moves.push(line["moves"].as_array().unwrap()[..2].to_vec());
            true
        });
        for (index, begun) in moves.iter().enumerate() {
            let (_, start) = robin.seats(index as u64).unwrap();
            assert_eq!(&robin.opening_of(&game, start), begun, "game {index}");
        }
        assert_ne!(moves[0], moves[6], "other pairs begin otherwise");
    }
}
