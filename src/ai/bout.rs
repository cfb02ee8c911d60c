//! One game between programs, with the rules as referee: whoever makes no legal move, and in time, has lost.

use super::agent::Agent;
use super::mind::{Mind, Thought};
use super::world::given_up;
use crate::engine::Stopped;
use crate::game::{Game, Line, Position};
use crate::study::games::{End, Entry, Lines, quoted};
use crate::study::halt::Halt;
use crate::study::playout::{choose, generator};
use crate::study::traffic::Traffic;
use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::atomic::AtomicBool;
use xxhash_rust::xxh3::xxh3_64;

/// Parts the dice of a series from the programs that play it.
const DICE: u64 = 0xd1ce_d1ce_d1ce_d1ce;

/// Why somebody makes no move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The series is to end: the game does not count.
    Halted,
    /// It has lost the game for this reason.
    Lost(String),
    /// The position cannot be worked out: the game does not count, and neither do those behind it.
    GivenUp(Stopped),
}

impl Failure {
    /// Why a program of this crate finds no move in the position of a line.
    pub(super) fn of(line: &Line) -> Self {
        given_up(line).map_or_else(|| Self::Lost("found no move".to_owned()), Self::GivenUp)
    }
}

/// Who decides at a seat of games, one after the other: a program of this crate, or any other.
pub trait Player {
    /// A game begins; chance comes from the seed.
    fn begin(&mut self, seed: u64);

    /// The number of the legal move to play in the position of a line, with what was thought about it.
    fn decide(&mut self, line: &Line, halt: Halt<'_>) -> Result<Thought, Failure>;
}

/// Somebody who can be named for a seat, and is printed by that name.
pub trait Contestant: fmt::Display + Sync {
    /// Somebody new to play for him. Every thread of a series has one for each seat.
    fn player(&self) -> Box<dyn Player>;
}

impl Contestant for Agent {
    fn player(&self) -> Box<dyn Player> {
        Box::new(Own { agent: *self, mind: None })
    }
}

/// A program of this crate, which begins every game with an empty head.
struct Own {
    agent: Agent,
    mind: Option<Mind>,
}

impl Player for Own {
    fn begin(&mut self, seed: u64) {
        self.mind = Some(Mind::new(self.agent, seed));
    }

    fn decide(&mut self, line: &Line, halt: Halt<'_>) -> Result<Thought, Failure> {
        let never = AtomicBool::new(false);
        let mind = self.mind.get_or_insert_with(|| Mind::new(self.agent, 0));
        let thought = mind.think(line, halt.flag().unwrap_or(&never), &mut |_, _| {});
        thought.ok_or_else(|| Failure::of(line))
    }
}

/// One game.
#[derive(Clone, Debug)]
pub(super) struct Played {
    pub plies: u64,
    /// By seat; all the same if the game was cut.
    pub places: Vec<u8>,
    /// Which agent sat where.
    pub sat: Vec<usize>,
    /// Why it ended; none if it was cut.
    pub reason: Option<String>,
    /// The seat that lost because it made no legal move in time.
    pub forfeit: Option<usize>,
    /// Which line of `end` decided, if one did.
    pub ending: Option<usize>,
    /// Another number for other moves or another end.
    pub digest: u64,
    /// Ply by ply.
    pub steps: Vec<Step>,
    /// What happened on the board, if that was asked for.
    pub traffic: Option<Traffic>,
    /// A line for each position in which somebody thought, if that was asked for.
    pub positions: Vec<u8>,
    /// A ply was given up: nothing else here says anything.
    pub stopped: Option<Stopped>,
}

/// What was thought about a ply of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Who decided.
    pub seat: usize,
    /// Among so many.
    pub choices: usize,
    /// What the seat could expect; none where nothing was weighed.
    pub value: Option<f64>,
    /// Whether one who thinks less would have done as well; none where nobody was asked.
    pub shadow: Option<bool>,
}

/// What goes on beside the games.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a> {
    pub halt: Halt<'a>,
    /// What writes them down.
    pub lines: Option<&'a Lines<'a>>,
    /// Somebody who thinks less, and is asked now and then what he would do.
    pub shadow: Option<Agent>,
    /// What every line about a position begins with, if positions are written down.
    pub positions: Option<&'a Map<String, Value>>,
    /// Whether it is told what happens on the board.
    pub traffic: bool,
    /// The n-th game begins with the n-th of so many legal moves, over and over; none where programs begin as they like.
    pub firsts: Option<usize>,
}

impl<'a> Watch<'a> {
    /// Games until they are halted, and nothing beside them.
    pub fn of(halt: Halt<'a>) -> Self {
        Self { halt, lines: None, shadow: None, positions: None, traffic: false, firsts: None }
    }
}

/// Every so many plies.
const SHADOWED: u64 = 4;

/// Moves whose values differ by less are as good as each other.
pub(super) const MARGIN: f64 = 0.05;

/// Whether a thought holds another move for as good as the one that it chose.
fn is_as_good(thought: &Thought, index: usize) -> bool {
    let value = thought.candidates.iter().find(|candidate| candidate.index == index).map(|candidate| candidate.value);
    index == thought.index || value.is_some_and(|value| value >= thought.value - MARGIN)
}

