//! What is to be seen on every site of a position: a piece, a number, or nothing.

use super::theme::{Hue, Theme, Tone};
use crate::board::Site;
use crate::game::{Game, Position};
use crate::rules::{Content, Kind, Scope, Type, Value};

/// Shapes for the pieces of the players of games that have one kind of piece for each.
const SHAPES: [&str; 6] = ["●", "○", "◆", "◇", "▲", "△"];

/// How the pieces of a game look.
#[derive(Clone, Debug)]
pub struct Look {
    /// Of the players, in their order.
    pub hues: Vec<Hue>,
    shapes: Vec<String>,
    /// Whether a player's pieces are told apart by a letter.
    letters: bool,
    /// A number kept for every site, as seeds in a hole are.
    number: Option<usize>,
    theme: Theme,
}

/// A mark on a site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    pub text: String,
    pub tone: Tone,
    /// Whether something stands there.
    pub taken: bool,
}

impl Look {
    #[must_use]
    pub fn new(game: &Game, theme: Theme) -> Self {
        let rules = game.rules();
        let names: Vec<&str> = rules.players.iter().map(|player| player.name.as_str()).collect();
        let mut shapes: Vec<String> = SHAPES.iter().copied().cycle().take(names.len()).map(str::to_owned).collect();
        if names.first() == Some(&"White") && names.get(1) == Some(&"Black") {
            // As on paper.
            shapes.swap(0, 1);
        }
        // Players who are called by one character, as X and O, write it.
        let initials = names.iter().all(|name| name.chars().count() == 1);
        if initials {
            shapes = names.iter().map(|name| (*name).to_owned()).collect();
        }
        let owned = rules.kinds.iter().filter(|kind| !kind.neutral).count();
        let mut numbers = rules
            .memories
            .iter()
            .enumerate()
            .filter(|(_, memory)| memory.declared && memory.scope == Scope::Site && memory.ty == Type::Number);
        let number = match (numbers.next(), numbers.next()) {
            (Some((index, _)), None) => Some(index),
            _ => None,
        };
        Self {
            hues: Hue::of_players(&names),
            shapes,
            letters: owned > 1 || !(initials || theme.has_shapes()),
            number,
            theme,
        }
    }

    /// The name of the number that is shown on the sites.
    #[must_use]
    pub fn shown<'g>(&self, game: &'g Game) -> Option<&'g str> {
        game.rules().memories.get(self.number?).map(|memory| memory.name.as_str())
    }

    /// Whether sites are holes that hold a number.
    #[must_use]
    pub fn has_holes(&self) -> bool {
        self.number.is_some()
    }

    /// The widest mark that may come.
    #[must_use]
    pub fn width(&self, game: &Game) -> usize {
        let rules = game.rules();
        let kinds = rules.kinds.iter().map(|kind| {
            let owned = usize::from(!kind.neutral && self.letters && rules.players.len() > 2);
            kind.mark.chars().count() + owned
        });
        // Two digits, between brackets that keep clear of the border.
        let number = usize::from(self.has_holes()) * 3;
        kinds.chain([1, number]).max().unwrap_or(1)
    }

    /// The colour of a player.
    #[must_use]
    pub fn tone(&self, player: usize) -> Tone {
        Tone::Owned(self.hues.get(player).copied().unwrap_or(Hue::White))
    }

    /// What tells the pieces of a player, in few characters.
    #[must_use]
    pub fn badge(&self, game: &Game, player: usize) -> String {
        let mut owned = game.rules().kinds.iter().filter(|kind| !kind.neutral);
        let players = self.hues.len();
        match (owned.next(), owned.next()) {
            (Some(kind), None) => self.owned(kind, player, players),
            _ if self.theme.has_shapes() => "■".to_owned(),
            (Some(_), Some(_)) if players <= 2 => if player == 0 { "ABC" } else { "abc" }.to_owned(),
            (Some(_), Some(_)) => format!("{}", player + 1),
            (None, _) => String::new(),
        }
    }

    /// What is on a site.
    #[must_use]
    pub fn mark(&self, position: &Position, site: Site) -> Mark {
        let rules = position.game().rules();
        let content = position.situation().state.content(site);
        if let Some(kind) = content.kind().and_then(|kind| rules.kinds.get(usize::from(kind.0))) {
            return self.piece(kind, content, rules.players.len());
        }
        if let Some(number) = self.number.and_then(|index| number(position, index, site)) {
            return Mark {
                text: number.to_string(),
                tone: if number == 0 { Tone::Empty } else { Tone::Board },
                taken: true,
            };
        }
        Mark { text: self.theme.pick("·", ".").to_owned(), tone: Tone::Empty, taken: false }
    }

    fn piece(&self, kind: &Kind, content: Content, players: usize) -> Mark {
        let Some(owner) = content.owner().map(|owner| usize::from(owner.0)) else {
            return Mark { text: kind.mark.clone(), tone: Tone::Neutral, taken: true };
        };
        Mark { text: self.owned(kind, owner, players), tone: self.tone(owner), taken: true }
    }

    fn owned(&self, kind: &Kind, owner: usize, players: usize) -> String {
        match (self.letters, owner, players) {
            (false, ..) => self.shapes.get(owner).cloned().unwrap_or_default(),
            (true, 0, 1 | 2) => kind.mark.to_uppercase(),
            (true, _, 1 | 2) => kind.mark.to_lowercase(),
            (true, ..) => format!("{}{}", kind.mark.to_uppercase(), owner + 1),
        }
    }
}

fn number(position: &Position, memory: usize, site: Site) -> Option<i64> {
    let values = position.game().engine().values(&position.situation().state, memory);
    match values.get(site.index())? {
        Value::Number(number) => *number,
        _ => None,
    }
}
