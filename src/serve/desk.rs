//! The games a worker has at hand: each is brought to where it stands, something is done, and what it led to is told.

use super::author::facts_of;
use super::eye::permit;
use super::lesson::lesson;
use super::message::{Act, Pick, Ply, Progress, Refusal, Saved, Source};
use super::shelf::Shelf;
use super::view;
use crate::ai::insight::Plan;
use crate::ai::{Agent, Mind, OPPONENT, Seat, Thought};
use crate::game::{Eye, Game, Line, PlayError, Position};
use crate::play::table::{Ended, Table};
use crate::play::{Choice, Picked, Picker};
use crate::render::{Style, Theme};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// As many games are kept; any other is played through again when it is asked for.
const MAX_TABLES: usize = 4_096;
/// As many bytes of all games together; the games used last stay.
const MAX_BYTES: u64 = 256 << 20;
/// No game goes on for longer: to be played through again it has to end somewhere.
const MAX_PLIES: usize = 5_000;
/// Nor does one whose positions take more than this, of all the memory that a worker has.
const MAX_GAME: u64 = 768 << 20;
/// How often thinking is reported.
const REPORT: Duration = Duration::from_millis(100);
/// What is said instead of a reason.
const NOT_TOLD: &str =
    "This is no legal move. Why not is told when the game is over: before, it could tell what is hidden.";

/// What an act says, and what became of the game if it changed.
pub type Told = (Value, Option<Saved>);

/// Games by their id.
pub struct Desk {
    seen: HashMap<String, Seen>,
    /// About how many bytes all of them take.
    bytes: u64,
    /// How often something was done: games know by it which of them was used last.
    acts: u64,
    shelf: Shelf,
    /// As many steps a ply may take.
    pub steps: u64,
}

struct Seen {
    used: u64,
    source: Source,
    ruleset: Option<String>,
    options: Vec<(String, String)>,
    table: Table,
    picker: Option<Picker>,
    /// How the game is played, once somebody has asked.
    lesson: Option<Value>,
    /// What a move can begin with, until the next one.
    first: Option<Value>,
}

impl Desk {
    pub fn new(steps: u64) -> Self {
        Self { seen: HashMap::new(), bytes: 0, acts: 0, shelf: Shelf::default(), steps }
    }

    pub fn act(
        &mut self,
        id: &str,
        saved: &Saved,
        (act, seat): (Act, Option<usize>),
        stop: &AtomicBool,
        report: &mut dyn FnMut(Progress),
    ) -> Result<Told, Refusal> {
        let known = self.take(id).filter(|seen| seen.is_of(saved));
        let mut seen = match known {
            Some(seen) => seen,
            None => Seen::new(saved, self.shelf.game(saved, self.steps)?)?,
        };
        seen.bring_to(saved)?;
        let told = seen.act(saved, act, seat, stop, report);
        self.acts += 1;
        seen.used = self.acts;
        self.bytes = self.bytes.saturating_add(seen.bytes());
        self.seen.insert(id.to_owned(), seen);
        self.forget();
        told
    }

    fn take(&mut self, id: &str) -> Option<Seen> {
        let seen = self.seen.remove(id)?;
        self.bytes = self.bytes.saturating_sub(seen.bytes());
        Some(seen)
    }

    /// Lets those go that were not used for longest.
    fn forget(&mut self) {
        while self.seen.len() > 1 && (self.seen.len() > MAX_TABLES || self.bytes > MAX_BYTES) {
            let oldest = self.seen.iter().min_by_key(|(_, seen)| seen.used).map(|(id, _)| id.clone());
            if oldest.and_then(|id| self.take(&id)).is_none() {
                break;
            }
        }
    }
}

fn seat(text: &str) -> Result<Seat, Refusal> {
    let seat = text.parse().map_err(|error: crate::ai::AgentError| {
        Refusal::new("bad_seat", error.to_string()).help(Some(error.help().to_owned()))
    })?;
    if matches!(seat, Seat::Program(Agent::Learned(_))) {
        let help = "it plays in the terminal: `ludwright play GAME --players human,learned`".to_owned();
        return Err(Refusal::new("bad_seat", "`learned` has no weights on the page").help(Some(help)));
    }
    Ok(seat)
}

