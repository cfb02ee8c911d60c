//! The command line: what can be asked, and who answers.

mod append;
mod arena;
mod bench;
mod best;
mod check;
mod compare;
mod csv;
mod dump;
mod engine;
mod envelope;
mod error;
mod explain;
mod fmt;
mod games;
mod graph;
mod groups;
mod job;
mod list;
#[cfg(feature = "lsp")]
mod lsp;
mod man;
mod measure;
mod merge;
mod moves;
mod new;
mod notices;
mod output;
mod perft;
mod play;
mod playout;
mod range;
mod render;
mod replay;
mod report;
mod resume;
mod series;
#[cfg(feature = "serve")]
mod serve;
pub(crate) mod session;
mod show;
mod solve;
mod source;
mod stop;
mod store;
mod suggest;
mod sums;
mod sweep;
mod test;
mod tournament;
mod train;
mod tune;
mod weights;
mod why;

use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use error::CliError;
use groups::{PLAY, STUDY, TOOLS, WRITE, grouped};
use output::{ColorWhen, Output, complain};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// The status of a command line that cannot be understood.
const NOT_UNDERSTOOD: u8 = 2;

#[derive(Parser, Debug)]
#[command(
    name = "ludwright",
    version,
    about = "Describe, check and run board games as text",
    propagate_version = false,
    after_help = "Examples:\n  ludwright serve\n  ludwright play hex\n  ludwright check games --deny warnings\n  ludwright perft iqishiqi -o side=3 --depth 4"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// When to use colours
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    color: ColorWhen,
    /// Print only the answer, without notes and progress
    #[arg(short, long, global = true)]
    quiet: bool,
}

/// The order of a command in the help says its group as well.
#[derive(Subcommand, Debug)]
enum Command {
    /// Parse and check rule files
    #[command(display_order = WRITE + 1)]
    Check(check::CheckArgs),
    /// Write a starting file
    #[command(display_order = WRITE + 0)]
    New(new::NewArgs),
    /// Explain a diagnostic by its code
    #[command(display_order = WRITE + 4)]
    Explain(explain::ExplainArgs),
    /// Format rule files
    #[command(display_order = WRITE + 2)]
    Fmt(fmt::FmtArgs),
    /// Run the tests and records inside rule files
    #[command(display_order = WRITE + 3)]
    Test(test::TestArgs),
    /// Answer an editor: the language server
    #[cfg(feature = "lsp")]
    #[command(display_order = WRITE + 6)]
    Lsp(lsp::LspArgs),
    /// Name the shipped games
    #[command(display_order = PLAY + 2)]
    List(list::ListArgs),
    /// Describe a game: players, options, rulesets, board
    #[command(display_order = PLAY + 3)]
    Show(show::ShowArgs),
    /// Print the rule graph of a game
    #[command(display_order = TOOLS + 2)]
    Graph(graph::GraphArgs),
    /// Print a stage of the way from text to program
    #[command(display_order = TOOLS + 3)]
    Dump(dump::DumpArgs),
    /// Play in the terminal
    #[command(display_order = PLAY + 0)]
    Play(play::PlayArgs),
    /// Print a position and its legal moves
    #[command(display_order = PLAY + 5)]
    Moves(moves::MovesArgs),
    /// Draw a position or a recorded game
    #[command(display_order = PLAY + 8)]
    Render(render::RenderArgs),
    /// Tell why a move is legal or not, or why the game is over
    #[command(display_order = PLAY + 4)]
    Why(why::WhyArgs),
    /// Count the sequences of moves of each length
    #[command(display_order = STUDY + 5)]
    Perft(perft::PerftArgs),
    /// Play random games and sum them up
    #[command(display_order = STUDY + 0)]
    Playout(playout::PlayoutArgs),
    /// Add up the results of the parts of a run
    #[command(display_order = STUDY + 9)]
    Merge(merge::MergeArgs),
    /// Play a part of a job, on any machine
    #[command(display_order = STUDY + 8)]
    RunJob(job::JobArgs),
    /// Let programs play each other, and tell how strong they are
    #[command(display_order = STUDY + 2)]
    Arena(arena::ArenaArgs),
    /// Let many programs play each other in pairs of games; can be resumed
    #[command(display_order = STUDY + 3)]
    Tournament(tournament::TournamentArgs),
    /// Find out what a game is like: is it fair, how does it end, does skill matter
    #[command(display_order = STUDY + 1)]
    Measure(measure::MeasureArgs),
    /// Measure variants of a game side by side
    #[command(display_order = WRITE + 7)]
    Sweep(sweep::SweepArgs),
    /// Tell how two games differ in play
    #[command(display_order = WRITE + 8)]
    Compare(compare::CompareArgs),
    /// Show a game on a page: rules, a game, measures, options
    #[command(display_order = WRITE + 5)]
    Report(report::ReportArgs),
    /// Find the value of an option that makes a game as wanted
    #[command(display_order = WRITE + 9)]
    Tune(tune::TuneArgs),
    /// Find out who wins a position when everybody plays perfectly
    #[command(display_order = STUDY + 4)]
    Solve(solve::SolveArgs),
    /// Let a program learn a game by playing against itself
    #[command(display_order = STUDY + 6)]
    Train(train::TrainArgs),
    /// Ask a program for a move
    #[command(display_order = PLAY + 6)]
    Suggest(suggest::SuggestArgs),
    /// Play for a program that speaks UGI, GTP or UCI
    #[command(display_order = TOOLS + 1)]
    Engine(engine::EngineArgs),
    /// Time random games
    #[command(display_order = STUDY + 7)]
    Bench(bench::BenchArgs),
    /// Play through a recorded game
    #[command(display_order = PLAY + 7)]
    Replay(replay::ReplayArgs),
    /// Let a program drive a game with JSON lines
    #[command(display_order = TOOLS + 0)]
    Session(session::SessionArgs),
    /// Play and write games in the browser
    #[cfg(feature = "serve")]
    #[command(display_order = PLAY + 1)]
    Serve(serve::ServeArgs),
    /// Print the completions of a shell
    #[command(display_order = TOOLS + 4)]
    Completions(man::CompletionsArgs),
    /// Print the manual page
    #[command(display_order = TOOLS + 5)]
    Man(man::ManArgs),
    /// Print the licences of the code in this program
    #[command(display_order = TOOLS + 6)]
    Notices(notices::NoticesArgs),
}

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let words: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let json = envelope::is_wanted(&words);
    let (cli, command) = match parse(&arguments) {
        Ok(parsed) => parsed,
        Err(error) => return refuse(&error, &words, json),
    };
    let mut output = Output::new(cli.color, cli.quiet, &command);
    let result = dispatch(cli.command, &mut output);
    if let (Err(error), true) = (&result, json) {
        output.failure(error);
    }
    // What was written before a failure is still wanted.
    let flushed = output.flush();
    match result.and(flushed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !error.is_closed_pipe() {
                complain(&error.report(output.stderr_color()));
            }
            ExitCode::from(error.status())
        }
    }
}

