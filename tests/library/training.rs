//! Programs that learn: what decides a game is found, the same seed gives the same weights, and only whole files of the same
//! rules are read.

use crate::ai::arena::{Settings, play};
use crate::ai::insight::Plan as Search;
use crate::ai::learned::{self, WeightsError};
use crate::ai::train::{Plan, Trainer};
use crate::ai::{Agent, Budget, Level, Mind};
use crate::game::{Game, Line};
use crate::library::Library;
use crate::study::halt::Halt;
use std::sync::atomic::AtomicBool;

/// One side of the board is worth something, and the other is not.
const GOLD: &str = r#"
game "Gold"
players Red, Blue
board square(4)
piece stone of each player
score(p) = count(of p column(1))
move put "{cell}" {
  cell : empty
  cell becomes stone of mover
}
turn { put }
end { best score when no empty "the board is full" }
"#;

fn gold(name: &str) -> Game {
    Game::from_text(name, GOLD, None, &[], &Library).unwrap_or_else(|error| panic!("{error}"))
}

fn trained(game: &Game, games: u64, threads: usize) -> Trainer {
    let mut trainer = Trainer::new("made_up", game, serde_json::Map::new(), 5).unwrap();
    trainer.run(Plan { time: None, games: Some(games), threads }, Halt::never(), &mut |_| {});
    trainer
}

#[test]
fn what_decides_a_game_is_learnt_in_a_moment() {
    let game = gold("gold.game");
    learned::load(&trained(&game, 1_500, 2).written(), &game).unwrap();
    let agents = vec![Agent::Learned(Budget::Rounds(12)), Agent::Random];
    let settings = Settings { agents, games: 60, seed: 3, threads: 1, max_plies: None, opening: 2 };
    let results = play(&game, &settings, &mut |_| {});
    assert!(results.standings[0].points > 50.0, "{:?}", results.standings);
    // Red has two of the four gold cells and Blue one: the last one decides.
    let line = Line::replayed(&game, &["a1", "a3", "a2", "b1"]).unwrap();
    let mut mind = Mind::new(Agent::Learned(Budget::Rounds(30)), 0);
    let thought = mind.think(&line, &AtomicBool::new(false), &mut |_, _| {}).unwrap();
    let mv = line.position().move_text(thought.index).unwrap();
    assert_eq!(mv, "a4", "gold lies in the first column");
}

#[test]
fn the_same_seed_gives_the_same_file_on_any_number_of_threads() {
    let game = gold("gold.game");
    let bytes = trained(&game, 150, 1).written();
    assert!(bytes == trained(&game, 150, 2).written());
    let mut halves = trained(&game, 96, 1);
    halves.run(Plan { time: None, games: Some(54), threads: 1 }, Halt::never(), &mut |_| {});
    assert!(bytes == halves.written(), "in two parts, cut between batches");
    let mut resumed = Trainer::resumed(&trained(&game, 96, 1).written(), &game).unwrap();
    resumed.run(Plan { time: None, games: Some(54), threads: 1 }, Halt::never(), &mut |_| {});
    assert!(bytes == resumed.written(), "through a file");
}

#[test]
fn only_whole_files_of_the_same_rules_are_read() {
    let game = gold("gold.game");
    let whole = trained(&game, 40, 1).written();
    assert_eq!(learned::load(&whole, &game), Ok(()));
    for at in (0..whole.len()).step_by(97) {
        let mut changed = whole.clone();
        changed[at] ^= 0x20;
        let foreign = at < "ludwright weights 1\n".len();
        let wanted = if foreign { WeightsError::Foreign } else { WeightsError::Damaged };
        assert_eq!(learned::load(&changed, &game), Err(wanted), "byte {at}");
        assert!(learned::load(&whole[..at], &game).is_err(), "cut at {at}");
    }
    let text = Library::text("tic_tac_toe").unwrap();
    let other = Game::from_text("tic_tac_toe", text, None, &[], &Library).unwrap();
    assert_eq!(learned::load(&whole, &other), Err(WeightsError::OtherGame("made_up".to_owned())));
}

#[test]
fn a_light_file_plays_as_well_and_is_gone_on_with_by_nobody() {
    let game = gold("light.game");
    let trainer = trained(&game, 1_500, 2);
    let (whole, light) = (trainer.written(), trainer.light());
    assert!(4 * light.len() < whole.len(), "{} and {} bytes", light.len(), whole.len());
    learned::load(&light, &game).unwrap();
    let agents = vec![Agent::Learned(Budget::Rounds(12)), Agent::Random];
    let settings = Settings { agents, games: 60, seed: 3, threads: 1, max_plies: None, opening: 2 };
    assert!(play(&game, &settings, &mut |_| {}).standings[0].points > 50.0);
    assert_eq!(Trainer::resumed(&light, &game).err(), Some(WeightsError::Light));
    let again = Trainer::read(&light, &game).unwrap();
    assert_eq!((again.light().len(), again.facts().games), (light.len(), 1_500), "what is rounded stays as it is");
    for at in (0..light.len()).step_by(97) {
        let mut changed = light.clone();
        changed[at] ^= 0x20;
        assert!(learned::load(&changed, &game).is_err() && learned::load(&light[..at], &game).is_err(), "byte {at}");
    }
}

#[test]
fn what_ships_was_learnt_of_shipped_games_and_plays_at_the_highest_level() {
    let all = Library::weights();
    assert!(!all.is_empty());
    for (name, bytes) in all {
        let text = Library::text(name).unwrap_or_else(|| panic!("{name}.weights lies beside no game"));
        let game = Game::from_text(name, text, None, &[], &Library).unwrap();
        let facts =
            learned::shipped(&game).unwrap_or_else(|| panic!("{name}: the rules have changed, train once more"));
        assert!(learned::load(bytes, &game).is_ok() && facts.games > 0, "{name}");
        assert!(
            facts.proof.is_some_and(|proof| proof.accepted),
            "{name} was not shown to be stronger than tree search"
        );
        assert!(bytes.len() < 400_000, "{name}: {} bytes are too much to ship", bytes.len());
        let line = Line::new(game.start());
        let thought = |level| {
            let mut mind = Mind::new(Agent::Level(level, Some(Budget::Rounds(50))), 0);
            mind.think(&line, &AtomicBool::new(false), &mut |_, _| {}).and_then(|thought| thought.search)
        };
        assert_eq!(thought(Level::Hard), Some(Search::Learned), "{name}");
        assert_ne!(thought(Level::Medium), Some(Search::Learned), "{name}");
    }
    let other = [("width".to_owned(), "6".to_owned())];
    let text = Library::text("connect_four").unwrap();
    let game = Game::from_text("connect_four", text, None, &other, &Library).unwrap();
    assert!(learned::shipped(&game).is_none(), "another board is another game");
}

#[test]
fn games_for_more_than_two_are_not_trained() {
    let text = Library::text("hops_a_daisy").unwrap();
    let options = [("player_count".to_owned(), "3".to_owned())];
    let game = Game::from_text("hops_a_daisy", text, None, &options, &Library).unwrap();
    assert!(Trainer::new("hops_a_daisy", &game, serde_json::Map::new(), 0).is_err());
}
