//! `play`: a game in the terminal, line by line.

use super::error::CliError;
use super::moves::{columns, width};
use super::output::{Output, complain};
use super::record::{Record, write};
use super::replay::warn_of_other_rules;
use super::source::{Choice, GameArgs, RuleText, status_line};
use super::why::describe;
use crate::game::{Game, PlayError, Position};
use crate::run::playout::{choose, generator};
use clap::Args;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};

const HELP: &str = "Type a move, or one of:
  ?          the legal moves
  undo       take back your last move, and the replies to it
  redo       play again what was taken back
  save FILE  write the game to a file, for `--resume` and `replay`
  help       this text
  quit       leave the game
";

/// Where random players, left to themselves, give up.
const MAX_ALONE: u32 = 10_000;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright play iqishiqi\n  ludwright play iqishiqi --players human,human -o side=5\n  ludwright play iqishiqi --save game.txt\n  ludwright play iqishiqi --resume game.txt\n  ludwright play iqishiqi < /dev/null"
)]
pub struct PlayArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Who plays each seat, in turn order: human or random; unless given, the first seat is human
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    players: Vec<String>,
    /// Makes the random players play the same again
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Go on with a saved game
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Write the game to a file after every move
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Seat {
    Human,
    Random,
}

/// What follows a line of input.
enum Next {
    Continue,
    Quit,
}

struct Table {
    text: RuleText,
    choice: Choice,
    game: Game,
    seats: Vec<Seat>,
    /// All positions from the start on, also those taken back.
    line: Vec<Position>,
    /// The move that follows each position but the last.
    moves: Vec<String>,
    /// The position that counts.
    now: usize,
    generator: Xoshiro256PlusPlus,
    save: Option<PathBuf>,
    interactive: bool,
}

pub fn run(args: &PlayArgs, output: &mut Output) -> Result<(), CliError> {
    let mut table = Table::new(args, output)?;
    table.show(output)?;
    table.play(output)
}

fn seats(list: &[String], players: usize) -> Result<Vec<Seat>, CliError> {
    if list.is_empty() {
        return Ok((0..players).map(|seat| if seat == 0 { Seat::Human } else { Seat::Random }).collect());
    }
    if list.len() != players {
        return Err(CliError::message(format!("the game has {players} seats, but `--players` names {}", list.len())));
    }
    let seat = |name: &String| match name.trim() {
        "human" => Ok(Seat::Human),
        "random" => Ok(Seat::Random),
        other => Err(CliError::with_help(
            format!("there is no player `{other}`"),
            Some("a seat is `human` or `random`".to_owned()),
        )),
    };
    list.iter().map(seat).collect()
}

impl Table {
    fn new(args: &PlayArgs, output: &Output) -> Result<Self, CliError> {
        let text = RuleText::of_game(&args.game.game)?;
        let record = args.resume.as_deref().map(Record::read).transpose()?.unwrap_or_default();
        let choice = record.choice_under(&args.game.choice);
        let game = text.load(&choice)?;
        warn_of_other_rules(&record, &game.rules_hash(), output);
        // Chance from the system, since two games should differ unless a seed is given.
        let seed = args.seed.unwrap_or_else(|| RandomState::new().hash_one(()));
        let mut table = Self {
            seats: seats(&args.players, game.rules().players.len())?,
            line: vec![game.start()],
            moves: Vec::new(),
            now: 0,
            generator: generator(seed, 0),
            save: args.save.clone(),
            interactive: io::stdin().is_terminal(),
            text,
            choice,
            game,
        };
        for (index, mv) in record.moves.iter().enumerate() {
            let found = table.position().find(mv).map(|found| table.push(found));
            found.map_err(|error| CliError::message(format!("move {} of the saved game: {error}", index + 1)))?;
        }
        Ok(table)
    }

    fn position(&self) -> &Position {
        // There is always a start, and `now` never passes the end.
        &self.line[self.now]
    }

    /// Plays a legal move; what had been taken back is forgotten.
    fn push(&mut self, index: usize) -> Option<String> {
        let mv = self.position().move_text(index)?;
        let after = self.position().play_index(index)?;
        self.line.truncate(self.now + 1);
        self.moves.truncate(self.now);
        self.line.push(after);
        self.moves.push(mv.clone());
        self.now += 1;
        Some(mv)
    }

    fn seat_of(&self, position: &Position) -> Option<Seat> {
        self.seats.get(position.seat()?).copied()
    }

    fn show(&self, output: &mut Output) -> Result<(), CliError> {
        output.line("")?;
        output.block(&self.position().draw())?;
        output.line(&status_line(self.position()))
    }

