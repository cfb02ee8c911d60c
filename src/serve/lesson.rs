//! How a game is played, as the page shows it: the rule sheet, and positions before and after each move.

use super::message::Source;
use crate::author::declared::option_objects;
use crate::author::lesson::{Example, examples};
use crate::author::sheet::Sheet;
use crate::board::SiteSet;
use crate::game::{Game, Position};
use crate::render::{self, Marks, Style};
use serde_json::{Map, Value, json};

/// A board with more sites is shown around the move only.
const LARGE: usize = 50;

/// All that the page says of how a game is played, with pictures without colours.
pub fn lesson(game: &Game, source: &Source) -> Value {
    let project = source.project();
    let rules = game.rules();
    let shown: Map<String, Value> =
        examples(game).iter().map(|example| (example.name.clone(), told(example))).collect();
    let settings = rules.settings.iter();
    let settings: Map<String, Value> =
        settings.map(|(name, setting)| (name.clone(), json!(rules.setting_text(*setting)))).collect();
    json!({
        "title": rules.about.title,
        "summary": rules.about.summary,
        "sheet": Sheet::new(game, &project).content(),
        "examples": shown,
        "options": option_objects(&project),
        "settings": settings,
    })
}

fn told(example: &Example) -> Value {
    let large = example.before.game().rules().board.len() > LARGE;
    let around = if large { example.changed } else { SiteSet::EMPTY };
    let picture = |position: &Position, last: SiteSet| {
        let marks = Marks { last, ..Marks::default() };
        render::svg(position, &Style { around, marks, coordinates: false, sheet: false, ..Style::default() })
    };
    json!({
        "text": example.text,
        "mover": example.mover,
        "before": picture(&example.before, SiteSet::EMPTY),
        "after": picture(&example.after, example.changed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    const RULES: &str = r#"
        game "Lesson"
        about "a test"
        players A, B
        board square(4)
        piece stone of each player
        move put "{cell}" { cell : empty; cell becomes stone of mover }
        move go "{from}-{to}" { from : own; to : empty next_to from; from -> to }
        move turn_over "{cell}!" { cell : enemy next_to own; cell becomes stone of mover }
        turn { put or go or turn_over }
        end { draw when turn > 60 }
    "#;

    #[test]
    fn every_move_that_changes_the_board_is_shown_by_a_ply_that_does() {
        let game = Game::from_text("lesson", RULES, None, &[], &Library).unwrap();
        let examples = examples(&game);
        let shown: Vec<&str> = examples.iter().map(|example| example.name.as_str()).collect();
        assert!(["put", "go", "turn_over"].iter().all(|mv| shown.contains(mv)), "{shown:?}");
        for example in &examples {
            assert_eq!(example.after.changed_since(&example.before), example.changed);
            assert!(example.before.find(&example.text).is_ok());
        }
    }
}