/// What was asked, and the name of the command.
fn parse(arguments: &[OsString]) -> Result<(Cli, String), clap::Error> {
    let matches = grouped(Cli::command()).color(help_color(arguments)).try_get_matches_from(arguments)?;
    let name = matches.subcommand_name().unwrap_or_default().to_owned();
    Cli::from_arg_matches(&matches).map(|cli| (cli, name))
}

/// Help and errors of the command line are printed before it is understood, so the wish for colours is looked up first.
fn help_color(arguments: &[OsString]) -> ColorChoice {
    let words: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let followed =
        words.iter().zip(words.iter().skip(1)).find(|(flag, _)| *flag == "--color").map(|(_, when)| when.to_string());
    let joined = words.iter().find_map(|word| word.strip_prefix("--color=").map(str::to_owned));
    match followed.or(joined).as_deref() {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// Prints help, the version, or why the command line cannot be understood.
fn refuse<S: AsRef<str>>(error: &clap::Error, words: &[S], json: bool) -> ExitCode {
    if json && error.use_stderr() {
        let command = words.iter().skip(1).map(AsRef::as_ref).find(|word| !word.starts_with('-'));
        let mut output = Output::new(ColorWhen::Never, false, command.unwrap_or_default());
        output.failure(&CliError::usage(error));
        // What is wrong with the command line is told below, whatever becomes of this.
        let _ = output.flush();
    }
    let printed = error.print().and_then(|()| io::stdout().flush());
    if error.use_stderr() {
        return ExitCode::from(NOT_UNDERSTOOD);
    }
    match printed.map_err(CliError::Output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !error.is_closed_pipe() {
                complain(&error.report(false));
            }
            ExitCode::from(error.status())
        }
    }
}

fn dispatch(command: Command, output: &mut Output) -> Result<(), CliError> {
    match command {
        Command::Check(args) => check::run(&args, output),
        Command::New(args) => new::run(&args, output),
        Command::Explain(args) => explain::run(&args, output),
        Command::Fmt(args) => fmt::run(&args, output),
        Command::Test(args) => test::run(&args, output),
        #[cfg(feature = "lsp")]
        Command::Lsp(args) => lsp::run(&args),
        Command::List(args) => list::run(&args, output),
        Command::Show(args) => show::run(&args, output),
        Command::Graph(args) => graph::run(&args, output),
        Command::Dump(args) => dump::run(&args, output),
        Command::Play(args) => play::run(&args, output),
        Command::Moves(args) => moves::run(&args, output),
        Command::Render(args) => render::run(&args, output),
        Command::Why(args) => why::run(&args, output),
        Command::Perft(args) => perft::run(&args, output),
        Command::Playout(args) => playout::run(&args, output),
        Command::Merge(args) => merge::run(&args, output),
        Command::RunJob(args) => job::run(&args, output),
        Command::Arena(args) => arena::run(&args, output),
        Command::Tournament(args) => tournament::run(&args, output),
        Command::Measure(args) => measure::run(&args, output),
        Command::Sweep(args) => sweep::run(&args, output),
        Command::Compare(args) => compare::run(&args, output),
        Command::Report(args) => report::run(&args, output),
        Command::Tune(args) => tune::run(&args, output),
        Command::Solve(args) => solve::run(&args, output),
        Command::Train(args) => train::run(&args, output),
        Command::Suggest(args) => suggest::run(&args, output),
        Command::Engine(args) => engine::run(&args),
        Command::Bench(args) => bench::run(&args, output),
        Command::Replay(args) => replay::run(&args, output),
        Command::Session(args) => session::run(&args, output),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args, output),
        Command::Completions(args) => man::completions(&args, Cli::command(), output),
        Command::Man(args) => man::run(&args, Cli::command(), output),
        Command::Notices(args) => notices::run(&args, output),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_examples() {
        for command in Cli::command().get_subcommands().filter(|command| command.get_name() != "help") {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Example"), "{}", command.get_name());
        }
    }
}
