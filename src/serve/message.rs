//! What the server and its workers say to each other, one JSON object a line; and a game as it is kept on disk.

use crate::play::clock::Clock;
use crate::play::table::Ended;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who sits at the seat of a person.
pub const PERSON: &str = "human";

/// Where the rules of a game come from.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Source {
    /// A game inside the program.
    Shipped { name: String },
    /// A file named by whoever started the server; what it extends is found beside it.
    File { name: String, path: String, text: String },
    /// A text from the page, which sees shipped games and nothing else.
    Own { text: String },
}

/// A ply that was played: the number of the legal move, and its text, which says whether it is still the same move.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Ply(pub usize, pub String);

/// A game with everything that is needed to go on with it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Saved {
    pub source: Source,
    #[serde(default)]
    pub ruleset: Option<String>,
    #[serde(default)]
    pub options: Vec<(String, String)>,
    /// Who plays, in the order of seats, as `play --players` has it.
    pub seats: Vec<String>,
    /// With those that were taken back.
    pub plies: Vec<Ply>,
    /// How many of them count.
    pub now: usize,
    /// How it ended if its rules did not end it.
    #[serde(default)]
    pub ended: Option<Ended>,
    /// Who gave up, in games that were kept before there were other ends; only read.
    #[serde(default, skip_serializing)]
    pub resigned: Option<usize>,
    /// The time that people have, if they play with clocks.
    #[serde(default)]
    pub clock: Option<Clock>,
    pub date: String,
    /// What the people at the seats are called; empty where nobody has said.
    #[serde(default)]
    pub names: Vec<String>,
    /// What a person proves a seat with, in games that hide something; empty where nobody has taken the seat.
    #[serde(default)]
    pub keys: Vec<String>,
    /// People roll dice of their own, and say what came up.
    #[serde(default)]
    pub own_dice: bool,
    /// The game that was begun after this one between the same people.
    #[serde(default)]
    pub next: Option<Next>,
    /// Grows with every change.
    pub version: u64,
}

impl Saved {
    /// The seat that is wanted, or the first of all, if a person is to play it and nobody has its key.
    pub fn free(&self, wanted: Option<usize>) -> Option<usize> {
        let is_free = |seat: &usize| {
            self.seats.get(*seat).is_some_and(|who| who == PERSON) && self.keys.get(*seat).is_none_or(String::is_empty)
        };
        (0..self.seats.len()).filter(|seat| wanted.is_none_or(|wanted| wanted == *seat)).find(is_free)
    }
}

/// The game after another one.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Next {
    pub id: String,
    /// How many seats further everybody sits there.
    pub moved: usize,
}

/// A part of a move as the page chooses it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    Site(String),
    Name(String),
}

/// What is wanted of a worker.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Ask {
    /// What is to be known of a game before it is played.
    Facts { source: Source },
    /// A picture that stands for a game.
    Picture { source: Source, dark: bool },
    /// What is wrong with a text, and its colours.
    Check { text: String, whole: bool },
    /// How the tests and records of a text go, or the one of a name, whose last position is shown.
    Test { text: String, wanted: Option<String> },
    /// A text in the one layout.
    Format { text: String },
    /// What is to be said of a place in a text, or what may stand there: line and column from 0, in units of UTF-16.
    About { text: String, line: u32, column: u32, complete: bool },
    /// Something about a game being played; `seat` is that of the person who asks, where it is known.
    Table {
        id: String,
        saved: Box<Saved>,
        act: Act,
        #[serde(default)]
        seat: Option<usize>,
    },
}

/// What is to be done with a game.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Act {
    View,
    /// A legal move by its number, or a text that means one.
    Play {
        #[serde(default)]
        index: Option<usize>,
        #[serde(default)]
        text: Option<String>,
        /// What was chosen part by part: played if it is a whole move, else answered as `Choices` is.
        #[serde(default)]
        picked: Option<Vec<Pick>>,
        /// Whether the program at the seat has chosen it.
        #[serde(default)]
        thought: bool,
    },
    Undo,
    Redo,
    GoTo {
        ply: usize,
    },
    Resign {
        #[serde(default)]
        seat: Option<usize>,
    },
    /// The game ends without its rules: by time, or by agreement.
    End {
        ended: Ended,
    },
    /// What can be chosen after some choices.
    Choices {
        picked: Vec<Pick>,
    },
    /// Why a text, or some choices, are no legal move.
    Why {
        #[serde(default)]
        text: Option<String>,
        #[serde(default)]
        picked: Vec<Pick>,
    },
    /// The picture of a position.
    Board {
        #[serde(default)]
        ply: Option<usize>,
        #[serde(default)]
        dark: bool,
    },
    Record,
    /// How the game is played.
    Lesson,
    /// The program at the seat that is to move thinks.
    Think,
    /// A program that sits nowhere thinks for whoever is to move.
    Hint {
        program: String,
    },
}

/// Why a worker does not do what is wanted.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Refusal {
    pub code: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Diagnostics of rules, or the clause that forbids a move.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub detail: Value,
}

impl Refusal {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), help: None, detail: Value::Null }
    }

    pub fn help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    pub fn detail(mut self, detail: Value) -> Self {
        self.detail = detail;
        self
    }
}

/// How far thinking has come.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Progress {
    /// From 0 to 1.
    pub done: f64,
    /// What the mover may expect: 1 for a win.
    pub value: f64,
    pub rounds: u64,
    /// The move that it would play now.
    pub text: String,
}

impl Progress {
    /// That somebody thinks, and nothing of what.
    pub fn unknown(done: f64) -> Self {
        Self { done, value: 0.5, rounds: 0, text: String::new() }
    }
}

/// A line from a worker. Whatever is asked, the last one is `Done` or `Refused`.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Progress(Progress),
    Done { body: Value, saved: Option<Box<Saved>> },
    Refused(Refusal),
}

/// What a worker hears while it thinks: the best so far is wanted.
pub const STOP: &str = "stop";
