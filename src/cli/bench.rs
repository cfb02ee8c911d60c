//! `bench`: how fast random games are played.

use super::envelope::Subject;
use super::error::CliError;
use super::output::Output;
use super::source::{Engine, GameArgs};
use crate::ai::{Agent, Budget, Mind};
use crate::author::costly::{Costly, costly, timed};
use crate::game::Game;
use crate::game::Line;
use crate::study::bench::{Settings, THREAD_CLOCK, Timing, bench, cpu_time};
use clap::Args;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Nobody measures for longer than a day.
const MAX_SECONDS: f64 = 86_400.0;

/// Games that last longer are cut, as in `playout`.
const MAX_PLIES: u64 = 10_000;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright bench iqishiqi\n  ludwright bench iqishiqi -o side=5 --seconds 10 --json\n\nThe time is that of the thread that plays: what else the machine does disturbs little. Games are played to\ntheir end (or 10,000 plies), so where one game takes seconds, the command takes longer than it was told."
)]
pub struct BenchArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How long to measure
    #[arg(long, value_name = "S", default_value = "2", value_parser = seconds)]
    seconds: Duration,
    /// Also time a tree search from the start, for as long: its simulated plies per second, and their ratio to random games
    #[arg(long)]
    search: bool,
    /// Another seed gives other games
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[arg(long, value_enum, default_value_t)]
    engine: Engine,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= MAX_SECONDS => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("write a number of seconds above 0, at most a day".to_owned()),
    }
}

pub fn run(args: &BenchArgs, output: &mut Output) -> Result<(), CliError> {
    let began = Instant::now();
    let (text, game) = args.game.load()?;
    let compile = began.elapsed();
    let timing = bench(
        &game,
        Settings { time: args.seconds, seed: args.seed, max_plies: Some(MAX_PLIES), engine: args.engine.runner() },
    );
    let costly = match args.engine {
        Engine::Fast => costly(&game, args.seconds, &mut timed).unwrap_or_default(),
        Engine::Reference => Vec::new(),
    };
    let search = if args.search { search(&game, args) } else { None };
    if args.json {
        let mut told = to_json(args, &game, compile, &timing, &costly);
        if let (Value::Object(told), Some(search)) = (&mut told, search) {
            told.insert("search_moves_per_second".to_owned(), json!(search));
            told.insert("search_ratio".to_owned(), json!(search / timing.totals.moves_per_second(timing.cpu)));
        }
        return output.answer(&Subject::game(&text.name, &game).by_chance(args.seed), told);
    }
    print(args, &text.name, &game, compile, &timing, output)?;
    for costly in &costly {
        let clause = game.clause(costly.span);
        output.line(&format!("{:<16} {clause} {}", "costly", costly.told()))?;
    }
    match search {
        Some(search) => {
            let ratio = search / timing.totals.moves_per_second(timing.cpu);
            output.line(&format!(
                "{:<16} {search:.0} simulated moves per second, {ratio:.2} of random games",
                "tree search"
            ))
        }
        None => Ok(()),
    }
}

/// Simulated plies per second of a tree search from the start; none where there is nothing to choose.
fn search(game: &Game, args: &BenchArgs) -> Option<f64> {
    let mut mind = Mind::new(Agent::Mcts(Budget::Time(args.seconds)), args.seed);
    let line = Line::new(game.start());
    let began = cpu_time();
    let thought = mind.think(&line, &AtomicBool::new(false), &mut |_, _| {})?;
    let took = cpu_time().saturating_sub(began).as_secs_f64();
    (thought.plies > 0).then(|| thought.plies as f64 / took)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn clock() -> &'static str {
    if THREAD_CLOCK { "thread" } else { "wall" }
}

/// The engine that runs the games: the reference where the other cannot.
fn engine(args: &BenchArgs, game: &Game) -> &'static str {
    match args.engine {
        Engine::Fast if game.fast().is_some() => Engine::Fast.name(),
        Engine::Fast | Engine::Reference => Engine::Reference.name(),
    }
}

fn to_json(args: &BenchArgs, game: &Game, compile: Duration, timing: &Timing, costly: &[Costly]) -> Value {
    let one = |costly: &Costly| {
        json!({
            "clause": game.clause(costly.span),
            "other_places": costly.others,
            "share": costly.share(),
            "ns_per_move": costly.with,
            "ns_per_move_without": costly.without,
        })
    };
    let costly: Vec<Value> = costly.iter().map(one).collect();
    json!({
        "engine": engine(args, game),
        "sites": game.rules().board.len(),
        "playouts_per_second": timing.totals.playouts_per_second(timing.cpu),
        "moves_per_second": timing.totals.moves_per_second(timing.cpu),
        "mean_plies": timing.totals.mean_plies(),
        "mean_branching": timing.totals.mean_branching(),
        "ns_per_move": timing.ns_per_move(),
        "best": timing.best(),
        "median": timing.median(),
        "worst": timing.worst(),
        "windows": timing.windows.len(),
        "compile_ms": milliseconds(compile),
        "slow": game.slow_clauses(),
        "costly": costly,
        "machine_code_ms": game.machine_code_time().map(milliseconds),
        "playout_bytes": timing.bytes_per_game(),
        "playout_most_bytes": timing.most_bytes,
        "games": timing.totals.games,
        "plies": timing.totals.plies,
        "clock": clock(),
        "seconds": timing.cpu.as_secs_f64(),
        "wall_seconds": timing.wall.as_secs_f64(),
    })
}

fn print(
    args: &BenchArgs,
    name: &str,
    game: &Game,
    compile: Duration,
    timing: &Timing,
    output: &mut Output,
) -> Result<(), CliError> {
    let mut row = |name: &str, value: String| output.line(&format!("{name:<16} {value}"));
    row("game", format!("{name}, {} sites, engine {}", game.rules().board.len(), engine(args, game)))?;
    row(
        "playouts",
        format!("{} ({:.1} per second)", timing.totals.games, timing.totals.playouts_per_second(timing.cpu)),
    )?;
    row("moves", format!("{} ({:.0} per second)", timing.totals.plies, timing.totals.moves_per_second(timing.cpu)))?;
    row("plies per game", format!("{:.2}", timing.totals.mean_plies()))?;
    row("moves to choose", format!("{:.1} on average", timing.totals.mean_branching()))?;
    row("ns per move", format!("{:.1}", timing.ns_per_move()))?;
    let windows = match timing.windows.len() {
        1 => "1 window".to_owned(),
        many => format!("{many} windows"),
    };
    let (best, median, worst) = (timing.best(), timing.median(), timing.worst());
    row("  in windows", format!("median {median:.1}, from {best:.1} to {worst:.1} ({windows})"))?;
    if let Some(bytes) = timing.bytes_per_game() {
        row("heap per game", format!("{bytes:.0} bytes"))?;
    }
    if let Some(bytes) = timing.most_bytes {
        row("  at a time", format!("{bytes} bytes at most"))?;
    }
    row("compiled in", format!("{:.1} ms", milliseconds(compile)))?;
    if let Some(time) = game.machine_code_time() {
        row("machine code in", format!("{:.1} ms", milliseconds(time)))?;
    }
    let (cpu, wall) = (timing.cpu.as_secs_f64(), timing.wall.as_secs_f64());
    row("measured", format!("{cpu:.2} s of {} time, {wall:.2} s on the wall", clock()))?;
    game.slow_clauses().into_iter().try_for_each(|clause| row("slow", clause))
}
