//! What is to be said of rule texts: facts of their games, mistakes, colours, the one layout, and a picture.

use super::message::{Refusal, Source};
use crate::author::declared::{option_objects, rulesets};
use crate::author::inspect::check_file;
use crate::author::script::{ScriptReport, Scripts};
use crate::check::{Project, Resolve, check as check_rules};
use crate::diagnostic::{Diagnostic, Severity};
use crate::format;
use crate::game::{Game, LoadError, Position, STEPS};
use crate::library::{Library, Shipped};
use crate::lsp::{Asked, painted};
use crate::render::{self, Style, Theme};
use crate::rules::Setting;
use crate::source::{SourceId, Sources};
use crate::study::playout::{choose, generator};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The name of a text from the page, in messages and downloads.
const OWN: &str = "mine.game";
/// A board with as many pieces, or a game of as many plies, looks like its game.
const PLENTY: usize = 6;

impl Source {
    /// The name of the file, or of the shipped game.
    pub fn file(&self) -> String {
        match self {
            Self::Shipped { name } => name.clone(),
            Self::File { path, .. } => path.clone(),
            Self::Own { .. } => OWN.to_owned(),
        }
    }

    /// The file on the disk that it was read from, if it was.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::File { path, .. } => Some(path),
            Self::Shipped { .. } | Self::Own { .. } => None,
        }
    }

    /// What the page calls the game; none for a text of its own.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Shipped { name } | Self::File { name, .. } => Some(name),
            Self::Own { .. } => None,
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Self::Shipped { name } => Library::text(name).unwrap_or(""),
            Self::File { text, .. } | Self::Own { text } => text,
        }
    }

    fn resolve(&self) -> &'static dyn Resolve {
        match self {
            Self::File { .. } => &Library,
            Self::Shipped { .. } | Self::Own { .. } => &Shipped,
        }
    }

    pub fn project(&self) -> Project {
        Project::load(&self.file(), self.text(), self.resolve())
    }
}

/// The game of a source with options as they were chosen.
pub fn load(source: &Source, ruleset: Option<&str>, options: &[(String, String)], steps: u64) -> Result<Game, Refusal> {
    let game = Game::from_project(&source.project(), ruleset, options).map_err(refused)?;
    Ok(if steps == STEPS { game } else { game.with_steps(steps) })
}

fn refused(error: LoadError) -> Refusal {
    match error {
        LoadError::Other { message, help } => Refusal::new("bad_option", message).help(help),
        LoadError::Rules { message, diagnostics, sources } => {
            let found: Vec<Value> = diagnostics.iter().map(|found| found.to_json(&sources)).collect();
            Refusal::new("bad_rules", message).detail(json!(found))
        }
    }
}

/// What a player wants to know of a game that is being played.
pub fn facts_of(game: &Game, source: &Source) -> Value {
    let rules = game.rules();
    let about = &rules.about;
    let settings: Map<String, Value> = rules
        .settings
        .iter()
        .map(|(name, setting)| {
            let value = match setting {
                Setting::Number(number) => json!(number),
                Setting::Choice(id) => json!(rules.choice(*id)),
            };
            (name.clone(), value)
        })
        .collect();
    json!({
        "name": source.name(),
        "shipped": matches!(source, Source::Shipped { .. }),
        "title": about.title,
        "author": about.author,
        "year": about.year,
        "summary": about.summary,
        "source": about.source,
        "sheets": super::view::sheets(&game.start()),
        "ruleset": rules.ruleset,
        "settings": settings,
        "score": about.score,
    })
}

/// What a player wants to know of a game before it is played.
pub fn facts(source: &Source, steps: u64) -> Result<Value, Refusal> {
    let project = source.project();
    let game = load(source, None, &[], steps)?;
    let rules = game.rules();
    let mut facts = facts_of(&game, source);
    let moves = rules.played_moves().map(|(_, mv)| json!({ "name": mv.name, "doc": mv.doc }));
    let endings = rules.endings.iter().filter(|ending| !ending.reason.is_empty()).map(|ending| &ending.reason);
    facts["players"] = json!(rules.players.iter().map(|player| &player.name).collect::<Vec<_>>());
    facts["options"] = json!(option_objects(&project));
    facts["rulesets"] = json!(rulesets(&project));
    facts["moves"] = json!(moves.collect::<Vec<_>>());
    facts["chance"] = json!(rules.has_chance());
    facts["hides"] = json!(game.hides());
    facts["endings"] = json!(endings.collect::<Vec<_>>());
    Ok(facts)
}

/// A position that shows what the game looks like.
pub fn picture(source: &Source, dark: bool, steps: u64) -> Result<Value, Refusal> {
    let game = load(source, None, &[], steps)?;
    let theme = if dark { Theme::Dark } else { Theme::Light };
    let style = Style { theme, coordinates: false, ..Style::default() };
    let position = recorded(&source.project()).unwrap_or_else(|| typical(&game));
    Ok(json!(render::svg(&position, &style)))
}

