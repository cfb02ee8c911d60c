//! Programs at the seats of the screen: when they begin to think, and what comes of it.

use super::App;
use crate::play::{MAX_ALONE, expectation};
use crate::terminal::thinking::{Answer, Thinker, Thinking};
use std::time::{Duration, Instant};

impl App {
    /// Takes up what programs have thought, and lets the next one begin; whether there is something new to see.
    pub fn tick(&mut self, now: Instant) -> bool {
        let ticked = self.watch_clocks();
        self.fetch_leaving();
        let busy = self.thinking.is_some() || self.hinting.is_some();
        self.fetch_hint();
        self.fetch_move(now);
        self.begin();
        busy || ticked || self.thinking.is_some()
    }

    pub(super) fn fetch_move(&mut self, now: Instant) {
        if let Some(thinking) = &self.thinking {
            if now.duration_since(thinking.since) < self.pause() {
                return;
            }
            match thinking.answer() {
                Answer::NotYet => {}
                Answer::Here(thinker, thought) => {
                    let place = thinking.place;
                    self.thinking = None;
                    self.give_back(place, thinker);
                    match thought {
                        Ok(thought) => self.make(thought.index),
                        Err(Some(why)) => self.forfeit(place, &why),
                        Err(None) => self.complain("The program finds no move."),
                    }
                }
                Answer::Never => {
                    let place = thinking.place;
                    self.thinking = None;
                    self.replace(place);
                    self.complain("The program has given up thinking; it begins anew.");
                }
            }
        }
    }

    /// Programs among themselves can be watched.
    pub(super) fn pause(&self) -> Duration {
        if self.table.has_people() { Duration::ZERO } else { self.delay }
    }

    pub(super) fn begin(&mut self) {
        let Some(place) = self.table.to_move().filter(|_| self.thinking.is_none() && !self.is_persons()) else {
            return;
        };
        if self.position().ply() >= MAX_ALONE && !self.table.has_people() {
            if self.message.is_none() {
                self.say(format!("The game has not ended after {MAX_ALONE} plies."));
            }
            return;
        }
        if self.table.is_chance() {
            match self.table.roll() {
                Some(index) => self.make(index),
                None => self.complain("Chance has nothing to decide."),
            }
            return;
        }
        // It may still be away, with a position that has been taken back.
        let guest = self.table.take_guest(place).map(Thinker::Guest);
        let Some(thinker) = guest.or_else(|| self.table.take_mind(place).map(Thinker::Own)) else { return };
        match Thinking::start(thinker, self.table.line().clone(), place) {
            Ok(thinking) => self.thinking = Some(thinking),
            Err(error) => {
                self.replace(place);
                self.complain(format!("The program cannot think: {error}"));
            }
        }
    }

    /// Puts whoever has thought back to his seat.
    fn give_back(&mut self, place: usize, thinker: Thinker) {
        match thinker {
            Thinker::Own(mind) => self.table.give_back(place, mind),
            Thinker::Guest(guest) => self.table.give_guest_back(place, guest),
        }
    }

    /// A program of somebody else has lost for a reason.
    fn forfeit(&mut self, place: usize, why: &str) {
        self.table.forfeit(place, why);
        let result = self.table.result().unwrap_or_default();
        self.complain(format!("The game is over: {result}"));
    }

    /// A new program like the one that was lost.
    pub(super) fn replace(&mut self, place: usize) {
        if let Some(seat) = self.table.seats().get(place).copied() {
            self.table.sit(place, seat);
        }
    }

    pub(super) fn fetch_leaving(&mut self) {
        let mut away = Vec::new();
        for thinking in std::mem::take(&mut self.leaving) {
            match thinking.answer() {
                Answer::NotYet => away.push(thinking),
                Answer::Here(thinker, _) => self.give_back(thinking.place, thinker),
                Answer::Never => self.replace(thinking.place),
            }
        }
        self.leaving = away;
    }

    pub(super) fn fetch_hint(&mut self) {
        let Some(hinting) = &self.hinting else { return };
        let thought = match hinting.answer() {
            Answer::NotYet => return,
            Answer::Here(_, thought) => thought.ok(),
            Answer::Never => None,
        };
        self.hinting = None;
        match thought.and_then(|thought| Some((self.table.position().move_text(thought.index)?, thought))) {
            Some((text, thought)) => {
                self.aim(thought.index);
                self.say(format!("Hint: {text} ({})", expectation(&thought)));
            }
            None => self.complain("There is no hint."),
        }
    }

    /// Puts the cursor where a move begins.
    pub(super) fn aim(&mut self, index: usize) {
        let position = self.position();
        let rules = position.game().rules();
        let ply = position.situation().legal.get(index);
        if let Some(site) = ply.and_then(|ply| ply.parts(rules).find_map(|value| value.site())) {
            (self.cursor, self.named) = (site, None);
        }
    }

    /// Lets go of all programs, so that none thinks on when the screen is gone.
    pub fn leave(&mut self) {
        self.thinking.iter().chain(&self.hinting).for_each(Thinking::stop);
    }
}
