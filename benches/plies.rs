//! Every shipped game: nanoseconds per ply of random games, and how long it takes from its text to the fast engine.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ludwright::game::{Game, LoadError, Position};
use ludwright::library::Library;
use ludwright::study::playout::{choose, generator};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::hint::black_box;
use std::time::Duration;

fn load(name: &str) -> Result<Game, LoadError> {
    Game::from_text(name, Library::text(name).unwrap_or_default(), None, &[], &Library)
}

/// A random ply, or the way back to the start where the game is over.
fn step(position: &Position, start: &Position, random: &mut Xoshiro256PlusPlus) -> Position {
    let after = choose(position, random).and_then(|index| position.play_index(index));
    after.unwrap_or_else(|| start.clone())
}

fn games(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reference");
    group.throughput(Throughput::Elements(1)).sample_size(20);
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for name in Library::names() {
        let game = match load(name) {
            Ok(game) => game,
            Err(error) => {
                eprintln!("{name} is left out: {error}");
                continue;
            }
        };
        let start = game.start();
        // Game after game goes on from one measurement to the next, so that every part of a game has its share.
        let mut random = generator(0, 0);
        let mut position = start.clone();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                position = step(&position, &start, &mut random);
                black_box(position.move_count())
            });
        });
    }
    group.finish();
}

fn compile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for name in Library::names() {
        group.bench_function(name, |bencher| {
            bencher.iter(|| load(name).map(|game| black_box(game.fast().is_some())));
        });
    }
    group.finish();
}

criterion_group!(benches, games, compile);
criterion_main!(benches);