/// A position late in a game that the file records.
fn recorded(project: &Project) -> Option<Position> {
    let scripts = Scripts { wanted: |script| script.record, keep_course: true, ..Scripts::default() };
    let reports = scripts.run(project, None, &[]).ok()?;
    let whole = reports.iter().filter(|report| report.ok && report.course.len() > PLENTY);
    let course = &whole.max_by_key(|report| report.course.len())?.course;
    course.get(course.len() * 2 / 3).map(|(_, position)| position.clone())
}

/// The start, or where that shows little a position after some random moves.
fn typical(game: &Game) -> Position {
    let mut position = game.start();
    let board = &game.rules().board;
    let pieces = |position: &Position| position.to_json()["sites"].as_object().map_or(0, Map::len);
    if pieces(&position) >= PLENTY {
        return position;
    }
    let wanted = (board.len() / 3).clamp(PLENTY, 40);
    let mut generator = generator(1, 0);
    // The last one before the end, if it ends early.
    while pieces(&position) < wanted && (position.ply() as usize) < 2 * wanted {
        let next = choose(&position, &mut generator).and_then(|index| position.play_index(index));
        match next.filter(|next| !next.is_over()) {
            Some(next) => position = next,
            None => break,
        }
    }
    position
}

/// What is wrong with a text: with its defaults, or the whole that `check` says; and the colours of its words.
pub fn check(text: &str, whole: bool) -> Value {
    let (found, sources) = if whole {
        check_file(OWN, text, &Shipped)
    } else {
        let project = Project::load(OWN, text, &Shipped);
        let mut found = check_rules(&project, &BTreeMap::new(), None).diagnostics;
        // A warning may be allowed by the file, which only the whole check looks at.
        found.retain(Diagnostic::is_error);
        found.sort_by_key(|found| (found.span.source != project.main, found.span.start));
        (found, project.sources)
    };
    let main = sources.iter().find(|(_, source)| source.name == OWN).map(|(id, _)| id);
    let count = |severity| found.iter().filter(|found| found.severity == severity).count();
    let colours: Vec<Value> = painted(OWN, text, &Shipped)
        .iter()
        .map(|word| json!([word.line, word.column, word.length, word.colour]))
        .collect();
    json!({
        "diagnostics": found.iter().map(|found| diagnostic(found, &sources, main, text)).collect::<Vec<_>>(),
        "errors": count(Severity::Error),
        "warnings": count(Severity::Warning),
        "colours": colours,
        "whole": whole,
    })
}

/// How the tests and records of a text go, or the one of a name, with the position that it ends in.
pub fn test(text: &str, wanted: Option<&str>) -> Result<Value, Refusal> {
    let project = Project::load(OWN, text, &Shipped);
    Game::from_project(&project, None, &[]).map_err(refused)?;
    let scripts = Scripts { named: wanted.map(str::to_owned), ..Scripts::default() };
    let reports = scripts.run(&project, None, &[]).map_err(refused)?;
    let told = |report: &ScriptReport| {
        json!({
            "name": report.name,
            "record": report.record,
            "ok": report.ok,
            "line": report.line,
            "plies": report.plies,
            "message": report.message,
        })
    };
    let shown = reports.first().filter(|_| wanted.is_some()).map(|report| {
        let board = render::svg(&report.position, &Style { sheet: false, ..Style::default() });
        json!({ "name": report.name, "board": board, "sheets": super::view::sheets(&report.position) })
    });
    Ok(json!({ "tests": reports.iter().map(told).collect::<Vec<_>>(), "shown": shown }))
}

/// The object of `check`, with places as a browser counts them.
fn diagnostic(found: &Diagnostic, sources: &Sources, main: Option<SourceId>, text: &str) -> Value {
    let mut object = found.to_json(sources);
    let units = |span: crate::source::Span| {
        let at = |offset: u32| text.get(..offset as usize).map_or(0, |before| before.encode_utf16().count());
        json!({ "start": at(span.start), "end": at(span.end) })
    };
    object["units"] = if Some(found.span.source) == main { units(found.span) } else { Value::Null };
    if let Some(fixes) = object["fixes"].as_array_mut() {
        for (fix, json) in found.fixes.iter().zip(fixes) {
            json["units"] = if Some(fix.span.source) == main { units(fix.span) } else { Value::Null };
        }
    }
    object
}

/// What an editor would show at a place: about the name there, or what may stand there.
pub fn about(text: &str, line: u32, column: u32, complete: bool) -> Value {
    let asked = Asked { name: OWN, text, line, column };
    if complete { json!({ "items": asked.complete(&Shipped) }) } else { json!({ "hover": asked.hover(&Shipped) }) }
}

/// The text in the one layout.
pub fn format(text: &str) -> Result<Value, Refusal> {
    format::format(text).map(|text| json!({ "text": text })).map_err(|refusal| {
        let message = match refusal {
            format::Refusal::Unread(_) => "the text cannot be read, so it is left as it is",
            format::Refusal::Changed => "the layout found would say something else, so the text is left as it is",
        };
        Refusal::new("unformatted", message).help(Some("mend the mistakes first".to_owned()))
    })
}
