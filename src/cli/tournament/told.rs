//! The table of a tournament, as text and as JSON.

use crate::ai::tournament::{Meeting, Row, Standings};
use crate::study::elo::{Model, Pentanomial, Verdict};
use crate::study::estimate::Estimate;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A number of Elo, which may be without bound.
pub fn elo(value: f64) -> String {
    if value.is_finite() { format!("{value:+.0}") } else { if value > 0.0 { "+inf" } else { "-inf" }.to_owned() }
}

/// As the name of a player stands in the table.
pub fn name(players: &[String], player: usize) -> &str {
    players.get(player).map_or("", String::as_str)
}

/// What the test has come to, in words.
pub fn verdict(players: &[String], standings: &Standings) -> Option<String> {
    let (sprt, verdict) = (standings.sprt()?, standings.verdict?);
    let scale = match sprt.model {
        Model::Logistic => "Elo",
        Model::Normalized => "normalized Elo",
    };
    let said = match verdict {
        Verdict::Accepted => format!("accepted: stronger by {} {scale} rather than by {}", sprt.elo1, sprt.elo0),
        Verdict::Rejected => format!("rejected: stronger by {} {scale} rather than by {}", sprt.elo0, sprt.elo1),
        Verdict::Open => format!("open between {} and {} {scale}", sprt.elo0, sprt.elo1),
    };
    let likelihood = standings.likelihood().unwrap_or(0.0);
    Some(format!("{}: {said} (log likelihood ratio {likelihood:.2})", name(players, 0)))
}

pub fn text(players: &[String], standings: &Standings) -> String {
    let width = players.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(6);
    let mut text = format!(
        "    {:width$}  {:>5}  {:>15}  {:>7}  {:>5}  {:>6}\n",
        "player", "Elo", "95 %", "points", "games", "share"
    );
    for (place, row) in (1..).zip(standings.table()) {
        let Estimate { value, low, high } = row.pairs.elo();
        let (ends, share) = (format!("{} to {}", elo(low), elo(high)), share(&row));
        let name = name(players, row.player);
        // Writing to memory does not fail.
        let _ = writeln!(
            text,
            "{place:>2}. {name:width$}  {:>5}  {ends:>15}  {:>7.1}  {:>5}  {share:>5.1} %",
            elo(value),
            row.points,
            row.games
        );
    }
    text.push('\n');
    for meeting in &standings.meetings {
        text.push_str(&met(players, meeting));
    }
    if let Some(said) = verdict(players, standings) {
        let _ = writeln!(text, "\n{said}");
    }
    let _ = writeln!(text, "\n{}", counts(standings));
    text
}

/// The share of the points in percent.
fn share(row: &Row) -> f64 {
    100.0 * row.points / row.games.max(1) as f64
}

/// One line about two players.
fn met(players: &[String], meeting: &Meeting) -> String {
    let [first, second] = meeting.players.map(|player| name(players, player));
    let [won, drawn, lost] = meeting.results;
    let Pentanomial([none, half, one, more, two]) = meeting.pairs;
    let better = 100.0 * meeting.pairs.superiority();
    format!(
        "{first} : {second}  +{won} ={drawn} -{lost}  pairs {none} {half} {one} {more} {two}  Elo {}  better with {better:.1} %\n",
        elo(meeting.pairs.elo().value)
    )
}

/// How many games there are, and what is odd about them.
pub fn counts(standings: &Standings) -> String {
    let mut text = format!("{} games", standings.games);
    if standings.unfinished > 0 {
        let _ = write!(text, "; {} were cut, and count as drawn", standings.unfinished);
    }
    if standings.forfeits > 0 {
        let _ = write!(text, "; {} were lost by a program that made no legal move in time", standings.forfeits);
    }
    text
}

/// A number; null where it is without bound, which JSON has no word for.
fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { Value::Null }
}

pub fn json(players: &[String], standings: &Standings, halted: bool) -> Value {
    let row = |row: Row| {
        let Estimate { value, low, high } = row.pairs.elo();
        json!({
            "player": name(players, row.player),
            "elo": number(value),
            "low": number(low),
            "high": number(high),
            "points": row.points,
            "games": row.games,
        })
    };
    let meeting = |meeting: &Meeting| {
        let Estimate { value, low, high } = meeting.pairs.elo();
        let normalized = meeting.pairs.normalized();
        let [won, drawn, lost] = meeting.results;
        json!({
            "players": meeting.players.map(|player| name(players, player)),
            "pentanomial": meeting.pairs.0,
            "wins": won,
            "draws": drawn,
            "losses": lost,
            "games": meeting.games,
            "elo": number(value),
            "low": number(low),
            "high": number(high),
            "normalized": normalized.map(|elo| json!({ "elo": elo.value, "low": elo.low, "high": elo.high })),
            "superiority": meeting.pairs.superiority(),
        })
    };
    let mut answer = json!({
        "table": standings.table().into_iter().map(row).collect::<Vec<_>>(),
        "pairs": standings.meetings.iter().map(meeting).collect::<Vec<_>>(),
        "games": standings.games,
        "unfinished": standings.unfinished,
        "forfeits": standings.forfeits,
    });
    if let (Some(sprt), Some(verdict)) = (standings.sprt(), standings.verdict) {
        let verdict = match verdict {
            Verdict::Accepted => "accepted",
            Verdict::Rejected => "rejected",
            Verdict::Open => "open",
        };
        let scale = match sprt.model {
            Model::Logistic => "elo",
            Model::Normalized => "normalized",
        };
        let ratio = standings.likelihood();
        answer["sprt"] =
            json!({ "elo0": sprt.elo0, "elo1": sprt.elo1, "scale": scale, "ratio": ratio, "verdict": verdict });
    }
    if halted {
        answer["interrupted"] = json!(true);
    }
    answer
}
