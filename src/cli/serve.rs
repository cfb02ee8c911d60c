//! `serve`: the local web page.

use super::error::CliError;
use super::output::{Output, complain};
use super::source::RuleText;
use crate::game::STEPS;
use crate::library::is_path;
use crate::serve::{Config, Source, serve, shipped, usual_folder, work};
use clap::Args;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright serve\n  ludwright serve --port 8000 hex my.game\n  ludwright serve --data games --port 0\n\nThe page is for this computer alone unless --host says otherwise. docs/serve.md describes what programs can ask."
)]
pub struct ServeArgs {
    /// The games on offer, as names of shipped games and paths of files; by default all shipped games
    #[arg(value_name = "GAME")]
    games: Vec<String>,
    /// The port; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 7878)]
    port: u16,
    /// The address to listen to
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// A name under which browsers may call the server, besides its address; may be repeated
    #[arg(long = "allow-host", value_name = "NAME")]
    hosts: Vec<String>,
    /// The folder where games are kept
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The most games kept at the same time
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    max_sessions: u32,
    /// How many steps working out one ply may take before it is given up
    #[arg(long, value_name = "N", default_value_t = STEPS, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Answer the server on standard input and output
    #[arg(long, hide = true)]
    worker: bool,
    /// How much of the processor it leaves to others
    #[arg(long, hide = true, default_value_t = 0)]
    nice: u8,
}

pub fn run(args: &ServeArgs, output: &mut Output) -> Result<(), CliError> {
    if args.worker {
        return work(args.steps, args.nice).map_err(CliError::Output);
    }
    let games = match args.games.as_slice() {
        [] => shipped(),
        named => named.iter().map(|game| source(game)).collect::<Result<_, _>>()?,
    };
    let config = Config {
        address: SocketAddr::new(args.host, args.port),
        hosts: args.hosts.clone(),
        games,
        folder: args.data.clone().unwrap_or_else(usual_folder),
        most: usize::try_from(args.max_sessions).unwrap_or(usize::MAX),
        steps: args.steps,
        complain: |what| complain(&format!("{what}\n")),
    };
    let ready = |address: SocketAddr| {
        let told = output.line(&format!("http://{address}/")).and_then(|()| output.flush());
        // Nobody has to listen: the address may be known.
        told.or(Ok(()))
    };
    serve(config, ready).map_err(|error| {
        let help = match &error {
            crate::serve::ServeError::InUse(_) => Some("another --port, or 0 for any that is free"),
            crate::serve::ServeError::Store(crate::serve::StoreError::Taken(_)) => {
                Some("another folder with --data, or end the other server")
            }
            _ => None,
        };
        CliError::with_help(error.to_string(), help.map(str::to_owned))
    })
}

/// A game on offer. Files are called by their stem.
fn source(game: &str) -> Result<Source, CliError> {
    let RuleText { name, text } = RuleText::of_game(game)?;
    if !is_path(game) {
        return Ok(Source::Shipped { name });
    }
    let stem = Path::new(game).file_stem().map_or_else(|| game.to_owned(), |stem| stem.to_string_lossy().into_owned());
    Ok(Source::File { name: stem, path: name, text })
}
