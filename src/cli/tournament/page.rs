//! The table of a tournament as a page that needs nothing else.

use super::told::{counts, elo, name, verdict};
use crate::ai::tournament::{Meeting, Row, Standings};
use crate::cli::error::CliError;
use crate::cli::store::write_whole;
use crate::study::estimate::Estimate;
use std::fmt::Write as _;
use std::path::Path;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;\
color:#222;background:#fff}table{border-collapse:collapse;margin:1rem 0}th,td{padding:.3rem .8rem;text-align:right;\
border-bottom:1px solid #ccc}th:first-child,td:first-child,.name{text-align:left}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}th,td{border-color:#444}}";

/// A page that is there is not overwritten unasked; told before anything is played.
pub fn may_be_written(path: &Path, force: bool) -> Result<(), CliError> {
    if force || !path.exists() {
        return Ok(());
    }
    let help = "choose another name, or overwrite it with `--force`".to_owned();
    Err(CliError::coded("exists", format!("`{}` exists already", path.display()), Some(help)))
}

pub fn write(
    path: &Path,
    (game, seed): (&str, u64),
    players: &[String],
    standings: &Standings,
) -> Result<(), CliError> {
    // Whether it may be overwritten was asked before anything was played.
    write_whole(path, true, page((game, seed), players, standings).as_bytes())
}

fn page((game, seed): (&str, u64), players: &[String], standings: &Standings) -> String {
    let title = format!("Tournament of {}", escaped(game));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n<table>\n<tr><th class=\"name\">player</th><th>Elo</th><th>95 %</th>\
         <th>points</th><th>games</th></tr>\n"
    );
    for row in standings.table() {
        page.push_str(&line(players, &row));
    }
    page.push_str("</table>\n<h2>Who met whom</h2>\n");
    page.push_str(
        "<table>\n<tr><th class=\"name\">players</th><th>won</th><th>drawn</th><th>lost</th>\
         <th>pairs with 0, ½, 1, 1½, 2 points</th><th>Elo</th><th>better with</th></tr>\n",
    );
    for meeting in &standings.meetings {
        page.push_str(&met(players, meeting));
    }
    page.push_str("</table>\n");
    if let Some(said) = verdict(players, standings) {
        let _ = writeln!(page, "<p>{}</p>", escaped(&said));
    }
    let _ = writeln!(page, "<p>{}. Seed {}.</p>\n</body>\n</html>", counts(standings), seed);
    page
}

fn line(players: &[String], row: &Row) -> String {
    let Estimate { value, low, high } = row.pairs.elo();
    format!(
        "<tr><td>{}</td><td>{}</td><td>{} to {}</td><td>{:.1}</td><td>{}</td></tr>\n",
        escaped(name(players, row.player)),
        elo(value),
        elo(low),
        elo(high),
        row.points,
        row.games
    )
}

fn met(players: &[String], meeting: &Meeting) -> String {
    let [first, second] = meeting.players.map(|player| escaped(name(players, player)));
    let [won, drawn, lost] = meeting.results;
    let pairs = meeting.pairs.0.map(|count| count.to_string()).join(" ");
    format!(
        "<tr><td>{first} : {second}</td><td>{won}</td><td>{drawn}</td><td>{lost}</td><td>{pairs}</td><td>{}</td>\
         <td>{:.1} %</td></tr>\n",
        elo(meeting.pairs.elo().value),
        100.0 * meeting.pairs.superiority()
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
