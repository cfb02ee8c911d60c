//! A legal move chosen part by part: what has a place by pointing at it, all else by its name. Where players do not see
//! everything, nothing is told of what a move would bring about.

use crate::board::{Board, Site, SiteSet};
use crate::game::Position;
use crate::game::notation::value_text;
use crate::rules::{Content, Local, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Of more plies nobody asks what each would change.
const MANY: usize = 600;

/// A choice, and the sites that it certainly changes with what comes there.
pub type Effect = (Choice, Vec<(Site, Content)>);

/// What stands on some sites.
type Contents = BTreeMap<Site, Content>;

/// One step of choosing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
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
    /// The pick of several to which it belongs, whose members may be chosen in any order.
    pick: Option<Local>,
}

impl Way {
    fn whole(text: &str) -> Self {
        Self { choice: Choice::Named(text.to_owned()), part: String::new(), towards: None, pick: None }
    }
}

/// A row of choices that leads to a legal move.
#[derive(Clone, Debug)]
struct Path {
    ply: usize,
    ways: Vec<Way>,
}

impl Path {
    /// What may be chosen after so many choices: one thing, or any member of a pick that is left.
    fn next(&self, depth: usize) -> impl Iterator<Item = &Way> {
        let rest = self.ways.get(depth..).unwrap_or_default();
        let pick = rest.first().and_then(|way| way.pick);
        rest.iter()
            .enumerate()
            .take_while(move |(at, way)| *at == 0 || pick.is_some() && way.pick == pick)
            .map(|(_, way)| way)
    }

    /// Puts a choice in its place; false where it cannot come next.
    fn choose(&mut self, depth: usize, choice: &Choice) -> bool {
        let found = self.next(depth).position(|way| way.choice == *choice);
        if let Some(at) = found {
            self.ways.swap(depth, depth + at);
        }
        found.is_some()
    }
}

/// Something that may be chosen by its name, and how it can be seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    pub name: String,
    /// The site that may be pointed at for it.
    pub at: Option<Site>,
    /// What the choice alone brings about: a piece on a site.
    pub shows: Option<(Site, Content)>,
}

/// The choices still open in a position.
#[derive(Clone, Debug)]
pub struct Picker {
    position: Position,
    /// Of every legal move one in their order; behind them further ones.
    paths: Vec<Path>,
    open: Vec<usize>,
    chosen: Vec<Choice>,
    named: OnceLock<Vec<Named>>,
}

impl Picker {
    #[must_use]
    pub fn new(position: &Position) -> Self {
        let rules = position.game().rules();
        let board = &rules.board;
        let texts = position.moves();
        let mut paths: Vec<Path> = Vec::new();
        for (ply, text) in position.situation().legal.iter().zip(&texts) {
            let named = rules.moves.get(ply.mv.0).into_iter().flat_map(crate::rules::Move::parts);
            let mut parts: Vec<Way> = Vec::new();
            let mut last = None;
            for (name, value) in named.zip(ply.parts(rules)) {
                let called = name.called();
                let way = way(board, called, &value, last, || label(called, &value_text(rules, &value)));
                if let Some(way) = way.map(|way| Way { pick: name.pick, ..way }) {
                    if let Choice::Site(site) = &way.choice {
                        last = Some(*site);
                    }
                    parts.push(way);
                }
            }
            if parts.is_empty() {
                parts.push(Way::whole(text));
            }
            paths.push(Path { ply: paths.len(), ways: parts });
        }
        // Moves of different kinds may have the same parts: at last they are told apart by their text.
        let same = begun_by_others(&paths);
        for at in same {
            if let (Some(path), Some(text)) = (paths.get_mut(at), texts.get(at)) {
                path.ways.push(Way::whole(text));
            }
        }
        if !position.game().hides() {
            paths.extend(by_moving(position, &paths));
        }
        let open = (0..paths.len()).collect();
        Self { position: position.clone(), paths, open, chosen: Vec::new(), named: OnceLock::new() }
    }

    /// The open paths with what they ask for next.
    fn next(&self) -> impl Iterator<Item = (&Path, &Way)> {
        let depth = self.chosen.len();
        self.open
            .iter()
            .filter_map(move |at| self.paths.get(*at))
            .flat_map(move |path| path.next(depth).map(move |way| (path, way)))
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
        for (_, way) in self.next().filter(|(_, way)| !way.part.is_empty()) {
            if !parts.contains(&way.part.as_str()) {
                parts.push(&way.part);
            }
        }
        parts
    }

