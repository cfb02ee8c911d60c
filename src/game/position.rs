//! A position of a game: what is told of it, and what can be played in it.

use super::notation::{Found, Texts};
use super::points::Points;
use super::sight::Veil;
use super::{Game, Outcome, PlayError, result_json};
use crate::board::{Site, SiteSet};
use crate::engine::reference::Situation;
use crate::engine::{Snapshot, Stopped};
use crate::rules::{Content, MoveId, PlayerId, Value};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::xxh3_64;

/// A position of a game; cheap to clone.
#[derive(Clone, Debug)]
pub struct Position {
    inner: Arc<PositionInner>,
}

#[derive(Debug)]
struct PositionInner {
    game: Game,
    /// Without its legal plies where they are listed only when they are asked for.
    situation: Situation,
    later: Option<Later>,
    /// What is taken out of it, where it is what one seat sees.
    veil: Option<Veil>,
    texts: OnceLock<Texts>,
}

/// What a position knows whose legal plies are not kept.
#[derive(Debug)]
struct Later {
    chance: bool,
    listed: OnceLock<Situation>,
}

impl PositionInner {
    fn new(game: Game, situation: Situation) -> Self {
        Self { game, situation, later: None, veil: None, texts: OnceLock::new() }
    }
}

impl Position {
    pub(super) fn new(game: &Game, situation: Situation) -> Self {
        Self { inner: Arc::new(PositionInner::new(game.clone(), situation)) }
    }

    /// What one seat sees of a position: a situation without what is hidden from it, and without legal plies.
    pub(super) fn veiled(&self, situation: Situation, veil: Veil) -> Self {
        let inner = PositionInner { veil: Some(veil), ..PositionInner::new(self.game().clone(), situation) };
        Self { inner: Arc::new(inner) }
    }

    /// What is taken out of it, where it is what one seat sees.
    pub(super) fn veil(&self) -> Option<&Veil> {
        self.inner.veil.as_ref()
    }

    /// The same position, whose legal moves are found again when somebody asks for them: they may take a hundred times as
    /// much memory as the position itself.
    pub(super) fn unlisted(&self) -> Self {
        let later = Some(Later { chance: self.is_chance(), listed: OnceLock::new() });
        let (game, situation) = (self.game().clone(), self.inner.situation.unlisted());
        Self { inner: Arc::new(PositionInner { later, ..PositionInner::new(game, situation) }) }
    }

    /// About how many bytes its legal moves take.
    pub(super) fn listed_bytes(&self) -> u64 {
        self.inner.situation.listed_bytes()
    }

