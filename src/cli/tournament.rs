//! `tournament`: many programs play each other in pairs of games, which can be gone on with.

mod file;
mod page;
mod told;

use super::arena::{contenders, try_out};
use super::csv;
use super::envelope::Subject;
use super::error::CliError;
use super::job::{PartArgs, Whole};
use super::output::Output;
use super::source::{GameArgs, RuleText};
use super::stop::Stop;
use super::store::{goes_to_stdout, is_stdout};
use crate::ai::tournament::{Ending, Shape, Standings, Tournament};
use crate::game::Game;
use crate::jobs::Work;
use crate::protocol::Contender;
use crate::study::elo::{Model, Sprt};
use crate::study::games::Lines;
use clap::{Args, ValueEnum};
use file::File;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright tournament tic_tac_toe --players easy,greedy,random -n 20\n  ludwright tournament hex -o size=4 --players mcts:50,easy,random -n 10 --gauntlet --json\n  ludwright tournament tic_tac_toe --players mcts:50,random -n 200 --sprt 0,50\n  ludwright tournament tic_tac_toe --players easy,random -n 10 --output t.jsonl --html t.html\n\nBoth games of a pair begin with the same random plies, and the players swap seats between them. With `--output` every\ngame is written down when it ends: Ctrl-C keeps them, and the same command again goes on. docs/tournaments.md tells\nwhat the numbers mean."
)]
pub struct TournamentArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Programs, parted by commas, as in `arena`: our own, and those of others as `ugi:PROGRAM ARGUMENTS`, `gtp:...` or
    /// `uci:...`; what has a comma stands in quotation marks or brackets
    #[arg(long, value_name = "LIST", required = true)]
    players: Vec<String>,
    /// How many games each two of them play, an even number
    #[arg(short = 'n', long = "games", value_name = "N", default_value_t = 100)]
    games: u64,
    /// The first player meets all others, who do not meet each other
    #[arg(long)]
    gauntlet: bool,
    /// Between two players: end as soon as it is clear that the first is stronger by the second number of Elo rather than
    /// by the first number
    #[arg(long, value_name = "ELO0,ELO1", value_parser = bounds, allow_hyphen_values = true,
        conflicts_with_all = ["shard", "job"])]
    sprt: Option<(f64, f64)>,
    /// By what `--sprt` measures
    #[arg(long, value_enum, value_name = "SCALE", default_value_t = Scale::Normalized)]
    scale: Scale,
    /// So many plies at the beginning are played at random
    #[arg(long, value_name = "PLIES", default_value_t = 2)]
    openings: u64,
    /// The same seed gives the same openings, and the same games unless programs think by the clock
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many threads play; by default as many as the machine has
    #[arg(long, value_name = "T")]
    threads: Option<NonZeroUsize>,
    /// Games that last longer count as drawn; 0 for no bound
    #[arg(long, value_name = "P", default_value_t = 2_000)]
    max_plies: u64,
    /// Write every game down, one JSON object a line; if the file is there, go on with its tournament
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Go on with the tournament in this file, which must be there
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "force", "shard", "job"])]
    resume: Option<PathBuf>,
    /// Write a table for spreadsheets, one row a game, those that were played before as well; docs/data.md has its columns
    #[arg(long, value_name = "FILE", conflicts_with_all = ["shard", "job"])]
    csv: Option<PathBuf>,
    #[command(flatten)]
    part: PartArgs,
    /// Overwrite the files of `--output`, `--html` and `--csv` if they are there
    #[arg(long)]
    force: bool,
    /// Write the table as a page that needs nothing else
    #[arg(long, value_name = "FILE", conflicts_with_all = ["shard", "job"])]
    html: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// By what differences are measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Scale {
    /// By points
    Elo,
    /// By points and their spread, which is the same for games with many draws and with none
    Normalized,
}

impl Scale {
    fn model(self) -> Model {
        match self {
            Self::Elo => Model::Logistic,
            Self::Normalized => Model::Normalized,
        }
    }
}

/// Two numbers, the first one smaller.
fn bounds(text: &str) -> Result<(f64, f64), String> {
    let numbers =
        text.split_once(',').and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)));
    let fine = |(low, high): &(f64, f64)| low < high && low.abs() <= 1000.0 && high.abs() <= 1000.0;
    numbers.filter(fine).ok_or_else(|| "write two numbers from -1000 to 1000, the smaller one first: `0,50`".to_owned())
}

/// Everything that was asked for, ready to be played.
struct Plan {
    text: RuleText,
    game: Game,
    tournament: Tournament<Contender>,
    subject: Subject,
}

impl Plan {
    /// A part of it, or a job that others play parts of.
    fn part(self, args: &TournamentArgs, output: &mut Output) -> Result<(), CliError> {
        let Self { text, game, tournament, .. } = self;
        let players = tournament.players.iter().map(Contender::to_string).collect();
        let whole = Whole {
            rules: (&text, &game),
            work: Work::Tournament { players, opening: tournament.opening, shape: tournament.shape },
            games: tournament.games(),
            max_plies: tournament.max_plies,
            seed: tournament.seed,
            output: args.output.as_deref(),
            force: args.force,
            json: args.json,
        };
        args.part.run(whole, (&tournament.players, tournament.threads), output)
    }
}

/// The table of a tournament that was played in parts.
pub fn merged(players: &[String], shape: Shape, endings: &[Ending]) -> (Value, String) {
    let mut standings = Standings::new(players.len(), shape, None);
    endings.iter().for_each(|ending| standings.add(ending));
    (told::json(players, &standings, false), told::text(players, &standings))
}

