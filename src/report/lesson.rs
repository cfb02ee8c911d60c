//! How a game is played, as a section of a page: the rule sheet, with a position before and after each move.

use super::frame::{figure, grid, list, paragraph, section, table};
use crate::author::lesson::{Example, examples};
use crate::author::sheet::{Content, Sheet};
use crate::board::SiteSet;
use crate::check::Project;
use crate::game::{Game, Position};
use crate::render::text::escape;
use crate::render::{self, Marks, Style, Theme};
use std::fmt::Write as _;

/// A board with more sites is shown around the move only.
const LARGE: usize = 50;

/// The section.
#[must_use]
pub fn lesson(game: &Game, project: &Project) -> String {
    let Content { source, players, pieces, stacks, carried, paths, moves, terms, turn, endings, score, hidden } =
        Sheet::new(game, project).content();
    let shown = examples(game);
    let with = |words: &str, names: &[String]| {
        if names.is_empty() { String::new() } else { paragraph(&format!("{words}: {}.", names.join(", "))) }
    };
    let mut body = with("Players, in the order of their turns", &players) + &with("Pieces", &pieces);
    body.push_str(&stacks.map_or(String::new(), |stacks| with("Stacks", &[stacks])));
    carried.iter().for_each(|value| body.push_str(&with("Each piece", std::slice::from_ref(value))));
    body.push_str(&titled("Paths", &described(&paths)));
    let figures: Vec<String> = moves
        .iter()
        .map(|row| {
            let example = shown.iter().find(|example| example.name == row.name);
            let name = if row.chance { format!("{} (by chance)", row.name) } else { row.name.clone() };
            let written = if row.notation.is_empty() { String::new() } else { format!(" Written {}.", row.notation) };
            move_figure(&name, &format!("{}.{written}", row.doc.trim_end_matches('.')), example)
        })
        .collect();
    body.push_str(&grid(&figures));
    body.push_str(&titled("A turn", &list(&turn)));
    let rows = endings.into_iter().map(|[result, reason]| vec![result, reason]).collect::<Vec<_>>();
    body.push_str(&titled(
        "The end",
        &table("The first of these that applies ends the game", &["result", "when"], &rows),
    ));
    body.push_str(&titled("The score", &list(&score)));
    body.push_str(&titled("What a player does not see", &described(&hidden)));
    body.push_str(&titled("What the words mean", &described(&terms)));
    if !source.is_empty() {
        body.push_str(&paragraph(&format!("Source: {source}")).replace("<p>", "<p class=\"quiet\">"));
    }
    section("how", "How to play", &body)
}

fn titled(heading: &str, body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("<h3 class=\"part\">{}</h3>\n{body}", escape(heading)) }
}

fn described(terms: &[[String; 2]]) -> String {
    if terms.is_empty() {
        return String::new();
    }
    let mut out = String::from("<dl>\n");
    for [name, doc] in terms {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(doc));
    }
    out + "</dl>\n"
}

/// A move with its pictures; one that changes nothing on the board has words alone.
fn move_figure(name: &str, about: &str, example: Option<&Example>) -> String {
    let Some(example) = example else {
        return figure(name, "<p class=\"quiet\">It changes nothing on the board.</p>\n", about);
    };
    let large = example.before.game().rules().board.len() > LARGE;
    let around = if large { example.changed } else { SiteSet::EMPTY };
    let picture = |position: &Position, last: SiteSet| {
        let marks = Marks { last, ..Marks::default() };
        let style = Style { theme: Theme::Auto, around, marks, coordinates: false, sheet: false, ..Style::default() };
        render::svg(position, &style)
    };
    let (before, after) = (picture(&example.before, SiteSet::EMPTY), picture(&example.after, example.changed));
    let said = escape(&format!("{}: {}", example.mover, example.text));
    let pictures = format!(
        "<div class=\"pair\"><div>{before}<span class=\"quiet\">before</span></div><div>{after}<span class=\"quiet\">{said}</span></div></div>\n"
    );
    figure(name, &pictures, about)
}
