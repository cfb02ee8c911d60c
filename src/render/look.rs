//! What pieces and players look like: shapes from the rules or by name, colours that can be told apart.

use super::colours::{CSS, paint};
use crate::rules::{Figure, KindId, MAX_PLAYERS, PlayerId, Rules};

/// The shape of a piece, with a letter where several kinds would look alike.
#[derive(Clone, PartialEq, Debug)]
pub struct Look {
    pub figure: Figure,
    pub letter: Option<String>,
    /// Which of the neutral kinds this is.
    pub neutral: usize,
}

impl Look {
    /// What a piece looks like of which only the owner is seen.
    pub fn masked(self) -> Self {
        Self { figure: Figure::Letter, letter: Some("?".to_owned()), ..self }
    }
}

/// What every kind looks like, for each player.
pub struct Looks {
    kinds: Vec<Vec<Look>>,
}

impl Looks {
    pub fn of(&self, kind: KindId, owner: Option<PlayerId>) -> Option<&Look> {
        let looks = self.kinds.get(usize::from(kind.0))?;
        looks.get(owner.map_or(0, |owner| usize::from(owner.0)))
    }
}

pub fn looks(rules: &Rules) -> Looks {
    let neutrals = |upto: usize| rules.kinds.iter().take(upto).filter(|kind| kind.neutral).count();
    let kinds = rules.kinds.iter().enumerate().map(|(index, kind)| {
        (0..rules.players.len().max(1))
            .map(|player| {
                let own = kind.figure(player);
                let alike = rules.kinds.iter().enumerate().any(|(other, second)| {
                    other != index && second.neutral == kind.neutral && second.figure(player) == own
                });
                let lettered = own == Figure::Letter || alike;
                Look { figure: own, letter: lettered.then(|| kind.mark.to_uppercase()), neutral: neutrals(index) }
            })
            .collect()
    });
    Looks { kinds: kinds.collect() }
}

/// The colours of a player or of a kind that belongs to nobody.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paint {
    pub fill: &'static str,
    /// Around the piece.
    pub line: &'static str,
    /// On the piece.
    pub detail: &'static str,
    /// Whether the piece is darker than what is drawn on it.
    pub dark: bool,
}

/// A player as pictures show him.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seat {
    pub name: String,
    pub paint: Paint,
}

pub const fn light(fill: &'static str) -> Paint {
    Paint { fill, line: "#2b2b2b", detail: "#2b2b2b", dark: false }
}

pub const fn dark(fill: &'static str) -> Paint {
    Paint { fill, line: "#1a1a1a", detail: "#ffffff", dark: true }
}

/// Nearly black, so that its outline can be seen.
pub const BLACK: Paint = Paint { fill: "#26282c", line: "#0c0d0f", detail: "#f2f2f2", dark: true };

/// Colours that people with any sight can tell apart (Masataka Okabe and Kei Ito), those farthest apart first. Behind the
/// first seven stand tones for games of more players, as far from all others as can be.
const PALETTE: [Paint; MAX_PLAYERS] = [
    dark("#0072b2"),
    light("#e69f00"),
    dark("#009e73"),
    light("#cc79a7"),
    light("#56b4e9"),
    dark("#d55e00"),
    light("#f0e442"),
    BLACK,
    light("#fdfcf8"),
    dark("#7b1e2b"),
    dark("#9a6a34"),
    dark("#7b4397"),
    light("#a6d96a"),
    dark("#2a2f8f"),
    dark("#767b85"),
    light("#c8a2f0"),
];

/// The colours for pieces that belong to nobody, on light boards and on dark ones.
pub const NEUTRAL: [Paint; 3] = [dark("#6f7680"), dark("#d55e00"), light("#d9dce1")];
pub const NEUTRAL_ON_DARK: [Paint; 3] = [light("#c3c9d2"), dark("#d55e00"), dark("#3a3f47")];

/// The colours of players who are called after one.
pub const NAMED: [(&str, Paint); 27] = [
    ("white", light("#fdfcf8")),
    ("light", light("#fdfcf8")),
    ("cream", light("#f7ecd0")),
    ("ivory", light("#f7f0dc")),
    ("black", BLACK),
    ("dark", BLACK),
    ("red", dark("#c8322b")),
    ("maroon", dark("#7b1e2b")),
    ("crimson", dark("#a3182f")),
    ("orange", light("#e69f00")),
    ("amber", light("#f2a900")),
    ("gold", light("#dcae1d")),
    ("yellow", light("#f0e442")),
    ("green", dark("#009e73")),
    ("olive", dark("#7a7a1f")),
    ("teal", dark("#0f8b8d")),
    ("cyan", light("#3cc0d4")),
    ("sky", light("#56b4e9")),
    ("blue", dark("#0072b2")),
    ("navy", dark("#1f3a6e")),
    ("purple", dark("#7b4397")),
    ("violet", dark("#8a4fbf")),
    ("magenta", light("#cc4fa0")),
    ("pink", light("#e79ac0")),
    ("brown", dark("#7a4a28")),
    ("grey", dark("#767b85")),
    ("silver", light("#c4c9d1")),
];

/// The colour that a player is called after: `Red`, `DarkRed`, `Dark_red`.
fn named(name: &str) -> Option<Paint> {
    let name = name.to_lowercase().replace('_', "");
    let own = NAMED.iter().find(|(known, _)| *known == name).map(|(_, paint)| paint.clone());
    own.or_else(|| CSS.iter().find(|(known, _)| *known == name).map(|(_, fill)| paint(fill)))
}

/// The players with their colours: those they are called after, and for the others what is left of the palette.
pub fn seats(rules: &Rules) -> Vec<Seat> {
    let taken: Vec<Option<Paint>> = rules.players.iter().map(|player| named(&player.name)).collect();
    let used = |paint: &Paint| taken.iter().flatten().any(|other| other.fill == paint.fill);
    let mut free = PALETTE.iter().filter(|paint| !used(paint)).cycle();
    rules
        .players
        .iter()
        .zip(&taken)
        .map(|(player, paint)| {
            let paint = paint.clone().or_else(|| free.next().cloned()).unwrap_or(light("#ffffff"));
            Seat { name: player.name.clone(), paint }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_players_as_there_may_be_have_colours_far_from_each_other() {
        let part = |fill: &str, at: usize| f64::from(u8::from_str_radix(&fill[at..at + 2], 16).unwrap());
        // The weights of a plain measure of how different colours look: red and blue count twice, green four times.
        let apart = |a: &str, b: &str| {
            let squares =
                [(1, 2.0), (3, 4.0), (5, 2.0)].map(|(at, weight)| weight * (part(a, at) - part(b, at)).powi(2));
            squares.iter().sum::<f64>().sqrt()
        };
        for (at, one) in PALETTE.iter().enumerate() {
            for other in &PALETTE[..at] {
                assert!(apart(one.fill, other.fill) > 100.0, "{} {}", one.fill, other.fill);
            }
        }
    }
}
