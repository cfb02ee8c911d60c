//! `fmt`: rule files in the one layout, written back, compared or passed through.

use super::error::{CliError, show};
use super::output::{Output, complain};
use super::source::{RuleText, Target, Unreadable, targets};
use super::store::replace;
use crate::diagnostic::{Code, Diagnostic};
use crate::format::{Refusal, format};
use crate::library::{Library, is_path};
use crate::source::{Sources, Span};
use clap::Args;
use similar::TextDiff;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// No rule file is nearly as long.
const MAX_READ: u64 = 16 << 20;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright fmt my.game\n  ludwright fmt games --check\n  ludwright fmt - < my.game\n\nLines break where you break them; blanks, indentation and columns are set. What cannot be read is left alone."
)]
pub struct FmtArgs {
    /// Rule files and folders of rule files; `-` reads standard input and writes standard output
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write nothing: show what would change, and fail if anything would
    #[arg(long)]
    check: bool,
}

pub fn run(args: &FmtArgs, output: &mut Output) -> Result<(), CliError> {
    let (piped, named): (Vec<PathBuf>, Vec<PathBuf>) =
        args.files.iter().cloned().partition(|file| file.as_os_str() == "-");
    let (mut changed, mut unchanged, mut failed) = (0, 0, 0);
    let input = piped.first().map(|_| stdin()).transpose()?;
    let shipped = |target: &Target| !is_path(&target.path) && Library::text(&target.path).is_some();
    for (target, from_input) in
        input.into_iter().map(|target| (target, true)).chain(targets(&named).into_iter().map(|target| (target, false)))
    {
        if !from_input && shipped(&target) && !Path::new(&target.path).exists() {
            complain(
                &CliError::message(format!("`{}` is a game inside the program; name a file", target.path))
                    .report(output.stderr_color()),
            );
            failed += 1;
            continue;
        }
        let (text, laid_out) = match target.text.and_then(|text| laid_out(&text).map(|laid_out| (text, laid_out))) {
            Ok(both) => both,
            Err(unreadable) => {
                complain(&show(&unreadable.0, &unreadable.1, output.stderr_color()));
                failed += 1;
                continue;
            }
        };
        if from_input && !args.check {
            output.text(&laid_out)?;
            continue;
        }
        if laid_out == text.text {
            unchanged += 1;
            continue;
        }
        changed += 1;
        if args.check {
            output.text(&difference(&target.path, &text.text, &laid_out))?;
        } else if let Err(error) = replace(Path::new(&target.path), &laid_out) {
            complain(&CliError::write(Path::new(&target.path), error).report(output.stderr_color()));
            changed -= 1;
            failed += 1;
        }
    }
    output.flush()?;
    if !named.is_empty() || args.check {
        let verb = if args.check { "would be reformatted" } else { "reformatted" };
        let mut line = format!("{changed} {verb}, {unchanged} unchanged");
        if failed > 0 {
            line.push_str(&format!(", {failed} could not be formatted"));
        }
        output.note(&line);
    }
    if failed > 0 || (args.check && changed > 0) { Err(CliError::Told) } else { Ok(()) }
}

fn stdin() -> Result<Target, CliError> {
    let path = PathBuf::from("<stdin>");
    let mut bytes = Vec::new();
    io::stdin().take(MAX_READ).read_to_end(&mut bytes).map_err(|error| CliError::read(&path, error))?;
    Ok(Target::of_bytes(&path, bytes))
}

fn laid_out(text: &RuleText) -> Result<String, Unreadable> {
    let about = |mut diagnostic: Diagnostic| -> Unreadable {
        let mut sources = Sources::default();
        diagnostic.span.source = sources.add(text.name.clone(), text.text.clone());
        diagnostic.labels.clear();
        Box::new((diagnostic, sources))
    };
    let whole = |message: &str| Diagnostic::new(Code::Unreadable, Span::default(), message);
    format(&text.text).map_err(|refusal| match refusal {
        Refusal::Unread(found) => about(
            found
                .into_iter()
                .next()
                .unwrap_or_else(|| whole("the text cannot be read"))
                .help("a file with errors is left as it is; `ludwright check` says all that is wrong"),
        ),
        Refusal::Changed => about(
            whole("no layout was found that says the same; the file is left as it is")
                .help("this is a fault of the formatter; please report it"),
        ),
    })
}

fn difference(name: &str, old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(2)
        .header(name, &format!("{name} (laid out)"))
        .to_string()
}
