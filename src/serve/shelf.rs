//! The rules that a worker has at hand: games by the same rules share what was made of them.

use super::author::load;
use super::message::{Refusal, Saved, Source};
use crate::game::Game;

/// So many stay when no game is played by them any more.
const MOST: usize = 32;

/// Rules with what was chosen of them, the ones asked for last at the end.
#[derive(Default)]
pub struct Shelf {
    games: Vec<Loaded>,
}

struct Loaded {
    source: Source,
    ruleset: Option<String>,
    options: Vec<(String, String)>,
    game: Game,
}

impl Shelf {
    /// The rules of a game. Those in files are read anew, since what they extend may have changed.
    pub fn game(&mut self, of: &Saved, steps: u64) -> Result<Game, Refusal> {
        let is_it = |one: &Loaded| one.source == of.source && one.ruleset == of.ruleset && one.options == of.options;
        if let Some(at) = self.games.iter().position(is_it) {
            let known = self.games.remove(at);
            let game = known.game.clone();
            self.games.push(known);
            return Ok(game);
        }
        let game = load(&of.source, of.ruleset.as_deref(), &of.options, steps)?;
        match of.source {
            Source::File { .. } => {}
            Source::Shipped { .. } | Source::Own { .. } => {
                let (source, ruleset, options) = (of.source.clone(), of.ruleset.clone(), of.options.clone());
                self.games.push(Loaded { source, ruleset, options, game: game.clone() });
            }
        }
        if self.games.len() > MOST {
            self.games.remove(0);
        }
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn saved(source: &Source, options: &[(&str, &str)]) -> Saved {
        let options: Vec<_> = options.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        serde_json::from_value(json!({
            "source": source, "options": options, "seats": [], "plies": [], "now": 0, "date": "2026-11-23", "version": 0
        }))
        .unwrap()
    }

    #[test]
    fn rules_are_read_once_and_by_what_was_chosen_of_them() {
        let (mut shelf, hex) = (Shelf::default(), Source::Shipped { name: "hex".to_owned() });
        let mut game = |options: &[(&str, &str)]| shelf.game(&saved(&hex, options), 1000).unwrap();
        let rules = |game: &Game| std::ptr::from_ref(game.rules());
        let (small, large, again) = (game(&[("size", "5")]), game(&[]), game(&[("size", "5")]));
        assert!(std::ptr::eq(rules(&small), rules(&again)));
        assert!(!std::ptr::eq(rules(&small), rules(&large)));
        (2..=19).for_each(|size| drop(game(&[("size", &size.to_string())])));
        let texts = (0..20)
            .map(|at| Source::Own { text: format!("{} // {at}", crate::library::Library::text("hex").unwrap()) });
        texts.for_each(|text| drop(shelf.game(&saved(&text, &[]), 1000).unwrap()));
        assert_eq!(shelf.games.len(), MOST);
        assert!(!std::ptr::eq(rules(&small), rules(&shelf.game(&saved(&hex, &[("size", "5")]), 1000).unwrap())));
    }

    #[test]
    fn rules_in_a_file_are_read_anew() {
        let text = crate::library::Library::text("tic_tac_toe").unwrap().to_owned();
        let file = Source::File { name: "mine".to_owned(), path: "mine.game".to_owned(), text };
        let mut shelf = Shelf::default();
        let (one, another) =
            (shelf.game(&saved(&file, &[]), 1000).unwrap(), shelf.game(&saved(&file, &[]), 1000).unwrap());
        assert!(!std::ptr::eq(std::ptr::from_ref(one.rules()), std::ptr::from_ref(another.rules())));
    }
}
