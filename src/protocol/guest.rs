//! A program of somebody else at a seat: started when it is needed, told of the game, asked for moves, and believed nothing.

use super::dialogue::{ask, wait_for};
use super::facts;
use super::name::{Guest, Limit, Protocol};
use super::process::Process;
use super::spelling::{Misread, Style, is_vertex};
use crate::ai::{Failure, Player, Thought};
use crate::game::{Game, Line, Position};
use crate::library::describe;
use crate::study::halt::Halt;
use std::time::Duration;

/// How long a program may take to begin, or to answer what needs no thinking.
const READY: Duration = Duration::from_secs(20);

/// As much of what a program has said as is told.
const MAX_SAID: usize = 60;

/// A program and where the game is that it plays.
#[derive(Debug)]
pub struct Visit {
    guest: Guest,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    process: Process,
    /// What has been played on its board, as far as it keeps one.
    told: Option<Vec<usize>>,
}

fn lost(why: impl Into<String>) -> Failure {
    Failure::Lost(why.into())
}

impl Visit {
    /// It is started when the first move is asked for.
    #[must_use]
    pub fn of(guest: &Guest) -> Self {
        Self { guest: guest.clone(), running: None }
    }

    /// Whether it is named like this.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.guest.to_string() == name
    }

    /// Starts the program and the game once: why that cannot be done.
    pub fn try_out(&mut self, game: &Game) -> Result<(), String> {
        let fits = can_be_told(self.guest.moves, &game.start());
        let begun = fits.and_then(|()| self.begun(game, Halt::never()));
        begun.map_err(|failure| match failure {
            Failure::Lost(why) => why,
            Failure::Halted => "was not waited for".to_owned(),
            Failure::GivenUp(stopped) => game.told_of_stop(&stopped),
        })
    }

    /// The program with its board set up for a game; started if it does not run.
    fn begun(&mut self, game: &Game, halt: Halt<'_>) -> Result<(), Failure> {
        if self.running.is_none() {
            let process = Process::start(&self.guest.words)
                .map_err(|error| lost(format!("cannot be started: {}", describe(&error))))?;
            greet(&self.guest, &process, halt)?;
            self.running = Some(Running { process, told: None });
        }
        let Some(running) = &mut self.running else { return Ok(()) };
        if running.told.is_none() {
            new_game(&self.guest, &running.process, game, halt)?;
            running.told = Some(Vec::new());
        }
        Ok(())
    }

    fn answer(&mut self, line: &Line, halt: Halt<'_>) -> Result<usize, Failure> {
        self.begun(line.game(), halt)?;
        let Some(Running { process, told: Some(told) }) = &mut self.running else { return Err(lost("is gone")) };
        let said = match self.guest.protocol {
            Protocol::Ugi | Protocol::Uci => universal(&self.guest, process, line, halt)?,
            Protocol::Gtp => generated(&self.guest, process, told, line, halt)?,
        };
        let index = referee(self.guest.moves, line.position(), &said)?;
        if self.guest.protocol == Protocol::Gtp {
            told.push(index);
        }
        Ok(index)
    }
}

impl Player for Visit {
    fn begin(&mut self, _seed: u64) {
        if let Some(running) = &mut self.running {
            running.told = None;
        }
    }

    fn decide(&mut self, line: &Line, halt: Halt<'_>) -> Result<Thought, Failure> {
        match self.answer(line, halt) {
            Ok(index) => Ok(Thought { index, value: 0.5, ..Thought::default() }),
            Err(failure) => {
                // Whatever state it is in: it begins the next game afresh.
                self.running = None;
                Err(failure)
            }
        }
    }
}

/// Whether the moves at the start have names that the program may know.
fn can_be_told(style: Style, start: &Position) -> Result<(), Failure> {
    if start.game().hides() {
        return Err(lost("would be told everything, and this game hides something from its players".to_owned()));
    }
    if style == Style::Notation {
        return Ok(());
    }
    let by_parts = (0..start.move_count()).zip(style.write_all(start));
    let printed = Style::Notation.write_all(start);
    let board = &start.game().rules().board;
    let named = |text: &str| match style {
        Style::Vertices => text == "pass" || is_vertex(text),
        Style::Sites | Style::Notation => text == "0000" || board.names().any(|name| text.contains(name)),
    };
    let strange = by_parts.filter(|(_, text)| !named(text)).find_map(|(index, _)| printed.get(index).cloned());
    match strange {
        Some(text) => Err(lost(format!("cannot be told of the move `{text}`, which names no site"))),
        None => Ok(()),
    }
}

/// What is said once.
fn greet(guest: &Guest, process: &Process, halt: Halt<'_>) -> Result<(), Failure> {
    let name = guest.protocol.name();
    let foreign = |failure| match failure {
        Failure::Lost(why) => lost(format!("does not speak {name}: it {why}")),
        failure @ (Failure::Halted | Failure::GivenUp(_)) => failure,
    };
    match guest.protocol {
        Protocol::Ugi | Protocol::Uci => {
            process.say(name);
            let ready = format!("{name}ok");
            wait_for(process, READY, halt, &mut |line| (line.trim() == ready).then_some(())).map_err(foreign)?;
            for (name, value) in &guest.settings {
                process.say(&format!("setoption name {name} value {value}"));
            }
            ready_to_go(process, halt)
        }
        Protocol::Gtp => ask(process, READY, halt, "protocol_version")
            .map_err(foreign)?
            .map(drop)
            .map_err(|why| lost(format!("does not speak gtp: it refused `protocol_version` with `{}`", short(&why)))),
    }
}