    /// The numbers of the legal moves that begin like what has been chosen, each once.
    #[must_use]
    pub fn open(&self) -> Vec<usize> {
        let plies: BTreeSet<usize> =
            self.open.iter().filter_map(|at| self.paths.get(*at)).map(|path| path.ply).collect();
        plies.into_iter().collect()
    }

    /// The sites that may be chosen next.
    #[must_use]
    pub fn sites(&self) -> SiteSet {
        let mut sites = self.plain_sites();
        self.named().iter().filter_map(|named| named.at).for_each(|site| {
            sites.insert(site);
        });
        sites
    }

    /// The sites that are parts of moves themselves.
    fn plain_sites(&self) -> SiteSet {
        let mut sites = SiteSet::EMPTY;
        for (_, way) in self.next() {
            if let Choice::Site(site) = way.choice {
                sites.insert(site);
            }
        }
        sites
    }

    /// The names that may be chosen next, each once, in the order of the moves.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.named().iter().map(|named| named.name.as_str()).collect()
    }

    /// What may be chosen next by name, and where each can be seen.
    #[must_use]
    pub fn named(&self) -> &[Named] {
        self.named.get_or_init(|| self.find_named())
    }

    fn find_named(&self) -> Vec<Named> {
        let mut groups: Vec<(String, Vec<usize>, Option<Site>)> = Vec::new();
        for (path, way) in self.next() {
            if let Choice::Named(name) = &way.choice {
                match groups.iter_mut().find(|(known, ..)| known == name) {
                    Some((_, plies, _)) => plies.push(path.ply),
                    None => groups.push((name.clone(), vec![path.ply], way.towards)),
                }
            }
        }
        let taken = self.plain_sites();
        let shown = self.shown(&groups);
        let site_of = |at: usize| shown.get(at).copied().flatten().map(|(site, _)| site);
        let pointed = (0..groups.len()).map(|at| {
            let alone = |site: &Site| {
                !taken.contains(*site) && (0..groups.len()).all(|other| other == at || site_of(other) != Some(*site))
            };
            site_of(at).filter(alone)
        });
        let pointed: Vec<Option<Site>> = pointed.collect();
        let free = |site: &Site| !taken.contains(*site) && !pointed.contains(&Some(*site));
        let places = pointed.iter().zip(shown.iter());
        let named = groups.iter().zip(places).map(|((name, _, towards), (at, shows))| Named {
            name: name.clone(),
            at: at.or(towards.filter(free)),
            shows: *shows,
        });
        named.collect()
    }

    /// For each group of plies the one piece on a site that all of them lead to and no ply of another group does.
    fn shown(&self, groups: &[(String, Vec<usize>, Option<Site>)]) -> Vec<Option<(Site, Content)>> {
        let many = groups.iter().map(|(_, plies, _)| plies.len()).sum::<usize>() > MANY;
        if many || self.position.game().hides() {
            return vec![None; groups.len()];
        }
        let changes = |plies: &[usize]| -> Vec<Contents> {
            plies.iter().map(|ply| self.position.changes_by(*ply).into_iter().collect()).collect()
        };
        let changes: Vec<Vec<Contents>> = groups.iter().map(|(_, plies, _)| changes(plies)).collect();
        let touched: BTreeSet<Site> = changes.iter().flatten().flat_map(|ply| ply.keys().copied()).collect();
        let state = &self.position.situation().state;
        let after = |ply: &Contents, site: Site| ply.get(&site).copied().unwrap_or(state.content(site));
        let own = |at: usize, site: Site| {
            let group = changes.get(at)?;
            let content = after(group.first()?, site);
            let certain = !content.is_empty() && group.iter().all(|ply| after(ply, site) == content);
            let mut others = changes.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, group)| group);
            (certain && others.all(|ply| after(ply, site) != content)).then_some((site, content))
        };
        let only = |at: usize| {
            let mut found = touched.iter().filter_map(|site| own(at, *site));
            let first = found.next()?;
            found.next().is_none().then_some(first)
        };
        (0..groups.len()).map(only).collect()
    }

    /// What every move changes that begins with one more choice: as much of its effect as is certain. None where there are too
    /// many to ask, and in games that hide something.
    #[must_use]
    pub fn effects(&self) -> Option<Vec<Effect>> {
        let mut effects: BTreeMap<&Choice, Option<Contents>> = BTreeMap::new();
        if self.open.len() > MANY || self.position.game().hides() {
            return None;
        }
        for (path, way) in self.next() {
            let changes: Contents = self.position.changes_by(path.ply).into_iter().collect();
            let common = match effects.remove(&way.choice).flatten() {
                Some(known) => known.into_iter().filter(|(site, content)| changes.get(site) == Some(content)).collect(),
                None => changes,
            };
            effects.insert(&way.choice, Some(common));
        }
        let told =
            |(choice, common): (&Choice, Option<Contents>)| (choice.clone(), common.into_iter().flatten().collect());
        Some(effects.into_iter().map(told).collect())
    }

    /// Chooses a site or a name. A move is complete as soon as no site is left to choose and the rest is certain.
    pub fn pick(&mut self, choice: &Choice) -> Picked {
        let meant = match choice {
            // A site that is meant as such comes before one that stands for something else.
            Choice::Site(site) if !self.plain_sites().contains(*site) => {
                let named = self.named().iter().find(|named| named.at == Some(*site));
                named.map(|named| Choice::Named(named.name.clone()))
            }
            choice => Some(choice.clone()),
        };
        let Some(choice) = meant.filter(|choice| self.next().any(|(_, way)| way.choice == *choice)) else {
            return Picked::Nothing;
        };
        self.go_on(choice);
        while let Some(only) = self.only_name() {
            self.go_on(only);
        }
        match self.open().as_slice() {
            [only] => {
                let depth = self.chosen.len();
                let path = self.open.first().and_then(|at| self.paths.get(*at));
                let rest = path.and_then(|path| path.ways.get(depth..)).unwrap_or_default();
                if rest.iter().any(|way| matches!(way.choice, Choice::Site(_))) {
                    Picked::More
                } else {
                    Picked::Move(*only)
                }
            }
            _ => Picked::More,
        }
    }

    fn go_on(&mut self, choice: Choice) {
        let depth = self.chosen.len();
        let paths = &mut self.paths;
        self.open.retain(|at| paths.get_mut(*at).is_some_and(|path| path.choose(depth, &choice)));
        self.chosen.push(choice);
        self.named = OnceLock::new();
    }

    /// The name that is the only choice of several moves.
    fn only_name(&self) -> Option<Choice> {
        let mut next = self.next().map(|(_, way)| &way.choice);
        let first = next.next().filter(|choice| matches!(choice, Choice::Named(_)))?;
        (self.open().len() > 1 && next.all(|choice| choice == first)).then(|| first.clone())
    }

    /// Forgets what has been chosen.
    pub fn clear(&mut self) {
        self.open = (0..self.paths.len()).collect();
        self.chosen.clear();
        self.named = OnceLock::new();
    }
}

