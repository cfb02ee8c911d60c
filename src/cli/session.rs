//! `session`: a program drives a game, with a JSON object per line in each direction.

use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::source::{Choice, Engine as SourceEngine, RuleText};
use crate::ai::World;
use crate::diagnostic::closest;
use crate::game::Line;
use crate::game::{PlayError, Position, STEPS};
use crate::study::playout::{Engine, choose, generator};
use clap::Args;
use serde_json::{Map, Value, json};
use std::io::{self, BufRead, Read};

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  printf '%s\\n' '{\"cmd\":\"load\",\"game\":\"iqishiqi\"}' '{\"cmd\":\"moves\"}' | ludwright session\n\nRequests: load, setup, state, moves, play, undo, reset, random, why"
)]
pub struct SessionArgs {}

/// A longer request is refused unread.
const MAX_LINE: usize = 1 << 20;

/// No random game goes on for longer in one request, lest a game without an end exhaust the memory.
const MAX_RANDOM: u64 = 100_000;

const COMMANDS: [&str; 9] = ["load", "setup", "state", "moves", "play", "undo", "reset", "random", "why"];

type Fields = Map<String, Value>;

/// An error as a reply tells it.
struct Refusal {
    code: &'static str,
    message: String,
    diagnostics: Option<Value>,
}

fn refuse<T>(code: &'static str, message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { code, message: message.into(), diagnostics: None })
}

pub fn run(_: &SessionArgs, output: &mut Output) -> Result<(), CliError> {
    let mut input = io::stdin().lock();
    let mut session = Session::default();
    while let Some(line) = read_line(&mut input).map_err(|error| CliError::read("standard input".as_ref(), error))? {
        let reply = match line {
            Ok(line) => session.reply(&line),
            Err(refusal) => refusal.to_json(),
        };
        output.json(&reply)?;
        output.flush()?;
    }
    Ok(())
}

impl Refusal {
    fn to_json(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let (Value::Object(fields), Some(diagnostics)) = (&mut error, &self.diagnostics) {
            fields.insert("diagnostics".to_owned(), diagnostics.clone());
        }
        json!({ "ok": false, "error": error })
    }
}

impl From<PlayError> for Refusal {
    fn from(error: PlayError) -> Self {
        Self { code: error.code(), message: error.to_string(), diagnostics: None }
    }
}

impl From<CliError> for Refusal {
    fn from(error: CliError) -> Self {
        let message = match &error {
            CliError::Message { message, help: Some(help), .. } => format!("{message}; {help}"),
            other => other.to_string(),
        };
        let diagnostics = match &error {
            CliError::Rules { diagnostics, sources, .. } => {
                Some(diagnostics.iter().map(|diagnostic| diagnostic.to_json(sources)).collect())
            }
            _ => None,
        };
        Self { code: "load_failed", message, diagnostics }
    }
}

/// The next line, none at the end; a line that is too long or no text is an error in its place.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Result<String, Refusal>>> {
    let mut bytes = Vec::new();
    input.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() > MAX_LINE && bytes.last() != Some(&b'\n') {
        skip_line(input)?;
        return Ok(Some(refuse("line_too_long", format!("a request holds at most {MAX_LINE} bytes"))));
    }
    Ok(Some(String::from_utf8(bytes).or_else(|_| refuse("bad_json", "the request is not a text in UTF-8"))))
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let read = end.map_or(buffer.len(), |at| at + 1);
        input.consume(read);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// A game in progress; none before one is loaded.
#[derive(Default)]
pub(crate) struct Session {
    line: Option<Line>,
    engine: Engine,
}

impl Session {
    /// The answer to a line, whatever is in it.
    pub(crate) fn reply(&mut self, line: &str) -> Value {
        match self.answer(line) {
            Ok(mut fields) => {
                fields.shift_insert(0, "ok".to_owned(), json!(true));
                Value::Object(fields)
            }
            Err(refusal) => refusal.to_json(),
        }
    }

