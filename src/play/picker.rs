//! A legal move chosen part by part: a site by clicking it, all else by its name.

use crate::board::{Board, Site, SiteSet};
use crate::game::Position;
use crate::game::notation::value_text;
use crate::rules::Value;

/// One step of choosing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    Site(Site),
    /// What is no site: a direction, a piece, a number, or a whole move.
    Named(String),
}

/// What a step of choosing has led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Picked {
    /// Nothing legal begins like that; it does not count.
    Nothing,
    /// More is to be chosen.
    More,
    /// The number of a legal move.
    Move(usize),
}

/// One way to choose a part: what it is called, and the site that may be clicked for it.
#[derive(Clone, Debug)]
struct Way {
    choice: Choice,
    /// What the rules call this part; empty for a whole move.
    part: String,
    /// For a direction: the next site in it from the site chosen before.
    towards: Option<Site>,
}

/// The choices still open in a position.
#[derive(Clone, Debug)]
pub struct Picker {
    /// Of every legal move, in their order.
    ways: Vec<Vec<Way>>,
    open: Vec<usize>,
    chosen: Vec<Choice>,
}

impl Picker {
    #[must_use]
    pub fn new(position: &Position) -> Self {
        let rules = position.game().rules();
        let board = &rules.board;
        let texts = position.moves();
        let mut ways: Vec<Vec<Way>> = Vec::new();
        for (ply, text) in position.situation().legal.iter().zip(&texts) {
            let named = rules.moves.get(ply.mv.0).into_iter().flat_map(|mv| mv.names.iter().filter(|name| name.part));
            let mut parts: Vec<Way> = Vec::new();
            let mut last = None;
            for (name, value) in named.zip(ply.parts(rules)) {
                let way = way(board, &name.name, &value, last, || label(&name.name, &value_text(rules, &value)));
                if let Some(way) = way {
                    if let Choice::Site(site) = &way.choice {
                        last = Some(*site);
                    }
                    parts.push(way);
                }
            }
            if parts.is_empty() {
                parts.push(Way { choice: Choice::Named(text.clone()), part: String::new(), towards: None });
            }
            ways.push(parts);
        }
        // Moves of different kinds may have the same parts: at last they are told apart by their text.
        let same: Vec<usize> = (0..ways.len())
            .filter(|at| (0..ways.len()).any(|other| other != *at && is_prefix(&ways[*at], &ways[other])))
            .collect();
        for at in same {
            if let (Some(parts), Some(text)) = (ways.get_mut(at), texts.get(at)) {
                parts.push(Way { choice: Choice::Named(text.clone()), part: String::new(), towards: None });
            }
        }
        let open = (0..ways.len()).collect();
        Self { ways, open, chosen: Vec::new() }
    }

    fn next(&self) -> impl Iterator<Item = &Way> {
        let depth = self.chosen.len();
        self.open.iter().filter_map(move |index| self.ways.get(*index)?.get(depth))
    }

    /// What has been chosen so far.
    #[must_use]
    pub fn chosen(&self) -> &[Choice] {
        &self.chosen
    }

    /// What the rules call the parts that may be chosen next, each once.
    #[must_use]
    pub fn parts(&self) -> Vec<&str> {
        let mut parts: Vec<&str> = Vec::new();
        for way in self.next().filter(|way| !way.part.is_empty()) {
            if !parts.contains(&way.part.as_str()) {
                parts.push(&way.part);
            }
        }
        parts
    }

    /// The numbers of the legal moves that begin like what has been chosen.
    #[must_use]
    pub fn open(&self) -> &[usize] {
        &self.open
    }

    /// The sites that may be chosen next.
    #[must_use]
    pub fn sites(&self) -> SiteSet {
        let mut sites = SiteSet::EMPTY;
        for way in self.next() {
            match way.choice {
                Choice::Site(site) => sites.insert(site),
                Choice::Named(_) => way.towards.into_iter().for_each(|site| sites.insert(site)),
            };
        }
        sites
    }

