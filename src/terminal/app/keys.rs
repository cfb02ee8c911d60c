//! What keys and the mouse do, depending on what is open.

use super::{App, Question};
use crate::board::plan::Heading;
use crate::play::Choice;
use crate::play::command::{Command, NAMES};
use crate::play::table::Ended;
use crate::terminal::input::{Input, Key};
use crate::terminal::prompt::Prompt;

impl App {
    /// Does what a person wants.
    pub fn input(&mut self, input: Input) {
        match input {
            Input::Key(key) => self.key(key),
            Input::Click(x, y) => self.click(x, y),
            Input::Wheel(x, y, lines) => self.wheel(x, y, lines),
            Input::Paste(text) => text.chars().for_each(|c| self.typed(c)),
            Input::Resize => {}
        }
    }

    pub(super) fn key(&mut self, key: Key) {
        if let Some(question) = self.question.take() {
            return self.answer(question, key);
        }
        if self.page.is_some() {
            return self.turn_page(key);
        }
        if self.prompt.is_some() {
            return self.key_in_prompt(key);
        }
        match key {
            Key::Char(' ') | Key::Enter => self.pick_here(),
            Key::Char('?') => self.command(Command::Help),
            Key::Char(c) => self.typed(c),
            Key::Go(heading) => self.go(heading),
            Key::Tab => self.next_choice(true),
            Key::BackTab => self.next_choice(false),
            Key::Escape | Key::Backspace => self.let_go(),
            Key::Home => self.scroll = usize::MAX / 2,
            Key::End => self.scroll = 0,
            Key::PageUp => self.scroll = self.scroll.saturating_add(5),
            Key::PageDown => self.scroll = self.scroll.saturating_sub(5),
            Key::Delete => {}
            Key::Save => self.prompt = Some(Prompt::new(":save ")),
            Key::Undo => self.command(Command::Undo),
            Key::Redo => self.command(Command::Redo),
            Key::Hint => self.command(Command::Hint),
            Key::Why => self.command(Command::Why(String::new())),
            Key::Resign => self.command(Command::Resign),
            Key::Help => self.command(Command::Help),
            Key::Rules => self.command(Command::Rules),
            Key::Quit => self.command(Command::Quit),
        }
    }

    pub(super) fn typed(&mut self, c: char) {
        if let Some(prompt) = &mut self.prompt {
            return prompt.push(c);
        }
        let names = self.names();
        if let Some(at) = c.to_digit(10).and_then(|digit| digit.checked_sub(1)).filter(|_| self.numbered())
            && let Some(name) = names.get(at as usize)
        {
            return self.pick(&Choice::Named(name.clone()));
        }
        self.message = None;
        let mut prompt = Prompt::default();
        prompt.push(c);
        self.prompt = Some(prompt);
    }

    pub(super) fn key_in_prompt(&mut self, key: Key) {
        let Some(prompt) = &mut self.prompt else { return };
        match key {
            Key::Char(c) => prompt.push(c),
            Key::Backspace if !prompt.pop() => self.prompt = None,
            Key::Tab if prompt.command().is_some() => {
                let names = NAMES.map(|name| format!(":{name}"));
                prompt.complete(&names);
            }
            Key::Tab => prompt.complete(&self.moves),
            Key::Escape => self.prompt = None,
            Key::Enter => {
                let prompt = std::mem::take(prompt);
                self.prompt = None;
                match prompt.command() {
                    Some(text) => match Command::parse(text) {
                        Some(command) => self.command(command),
                        None => self.complain(format!("There is no command `{}`: {}", text.trim(), NAMES.join(", "))),
                    },
                    None => self.play_text(&prompt.text),
                }
            }
            Key::Quit => self.command(Command::Quit),
            Key::Help | Key::Rules | Key::Hint | Key::Why | Key::Undo | Key::Redo | Key::Resign => {
                self.prompt = None;
                self.key(key);
            }
            _ => {}
        }
    }

    pub(super) fn turn_page(&mut self, key: Key) {
        let Some(page) = &mut self.page else { return };
        match key {
            Key::Go(Heading::Down) => page.scroll += 1,
            Key::Go(Heading::Up) => page.scroll = page.scroll.saturating_sub(1),
            Key::PageDown => page.scroll += 10,
            Key::PageUp => page.scroll = page.scroll.saturating_sub(10),
            Key::Quit => self.command(Command::Quit),
            _ => self.page = None,
        }
    }

    pub(super) fn answer(&mut self, question: Question, key: Key) {
        self.message = None;
        let yes = matches!(key, Key::Char('y' | 'Y'));
        let ended = match question {
            Question::Resign(place) => yes && self.table.resign(place),
            Question::Draw => yes && self.table.end(Ended::Agreed),
        };
        if ended {
            self.changed();
            if let Some(result) = self.table.result() {
                self.say(format!("The game is over: {result}"));
            }
        } else if key == Key::Quit {
            self.command(Command::Quit);
        } else if question == Question::Draw {
            self.say("The offer is declined.");
        }
    }

    pub(super) fn click(&mut self, x: u16, y: u16) {
        if self.page.take().is_some() {
            return;
        }
        self.question = None;
        if let Some(at) = self.drawn.names.iter().find(|(area, _)| area.contains((x, y).into())).map(|(_, at)| *at) {
            let names = self.names();
            if let Some(name) = names.get(at) {
                self.pick(&Choice::Named(name.clone()));
            }
            return;
        }
        if let Some(site) = self.drawn.site_at(x, y) {
            (self.cursor, self.named, self.prompt) = (site, None, None);
            self.pick(&Choice::Site(site));
        }
    }

    pub(super) fn wheel(&mut self, x: u16, y: u16, lines: i32) {
        let by = |place: usize, lines: i32| place.saturating_add_signed(lines as isize);
        if let Some(page) = &mut self.page {
            page.scroll = by(page.scroll, lines);
        } else if self.drawn.board.contains((x, y).into()) {
            self.go(if lines > 0 { Heading::Down } else { Heading::Up });
        } else {
            self.scroll = by(self.scroll, -lines);
        }
    }
}
