//! A game at a table: who sits where, what has been played, and the record of it.

use super::clock::{Clock, Timer, shown};
use crate::ai::{Agent, Mind, Seat, Thought};
use crate::date::today;
use crate::game::Position;
use crate::game::{Line, Record};
use crate::protocol::Visit;
use crate::rules::{Player, PlayerId};
use crate::study::playout::{choose, generator};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::hash::{BuildHasher, RandomState};

/// The number of the dice among the generators of a seed; games of a series have smaller ones.
const DICE: u64 = u64::MAX;

/// Where programs among themselves give up.
pub const MAX_ALONE: u32 = 10_000;

/// How a game ended before its rules ended it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The player at a seat gave up.
    Resigned(usize),
    /// The program of somebody else at a seat lost for a reason.
    Forfeit(usize, String),
    /// The player at a seat ran out of time.
    Late(usize),
    /// The players agreed on a draw.
    Agreed,
}

impl Ended {
    /// What happened, in a word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Resigned(_) => "resigned",
            Self::Forfeit(..) => "forfeit",
            Self::Late(_) => "late",
            Self::Agreed => "agreed",
        }
    }

    /// Whoever has lost by it, and why.
    fn loser(&self) -> Option<(usize, &str)> {
        match self {
            Self::Resigned(place) => Some((*place, "resigned")),
            Self::Forfeit(place, why) => Some((*place, why)),
            Self::Late(place) => Some((*place, "ran out of time")),
            Self::Agreed => None,
        }
    }
}

/// A game between people and programs.
#[derive(Debug)]
pub struct Table {
    /// The name or path of the game.
    name: String,
    ruleset: Option<String>,
    options: Vec<(String, String)>,
    line: Line,
    seats: Vec<Seat>,
    /// Of the programs; away while they think somewhere else.
    minds: Vec<Option<Mind>>,
    /// Programs of others; away while they think somewhere else.
    guests: Vec<Option<Visit>>,
    ended: Option<Ended>,
    /// The time of people, where they want one.
    timer: Option<Timer>,
    date: String,
    /// What chance decides with.
    dice: Xoshiro256PlusPlus,
    /// People say what chance has decided: they roll dice of their own.
    dice_by_hand: bool,
    /// The rules in words, for whoever asks.
    sheet: String,
}

impl Table {
    /// Sits players down at a game that has come this far. Seats without a player are left to random ones; without a seed
    /// chance comes from the system.
    #[must_use]
    pub fn new(
        name: &str,
        ruleset: Option<&str>,
        options: &[(String, String)],
        line: Line,
        seats: &[Seat],
        seed: Option<u64>,
    ) -> Self {
        let count = line.game().rules().players.len();
        let mut seats = seats.to_vec();
        seats.resize(count, Seat::Program(Agent::Random));
        let seed = seed.unwrap_or_else(|| RandomState::new().hash_one(()));
        let mut table = Self {
            name: name.to_owned(),
            ruleset: ruleset.map(str::to_owned),
            options: options.to_vec(),
            line,
            minds: Vec::new(),
            guests: seats.iter().map(|seat| guest(*seat)).collect(),
            seats: Vec::new(),
            ended: None,
            timer: None,
            date: today(),
            dice: generator(seed, DICE),
            dice_by_hand: false,
            sheet: String::new(),
        };
        table.minds = seats.iter().zip(0..).map(|(seat, place)| mind(*seat, seed.wrapping_add(place))).collect();
        table.seats = seats;
        table
    }

    #[must_use]
    pub fn line(&self) -> &Line {
        &self.line
    }

    #[must_use]
    pub fn position(&self) -> &Position {
        self.line.position()
    }

    #[must_use]
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// Gives a seat to somebody else.
    pub fn sit(&mut self, place: usize, seat: Seat) {
        if let (Some(old), Some(old_mind)) = (self.seats.get_mut(place), self.minds.get_mut(place)) {
            *old = seat;
            *old_mind = mind(seat, RandomState::new().hash_one(()));
        }
        if let Some(old) = self.guests.get_mut(place) {
            *old = guest(seat);
        }
        // Programs need no time.
        self.press_clock(None);
    }

    /// Whether a person plays along.
    #[must_use]
    pub fn has_people(&self) -> bool {
        self.seats.contains(&Seat::Human)
    }

    /// The seat to move; none when the game is over.
    #[must_use]
    pub fn to_move(&self) -> Option<usize> {
        if self.is_over() { None } else { self.position().seat() }
    }

    /// People roll dice of their own and say what came up, or no longer.
    pub fn roll_by_hand(&mut self, by_hand: bool) {
        self.dice_by_hand = by_hand;
    }