/// Which game is to be played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixture<'a> {
    pub game: &'a Game,
    /// Its number in the file that it is written to.
    pub index: u64,
    /// Its number among those of the seed, from which the programs take their chance.
    pub stream: u64,
    /// Games of one number have the same dice and begin with the same plies.
    pub start: u64,
    pub seed: u64,
    /// Plies at the beginning that chance plays.
    pub opening: u64,
    /// Games that last longer are cut.
    pub max_plies: Option<u64>,
    /// Which of all players sits where.
    pub sat: &'a [usize],
    /// What those at the seats are called.
    pub names: &'a [String],
}

/// A game being played.
struct Bout<'f> {
    fixture: &'f Fixture<'f>,
    line: Line,
    moves: String,
    steps: Vec<Step>,
    plies: u64,
    chance: Xoshiro256PlusPlus,
    dice: Xoshiro256PlusPlus,
    opening: Mind,
    traffic: Option<Traffic>,
    positions: Vec<u8>,
    stopped: Option<Stopped>,
}

impl Fixture<'_> {
    /// Plays it, between all players that the seats name; none if it was halted. Its line is appended if games are written.
    pub fn play(&self, players: &mut [Box<dyn Player>], watch: Watch<'_>, written: &mut Vec<u8>) -> Option<Played> {
        let mut chance = generator(self.seed, self.stream);
        for at in self.sat {
            let seed = chance.next_u64();
            if let Some(player) = players.get_mut(*at) {
                player.begin(seed);
            }
        }
        let mut bout = Bout {
            fixture: self,
            line: Line::new(self.game.start()),
            moves: String::new(),
            steps: Vec::new(),
            plies: 0,
            chance,
            dice: self.dice(),
            opening: self.opening_mind(),
            traffic: watch.traffic.then(|| Traffic::of(self.game)),
            positions: Vec::new(),
            stopped: None,
        };
        if let Some(traffic) = &mut bout.traffic {
            traffic.begin(bout.line.position());
        }
        let lost = bout.run(players, watch)?;
        Some(bout.finish(lost, watch, written))
    }
}

impl Fixture<'_> {
    /// What chance plays at the beginning, as far as the game goes.
    pub fn opening_moves(&self, mut line: Line) -> Vec<String> {
        let mut dice = self.dice();
        let mut opening = self.opening_mind();
        let mut moves = Vec::new();
        while (moves.len() as u64) < self.opening && !line.position().is_over() {
            let index = if line.position().is_chance() {
                choose(line.position(), &mut dice)
            } else {
                opening.think(&line, &AtomicBool::new(false), &mut |_, _| {}).map(|thought| thought.index)
            };
            let Some(text) = index.and_then(|index| line.play(index)) else { break };
            moves.push(text);
        }
        moves
    }

    fn dice(&self) -> Xoshiro256PlusPlus {
        generator(self.seed ^ DICE, self.start)
    }

    fn opening_mind(&self) -> Mind {
        Mind::new(Agent::Random, generator(!self.seed, self.start).next_u64())
    }
}

/// A seat that has lost by itself, and why.
type Lost = (usize, String);

