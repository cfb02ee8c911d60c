//! What the Go Text Protocol has to know of a game, found out from its rules: the size of the board, what a point of the
//! score is worth, and which options are the size and the points given to the second player.

use super::spelling::place;
use crate::check::Project;
use crate::game::Game;
use crate::operator::Halves;
use crate::rules::Setting;
use crate::syntax::ast::{ValueKind, Values};
use serde_json::{Map, json};

/// The colours, in the order in which they move when the players are not called so.
pub const COLOURS: [&str; 2] = ["black", "white"];

/// Values of an option that are tried.
const MAX_VALUES: i64 = 2000;

/// The side of a board that has so many rows as columns, each site named by both.
#[must_use]
pub fn side(game: &Game) -> Option<usize> {
    let board = &game.rules().board;
    let side = board.all().iter().filter_map(|site| place(board, site)).map(|(_, row)| row).max()?;
    let fits = |(column, row): (usize, usize)| column <= side && row <= side;
    let whole = board.len() == side * side && board.all().iter().all(|site| place(board, site).is_some_and(fits));
    whole.then_some(side)
}

/// The colour of a player: the one that he is named by, else the first is black.
#[must_use]
pub fn colour(game: &Game, player: usize) -> &'static str {
    let players = &game.rules().players;
    let named = players.iter().any(|player| COLOURS.iter().any(|colour| player.name.eq_ignore_ascii_case(colour)));
    let own = players.get(player).map_or("", |player| player.name.as_str());
    let at = if named { usize::from(!own.eq_ignore_ascii_case(COLOURS[0])) } else { player.min(1) };
    COLOURS.get(at).copied().unwrap_or_default()
}

/// How many points of the game's score are one of the protocol's: what a board full of stones of one player counts, by site.
#[must_use]
pub fn unit(game: &Game) -> Option<i64> {
    let rules = game.rules();
    let first = rules.players.first()?;
    let stone = rules.kinds.iter().find(|kind| !kind.neutral)?;
    let stone = format!("{}:{}", stone.name, first.name);
    let sites = rules.board.names().map(|name| (name.to_owned(), json!(stone))).collect::<Map<_, _>>();
    let full = game.set_up(&json!({ "sites": sites })).ok()?;
    let (_, score) = full.scores().into_iter().next()?;
    let each = score.number / i64::try_from(rules.board.len()).ok()?;
    (each > 0).then_some(each)
}

/// How far the second player is ahead before anything is played, in points of the protocol; none for games without score.
#[must_use]
pub fn komi(game: &Game) -> Option<f64> {
    let ahead = lead(game)?;
    Some(ahead as f64 / unit(game)? as f64)
}

fn lead(game: &Game) -> Option<i64> {
    let scores = game.start().scores();
    let [(_, first), (_, second)] = scores.as_slice() else { return None };
    Some(second.number - first.number)
}

/// The options that make the board so large.
#[must_use]
pub fn resized(project: &Project, ruleset: Option<&str>, options: &[(String, String)], side: usize) -> Option<Chosen> {
    let fits = |game: &Game| self::side(game) == Some(side);
    // The rest may fit already.
    let value = i64::try_from(side).ok()?;
    numbers(project).filter(|(_, values)| values.contains(value)).find_map(|(name, _)| {
        let chosen = with(options, &name, &value.to_string());
        let game = Game::from_project(project, ruleset, &chosen).ok()?;
        fits(&game).then_some((chosen, game))
    })
}

/// A choice of options, and the game with them.
pub type Chosen = (Vec<(String, String)>, Game);

/// The options with which the second player is so many points ahead before anything is played.
#[must_use]
pub fn with_komi(
    project: &Project,
    ruleset: Option<&str>,
    options: &[(String, String)],
    game: &Game,
    wanted: f64,
) -> Option<Chosen> {
    let points = wanted * unit(game)? as f64;
    let wanted = points.round();
    if (points - wanted).abs() > 1e-9 {
        return None;
    }
    // An option that gives points gives one more for each step, and where halves are counted two for each whole one.
    let now = lead(game)? as f64;
    let step = if game.rules().halves { 2 } else { 1 };
    numbers(project).chain(halves(project)).find_map(|(name, values)| {
        let setting = game.rules().settings.iter().find(|(known, _)| *known == name).map(|(_, setting)| setting);
        let value = match setting? {
            Setting::Number(value) => value * step,
            Setting::Choice(choice) => Halves::parse(game.rules().choice(*choice)).filter(|_| step == 2)?.0,
        };
        let next = value as f64 + (wanted - now);
        let halved = values.halved;
        let next = values.all().find(|value| (if halved { *value } else { value * step }) as f64 == next)?;
        let text = if halved { Halves(next).to_string() } else { next.to_string() };
        let chosen = with(options, &name, &text);
        let game = Game::from_project(project, ruleset, &chosen).ok()?;
        (lead(&game).is_some_and(|lead| lead as f64 == wanted)).then_some((chosen, game))
    })
}