    /// Puts a clock on the table. Whoever is to move first after the first ply of a game is the first to use time.
    pub fn put_clock(&mut self, clock: Clock) {
        let paid = self.position().turn().saturating_sub(1);
        self.timer = Some(Timer::new(Clock { paid, ..clock }));
        self.press_clock(None);
    }

    /// The time of whoever has made a choice stops, with a turn that has ended by it, and that of the person to decide now
    /// runs.
    fn press_clock(&mut self, ended: Option<u32>) {
        let runs = self.line.played() > 0 && self.decider() == Some(Seat::Human);
        let next = self.to_move().filter(|_| runs);
        if let Some(timer) = self.timer.as_mut() {
            timer.turn(ended, next);
        }
    }

    /// Whether somebody has used time since the last move.
    #[must_use]
    pub fn uses_time(&self) -> bool {
        self.timer.as_ref().is_some_and(Timer::runs)
    }

    /// Ends the game if somebody has no time left; whether it has done so.
    pub fn call_time(&mut self) -> bool {
        let late = self.timer.as_ref().and_then(Timer::late);
        late.is_some_and(|place| self.end(Ended::Late(place)))
    }

    /// Why nobody can offer a draw now, in a sentence.
    #[must_use]
    pub fn no_draw(&self) -> Option<&'static str> {
        if self.is_over() {
            Some("The game is over.")
        } else if !self.line.game().rules().knows_draws() {
            Some("The rules of this game know no draw.")
        } else if self.seats.len() != 2 {
            Some("A draw can be agreed on only where two play.")
        } else if !self.may_agree() {
            Some("Two people can agree on a draw; programs agree to none.")
        } else {
            None
        }
    }

    /// The offer of a draw, as whoever is asked reads it.
    #[must_use]
    pub fn draw_offer(&self) -> String {
        let mover = self.position().mover().unwrap_or_default();
        let players = &self.line.game().rules().players;
        let other = players.iter().map(|player| player.name.as_str()).find(|name| *name != mover);
        format!("{mover} offers a draw. Does {} accept?", other.unwrap_or_default())
    }

    /// The time that somebody has left, as clocks show it; none for programs, or without a clock.
    #[must_use]
    pub fn time_left(&self, place: usize) -> Option<String> {
        let timer = self.timer.as_ref().filter(|_| self.seats.get(place) == Some(&Seat::Human))?;
        Some(shown(timer.left(place)))
    }

    /// The names of the people with a clock, and what they have left.
    #[must_use]
    pub fn times(&self) -> Vec<(String, String)> {
        let players = self.line.game().rules().players.iter().zip(0..);
        let time = |(player, side): (&Player, u8)| {
            let state = &self.position().situation().state;
            let place = self.line.game().engine().seat(state, PlayerId(side));
            Some((player.name.clone(), self.time_left(usize::from(place.0))?))
        };
        players.filter_map(time).collect()
    }

    /// Whether two people may agree on a draw: where the rules know none, nobody is asked.
    #[must_use]
    pub fn may_agree(&self) -> bool {
        self.seats == [Seat::Human, Seat::Human] && self.line.game().rules().knows_draws()
    }

    /// Puts the rules in words on the table.
    pub fn lay_out(&mut self, sheet: String) {
        self.sheet = sheet;
    }

    /// The rules in words.
    #[must_use]
    pub fn sheet(&self) -> &str {
        &self.sheet
    }

    /// Whether chance decides now, and not the player whose turn it is.
    #[must_use]
    pub fn is_chance(&self) -> bool {
        !self.is_over() && self.position().is_chance()
    }

    /// What chance comes to: the number of a legal move, which is still to be played.
    pub fn roll(&mut self) -> Option<usize> {
        choose(self.line.position(), &mut self.dice)
    }

    /// Who decides now; none when the game is over. Chance counts as a program, unless people roll the dice.
    #[must_use]
    pub fn decider(&self) -> Option<Seat> {
        if self.is_chance() {
            return Some(if self.dice_by_hand { Seat::Human } else { Seat::Program(Agent::Random) });
        }
        self.seats.get(self.to_move()?).copied()
    }

    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ended.is_some() || self.position().is_over()
    }

    /// Plays a legal move; the move as text.
    pub fn play(&mut self, index: usize) -> Option<String> {
        if self.ended.is_some() || self.call_time() {
            return None;
        }
        let (before, turn) = (self.to_move(), self.position().turn());
        let text = self.line.play(index)?;
        let ended = (self.to_move() != before).then_some(turn);
        self.press_clock(ended);
        Some(text)
    }

    /// Puts the game where it has come to elsewhere; everybody stays seated.
    pub fn resume(&mut self, line: Line, ended: Option<Ended>) {
        self.line = line;
        let sits = |ended: &Ended| ended.loser().is_none_or(|(place, _)| place < self.seats.len());
        self.ended = ended.filter(sits);
    }

    /// How the game ended if its rules did not end it.
    #[must_use]
    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// Ends the game before its rules do; false when it is over already, or nobody sits there.
    pub fn end(&mut self, ended: Ended) -> bool {
        let sits = ended.loser().is_none_or(|(place, _)| place < self.seats.len());
        let goes_on = !self.is_over() && sits;
        if goes_on {
            self.ended = Some(ended);
            self.press_clock(None);
        }
        goes_on
    }

    /// Whoever sits there gives up; false when the game is over already.
    pub fn resign(&mut self, place: usize) -> bool {
        self.end(Ended::Resigned(place))
    }

    /// A program of somebody else has lost for a reason; false when the game is over already.
    pub fn forfeit(&mut self, place: usize, why: &str) -> bool {
        self.end(Ended::Forfeit(place, why.to_owned()))
    }

    /// Whether time ran out: time that is gone does not come back.
    #[must_use]
    pub fn is_late(&self) -> bool {
        matches!(self.ended, Some(Ended::Late(_)))
    }

    /// Why nothing was taken back, in a sentence.
    #[must_use]
    pub fn no_undo(&self) -> &'static str {
        match self.is_late() {
            _ if self.line.game().hides() => "Nothing is taken back in a game that hides something.",
            true => "A game that ended because time ran out cannot be taken back.",
            false => "There is nothing to take back.",
        }
    }

    /// Back to the last position where a person decided; false if there is none.
    pub fn undo(&mut self) -> bool {
        if self.is_late() || self.line.game().hides() {
            return false;
        }
        let ended = self.ended.take().is_some();
        let back = || (0..self.line.played()).rev().find(|ply| self.is_persons(*ply));
        let to = if ended { None } else { back() };
        let turned = ended || to.is_some_and(|ply| self.line.go_to(ply));
        self.press_clock(None);
        turned
    }

    /// Up to the next position where a person decides, or to the last one known; false if there is none.
    pub fn redo(&mut self) -> bool {
        if self.ended.is_some() {
            return false;
        }
        let last = self.line.len();
        let to = (self.line.played() + 1..=last).find(|ply| *ply == last || self.is_persons(*ply));
        let turned = to.is_some_and(|ply| self.line.go_to(ply));
        self.press_clock(None);
        turned
    }

    fn is_persons(&self, ply: usize) -> bool {
        if self.line.at(ply).is_some_and(Position::is_chance) {
            return self.dice_by_hand;
        }
        let seat = self.line.at(ply).and_then(Position::seat).and_then(|place| self.seats.get(place));
        seat == Some(&Seat::Human)
    }

    /// Takes the program of a seat away, to think without holding up the table; to be given back.
    pub fn take_mind(&mut self, place: usize) -> Option<Mind> {
        self.minds.get_mut(place)?.take()
    }

    /// Puts a program back where it came from, unless somebody else sits there by now.
    pub fn give_back(&mut self, place: usize, mind: Mind) {
        let same = self.seats.get(place) == Some(&Seat::Program(mind.agent()));
        if let Some(empty) = self.minds.get_mut(place).filter(|_| same) {
            empty.get_or_insert(mind);
        }
    }

    /// The same of a program of somebody else.
    pub fn take_guest(&mut self, place: usize) -> Option<Visit> {
        self.guests.get_mut(place)?.take()
    }

    /// Puts a program of somebody else back where it came from, unless another sits there by now.
    pub fn give_guest_back(&mut self, place: usize, guest: Visit) {
        let same = matches!(self.seats.get(place), Some(Seat::Guest(name)) if guest.is_called(name));
        if let Some(empty) = self.guests.get_mut(place).filter(|_| same) {
            empty.get_or_insert(guest);
        }
    }

    /// The result in words; none while the game goes on.
    #[must_use]
    pub fn result(&self) -> Option<String> {
        let Some(ended) = &self.ended else {
            let reason = self.position().outcome().map(|outcome| outcome.reason.clone()).unwrap_or_default();
            let result = self.position().result_text()?;
            return Some(if reason.is_empty() { result } else { format!("{result} ({reason})") });
        };
        let Some((place, why)) = ended.loser() else { return Some("draw (agreed)".to_owned()) };
        let players = &self.line.game().rules().players;
        let named = |place: usize| players.get(place).map_or("", |player| player.name.as_str());
        let left: Vec<&str> = (0..players.len()).filter(|other| *other != place).map(named).collect();
        Some(match left.as_slice() {
            [winner] => format!("{winner} wins ({} {why})", named(place)),
            _ => format!("{} {why}", named(place)),
        })
    }

    /// The game so far, to be saved.
    #[must_use]
    pub fn record(&self) -> Record {
        let players = self.seats.iter().map(Seat::to_string).collect::<Vec<_>>().join(", ");
        Record {
            game: Some(self.name.clone()),
            rules_hash: Some(self.line.game().rules_hash()),
            ruleset: self.ruleset.clone(),
            options: self.options.clone(),
            players: Some(players),
            clock: self.timer.as_ref().map(|timer| timer.stopped().to_string()),
            date: Some(self.date.clone()),
            result: self.result(),
            moves: self.line.moves(),
        }
    }
}

