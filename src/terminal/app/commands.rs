//! What can be asked for besides moves, on the screen.

use super::{App, Effect, Page, Question};
use crate::ai::{Agent, Budget, Level, Mind};
use crate::play::Command;
use crate::terminal::help;
use crate::terminal::thinking::{Thinker, Thinking};
use std::time::Duration;

/// How long a program looks for a hint.
const HINT: Duration = Duration::from_millis(1500);

impl App {
    pub(super) fn command(&mut self, command: Command) {
        match command {
            Command::Undo if self.table.undo() => {
                self.turned("Taken back.");
            }
            Command::Undo => self.complain(self.table.no_undo()),
            Command::Redo if self.table.redo() => {
                self.turned("Played again.");
            }
            Command::Redo => self.complain("There is nothing to play again."),
            Command::Hint => self.hint(),
            Command::Why(text) => self.why(&text),
            Command::Resign => match self.table.to_move().filter(|_| self.is_persons()) {
                Some(place) => {
                    self.question = Some(Question::Resign(place));
                    let mover = self.position().mover().unwrap_or_default().to_owned();
                    self.say(format!("Does {mover} resign? Press y for yes, any other key for no."));
                }
                None => self.complain("Nobody can resign now."),
            },
            Command::Draw => match self.table.no_draw() {
                Some(why) => self.complain(why),
                None => {
                    self.question = Some(Question::Draw);
                    self.say(format!("{} Press y for yes, any other key for no.", self.table.draw_offer()));
                }
            },
            Command::Save(file) if file.is_empty() => self.complain("Type a file name after `:save`."),
            Command::Save(file) => self.effects.push(Effect::SaveAs(file)),
            Command::Moves => {
                let count = self.moves.len();
                self.open_page(format!("{count} legal moves"), self.moves.join("  "));
            }
            Command::Rules => self.open_page("Rules", self.table.sheet().to_owned()),
            Command::Help => self.open_page("Keys", help::TEXT),
            Command::Quit => self.effects.push(Effect::Quit),
        }
    }

    /// The game stands elsewhere than before.
    fn turned(&mut self, how: &str) {
        self.changed();
        match self.table.result() {
            Some(result) => self.say(format!("{how} The game is over: {result}")),
            None => self.say(how),
        }
    }

    pub(super) fn open_page(&mut self, title: impl Into<String>, text: impl Into<String>) {
        self.page = Some(Page { title: title.into(), text: text.into(), scroll: 0 });
    }

    pub(super) fn hint(&mut self) {
        if let Some(waiting) = self.not_now() {
            return self.complain(waiting);
        }
        if self.table.is_chance() {
            return self.complain("Chance decides now.");
        }
        if self.hinting.is_some() {
            return;
        }
        let seed = self.position().hash();
        let mind = Mind::new(Agent::Level(Level::Hard, Some(Budget::Time(HINT))), seed);
        let place = self.table.to_move().unwrap_or(0);
        match Thinking::start(Thinker::Own(mind), self.table.line().clone(), place) {
            Ok(hinting) => {
                self.hinting = Some(hinting);
                self.say("Looking for a good move ...");
            }
            Err(error) => self.complain(format!("There is no hint: {error}")),
        }
    }

    /// All that is known about a move, the last one tried if none is named.
    pub(super) fn why(&mut self, text: &str) {
        let position = self.table.position();
        let text = match (text, &self.tried) {
            ("", Some(tried)) => tried.clone(),
            ("", None) if !position.is_over() => {
                return self.complain("Try a move first, or ask with `:why MOVE`.");
            }
            (text, _) => text.to_owned(),
        };
        let why = position.why(&text);
        let game = position.game();
        let mut lines = vec![why.sentence(position)];
        if let Some(clause) = why.clause.filter(|_| !why.legal)
            && let Some(source) = game.sources().get(clause.source)
        {
            let place = source.locate(clause.start as usize);
            let clause = game.sources().slice(clause).lines().next().unwrap_or_default().trim().to_owned();
            lines.push(String::new());
            lines.push(format!("{}, line {}:", source.name, place.line));
            lines.push(format!("  {clause}"));
        }
        let values = why.path_lines(game).into_iter().chain(why.value_lines(game));
        let mut values: Vec<String> = values.map(|line| format!("  {line}")).collect();
        if !values.is_empty() {
            lines.push(String::new());
            lines.append(&mut values);
        }
        self.open_page("Why", lines.join("\n"));
    }
}
