//! What a step of many games costs without Python, with observation and mask: `cargo run --release --example steps [GAME ...]`.

use ludwright::game::{Game, LoadError};
use ludwright::learn::{Actions, Format, Planes, Session, SessionError};
use ludwright::library::Library;
use ludwright::study::bench::cpu_time;
use ludwright::study::playout::{generator, pick};

/// So many games are stepped together.
const GAMES: u64 = 256;

/// Each number is the middle one of so many measurements, of this many rounds of all games.
const REPEATS: usize = 5;
const ROUNDS: u32 = 2_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = ["connect_four", "hex", "breakthrough", "chess"].map(str::to_owned).to_vec();
    }
    for name in names {
        let Some(text) = Library::text(&name) else {
            return Err(LoadError::Other { message: format!("there is no shipped game `{name}`"), help: None }.into());
        };
        let game = Game::from_text(&name, text, None, &[], &Library)?;
        let mut found = measure(&game)?;
        found.sort_by(f64::total_cmp);
        let [least, .., most] = found.as_slice() else { continue };
        let middle = found.get(REPEATS / 2).copied().unwrap_or_default();
        println!("{name:16} {middle:.2} million steps a second of one core ({least:.2} to {most:.2})");
    }
    Ok(())
}

/// Millions of steps a second of processor time.
fn measure(game: &Game) -> Result<Vec<f64>, SessionError> {
    let actions = Actions::of(game);
    let planes = Planes::of(game, &actions, Format::Channels);
    game.warm();
    let mut games: Vec<_> = (0..GAMES).map(|number| (Session::new(game, &actions), generator(1, number))).collect();
    let mut room = vec![0; (planes.len() + actions.len()) * games.len()];
    let mut found = Vec::new();
    for _ in 0..REPEATS {
        let began = cpu_time();
        for _ in 0..ROUNDS {
            for ((session, dice), rows) in games.iter_mut().zip(room.chunks_mut(planes.len() + actions.len())) {
                let (seen, mask) = rows.split_at_mut(planes.len());
                if session.over().is_some() {
                    session.reset();
                } else {
                    session.play_any(&mut |count| pick(count, dice).unwrap_or(0))?;
                }
                session.observe(&planes, seen);
                session.mask(mask);
            }
        }
        let steps = f64::from(ROUNDS) * games.len() as f64;
        found.push(steps / cpu_time().saturating_sub(began).as_secs_f64() / 1e6);
    }
    Ok(found)
}
