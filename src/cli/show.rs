//! `show`: all that there is to know of a game before playing it.

use super::envelope::{Subject, settings};
use super::error::CliError;
use super::output::Output;
use super::source::{GameArgs, kept};
use crate::ai::insight::{Insight, Plan};
use crate::ai::learned;
use crate::author::declared::{About, doc, option_objects, ruleset_options, rulesets};
use crate::author::sheet::{Sheet, notation, section};
use crate::board::Site;
use crate::check::Project;
use crate::game::Game;
use crate::library::Library;
use crate::symmetry::Symmetries;
use crate::syntax::ast::Values;
use clap::Args;
use serde_json::{Value, json};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright show iqishiqi\n  ludwright show iqishiqi -o player_count=3 --json\n  ludwright show breakthrough --programs"
)]
pub struct ShowArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Say by which search programs at levels play it, after a look at some random games
    #[arg(long)]
    programs: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ShowArgs, output: &mut Output) -> Result<(), CliError> {
    let (text, game) = args.game.load()?;
    let project = Project::load(&text.name, &text.text, &Library);
    let insight = args.programs.then(|| Insight::of(&game, false));
    if args.json {
        let mut sheet = to_json(&text.name, &game, &project);
        if let (Some(insight), Some(sheet)) = (insight, sheet.as_object_mut()) {
            sheet.insert("search".to_owned(), json!(insight.plan.name()));
            let learnt = learned::shipped(&game).map(|facts| facts.games);
            sheet.insert("learnt_games".to_owned(), json!(learnt));
        }
        return output.answer(&Subject::game(&text.name, &game), sheet);
    }
    print(&game, &project, output)?;
    match insight {
        Some(insight) => {
            output.line(&format!("\nPrograms at levels play it by {}.", insight.choice()))?;
            if learned::shipped(&game).is_none() {
                let kept = insight.kept_together(&game).map(str::to_owned);
                for habit in [insight.left_out(&game), kept].into_iter().flatten() {
                    output.line(&habit)?;
                }
            }
            learned::shipped(&game).map_or(Ok(()), |facts| {
                output.line(&format!(
                    "`hard` plays it by {}, learnt from {} games against itself.",
                    Plan::Learned.name(),
                    facts.games
                ))
            })
        }
        None => Ok(()),
    }
}

fn to_json(name: &str, game: &Game, project: &Project) -> Value {
    let about = About::of(project);
    let rules = game.rules();
    let sheet = Sheet::new(game, project);
    let moves = sheet
        .moves()
        .into_iter()
        .map(|mv| json!({ "name": mv.name.text, "notation": notation(mv), "doc": doc(mv.doc.as_ref()) }));
    let symmetries = Symmetries::of(game);
    let endings = rules.endings.iter().map(|ending| json!({ "result": sheet.result(ending), "reason": ending.reason }));
    json!({
        "name": name,
        "title": about.title,
        "author": about.author,
        "year": about.year,
        "summary": about.summary,
        "source": rules.about.source,
        "rules_hash": game.rules_hash(),
        "ruleset": rules.ruleset,
        "settings": settings(game),
        "players": rules.players.iter().map(|player| &player.name).collect::<Vec<_>>(),
        "options": option_objects(project),
        "rulesets": rulesets(project),
        "sites": sites(game),
        "pieces": pieces(game),
        "symmetries": symmetries.count(),
        "symmetries_proved": symmetries.proved,
        "players_alike": !symmetries.swaps.is_empty(),
        "moves": moves.collect::<Vec<_>>(),
        "endings": endings.collect::<Vec<_>>(),
    })
}

fn sites(game: &Game) -> Vec<Value> {
    let board = &game.rules().board;
    let site = |site: Site| {
        let (x, y) = board.xy(site);
        let neighbors: Vec<&str> = board.neighbours(site).iter().map(|other| board.name(other)).collect();
        json!({ "name": board.name(site), "x": x, "y": y, "neighbors": neighbors })
    };
    board.all().iter().map(site).collect()
}

fn pieces(game: &Game) -> Vec<Value> {
    let rules = game.rules();
    let mut pieces = Vec::new();
    for kind in &rules.kinds {
        if kind.neutral {
            pieces.push(json!({ "name": kind.name, "owner": null }));
        } else {
            pieces.extend(rules.players.iter().map(|player| json!({ "name": kind.name, "owner": player.name })));
        }
    }
    pieces
}

fn print(game: &Game, project: &Project, output: &mut Output) -> Result<(), CliError> {
    let about = About::of(project);
    let origin = about.origin();
    let by = if origin.is_empty() { String::new() } else { format!(" ({origin})") };
    output.line(&format!("{}{by}", about.title.as_deref().unwrap_or("")))?;
    if let Some(summary) = &about.summary {
        output.line(summary)?;
    }
    output.text(&Sheet::new(game, project).text())?;
    output.text(&section("Options:", option_rows(game, project)))?;
    output.text(&section("Rulesets:", ruleset_rows(project)))?;
    output.line("\nThe board at the start:\n")?;
    let start = game.start();
    output.block(&start.draw())?;
    // Seeds in pits and pieces in hands stand on no square.
    kept(&start).iter().try_for_each(|line| output.line(line))
}

fn option_rows(game: &Game, project: &Project) -> Vec<[String; 3]> {
    let rules = game.rules();
    let mut rows = Vec::new();
    for option in project.options() {
        let values = match &option.values {
            Values::Range { low, high, .. } => format!("{low} to {high}"),
            Values::List(list) => list.iter().map(|value| value.kind.to_string()).collect::<Vec<_>>().join(", "),
        };
        let default = option.default.kind.to_string();
        for name in &option.names {
            let set = rules.settings.iter().find(|(known, _)| *known == name.text);
            let now = set.map(|(_, setting)| rules.setting_text(*setting)).filter(|now| *now != default);
            let now = now.map_or(String::new(), |now| format!("; here {now}"));
            rows.push([name.text.clone(), String::new(), format!("{values} (default {default}{now})")]);
            if let Some(doc) = doc(option.doc.as_ref()) {
                rows.push([String::new(), String::new(), doc.to_owned()]);
            }
        }
    }
    rows
}

fn ruleset_rows(project: &Project) -> Vec<[String; 3]> {
    let mut rows = Vec::new();
    for ruleset in project.rulesets() {
        let options = ruleset_options(project, ruleset);
        let options: Vec<String> = options
            .iter()
            .map(|(name, value)| format!("{name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
            .collect();
        let options = if options.is_empty() { "the defaults".to_owned() } else { options.join(", ") };
        let [first, rest] = match doc(ruleset.doc.as_ref()) {
            Some(doc) => [doc.to_owned(), options],
            None => [options, String::new()],
        };
        rows.push([ruleset.name.text.clone(), String::new(), first]);
        if !rest.is_empty() {
            rows.push([String::new(), String::new(), rest]);
        }
    }
    rows
}
