//! `play`: a game at the terminal, on the whole screen or line by line.

mod plain;
mod saves;
#[cfg(feature = "terminal")]
mod screen;

use super::arena;
use super::error::CliError;
use super::output::Output;
use super::replay::warn_of_other_rules;
use super::source::{Choice, RuleText, read_record};
use super::weights;
use crate::ai::{Agent, OPPONENT, Seat};
use crate::author::declared::About;
use crate::author::sheet::Sheet;
use crate::check::Project;
use crate::game::{Game, Line, Record, STEPS};
use crate::library::Library;
use crate::play::clock::Clock;
use crate::play::table::Table;
use crate::protocol::{self, Contender};
use clap::Args;
use saves::Keeper;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  ludwright play iqishiqi
  ludwright play iqishiqi --players human,human -o side=5
  ludwright play hops_a_daisy -o player_count=3 --players human,easy,mcts:500ms
  ludwright play chess --players mcts:1s,mcts:1s --watch-delay 1s
  ludwright play chess --players human,human --clock 5m+3s
  ludwright play --resume
  ludwright play iqishiqi --save game.txt
  ludwright play iqishiqi --plain
  ludwright play iqishiqi < /dev/null

Games played at a terminal are saved at every move, in a file of their own in the folder `ludwright/games` of
$XDG_STATE_HOME, by default ~/.local/state; `--resume` goes on with the last one.")]
pub struct PlayArgs {
    /// Name of a shipped game, or path of a `.game` file; with `--resume` it may be left out
    #[arg(value_name = "GAME", required_unless_present = "resume")]
    game: Option<String>,
    #[command(flatten)]
    choice: Choice,
    /// The most steps that working out one ply may take
    #[arg(long, value_name = "N", default_value_t = STEPS, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Who plays each seat, in turn order: human, easy, medium, hard, random, greedy, flat, mcts, alphabeta; the last
    /// three may have a time, `mcts:500ms`. Programs of others are `ugi:PROGRAM ARGUMENTS`, `gtp:...` or `uci:...`, with
    /// settings in brackets: `uci[time=100ms]:stockfish`. By default the first seat is human and the others medium, or random when
    /// nobody is at the terminal
    #[arg(long, value_name = "LIST")]
    players: Vec<String>,
    /// Make programs repeat their moves, as far as they do not play by the clock
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Gives each person so much time for the game, and perhaps more after each turn: `10m`, `5m+3s`, `90s`. Whoever has
    /// none left has lost; the first move takes no time, and programs need none
    #[arg(long, value_name = "TIME")]
    clock: Option<Clock>,
    /// People roll dice of their own, and type what came up where chance decides
    #[arg(long)]
    own_dice: bool,
    /// Go on with a saved game; without FILE with the last one
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    resume: Option<Option<PathBuf>>,
    /// Where to save the game after every move, instead of the usual folder
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    #[cfg(feature = "terminal")]
    #[command(flatten)]
    screen: screen::ScreenArgs,
}

/// A game that is gone on with: what was saved, and where.
struct Resumed {
    file: PathBuf,
    text: String,
    record: Record,
}

pub fn run(args: &PlayArgs, output: &mut Output) -> Result<(), CliError> {
    let resumed = match &args.resume {
        Some(Some(file)) => Some(resume(file)?),
        Some(None) => Some(resume(&saves::latest(args.game.as_deref())?)?),
        None => None,
    };
    let record = resumed.as_ref().map(|resumed| resumed.record.clone()).unwrap_or_default();
    let Some(name) = args.game.clone().or_else(|| record.game.clone()) else {
        return Err(CliError::with_help(
            "the record does not say which game it is of",
            Some("name the game".to_owned()),
        ));
    };
    let text = RuleText::of_game(&name)?;
    let choice = args.choice.over(&record);
    let game = text.load(&choice)?.with_steps(args.steps);
    game.start().unless_stopped().map_err(|error| CliError::stopped(&error))?;
    warn_of_other_rules(&record, &game.rules_hash(), output);
    let at_terminal = io::stdin().is_terminal();
    let named = weights::seats(protocol::list(&args.players), &text, &game)?;
    let seats = seats(&named, &record, game.rules().players.len(), at_terminal)?;
    weights::ready(&seats, &text, &game)?;
    try_out(&seats, &game)?;
    let same_rules = record.rules_hash.as_ref().is_none_or(|hash| *hash == game.rules_hash());
    let line = Line::replayed(&game, &record.moves)
        .map_err(|(at, error)| CliError::message(format!("move {at} of the saved game: {error}")))?;
    let mut table = Table::new(&text.name, choice.ruleset.as_deref(), &choice.options, line, &seats, args.seed);
    table.roll_by_hand(args.own_dice);
    table.lay_out(sheet(&text, &game));
    if let Some(clock) = clock(args, &record)? {
        table.put_clock(clock);
    }
    let keeper = keeper(args.save.as_deref(), resumed.filter(|_| same_rules), &text.name, at_terminal)?;
    #[cfg(feature = "terminal")]
    // Whole screens show everything to everybody.
    if has_screen(args, at_terminal) && !game.hides() {
        return screen::play(table, keeper, &args.screen, !same_rules, output);
    }
    plain::play(table, keeper, args.save.is_some(), output)
}

/// The clock that is asked for, or that the saved game was played with.
fn clock(args: &PlayArgs, record: &Record) -> Result<Option<Clock>, CliError> {
    match (&args.clock, &record.clock) {
        (Some(clock), _) => Ok(Some(clock.clone())),
        (None, Some(text)) => saved_clock(text, record.rules_hash.is_some()),
        (None, None) => Ok(None),
    }
}

