//! `completions` and `man`: what shells and manuals know of the command line, made from the command line itself.

use super::error::CliError;
use super::output::Output;
use clap::{Args, Command};
use clap_complete::Shell;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright completions bash > ~/.local/share/bash-completion/completions/ludwright\n  ludwright completions fish > ~/.config/fish/completions/ludwright.fish"
)]
pub struct CompletionsArgs {
    /// Whose completions
    shell: Shell,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  ludwright man | man -l -\n  ludwright man check | man -l -")]
pub struct ManArgs {
    /// The page of one command
    command: Option<String>,
}

pub fn completions(args: &CompletionsArgs, mut command: Command, output: &mut Output) -> Result<(), CliError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "ludwright", &mut text);
    output.block(&String::from_utf8_lossy(&text))
}

pub fn run(args: &ManArgs, command: Command, output: &mut Output) -> Result<(), CliError> {
    let (title, page) = match &args.command {
        None => ("ludwright".to_owned(), command),
        Some(name) => {
            let names = command.get_subcommands().map(|known| known.get_name().to_owned());
            let help = format!("the commands are {}", names.collect::<Vec<_>>().join(", "));
            let found = command.find_subcommand(name).cloned();
            let found =
                found.ok_or_else(|| CliError::with_help(format!("there is no command `{name}`"), Some(help)))?;
            (format!("ludwright-{name}"), found)
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).title(title).render(&mut text).map_err(CliError::Output)?;
    output.block(&String::from_utf8_lossy(&text))
}
