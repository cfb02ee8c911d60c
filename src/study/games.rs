//! Games written down as data: one JSON object a line, made while the game is played.

use super::playout::{Draw, Played, Settings};
use crate::engine::{Over, Play};
use crate::game::telling::Teller;
use crate::game::{Game, Position, result_json};
use crate::rules::MAX_PLAYERS;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::Write as _;

/// What all games of a file have in common, and how they are written.
#[derive(Clone, Debug)]
pub struct Lines<'g> {
    game: &'g Game,
    /// The beginning of every line, up to the number of the game.
    head: String,
}

/// A game that is to be written.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Its number in the series.
    pub index: u64,
    /// Who sat where, in the order of turns.
    pub players: &'a [String],
    /// The moves as JSON texts with commas between.
    pub moves: &'a str,
    /// The place of each player and of each seat, and why; none if the game was cut.
    pub end: Option<End>,
    /// How many moves there are.
    pub plies: u64,
}

/// How a game ended.
#[derive(Clone, Debug)]
pub struct End {
    /// The place of each player of the rules, from 1.
    pub places: Vec<u8>,
    /// The same by seat, which is another order where players change sides.
    pub seats: Vec<u8>,
    /// The name of the ending.
    pub reason: String,
    /// The player who lost because he made no legal move in time; the rules did not end the game.
    pub forfeit: Option<String>,
}

impl<'g> Lines<'g> {
    /// For games of one kind; every line begins with these fields.
    #[must_use]
    pub fn new(game: &'g Game, fields: &Map<String, Value>) -> Self {
        let mut head = Value::Object(fields.clone()).to_string();
        head.pop();
        if !fields.is_empty() {
            head.push(',');
        }
        Self { game, head }
    }

    /// Appends a game.
    pub fn write(&self, entry: &Entry<'_>, line: &mut Vec<u8>) {
        let (players, tail) = (json!(entry.players).to_string(), self.tail(entry.end.as_ref()));
        self.put(entry.index, &players, entry.moves, &tail, entry.plies, line);
    }

    /// What stands behind the moves, up to the number of plies.
    fn tail(&self, end: Option<&End>) -> String {
        let (mut result, mut reason, mut places) = (Value::Null, Value::Null, Value::Null);
        let mut forfeit = String::new();
        if let Some(end) = end {
            result = result_json(self.game.rules(), &end.places);
            (reason, places) = (json!(end.reason), json!(end.seats));
            if let Some(player) = &end.forfeit {
                forfeit = format!("\"forfeit\":{},", json!(player));
            }
        }
        format!("],\"result\":{result},\"reason\":{reason},\"places\":{places},{forfeit}\"plies\":")
    }

    fn put(&self, index: u64, players: &str, moves: &str, tail: &str, plies: u64, line: &mut Vec<u8>) {
        line.reserve(self.head.len() + players.len() + moves.len() + tail.len() + 64);
        line.extend_from_slice(self.head.as_bytes());
        // Writing to memory does not fail.
        let _ = writeln!(line, "\"index\":{index},\"players\":{players},\"moves\":[{moves}{tail}{plies}}}");
    }

    /// What writes random games.
    #[must_use]
    pub fn pen(&self) -> Pen<'_> {
        let players = vec!["random"; self.game.rules().players.len()];
        let players = json!(players).to_string();
        Pen { lines: self, teller: Teller::new(self.game), players, moves: String::new(), tails: Vec::new(), retold: 0 }
    }
}

/// How a game ended, and who has taken over what each player began with.
type Ended = (Option<Over>, [usize; MAX_PLAYERS]);

/// As many ways to end are remembered as most games have.
const TAILS: usize = 32;

/// Writes random games, one after the other.
#[derive(Debug)]
pub struct Pen<'l> {
    lines: &'l Lines<'l>,
    teller: Teller<'l>,
    players: String,
    moves: String,
    /// What stands behind the moves, by the end: most games end in one of few ways.
    tails: Vec<(Ended, String)>,
    retold: u64,
}

