//! Playing for a program that speaks UGI or UCI: it says what was played, and asks for moves.

use super::clock::Go;
use super::name::Protocol;
use super::spelling::Misread;
use super::thinker::{Event, Thinking, with_budget};
use super::token;
use crate::ai::suggest::expected;
use crate::ai::{Agent, Mind, Thought};
use crate::game::{Game, Line};
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender};

/// As many threads as may be asked for.
const MAX_THREADS: usize = 64;

/// What is written where there is no move.
const NO_MOVE: &str = "0000";

/// A score for what is certain, in hundredths.
const CERTAIN: f64 = 30_000.0;

/// One side of a conversation in UGI or UCI.
pub struct Server<'o> {
    protocol: Protocol,
    game: Game,
    agent: Agent,
    threads: usize,
    /// None after a position that could not be set up.
    line: Option<Line>,
    /// Away while it thinks.
    mind: Option<Mind>,
    /// With whether the answer is held back until it is asked for.
    thinking: Option<(Thinking, bool)>,
    /// What was thought, while it is held back.
    held: Option<Option<Thought>>,
    events: Sender<Event>,
    out: &'o mut dyn Write,
}

/// Whether the conversation goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Go,
    Quit,
}

impl<'o> Server<'o> {
    /// For a game, with a program that answers when nothing is said of time. What it thinks comes back as events.
    pub fn new(protocol: Protocol, game: Game, agent: Agent, events: Sender<Event>, out: &'o mut dyn Write) -> Self {
        let line = Some(Line::new(game.start()));
        Self { protocol, game, agent, threads: 1, line, mind: None, thinking: None, held: None, events, out }
    }

    /// Answers until the other side quits or has nothing more to say.
    pub fn run(mut self, heard: &Receiver<Event>) -> io::Result<()> {
        let mut ended = false;
        while !ended || self.thinking.is_some() {
            let Ok(event) = heard.recv() else { break };
            match event {
                Event::Line(line) => {
                    if self.obey(&line)? == Next::Quit {
                        break;
                    }
                }
                Event::End => {
                    ended = true;
                    // A search with an end goes on to it; of one without, nobody is left to say stop.
                    if self.held.is_some() || self.thinking.as_ref().is_some_and(|(_, holds)| *holds) {
                        self.stop()?;
                    }
                }
                Event::Thinks(thought) => self.inform(&thought, None)?,
                Event::Thought(mind, thought) => self.thought(*mind, thought)?,
            }
            self.out.flush()?;
        }
        if let Some((thinking, _)) = self.thinking.take() {
            thinking.end();
        }
        self.out.flush()
    }

