//! Playing for a program that speaks the Go Text Protocol, version 2: it has a board of its own, and asks for moves.

use super::clock::milliseconds;
use super::facts;
use super::spelling::{Misread, Style, is_vertex};
use super::thinker::with_budget;
use crate::ai::{Agent, Budget, Mind};
use crate::check::Project;
use crate::game::{Game, Line, Position};
use std::io::{self, BufRead, Write};
use std::sync::atomic::AtomicBool;

const COMMANDS: [&str; 16] = [
    "boardsize",
    "clear_board",
    "final_score",
    "genmove",
    "komi",
    "known_command",
    "list_commands",
    "name",
    "play",
    "protocol_version",
    "quit",
    "showboard",
    "time_left",
    "time_settings",
    "undo",
    "version",
];

/// So many more moves are reckoned with when a time is for the whole game.
const MOVES_LEFT: i64 = 30;

/// One side of a conversation in the Go Text Protocol.
#[derive(Debug)]
pub struct Server {
    project: Project,
    ruleset: Option<String>,
    options: Vec<(String, String)>,
    agent: Agent,
    line: Line,
    mind: Option<Mind>,
    /// Milliseconds for so many moves; of the whole game where it is for no number of them.
    time: Option<(i64, i64)>,
}

/// What is answered, or why a command is refused.
type Answer = Result<String, String>;

impl Server {
    /// For a game of a project as it was chosen; or why it cannot be played by points of a board.
    pub fn new(
        project: Project,
        game: &Game,
        ruleset: Option<&str>,
        options: &[(String, String)],
        agent: Agent,
    ) -> Result<Self, String> {
        if game.rules().players.len() != 2 {
            return Err("the Go Text Protocol is for two players".to_owned());
        }
        if facts::side(game).is_none() {
            return Err("the board has no points by a letter and a number, as many rows as columns".to_owned());
        }
        let start = game.start();
        let named = |text: &String| text == "pass" || is_vertex(text);
        if let Some(strange) = Style::Vertices.write_all(&start).into_iter().find(|text| !named(text)) {
            return Err(format!("the move `{strange}` is no single point of the board"));
        }
        let (ruleset, options) = (ruleset.map(str::to_owned), options.to_vec());
        Ok(Self { project, ruleset, options, agent, line: Line::new(start), mind: None, time: None })
    }

