//! Positions made by hand: from the changes of a test, and from JSON.

use super::{Game, Position};
use crate::board::{Directions, Site, SiteSet};
use crate::engine::reference::State;
use crate::rules::{ChoiceId, Content, KindId, Kinds, PlayerId, Players, Scope, Stacking, Type, Value};
use serde_json::Value as Json;

impl Game {
    fn kind_named(&self, name: &str) -> Result<usize, String> {
        let kinds = &self.rules().kinds;
        kinds.iter().position(|kind| kind.name == name).ok_or_else(|| {
            let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
            format!("there is no kind of piece `{name}`; the kinds are {}", names.join(", "))
        })
    }

    fn player_named(&self, name: &str) -> Result<PlayerId, String> {
        let players = &self.rules().players;
        match players.iter().position(|player| player.name == name) {
            Some(index) => Ok(PlayerId(index as u8)),
            None => {
                let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
                Err(format!("there is no player `{name}`; the players are {}", names.join(", ")))
            }
        }
    }

    fn content(&self, text: &str) -> Result<Content, String> {
        let (name, owner) = match text.split_once(':') {
            Some((name, owner)) => (name, Some(self.player_named(owner)?)),
            None => (text, None),
        };
        let kinds = &self.rules().kinds;
        let Some(index) = kinds.iter().position(|kind| kind.name == name) else {
            return Err(format!("there is no piece `{name}`"));
        };
        match (kinds[index].neutral, owner) {
            (true, Some(_)) => Err(format!("a `{name}` belongs to nobody")),
            (false, None) => {
                Err(format!("it is not said whose `{name}` this is; write `{name}:{}`", self.rules().players[0].name))
            }
            _ => Ok(Content::piece(KindId(index as u8), owner)),
        }
    }

    pub(super) fn site(&self, name: &str) -> Result<Site, String> {
        self.rules().board.find(name).ok_or_else(|| format!("there is no site `{name}` on this board"))
    }

    /// The position that changes make of an empty board, with a player to move.
    pub(crate) fn arranged(
        &self,
        changes: &[crate::rules::Change],
        mover: Option<PlayerId>,
        turn: Option<u32>,
    ) -> Option<Position> {
        let engine = &self.inner.engine;
        let mut state = engine.blank();
        if let Some(mover) = mover {
            engine.set_mover(&mut state, mover);
        }
        // With something on the board the first turn is over, unless it is said otherwise.
        state.turn = turn.unwrap_or(if changes.is_empty() { 1 } else { 2 });
        let mut state = engine.apply_setup(&state, changes)?;
        // The changes may have given him another seat, or let him leave.
        let mover = mover.unwrap_or_else(|| engine.first_playing(&state));
        if !engine.is_playing(&state, mover) {
            return None;
        }
        engine.set_mover(&mut state, mover);
        Some(Position::new(self, engine.begin(state)))
    }

    /// A position as JSON describes it: `{"mover":..,"sites":{..},"state":{..}?,"turn":n?}`.
    pub fn set_up(&self, position: &Json) -> Result<Position, String> {
        let engine = &self.inner.engine;
        let mut state = engine.blank();
        let object = position.as_object().ok_or("a position is an object with `mover` and `sites`")?;
        if let Some(unknown) = object.keys().find(|key| {
            ![
                "mover", "sites", "stacks", "state", "turn", "ply", "over", "result", "scores", "reason", "moves",
                "chance", "weights",
            ]
            .contains(&key.as_str())
        }) {
            return Err(format!("a position has no `{unknown}`"));
        }
        if let Some(turn) = object.get("turn") {
            let turn = turn.as_u64().and_then(|turn| u32::try_from(turn).ok()).filter(|turn| *turn > 0);
            state.turn = turn.ok_or("`turn` is a number from 1")?;
        } else if object.get("sites").and_then(Json::as_object).is_some_and(|sites| !sites.is_empty()) {
            // With something on the board the first turn is over, unless it is said otherwise.
            state.turn = 2;
        }
        let sites = object.get("sites").ok_or("`sites` is missing: an object of sites and pieces")?;
        for (name, piece) in sites.as_object().ok_or("`sites` is an object of sites and pieces")? {
            let piece = piece.as_str().ok_or_else(|| format!("what stands on {name} is the name of a piece"))?;
            state.put(self.site(name)?, self.content(piece)?);
        }
        if let Some(stacks) = object.get("stacks") {
            self.set_stacks(&mut state, stacks)?;
        }
        if let Some(values) = object.get("state") {
            for (name, value) in values.as_object().ok_or("`state` is an object of names and values")? {
                self.set_value(&mut state, name, value)?;
            }
        }
        match object.get("mover") {
            Some(Json::String(name)) => {
                let mover = self.player_named(name)?;
                if !engine.is_playing(&state, mover) {
                    return Err(format!("{name} has left the game and cannot be to move"));
                }
                engine.set_mover(&mut state, mover);
            }
            // Somebody may sit elsewhere.
            None => {
                let mover = engine.first_playing(&state);
                engine.set_mover(&mut state, mover);
            }
            Some(_) => return Err("`mover` is the name of a player".to_owned()),
        }
        Position::new(self, engine.arrange(state)).unless_stopped().map_err(|error| error.to_string())
    }

