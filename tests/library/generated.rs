//! Rule files made at random from pieces of the language, each played on both engines: what no shipped game says is
//! compared too.

mod author;
mod pushes;
mod ways;

use self::author::Author;
use super::common::compare::compare;
use super::common::wish;
use crate::game::Game;
use crate::library::Library;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The text of a game of a seed, by its number. Every third one has stacks, and two of five have paths.
pub(super) fn made(seed: u64, number: u64) -> String {
    let generator = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(number));
    let stacks = number.is_multiple_of(3);
    let text = Author(generator.clone(), stacks, String::new()).game();
    // Of the others some have a value that goes along with pieces.
    let with_pieces = !stacks && number % 4 < 2;
    let text = if with_pieces { text.replace("track mark(site)", "track mark(piece)") } else { text };
    if number % 5 < 2 { ways::with_paths(&text, &mut generator.clone()) } else { text }
}

/// Makes so many games; how many were rules, and the plies compared.
fn campaign(games: u64, seed: u64, plies: u64) -> (u64, u64) {
    let (mut played, mut compared, mut alone, mut left) = (0, 0, 0, 0);
    for number in 0..games {
        let text = made(seed, number);
        match Game::from_text("made.game", &text, None, &[], &Library) {
            // What the fast engine does not run, as stacks that change within `repeat`, is nothing to compare.
            Ok(game) if game.fast().is_none() => {
                alone += 1;
                if std::env::var("SHOW").is_ok() {
                    println!("game {number}: {:?}", game.slow_clauses());
                }
            }
            Ok(game) => {
                played += 1;
                left += u64::from(game.rules().left.is_some());
                compared +=
                    compare(&format!("game {number} of seed {seed}:\n{text}\n"), &game, |games| games < 2, plies, seed);
            }
            Err(error) if std::env::var("SHOW").is_ok() => println!("{text}\n{error:?}"),
            Err(_) => {}
        }
    }
    assert!(alone * 10 < games, "{alone} of {games} games run on the reference alone");
    assert!(left * 12 > played, "players leave {left} of {played} games");
    (played, compared)
}

#[test]
fn both_engines_agree_on_games_made_at_random() {
    let (played, compared) = campaign(150, 1, 40);
    println!("{played} of 150 games were rules; {compared} plies compared");
    assert!(played > 75, "{played} of 150 games were rules");
}

/// `GAMES=n SEED=n` bound and steer it.
#[test]
#[ignore = "takes as long as it is told to"]
fn both_engines_agree_on_many_games_made_at_random() {
    let (games, seed) = (wish("GAMES", 5_000), wish("SEED", 2));
    for block in 0..games.div_ceil(500) {
        let (played, compared) = campaign(500, seed + block, 80);
        println!("block {block}: {played} of 500 games were rules; {compared} plies compared");
    }
}
