//! A game as the page sees it.

use super::message::Pick;
use crate::game::{Explanation, Position};
use crate::play::table::Table;
use crate::play::{Choice, Picker};
use crate::rules::Value as Part;
use serde_json::{Map, Value, json};

/// How the parts of a move are joined to a text, as far as games do not say.
const JOINTS: [&str; 4] = ["-", " ", "", "x"];

/// All that changes with a move.
pub fn view(table: &Table) -> Value {
    let line = table.line();
    let position = table.position();
    let rules = line.game().rules();
    let board = &rules.board;
    let movers: Vec<&str> = (0..line.len()).map(|ply| line.at(ply).map_or("", mover)).collect();
    let players = rules.players.iter().map(|player| json!({ "name": player.name }));
    let seats = table.seats().iter().map(ToString::to_string);
    let tracked: Map<String, Value> = position
        .to_json()
        .as_object()
        .map(|object| object.iter().filter(|(key, _)| *key != "sites").map(|(k, v)| (k.clone(), v.clone())).collect())
        .unwrap_or_default();
    let last: Vec<&str> = line.changed().iter().map(|site| board.name(site)).collect();
    json!({
        "players": players.collect::<Vec<_>>(),
        "seats": seats.collect::<Vec<_>>(),
        "to_move": table.to_move(),
        "decider": decider(table),
        "chance": table.is_chance(),
        "over": table.is_over(),
        "result": table.result(),
        "resigned": table.resigned(),
        "position": tracked,
        "moves": line.all_moves().collect::<Vec<_>>(),
        "movers": movers,
        "now": line.played(),
        "last": last,
        "legal": position.move_count(),
        "rules_hash": line.game().rules_hash(),
    })
}

/// Who decides at a position.
fn mover(position: &Position) -> &str {
    if position.is_chance() { "Chance" } else { position.mover().unwrap_or_default() }
}

/// Who decides now: a person, a program by its name, or chance.
fn decider(table: &Table) -> Option<String> {
    if table.is_chance() { Some("chance".to_owned()) } else { table.decider().map(|seat| seat.to_string()) }
}

/// What can be chosen next.
pub fn choices(picker: &Picker, position: &Position) -> Value {
    let board = &position.game().rules().board;
    let sites: Vec<&str> = picker.sites().iter().map(|site| board.name(site)).collect();
    let picked: Vec<Pick> = picker
        .chosen()
        .iter()
        .map(|choice| match choice {
            Choice::Site(site) => Pick::Site(board.name(*site).to_owned()),
            Choice::Named(name) => Pick::Name(name.clone()),
        })
        .collect();
    json!({ "picked": picked, "sites": sites, "names": picker.names() })
}

/// The sites that the parts of a legal move are.
pub fn sites_of(position: &Position, index: usize) -> Vec<String> {
    let rules = position.game().rules();
    let Some(ply) = position.situation().legal.get(index) else { return Vec::new() };
    let site = |part: Part| match part {
        Part::Sites(sites) => sites.iter().next(),
        _ => None,
    };
    ply.parts(rules).filter_map(site).map(|site| rules.board.name(site).to_owned()).collect()
}

/// Why a text, or what was clicked, is a legal move or none.
pub fn why(position: &Position, text: Option<&str>, picked: &[Pick]) -> Value {
    let found = match text {
        Some(text) => position.why(text),
        None => clicked(position, picked),
    };
    let mut object = found.to_json(position.game());
    object.insert("sentence".to_owned(), json!(found.sentence(position)));
    Value::Object(object)
}

/// Clicks are no text. The one that comes furthest among the texts they may be is explained.
fn clicked(position: &Position, picked: &[Pick]) -> Explanation {
    let parts: Vec<&str> = picked
        .iter()
        .map(|pick| match pick {
            Pick::Site(name) => name.as_str(),
            // The value stands behind the name of the part.
            Pick::Name(name) => name.split_once(' ').map_or(name.as_str(), |(_, value)| value),
        })
        .collect();
    let tried: Vec<Explanation> = JOINTS.iter().map(|joint| position.why(&parts.join(joint))).collect();
    let best = tried.iter().position(|found| found.clause.is_some() && !found.legal).unwrap_or(0);
    tried.into_iter().nth(best).unwrap_or_else(|| position.why(""))
}
