//! A game as the page sees it.

use super::message::Pick;
use crate::ai::Seat;
use crate::board::{Site, SiteSet};
use crate::game::{Explanation, Eye, Line, Position};
use crate::play::picker::Named;
use crate::play::table::{Ended, Table};
use crate::play::{Choice, Picker};
use crate::render::{self, Marks, Pieces, Style, Theme};
use crate::rules::{Content, Value as Part};
use serde_json::{Map, Value, json};

/// How the parts of a move are joined to a text, as far as games do not say.
const JOINTS: [&str; 4] = ["-", " ", "", "x"];

/// A position as whoever looks sees it; without an eye all of it.
fn seen(position: &Position, eye: Option<Eye>) -> Position {
    eye.map_or_else(|| position.clone(), |eye| position.seen_by(eye))
}

/// Whether whoever looks chooses the next move, as far as it is hidden from the others what there is to choose.
pub fn decides(table: &Table, eye: Option<Eye>) -> bool {
    eye.is_none() || !table.is_chance() && eye == table.to_move().map(Eye::Seat)
}

/// All that changes with a move, as whoever looks sees it.
pub fn view(table: &Table, eye: Option<Eye>) -> Value {
    let line = table.line();
    let position = &seen(table.position(), eye);
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
    let before = line.played().checked_sub(1).and_then(|ply| line.at(ply));
    let changed = before.map_or(SiteSet::EMPTY, |before| position.changed_since(&seen(before, eye)));
    let last: Vec<&str> = changed.iter().map(|site| board.name(site)).collect();
    let legal = if decides(table, eye) { table.position().move_count() } else { 0 };
    json!({
        "players": players.collect::<Vec<_>>(),
        "seats": seats.collect::<Vec<_>>(),
        "to_move": table.to_move(),
        "decider": decider(table),
        "chance": table.is_chance(),
        "over": table.is_over(),
        "result": table.result(),
        "ended": table.ended().map(Ended::name),
        "draws": table.may_agree(),
        "position": tracked,
        "hides": line.game().hides(),
        "moves": eye.map_or_else(|| line.all_moves().collect(), |eye| line.moves_seen_by(eye)),
        "movers": movers,
        "now": line.played(),
        "last": last,
        "legal": legal,
        "rules_hash": line.game().rules_hash(),
    })
}

/// The picture of the position after some plies as whoever looks sees it, with what the last one changed.
pub fn picture(line: &Line, ply: usize, eye: Option<Eye>, style: &Style) -> Option<String> {
    let position = seen(line.at(ply)?, eye);
    let before = ply.checked_sub(1).and_then(|before| line.at(before)).map(|before| seen(before, eye));
    let marks = before.map_or(Marks::default(), |before| Marks::default().with_last(&before, &position));
    Some(render::svg(&position, &Style { marks, ..style.clone() }))
}

/// The colours of all pictures of a game.
pub fn sheets(position: &Position) -> Value {
    json!({ "light": render::sheet(position, Theme::Light), "dark": render::sheet(position, Theme::Dark) })
}

/// Who decides at a position.
fn mover(position: &Position) -> &str {
    if position.is_chance() { "Chance" } else { position.mover().unwrap_or_default() }
}

/// Who decides now: a person, also where people roll dice of their own; a program by its name; or chance.
fn decider(table: &Table) -> Option<String> {
    let decider = table.decider()?;
    Some(if table.is_chance() && decider != Seat::Human { "chance".to_owned() } else { decider.to_string() })
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
    let mut pieces = Drawn { pieces: Pieces::of(position), known: Vec::new() };
    let named: Vec<Value> = picker.named().iter().map(|named| pieces.named(position, named)).collect();
    // A piece that goes away shows nothing by itself.
    let tells = |changes: &[(Site, Content)]| changes.iter().any(|(_, content)| !content.is_empty());
    let effects = picker.effects().unwrap_or_default().into_iter().filter(|(_, changes)| tells(changes));
    let effects: Vec<Value> = effects
        .map(|(choice, changes)| {
            let changes =
                changes.iter().map(|(site, content)| json!([board.name(*site), pieces.number(*site, *content)]));
            let changes: Vec<Value> = changes.collect();
            match choice {
                Choice::Site(site) => json!({ "site": board.name(site), "changes": changes }),
                Choice::Named(name) => json!({ "name": name, "changes": changes }),
            }
        })
        .collect();
    json!({
        "picked": picked,
        "sites": sites,
        "names": picker.names(),
        "named": named,
        "effects": effects,
        "pieces": pieces.known,
    })
}

