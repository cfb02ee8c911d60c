//! `engine`: plays a game for a program that speaks one of the protocols.

use super::error::CliError;
use super::source::GameArgs;
use super::weights;
use crate::ai::Agent;
use crate::check::Project;
use crate::game::Game;
use crate::library::Library;
use crate::protocol::thinker::Event;
use crate::protocol::{Protocol, gtp, universal};
use clap::{ArgGroup, Args};
use std::io::{self, BufRead, BufReader};
use std::sync::mpsc::{Sender, channel};
use std::thread;

#[derive(Args, Debug)]
#[command(
    group(ArgGroup::new("protocol").required(true)),
    after_help = "Examples:\n  ludwright engine hex -o size=7 --ugi < /dev/null\n  ludwright engine go --gtp --player mcts:500ms < /dev/null\n  ludwright engine chess --uci < /dev/null\n\nA program that lets others play is given such a line as the command of an engine. docs/protocols.md has the moves and\npositions of each protocol, and what is not understood."
)]
pub struct EngineArgs {
    #[command(flatten)]
    game: GameArgs,
    /// The Universal Game Interface: any game of two players
    #[arg(long, group = "protocol")]
    ugi: bool,
    /// The Go Text Protocol, version 2: games in which a ply is one point of the board
    #[arg(long, group = "protocol")]
    gtp: bool,
    /// The Universal Chess Interface: games whose moves go from site to site
    #[arg(long, group = "protocol")]
    uci: bool,
    /// What plays when nothing is said of time; with a time, it is given that instead of its own
    #[arg(long, value_name = "PROGRAM", default_value = "hard")]
    player: String,
}

pub fn run(args: &EngineArgs) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    let player = weights::seat(&args.player, &text, &game)?;
    let agent: Agent = player.trim().parse()?;
    if game.rules().players.len() != 2 {
        let count = game.rules().players.len();
        let message = format!("the protocols are for two players, and the game has {count}");
        return Err(CliError::coded("bad_protocol", message, None));
    }
    if game.hides() {
        let message = "the protocols tell programs everything, and this game hides something from its players";
        let help = "`session` tells each seat what it sees: {\"cmd\":\"state\",\"seat\":\"PLAYER\"}".to_owned();
        return Err(CliError::coded("bad_protocol", message.to_owned(), Some(help)));
    }
    let result = match (args.ugi, args.gtp) {
        (true, _) => universal(Protocol::Ugi, game, agent),
        (_, true) => {
            let project = Project::load(&text.name, &text.text, &Library);
            let choice = &args.game.choice;
            let server = gtp::Server::new(project, &game, choice.ruleset.as_deref(), &choice.options, agent);
            let help = || Some("`--ugi` plays any game of two players".to_owned());
            let server = server.map_err(|why| CliError::coded("bad_protocol", why, help()))?;
            server.run(io::stdin().lock(), &mut io::stdout())
        }
        (false, false) => universal(Protocol::Uci, game, agent),
    };
    result.map_err(CliError::Output)
}

/// Listens on one thread, thinks on another, and answers on this one.
fn universal(protocol: Protocol, game: Game, agent: Agent) -> io::Result<()> {
    let (events, heard) = channel();
    let ears = events.clone();
    thread::spawn(move || listen(&ears));
    universal::Server::new(protocol, game, agent, events, &mut io::stdout()).run(&heard)
}

/// Hands over line after line; what is no text is read as far as it is.
fn listen(events: &Sender<Event>) {
    let mut input = BufReader::new(io::stdin());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        if events.send(Event::Line(String::from_utf8_lossy(&line).into_owned())).is_err() {
            return;
        }
        line.clear();
    }
    // Whoever answers may have ended by now.
    let _ = events.send(Event::End);
}
