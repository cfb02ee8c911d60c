//! `play`: a game in the terminal, line by line.

use super::error::CliError;
use super::moves::{columns, width};
use super::output::{Output, complain};
use super::replay::warn_of_other_rules;
use super::source::{GameArgs, RuleText, read_record, status_line};
use super::why::describe;
use crate::ai::{Agent, AgentError, Seat};
use crate::game::{PlayError, Position};
use crate::play::Line;
use crate::table::Table;
use clap::Args;
use std::fs;
use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

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

/// What follows a line of input.
enum Next {
    Continue,
    Quit,
}

struct Terminal {
    table: Table,
    save: Option<PathBuf>,
    interactive: bool,
}

pub fn run(args: &PlayArgs, output: &mut Output) -> Result<(), CliError> {
    let mut terminal = Terminal::new(args, output)?;
    terminal.show(output)?;
    terminal.play(output)
}

fn seats(list: &[String], players: usize) -> Result<Vec<Seat>, CliError> {
    if list.is_empty() {
        let usual = |seat| if seat == 0 { Seat::Human } else { Seat::Program(Agent::Random) };
        return Ok((0..players).map(usual).collect());
    }
    if list.len() != players {
        return Err(CliError::message(format!("the game has {players} seats, but `--players` names {}", list.len())));
    }
    let seat = |name: &String| {
        let refused = |error: AgentError| CliError::with_help(error.to_string(), Some(error.help().to_owned()));
        name.parse().map_err(refused)
    };
    list.iter().map(seat).collect()
}

impl Terminal {
    fn new(args: &PlayArgs, output: &Output) -> Result<Self, CliError> {
        let text = RuleText::of_game(&args.game.game)?;
        let record = args.resume.as_deref().map(read_record).transpose()?.unwrap_or_default();
        let choice = args.game.choice.over(&record);
        let game = text.load(&choice)?;
        warn_of_other_rules(&record, &game.rules_hash(), output);
        let seats = seats(&args.players, game.rules().players.len())?;
        let line = Line::replayed(&game, &record.moves)
            .map_err(|(at, error)| CliError::message(format!("move {at} of the saved game: {error}")))?;
        let table = Table::new(&text.name, choice.ruleset.as_deref(), &choice.options, line, &seats, args.seed);
        Ok(Self { table, save: args.save.clone(), interactive: io::stdin().is_terminal() })
    }

    fn position(&self) -> &Position {
        self.table.position()
    }

    fn show(&self, output: &mut Output) -> Result<(), CliError> {
        output.line("")?;
        output.block(&self.position().draw())?;
        output.line(&status_line(self.position()))
    }

    fn play(&mut self, output: &mut Output) -> Result<(), CliError> {
        let mut input = io::stdin().lock();
        loop {
            match self.table.decider() {
                Some(Seat::Program(_)) => {
                    self.play_program(output)?;
                    continue;
                }
                // A person may still save the finished game, or take moves back.
                None if !self.table.has_people() => return Ok(()),
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
                None => {
                    let people = |(_, seat): &(usize, &Seat)| **seat == Seat::Human;
                    let empty: Vec<usize> =
                        self.table.seats().iter().enumerate().filter(people).map(|(place, _)| place).collect();
                    empty.into_iter().for_each(|place| self.table.sit(place, Seat::Program(Agent::Random)));
                }
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

    fn play_program(&mut self, output: &mut Output) -> Result<(), CliError> {
        if self.position().ply() >= MAX_ALONE && !self.table.has_people() {
            return Err(CliError::message(format!("the game has not ended after {MAX_ALONE} plies")));
        }
        let stuck = || CliError::message("there is no legal move, and the game is not over");
        let place = self.table.to_move().ok_or_else(stuck)?;
        let mut mind = self.table.take_mind(place).ok_or_else(stuck)?;
        let thought = mind.think(self.table.line(), &AtomicBool::new(false), &mut |_, _| {});
        self.table.give_back(place, mind);
        self.make(thought.ok_or_else(stuck)?.index, output)
    }

    /// Plays a move, shows what it led to and saves the game if that is wanted.
    fn make(&mut self, index: usize, output: &mut Output) -> Result<(), CliError> {
        let mover = self.position().mover().unwrap_or("").to_owned();
        let Some(mv) = self.table.play(index) else { return Err(CliError::message("the move cannot be played")) };
        output.line(&format!("\n{}. {mover}: {mv}", self.position().ply()))?;
        self.show(output)?;
        self.save.as_deref().map_or(Ok(()), |file| self.write(file))
    }

    fn write(&self, file: &Path) -> Result<(), CliError> {
        fs::write(file, self.table.record().to_text()).map_err(|error| CliError::write(file, error))
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

    fn turn_back(&mut self, output: &mut Output) -> Result<(), CliError> {
        let turned = self.table.undo();
        self.turned(turned, "There is nothing to take back.", output)
    }

    fn turn_forward(&mut self, output: &mut Output) -> Result<(), CliError> {
        let turned = self.table.redo();
        self.turned(turned, "There is nothing to play again.", output)
    }

    fn turned(&self, turned: bool, otherwise: &str, output: &mut Output) -> Result<(), CliError> {
        if !turned {
            return output.line(otherwise);
        }
        self.show(output)?;
        self.save.as_deref().map_or(Ok(()), |file| self.write(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_named_or_usual() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(seats(&[], 2).unwrap(), [Seat::Human, Seat::Program(Agent::Random)]);
        assert_eq!(seats(&list(&["random", " human"]), 2).unwrap(), [Seat::Program(Agent::Random), Seat::Human]);
        assert!(seats(&list(&["human"]), 2).is_err());
        assert!(seats(&list(&["human", "mcts:never"]), 2).is_err());
    }
}