    /// Stacks by site, each from the bottom to the top, which is what `sites` says of the site if it says anything.
    fn set_stacks(&self, state: &mut State, stacks: &Json) -> Result<(), String> {
        let Some(Stacking { most, .. }) = self.rules().stacks else { return Err("this game has no stacks".to_owned()) };
        for (name, pieces) in stacks.as_object().ok_or("`stacks` is an object of sites and lists of pieces")? {
            let site = self.site(name)?;
            let wanted = || format!("the stack on {name} is a list of pieces, from the bottom to the top");
            let pieces = pieces.as_array().ok_or_else(wanted)?;
            let piece = |piece: &Json| self.content(piece.as_str().ok_or_else(wanted)?);
            let pieces = pieces.iter().map(piece).collect::<Result<Vec<Content>, String>>()?;
            if pieces.len() > most {
                return Err(format!("{name} holds {} pieces; in this game a site holds {most} at most", pieces.len()));
            }
            let top = state.content(site);
            if !top.is_empty() && pieces.last() != Some(&top) {
                return Err(format!("`sites` and `stacks` differ on what is on top of {name}"));
            }
            state.put_stack(site, pieces);
        }
        Ok(())
    }

    /// Whether nothing stands on the site with this number.
    fn stands_nowhere(&self, state: &State, site: usize) -> bool {
        self.rules().board.all().iter().any(|own| own.index() == site && state.content(own).is_empty())
    }

    fn set_value(&self, state: &mut State, name: &str, value: &Json) -> Result<(), String> {
        let rules = self.rules();
        let Some(index) = rules.memories.iter().position(|memory| memory.declared && memory.name == name) else {
            return Err(format!("the game keeps no value `{name}`"));
        };
        let memory = &rules.memories[index];
        let read = |json: &Json| -> Result<Value, String> {
            let wrong = || format!("`{name}` cannot be {json}");
            Ok(match memory.ty {
                Type::Number => {
                    let number = json.as_i64().ok_or_else(wrong)?;
                    if memory.range.is_some_and(|(low, high)| !(low..=high).contains(&number)) {
                        return Err(wrong());
                    }
                    Value::Number(Some(number))
                }
                Type::Players => match json {
                    Json::Null => Value::Players(Players(0)),
                    json => Value::Players(Players::single(self.player_named(json.as_str().ok_or_else(wrong)?)?)),
                },
                Type::Choice => {
                    let text = json.as_str().ok_or_else(wrong)?;
                    let id = rules.choices.iter().position(|choice| choice == text).ok_or_else(wrong)?;
                    Value::Choice(ChoiceId(id as u16))
                }
                Type::Sites => {
                    let names = json.as_array().ok_or_else(wrong)?;
                    let mut set = SiteSet::EMPTY;
                    for name in names {
                        set.insert(self.site(name.as_str().ok_or_else(wrong)?)?);
                    }
                    Value::of_sites(set)
                }
                Type::Directions => match json {
                    Json::Null => Value::Directions(Directions::EMPTY),
                    json => {
                        let way = rules.board.find_way(json.as_str().ok_or_else(wrong)?);
                        Value::Directions(Directions::single(way.ok_or_else(wrong)?))
                    }
                },
                Type::Kinds => match json {
                    Json::Null => Value::Kinds(Kinds(0)),
                    json => {
                        let text = json.as_str().ok_or_else(wrong)?;
                        let kind =
                            |kind: &crate::rules::Kind| kind.name == text || kind.mark.eq_ignore_ascii_case(text);
                        let index = rules.kinds.iter().position(kind).ok_or_else(wrong)?;
                        Value::Kinds(Kinds::single(KindId(index as u8)))
                    }
                },
                _ => return Err(format!("`{name}` cannot be set")),
            })
        };
        match memory.scope {
            Scope::Game => self.inner.engine.set_value(state, index, 0, read(value)?),
            scope @ (Scope::Player | Scope::Site | Scope::Kind) => {
                for (key, value) in
                    value.as_object().ok_or_else(|| format!("`{name}` has a value for each player, site or kind"))?
                {
                    let offset = match scope {
                        Scope::Player => usize::from(self.player_named(key)?.0),
                        Scope::Kind => self.kind_named(key)?,
                        Scope::Game | Scope::Site | Scope::PlayerKind => self.site(key)?.index(),
                    };
                    let value = read(value)?;
                    if memory.with_piece
                        && self.stands_nowhere(state, offset)
                        && memory.first.as_constant() != Some(&value)
                    {
                        return Err(format!("`{name}` belongs to a piece, and nothing stands on {key}"));
                    }
                    self.inner.engine.set_value(state, index, offset, value);
                }
            }
            Scope::PlayerKind => {
                let wrong = || format!("`{name}` has a value for each player and kind");
                for (player, kinds) in value.as_object().ok_or_else(wrong)? {
                    let first = usize::from(self.player_named(player)?.0) * rules.kinds.len();
                    for (kind, value) in kinds.as_object().ok_or_else(wrong)? {
                        self.inner.engine.set_value(state, index, first + self.kind_named(kind)?, read(value)?);
                    }
                }
            }
        }
        Ok(())
    }
}