    /// About how many bytes the position itself takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.inner.situation.state.held()
    }

    /// The game it is a position of.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.inner.game
    }

    /// The state, its legal plies and its outcome, as the reference engine has them.
    #[must_use]
    pub fn situation(&self) -> &Situation {
        let brief = &self.inner.situation;
        match &self.inner.later {
            None => brief,
            Some(later) => later.listed.get_or_init(|| self.game().engine().listed(brief)),
        }
    }

    /// Plies played.
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.inner.situation.state.ply
    }

    /// The number of the turn, from 1.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.inner.situation.state.turn
    }

    /// Which seat is to move, counted from 0 in the order of players: whoever sits there may play another side by now.
    #[must_use]
    pub fn seat(&self) -> Option<usize> {
        let state = &self.inner.situation.state;
        (!self.is_over()).then(|| usize::from(self.game().inner.engine.seat(state, state.mover).0))
    }

    /// Who is to move; none when the game is over.
    #[must_use]
    pub fn mover(&self) -> Option<&str> {
        if self.is_over() {
            return None;
        }
        let mover = self.inner.situation.state.mover;
        self.game().rules().players.get(usize::from(mover.0)).map(|player| player.name.as_str())
    }

    /// Who came where, and why; none while the game goes on.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.inner.situation.outcome.as_ref()
    }

    /// The place of each seat, from 1; none while the game goes on.
    #[must_use]
    pub fn outcome_by_seat(&self) -> Option<Vec<u8>> {
        let outcome = self.outcome()?;
        let (engine, state) = (&self.game().inner.engine, &self.inner.situation.state);
        let mut places = outcome.places.clone();
        for (player, place) in (0..).zip(&outcome.places) {
            if let Some(seat) = places.get_mut(usize::from(engine.seat(state, PlayerId(player)).0)) {
                *seat = *place;
            }
        }
        Some(places)
    }

    /// That the legal moves here, or whether the game is over, could not be found in the steps that a ply may take. The game
    /// then ends here, and nobody wins.
    #[must_use]
    pub fn stopped(&self) -> Option<&Stopped> {
        self.inner.situation.stopped.as_ref()
    }

    /// The position itself, unless it could not be worked out.
    pub fn unless_stopped(self) -> Result<Self, PlayError> {
        match self.stopped() {
            None => Ok(self),
            Some(stopped) => Err(self.game().error_of_stop(stopped)),
        }
    }

    /// Whether the game has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.outcome().is_some()
    }

    /// The sites where something else stands than in another position of the game.
    #[must_use]
    pub fn changed_since(&self, other: &Position) -> SiteSet {
        let (before, now) = (&other.inner.situation.state, &self.inner.situation.state);
        let board = &self.game().rules().board;
        board.all().iter().filter(|site| before.stack(*site) != now.stack(*site)).collect()
    }

    /// The sites where the n-th legal move changes what stands there, with what comes there.
    pub(crate) fn changes_by(&self, index: usize) -> Vec<(Site, Content)> {
        let situation = self.situation();
        let Some(ply) = situation.legal.get(index) else { return Vec::new() };
        let after = self.game().inner.engine.after(&situation.state, ply);
        let board = &self.game().rules().board;
        let changed = board.all().iter().filter(|site| situation.state.content(*site) != after.content(*site));
        changed.map(|site| (site, after.content(site))).collect()
    }

    /// The number of legal moves, 0 when the game is over.
    #[must_use]
    pub fn move_count(&self) -> usize {
        self.situation().legal.len()
    }

    /// Whether chance decides now, and not the player whose turn it is.
    #[must_use]
    pub fn is_chance(&self) -> bool {
        let asked = || self.game().inner.engine.is_chance(&self.inner.situation.legal);
        let known = self.inner.later.as_ref().map(|later| later.chance).or(self.veil().map(|veil| veil.chance));
        known.unwrap_or_else(asked)
    }

    /// How heavy each legal move is where chance decides: one that is twice as heavy comes twice as often. None where a player
    /// decides.
    #[must_use]
    pub fn weights(&self) -> Option<Vec<u32>> {
        let Situation { state, legal, .. } = self.situation();
        self.is_chance().then(|| legal.iter().map(|ply| self.game().inner.engine.weight(state, ply)).collect())
    }

    /// Where each legal ply stands in the list of them, by its move and its parts.
    pub(crate) fn places_of_plies(&self) -> HashMap<(MoveId, Vec<Value>), usize> {
        let rules = self.game().rules();
        let legal = self.situation().legal.iter().enumerate();
        legal.map(|(at, ply)| ((ply.mv, ply.parts(rules).collect()), at)).collect()
    }

    pub(super) fn texts(&self) -> &Texts {
        let situation = self.situation();
        self.inner.texts.get_or_init(|| Texts::new(&self.game().inner.engine, &situation.state, &situation.legal))
    }

    /// The legal moves in notation, in the order of the rules.
    #[must_use]
    pub fn moves(&self) -> Vec<String> {
        self.texts().printed().to_vec()
    }

    /// A legal move by its number, in notation.
    #[must_use]
    pub fn move_text(&self, index: usize) -> Option<String> {
        self.texts().printed().get(index).cloned()
    }

    /// The position as engines exchange it: at the beginning of a turn all that there is, but for the positions before.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.game().inner.engine.snapshot(&self.inner.situation.state)
    }

    /// The position after the n-th legal move.
    #[must_use]
    pub fn play_index(&self, index: usize) -> Option<Position> {
        let situation = self.situation();
        let ply = situation.legal.get(index)?;
        Some(Position::new(self.game(), self.game().inner.engine.play(situation, ply)))
    }

    /// Which legal move a text means.
    pub fn find(&self, text: &str) -> Result<usize, PlayError> {
        if let Some(outcome) = self.outcome() {
            return Err(PlayError::Over { reason: outcome.reason.clone() });
        }
        match self.texts().find(self.game().rules(), text) {
            Found::One(index) => Ok(index),
            Found::Several(indices) => {
                let mut candidates: Vec<String> = indices.iter().filter_map(|index| self.move_text(*index)).collect();
                let more = candidates.len().saturating_sub(6);
                candidates.truncate(6);
                if more > 0 {
                    candidates.push(format!("{more} others"));
                }
                Err(PlayError::Ambiguous { text: text.trim().to_owned(), candidates })
            }
            Found::None => Err(PlayError::Illegal { text: text.trim().to_owned(), hint: self.hint(text) }),
        }
    }

    /// The legal moves that begin like what was tried, or a few of all.
    fn hint(&self, text: &str) -> String {
        let all = self.texts().printed();
        let wanted = text.trim().to_lowercase();
        let close: Vec<&String> = all
            .iter()
            .filter(|known| {
                wanted.len() > 1
                    && known.to_lowercase().starts_with(&wanted[..wanted.chars().next().map_or(0, char::len_utf8)])
            })
            .collect();
        let list = if close.is_empty() || close.len() > 12 { all.iter().take(6).collect::<Vec<_>>() } else { close };
        let shown: Vec<&str> = list.iter().take(6).map(|text| text.as_str()).collect();
        match (all.len(), shown.len()) {
            (1, _) => format!("; the only one is {}", all[0]),
            (all, shown_count) if all == shown_count => format!("; the legal ones are {}", shown.join(", ")),
            (all, _) => format!("; there are {all} legal ones, among them {}", shown.join(", ")),
        }
    }

    /// The position after a move given as text.
    pub fn play(&self, text: &str) -> Result<Position, PlayError> {
        let index = self.find(text)?;
        let after =
            self.play_index(index).ok_or_else(|| PlayError::Illegal { text: text.to_owned(), hint: String::new() })?;
        after.unless_stopped()
    }

    /// The score of each player; empty for games without score, and where something is not seen that might count.
    #[must_use]
    pub fn scores(&self) -> Vec<(String, Points)> {
        let rules = self.game().rules();
        if self.hides_something() {
            return Vec::new();
        }
        let scores = self.game().inner.engine.scores(&self.inner.situation.state);
        let points = scores.into_iter().map(|number| Points { number, halves: rules.halves });
        rules.players.iter().map(|player| player.name.clone()).zip(points).collect()
    }

    /// The same for equal positions, on every machine; of what a seat sees, for all that look the same.
    #[must_use]
    pub fn hash(&self) -> u64 {
        if self.veil().is_some() {
            return xxh3_64(self.to_json().to_string().as_bytes());
        }
        self.inner.situation.state.hash()
    }

    /// Whether a condition holds here, read as in `end`.
    #[must_use]
    pub fn holds(&self, expr: &crate::rules::Expr) -> bool {
        self.game().inner.engine.check(&self.inner.situation.state, expr)
    }

    pub(super) fn result_json(&self, outcome: &Outcome) -> Json {
        result_json(self.game().rules(), &outcome.places)
    }

    /// The result in words; none while the game goes on.
    #[must_use]
    pub fn result_text(&self) -> Option<String> {
        let result = self.result_json(self.outcome()?);
        Some(match (&result["winner"], &result["ranks"]) {
            (Json::String(winner), _) => format!("{winner} wins"),
            (_, Json::Object(ranks)) => {
                let mut ranks: Vec<(i64, String)> =
                    ranks.iter().map(|(name, place)| (place.as_i64().unwrap_or(0), name.clone())).collect();
                ranks.sort();
                ranks.iter().map(|(place, name)| format!("{place}. {name}")).collect::<Vec<_>>().join(", ")
            }
            _ => "draw".to_owned(),
        })
    }

    /// The board as text, with coordinates; `?` is what is not seen.
    #[must_use]
    pub fn draw(&self) -> String {
        let rules = self.game().rules();
        let state = &self.inner.situation.state;
        let mark = |content: Content| {
            let Some(kind) = content.kind().and_then(|kind| rules.kinds.get(usize::from(kind.0))) else {
                return ".".to_owned();
            };
            match (content.owner(), rules.players.len()) {
                (None, _) => kind.mark.clone(),
                (Some(PlayerId(0)), 1 | 2) => kind.mark.to_uppercase(),
                (Some(_), 1 | 2) => kind.mark.to_lowercase(),
                (Some(player), _) => format!("{}{}", kind.mark.to_uppercase(), player.0 + 1),
            }
        };
        let whose = |content: &Content| match content.owner() {
            Some(player) => format!("?{}", player.0 + 1),
            None => "?".to_owned(),
        };
        let stack = |site: Site| match state.stack(site).as_slice() {
            _ if self.is_hidden(site) => "?".to_owned(),
            pieces if self.is_kind_hidden(site) => pieces.iter().map(whose).collect::<Vec<_>>().join("/"),
            [] => mark(Content::EMPTY),
            pieces => {
                let hidden = pieces.len().saturating_sub(MARKS);
                let first = (hidden > 0).then(|| format!("+{hidden}"));
                let marks = first.into_iter().chain(pieces.iter().skip(hidden).map(|piece| mark(*piece)));
                marks.collect::<Vec<_>>().join("/")
            }
        };
        crate::board::text::draw(&rules.board, &stack, true)
    }
}

/// So many pieces of a stack are drawn as text; of those beneath it is said how many they are.
const MARKS: usize = 5;