    fn answer(&mut self, line: &str) -> Result<Fields, Refusal> {
        let request = match serde_json::from_str(line) {
            Ok(Value::Object(request)) => request,
            Ok(_) => return refuse("bad_request", "a request is a JSON object"),
            Err(error) => return refuse("bad_json", format!("the request is no JSON: {error}")),
        };
        let Some(command) = text(&request, "cmd")? else { return refuse("bad_request", "`cmd` is missing") };
        match command {
            "load" => self.load(&request),
            "setup" => self.set_up(&request),
            "state" => self.seen(&request),
            "moves" => self.moves(&request),
            "play" => self.play(&request),
            "undo" => self.undo(&request),
            "reset" => self.reset(&request),
            "random" => self.random(&request),
            "why" => self.why(&request),
            other => {
                let hint = closest(other, COMMANDS).map_or(String::new(), |best| format!(" (did you mean `{best}`?)"));
                refuse(
                    "unknown_command",
                    format!("there is no command `{other}`{hint}; there are {}", COMMANDS.join(", ")),
                )
            }
        }
    }

    fn line(&self) -> Result<&Line, Refusal> {
        match &self.line {
            Some(line) => Ok(line),
            None => refuse("no_game", "no game is loaded"),
        }
    }

    fn line_mut(&mut self) -> Result<&mut Line, Refusal> {
        match &mut self.line {
            Some(line) => Ok(line),
            None => refuse("no_game", "no game is loaded"),
        }
    }

    fn current(&self) -> Result<&Position, Refusal> {
        self.line().map(Line::position)
    }

    fn state(&self) -> Result<Fields, Refusal> {
        Ok(fields(self.current()?))
    }

    /// The position, or what a seat sees of it.
    fn seen(&self, request: &Fields) -> Result<Fields, Refusal> {
        let Some(seat) = self.seat(request)? else { return self.state() };
        let line = self.line()?;
        let mut fields = fields(&line.position().seen_from(seat));
        fields.insert("told".to_owned(), json!(line.moves_seen_from(seat)));
        Ok(fields)
    }

    /// The seat that asks; none for the referee.
    fn seat(&self, request: &Fields) -> Result<Option<usize>, Refusal> {
        let Some(name) = text(request, "seat")? else { return Ok(None) };
        match self.current()?.game().seat_called(name) {
            Some(seat) => Ok(Some(seat)),
            None => refuse("bad_request", format!("`seat` is the name of a player, and there is no `{name}`")),
        }
    }

    fn load(&mut self, request: &Fields) -> Result<Fields, Refusal> {
        let Some(name) = text(request, "game")? else { return refuse("bad_request", "`game` is missing") };
        let engine = match text(request, "engine")? {
            None | Some("reference") => Engine::Reference,
            Some("fast") => Engine::Fast,
            Some(other) => {
                let known = "there are `fast` and `reference`";
                return refuse("unknown_engine", format!("there is no engine `{other}`; {known}"));
            }
        };
        let choice = Choice { ruleset: text(request, "ruleset")?.map(str::to_owned), options: options(request)? };
        let steps = number(request, "steps")?.unwrap_or(STEPS);
        let game = RuleText::of_game(name).and_then(|text| text.load(&choice))?.with_steps(steps);
        let start = game.start().unless_stopped()?;
        let players: Vec<&str> = game.rules().players.iter().map(|player| player.name.as_str()).collect();
        let mut reply = Subject::game(name, &game).fields();
        reply.insert("players".to_owned(), json!(players));
        reply.insert("engine".to_owned(), json!(SourceEngine::of(game.runner(engine)).name()));
        self.engine = engine;
        self.line = Some(Line::new(start));
        Ok(reply)
    }

    fn set_up(&mut self, request: &Fields) -> Result<Fields, Refusal> {
        let game = self.current()?.game().clone();
        let Some(position) = request.get("position") else { return refuse("bad_request", "`position` is missing") };
        match game.set_up(position) {
            Ok(position) => self.line = Some(Line::new(position)),
            Err(message) => return refuse("bad_position", message),
        }
        self.state()
    }

