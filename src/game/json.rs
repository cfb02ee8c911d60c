//! Positions, values and results as JSON.

use super::Position;
use super::notation::{content_text, value_text};
use crate::board::Site;
use crate::rules::{Content, Rules, Scope, Value};
use serde_json::{Map, Value as Json, json};

/// A value as JSON holds it: numbers and sites as such, all else as text.
pub(crate) fn value_json(rules: &Rules, value: &Value) -> Json {
    match value {
        Value::Number(number) => json!(number),
        Value::Condition(condition) => json!(condition),
        Value::Sites(sites) => json!(sites.iter().map(|site| rules.board.name(site)).collect::<Vec<_>>()),
        Value::Range(range) => json!(range.map(|(low, high)| format!("{low}..{high}"))),
        Value::List(numbers) => json!(numbers),
        value if value.is_empty_set() => Json::Null,
        value => json!(value_text(rules, value)),
    }
}

/// Who came where, as JSON says it.
pub(crate) fn result_json(rules: &Rules, places: &[u8]) -> Json {
    let players = &rules.players;
    let first: Vec<usize> = (0..places.len()).filter(|player| places[*player] == 1).collect();
    let others_equal = places.iter().all(|place| *place <= 2);
    match first.as_slice() {
        [winner] if others_equal => json!({ "winner": players[*winner].name }),
        all if all.len() == places.len() => json!({ "draw": true }),
        _ => {
            let ranks: Map<String, Json> =
                players.iter().zip(places).map(|(player, place)| (player.name.clone(), json!(place))).collect();
            json!({ "ranks": ranks })
        }
    }
}

impl Position {
    /// A piece as JSON says it, with `?` for its kind where that is not seen.
    fn piece_json(&self, site: Site, piece: Content) -> Json {
        let text = content_text(self.game().rules(), piece);
        json!(match (self.is_kind_hidden(site), text.split_once(':')) {
            (false, _) => text,
            (true, Some((_, owner))) => format!("?:{owner}"),
            (true, None) => "?".to_owned(),
        })
    }

    /// The position object of the command contract. What one seat sees has its name as `seat`, `?` for what it does not see,
    /// and as `hidden` the sites of which it sees nothing.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let rules = self.game().rules();
        let state = &self.situation().state;
        let name = |site: Site| rules.board.name(site).to_owned();
        let standing = rules.board.all().iter().filter(|site| !state.content(*site).is_empty());
        let sites: Map<String, Json> =
            standing.map(|site| (name(site), self.piece_json(site, state.content(site)))).collect();
        let scores: Map<String, Json> =
            self.scores().into_iter().map(|(name, score)| (name, score.to_json())).collect();
        let mut object = Map::new();
        object.insert("ply".to_owned(), json!(state.ply));
        object.insert("turn".to_owned(), json!(state.turn));
        object.insert("mover".to_owned(), json!(self.mover()));
        if self.is_chance() {
            object.insert("chance".to_owned(), json!(true));
        }
        object.insert("over".to_owned(), json!(self.is_over()));
        object.insert("result".to_owned(), self.outcome().map_or(Json::Null, |outcome| self.result_json(outcome)));
        if let Some(outcome) = self.outcome() {
            object.insert("reason".to_owned(), json!(outcome.reason));
        }
        object.insert("scores".to_owned(), Json::Object(scores));
        object.insert("sites".to_owned(), Json::Object(sites));
        if let Some(veil) = self.veil() {
            object.insert("seat".to_owned(), json!(self.name_of_eye(veil.eye)));
            object.insert("hidden".to_owned(), json!(veil.unseen.pieces.iter().map(name).collect::<Vec<_>>()));
        }
        if rules.stacks.is_some() {
            object.insert("stacks".to_owned(), self.stacks());
        }
        let tracked = self.tracked();
        if !tracked.is_empty() {
            object.insert("state".to_owned(), Json::Object(tracked));
        }
        Json::Object(object)
    }

    /// The sites with more than one piece, from the bottom to the top.
    fn stacks(&self) -> Json {
        let rules = self.game().rules();
        let stacks = rules.board.all().iter().map(|site| (site, self.situation().state.stack(site)));
        let high = stacks.filter(|(_, stack)| stack.len() > 1);
        let text = |(site, stack): (Site, Vec<Content>)| {
            let pieces = stack.into_iter().map(|piece| self.piece_json(site, piece)).collect();
            (rules.board.name(site).to_owned(), Json::Array(pieces))
        };
        Json::Object(high.map(text).collect())
    }

    /// The tracked values by name.
    fn tracked(&self) -> Map<String, Json> {
        let rules = self.game().rules();
        let mut map = Map::new();
        for (index, memory) in rules.memories.iter().enumerate().filter(|(_, memory)| memory.declared) {
            let values = self.game().inner.engine.values(&self.situation().state, index);
            let told = values.iter().enumerate().map(|(entry, value)| match self.is_value_hidden(index, entry) {
                true => json!("?"),
                false => value_json(rules, value),
            });
            let values: Vec<Json> = told.collect();
            let players = || rules.players.iter().map(|player| player.name.clone());
            let by_kind = |values: &[Json]| -> Json {
                Json::Object(rules.kinds.iter().map(|kind| kind.name.clone()).zip(values.iter().cloned()).collect())
            };
            let json = match memory.scope {
                Scope::Game => values.first().cloned().unwrap_or_default(),
                Scope::Player => Json::Object(players().zip(values).collect()),
                Scope::Kind => by_kind(&values),
                Scope::PlayerKind => {
                    let each = values.chunks(rules.kinds.len().max(1)).map(by_kind);
                    Json::Object(players().zip(each).collect())
                }
                Scope::Site => {
                    let each: Map<String, Json> = rules
                        .board
                        .all()
                        .iter()
                        .zip(values)
                        // Where nothing stands there is no piece that a value could belong to.
                        .filter(|(site, _)| !memory.with_piece || !self.situation().state.content(*site).is_empty())
                        .map(|(site, value)| (rules.board.name(site).to_owned(), value))
                        .collect();
                    Json::Object(each)
                }
            };
            map.insert(memory.name.clone(), json);
        }
        map
    }
}
