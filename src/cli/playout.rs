//! `playout`: random games, summed up, and written down if wanted.

use super::envelope::Subject;
use super::error::CliError;
use super::job::{PartArgs, Whole};
use super::output::Output;
use super::source::{Engine, GameArgs, RuleText};
use super::stop::Stop;
use super::store::{Store, goes_to_stdout};
use super::{csv, sums};
use crate::game::Game;
use crate::jobs::Work;
use crate::study::games::Lines;
use crate::study::names::Names;
use crate::study::playout::{self, Run, Settings, Summary, empty};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright playout iqishiqi -n 1000\n  ludwright playout iqishiqi -n 100000 --seed 7 --threads 2 --json\n  ludwright playout hex -o size=7 -n 1000 --output games.jsonl --csv games.csv\n  ludwright playout hex -n 1000 --shard 2/4 --output part2.jsonl\n\nCtrl-C stops it and prints what the games so far came to. What the files hold is told in docs/data.md; `merge` adds up shards."
)]
pub struct PlayoutArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How many games
    #[arg(short = 'n', long = "games", value_name = "N", default_value_t = 1000)]
    games: u64,
    /// The same seed gives the same games
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many threads play; by default as many as the machine has
    #[arg(long, value_name = "T")]
    threads: Option<NonZeroUsize>,
    /// Cut games that last longer; 0 for no bound
    #[arg(long, value_name = "P", default_value_t = 10_000)]
    max_plies: u64,
    #[arg(long, value_enum, default_value_t)]
    engine: Engine,
    /// How plies are drawn: `listed` takes the k-th of the legal plies in one order, so that both engines play
    /// the same games; `own` is faster
    #[arg(long, value_enum, default_value_t, conflicts_with_all = ["shard", "job"])]
    draw: Draw,
    /// Write the games down, one JSON object a line; `-` is standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write a table for spreadsheets, one row a game; `-` is standard output, and docs/data.md has its columns
    #[arg(long, value_name = "FILE", conflicts_with_all = ["shard", "job"])]
    csv: Option<PathBuf>,
    #[command(flatten)]
    part: PartArgs,
    /// Overwrite the files if they are there
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Draw {
    /// As each engine does it fastest
    #[default]
    Own,
    /// From the list of legal plies
    Listed,
}

impl From<Draw> for playout::Draw {
    fn from(draw: Draw) -> Self {
        match draw {
            Draw::Own => Self::Own,
            Draw::Listed => Self::Listed,
        }
    }
}

pub fn run(args: &PlayoutArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    let subject = Subject::game(&text.name, &game).by_chance(args.seed);
    if args.part.are_given() {
        return args.part.run(args.whole(&text, &game), (&[], args.settings().threads), output);
    }
    let to_stdout = goes_to_stdout(args.json, &[&args.output, &args.csv])?;
    let store = args.output.as_deref().map(|path| Store::create(path, args.force)).transpose()?;
    let rows = args.csv.as_deref().map(|path| csv::Games::create(path, args.force, &game)).transpose()?;
    let stop = Stop::new();
    let run = Run { settings: args.settings(), games: 0..args.games, halt: stop.halt(), lines: None };
    let sums = play(&subject, &game, run, args.draw.into(), (store, rows), output)?;
    let interrupted = sums.totals.games < args.games;
    if interrupted {
        output.note(&format!("stopped after {} of {} games", sums.totals.games, args.games));
    }
    let names = Names::of(&game);
    if args.json {
        let mut fields = sums::fields(&names, &sums);
        fields.insert("seconds".to_owned(), json!(sums.elapsed.as_secs_f64()));
        fields.insert("playouts_per_second".to_owned(), json!(sums.totals.playouts_per_second(sums.elapsed)));
        fields.insert("moves_per_second".to_owned(), json!(sums.totals.moves_per_second(sums.elapsed)));
        if interrupted {
            fields.insert("interrupted".to_owned(), json!(true));
        }
        return output.answer_of_games(&subject, Value::Object(fields), stop.unless_given_up(&game));
    }
    if !to_stdout {
        sums::print(&names, &sums, output)?;
    }
    output.note(&format!(
        "{:.2} s, {:.0} games and {:.0} moves per second",
        sums.elapsed.as_secs_f64(),
        sums.totals.playouts_per_second(sums.elapsed),
        sums.totals.moves_per_second(sums.elapsed)
    ));
    stop.unless_given_up(&game)
}

impl PlayoutArgs {
    /// All that is played, for those who play a part of it.
    fn whole<'a>(&'a self, text: &'a RuleText, game: &'a Game) -> Whole<'a> {
        let engine = Engine::of(game.runner(self.engine.runner())).name().to_owned();
        Whole {
            rules: (text, game),
            work: Work::Playout { engine },
            games: self.games,
            max_plies: self.settings().max_plies,
            seed: self.seed,
            output: self.output.as_deref(),
            force: self.force,
            json: self.json,
        }
    }

    fn settings(&self) -> Settings {
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        Settings {
            games: self.games,
            seed: self.seed,
            threads,
            max_plies: (self.max_plies > 0).then_some(self.max_plies),
            engine: self.engine.runner(),
        }
    }
}

/// Plays all games, and writes them where there is a store.
fn play(
    subject: &Subject,
    game: &Game,
    run: Run<'_>,
    draw: playout::Draw,
    (mut store, mut rows): (Option<Store>, Option<csv::Games>),
    output: &Output,
) -> Result<Summary, CliError> {
    let (began, total) = (Instant::now(), run.settings.games);
    let lines = Lines::new(game, &subject.clone().line_fields());
    let run = Run { lines: (store.is_some() || rows.is_some()).then_some(&lines), ..run };
    let mut sums = empty(game);
    let mut written = Ok(());
    let mut bar = output.progress();
    run.each_drawn(game, draw, &mut |number, played, line| {
        sums.add(number, played);
        bar.show(sums.totals.games, total);
        if let Some(store) = &mut store {
            written = store.write(line);
        }
        if let (Some(rows), Ok(())) = (&mut rows, &written) {
            written = rows.add(line);
        }
        written.is_ok()
    });
    bar.clear();
    written?;
    store.map_or(Ok(()), Store::finish)?;
    rows.map_or(Ok(()), csv::Games::finish)?;
    sums.elapsed = began.elapsed();
    Ok(sums)
}