/// Moves without parts that carry pieces may be made by one of these: from where it stands to where it goes, as far as no
/// other move is chosen like that.
fn by_moving(position: &Position, paths: &[Path]) -> Vec<Path> {
    let whole =
        |path: &&Path| matches!(path.ways.as_slice(), [Way { choice: Choice::Named(_), part, .. }] if part.is_empty());
    let mut further: Vec<Path> = Vec::new();
    for path in paths.iter().filter(whole).take(MANY) {
        for (from, to) in position.carried_by(path.ply) {
            let way = |site| Way { choice: Choice::Site(site), part: String::new(), towards: None, pick: None };
            let ways = vec![way(from), way(to)];
            let taken = |other: &Path| is_prefix(&ways, &other.ways) || is_prefix(&other.ways, &ways);
            if !paths.iter().chain(&further).any(taken) {
                further.push(Path { ply: path.ply, ways });
            }
        }
    }
    further
}

fn way(board: &Board, part: &str, value: &Value, last: Option<Site>, text: impl Fn() -> String) -> Option<Way> {
    let part = part.to_owned();
    match value {
        Value::Sites(sites) => {
            let site = sites.iter().next()?;
            Some(Way { choice: Choice::Site(site), part, towards: None, pick: None })
        }
        Value::Condition(None) => None,
        Value::Directions(directions) => {
            let towards = last.zip(directions.iter().next()).and_then(|(from, way)| board.step(from, way));
            Some(Way { choice: Choice::Named(text()), part, towards, pick: None })
        }
        _ => Some(Way { choice: Choice::Named(text()), part, towards: None, pick: None }),
    }
}

/// A part by itself says little: "2" of what?
fn label(part: &str, value: &str) -> String {
    format!("{part} {value}")
}

fn is_prefix(short: &[Way], long: &[Way]) -> bool {
    beginnings(long, short.len()).iter().any(|begun| begun.iter().copied().eq(short.iter().map(|way| &way.choice)))
}