fn mind(seat: Seat, seed: u64) -> Option<Mind> {
    match seat {
        Seat::Human | Seat::Guest(_) => None,
        Seat::Program(agent) => Some(Mind::new(agent, seed)),
    }
}

fn guest(seat: Seat) -> Option<Visit> {
    match seat {
        Seat::Guest(name) => Some(Visit::of(&name.parse().ok()?)),
        Seat::Human | Seat::Program(_) => None,
    }
}

/// What a mover may expect, in words.
#[must_use]
pub fn expectation(thought: &Thought) -> String {
    let percent = (thought.value.clamp(0.0, 1.0) * 100.0).round();
    if thought.proven { format!("{percent:.0} % for certain") } else { format!("expects {percent:.0} %") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::library::Library;

    fn table(seats: &[Seat]) -> Table {
        let game = Game::from_text("tic_tac_toe", Library::text("tic_tac_toe").unwrap(), None, &[], &Library).unwrap();
        Table::new("tic_tac_toe", None, &[], Line::new(game.start()), seats, Some(1))
    }

    #[test]
    fn undo_goes_back_to_where_a_person_decided() {
        let mut table = table(&[Seat::Human, Seat::Program(Agent::Random)]);
        assert!(!table.undo());
        table.play(0);
        table.play(0);
        assert_eq!(table.to_move(), Some(0));
        assert!(table.undo());
        assert_eq!(table.line().played(), 0);
        assert!(table.redo());
        assert_eq!(table.line().played(), 2);
        assert!(!table.redo());
    }

    #[test]
    fn who_resigns_has_lost() {
        let mut table = table(&[Seat::Human, Seat::Human]);
        table.play(0);
        assert!(table.resign(1));
        assert!(!table.resign(0));
        assert!(table.is_over() && table.play(0).is_none());
        let record = table.record();
        assert_eq!(record.result.as_deref(), Some("X wins (O resigned)"));
        assert_eq!((record.players.as_deref(), record.moves.len()), (Some("human, human"), 1));
    }

    #[test]
    fn a_turn_that_is_played_again_brings_no_more_time() {
        let mut table = table(&[Seat::Human, Seat::Program(Agent::Random)]);
        table.put_clock(Clock { seconds: 60, increment: 10, left: Vec::new(), paid: 0 });
        (0..4).for_each(|_| assert!(table.play(0).is_some()));
        let left = |table: &Table| table.timer.as_ref().unwrap().left(0).as_secs();
        assert!((65..=70).contains(&left(&table)), "{}", left(&table));
        for _ in 0..3 {
            assert!(table.undo());
            (0..2).for_each(|_| assert!(table.play(1).is_some()));
        }
        assert!((65..=70).contains(&left(&table)), "{}", left(&table));
        // The next one does.
        assert!(table.play(0).is_some());
        assert!((75..=80).contains(&left(&table)), "{}", left(&table));
    }

    #[test]
    fn whoever_gives_the_seat_to_a_program_uses_no_more_time() {
        let mut table = table(&[Seat::Human, Seat::Human]);
        table.put_clock(Clock { seconds: 1, increment: 0, left: vec![1000, 1], paid: 0 });
        assert!(!table.uses_time());
        table.play(0);
        assert!(table.uses_time());
        table.sit(1, Seat::Program(Agent::Random));
        assert!(!table.uses_time() && table.play(0).is_some());
    }

    #[test]
    fn a_draw_is_agreed_and_time_that_is_gone_does_not_come_back() {
        let mut table = table(&[Seat::Human, Seat::Human]);
        assert!(table.end(Ended::Agreed) && !table.resign(0));
        assert_eq!(table.result().as_deref(), Some("draw (agreed)"));
        assert!(table.undo() && !table.is_over());
        assert!(!table.end(Ended::Late(2)), "nobody sits there");
        assert!(table.end(Ended::Late(1)));
        assert_eq!(table.result().as_deref(), Some("X wins (O ran out of time)"));
        assert!(!table.undo() && table.is_over());
    }
}