/// The seats of a game; of those not spoken of the first is a person's.
fn seats(wanted: &[String], players: usize) -> Result<Vec<String>, Refusal> {
    if wanted.len() > players {
        let message = format!("the game has {players} seats, but {} are named", wanted.len());
        return Err(Refusal::new("bad_seat", message));
    }
    let usual = |place: usize| if place == 0 { Seat::Human } else { Seat::Program(OPPONENT) };
    Ok((0..players).map(|place| wanted.get(place).cloned().unwrap_or_else(|| usual(place).to_string())).collect())
}

impl Seen {
    fn new(saved: &Saved, game: Game) -> Result<Self, Refusal> {
        let seats = seats(&saved.seats, game.rules().players.len())?;
        let seats = seats.iter().map(|text| seat(text)).collect::<Result<Vec<_>, _>>()?;
        let line = Line::new(game.start().unless_stopped().map_err(|error| stopped(&error))?);
        let name = saved.source.file();
        let mut table = Table::new(&name, saved.ruleset.as_deref(), &saved.options, line, &seats, None);
        table.roll_by_hand(saved.own_dice);
        Ok(Self {
            used: 0,
            source: saved.source.clone(),
            ruleset: saved.ruleset.clone(),
            options: saved.options.clone(),
            table,
            picker: None,
            lesson: None,
            first: None,
        })
    }

    fn bytes(&self) -> u64 {
        self.table.line().bytes()
    }

    fn is_of(&self, saved: &Saved) -> bool {
        self.source == saved.source && self.ruleset == saved.ruleset && self.options == saved.options
    }

    /// Plays what was played elsewhere.
    fn bring_to(&mut self, saved: &Saved) -> Result<(), Refusal> {
        let players = self.table.seats().len();
        for (place, text) in seats(&saved.seats, players)?.iter().enumerate() {
            let wanted = seat(text)?;
            if self.table.seats().get(place) != Some(&wanted) {
                self.table.sit(place, wanted);
            }
        }
        let line = self.table.line();
        let same = line.chosen().iter().zip(&saved.plies).take_while(|(index, ply)| **index == ply.0).count();
        let all = same == line.len() && same == saved.plies.len();
        if all && line.played() == saved.now && self.table.ended() == saved.ended.as_ref() {
            return Ok(());
        }
        (self.picker, self.first) = (None, None);
        let mut line = line.clone();
        if same < line.len() && same == saved.plies.len() {
            // What comes after is forgotten.
            line = Line::new(line.start().clone());
        } else {
            line.go_to(same);
        }
        for ply in saved.plies.iter().skip(line.played()) {
            play_again(&mut line, ply)?;
        }
        line.go_to(saved.now.min(line.len()));
        self.table.resume(line, saved.ended.clone());
        Ok(())
    }

    /// Who looks, where the game hides something and goes on; none where everything is shown.
    fn eye(&self, seat: Option<usize>) -> Option<Eye> {
        let hides = self.table.line().game().hides() && !self.table.is_over();
        hides.then(|| seat.map_or(Eye::Anybody, Eye::Seat))
    }

