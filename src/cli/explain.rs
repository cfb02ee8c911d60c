//! `explain`: the page of a diagnostic.

use super::error::CliError;
use super::output::Output;
use crate::diagnostic::{Code, closest, page};
use clap::Args;

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  ludwright explain LW201\n  ludwright explain unused\n  ludwright explain --list")]
pub struct ExplainArgs {
    /// A code (LW201, lw201, 201) or the name of a lint
    #[arg(required_unless_present = "list")]
    code: Option<String>,
    /// Name all codes
    #[arg(long, conflicts_with = "code")]
    list: bool,
}

pub fn run(args: &ExplainArgs, output: &mut Output) -> Result<(), CliError> {
    let color = output.stdout_color();
    let Some(wanted) = &args.code else {
        return Code::ALL.iter().try_for_each(|code| {
            let lint = code.lint().map_or(String::new(), |lint| format!(" ({lint})"));
            output.line(&format!("{code}  {:7}  {}{lint}", code.severity().word(), code.title()))
        });
    };
    let Some(code) = Code::find(wanted) else {
        let help = match closest(wanted, Code::names()) {
            Some(best) => format!("did you mean `{best}`?"),
            None => "`ludwright explain --list` names all codes".to_owned(),
        };
        return Err(CliError::with_help(format!("there is no diagnostic `{wanted}`"), Some(help)));
    };
    let page = page(code);
    output.block(&if color { pleasant(page) } else { page.to_owned() })
}

/// Markdown as a terminal can show it: headings and names stand out, files and outputs are indented without fences.
fn pleasant(page: &str) -> String {
    let mut text = String::new();
    let mut fenced = false;
    for line in page.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let shown = if fenced {
            format!("\u{1b}[2m    {line}\u{1b}[0m")
        } else if let Some(heading) = line.strip_prefix('#') {
            format!("\u{1b}[1m{}\u{1b}[0m", heading.trim_start_matches('#').trim())
        } else {
            let mut quoted = false;
            let parts = line.split('`').map(|part| {
                let shown = if quoted { format!("\u{1b}[36m{part}\u{1b}[0m") } else { part.to_owned() };
                quoted = !quoted;
                shown
            });
            parts.collect()
        };
        text.push_str(shown.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_in_a_terminal_has_no_fences() {
        let shown = pleasant("# LW1: a\n\nUse `b`.\n\n```game\nboard\n```\n");
        assert_eq!(shown, "\u{1b}[1mLW1: a\u{1b}[0m\n\nUse \u{1b}[36mb\u{1b}[0m.\n\n\u{1b}[2m    board\u{1b}[0m\n");
    }
}