impl Bout<'_> {
    /// Plays to the end; who lost by himself on the way. None if it was halted.
    fn run(&mut self, players: &mut [Box<dyn Player>], watch: Watch<'_>) -> Option<Option<Lost>> {
        while let Some(seat) = self.line.position().seat() {
            if self.fixture.max_plies.is_some_and(|most| self.plies >= most) {
                break;
            }
            if watch.halt.is_set() {
                return None;
            }
            if self.line.position().is_chance() {
                let Some(index) = choose(self.line.position(), &mut self.dice) else { break };
                if !self.make(index) {
                    break;
                }
                continue;
            }
            if let Some(first) = self.first(watch.firsts) {
                if !self.make(first) {
                    break;
                }
                continue;
            }
            let choices = self.line.position().move_count();
            let thought = match self.decide(seat, players, watch.halt) {
                Ok(thought) => thought,
                Err(Failure::Halted) => return None,
                Err(Failure::Lost(why)) => return Some(Some((seat, why))),
                Err(Failure::GivenUp(stopped)) => {
                    self.stopped = Some(stopped);
                    break;
                }
            };
            if watch.halt.is_set() {
                return None;
            }
            let value = (thought.rounds > 0).then_some(thought.value);
            if let Some(head) = watch.positions {
                self.tell(head, seat, &thought);
            }
            let shadow = watch.shadow.and_then(|shadow| self.ask(shadow, &thought));
            if !self.make(thought.index) {
                break;
            }
            self.steps.push(Step { seat, choices, value, shadow });
        }
        Some(None)
    }

    /// The move that the game begins with, if that is laid down and nothing has been played.
    fn first(&self, firsts: Option<usize>) -> Option<usize> {
        let count = firsts.filter(|count| *count > 0 && self.plies == 0)?;
        usize::try_from(self.fixture.stream % count as u64).ok()
    }

    fn decide(&mut self, seat: usize, players: &mut [Box<dyn Player>], halt: Halt<'_>) -> Result<Thought, Failure> {
        if self.plies < self.fixture.opening {
            let thought = self.opening.think(&self.line, &AtomicBool::new(false), &mut |_, _| {});
            return thought.ok_or_else(|| Failure::of(&self.line));
        }
        let player = self.fixture.sat.get(seat).and_then(|at| players.get_mut(*at));
        let player = player.ok_or_else(|| Failure::Lost("is not there".to_owned()))?;
        player.decide(&self.line, halt)
    }

    /// Now and then somebody who thinks less is asked the same.
    fn ask(&mut self, shadow: Agent, thought: &Thought) -> Option<bool> {
        if thought.rounds == 0 || !(self.fixture.stream + self.plies).is_multiple_of(SHADOWED) {
            return None;
        }
        let mut mind = Mind::new(shadow, self.chance.next_u64());
        let other = mind.think(&self.line, &AtomicBool::new(false), &mut |_, _| {})?;
        Some(is_as_good(thought, other.index))
    }

    /// Plays a legal move and notes it; false where there is none of this number.
    fn make(&mut self, index: usize) -> bool {
        let Some(text) = self.line.play(index) else { return false };
        quoted(&mut self.moves, |moves| {
            moves.push_str(&text);
            Some(())
        });
        self.note(index);
        self.plies += 1;
        true
    }

    /// Writes down the position with what was thought about it.
    fn tell(&mut self, head: &Map<String, Value>, seat: usize, thought: &Thought) {
        let position = self.line.position();
        let text = |index: usize| position.move_text(index);
        let candidates = thought.candidates.iter().map(
            |candidate| json!({ "move": text(candidate.index), "value": candidate.value, "visits": candidate.rounds }),
        );
        let weighed = thought.rounds > 0 || !thought.candidates.is_empty();
        let mut line = head.clone();
        line.extend([
            ("index".to_owned(), json!(self.fixture.index)),
            ("player".to_owned(), json!(self.fixture.names.get(seat))),
            ("seat".to_owned(), json!(seat)),
            ("state".to_owned(), position.to_json()),
            ("moves".to_owned(), json!(position.moves())),
            ("chosen".to_owned(), json!(text(thought.index))),
            ("value".to_owned(), json!(weighed.then_some(thought.value))),
            ("visits".to_owned(), json!(thought.rounds)),
            ("candidates".to_owned(), candidates.collect()),
        ]);
        self.positions.extend_from_slice(Value::Object(line).to_string().as_bytes());
        self.positions.push(b'\n');
    }

    /// What the ply that was just made did on the board.
    fn note(&mut self, index: usize) {
        let ply = self.line.played().saturating_sub(1);
        if let (Some(traffic), Some(before)) = (&mut self.traffic, self.line.at(ply)) {
            traffic.step(before, index, self.line.position(), ply);
        }
    }

    fn finish(self, lost: Option<Lost>, watch: Watch<'_>, written: &mut Vec<u8>) -> Played {
        let end = match &lost {
            Some((seat, why)) => Some(forfeited(self.line.position(), *seat, why)),
            None => ended(self.line.position()),
        };
        if let Some(lines) = watch.lines {
            let Fixture { index, names, .. } = *self.fixture;
            let (moves, plies) = (self.moves.as_str(), self.plies);
            lines.write(&Entry { index, players: names, moves, end: end.clone(), plies }, written);
        }
        let sat = self.fixture.sat.to_vec();
        let (places, reason) = match end {
            Some(end) => (end.seats, Some(end.reason)),
            None => (vec![1; sat.len()], None),
        };
        let forfeit = lost.map(|(seat, _)| seat);
        let digest = xxh3_64(&[self.moves.as_bytes(), &places].concat());
        let ending = self.line.position().outcome().and_then(|outcome| outcome.ending);
        Played {
            plies: self.plies,
            places,
            sat,
            reason,
            forfeit,
            ending,
            digest,
            steps: self.steps,
            traffic: self.traffic,
            positions: self.positions,
            stopped: self.stopped.or(self.line.position().stopped().copied()),
        }
    }
}

/// How the rules ended a game; none if they did not.
fn ended(position: &Position) -> Option<End> {
    let outcome = position.outcome()?;
    let seats = position.outcome_by_seat()?;
    Some(End { places: outcome.places.clone(), seats, reason: outcome.reason.clone(), forfeit: None })
}

/// The end of a game that the seat to move has lost by itself: it comes last, and the others share the first place.
fn forfeited(position: &Position, seat: usize, why: &str) -> End {
    let last = |of: usize| {
        let count = position.game().rules().players.len();
        (0..count).map(|at| if at == of { 2 } else { 1 }).collect::<Vec<u8>>()
    };
    let mover = position.mover().unwrap_or_default();
    let of = position.game().rules().players.iter().position(|player| player.name == mover).unwrap_or(seat);
    let reason = format!("{mover} {why}");
    End { places: last(of), seats: last(seat), reason, forfeit: Some(mover.to_owned()) }
}