fn ready_to_go(process: &Process, halt: Halt<'_>) -> Result<(), Failure> {
    process.say("isready");
    wait_for(process, READY, halt, &mut |line| (line.trim() == "readyok").then_some(()))
}

/// What is said before every game.
fn new_game(guest: &Guest, process: &Process, game: &Game, halt: Halt<'_>) -> Result<(), Failure> {
    match guest.protocol {
        Protocol::Ugi | Protocol::Uci => {
            process.say(&format!("{}newgame", guest.protocol.name()));
            ready_to_go(process, halt)
        }
        Protocol::Gtp => {
            let side = facts::side(game).ok_or_else(|| lost("speaks gtp, and the board has no such points"))?;
            must(process, halt, &format!("boardsize {side}"))?;
            must(process, halt, "clear_board")?;
            if let Some(komi) = facts::komi(game) {
                must(process, halt, &format!("komi {komi}"))?;
            }
            if let Limit::Time(time) = guest.limit {
                // So long for each single move; programs without a clock refuse it, and are late or not.
                let seconds = time.as_secs().max(1);
                let _ = ask(process, READY, halt, &format!("time_settings 0 {seconds} 1"))?;
            }
            Ok(())
        }
    }
}

/// A command that has to work.
fn must(process: &Process, halt: Halt<'_>, command: &str) -> Result<(), Failure> {
    let refused = |why: String| lost(format!("refused `{command}` with `{}`", short(&why)));
    ask(process, READY, halt, command)?.map(drop).map_err(refused)
}

/// A move by UGI or UCI, which are told the whole game each time.
fn universal(guest: &Guest, process: &Process, line: &Line, halt: Halt<'_>) -> Result<String, Failure> {
    let mut position = "position startpos".to_owned();
    let played = line.chosen().iter().take(line.played()).enumerate();
    for (ply, index) in played {
        let text = line.at(ply).and_then(|position| guest.moves.write(position, *index)).unwrap_or_default();
        position.push_str(if ply == 0 { " moves " } else { " " });
        position.push_str(&text);
    }
    // What came too late for the last question answers nothing now.
    process.forget();
    process.say(&position);
    process.say(&match guest.limit {
        Limit::Time(time) => format!("go movetime {}", time.as_millis()),
        Limit::Depth(depth) => format!("go depth {depth}"),
        Limit::Nodes(nodes) => format!("go nodes {nodes}"),
    });
    wait_for(process, guest.patience(), halt, &mut |line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("bestmove")).then(|| words.next().unwrap_or_default().to_owned())
    })
}

/// A move by the Go Text Protocol, where the program has a board of its own.
fn generated(
    guest: &Guest,
    process: &Process,
    told: &mut Vec<usize>,
    line: &Line,
    halt: Halt<'_>,
) -> Result<String, Failure> {
    let played = line.chosen().get(..line.played()).unwrap_or_default();
    if !played.starts_with(told) {
        must(process, halt, "clear_board")?;
        told.clear();
    }
    for (ply, index) in played.iter().enumerate().skip(told.len()) {
        let Some(position) = line.at(ply) else { break };
        let text = guest.moves.write(position, *index).unwrap_or_default();
        must(process, halt, &format!("play {} {text}", colour_to_move(position)))?;
        told.push(*index);
    }
    let colour = colour_to_move(line.position());
    let answer = ask(process, guest.patience(), halt, &format!("genmove {colour}"))?;
    match answer {
        Ok(said) if said.eq_ignore_ascii_case("resign") => Err(lost("resigned")),
        Ok(said) => Ok(said),
        Err(why) => Err(lost(format!("made no move: `{}`", short(&why)))),
    }
}

fn colour_to_move(position: &Position) -> &'static str {
    let players = &position.game().rules().players;
    let mover = position.mover().unwrap_or_default();
    let at = players.iter().position(|player| player.name == mover).unwrap_or(0);
    facts::colour(position.game(), at)
}

/// Which legal move was meant; or why it is lost.
fn referee(style: Style, position: &Position, said: &str) -> Result<usize, Failure> {
    style.read(position, said).map_err(|misread| match misread {
        Misread::None if said.trim().is_empty() => lost("answered without a move"),
        Misread::None => lost(format!("answered `{}`, which is no legal move", short(said))),
        Misread::Several(all) => {
            let few: Vec<&str> = all.iter().take(3).map(String::as_str).collect();
            lost(format!("answered `{}`, which may be {}", short(said), few.join(" or ")))
        }
    })
}

/// What a program said, cut short and on one line.
fn short(said: &str) -> String {
    said.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_SAID).collect()
}
