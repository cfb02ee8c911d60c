//! The state of the screen: what has been picked, typed and said, and what every key does to the game.

use super::command::{Command, NAMES};
use super::help;
use super::input::{Input, Key};
use super::prompt::Prompt;
use super::scene::Look;
use super::theme::{Theme, Tone};
use super::thinking::{Answer, Thinking};
use super::view::Drawn;
use crate::ai::{Agent, Budget, Mind, Seat, Thought};
use crate::board::Site;
use crate::board::plan::Heading;
use crate::game::{PlayError, Position};
use crate::play::{Choice, Picked, Picker};
use crate::table::Table;
use std::time::{Duration, Instant};

/// How long a program looks for a hint.
const HINT: Duration = Duration::from_millis(1500);

/// Where programs among themselves give up.
const MAX_ALONE: u32 = 10_000;

/// What the screen wants done by those who can read and write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The game has changed and is to be saved.
    Save,
    /// The game is to be saved to a file of this name.
    SaveAs(String),
    Quit,
}

/// Something said in one line, and with more words if there are any.
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
}

/// The whole screen.
#[derive(Debug)]
pub struct App {
    pub(super) table: Table,
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
        Self {
            table,
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

    /// Takes up what programs have thought, and lets the next one begin; whether there is something new to see.
    pub fn tick(&mut self, now: Instant) -> bool {
        self.fetch_leaving();
        let busy = self.thinking.is_some() || self.hinting.is_some();
        self.fetch_hint();
        self.fetch_move(now);
        self.begin();
        busy || self.thinking.is_some()
    }

    fn fetch_move(&mut self, now: Instant) {
        if let Some(thinking) = &self.thinking {
            if now.duration_since(thinking.since) < self.pause() {
                return;
            }
            match thinking.answer() {
                Answer::NotYet => {}
                Answer::Here(mind, thought) => {
                    let place = thinking.place;
                    self.thinking = None;
                    self.table.give_back(place, mind);
                    match thought {
                        Some(thought) => self.make(thought.index),
                        None => self.complain("The program finds no move."),
                    }
                }
                Answer::Never => {
                    let place = thinking.place;
                    self.thinking = None;
                    self.replace(place);
                    self.complain("The program has given up thinking; it begins anew.");
                }
            }
        }
    }

    /// Programs among themselves can be watched.
    fn pause(&self) -> Duration {
        if self.table.has_people() { Duration::ZERO } else { self.delay }
    }

    fn begin(&mut self) {
        let Some(place) = self.table.to_move().filter(|_| self.thinking.is_none() && !self.is_persons()) else {
            return;
        };
        if self.position().ply() >= MAX_ALONE && !self.table.has_people() {
            if self.message.is_none() {
                self.say(format!("The game has not ended after {MAX_ALONE} plies."));
            }
            return;
        }
        // It may still be away, with a position that has been taken back.
        let Some(mind) = self.table.take_mind(place) else { return };
        match Thinking::start(mind, self.table.line().clone(), place) {
            Ok(thinking) => self.thinking = Some(thinking),
            Err(error) => {
                self.replace(place);
                self.complain(format!("The program cannot think: {error}"));
            }
        }
    }

    /// A new program like the one that was lost.
    fn replace(&mut self, place: usize) {
        if let Some(seat) = self.table.seats().get(place).copied() {
            self.table.sit(place, seat);
        }
    }

    fn fetch_leaving(&mut self) {
        let mut away = Vec::new();
        for thinking in std::mem::take(&mut self.leaving) {
            match thinking.answer() {
                Answer::NotYet => away.push(thinking),
                Answer::Here(mind, _) => self.table.give_back(thinking.place, mind),
                Answer::Never => self.replace(thinking.place),
            }
        }
        self.leaving = away;
    }

    fn fetch_hint(&mut self) {
        let Some(hinting) = &self.hinting else { return };
        let thought = match hinting.answer() {
            Answer::NotYet => return,
            Answer::Here(_, thought) => thought,
            Answer::Never => None,
        };
        self.hinting = None;
        match thought.and_then(|thought| Some((self.table.position().move_text(thought.index)?, thought))) {
            Some((text, thought)) => {
                self.aim(thought.index);
                self.say(format!("Hint: {text} ({})", expectation(&thought)));
            }
            None => self.complain("There is no hint."),
        }
    }

    /// Puts the cursor where a move begins.
    fn aim(&mut self, index: usize) {
        let position = self.position();
        let rules = position.game().rules();
        let ply = position.situation().legal.get(index);
        if let Some(site) = ply.and_then(|ply| ply.parts(rules).find_map(|value| value.site())) {
            (self.cursor, self.named) = (site, None);
        }
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

    fn make(&mut self, index: usize) {
        let mover = self.position().mover().unwrap_or("").to_owned();
        let persons = self.is_persons();
        let Some(text) = self.table.play(index) else {
            return self.complain("The move cannot be played.");
        };
        self.changed();
        // The cursor of a person stays where it is; what others played is to be seen.
        if let Some(site) = self.table.line().changed().iter().next().filter(|_| !persons && self.table.has_people()) {
            self.cursor = site;
        }
        self.message = None;
        match self.table.result() {
            Some(result) => self.say(format!("The game is over: {result}")),
            None if persons => {}
            None => self.say(format!("{mover} plays {text}")),
        }
    }

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

    fn key(&mut self, key: Key) {
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
            Key::Quit => self.command(Command::Quit),
        }
    }

    fn typed(&mut self, c: char) {
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

    fn key_in_prompt(&mut self, key: Key) {
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
            Key::Help | Key::Hint | Key::Why | Key::Undo | Key::Redo | Key::Resign => {
                self.prompt = None;
                self.key(key);
            }
            _ => {}
        }
    }

    fn turn_page(&mut self, key: Key) {
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

    fn answer(&mut self, question: Question, key: Key) {
        self.message = None;
        let Question::Resign(place) = question;
        if matches!(key, Key::Char('y' | 'Y')) && self.table.resign(place) {
            self.changed();
            if let Some(result) = self.table.result() {
                self.say(format!("The game is over: {result}"));
            }
        } else if key == Key::Quit {
            self.command(Command::Quit);
        }
    }

    fn go(&mut self, heading: Heading) {
        if self.named.take().is_some() {
            return;
        }
        if let Some(site) = self.drawn.plan.as_ref().and_then(|plan| plan.neighbour(self.cursor, heading)) {
            self.cursor = site;
        }
    }

    /// Goes round all that may be picked: first the sites, then the names.
    fn next_choice(&mut self, onward: bool) {
        if !self.is_persons() {
            return;
        }
        let sites: Vec<Site> = self.picker.sites().iter().collect();
        let names = self.picker.names().len();
        let count = sites.len() + names;
        if count == 0 {
            return;
        }
        let now = match self.named {
            Some(name) => Some(sites.len() + name),
            None => sites.iter().position(|site| *site == self.cursor),
        };
        let next = match (now, onward) {
            (Some(now), true) => (now + 1) % count,
            (Some(now), false) => (now + count - 1) % count,
            // From a site that cannot be picked on to the next one that can.
            (None, true) => sites.iter().position(|site| *site > self.cursor).unwrap_or(sites.len()) % count,
            (None, false) => sites.iter().rposition(|site| *site < self.cursor).unwrap_or(count - 1),
        };
        match sites.get(next) {
            Some(site) => (self.cursor, self.named) = (*site, None),
            None => self.named = Some(next - sites.len()),
        }
    }

    fn let_go(&mut self) {
        self.message = None;
        self.named = None;
        self.picker.clear();
    }

    fn pick_here(&mut self) {
        let names = self.names();
        match self.named.and_then(|at| names.get(at)) {
            Some(name) => self.pick(&Choice::Named(name.clone())),
            None => self.pick(&Choice::Site(self.cursor)),
        }
    }

    fn pick(&mut self, choice: &Choice) {
        if let Some(waiting) = self.not_now() {
            return self.complain(waiting);
        }
        self.message = None;
        let before = self.picker.clone();
        let mut picked = self.picker.pick(choice);
        if picked == Picked::Nothing && !before.chosen().is_empty() {
            // Perhaps another piece is meant.
            self.picker.clear();
            picked = self.picker.pick(choice);
        }
        match picked {
            Picked::Move(index) => self.make(index),
            Picked::More => self.named = None,
            Picked::Nothing => {
                self.picker = before;
                if let Choice::Site(site) = choice {
                    self.refuse(*site);
                }
            }
        }
    }

    /// Why nothing can be picked.
    fn not_now(&self) -> Option<String> {
        if let Some(result) = self.table.result() {
            return Some(format!("The game is over: {result}"));
        }
        match self.table.decider() {
            Some(Seat::Human) => None,
            Some(program) => Some(format!("{program} is to move; wait for it, or undo.")),
            None => Some("Nobody is to move.".to_owned()),
        }
    }

    /// Says why a site cannot be picked: what the rules say of the move that seems to be meant.
    fn refuse(&mut self, site: Site) {
        let position = self.table.position();
        let name = position.game().rules().board.name(site).to_owned();
        let depth = self.picker.chosen().len();
        let meant = self.picker.open().iter().find_map(|index| {
            let text = position.move_text(*index)?;
            let board = &position.game().rules().board;
            let rules = position.game().rules();
            let part = position.situation().legal.get(*index)?.parts(rules).nth(depth)?.site()?;
            let at = text.rfind(board.name(part))?;
            Some(format!("{}{name}{}", &text[..at], &text[at + board.name(part).len()..]))
        });
        let text = meant.unwrap_or_else(|| name.clone());
        let why = position.why(&text);
        if why.legal || why.reason.is_empty() || why.reason.starts_with("it cannot be read") {
            self.tried = None;
            return self.complain(format!("{name} cannot be picked now."));
        }
        self.tried = Some(text);
        let sentence = why.sentence(position);
        self.complain(sentence);
    }

    fn play_text(&mut self, text: &str) {
        if let Some(waiting) = self.not_now() {
            return self.complain(waiting);
        }
        match self.position().find(text) {
            Ok(index) => self.make(index),
            Err(PlayError::Illegal { .. }) => {
                let sentence = self.position().why(text).sentence(self.position());
                self.tried = Some(text.to_owned());
                self.complain(sentence);
            }
            Err(error) => self.complain(error.to_string()),
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Undo if self.table.undo() => {
                self.changed();
                self.say("Taken back.");
            }
            Command::Undo => self.complain("There is nothing to take back."),
            Command::Redo if self.table.redo() => {
                self.changed();
                self.say("Played again.");
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
            Command::Save(file) if file.is_empty() => self.complain("Type a file name after `:save`."),
            Command::Save(file) => self.effects.push(Effect::SaveAs(file)),
            Command::Moves => {
                let count = self.moves.len();
                self.open_page(format!("{count} legal moves"), self.moves.join("  "));
            }
            Command::Help => self.open_page("Keys", help::TEXT),
            Command::Quit => self.effects.push(Effect::Quit),
        }
    }

    fn open_page(&mut self, title: impl Into<String>, text: impl Into<String>) {
        self.page = Some(Page { title: title.into(), text: text.into(), scroll: 0 });
    }

    fn hint(&mut self) {
        if let Some(waiting) = self.not_now() {
            return self.complain(waiting);
        }
        if self.hinting.is_some() {
            return;
        }
        let seed = self.position().hash();
        let mind = Mind::new(Agent::Mcts(Budget::Time(HINT)), seed);
        let place = self.table.to_move().unwrap_or(0);
        match Thinking::start(mind, self.table.line().clone(), place) {
            Ok(hinting) => {
                self.hinting = Some(hinting);
                self.say("Looking for a good move ...");
            }
            Err(error) => self.complain(format!("There is no hint: {error}")),
        }
    }

    /// All that is known about a move, the last one tried if none is named.
    fn why(&mut self, text: &str) {
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

    fn click(&mut self, x: u16, y: u16) {
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

    fn wheel(&mut self, x: u16, y: u16, lines: i32) {
        let by = |place: usize, lines: i32| place.saturating_add_signed(lines as isize);
        if let Some(page) = &mut self.page {
            page.scroll = by(page.scroll, lines);
        } else if self.drawn.board.contains((x, y).into()) {
            self.go(if lines > 0 { Heading::Down } else { Heading::Up });
        } else {
            self.scroll = by(self.scroll, -lines);
        }
    }

    /// Lets go of all programs, so that none thinks on when the screen is gone.
    pub fn leave(&mut self) {
        self.thinking.iter().chain(&self.hinting).for_each(Thinking::stop);
    }
}

/// What a mover may expect, in words.
pub(super) fn expectation(thought: &Thought) -> String {
    let percent = (thought.value.clamp(0.0, 1.0) * 100.0).round();
    if thought.proven { format!("{percent:.0} % for certain") } else { format!("expects {percent:.0} %") }
}
