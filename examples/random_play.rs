//! Plays a shipped game at random from a program: `cargo run --example random_play [GAME]`.

use ludwright::game::{Game, LoadError};
use ludwright::library::Library;
use ludwright::study::playout::{choose, generator};

fn main() -> Result<(), LoadError> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "pushpin".to_owned());
    let Some(text) = Library::text(&name) else {
        return Err(LoadError::Other { message: format!("there is no shipped game `{name}`"), help: None });
    };
    let game = Game::from_text(&name, text, None, &[], &Library)?;
    let mut random = generator(1, 0);
    let mut position = game.start();
    while let Some(index) = choose(&position, &mut random) {
        println!("{:>12}: {}", position.mover().unwrap_or(""), position.move_text(index).unwrap_or_default());
        match position.play_index(index) {
            Some(next) => position = next,
            None => break,
        }
    }
    print!("{}", position.draw());
    if let (Some(result), Some(outcome)) = (position.result_text(), position.outcome()) {
        println!("{result}: {}", outcome.reason);
    }
    Ok(())
}