/// The values that an option may have.
struct Numbers {
    all: Vec<i64>,
    /// They are counted in halves.
    halved: bool,
}

impl Numbers {
    fn contains(&self, value: i64) -> bool {
        self.all.contains(&value)
    }

    fn all(&self) -> impl Iterator<Item = i64> + '_ {
        self.all.iter().copied()
    }
}

/// The options of which some value is a half, by halves.
fn halves(project: &Project) -> impl Iterator<Item = (String, Numbers)> + '_ {
    project.options().flat_map(|option| {
        let Values::List(values) = &option.values else { return Vec::new() };
        let all: Vec<Halves> = values.iter().filter_map(|value| Halves::parse(&value.kind.to_string())).collect();
        if !all.iter().any(|halves| halves.is_odd()) {
            return Vec::new();
        }
        let all = || Numbers { all: all.iter().map(|halves| halves.0).collect(), halved: true };
        option.names.iter().map(|name| (name.text.clone(), all())).collect()
    })
}

/// The options that are numbers.
fn numbers(project: &Project) -> impl Iterator<Item = (String, Numbers)> + '_ {
    project.options().flat_map(|option| {
        let values: Vec<i64> = match &option.values {
            Values::Range { low, high, .. } => (*low..=(*high).min(low.saturating_add(MAX_VALUES))).collect(),
            Values::List(values) => values
                .iter()
                .filter_map(|value| if let ValueKind::Number(number) = &value.kind { Some(*number) } else { None })
                .collect(),
        };
        option
            .names
            .iter()
            .map(move |name| (name.text.clone(), Numbers { all: values.clone(), halved: false }))
            .collect::<Vec<_>>()
    })
}

fn with(options: &[(String, String)], name: &str, value: &str) -> Vec<(String, String)> {
    let others = options.iter().filter(|(other, _)| other != name).cloned();
    others.chain([(name.to_owned(), value.to_owned())]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    fn project(name: &str) -> Project {
        Project::load(name, Library::text(name).unwrap(), &Library)
    }

    fn game(name: &str) -> Game {
        Game::from_project(&project(name), None, &[]).unwrap()
    }

    #[test]
    fn size_and_komi_are_found_in_the_rules() {
        let go = game("go");
        assert_eq!((side(&go), unit(&go), komi(&go)), (Some(9), Some(2), Some(7.5)));
        let (chosen, larger) = resized(&project("go"), None, &[], 13).unwrap();
        assert_eq!((chosen, side(&larger)), (vec![("size".to_owned(), "13".to_owned())], Some(13)));
        let (chosen, _) = with_komi(&project("go"), None, &[], &go, 6.5).unwrap();
        assert_eq!(chosen, [("komi".to_owned(), "13".to_owned())]);
        assert!(with_komi(&project("go"), None, &[], &go, 6.25).is_none());
        assert!(with_komi(&project("go"), None, &[], &go, 99.5).is_none());
        assert!(resized(&project("go"), None, &[], 25).is_none());
        assert!(resized(&project("hex"), None, &[], 5).is_some());
        assert!(resized(&project("reversi"), None, &[], 7).is_none());
        assert_eq!(komi(&game("hex")), None);
    }

    #[test]
    fn colours_are_those_of_the_names_or_of_the_order() {
        assert_eq!([0, 1].map(|player| colour(&game("go"), player)), ["black", "white"]);
        assert_eq!([0, 1].map(|player| colour(&game("chess"), player)), ["white", "black"]);
        assert_eq!([0, 1].map(|player| colour(&game("hex"), player)), ["black", "white"]);
    }
}
