//! What is to be seen on every site of a position: a piece, a number, or nothing.

use super::theme::{Hue, Theme, Tone};
use crate::board::Site;
use crate::game::{Game, Position};
use crate::rules::{Content, Figure, Kind, MAX_PLAYERS, Scope, Type, Value};

/// Shapes for the pieces of the players of games that have one kind of piece for each.
const SHAPES: [&str; MAX_PLAYERS] = ["●", "○", "◆", "◇", "▲", "△", "■", "□", "★", "☆", "▼", "▽", "◀", "◁", "▶", "▷"];

/// How the pieces of a game look.
#[derive(Clone, Debug)]
pub struct Look {
    /// Of the players, in their order.
    pub hues: Vec<Hue>,
    shapes: Vec<String>,
    /// Whether a player's pieces are told apart by a letter or a figure.
    letters: bool,
    /// For each player whether figures are filled; without colours too they tell two players apart, and no more.
    filled: Vec<bool>,
    /// Figures of more than one kind, which say too little.
    alike: Vec<Figure>,
    /// A number kept for every site, as seeds in a hole are.
    number: Option<usize>,
    /// A number that every piece carries.
    carried: Option<usize>,
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
        let mut shapes: Vec<String> = SHAPES.iter().take(names.len()).map(|shape| (*shape).to_owned()).collect();
        let mut filled = if theme.has_figures() && names.len() <= 2 { vec![true, false] } else { Vec::new() };
        if names.first() == Some(&"White") && names.get(1) == Some(&"Black") {
            // As on paper.
            shapes.swap(0, 1);
            filled.reverse();
        }
        // Players who are called by one character, as X and O, write it.
        let initials = names.iter().all(|name| name.chars().count() == 1);
        if initials {
            shapes = names.iter().map(|name| (*name).to_owned()).collect();
        }
        let owned = rules.kinds.iter().filter(|kind| !kind.neutral).count();
        let figures: Vec<Vec<Figure>> = (0..names.len())
            .map(|player| rules.kinds.iter().filter(|kind| !kind.neutral).map(|kind| kind.figure(player)).collect())
            .collect();
        let doubled = |own: &Vec<Figure>| {
            let more_than_once = |figure: &&Figure| own.iter().filter(|other| other == figure).count() > 1;
            own.iter().filter(more_than_once).copied().collect::<Vec<_>>()
        };
        let alike = figures.iter().flat_map(doubled).collect();
        let only = |with_piece: bool| {
            let mut numbers = rules.memories.iter().enumerate().filter(|(_, memory)| {
                memory.declared
                    && memory.scope == Scope::Site
                    && memory.ty == Type::Number
                    && memory.with_piece == with_piece
            });
            match (numbers.next(), numbers.next()) {
                (Some((index, _)), None) => Some(index),
                _ => None,
            }
        };
        let (number, carried) = (only(false), only(true));
        Self {
            hues: Hue::of_players(&names),
            shapes,
            letters: owned > 1 || !(initials || theme.has_shapes()),
            filled,
            alike,
            number,
            carried,
            theme,
        }
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
            let numbered = !kind.neutral && self.letters && rules.players.len() > 2;
            let owned = if numbered { rules.players.len().to_string().len() } else { 0 };
            let carried = self.carried.and_then(|index| rules.memories.get(index)?.range);
            let carried = carried.map_or(0, |(low, high)| low.to_string().len().max(high.to_string().len()));
            kind.mark.chars().count() + owned + carried + rules.stacks.map_or(0, |stacks| stacks.most.to_string().len())
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

    /// The same for sites that the rules give to the player.
    #[must_use]
    pub fn home(&self, player: usize) -> Tone {
        Tone::Home(self.hues.get(player).copied().unwrap_or(Hue::White))
    }

    /// What tells the pieces of a player, in few characters.
    #[must_use]
    pub fn badge(&self, game: &Game, player: usize) -> String {
        let mut owned = game.rules().kinds.iter().filter(|kind| !kind.neutral);
        let players = self.hues.len();
        let figure = owned.clone().find_map(|kind| self.figure(kind, player));
        match (owned.next(), owned.next()) {
            (Some(kind), None) => self.owned(kind, player, players),
            (Some(_), Some(_)) if figure.is_some() => figure.unwrap_or_default().to_owned(),
            _ if self.theme.has_shapes() => "■".to_owned(),
            (Some(_), Some(_)) if players <= 2 => if player == 0 { "ABC" } else { "abc" }.to_owned(),
            (Some(_), Some(_)) => format!("{}", player + 1),
            (None, _) => String::new(),
        }
    }

    /// What the letters on the board stand for, each with its piece; a figure says it by itself.
    #[must_use]
    pub fn legend(&self, game: &Game) -> Vec<String> {
        let rules = game.rules();
        let players = rules.players.len();
        let letters = |kind: &&Kind| kind.neutral || (self.letters && self.figure(kind, 0).is_none());
        let shown: Vec<&Kind> = rules.kinds.iter().filter(letters).collect();
        if shown.len() < 2 {
            return Vec::new();
        }
        let letter = |kind: &Kind| match (kind.neutral, players) {
            (true, _) => kind.mark.clone(),
            (false, 1 | 2) => self.owned(kind, 0, players),
            (false, _) => kind.mark.to_uppercase(),
        };
        let mut legend: Vec<String> =
            shown.iter().map(|kind| format!("{} {}", letter(kind), kind.name.replace('_', " "))).collect();
        if let (true, [first, second]) = (shown.iter().any(|kind| !kind.neutral), rules.players.as_slice()) {
            legend.push(format!("ABC {}", first.name));
            legend.push(format!("abc {}", second.name));
        }
        legend
    }

    /// What is on a site.
    #[must_use]
    pub fn mark(&self, position: &Position, site: Site) -> Mark {
        let rules = position.game().rules();
        let content = position.situation().state.content(site);
        if let Some(kind) = content.kind().and_then(|kind| rules.kinds.get(usize::from(kind.0))) {
            let mut mark = self.piece(kind, content, rules.players.len());
            let height = position.situation().state.stack(site).len();
            if height > 1 {
                mark.text += &height.to_string();
            }
            if let Some(number) = self.carried.and_then(|index| number(position, index, site)) {
                mark.text += &number.to_string();
            }
            return mark;
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

    /// The figure of a piece, if it has one.
    fn figure(&self, kind: &Kind, owner: usize) -> Option<&'static str> {
        let figure = kind.figure(owner);
        if self.alike.contains(&figure) {
            return None;
        }
        let (outlined, filled) = match figure {
            Figure::King => ("♔", "♚"),
            Figure::Queen => ("♕", "♛"),
            Figure::Rook => ("♖", "♜"),
            Figure::Bishop => ("♗", "♝"),
            Figure::Knight => ("♘", "♞"),
            Figure::Pawn => ("♙", "♟"),
            _ => return None,
        };
        self.filled.get(owner).map(|fill| if *fill { filled } else { outlined })
    }

    fn owned(&self, kind: &Kind, owner: usize, players: usize) -> String {
        if let Some(figure) = self.figure(kind, owner).filter(|_| self.letters) {
            return figure.to_owned();
        }
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
