//! The commands in groups, as the help lists them.

use clap::Command;

/// What somebody wants to do, and the commands for it; those that come first are wanted most.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Play", &["play", "serve", "list", "show", "why", "moves", "suggest", "replay", "render"]),
    ("Write", &["new", "check", "fmt", "test", "explain", "report", "lsp", "sweep", "compare", "tune"]),
    ("Study", &["playout", "measure", "arena", "tournament", "solve", "perft", "train", "bench", "run-job", "merge"]),
    ("Tools", &["session", "engine", "graph", "dump", "completions", "man", "notices", "help"]),
];

/// The command line with its commands listed in groups. Without some features there are fewer of them.
pub fn grouped(command: Command) -> Command {
    let mut command = command;
    // Only then is the command for help among them.
    command.build();
    let known: Vec<(String, String)> = command
        .get_subcommands()
        .map(|known| (known.get_name().to_owned(), known.get_about().map(ToString::to_string).unwrap_or_default()))
        .collect();
    let width = known.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let line = |name: &&str| {
        let (name, about) = known.iter().find(|(known, _)| known == name)?;
        Some(format!("  {name:width$}  {about}\n"))
    };
    let list: String = GROUPS
        .iter()
        .map(|(title, names)| format!("{title}:\n{}\n", names.iter().filter_map(line).collect::<String>()))
        .collect();
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}");
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn every_command_stands_in_one_group() {
        let mut command = Cli::command();
        command.build();
        for known in command.get_subcommands() {
            let times =
                GROUPS.iter().flat_map(|(_, names)| names.iter()).filter(|name| **name == known.get_name()).count();
            assert_eq!(times, 1, "{}", known.get_name());
        }
    }
}