    /// The names that may be chosen next, each once, in the order of the moves.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for way in self.next() {
            if let Choice::Named(name) = &way.choice
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names
    }

    /// Chooses a site or a name. A move is complete as soon as no site is left to choose and the rest is certain.
    pub fn pick(&mut self, choice: &Choice) -> Picked {
        let depth = self.chosen.len();
        let way = |index: &usize| self.ways.get(*index).and_then(|parts| parts.get(depth));
        let meant: Vec<usize> =
            self.open.iter().copied().filter(|index| way(index).is_some_and(|way| way.choice == *choice)).collect();
        // A site that is meant as such comes before one that stands for a direction.
        let (open, choice) = match choice {
            Choice::Site(site) if meant.is_empty() => {
                let towards = |index: &usize| way(index).is_some_and(|way| way.towards == Some(*site));
                let open: Vec<usize> = self.open.iter().copied().filter(towards).collect();
                let choice = open.first().and_then(way).map(|way| way.choice.clone());
                (open, choice)
            }
            choice => (meant, Some(choice.clone())),
        };
        let Some(choice) = choice.filter(|_| !open.is_empty()) else { return Picked::Nothing };
        self.open = open;
        self.chosen.push(choice);
        let depth = self.chosen.len();
        match self.open.as_slice() {
            [only] => {
                let rest = self.ways.get(*only).and_then(|parts| parts.get(depth..)).unwrap_or_default();
                if rest.iter().any(|way| matches!(way.choice, Choice::Site(_))) {
                    Picked::More
                } else {
                    Picked::Move(*only)
                }
            }
            _ => Picked::More,
        }
    }

    /// Forgets what has been chosen.
    pub fn clear(&mut self) {
        self.open = (0..self.ways.len()).collect();
        self.chosen.clear();
    }
}

fn way(board: &Board, part: &str, value: &Value, last: Option<Site>, text: impl Fn() -> String) -> Option<Way> {
    let part = part.to_owned();
    match value {
        Value::Sites(sites) => {
            let site = sites.iter().next()?;
            Some(Way { choice: Choice::Site(site), part, towards: None })
        }
        Value::Condition(None) => None,
        Value::Directions(directions) => {
            let towards = last.zip(directions.iter().next()).and_then(|(from, way)| board.step(from, way));
            Some(Way { choice: Choice::Named(text()), part, towards })
        }
        _ => Some(Way { choice: Choice::Named(text()), part, towards: None }),
    }
}

/// A part by itself says little: "2" of what?
fn label(part: &str, value: &str) -> String {
    format!("{part} {value}")
}

fn is_prefix(short: &[Way], long: &[Way]) -> bool {
    short.len() <= long.len() && short.iter().zip(long).all(|(a, b)| a.choice == b.choice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::library::Library;

    fn start(name: &str, options: &[(&str, &str)]) -> Position {
        let options: Vec<(String, String)> =
            options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Game::from_text(name, Library::text(name).unwrap(), None, &options, &Library).unwrap().start()
    }

    /// Whether a move can be reached by choosing what is offered, one after the other.
    fn reach(position: &Position, wanted: usize) -> bool {
        let mut picker = Picker::new(position);
        loop {
            let way = picker.ways[wanted].get(picker.chosen.len()).cloned();
            let Some(way) = way else { return false };
            let offered = match &way.choice {
                Choice::Site(site) => picker.sites().contains(*site),
                Choice::Named(name) => picker.names().contains(&name.as_str()),
            };
            assert!(offered);
            match picker.pick(&way.choice) {
                Picked::Move(index) => return index == wanted,
                Picked::More => {}
                Picked::Nothing => return false,
            }
        }
    }

    #[test]
    fn every_legal_move_of_every_shipped_game_can_be_chosen() {
        for name in Library::names() {
            let mut position = start(name, &[]);
            for round in 0..12 {
                for index in 0..position.move_count() {
                    assert!(reach(&position, index), "{name}: {:?}", position.move_text(index));
                }
                let Some(after) = position.play_index(round * 7 % position.move_count().max(1)) else { break };
                position = after;
            }
        }
    }

    #[test]
    fn a_click_on_a_piece_shows_where_it_can_go() {
        let position = start("breakthrough", &[]);
        let board = &position.game().rules().board;
        let site = |name: &str| board.find(name).unwrap();
        let mut picker = Picker::new(&position);
        assert_eq!(picker.sites().len(), 8);
        assert_eq!(picker.pick(&Choice::Site(site("e5"))), Picked::Nothing);
        assert_eq!(picker.pick(&Choice::Site(site("b2"))), Picked::More);
        let targets: Vec<&str> = picker.sites().iter().map(|site| board.name(site)).collect();
        assert_eq!(targets, ["a3", "b3", "c3"]);
        let Picked::Move(index) = picker.pick(&Choice::Site(site("b3"))) else { panic!("b2-b3 is a move") };
        assert!(position.move_text(index).unwrap().contains("b3"));
    }
}