    fn act(
        &mut self,
        saved: &Saved,
        act: Act,
        seat: Option<usize>,
        stop: &AtomicBool,
        report: &mut dyn FnMut(Progress),
    ) -> Result<Told, Refusal> {
        let nothing = |what: &str| Err(Refusal::new("nothing_to_do", what));
        let eye = self.eye(seat);
        permit(&self.table, &act, eye)?;
        match act {
            Act::View => return Ok((self.view(eye), self.settled(saved))),
            Act::Play { picked: Some(picked), .. } => {
                self.may_play(false)?;
                let told = self.choices(&picked);
                match told["index"].as_u64().and_then(|index| usize::try_from(index).ok()) {
                    Some(index) => self.play(Some(index), None, false)?,
                    None => return Ok((told, None)),
                }
            }
            Act::Play { index, text, picked: None, thought } => self.play(index, text.as_deref(), thought)?,
            Act::Undo if !self.table.undo() => return nothing("there is no move of a person to take back"),
            Act::Redo if !self.table.redo() => return nothing("nothing was taken back"),
            Act::Undo | Act::Redo => {}
            Act::GoTo { ply } => self.go_to(ply)?,
            Act::Resign { seat: meant } => self.resign(meant.or(seat.filter(|_| eye.is_some())))?,
            Act::End { ended } => {
                if !self.table.end(ended) {
                    return nothing("the game is over");
                }
            }
            Act::Choices { picked } => return Ok((self.choices(&picked), None)),
            Act::Why { text, picked } => return Ok((view::why(self.table.position(), text.as_deref(), &picked), None)),
            Act::Board { ply, dark } => return Ok((self.board(ply, dark, eye)?, None)),
            Act::Record => {
                let mut record = self.table.record();
                record.date = Some(saved.date.clone());
                return Ok((json!(record.to_text()), None));
            }
            Act::Lesson => return Ok((self.lesson(), None)),
            Act::Think => return Ok((self.think(stop, report)?, None)),
            Act::Hint { program } => return Ok((self.hint(&program, stop, report)?, None)),
        }
        (self.picker, self.first) = (None, None);
        let after = self.saved(saved);
        // What is kept for everybody is what everybody sees.
        Ok((self.view(self.eye(None)), Some(after)))
    }

    /// The same game with all its seats named and its moves numbered, if they were not.
    fn settled(&self, saved: &Saved) -> Option<Saved> {
        let numbered = self.table.line().chosen().iter().zip(&saved.plies).all(|(index, ply)| *index == ply.0);
        let seated = saved.seats.len() == self.table.seats().len();
        (!seated || !numbered).then(|| self.saved(saved))
    }

    fn saved(&self, before: &Saved) -> Saved {
        let line = self.table.line();
        Saved {
            source: before.source.clone(),
            ruleset: before.ruleset.clone(),
            options: before.options.clone(),
            seats: self.table.seats().iter().map(Seat::to_string).collect(),
            plies: line.chosen().iter().copied().zip(line.all_moves()).map(|(index, text)| Ply(index, text)).collect(),
            now: line.played(),
            ended: self.table.ended().cloned(),
            resigned: None,
            clock: before.clock.clone(),
            date: before.date.clone(),
            names: before.names.clone(),
            keys: before.keys.clone(),
            own_dice: before.own_dice,
            next: before.next.clone(),
            version: before.version + 1,
        }
    }

    fn view(&mut self, eye: Option<Eye>) -> Value {
        let mut view = view::view(&self.table, eye);
        let facts = facts_of(self.table.line().game(), &self.source);
        let choices = if view::decides(&self.table, eye) { self.choices(&[]) } else { Value::Null };
        if let Some(object) = view.as_object_mut() {
            object.insert("game".to_owned(), facts);
            let (line, style) = (self.table.line(), Style { sheet: false, ..Style::default() });
            object.insert("board".to_owned(), json!(view::picture(line, line.played(), eye, &style)));
            object.insert("choices".to_owned(), choices);
        }
        view
    }

    fn lesson(&mut self) -> Value {
        let (table, source) = (&self.table, &self.source);
        self.lesson.get_or_insert_with(|| lesson(table.line().game(), source)).clone()
    }

    /// Whether a move may be played now, by a person or by the program at the seat.
    fn may_play(&self, thought: bool) -> Result<(), Refusal> {
        if self.table.is_over() {
            let result = self.table.result().unwrap_or_default();
            return Err(Refusal::new("over", format!("the game is over: {result}")));
        }
        let by_hand = self.table.decider() == Some(Seat::Human);
        if self.table.is_chance() && !thought && !by_hand {
            return Err(Refusal::new("not_yours", "chance decides now").help(Some("wait for it".to_owned())));
        }
        if let Some(Seat::Program(agent)) = self.table.decider().filter(|_| !thought) {
            let message = format!("it is the turn of a program, {agent}");
            return Err(Refusal::new("not_yours", message).help(Some("wait for it, or take its seat".to_owned())));
        }
        if self.table.line().played() >= MAX_PLIES {
            return Err(Refusal::new("too_long", format!("a game here ends after {MAX_PLIES} plies")));
        }
        if self.table.line().bytes() > MAX_GAME {
            let message =
                format!("a game here ends when its positions take more than {} MiB of memory", MAX_GAME >> 20);
            return Err(Refusal::new("too_long", message));
        }
        Ok(())
    }