    /// Answers command after command, until the other side quits or has nothing more to say.
    pub fn run(mut self, input: impl BufRead, out: &mut dyn Write) -> io::Result<()> {
        for line in input.split(b'\n') {
            let line = cleaned(&String::from_utf8_lossy(&line?));
            let mut words: Vec<&str> = line.split_whitespace().collect();
            let id = words.first().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())).copied();
            if id.is_some() {
                words.remove(0);
            }
            let Some((command, arguments)) = words.split_first() else { continue };
            let (sign, text) = match self.obey(command, arguments) {
                Ok(text) => ('=', text),
                Err(text) => ('?', text),
            };
            // An empty line would end the answer.
            let text = text.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n");
            let gap = if text.is_empty() { "" } else { " " };
            write!(out, "{sign}{}{gap}{text}\n\n", id.unwrap_or_default())?;
            out.flush()?;
            if *command == "quit" {
                break;
            }
        }
        Ok(())
    }

    fn obey(&mut self, command: &str, arguments: &[&str]) -> Answer {
        match (command, arguments) {
            ("protocol_version", _) => Ok("2".to_owned()),
            ("name", _) => Ok("Ludwright".to_owned()),
            ("version", _) => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            ("list_commands", _) => Ok(COMMANDS.join("\n")),
            ("known_command", [name, ..]) => Ok(COMMANDS.contains(name).to_string()),
            ("known_command", []) => Ok("false".to_owned()),
            ("quit", _) => Ok(String::new()),
            ("boardsize", [size, ..]) => self.resize(size.parse().map_err(|_| syntax())?),
            ("clear_board", _) => {
                self.begin(self.line.game().clone());
                Ok(String::new())
            }
            ("komi", [komi, ..]) => self.give(komi.parse().map_err(|_| syntax())?),
            ("play", [colour, point, ..]) => self.play(colour, point),
            ("genmove", [colour, ..]) => self.generate(colour),
            ("undo", _) => self.undo(),
            ("showboard", _) => Ok(format!("\n{}", self.line.position().draw())),
            ("final_score", _) => final_score(self.line.position()).ok_or_else(|| "cannot score".to_owned()),
            ("time_settings", [main, byo, stones, ..]) => {
                self.set_time(&[*main, *byo, *stones])?;
                Ok(String::new())
            }
            ("time_left", [colour, time, stones, ..]) => {
                let (time, stones) = (seconds(time)?, stones.parse().map_err(|_| syntax())?);
                // The clock of the other is none of ours.
                if self.is_to_move(colour)? {
                    self.time = Some((time, stones));
                }
                Ok(String::new())
            }
            (known, _) if COMMANDS.contains(&known) => Err(syntax()),
            _ => Err("unknown command".to_owned()),
        }
    }

    fn begin(&mut self, game: Game) {
        self.line = Line::new(game.start());
        self.mind = None;
    }

    fn resize(&mut self, side: usize) -> Answer {
        if facts::side(self.line.game()) != Some(side) {
            let chosen = facts::resized(&self.project, self.ruleset.as_deref(), &self.options, side);
            let (options, game) = chosen.ok_or("unacceptable size")?;
            self.options = options;
            self.begin(game);
        } else {
            self.begin(self.line.game().clone());
        }
        Ok(String::new())
    }

    /// So many points for the second player. The protocol wants any number taken: one that the rules cannot give is refused
    /// all the same, since who wins would be told wrongly.
    fn give(&mut self, komi: f64) -> Answer {
        let game = self.line.game();
        if facts::komi(game).is_none() && komi == 0.0 {
            return Ok(String::new());
        }
        let chosen = facts::with_komi(&self.project, self.ruleset.as_deref(), &self.options, game, komi);
        let (options, game) = chosen.ok_or_else(|| format!("cannot give {komi} points in this game"))?;
        let moves = self.line.moves();
        let line = Line::replayed(&game, &moves).map_err(|_| "cannot change the points during a game")?;
        self.options = options;
        self.line = line;
        self.mind = None;
        Ok(String::new())
    }

    fn is_to_move(&self, colour: &str) -> Result<bool, String> {
        let colour = match colour.to_lowercase().as_str() {
            "b" | "black" => facts::COLOURS[0],
            "w" | "white" => facts::COLOURS[1],
            _ => return Err("invalid color or coordinate".to_owned()),
        };
        let position = self.line.position();
        Ok(position.mover().is_some_and(|mover| facts::colour(position.game(), number(position, mover)) == colour))
    }

    fn play(&mut self, colour: &str, point: &str) -> Answer {
        let own = self.is_to_move(colour)?;
        let position = self.line.position();
        let index = match Style::Vertices.read(position, point) {
            Ok(index) if own => index,
            Err(Misread::None) if !is_vertex(point) && !point.eq_ignore_ascii_case("pass") => {
                return Err("invalid color or coordinate".to_owned());
            }
            Ok(_) | Err(Misread::None | Misread::Several(_)) => return Err("illegal move".to_owned()),
        };
        self.line.play(index).map(|_| String::new()).ok_or_else(|| "illegal move".to_owned())
    }

    fn generate(&mut self, colour: &str) -> Answer {
        if self.line.position().is_over() {
            return Err("cannot move: the game is over".to_owned());
        }
        if !self.is_to_move(colour)? {
            return Err("cannot move out of turn".to_owned());
        }
        let agent = self.budget().map_or(self.agent, |budget| with_budget(self.agent, budget));
        let seed = self.line.start().hash();
        let known = self.mind.take().filter(|mind| mind.agent() == agent);
        let mut mind = known.unwrap_or_else(|| Mind::new(agent, seed));
        let thought = mind.think(&self.line, &AtomicBool::new(false), &mut |_, _| {});
        self.mind = Some(mind);
        let index = thought.ok_or("cannot move")?.index;
        let text = Style::Vertices.write(self.line.position(), index).ok_or("cannot write the move")?;
        self.line.play(index).ok_or("cannot move")?;
        Ok(text)
    }

    fn undo(&mut self) -> Answer {
        let before = self.line.played().checked_sub(1).ok_or("cannot undo")?;
        self.line.go_to(before);
        Ok(String::new())
    }

    /// A time of no length for no moves means that there is no limit.
    fn set_time(&mut self, [main, byo, stones]: &[&str; 3]) -> Result<(), String> {
        let (main, byo) = (seconds(main)?, seconds(byo)?);
        let stones: i64 = stones.parse().map_err(|_| syntax())?;
        self.time = match (main, byo, stones) {
            (_, byo, 0) if byo > 0 => None,
            (0, byo, stones) => Some((byo, stones)),
            (main, ..) => Some((main, 0)),
        };
        Ok(())
    }

    fn budget(&self) -> Option<Budget> {
        let (time, moves) = self.time?;
        let moves = if moves > 0 { moves } else { MOVES_LEFT };
        Some(milliseconds(time / moves * 9 / 10))
    }
}

