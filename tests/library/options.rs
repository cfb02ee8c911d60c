//! No option of a shipped game is idle: every value but the default changes a count or a play, somewhere.

use crate::check::Project;
use crate::game::Game;
use crate::library::Library;
use crate::rules::dump;
use crate::study::perft::perft;
use crate::study::playout::{Engine, Settings, playout};
use crate::syntax::ast::{OptionItem, ValueKind, Values};
use std::thread;

type Setting = (String, String);

/// What the games of the search are played with besides the option in question.
#[derive(Clone, Default)]
struct Context {
    ruleset: Option<String>,
    options: Vec<Setting>,
}

/// All values of a list; of a range the ends and the neighbours of the default.
fn values(option: &OptionItem) -> Vec<String> {
    let default = &option.default.kind;
    let candidates: Vec<ValueKind> = match (&option.values, default) {
        (Values::List(list), _) => list.iter().map(|value| value.kind.clone()).collect(),
        (Values::Range { low, high, .. }, ValueKind::Number(at)) => [*low, at - 1, at + 1, *high]
            .into_iter()
            .filter(|n| (low..=high).contains(&n))
            .map(ValueKind::Number)
            .collect(),
        (Values::Range { .. }, ValueKind::Name(_)) => Vec::new(),
    };
    candidates.iter().filter(|value| *value != default).map(ToString::to_string).collect()
}

/// Small boards first, since there are many games to play: each with the defaults, the rulesets, and each other option.
fn contexts(project: &Project, without: &str) -> Vec<Context> {
    let sites = |options: &[Setting]| Game::from_project(project, None, options).map(|game| game.rules().board.len());
    let usual = sites(&[]).unwrap();
    let mut all = Vec::new();
    for larger in [0, 1] {
        let mut small = Vec::new();
        for option in project.options() {
            if let Values::Range { low, .. } = option.values {
                let least = |name: &str| (name.to_owned(), (low + larger).to_string());
                let names = option.names.iter().map(|name| name.text.as_str()).filter(|name| *name != without);
                small.extend(names.map(least).filter(|set| sites(std::slice::from_ref(set)).is_ok_and(|n| n < usual)));
            }
        }
        let context = |ruleset: Option<&str>, more: &[Setting]| Context {
            ruleset: ruleset.map(str::to_owned),
            options: [&small, more].concat(),
        };
        all.push(context(None, &[]));
        all.extend(project.rulesets().map(|ruleset| context(Some(&ruleset.name.text), &[])));
        for option in project.options() {
            let idle = |name: &str| name != without && small.iter().all(|(known, _)| known != name);
            for name in option.names.iter().filter(|name| idle(&name.text)) {
                all.extend(values(option).into_iter().map(|value| context(None, &[(name.text.clone(), value)])));
            }
        }
    }
    // Boards much larger than the usual one would take too long.
    all.retain(|context| sites(&context.options).is_ok_and(|n| n <= 2 * usual));
    all
}

/// Whether two games differ where players notice it: in who decides, in the number of moves, or in the course or end of a play.
fn differ(one: &Game, other: &Game, games: u64) -> bool {
    let rules = |game: &Game| -> Vec<String> {
        dump(game.rules()).lines().filter(|line| !line.starts_with("option ")).map(str::to_owned).collect()
    };
    let counts = |game: &Game| perft(&game.start(), 2, false, &mut |_, _| {}).nodes;
    let plays = |game: &Game| {
        let settings = Settings { games, seed: 1, threads: 1, max_plies: Some(2_000), engine: Engine::Fast };
        playout(game, settings, &mut |_| {}).fingerprint
    };
    // Where other options put this one out of force there is nothing to play.
    rules(one) != rules(other)
        && (one.start().is_chance() != other.start().is_chance()
            || one.start().move_count() != other.start().move_count()
            || counts(one) != counts(other)
            || plays(one) != plays(other))
}

/// Whether a value of an option makes a difference to its default in some context. Most show in a few games; the last
/// resort, many games, is for endings that are rare.
fn makes_a_difference(project: &Project, contexts: &[Context], (name, default, value): (&str, &str, &str)) -> bool {
    [16, 300].into_iter().any(|games| {
        contexts.iter().any(|context| {
            let load = |value: &str| {
                let mut options = context.options.clone();
                options.push((name.to_owned(), value.to_owned()));
                // What the file excludes shows nothing.
                Game::from_project(project, context.ruleset.as_deref(), &options).ok()
            };
            matches!((load(default), load(value)), (Some(one), Some(other)) if differ(&one, &other, games))
        })
    })
}

#[test]
fn every_value_of_every_option_makes_a_difference() {
    let idle = |game: &str| {
        let project = Project::load(game, Library::text(game).unwrap(), &Library);
        let mut idle = Vec::new();
        for option in project.options() {
            let default = option.default.kind.to_string();
            for name in &option.names {
                let contexts = contexts(&project, &name.text);
                for value in values(option) {
                    if !makes_a_difference(&project, &contexts, (&name.text, &default, &value)) {
                        idle.push(format!("{game} -o {}={value}", name.text));
                    }
                }
            }
        }
        idle
    };
    let found: Vec<String> = thread::scope(|scope| {
        let games: Vec<_> = Library::names().into_iter().map(|game| scope.spawn(move || idle(game))).collect();
        games.into_iter().flat_map(|game| game.join().unwrap()).collect()
    });
    assert!(found.is_empty(), "nothing shows that these are not the default: {found:#?}");
}

/// What `requires` excludes: a square without a cell that is no corner has no first territory.
#[test]
fn a_board_of_corners_is_refused_where_the_opening_needs_another_cell() {
    let project = Project::load("equi", Library::text("equi").unwrap(), &Library);
    let loads = |settings: &[(&str, &str)]| {
        let options: Vec<Setting> =
            settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        Game::from_project(&project, None, &options).is_ok()
    };
    for shape in ["square", "square_diagonal"] {
        assert!(!loads(&[("shape", shape), ("size", "2")]));
        assert!(loads(&[("shape", shape), ("size", "3")]));
        assert!(loads(&[("shape", shape), ("size", "2"), ("opening", "anywhere")]));
    }
    assert!(loads(&[("shape", "hexagon"), ("size", "2")]) && loads(&[("shape", "alternating"), ("size", "2")]));
}