    fn play(&mut self, index: Option<usize>, text: Option<&str>, thought: bool) -> Result<(), Refusal> {
        self.may_play(thought)?;
        let position = self.table.position();
        let index = match (index, text) {
            (Some(index), _) => index,
            (None, Some(text)) => position.find_short(text).map_err(|error| illegal(position, text, &error))?,
            (None, None) => return Err(Refusal::new("bad_request", "a move is an `index` or a `move`")),
        };
        let before = self.table.line().clone();
        match self.table.play(index) {
            Some(_) => match self.table.position().stopped() {
                None => Ok(()),
                // The game stands as it was before.
                Some(given_up) => {
                    let error = stopped(&before.game().error_of_stop(given_up));
                    self.table.resume(before, None);
                    Err(error)
                }
            },
            None => {
                let count = self.table.position().move_count();
                Err(Refusal::new("illegal", format!("there are {count} legal moves, numbered from 0")))
            }
        }
    }

    fn go_to(&mut self, ply: usize) -> Result<(), Refusal> {
        if matches!(self.table.ended(), Some(Ended::Late(_))) {
            return Err(Refusal::new("over", "the game is over, and there is no time left to go on"));
        }
        let mut line = self.table.line().clone();
        if !line.go_to(ply) {
            return Err(Refusal::new("bad_request", format!("the game has {} plies", line.len())));
        }
        self.table.resume(line, None);
        Ok(())
    }

    /// Whoever is to move resigns if it is a person, else the first person.
    fn resign(&mut self, seat: Option<usize>) -> Result<(), Refusal> {
        let people = |place: &usize| self.table.seats().get(*place) == Some(&Seat::Human);
        let mover = self.table.to_move().filter(people);
        let Some(place) = seat.or(mover).or_else(|| (0..self.table.seats().len()).find(people)) else {
            return Err(Refusal::new("nothing_to_do", "no person plays along"));
        };
        match self.table.resign(place) {
            true => Ok(()),
            false => Err(Refusal::new("over", "the game is over, or nobody sits there")),
        }
    }

    fn choices(&mut self, picked: &[Pick]) -> Value {
        let position = self.table.position();
        if self.table.is_over() {
            return Value::Null;
        }
        let picker = self.picker.get_or_insert_with(|| Picker::new(position));
        picker.clear();
        let board = &position.game().rules().board;
        let first = self.first.get_or_insert_with(|| view::choices(picker, position));
        if picked.is_empty() {
            return first.clone();
        }
        for (at, pick) in picked.iter().enumerate() {
            let choice = match pick {
                Pick::Site(name) => board.find(name).map(Choice::Site),
                Pick::Name(name) => Some(Choice::Named(name.clone())),
            };
            // What was certain has been chosen already.
            if choice.is_some() && picker.chosen().get(at) == choice.as_ref() {
                continue;
            }
            match choice.map_or(Picked::Nothing, |choice| picker.pick(&choice)) {
                Picked::Nothing => {
                    let mut wrong = view::choices(picker, position);
                    wrong["refused"] = json!(at);
                    wrong["why"] = match position.game().hides() {
                        true => json!({ "sentence": NOT_TOLD }),
                        false => view::why(position, None, picked.get(..=at).unwrap_or_default()),
                    };
                    return wrong;
                }
                Picked::More => {}
                Picked::Move(index) => {
                    return json!({ "index": index, "move": position.move_text(index), "picked": picked });
                }
            }
        }
        view::choices(picker, position)
    }

    fn board(&self, ply: Option<usize>, dark: bool, eye: Option<Eye>) -> Result<Value, Refusal> {
        let line = self.table.line();
        let ply = ply.unwrap_or(line.played());
        let theme = if dark { Theme::Dark } else { Theme::Light };
        let drawn = view::picture(line, ply, eye, &Style { theme, ..Style::default() });
        let none = || Refusal::new("bad_request", format!("the game has {} plies", line.len()));
        drawn.map(|drawn| json!(drawn)).ok_or_else(none)
    }