    fn obey(&mut self, line: &str) -> io::Result<Next> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((command, rest)) = words.split_first() else { return Ok(Next::Go) };
        let name = self.protocol.name();
        match *command {
            "quit" => return Ok(Next::Quit),
            "isready" => writeln!(self.out, "readyok")?,
            "stop" => self.stop()?,
            "setoption" => self.set(rest)?,
            "position" => self.position(rest)?,
            "go" => self.go(rest)?,
            "query" if self.protocol == Protocol::Ugi => self.query(rest)?,
            other if other == name => self.introduce()?,
            other if other.strip_suffix("newgame") == Some(name) => {
                if self.thinking.is_none() {
                    self.mind = None;
                    self.line = Some(Line::new(self.game.start()));
                }
            }
            // Both protocols want what is not known to be passed over; a remark helps whoever types.
            other => self.remark(&format!("unknown command `{other}`"))?,
        }
        Ok(Next::Go)
    }

    fn remark(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "info string {}", text.replace(['\n', '\r'], " "))
    }

    fn introduce(&mut self) -> io::Result<()> {
        let title = &self.game.rules().about.title;
        writeln!(self.out, "id name Ludwright {} ({title}, {})", env!("CARGO_PKG_VERSION"), self.agent)?;
        writeln!(self.out, "id author the authors of Ludwright")?;
        writeln!(self.out, "option name Threads type spin default {} min 1 max {MAX_THREADS}", self.threads)?;
        writeln!(self.out, "option name Player type string default {}", self.agent)?;
        writeln!(self.out, "{}ok", self.protocol.name())
    }

    fn set(&mut self, words: &[&str]) -> io::Result<()> {
        let value = words.iter().position(|word| *word == "value").map_or(words.len(), |at| at + 1);
        let name = words.get(1..value.saturating_sub(1)).unwrap_or_default().join(" ");
        let value = words.get(value..).unwrap_or_default().join(" ");
        let done = match name.to_lowercase().as_str() {
            "threads" => value.parse().map(|threads: usize| self.threads = threads.clamp(1, MAX_THREADS)).is_ok(),
            "player" => value.parse().map(|agent| self.agent = agent).is_ok(),
            _ => return self.remark(&format!("there is no option `{name}`")),
        };
        if self.thinking.is_none() {
            self.mind = None;
        }
        if done { Ok(()) } else { self.remark(&format!("`{name}` cannot be `{value}`")) }
    }

    fn position(&mut self, words: &[&str]) -> io::Result<()> {
        let moves = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
        let start = match words.get(..moves).unwrap_or_default() {
            ["startpos"] => Ok(self.game.start()),
            ["fen", token] if self.protocol == Protocol::Ugi => {
                token::read(&self.game, token).map_err(|why| format!("no position: {why}"))
            }
            ["fen", ..] => Err("positions by FEN are not understood, only `startpos`".to_owned()),
            _ => Err("a position is `startpos` or `fen`, and `moves` if there are any".to_owned()),
        };
        let style = self.style();
        let line = start.and_then(|start| {
            let mut line = Line::new(start);
            for text in words.get(moves + 1..).unwrap_or_default() {
                let index = style.read(line.position(), text).map_err(|misread| match misread {
                    Misread::None => format!("`{text}` is no legal move"),
                    Misread::Several(all) => format!("`{text}` may be {}", all.join(" or ")),
                })?;
                line.play(index).ok_or_else(|| format!("`{text}` cannot be played"))?;
            }
            Ok(line)
        });
        match line {
            Ok(line) => self.line = Some(line),
            Err(why) => {
                self.line = None;
                self.remark(&why)?;
            }
        }
        Ok(())
    }

    fn style(&self) -> super::spelling::Style {
        self.protocol.style()
    }

    fn go(&mut self, words: &[&str]) -> io::Result<()> {
        if self.thinking.is_some() {
            return self.remark("it thinks already; say `stop` first");
        }
        let Some(line) = self.line.clone().filter(|line| line.position().move_count() > 0) else {
            self.remark("there is no position to think about, or the game is over")?;
            return writeln!(self.out, "bestmove {NO_MOVE}");
        };
        let go = Go::read(words);
        let first = line.position().seat() == Some(0);
        let agent = go.budget(first).map_or(self.agent, |budget| with_budget(self.agent, budget));
        // What was thought before is kept where the same program goes on with the same time.
        let known = self.mind.take().filter(|mind| mind.agent() == agent);
        let seed = line.start().hash();
        let mind = known.unwrap_or_else(|| Mind::new(agent, seed).with_threads(self.threads));
        self.thinking = Some((Thinking::start(mind, line, self.events.clone()), go.infinite));
        Ok(())
    }

    /// The best so far is wanted; what was held back is told.
    fn stop(&mut self) -> io::Result<()> {
        if let Some((thinking, holds)) = &mut self.thinking {
            *holds = false;
            thinking.stop();
        }
        match self.held.take() {
            Some(thought) => self.answer(thought),
            None => Ok(()),
        }
    }

    fn thought(&mut self, mind: Mind, thought: Option<Thought>) -> io::Result<()> {
        self.mind = Some(mind);
        let holds = self.thinking.take().is_some_and(|(_, holds)| holds);
        if holds {
            self.held = Some(thought);
            return Ok(());
        }
        self.answer(thought)
    }

    fn answer(&mut self, thought: Option<Thought>) -> io::Result<()> {
        let told = self.line.as_ref().zip(thought);
        let Some((line, thought)) = told else { return writeln!(self.out, "bestmove {NO_MOVE}") };
        let text = self.style().write(line.position(), thought.index).unwrap_or_else(|| NO_MOVE.to_owned());
        if thought.rounds > 0 {
            let line = line.clone();
            self.inform(&thought, Some(line))?;
        }
        writeln!(self.out, "bestmove {text}")
    }

    /// What is thought by now: with the whole line that is expected where there is time for it.
    fn inform(&mut self, thought: &Thought, whole: Option<Line>) -> io::Result<()> {
        let style = self.style();
        let Some(line) = &self.line else { return Ok(()) };
        let Some(first) = style.write(line.position(), thought.index) else { return Ok(()) };
        let mut moves = vec![first];
        if let (Some(mut line), Some(mind)) = (whole, &mut self.mind) {
            let expected = expected(mind, line.clone(), thought.index);
            moves.clear();
            for text in expected {
                let Ok(index) = line.position().find(&text) else { break };
                moves.extend(style.write(line.position(), index));
                line.play(index);
            }
        }
        let (score, nodes) = (hundredths(thought), thought.rounds);
        writeln!(self.out, "info depth {} nodes {nodes} score cp {score} pv {}", moves.len(), moves.join(" "))
    }

    fn query(&mut self, words: &[&str]) -> io::Result<()> {
        let Some(line) = &self.line else { return self.remark("there is no position") };
        let position = line.position();
        let answer = match words {
            ["p1turn"] => (position.seat() == Some(0)).to_string(),
            ["gameover"] => position.is_over().to_string(),
            ["result"] => match position.outcome_by_seat().as_deref() {
                None => "none",
                Some([1, 2]) => "p1win",
                Some([2, 1]) => "p2win",
                Some(_) => "draw",
            }
            .to_owned(),
            ["fen"] => token::write(position),
            ["islegal", text] => self.style().read(position, text).is_ok().to_string(),
            _ => return self.remark("the queries are p1turn, gameover, result, fen and islegal MOVE"),
        };
        writeln!(self.out, "response {answer}")
    }
}

/// What the mover may expect on the scale of chess programs, where 400 hundredths are ten to one.
fn hundredths(thought: &Thought) -> i64 {
    let value = thought.value.clamp(0.001, 0.999);
    let score = match (thought.proven, thought.value) {
        (true, value) if value >= 1.0 => CERTAIN,
        (true, value) if value <= 0.0 => -CERTAIN,
        _ => 400.0 * (value / (1.0 - value)).log10(),
    };
    score.round() as i64
}
