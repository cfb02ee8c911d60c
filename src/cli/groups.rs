//! The commands in groups, as the help lists them.

use clap::Command;
use std::ops::Range;

/// Where the orders of each group begin: a command stands in the group that its `display_order` lies in, those that are
/// wanted most first. One that says no order is among the tools.
pub const PLAY: usize = 100;
pub const WRITE: usize = 200;
pub const STUDY: usize = 300;
pub const TOOLS: usize = 400;

/// What somebody wants to do, and the orders of the commands for it.
const GROUPS: [(&str, Range<usize>); 4] =
    [("Play", 0..WRITE), ("Write", WRITE..STUDY), ("Study", STUDY..TOOLS), ("Tools", TOOLS..usize::MAX)];

/// The command line with its commands listed in groups.
pub fn grouped(command: Command) -> Command {
    let mut command = command;
    // Only then is the command for help among them.
    command.build();
    let mut known: Vec<&Command> = command.get_subcommands().collect();
    known.sort_by_key(|known| known.get_display_order());
    let width = known.iter().map(|known| known.get_name().len()).max().unwrap_or(0);
    let line = |known: &&Command| {
        let about = known.get_about().map(ToString::to_string).unwrap_or_default();
        format!("  {:width$}  {about}\n", known.get_name())
    };
    let list = |(title, orders): &(&str, Range<usize>)| {
        let own = known.iter().filter(|known| orders.contains(&known.get_display_order()));
        format!("{title}:\n{}\n", own.map(line).collect::<String>())
    };
    let list: String = GROUPS.iter().map(list).collect();
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
    fn every_command_has_an_order_of_its_own() {
        let mut command = Cli::command();
        command.build();
        let mut orders: Vec<usize> = command
            .get_subcommands()
            .filter(|known| known.get_name() != "help")
            .map(Command::get_display_order)
            .collect();
        orders.sort_unstable();
        let all = orders.len();
        orders.dedup();
        assert_eq!(orders.len(), all, "two commands share a place in the help");
        assert!(orders.iter().all(|order| (PLAY..TOOLS + 100).contains(order)), "{orders:?}");
    }
}
