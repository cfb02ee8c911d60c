//! The sums over random games, for people and for programs: what `playout` and `merge` print.

use super::error::CliError;
use super::output::Output;
use crate::study::estimate::Estimate;
use crate::study::names::Names;
use crate::study::totals::Summary;
use serde_json::{Map, Value, json};

/// All that does not depend on the time, as fields.
pub fn fields(names: &Names, sums: &Summary) -> Map<String, Value> {
    let wins: Map<String, Value> =
        names.players.iter().zip(&sums.wins).map(|(player, wins)| (player.clone(), json!(wins))).collect();
    let last: Map<String, Value> =
        names.players.iter().zip(&sums.last).map(|(player, last)| (player.clone(), json!(last))).collect();
    let places: Map<String, Value> =
        names.players.iter().zip(&sums.places).map(|(player, places)| (player.clone(), json!(places))).collect();
    let [least, lower, median, upper, most] = sums.quartiles();
    let seats = names.players.iter().enumerate().map(|(at, player)| {
        let Estimate { value, low, high } = sums.score(at);
        json!({ "player": player, "score": value, "low": low, "high": high })
    });
    let fields = [
        ("games", json!(sums.totals.games)),
        ("plies", json!(sums.totals.plies)),
        ("mean_plies", json!(sums.totals.mean_plies())),
        ("wins", Value::Object(wins)),
        ("last", Value::Object(last)),
        ("places", Value::Object(places)),
        ("draws", json!(sums.draws)),
        ("unfinished", json!(sums.unfinished)),
        ("mean_branching", json!(sums.totals.mean_branching())),
        ("fingerprint", json!(fingerprint(sums))),
        ("quartiles", json!({ "least": least, "lower": lower, "median": median, "upper": upper, "most": most })),
        ("seats", seats.collect()),
        ("ends", ends(names, sums)),
    ];
    // Of two players the wins and draws tell the places.
    let told = fields.into_iter().filter(|(name, _)| *name != "places" || !sums.places.is_empty());
    told.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// How games ended, the most frequent way first.
fn ends(names: &Names, sums: &Summary) -> Value {
    let rows = rows(names, sums).into_iter().map(|(reason, place, games)| {
        let share = share(games, sums.totals.games);
        json!({ "reason": reason, "place": place, "games": games, "share": share })
    });
    rows.collect()
}

/// A reason with its place in the rules, if it has one, and how many games ended so.
fn rows(names: &Names, sums: &Summary) -> Vec<(String, Option<String>, u64)> {
    let lines = names.ends.iter().zip(&sums.ends);
    let mut rows: Vec<(String, Option<String>, u64)> =
        lines.map(|(end, games)| (end.reason.clone(), Some(end.place.clone()), *games)).collect();
    // Two lines may decide equally often: the sort keeps the order of the rules.
    rows.sort_by_key(|(.., games)| std::cmp::Reverse(*games));
    for (reason, games) in [("no line of `end`", sums.other_ends()), ("cut", sums.unfinished)] {
        if games > 0 {
            rows.push((reason.to_owned(), None, games));
        }
    }
    rows
}

fn share(count: u64, all: u64) -> f64 {
    count as f64 / all.max(1) as f64
}

fn fingerprint(sums: &Summary) -> String {
    format!("{:016x}", sums.fingerprint)
}

/// The same for people.
pub fn print(names: &Names, sums: &Summary, output: &mut Output) -> Result<(), CliError> {
    let games = sums.totals.games;
    let percent = |count: u64| 100.0 * share(count, games);
    let mut row = |name: &str, value: String| output.line(&format!("{name:<16} {value}"));
    row("games", games.to_string())?;
    let [least, lower, median, upper, most] = sums.quartiles();
    row("plies", format!("{} ({:.1} per game)", sums.totals.plies, sums.totals.mean_plies()))?;
    row("  of a game", format!("half of them {lower} to {upper}, middle {median}, all {least} to {most}"))?;
    row("moves to choose", format!("{:.1} on average", sums.totals.mean_branching()))?;
    for (at, (player, wins)) in names.players.iter().zip(&sums.wins).enumerate() {
        let Estimate { value, low, high } = sums.score(at);
        let score = format!("scores {:.1} % (95 %: {:.1} to {:.1})", 100.0 * value, 100.0 * low, 100.0 * high);
        row(&format!("{player} wins"), format!("{wins} ({:.1} %), {score}", percent(*wins)))?;
    }
    // Of two players the loser is known.
    if sums.last.len() > 2 {
        for (player, last) in names.players.iter().zip(&sums.last) {
            row(&format!("{player} is last"), format!("{last} ({:.1} %)", percent(*last)))?;
        }
    }
    for (player, places) in names.players.iter().zip(&sums.places) {
        let each = places.iter().zip(1..).map(|(count, place)| format!("{place}. {:.1} %", percent(*count)));
        row(&format!("{player}'s places"), each.collect::<Vec<_>>().join(", "))?;
    }
    let shared = if sums.places.is_empty() { "draws" } else { "first is shared" };
    row(shared, format!("{} ({:.1} %)", sums.draws, percent(sums.draws)))?;
    if sums.unfinished > 0 {
        row("unfinished", sums.unfinished.to_string())?;
    }
    row("fingerprint", fingerprint(sums))?;
    row("games end by", String::new())?;
    for (reason, place, count) in rows(names, sums) {
        let place = place.map_or(String::new(), |place| format!("  ({place})"));
        row(&format!("  {:.1} %", percent(count)), format!("{reason}{place}"))?;
    }
    Ok(())
}
