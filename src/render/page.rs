//! A game as one page with a slider, buttons and its moves.

use super::replay::Shot;
use super::style::{Style, Theme};
use super::svg::{self, Frame};
use super::text::escape;
use super::theme::Colours;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;

const PAGE: &str = include_str!("page.html");
const PLAYER: &str = include_str!("player.html");
const SHEET: &str = include_str!("player.css");
const SCRIPT: &str = include_str!("player.js");

const LIGHT: &str =
    ":root{color-scheme:light;--page:#fbf9f4;--text:#2f2b24;--soft:#efe7d6;--line:#b7a88c;--accent:#0072b2}";
const DARK: &str =
    ":root{color-scheme:dark;--page:#16181c;--text:#e4e6ea;--soft:#2a2e35;--line:#545b66;--accent:#56b4e9}";

pub fn write(name: &str, shots: &[Shot], style: &Style) -> String {
    let Some(first) = shots.first() else { return String::new() };
    let title = match name {
        "" => first.scene.title.clone(),
        name => format!("{}: {name}", first.scene.title),
    };
    let player = Player::of(shots, style);
    let filled = [
        ("TITLE", escape(&title)),
        ("COLOURS", colours(style.theme)),
        ("STYLE", player.sheet.to_owned()),
        ("PLAYER", player.board),
        ("SCRIPT", player.script),
    ];
    fill(PAGE, &filled)
}

/// A game with its buttons and moves, as a part of a page.
#[derive(Clone, Debug)]
pub struct Player {
    /// What goes among the styles of the page, which has the variables `--soft`, `--line` and `--accent`.
    pub sheet: &'static str,
    /// Where the board is to be.
    pub board: String,
    /// What goes to the end of the page.
    pub script: String,
}

impl Player {
    /// That of some positions, of which there is at least one.
    pub(super) fn of(shots: &[Shot], style: &Style) -> Self {
        let Some(first) = shots.first() else { return Self { sheet: "", board: String::new(), script: String::new() } };
        let filled = [
            ("BOARD", board(first, style)),
            ("LAST", (shots.len() - 1).to_string()),
            ("CAPTION", escape(&first.caption.join("\n"))),
            ("MOVES", moves(shots)),
        ];
        // Nothing in a script may look like its end.
        let data = data(shots).to_string().replace('<', "\\u003c");
        let script =
            format!("<script type=\"application/json\" id=\"game\">{data}</script>\n<script>\n{SCRIPT}</script>\n");
        Self { sheet: SHEET, board: fill(PLAYER, &filled), script }
    }
}

/// A button for each position.
fn moves(shots: &[Shot]) -> String {
    let mut moves = String::new();
    for (index, shot) in shots.iter().enumerate() {
        let text = match &shot.mv {
            Some(_) => shot.caption.first().map_or("", String::as_str),
            None if index == 0 => "start",
            None => "another position",
        };
        let _ = writeln!(moves, r#"<li><button data-shot="{index}">{}</button></li>"#, escape(text));
    }
    moves
}

/// Puts texts in the places of a page that are called `{{NAME}}`; what is put in is not looked at again.
fn fill(page: &str, filled: &[(&str, String)]) -> String {
    let mut parts = page.split("{{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or(("", part));
        out.push_str(filled.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text));
        out.push_str(rest);
    }
    out
}

fn colours(theme: Theme) -> String {
    match theme {
        Theme::Light | Theme::Print => LIGHT.to_owned(),
        Theme::Dark => DARK.to_owned(),
        Theme::Auto => format!("{LIGHT}\n@media (prefers-color-scheme:dark){{{DARK}}}"),
    }
}

/// The board as it is at first; the script changes what stands on it.
fn board(shot: &Shot, style: &Style) -> String {
    // The page gives the picture its size.
    let style = Style { size: None, ..style.clone() };
    let frame = Frame::of(&shot.scene, 0);
    let mut out = svg::open(&shot.scene, &style, &frame, Colours::Variables);
    out.push_str(&svg::under(&shot.scene));
    for (place, content) in shot.scene.places.iter().zip(&shot.contents) {
        out.push_str(&svg::site(place, shot.scene.ground, content));
    }
    out.push_str(&svg::coordinates(&shot.scene, &frame));
    out.push_str("</svg>\n");
    out
}

/// What the script reads: every text once, and for each shot the sites that differ from the shot before.
fn data(shots: &[Shot]) -> Value {
    let mut texts: Vec<&str> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut before: Vec<(usize, usize)> = Vec::new();
    let mut all = Vec::with_capacity(shots.len());
    for shot in shots {
        let mut number = |text| {
            *known.entry(text).or_insert_with(|| {
                texts.push(text);
                texts.len() - 1
            })
        };
        let now: Vec<(usize, usize)> = shot
            .scene
            .places
            .iter()
            .zip(&shot.contents)
            .map(|(place, content)| (number(content), number(&place.words)))
            .collect();
        let changed = now.iter().enumerate().filter(|(index, pair)| before.get(*index) != Some(pair));
        let sites: Vec<Value> = changed.map(|(index, (content, words))| json!([index, content, words])).collect();
        all.push(json!({ "caption": shot.caption, "sites": sites }));
        before = now;
    }
    json!({ "texts": texts, "shots": all })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_not_filled_again() {
        let filled = [("A", "{{B}}".to_owned()), ("B", "b".to_owned())];
        assert_eq!(fill("x {{A}} y {{B}}", &filled), "x {{B}} y b");
    }
}