pub fn run(args: &TournamentArgs, output: &mut Output) -> Result<(), CliError> {
    let plan = plan(args)?;
    let to_stdout = goes_to_stdout(args.json, &[&args.output, &args.csv, &args.html, &args.resume])?;
    if args.part.are_given() {
        return plan.part(args, output);
    }
    let names: Vec<String> = plan.tournament.players.iter().map(Contender::to_string).collect();
    if let Some(page) = &args.html {
        page::may_be_written(page, args.force || args.resume.is_some())?;
    }
    let mut standings = plan.tournament.standings();
    let path = args.resume.as_deref().or(args.output.as_deref());
    // A table of games that are gone on with is written anew.
    let goes_on = path.is_some_and(|path| path.metadata().is_ok_and(|data| data.len() > 0));
    let force = args.force || goes_on;
    let mut rows = args.csv.as_deref().map(|path| csv::Games::create(path, force, &plan.game)).transpose()?;
    let mut file = path.map(|path| open(path, args, &plan, (&mut standings, &mut rows), output)).transpose()?;
    try_out(&plan.tournament.players, &plan.game)?;
    let lines = Lines::new(&plan.game, &plan.subject.clone().line_fields());
    let mut written = Ok(());
    let mut bar = output.progress();
    let (wanted, all) = ((file.is_some() || rows.is_some()).then_some(&lines), plan.tournament.games());
    let stop = Stop::new();
    plan.tournament.play(&plan.game, &mut standings, (stop.halt(), wanted), &mut |standings, line| {
        bar.show(standings.games, all);
        if let Some(file) = &mut file {
            written = file.add(line);
        }
        if let (Some(rows), Ok(())) = (&mut rows, &written) {
            written = rows.add(line);
        }
        written.is_ok()
    });
    bar.clear();
    written?;
    let halted = standings.games < all && !standings.is_decided();
    rows.filter(|_| !halted || path.is_none()).map_or(Ok(()), csv::Games::finish)?;
    if halted {
        output.note(&stopped(standings.games, all, path));
    }
    if let Some(page) = &args.html {
        page::write(page, (&plan.text.name, args.seed), &names, &standings)?;
    }
    if args.json {
        let answer = told::json(&names, &standings, halted);
        return output.answer_of_games(&plan.subject, answer, stop.unless_given_up(&plan.game));
    }
    if !to_stdout {
        output.text(&told::text(&names, &standings))?;
    }
    stop.unless_given_up(&plan.game)
}

fn open(
    path: &Path,
    args: &TournamentArgs,
    plan: &Plan,
    (standings, rows): (&mut Standings, &mut Option<csv::Games>),
    output: &Output,
) -> Result<File, CliError> {
    if is_stdout(path) {
        return Ok(File::Stdout);
    }
    if args.resume.is_some() && !path.exists() {
        let help = "`--output` begins a new file".to_owned();
        return Err(CliError::coded("no_file", format!("there is no file `{}`", path.display()), Some(help)));
    }
    let file = File::open(path, args.force, (&plan.game, &plan.tournament, args.seed), standings, rows)?;
    if standings.games > 0 {
        output.note(&format!("going on after the {} games in {}", standings.games, path.display()));
    }
    Ok(file)
}

fn stopped(games: u64, all: u64, path: Option<&Path>) -> String {
    match path.filter(|path| !is_stdout(path)) {
        Some(path) => format!(
            "stopped after {games} of {all} games; they are in {}, and the same command again goes on",
            path.display()
        ),
        None => format!("stopped after {games} of {all} games; with `--output FILE` they are kept, to go on later"),
    }
}

fn plan(args: &TournamentArgs) -> Result<Plan, CliError> {
    let (text, game) = args.game.load()?;
    let players = contenders(&args.players, &text, &game)?;
    let bad = |code, message: String, help: &str| Err(CliError::coded(code, message, Some(help.to_owned())));
    let seats = game.rules().players.len();
    if seats != 2 {
        let message = format!("a tournament is for games of two players, and this one has {seats}");
        return bad("bad_player", message, "`arena` plays series with any number of seats");
    }
    if players.len() < 2 {
        return bad("bad_player", "a tournament takes two players at least".to_owned(), "`--players hard,medium`");
    }
    if let Some(twice) = players.iter().enumerate().find(|(at, player)| players[..*at].contains(player)) {
        let message = format!("`{}` is named twice", twice.1);
        return bad("bad_player", message, "every player has one name; give the two other settings");
    }
    if !args.games.is_multiple_of(2) || args.games == 0 {
        let message = format!("games are played in pairs, so their number is even, and not {}", args.games);
        return bad("bad_number", message, "both games of a pair begin alike, with seats swapped");
    }
    if args.sprt.is_some() && players.len() != 2 {
        let message = format!("`--sprt` is between two players, and `--players` names {}", players.len());
        return bad("bad_player", message, "name the one that is tested first, and then the other");
    }
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let sprt = args.sprt.map(|(elo0, elo1)| Sprt { elo0, elo1, model: args.scale.model() });
    let tournament = Tournament {
        players,
        shape: if args.gauntlet { Shape::Gauntlet } else { Shape::RoundRobin },
        pairs: args.games / 2,
        seed: args.seed,
        threads,
        max_plies: (args.max_plies > 0).then_some(args.max_plies),
        opening: args.openings,
        sprt,
    };
    let subject = Subject::game(&text.name, &game).by_chance(args.seed);
    Ok(Plan { text, game, tournament, subject })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_two_numbers_in_order() {
        assert_eq!(bounds("0, 50"), Ok((0.0, 50.0)));
        assert_eq!(bounds("-5,2.5"), Ok((-5.0, 2.5)));
        for wrong in ["", "5", "5,5", "9,1", "0,NaN", "0,inf", "a,b"] {
            assert!(bounds(wrong).is_err(), "{wrong}");
        }
    }
}
