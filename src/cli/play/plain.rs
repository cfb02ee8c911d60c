//! Play line by line, in any terminal, through pipes, and with nobody there.

use super::saves::Keeper;
use crate::ai::{Agent, Budget, Failure, Level, Mind, Player, Seat};
use crate::cli::error::CliError;
use crate::cli::moves::{columns, width};
use crate::cli::output::{Output, complain};
use crate::cli::source::status_line;
use crate::cli::why::describe;
use crate::game::{PlayError, Position};
use crate::play::table::Ended;
use crate::play::{Command, MAX_ALONE, Table, expectation};
use crate::protocol::Visit;
use crate::study::halt::Halt;
use std::io::{self, BufRead, IsTerminal};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const HELP: &str = "Type a move (passing is a move too), or one of:
  ?          the legal moves
  hint       what a program would play
  why MOVE   why a move is legal or not; without MOVE, why the game is over
  rules      the rules of the game in words
  undo       take back your last move, and the replies to it
  redo       play again what was taken back
  draw       offer the other person a draw, where the rules know one
  resign     give up
  save FILE  write the game to a file, for `--resume` and `replay`
  help       this text
  quit       leave the game
";

/// How long a program looks for a hint.
const HINT: Duration = Duration::from_secs(1);

/// Clears the screen and what can be scrolled back to.
const CLEAR: &str = "\x1b[2J\x1b[3J\x1b[H";

/// A question that the next line answers.
#[derive(Clone, Copy)]
enum Question {
    Resign(usize),
    Draw,
}

/// What follows a line of input.
enum Next {
    Continue,
    Quit,
}

struct Terminal<'o> {
    table: Table,
    keeper: Keeper,
    /// Whether it was asked for that the game is saved: then it is a failure if it is not.
    asked: bool,
    failed: Option<CliError>,
    interactive: bool,
    question: Option<Question>,
    /// The seat of the person who looks at a game that hides something; none where everything is shown.
    watcher: Option<usize>,
    /// Whether it was said where moves come from when there is no terminal.
    told: bool,
    output: &'o mut Output,
}

/// Plays until the person quits, or nobody is left to play.
pub fn play(table: Table, keeper: Keeper, asked: bool, output: &mut Output) -> Result<(), CliError> {
    let interactive = io::stdin().is_terminal();
    let mut terminal = Terminal {
        table,
        keeper,
        asked,
        failed: None,
        interactive,
        question: None,
        watcher: None,
        told: false,
        output,
    };
    terminal.watcher = terminal.next_watcher();
    terminal.show()?;
    terminal.play()?;
    terminal.leave();
    match terminal.failed.take() {
        Some(error) if asked => Err(error),
        _ => Ok(()),
    }
}

