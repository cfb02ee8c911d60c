//! What sums over games are about, in the words of the rules: the players, and the lines of `end`.

use crate::game::Game;
use crate::source::Span;
use serde::{Deserialize, Serialize};

/// The players and the lines of `end`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// In turn order.
    pub players: Vec<String>,
    /// In the order of the rules.
    pub ends: Vec<EndLine>,
}

/// A line of `end`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndLine {
    /// Its name, or its condition as written.
    pub reason: String,
    /// The file and the line where it stands.
    pub place: String,
}

impl Names {
    /// Those of a game.
    #[must_use]
    pub fn of(game: &Game) -> Self {
        let rules = game.rules();
        let place = |span: Span| {
            let source = game.sources().get(span.source);
            source.map_or(String::new(), |source| format!("{}:{}", source.name, source.locate(span.range().start).line))
        };
        let ends = rules.endings.iter().map(|end| EndLine { reason: end.reason.clone(), place: place(end.span) });
        Self { players: rules.players.iter().map(|player| player.name.clone()).collect(), ends: ends.collect() }
    }
}