/// Pieces as they are drawn, each once.
struct Drawn {
    pieces: Pieces,
    known: Vec<String>,
}

impl Drawn {
    /// The number of a piece; none for an empty site.
    fn number(&mut self, site: Site, content: Content) -> Option<usize> {
        if content.is_empty() {
            return None;
        }
        let drawn = self.pieces.on(site, content);
        let known = self.known.iter().position(|known| *known == drawn);
        known.or_else(|| {
            self.known.push(drawn);
            Some(self.known.len() - 1)
        })
    }

    /// A name with the site that may be pointed at for it, and the piece that it leads to.
    fn named(&mut self, position: &Position, named: &Named) -> Value {
        let rules = position.game().rules();
        let at = named.at.map(|site| rules.board.name(site));
        let piece = named.shows.map(|(site, content)| {
            let kind = content.kind().and_then(|kind| rules.kinds.get(usize::from(kind.0)));
            let owner = content.owner().and_then(|owner| rules.players.get(usize::from(owner.0)));
            json!({
                "picture": self.number(site, content),
                "kind": kind.map(|kind| &kind.name),
                "owner": owner.map(|owner| &owner.name),
            })
        });
        json!({ "name": named.name, "at": at, "piece": piece })
    }
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
    let plain = plain_click(position, picked, &found).unwrap_or_else(|| found.plain(position));
    object.insert("plain".to_owned(), json!(plain));
    Value::Object(object)
}

/// What is to be said to somebody who pointed at a site that cannot be chosen.
fn plain_click(position: &Position, picked: &[Pick], found: &Explanation) -> Option<String> {
    if position.is_over() {
        return None;
    }
    let rules = position.game().rules();
    let state = &position.situation().state;
    let site = |pick: &Pick| match pick {
        Pick::Site(name) => rules.board.find(name),
        Pick::Name(_) => None,
    };
    let piece = |site: Site| {
        let content = state.content(site);
        let kind = rules.kinds.get(usize::from(content.kind()?.0))?;
        let owner = content.owner().and_then(|owner| rules.players.get(usize::from(owner.0)));
        Some((kind.name.clone(), owner.map(|owner| owner.name.clone())))
    };
    let of = |owner: Option<String>| owner.map_or(String::new(), |owner| format!(" of {owner}"));
    let (last, before) = picked.split_last()?;
    let last = site(last)?;
    let name = rules.board.name(last);
    let from = before.iter().rev().find_map(|pick| Some((site(pick)?, piece(site(pick)?)?)));
    let first = match (piece(last), from) {
        (taken, Some((from, (kind, _)))) => {
            let there = taken.map_or(String::new(), |(other, owner)| format!(": a {other}{} stands there", of(owner)));
            format!("{name} is not possible for the {kind} on {}{there}.", rules.board.name(from))
        }
        (Some((kind, owner)), None) if owner.as_deref() == position.mover() => {
            format!("The {kind} on {name} has no legal move that begins with it.")
        }
        (Some((kind, owner)), None) => format!("A {kind}{} stands on {name}.", of(owner)),
        (None, None) => format!("Nothing can be done on {name} now."),
    };
    // Where no line of a move decides, it is the move that begins like this.
    let begun = || {
        let first = picked.first().and_then(site).map(|site| rules.board.name(site).to_owned());
        let begins = |index: &usize| sites_of(position, *index).into_iter().next() == first;
        let index = (0..position.move_count()).find(begins)?;
        let mv = rules.moves.get(position.situation().legal.get(index)?.mv.0)?;
        (!mv.doc.is_empty()).then(|| mv.doc.clone())
    };
    let rule = found.rule(position).or_else(begun).map_or(String::new(), |rule| format!(" The rule: {rule}."));
    Some(first + &rule)
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