/// The paths with which another one begins, or is the same.
fn begun_by_others(paths: &[Path]) -> Vec<usize> {
    let lengths: BTreeSet<usize> = paths.iter().map(|path| path.ways.len()).collect();
    let mut begun: BTreeMap<Vec<&Choice>, usize> = BTreeMap::new();
    for path in paths {
        for beginning in lengths.iter().flat_map(|length| beginnings(&path.ways, *length)) {
            *begun.entry(beginning).or_default() += 1;
        }
    }
    fn whole(path: &Path) -> Vec<&Choice> {
        path.ways.iter().map(|way| &way.choice).collect()
    }
    let twice = |at: &usize| paths.get(*at).is_some_and(|path| begun.get(&whole(path)).is_some_and(|count| *count > 1));
    (0..paths.len()).filter(twice).collect()
}

/// The first so many choices of a row: several rows where a pick is cut, since its members come in any order.
fn beginnings(ways: &[Way], length: usize) -> Vec<Vec<&Choice>> {
    if length > ways.len() {
        return Vec::new();
    }
    let (begun, rest) = ways.split_at(length);
    let cut =
        begun.last().and_then(|way| way.pick).filter(|pick| rest.first().is_some_and(|way| way.pick == Some(*pick)));
    let in_cut = |way: &&Way| cut.is_some() && way.pick == cut;
    let before = begun.iter().filter(|way| !in_cut(way)).map(|way| &way.choice).collect::<Vec<_>>();
    let members = ways.iter().filter(in_cut).map(|way| &way.choice).collect::<Vec<_>>();
    let mut rows = vec![before];
    // Every choice of so many members, in their order.
    for (at, member) in members.iter().enumerate() {
        let left = members.len() - at;
        let more: Vec<Vec<&Choice>> = rows
            .iter()
            .filter(|row| row.len() < length)
            .map(|row| row.iter().copied().chain([*member]).collect())
            .collect();
        rows.retain(|row| row.len() + left > length || row.len() == length);
        rows.extend(more);
    }
    rows.retain(|row| row.len() == length);
    rows
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
    fn reach(mut picker: Picker, wanted: usize) -> bool {
        loop {
            let way = picker.paths[wanted].ways.get(picker.chosen.len()).cloned();
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
                let picker = Picker::new(&position);
                for index in 0..position.move_count() {
                    assert!(reach(picker.clone(), index), "{name}: {:?}", position.move_text(index));
                }
                let Some(after) = position.play_index(round * 7 % position.move_count().max(1)) else { break };
                position = after;
            }
        }
    }

    /// Picks one site after the other; the text of the move that it comes to.
    fn picked(position: &Position, sites: &[&str]) -> Option<String> {
        let mut picker = Picker::new(position);
        let board = &position.game().rules().board;
        for (at, name) in sites.iter().enumerate() {
            match picker.pick(&Choice::Site(board.find(name).unwrap())) {
                Picked::Move(index) if at + 1 == sites.len() => return position.move_text(index),
                Picked::More => {}
                Picked::Move(_) | Picked::Nothing => return None,
            }
        }
        None
    }

    #[test]
    fn a_move_that_is_only_named_is_made_by_the_piece_that_it_carries() {
        let mut position = start("chess", &[]);
        for text in ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"] {
            position = position.play(text).unwrap();
        }
        assert_eq!(picked(&position, &["e1", "g1"]).as_deref(), Some("O-O"));
        assert_eq!(picked(&position, &["h1", "f1"]).as_deref(), Some("h1f1"), "the rook goes alone");
        assert_eq!(picked(&position, &["e1", "f1"]).as_deref(), Some("e1f1"));
    }

    #[test]
    fn a_promotion_shows_the_piece_and_is_still_chosen_by_name() {
        let mut position = start("chess", &[]);
        for text in ["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "h7h6", "a6a7", "h6h5"] {
            position = position.play(text).unwrap();
        }
        let board = &position.game().rules().board;
        let mut picker = Picker::new(&position);
        for site in ["a7", "b8"] {
            assert_eq!(picker.pick(&Choice::Site(board.find(site).unwrap())), Picked::More);
        }
        let shown: Vec<bool> = picker.named().iter().map(|named| named.at.is_none() && named.shows.is_some()).collect();
        assert_eq!(shown, [true; 4], "{:?}", picker.named());
    }

    #[test]
    fn what_is_certain_of_a_move_is_known_before_it_is_made() {
        let position = start("reversi", &[]);
        let picker = Picker::new(&position);
        let effects = picker.effects().unwrap();
        assert_eq!(effects.len(), 4);
        // A disc comes, and one is turned over.
        assert!(effects.iter().all(|(_, changes)| changes.len() == 2), "{effects:?}");
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