    fn play(&mut self, output: &mut Output) -> Result<(), CliError> {
        let mut input = io::stdin().lock();
        loop {
            match self.seat_of(self.position()) {
                Some(Seat::Random) => {
                    self.play_random(output)?;
                    continue;
                }
                // A person may still save the finished game, or take moves back.
                None if !self.seats.contains(&Seat::Human) => return Ok(()),
                _ => {}
            }
            match self.ask(&mut input, output)? {
                Some(line) => {
                    if let Next::Quit = self.obey(line.trim(), output)? {
                        return Ok(());
                    }
                }
                None if self.interactive => return output.line(""),
                // Nobody is there: the game is played to its end all the same.
                None => self.seats.fill(Seat::Random),
            }
        }
    }

    fn ask(&self, input: &mut impl BufRead, output: &mut Output) -> Result<Option<String>, CliError> {
        if self.interactive {
            let over = self.position().is_over();
            output.text(if over { "undo, save FILE or quit: " } else { "Your move (? for the legal ones): " })?;
        }
        output.flush()?;
        let mut bytes = Vec::new();
        let read =
            input.read_until(b'\n', &mut bytes).map_err(|error| CliError::read("standard input".as_ref(), error))?;
        Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn play_random(&mut self, output: &mut Output) -> Result<(), CliError> {
        if self.position().ply() >= MAX_ALONE && !self.seats.contains(&Seat::Human) {
            return Err(CliError::message(format!("the game has not ended after {MAX_ALONE} plies")));
        }
        let position = self.position().clone();
        match choose(&position, &mut self.generator) {
            Some(index) => self.make(index, output),
            None => Err(CliError::message("there is no legal move, and the game is not over")),
        }
    }

    /// Plays a move, shows what it led to and saves the game if that is wanted.
    fn make(&mut self, index: usize, output: &mut Output) -> Result<(), CliError> {
        let mover = self.position().mover().unwrap_or("").to_owned();
        let Some(mv) = self.push(index) else { return Err(CliError::message("the move cannot be played")) };
        output.line(&format!("\n{}. {mover}: {mv}", self.position().ply()))?;
        self.show(output)?;
        self.save.as_deref().map_or(Ok(()), |file| self.write(file))
    }

    fn write(&self, file: &Path) -> Result<(), CliError> {
        let text = write(&self.text.name, &self.game.rules_hash(), &self.choice, &self.moves[..self.now]);
        fs::write(file, text).map_err(|error| CliError::write(file, error))
    }

    fn obey(&mut self, line: &str, output: &mut Output) -> Result<Next, CliError> {
        match line {
            "" => {}
            "?" => output.text(&columns(&self.position().moves(), width()))?,
            "help" => output.text(HELP)?,
            "quit" => return Ok(Next::Quit),
            "undo" => self.turn_back(output)?,
            "redo" => self.turn_forward(output)?,
            other => match other.strip_prefix("save ").map(str::trim) {
                Some(file) => self.save_to(file, output)?,
                None => self.try_move(other, output)?,
            },
        }
        Ok(Next::Continue)
    }

    fn try_move(&mut self, text: &str, output: &mut Output) -> Result<(), CliError> {
        match self.position().find(text) {
            Ok(index) => self.make(index, output),
            Err(error) => {
                output.flush()?;
                complain(&format!("{error}\n"));
                if let PlayError::Illegal { .. } = error {
                    let position = self.position();
                    complain(&describe(&position.why(text), position, output.stderr_color()));
                }
                Ok(())
            }
        }
    }

    fn save_to(&self, file: &str, output: &mut Output) -> Result<(), CliError> {
        match self.write(Path::new(file)) {
            Ok(()) => output.line(&format!("Saved to {file}.")),
            Err(error) => {
                complain(&format!("{error}\n"));
                Ok(())
            }
        }
    }

    fn is_human(&self, index: usize) -> bool {
        self.line.get(index).and_then(|position| self.seat_of(position)) == Some(Seat::Human)
    }

    fn turn_back(&mut self, output: &mut Output) -> Result<(), CliError> {
        let to = (0..self.now).rev().find(|index| self.is_human(*index));
        self.turn_to(to, "There is nothing to take back.", output)
    }

    /// Up to the next position where a person decides, or to the last one known.
    fn turn_forward(&mut self, output: &mut Output) -> Result<(), CliError> {
        let last = self.line.len() - 1;
        let to = (self.now + 1..=last).find(|index| *index == last || self.is_human(*index));
        self.turn_to(to, "There is nothing to play again.", output)
    }

    fn turn_to(&mut self, to: Option<usize>, otherwise: &str, output: &mut Output) -> Result<(), CliError> {
        match to {
            Some(index) => {
                self.now = index;
                self.show(output)?;
                self.save.as_deref().map_or(Ok(()), |file| self.write(file))
            }
            None => output.line(otherwise),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_named_or_usual() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(seats(&[], 2).unwrap(), [Seat::Human, Seat::Random]);
        assert_eq!(seats(&list(&["random", " human"]), 2).unwrap(), [Seat::Random, Seat::Human]);
        assert!(seats(&list(&["human"]), 2).is_err());
        assert!(seats(&list(&["human", "mcts:1s"]), 2).is_err());
    }
}