    fn moves(&self, request: &Fields) -> Result<Fields, Refusal> {
        let position = self.current()?;
        let successors = match request.get("successors") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(wanted)) => *wanted,
            Some(_) => return refuse("bad_request", "`successors` is true or false"),
        };
        let seat = self.seat(request)?;
        if seat.is_some() && successors {
            return refuse("bad_request", "a seat is not told what its moves would lead to: leave out `successors`");
        }
        if seat.is_some_and(|seat| position.seat() != Some(seat) || position.is_chance()) {
            return Ok(Fields::from_iter([("moves".to_owned(), json!([]))]));
        }
        // Both engines are asked in the order of the reference, so that their answers can be compared.
        let legal = match self.engine {
            Engine::Reference => (0..position.move_count()).collect(),
            Engine::Fast => legal(self.line()?),
        };
        let weights = position.weights();
        let one = |index: usize| {
            let mut told = Fields::new();
            told.insert("move".to_owned(), json!(position.move_text(index).unwrap_or_default()));
            if let Some(weight) = weights.as_ref().and_then(|weights| weights.get(index)) {
                told.insert("weight".to_owned(), json!(weight));
            }
            if let Some(after) = successors.then(|| position.play_index(index)).flatten() {
                told.insert("state".to_owned(), after.to_json());
            }
            Value::Object(told)
        };
        let moves: Vec<Value> = legal.into_iter().map(one).collect();
        let mut reply = Fields::new();
        reply.insert("moves".to_owned(), Value::Array(moves));
        Ok(reply)
    }

    fn play(&mut self, request: &Fields) -> Result<Fields, Refusal> {
        let line = self.line_mut()?;
        let Some(mv) = text(request, "move")? else { return refuse("bad_request", "`move` is missing") };
        line.play_text(mv)?;
        self.state()
    }

    fn why(&self, request: &Fields) -> Result<Fields, Refusal> {
        let position = self.current()?;
        let Some(mv) = text(request, "move")? else { return refuse("bad_request", "`move` is missing") };
        Ok(position.why(mv).to_json(position.game()))
    }

    fn undo(&mut self, request: &Fields) -> Result<Fields, Refusal> {
        let plies = number(request, "plies")?.unwrap_or(1);
        let line = self.line_mut()?;
        let played = line.played();
        match usize::try_from(plies).ok().and_then(|plies| played.checked_sub(plies)) {
            Some(left) => line.go_to(left),
            None => return refuse("nothing_to_undo", format!("only {played} plies have been played from the start")),
        };
        self.state()
    }

    fn reset(&mut self, request: &Fields) -> Result<Fields, Refusal> {
        let mut line = Line::new(self.line()?.start().clone());
        let moves = match request.get("moves") {
            None | Some(Value::Null) => &[][..],
            Some(Value::Array(moves)) => moves,
            Some(_) => return refuse("bad_request", "`moves` is a list of texts"),
        };
        for (index, mv) in moves.iter().enumerate() {
            let Some(mv) = mv.as_str() else { return refuse("bad_request", "`moves` is a list of texts") };
            if let Err(error) = line.play_text(mv) {
                let refusal = Refusal::from(error);
                return refuse(refusal.code, format!("move {}: {}", index + 1, refusal.message));
            }
        }
        self.line = Some(line);
        self.state()
    }

    fn random(&mut self, request: &Fields) -> Result<Fields, Refusal> {
        let line = self.line_mut()?;
        let Some(seed) = number(request, "seed")? else { return refuse("bad_request", "`seed` is missing") };
        let plies = number(request, "plies")?.unwrap_or(MAX_RANDOM).min(MAX_RANDOM);
        let mut generator = generator(seed, 0);
        let mut moves = Vec::new();
        for _ in 0..plies {
            let Some(index) = choose(line.position(), &mut generator) else { break };
            let Some(mv) = line.play(index) else { break };
            moves.push(mv);
        }
        let mut reply = self.state()?;
        reply.insert("moves".to_owned(), json!(moves));
        Ok(reply)
    }
}