/// The clock in a comment of a record. People may write comments that begin with this word and mean something else; of
/// what the program wrote itself a line that names a time is a clock.
fn saved_clock(text: &str, ours: bool) -> Result<Option<Clock>, CliError> {
    match text.parse() {
        Ok(clock) => Ok(Some(clock)),
        Err(_) if !ours || !text.starts_with(|first: char| first.is_ascii_digit()) => Ok(None),
        Err(error) => {
            let message = format!("the clock of the saved game, `{text}`, cannot be read: {error}");
            Err(CliError::with_help(
                message,
                Some("mend that line, or give another clock by `--clock TIME`".to_owned()),
            ))
        }
    }
}

/// The rules in words, as `show` has them.
fn sheet(text: &RuleText, game: &Game) -> String {
    let project = Project::load(&text.name, &text.text, &Library);
    let summary = About::of(&project).summary.unwrap_or_default();
    format!("{summary}\n{}", Sheet::new(game, &project).text())
}

/// Whether somebody looks at a screen that can be drawn on, and wants it so.
#[cfg(feature = "terminal")]
fn has_screen(args: &PlayArgs, at_terminal: bool) -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !args.screen.plain && !dumb && at_terminal && io::stdout().is_terminal()
}

fn resume(file: &Path) -> Result<Resumed, CliError> {
    let record = read_record(file)?;
    // What is no file cannot be gone on with in place.
    let text = fs::read_to_string(file).unwrap_or_default();
    Ok(Resumed { file: file.to_owned(), text, record })
}

/// Where the game is saved: where it is asked for, where it came from if that is a file of ours, or in a new file. Where
/// nobody is at the terminal only what is asked for is saved.
fn keeper(save: Option<&Path>, resumed: Option<Resumed>, game: &str, at_terminal: bool) -> Result<Keeper, CliError> {
    if let Some(file) = save {
        return Keeper::asked(file, resumed.as_ref().map(|resumed| resumed.file.as_path()));
    }
    if !at_terminal {
        return Ok(Keeper::nowhere());
    }
    let ours = |file: &Path| {
        let folder = saves::folder().and_then(|folder| fs::canonicalize(folder).ok());
        let parent = fs::canonicalize(file).ok().and_then(|file| file.parent().map(Path::to_owned));
        folder.is_some() && folder == parent
    };
    Ok(match resumed {
        Some(resumed) if ours(&resumed.file) => Keeper::resumed(&resumed.file, resumed.text),
        _ => Keeper::usual(game),
    })
}

/// A seat as the command line names it.
fn seat(name: &str) -> Result<Seat, CliError> {
    if name.trim() == "human" {
        return Ok(Seat::Human);
    }
    Ok(match name.parse()? {
        Contender::Own(agent) => Seat::Program(agent),
        // Seats are passed around as small things; the few names of one command line are kept to its end.
        Contender::Guest(guest) => Seat::Guest(Box::leak(guest.to_string().into_boxed_str())),
    })
}

/// Programs of others that do not run are told of before the game.
fn try_out(seats: &[Seat], game: &Game) -> Result<(), CliError> {
    let guests = seats.iter().filter_map(|seat| match seat {
        Seat::Guest(name) => Some(name.parse()),
        Seat::Human | Seat::Program(_) => None,
    });
    arena::try_out(&guests.collect::<Result<Vec<Contender>, _>>()?, game)
}

/// Who sits where: as the command line says, else as the record, else a person at the first seat.
fn seats(list: &[String], record: &Record, players: usize, at_terminal: bool) -> Result<Vec<Seat>, CliError> {
    if !list.is_empty() {
        if list.len() != players {
            let message = format!("the game has {players} seats, but `--players` names {}", list.len());
            return Err(CliError::message(message));
        }
        return list.iter().map(|name| seat(name)).collect();
    }
    let recorded: Option<Vec<Seat>> =
        record.players.as_ref().and_then(|list| list.split(',').map(|name| name.parse().ok()).collect());
    if let Some(seats) = recorded.filter(|seats| seats.len() == players) {
        return Ok(seats);
    }
    let others = Seat::Program(if at_terminal { OPPONENT } else { Agent::Random });
    Ok((0..players).map(|seat| if seat == 0 { Seat::Human } else { others }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_about_clocks_are_no_clocks() {
        assert_eq!(saved_clock("5m+3s 1 2", false).unwrap().unwrap().to_string(), "5m+3s 1 2");
        for (text, ours) in [("was stopped for lunch", true), ("10 minutes each", false), ("5m later", false)] {
            assert!(saved_clock(text, ours).unwrap().is_none(), "{text}");
        }
        assert!(saved_clock("5m later", true).is_err());
    }

    #[test]
    fn seats_are_named_or_recorded_or_usual() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let none = Record::default();
        let random = Seat::Program(Agent::Random);
        assert_eq!(seats(&[], &none, 2, false).unwrap(), [Seat::Human, random]);
        assert_eq!(
            seats(&[], &none, 3, true).unwrap()[1..].iter().map(Seat::to_string).collect::<Vec<_>>(),
            ["medium"; 2]
        );
        assert_eq!(seats(&list(&["random", " human"]), &none, 2, true).unwrap(), [random, Seat::Human]);
        let record = Record { players: Some("random, human".to_owned()), ..Record::default() };
        assert_eq!(seats(&[], &record, 2, true).unwrap(), [random, Seat::Human]);
        assert_eq!(seats(&[], &record, 3, false).unwrap(), [Seat::Human, random, random]);
        assert!(seats(&list(&["human"]), &none, 2, true).is_err());
        assert!(seats(&list(&["human", "mcts:never"]), &none, 2, true).is_err());
    }
}
