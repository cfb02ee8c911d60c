//! The state of the screen: the game, and what has been picked, typed and said.

mod choosing;
mod commands;
mod keys;
mod programs;

use super::prompt::Prompt;
use super::scene::Look;
use super::theme::{Theme, Tone};
use super::thinking::Thinking;
use super::view::Drawn;
use crate::ai::Seat;
use crate::board::Site;
use crate::game::Position;
use crate::play::Picker;
use crate::play::table::Table;
use std::time::Duration;

/// What the screen wants done by those who can read and write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The game has changed and is to be saved.
    Save,
    /// The game is to be saved to a file of this name.
    SaveAs(String),
    Quit,
}

/// Something said in one line.
#[derive(Clone, Debug)]
pub struct Message {
    pub text: String,
    pub tone: Tone,
}

/// A page over the board.
#[derive(Clone, Debug)]
pub struct Page {
    pub title: String,
    pub text: String,
    pub scroll: usize,
}

/// A question that is answered with yes or anything else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    Resign(usize),
    /// A draw was offered, and the other player is asked.
    Draw,
}

/// The whole screen.
#[derive(Debug)]
pub struct App {
    pub(super) table: Table,
    /// The game, with its ruleset and options.
    pub(super) title: String,
    pub(super) theme: Theme,
    pub(super) look: Look,
    pub(super) picker: Picker,
    pub(super) cursor: Site,
    /// The name under the cursor, where that is not on the board.
    pub(super) named: Option<usize>,
    pub(super) prompt: Option<Prompt>,
    pub(super) message: Option<Message>,
    pub(super) page: Option<Page>,
    pub(super) question: Option<Question>,
    pub(super) thinking: Option<Thinking>,
    pub(super) hinting: Option<Thinking>,
    /// Lines that the list of moves is scrolled up.
    pub(super) scroll: usize,
    /// The clocks as they were drawn last.
    times: Vec<Option<String>>,
    /// The legal moves as text, asked for at every key.
    pub(super) moves: Vec<String>,
    pub(super) drawn: Drawn,
    /// Programs that were told to stop and have not yet.
    leaving: Vec<Thinking>,
    /// The last text that was no legal move.
    tried: Option<String>,
    delay: Duration,
    effects: Vec<Effect>,
}

impl App {
    /// A screen for a game; programs among themselves move no faster than the delay.
    #[must_use]
    pub fn new(table: Table, theme: Theme, delay: Duration) -> Self {
        let game = table.line().game().clone();
        let cursor = game.rules().board.centre().iter().next().unwrap_or(Site(0));
        let picker = Picker::new(table.position());
        let look = Look::new(&game, theme);
        let moves = table.position().moves();
        let record = table.record();
        let options = record.options.iter().map(|(name, value)| format!("{name}={value}"));
        let parts = std::iter::once(game.rules().about.title.clone()).chain(record.ruleset).chain(options);
        let title = parts.collect::<Vec<_>>().join(", ");
        Self {
            table,
            title,
            theme,
            look,
            picker,
            cursor,
            named: None,
            prompt: None,
            message: None,
            page: None,
            question: None,
            thinking: None,
            hinting: None,
            scroll: 0,
            times: Vec::new(),
            moves,
            drawn: Drawn::default(),
            leaving: Vec::new(),
            tried: None,
            delay,
            effects: Vec::new(),
        }
    }

    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    pub(super) fn position(&self) -> &Position {
        self.table.position()
    }

    /// What is to be done outside since this was asked last.
    pub fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Says something.
    pub fn say(&mut self, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), tone: Tone::Title });
    }

    /// Says that something went wrong.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), tone: Tone::Bad });
    }

    /// Whether the next choice is a person's.
    pub(super) fn is_persons(&self) -> bool {
        self.table.decider() == Some(Seat::Human)
    }

    /// The names that may be picked now.
    pub(super) fn names(&self) -> Vec<String> {
        if !self.is_persons() {
            return Vec::new();
        }
        self.picker.names().into_iter().map(str::to_owned).collect()
    }

    /// Whether digits pick names: only where no move begins with one.
    pub(super) fn numbered(&self) -> bool {
        !self.moves.iter().any(|text| text.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// Something else is on the table.
    fn changed(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            thinking.stop();
            self.leaving.push(thinking);
        }
        // The mind of a hint belongs to no seat.
        if let Some(hinting) = self.hinting.take() {
            hinting.stop();
        }
        self.picker = Picker::new(self.table.position());
        self.moves = self.table.position().moves();
        (self.named, self.tried, self.scroll) = (None, None, 0);
        self.effects.push(Effect::Save);
    }

    /// Looks at the clocks; whether they show something new.
    fn watch_clocks(&mut self) -> bool {
        if self.table.call_time() {
            self.ended_by_time();
        }
        let times: Vec<_> = (0..self.table.seats().len()).map(|place| self.table.time_left(place)).collect();
        let new = times != self.times;
        self.times = times;
        new
    }

    /// Somebody had no time left.
    fn ended_by_time(&mut self) {
        (self.question, self.prompt) = (None, None);
        self.changed();
        let result = self.table.result().unwrap_or_default();
        self.complain(format!("The game is over: {result}"));
    }

    fn make(&mut self, index: usize) {
        let chance = self.table.is_chance();
        let mover = self.position().mover().unwrap_or("").to_owned();
        let persons = self.is_persons();
        let Some(text) = self.table.play(index) else {
            return match self.table.is_over() {
                true => self.ended_by_time(),
                false => self.complain("The move cannot be played."),
            };
        };
        self.changed();
        self.message = None;
        match self.table.result() {
            Some(result) => self.say(format!("The game is over: {result}")),
            None if chance => self.say(format!("Chance: {text}")),
            None if persons => {}
            None => self.say(format!("{mover} plays {text}")),
        }
    }
}
