//! `lsp`: the language server.

use super::error::CliError;
use crate::lsp::serve;
use clap::Args;

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  ludwright lsp\n\nEditors start it themselves; docs/editors.md says how to set them up."
)]
pub struct LspArgs {
    /// Standard input and output, which are used anyway
    #[arg(long, hide = true)]
    stdio: bool,
}

pub fn run(_: &LspArgs) -> Result<(), CliError> {
    match serve() {
        Ok(true) => Ok(()),
        Ok(false) => Err(CliError::Told),
        Err(error) => Err(CliError::Output(error)),
    }
}