impl Pen<'_> {
    /// Plays a game of a series and appends its line.
    pub fn play(
        &mut self,
        player: &mut dyn Play,
        settings: Settings,
        draw: Draw,
        number: u64,
        line: &mut Vec<u8>,
    ) -> Played {
        let Self { teller, moves, .. } = self;
        moves.clear();
        let mut told = Some(());
        let Settings { seed, max_plies, .. } = settings;
        let mut tell = |player: &mut dyn Play, index| {
            if told.is_some() {
                told = quoted(moves, |moves| teller.write(player, index, moves));
            }
        };
        let played = draw.play(player, (seed, max_plies), number, &mut tell);
        let tail = self.tail(player, played.over.as_ref());
        if told.is_none() {
            self.tell_by_positions(player, settings, draw, number);
        }
        let tail = self.tails.get(tail).map_or("", |(_, tail)| tail.as_str());
        self.lines.put(number, &self.players, &self.moves, tail, played.plies, line);
        played
    }

    /// How many games took positions to be told, which is slow.
    #[must_use]
    pub fn retold(&self) -> u64 {
        self.retold
    }

    /// The place of the tail of a game that has just ended.
    fn tail(&mut self, player: &dyn Play, over: Option<&Over>) -> usize {
        let mut seats = [0; MAX_PLAYERS];
        (0..player.players()).zip(&mut seats).for_each(|(of, seat)| *seat = player.seat(of));
        let key = (over.copied(), seats);
        if let Some(known) = self.tails.iter().position(|(known, _)| *known == key) {
            return known;
        }
        if self.tails.len() >= TAILS {
            self.tails.clear();
        }
        let tail = self.lines.tail(over.map(|over| self.end(player, over)).as_ref());
        self.tails.push((key, tail));
        self.tails.len() - 1
    }

    fn end(&self, player: &dyn Play, over: &Over) -> End {
        let rules = self.lines.game.rules();
        let places = over.places.get(..rules.players.len()).unwrap_or(&over.places).to_vec();
        let mut seats = places.clone();
        for (of, place) in places.iter().enumerate() {
            if let Some(seat) = seats.get_mut(player.seat(of)) {
                *seat = *place;
            }
        }
        let ending = over.line.and_then(|line| rules.endings.get(line));
        let reason = ending.map_or(String::new(), |ending| ending.reason.clone());
        End { places, seats, reason, forfeit: None }
    }

    /// The same game once more, followed on the reference: its positions can tell every move.
    fn tell_by_positions(&mut self, player: &mut dyn Play, settings: Settings, draw: Draw, number: u64) {
        self.retold += 1;
        self.moves.clear();
        let moves = &mut self.moves;
        let mut position = Some(self.lines.game.start());
        let Settings { seed, max_plies, .. } = settings;
        draw.play(player, (seed, max_plies), number, &mut |player, index| {
            let Some((now, at)) = position.take().and_then(|now| find(player, index, now)) else { return };
            quoted(moves, |moves| {
                moves.push_str(&now.move_text(at)?);
                Some(())
            });
            position = now.play_index(at);
        });
    }
}

/// Which legal move of a position a ply of a player is.
fn find(player: &mut dyn Play, index: usize, position: Position) -> Option<(Position, usize)> {
    let (mv, parts) = player.ply(index)?;
    let rules = position.game().rules();
    let same = |ply: &crate::engine::reference::Ply| ply.mv == mv && ply.parts(rules).eq(parts.iter().cloned());
    let at = position.situation().legal.iter().position(same)?;
    Some((position, at))
}

/// Appends a text that is written on the spot, in quotes, behind a comma if it is not the first.
pub fn quoted(texts: &mut String, write: impl FnOnce(&mut String) -> Option<()>) -> Option<()> {
    let from = texts.len();
    texts.push_str(if from == 0 { "\"" } else { ",\"" });
    let inside = texts.len();
    write(texts)?;
    let plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if texts.as_bytes().get(inside..).is_some_and(|written| written.iter().all(|byte| plain(*byte))) {
        texts.push('"');
        return Some(());
    }
    let written = json!(texts.get(inside..)?);
    texts.truncate(inside.saturating_sub(1));
    write!(texts, "{written}").ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_quotes_are_json_whatever_they_hold() {
        let mut texts = String::new();
        for text in ["a1", "say \"x\"", "back\\slash", "ü"] {
            quoted(&mut texts, |texts| {
                texts.push_str(text);
                Some(())
            });
        }
        let read: Vec<String> = serde_json::from_str(&format!("[{texts}]")).unwrap();
        assert_eq!(read, ["a1", "say \"x\"", "back\\slash", "ü"]);
    }
}