    fn think(&mut self, stop: &AtomicBool, report: &mut dyn FnMut(Progress)) -> Result<Value, Refusal> {
        let gone = || Refusal::new("nothing_to_do", "no program is to move");
        if self.table.is_chance() {
            let index = self.table.roll().ok_or_else(gone)?;
            return Ok(json!({ "index": index, "move": self.table.position().move_text(index), "chance": true }));
        }
        let place = self.table.to_move().ok_or_else(gone)?;
        let mut mind = self.table.take_mind(place).ok_or_else(gone)?;
        let thought = think(&mut mind, self.table.line(), stop, report);
        self.table.give_back(place, mind);
        thought
    }

    fn hint(&self, program: &str, stop: &AtomicBool, report: &mut dyn FnMut(Progress)) -> Result<Value, Refusal> {
        let Seat::Program(agent) = seat(program)? else {
            return Err(Refusal::new("bad_seat", "a person gives no hint here"));
        };
        if self.table.is_over() {
            return Err(Refusal::new("over", "the game is over"));
        }
        if self.table.is_chance() {
            return Err(Refusal::new("nothing_to_do", "chance decides now"));
        }
        think(&mut Mind::new(agent, 0), self.table.line(), stop, report)
    }
}

fn think(mind: &mut Mind, line: &Line, stop: &AtomicBool, report: &mut dyn FnMut(Progress)) -> Result<Value, Refusal> {
    let position = line.position();
    let text = |index: usize| position.move_text(index).unwrap_or_default();
    let mut next = Instant::now() + REPORT;
    let mut told = |done: f64, thought: &Thought| {
        if Instant::now() >= next {
            next = Instant::now() + REPORT;
            // Everybody who looks on is told how far it has come.
            report(match position.game().hides() {
                true => Progress::unknown(done),
                false => Progress { done, value: thought.value, rounds: thought.rounds, text: text(thought.index) },
            });
        }
    };
    let thought = mind.think(line, stop, &mut told);
    let thought = thought.ok_or_else(|| Refusal::new("over", "there is no move to think about"))?;
    Ok(json!({
        "index": thought.index,
        "move": text(thought.index),
        "sites": view::sites_of(position, thought.index),
        "value": thought.value,
        "proven": thought.proven,
        "rounds": thought.rounds,
        "search": thought.search.map(Plan::name),
    }))
}

/// A move that was legal when it was played: the rules may have changed since then.
fn play_again(line: &mut Line, Ply(index, text): &Ply) -> Result<(), Refusal> {
    let position = line.position();
    let same = position.move_text(*index).is_some_and(|now| now == *text);
    let index = if same { Some(*index) } else { position.find(text).ok() };
    match index.and_then(|index| line.play(index)) {
        Some(_) => match line.position().stopped() {
            None => Ok(()),
            Some(given_up) => Err(stopped(&line.game().error_of_stop(given_up))),
        },
        None => {
            let said = if line.game().hides() { String::new() } else { format!(", `{text}`,") };
            let message = format!("ply {}{said} is no legal move by these rules", line.played() + 1);
            Err(Refusal::new("rules_changed", message)
                .help(Some("the rules have changed since, or the record is of another game".to_owned())))
        }
    }
}

/// A ply takes more than it may.
fn stopped(error: &PlayError) -> Refusal {
    let help = "a smaller board, or rules with fewer choices in one move, take less";
    Refusal::new(error.code(), error.to_string()).help(Some(help.to_owned()))
}

fn illegal(position: &Position, text: &str, error: &PlayError) -> Refusal {
    let code = if matches!(error, PlayError::Ambiguous { .. }) { "ambiguous" } else { "illegal" };
    let refusal = Refusal::new(code, error.to_string());
    match position.game().hides() {
        true => refusal.help(Some(NOT_TOLD.to_owned())),
        false => refusal.detail(view::why(position, Some(text), &[])),
    }
}