fn syntax() -> String {
    "syntax error".to_owned()
}

/// Seconds as milliseconds.
fn seconds(text: &str) -> Result<i64, String> {
    let seconds: f64 = text.parse().map_err(|_| syntax())?;
    // Whatever is not a time of some length is none.
    Ok((seconds.clamp(0.0, 1e9) * 1000.0) as i64)
}

/// Without remarks and control characters, as the protocol wants it.
fn cleaned(line: &str) -> String {
    let line = line.split('#').next().unwrap_or_default();
    line.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect()
}

fn number(position: &Position, player: &str) -> usize {
    position.game().rules().players.iter().position(|known| known.name == player).unwrap_or(0)
}

/// Who is ahead by how many points; or who has won where there are none. None while the game goes on without points.
fn final_score(position: &Position) -> Option<String> {
    let game = position.game();
    let letter = |player: usize| if facts::colour(game, player) == facts::COLOURS[0] { "B" } else { "W" };
    if let [(_, first), (_, second)] = position.scores().as_slice() {
        let (first, second) = (first.number, second.number);
        let points = (first - second).abs() as f64 / facts::unit(game).unwrap_or(1) as f64;
        let ahead = letter(usize::from(second > first));
        return Some(if first == second { "0".to_owned() } else { format!("{ahead}+{points}") });
    }
    let places = &position.outcome()?.places;
    let first: Vec<usize> = (0..places.len()).filter(|player| places.get(*player) == Some(&1)).collect();
    Some(match first.as_slice() {
        [winner] => format!("{}+", letter(*winner)),
        _ => "0".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    fn server(name: &str, options: &[(&str, &str)]) -> Result<Server, String> {
        let options: Vec<(String, String)> =
            options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let project = Project::load(name, Library::text(name).unwrap(), &Library);
        let game = Game::from_project(&project, None, &options).unwrap();
        Server::new(project, &game, None, &options, Agent::Flat(Budget::Rounds(20)))
    }

    fn talk(name: &str, said: &str) -> String {
        let mut out = Vec::new();
        server(name, &[]).unwrap().run(said.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_game_of_go_is_set_up_played_and_scored() {
        let said = "1 boardsize 5\nclear_board\nkomi 5.5 # points\n2 play b C3\nplay white pass\nplay B pass\n\
            3 final_score\nundo\n4 final_score\nquit\nname\n";
        assert_eq!(talk("go", said), "=1\n\n=\n\n=\n\n=2\n\n=\n\n=\n\n=3 B+19.5\n\n=\n\n=4 B+19.5\n\n=\n\n");
    }

    #[test]
    fn what_cannot_be_done_is_refused_in_the_words_of_the_protocol() {
        for (said, answer) in [
            ("boardsize 99", "? unacceptable size"),
            ("boardsize large", "? syntax error"),
            ("play", "? syntax error"),
            ("undo", "? cannot undo"),
            ("play green C3", "? invalid color or coordinate"),
            ("play black I3", "? illegal move"),
            ("play black somewhere", "? invalid color or coordinate"),
            ("play white C3", "? illegal move"),
            ("7 dance", "?7 unknown command"),
            ("genmove w", "? cannot move out of turn"),
            ("komi 6.3", "? cannot give 6.3 points in this game"),
            ("known_command genmove", "= true"),
            ("known_command dance", "= false"),
            ("protocol_version", "= 2"),
            ("  # nothing", ""),
        ] {
            assert_eq!(talk("go", &format!("{said}\n")).trim_end(), answer, "{said}");
        }
    }

    #[test]
    fn the_program_moves_for_either_colour_within_its_time() {
        let said = "boardsize 4\ntime_settings 0 1 10\ngenmove b\ngenmove w\nshowboard\n";
        let answer = talk("hex", said);
        let answers: Vec<&str> = answer.split("\n\n").collect();
        assert_eq!((&answers[..2], answers.len()), (&["=", "="][..], 6), "{answer}");
        assert!(is_vertex(&answers[2][2..]) && is_vertex(&answers[3][2..]), "{answer}");
        assert!(answers[4].lines().count() > 4, "{answer}");
        assert!(talk("reversi", "genmove black\n").starts_with("= "));
    }

    #[test]
    fn games_of_other_moves_are_refused() {
        for name in ["chess", "amazons", "oware"] {
            assert!(server(name, &[]).is_err(), "{name}");
        }
        assert!(server("hex", &[("pie", "yes")]).is_ok());
    }
}
