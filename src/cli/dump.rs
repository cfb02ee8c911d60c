//! `dump`: a stage of the way from text to program, as text.

use super::error::CliError;
use super::output::Output;
use super::source::{GameArgs, RuleText};
use crate::diagnostic::Diagnostic;
use crate::source::Sources;
use crate::syntax::parse;
use clap::{Args, ValueEnum};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Stage {
    /// The syntax tree of the file
    Ast,
    /// The checked rules with all options resolved
    Rules,
    /// The compiled program
    Program,
}

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ludwright dump iqishiqi --stage rules -o side=5")]
pub struct DumpArgs {
    #[command(flatten)]
    game: GameArgs,
    #[arg(long, value_enum)]
    stage: Stage,
}

pub fn run(args: &DumpArgs, output: &mut Output) -> Result<(), CliError> {
    match args.stage {
        Stage::Ast => dump_tree(&RuleText::of_game(&args.game.game)?, output),
        Stage::Rules => {
            let (_, game) = args.game.load()?;
            output.block(&crate::rules::dump(game.rules()))
        }
        Stage::Program => {
            let (_, game) = args.game.load()?;
            let text = game.dump_program().map_err(|reason| {
                CliError::with_help(
                    format!("this game is not lowered: {reason}"),
                    Some("it runs on the reference engine; `--stage rules` shows its rules".to_owned()),
                )
            })?;
            output.block(&text)
        }
    }
}

fn dump_tree(text: &RuleText, output: &mut Output) -> Result<(), CliError> {
    let mut sources = Sources::default();
    let id = sources.add(text.name.clone(), text.text.clone());
    let (file, diagnostics) = parse(id, &text.text);
    output.line(&format!("{file:#?}"))?;
    if diagnostics.iter().any(Diagnostic::is_error) {
        let message = format!("`{}` cannot be parsed", text.name);
        return Err(CliError::Rules { message, diagnostics, sources });
    }
    Ok(())
}