impl Terminal<'_> {
    fn position(&self) -> &Position {
        self.table.position()
    }

    fn show(&mut self) -> Result<(), CliError> {
        let shown = self.shown();
        let (board, status) = (shown.draw(), status_line(&shown));
        self.output.line("")?;
        self.output.block(&board)?;
        self.output.line(&status)?;
        self.clocks()
    }

    /// The position as the person who looks at it sees it.
    fn shown(&self) -> Position {
        let watcher = self.watcher.filter(|_| !self.table.is_over());
        watcher.map_or_else(|| self.position().clone(), |seat| self.position().seen_from(seat))
    }

    /// Who looks at a game that hides something: the only person, or of several the one to move.
    fn next_watcher(&self) -> Option<usize> {
        if !self.table.line().game().hides() {
            return None;
        }
        let is_person = |seat: &usize| self.table.seats().get(*seat) == Some(&Seat::Human);
        let people: Vec<usize> = (0..self.table.seats().len()).filter(is_person).collect();
        match people.as_slice() {
            [] => None,
            [only] => Some(*only),
            [first, ..] => self.table.to_move().filter(is_person).or(self.watcher).or(Some(*first)),
        }
    }

    /// Hands the terminal over to the person to move, where several play a game that hides something; whether somebody came.
    fn hand_over(&mut self, input: &mut impl BufRead) -> Result<bool, CliError> {
        let next = self.next_watcher();
        if next == self.watcher || self.table.is_over() {
            return Ok(true);
        }
        self.watcher = next;
        if self.interactive {
            let name = self.position().mover().unwrap_or_default().to_owned();
            self.output.text(&format!("{CLEAR}{name} is to move. Hand over to {name}, who presses Enter: "))?;
            self.output.flush()?;
            let mut line = Vec::new();
            let read = input.read_until(b'\n', &mut line);
            if read.map_err(|error| CliError::read("standard input".as_ref(), error))? == 0 {
                return Ok(false);
            }
        }
        if let Some(seat) = next {
            let told = self.table.line().moves_seen_from(seat);
            let own = |ply: &usize| self.table.line().at(*ply).and_then(Position::seat) == Some(seat);
            let since = (0..told.len()).rev().find(own).map_or(0, |ply| ply + 1);
            for (ply, text) in told.iter().enumerate().skip(since) {
                let mover = self.table.line().at(ply).and_then(Position::mover).unwrap_or_default();
                self.output.line(&format!("{}. {mover}: {text}", ply + 1))?;
            }
        }
        self.show()?;
        Ok(true)
    }

    /// What people have left of their time, in a line.
    fn clocks(&mut self) -> Result<(), CliError> {
        let left: Vec<String> = self.table.times().iter().map(|(name, left)| format!("{name} {left}")).collect();
        if left.is_empty() { Ok(()) } else { self.output.line(&format!("Time left: {}", left.join(", "))) }
    }

    fn play(&mut self) -> Result<(), CliError> {
        let mut input = io::stdin().lock();
        loop {
            match self.table.decider() {
                Some(Seat::Program(_) | Seat::Guest(_)) if self.table.is_chance() => {
                    self.roll()?;
                    continue;
                }
                Some(Seat::Program(_) | Seat::Guest(_)) => {
                    self.play_program()?;
                    continue;
                }
                // A person may still save the finished game, or take moves back.
                None if !self.table.has_people() => return Ok(()),
                _ => {}
            }
            if !self.hand_over(&mut input)? {
                return self.output.line("");
            }
            match self.ask(&mut input)? {
                Some(line) => {
                    if let Next::Quit = self.hear(line.trim())? {
                        return Ok(());
                    }
                }
                None if self.interactive => return self.output.line(""),
                // Nobody is there: the game is played to its end all the same.
                None => {
                    self.call_time()?;
                    let people = |(_, seat): &(usize, &Seat)| **seat == Seat::Human;
                    let empty: Vec<usize> =
                        self.table.seats().iter().enumerate().filter(people).map(|(place, _)| place).collect();
                    empty.into_iter().for_each(|place| self.table.sit(place, Seat::Program(Agent::Random)));
                    self.table.roll_by_hand(false);
                }
            }
        }
    }

    fn ask(&mut self, input: &mut impl BufRead) -> Result<Option<String>, CliError> {
        if self.interactive {
            let over = self.table.is_over();
            self.output.text(if self.question.is_some() {
                "yes or no: "
            } else if self.table.is_late() {
                "save FILE or quit: "
            } else if over {
                "undo, save FILE or quit: "
            } else if self.table.is_chance() {
                "What has chance come to (? for the outcomes): "
            } else {
                "Your move (? for the legal ones): "
            })?;
        }
        self.output.flush()?;
        self.tell_source();
        let mut bytes = Vec::new();
        let read =
            input.read_until(b'\n', &mut bytes).map_err(|error| CliError::read("standard input".as_ref(), error))?;
        Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Who waits without a terminal is told once for what.
    fn tell_source(&mut self) {
        if !self.interactive && !self.told && !self.table.is_over() {
            self.told = true;
            complain("moves are read from standard input; with `< /dev/null` random moves are played\n");
        }
    }

    fn play_program(&mut self) -> Result<(), CliError> {
        if self.position().ply() >= MAX_ALONE && !self.table.has_people() {
            return Err(CliError::message(format!("the game has not ended after {MAX_ALONE} plies")));
        }
        let stuck = || CliError::message("there is no legal move, and the game is not over");
        let place = self.table.to_move().ok_or_else(stuck)?;
        self.output.flush()?;
        if let Some(guest) = self.table.take_guest(place) {
            return self.play_guest(place, guest);
        }
        let mut mind = self.table.take_mind(place).ok_or_else(stuck)?;
        let thought = mind.think(self.table.line(), &AtomicBool::new(false), &mut |_, _| {});
        self.table.give_back(place, mind);
        self.make(thought.ok_or_else(stuck)?.index)
    }

    /// A program of somebody else moves, or loses.
    fn play_guest(&mut self, place: usize, mut guest: Visit) -> Result<(), CliError> {
        let answer = guest.decide(self.table.line(), Halt::never());
        self.table.give_guest_back(place, guest);
        match answer {
            Ok(thought) => self.make(thought.index),
            Err(Failure::Halted) => Ok(()),
            Err(Failure::GivenUp(stopped)) => CliError::unless_stopped(self.position().game(), Some(stopped)),
            Err(Failure::Lost(why)) => {
                self.table.forfeit(place, &why);
                self.tell_end()
            }
        }
    }

    /// Chance decides.
    fn roll(&mut self) -> Result<(), CliError> {
        let none = || CliError::message("chance has nothing to decide, and the game is not over");
        let index = self.table.roll().ok_or_else(none)?;
        self.make(index)
    }

    /// Plays a move, shows what it led to and saves the game.
    fn make(&mut self, index: usize) -> Result<(), CliError> {
        let chance = self.table.is_chance();
        let mover = if chance { "Chance" } else { self.position().mover().unwrap_or("") }.to_owned();
        let Some(mv) = self.table.play(index) else {
            // Time may run out at the last moment.
            return match self.table.is_over() {
                true => self.tell_end(),
                false => Err(CliError::message("the move cannot be played")),
            };
        };
        let ply = self.position().ply();
        // Who played unseen is not told here, nor what.
        let told = self.watcher.and_then(|seat| self.table.line().moves_seen_from(seat).pop());
        self.output.line(&format!("\n{ply}. {mover}: {}", told.unwrap_or(mv)))?;
        self.show()?;
        self.save();
        Ok(())
    }

    /// Saves the game; when that fails it is said, and play goes on.
    fn save(&mut self) {
        match self.keeper.save(&self.table.record().to_text()) {
            Ok(moved) => {
                self.failed = None;
                if let Some(file) = moved {
                    let file = file.display();
                    complain(&format!("another game was saved meanwhile; this one is now in {file}\n"));
                }
            }
            Err(error) => {
                // Once is enough, unless it was asked for.
                if self.asked || self.failed.is_none() {
                    complain(&format!("the game is not saved: {error}\n"));
                }
                self.failed = Some(error);
            }
        }
    }

    /// Does what a line says, if it comes in time.
    fn hear(&mut self, line: &str) -> Result<Next, CliError> {
        // What comes too late is neither a move nor an answer any more.
        if self.call_time()? && Command::exact(line).is_none() {
            return Ok(Next::Continue);
        }
        let Some(question) = self.question.take() else { return self.obey(line) };
        self.answer(question, line)?;
        // Whoever goes on instead of answering has said no, and is obeyed.
        let goes_on = self.position().find_short(line).is_ok() || Command::exact(line).is_some();
        if goes_on && answer(line).is_none() { self.obey(line) } else { Ok(Next::Continue) }
    }

    fn obey(&mut self, line: &str) -> Result<Next, CliError> {
        // A move may be called like a command.
        let command = Command::exact(line).filter(|_| self.position().find(line).is_err());
        match (line, command) {
            ("", _) => {}
            ("?", _) | (_, Some(Command::Moves)) => {
                let moves = columns(&self.position().moves(), width());
                self.output.text(&moves)?;
            }
            (_, Some(command)) => return self.command(command),
            (_, None) => self.try_move(line)?,
        }
        Ok(Next::Continue)
    }

    fn command(&mut self, command: Command) -> Result<Next, CliError> {
        match command {
            Command::Help => self.output.text(HELP)?,
            Command::Rules => self.output.text(self.table.sheet())?,
            Command::Quit => return Ok(Next::Quit),
            Command::Undo => {
                let turned = self.table.undo();
                let otherwise = self.table.no_undo();
                self.turned(turned, otherwise)?;
            }
            Command::Redo => {
                let turned = self.table.redo();
                self.turned(turned, "There is nothing to play again.")?;
            }
            Command::Hint => self.hint()?,
            Command::Why(_) if self.watcher.is_some() && !self.table.is_over() => {
                self.output.line("Why is told when the game is over: before, it could tell what is hidden.")?;
            }
            Command::Why(text) => {
                let position = self.position();
                let told = describe(&position.why(&text), position, self.output.stdout_color());
                self.output.text(&told)?;
            }
            Command::Draw => self.offer_draw()?,
            Command::Resign => self.resign()?,
            Command::Save(file) => self.save_to(&file)?,
            Command::Moves => {}
        }
        Ok(Next::Continue)
    }

    fn try_move(&mut self, text: &str) -> Result<(), CliError> {
        match self.position().find_short(text) {
            Ok(_) if self.table.is_late() => {
                complain("the game is over, and time that is gone does not come back\n");
                Ok(())
            }
            Ok(_) if self.table.is_over() => {
                complain("the game is over; `undo` takes back how it ended\n");
                Ok(())
            }
            Ok(index) => self.make(index),
            Err(error) => {
                self.output.flush()?;
                complain(&format!("{error}\n"));
                if let (PlayError::Illegal { .. }, None) = (error, self.watcher) {
                    let position = self.position();
                    complain(&describe(&position.why(text), position, self.output.stderr_color()));
                }
                Ok(())
            }
        }
    }

    fn hint(&mut self) -> Result<(), CliError> {
        if self.table.is_over() {
            return self.output.line("The game is over.");
        }
        if self.table.is_chance() {
            return self.output.line("Chance decides here.");
        }
        self.output.flush()?;
        let mut mind = Mind::new(Agent::Level(Level::Hard, Some(Budget::Time(HINT))), self.position().hash());
        let thought = mind.think(self.table.line(), &AtomicBool::new(false), &mut |_, _| {});
        let text = thought.and_then(|thought| {
            Some(format!("{} ({})", self.position().move_text(thought.index)?, expectation(&thought)))
        });
        self.output.line(&text.unwrap_or_else(|| "There is no hint.".to_owned()))
    }

    /// Whoever is to move gives up; a person is asked whether that is meant.
    fn resign(&mut self) -> Result<(), CliError> {
        let Some(place) = self.table.to_move() else { return self.output.line("The game is over already.") };
        if self.interactive {
            self.question = Some(Question::Resign(place));
            let mover = self.position().mover().unwrap_or_default().to_owned();
            return self.output.line(&format!("Does {mover} resign?"));
        }
        self.answer(Question::Resign(place), "yes")
    }

    /// Whoever is to move offers a draw, and the next line is the answer.
    fn offer_draw(&mut self) -> Result<(), CliError> {
        if let Some(why) = self.table.no_draw() {
            return self.output.line(why);
        }
        self.question = Some(Question::Draw);
        self.output.line(&self.table.draw_offer())
    }

    fn answer(&mut self, question: Question, line: &str) -> Result<(), CliError> {
        let yes = answer(line) == Some(true);
        let ended = match question {
            Question::Resign(place) => yes && self.table.resign(place),
            Question::Draw => yes && self.table.end(Ended::Agreed),
        };
        match question {
            _ if ended => self.tell_end(),
            Question::Resign(_) => self.output.line("Nobody resigns."),
            Question::Draw => self.output.line("The offer is declined."),
        }
    }

    /// Ends the game if whoever is to move has no time left; whether it has done so.
    fn call_time(&mut self) -> Result<bool, CliError> {
        let ended = self.table.call_time();
        if ended {
            self.question = None;
            self.tell_end()?;
        }
        Ok(ended)
    }

    /// Saves the time that whoever is to move has used since the last move.
    fn leave(&mut self) {
        if self.table.uses_time() {
            self.save();
        }
    }

    /// Says how the game has ended, and saves it.
    fn tell_end(&mut self) -> Result<(), CliError> {
        let result = self.table.result().unwrap_or_default();
        self.output.line(&format!("The game is over: {result}"))?;
        self.save();
        Ok(())
    }

    fn save_to(&mut self, file: &str) -> Result<(), CliError> {
        if file.is_empty() {
            return self.output.line("Say where to: save FILE");
        }
        match self.keeper.copy(Path::new(file), &self.table.record().to_text()) {
            Ok(()) => self.output.line(&format!("Saved to {file}.")),
            Err(error) => {
                complain(&error.report(false));
                Ok(())
            }
        }
    }

    fn turned(&mut self, turned: bool, otherwise: &str) -> Result<(), CliError> {
        if !turned {
            return self.output.line(otherwise);
        }
        self.show()?;
        self.save();
        Ok(())
    }
}

/// Yes or no, if that is what a line says.
fn answer(line: &str) -> Option<bool> {
    match line.to_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "" | "n" | "no" => Some(false),
        _ => None,
    }
}