/// The legal moves as the fast engine finds them, by their numbers in the reference; one that the reference does not know
/// has no number and no name, so what is missing shows in the count.
fn legal(line: &Line) -> Vec<usize> {
    let (mut world, _) = World::at(line);
    let mut found = world.legal_indices(line.position());
    found.sort_unstable();
    found
}

fn fields(position: &Position) -> Fields {
    match position.to_json() {
        Value::Object(fields) => fields,
        other => Fields::from_iter([("position".to_owned(), other)]),
    }
}

fn text<'a>(request: &'a Fields, name: &str) -> Result<Option<&'a str>, Refusal> {
    match request.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => refuse("bad_request", format!("`{name}` is a text")),
    }
}

fn number(request: &Fields, name: &str) -> Result<Option<u64>, Refusal> {
    match request.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number) => Ok(Some(number)),
            None => refuse("bad_request", format!("`{name}` is a whole number from 0")),
        },
    }
}

fn options(request: &Fields) -> Result<Vec<(String, String)>, Refusal> {
    let options = match request.get("options") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(options)) => options,
        Some(_) => return refuse("bad_request", "`options` is an object"),
    };
    let value = |(name, value): (&String, &Value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
            _ => return refuse("bad_request", format!("the value of `{name}` is a text, a number, true or false")),
        };
        Ok((name.clone(), text))
    };
    options.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_skipped() {
        let mut text = vec![b'x'; MAX_LINE * 2];
        text.extend(b"\n{}\n\xff\nend");
        let mut input = text.as_slice();
        let mut next = || read_line(&mut input).unwrap().map(|line| line.map_err(|refusal| refusal.code));
        assert_eq!(next(), Some(Err("line_too_long")));
        assert_eq!(next(), Some(Ok("{}\n".to_owned())));
        assert_eq!(next(), Some(Err("bad_json")));
        assert_eq!(next(), Some(Ok("end".to_owned())));
        assert_eq!(next(), None);
    }

    #[test]
    fn bad_requests_are_refused() {
        let mut session = Session::default();
        let mut code = |line: &str| session.answer(line).err().map(|refusal| refusal.code);
        assert_eq!(code(""), Some("bad_json"));
        assert_eq!(code("[]"), Some("bad_request"));
        assert_eq!(code("{\"cmd\":\"lod\"}"), Some("unknown_command"));
        assert_eq!(code("{\"cmd\":\"state\"}"), Some("no_game"));
        assert_eq!(code("{\"cmd\":\"load\",\"game\":\"iqishiqui\"}"), Some("load_failed"));
    }

    #[test]
    fn outcomes_have_a_weight_and_players_moves_none() {
        let mut session = Session::default();
        let mut answer = |line: &str| session.answer(line).ok().expect("answered");
        answer("{\"cmd\":\"load\",\"game\":\"royal_game_of_ur\"}");
        let start = answer("{\"cmd\":\"state\"}");
        assert_eq!((&start["chance"], &start["mover"]), (&json!(true), &json!("South")));
        let moves = answer("{\"cmd\":\"moves\"}");
        let weights: Vec<&Value> = moves["moves"].as_array().unwrap().iter().map(|mv| &mv["weight"]).collect();
        assert_eq!(weights, [&json!(1), &json!(4), &json!(6), &json!(4), &json!(1)]);
        let after = answer("{\"cmd\":\"play\",\"move\":\"4\"}");
        assert_eq!((after.get("chance"), &after["mover"]), (None, &json!("South")));
        assert_eq!(answer("{\"cmd\":\"moves\"}")["moves"], json!([{ "move": "+a1" }]));
        let played = answer("{\"cmd\":\"random\",\"seed\":3}");
        assert_eq!(played["over"], json!(true));
    }
}
