//! The measures of a game as a page: the numbers that matter first, then plots, the board, what is dead, and all numbers as a
//! table.

use super::frame::{figure, grid, list, page, paragraph, section, table};
use super::plot::{self, Row};
use crate::ai::measure::{First, Lengths, Measure, Page, fairest};
use crate::game::Game;
use crate::render::{self, Theme, heat};
use crate::study::estimate::Estimate;

/// A page of measures alone.
#[must_use]
pub fn whole(game: &Game, told: &str, measured: &Page) -> String {
    let title = format!("{}: what it is like", game.rules().about.title);
    let head = render::sheet(&game.start(), Theme::Auto);
    let top = format!(
        "<header>\n<h1>{}</h1>\n{}</header>\n",
        crate::render::text::escape(&title),
        paragraph(told).replace("<p>", "<p class=\"quiet\">")
    );
    page(&title, &head, &(top + &sections(game, measured)), "")
}

/// All sections about what was measured.
#[must_use]
pub fn sections(game: &Game, measured: &Page) -> String {
    let dead = dead(measured);
    [
        facts(measured),
        section("fair", "Is it fair, and does thinking help?", &grid(&fair(measured))),
        section("course", "How a game goes", &grid(&course(measured))),
        section("board", "Where it happens", &grid(&board(game, measured))),
        section("moves", "What moves are worth", &grid(&moves(game, measured))),
        section("dead", "What never came up", &dead),
        section("numbers", "All numbers", &numbers(measured)),
    ]
    .concat()
}

fn named<'m>(measured: &'m Page, name: &str) -> Option<&'m Measure> {
    measured.measures.iter().find(|measure| measure.name == name)
}

/// The number of a measure as people read it.
fn said(measure: &Measure) -> Option<String> {
    measure.estimate.map(|found| number(found.value, measure.unit))
}

/// A number as people read it.
pub(super) fn number(value: f64, unit: &str) -> String {
    match unit {
        "share" => percent(value),
        "rungs" => format!("{value:.0}"),
        "log10" => format!("10^{value:.1}"),
        _ => format!("{value:.1}"),
    }
}

fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 1.0 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// The numbers that are asked for first.
fn facts(measured: &Page) -> String {
    const FACTS: [(&str, &str); 6] = [
        ("first_seat", "for the first seat"),
        ("draws", "drawn"),
        ("plies", "plies in a game"),
        ("branching", "moves to choose from"),
        ("skill_rungs", "steps of skill"),
        ("state_space_log10", "positions at most"),
    ];
    let fact = |(name, about): (&str, &str)| {
        let said = said(named(measured, name)?)?;
        Some(format!("<li><b>{said}</b><span>{about}</span></li>\n"))
    };
    let facts: String = FACTS.into_iter().filter_map(fact).collect();
    if facts.is_empty() { facts } else { format!("<ul class=\"facts\">\n{facts}</ul>\n") }
}

fn range(found: Estimate) -> plot::Range {
    (found.value, found.low, found.high)
}

/// A share with its interval, as a row of a plot.
fn share_row(label: String, share: Estimate) -> Row {
    let said = format!("{} ({} to {})", percent(share.value), percent(share.low), percent(share.high));
    Row { label, range: range(share), said }
}

fn fair(measured: &Page) -> Vec<String> {
    const SEATS: [&str; 3] = ["first_seat_random", "first_seat_weak", "first_seat"];
    const DRAWS: [&str; 3] = ["draws_random", "draws_weak", "draws"];
    let rows = |names: [&str; 3]| -> Vec<Row> {
        let measures = names.into_iter().filter_map(|name| named(measured, name));
        measures.filter_map(|measure| Some(share_row(measure.players.clone(), measure.estimate?))).collect()
    };
    let plotted = |title: &str, rows: Vec<Row>, lines: &[(f64, &str)]| match rows.is_empty() {
        true => String::new(),
        false => plot::intervals(title, &rows, lines),
    };
    let rung = |rung: &crate::ai::measure::Rung| {
        share_row(format!("{} rounds against {}", rung.rounds, rung.rounds / 2), rung.share)
    };
    let ladder = plotted("Skill ladder", measured.ladder.iter().map(rung).collect(), &[(0.5, "50 %"), (0.6, "60 %")]);
    vec![
        figure(
            "What the first seat gets",
            &plotted("First seat", rows(SEATS), &[(0.5, "even")]),
            "At three strengths, with 95 % intervals. Half of it is fair.",
        ),
        figure("Draws", &plotted("Draws", rows(DRAWS), &[]), "Games without a single winner among those that ended."),
        figure(
            "What twice the thinking is worth",
            &ladder,
            "A step counts as skill where the stronger one gets more than 60 %.",
        ),
    ]
}

fn course(measured: &Page) -> Vec<String> {
    let ends: Vec<Row> = measured
        .ends
        .iter()
        .map(|end| Row { label: end.reason.clone(), range: (end.share, 0.0, 0.0), said: percent(end.share) })
        .collect();
    let ends_of = format!("By line of the rules; {}.", measured.ends_of);
    let mut figures = vec![figure(
        "How games end",
        &if ends.is_empty() { String::new() } else { plot::bars("Ends", &ends) },
        &ends_of,
    )];
    figures.extend(measured.lengths.iter().map(length));
    let points: Vec<(f64, plot::Range)> =
        measured.offered.iter().map(|offered| (offered.ply as f64, range(offered.choices))).collect();
    figures.push(figure(
        "Moves to choose from",
        &plot::line("Moves to choose from", "number of the ply", &points),
        "The mean over the games that go so far, with its 95 % band.",
    ));
    figures
}

fn length(lengths: &Lengths) -> String {
    let [least, lower, median, upper, most] = lengths.quartiles;
    let about = format!(
        "{}: half of the games take {lower} to {upper} plies, the middle one {median}, all {least} to {most}.",
        lengths.players
    );
    figure("Length", &plot::histogram("Length", "plies", &lengths.bars, lengths.quartiles), &about)
}

/// A heat map on the board of the game.
fn warm(heading: &str, about: &str, game: &Game, values: &[Option<f64>]) -> String {
    if !values.iter().flatten().any(|value| *value > 0.0) {
        return String::new();
    }
    let picture = heat(&game.start(), heading, values, &percent);
    figure(heading, &format!("<div class=\"warm\">{picture}</div>\n"), about)
}

fn board(game: &Game, measured: &Page) -> Vec<String> {
    let of = |share: fn(&crate::ai::measure::SiteUse) -> f64| -> Vec<Option<f64>> {
        measured.sites.iter().map(|site| Some(share(site))).collect()
    };
    vec![
        warm(
            "Played to",
            &format!("In how many of a hundred plies something comes to stand there; {}.", measured.ends_of),
            game,
            &of(|site| site.played),
        ),
        warm("Occupied", "In how many of a hundred positions something stands there.", game, &of(|site| site.occupied)),
    ]
}

/// More first moves are not listed.
const LISTED: usize = 8;

fn moves(game: &Game, measured: &Page) -> Vec<String> {
    let row = |first: &First| share_row(first.text.clone(), first.share);
    let rules = game.rules();
    let on_site = |site: &str| measured.firsts.iter().find(|first| first.site.as_deref() == Some(site));
    let values: Vec<Option<f64>> =
        rules.board.names().map(|name| on_site(name).map(|first| first.share.value)).collect();
    let best: Vec<Row> = measured.firsts.iter().take(LISTED).map(row).collect();
    let fair = fairest(&measured.firsts).map_or(String::new(), |first| {
        format!(" Nearest to even, and so the one for a pie: {} ({}).", first.text, percent(first.share.value))
    });
    let about = format!("What whoever begins with it gets; {}.{fair}", measured.trials_of);
    let restricted: Vec<Row> =
        measured.restricted.iter().map(|one| share_row(format!("without {}", one.name), one.share)).collect();
    let intervals = |title: &str, rows: &[Row], line: &str| match rows.is_empty() {
        true => String::new(),
        false => plot::intervals(title, rows, &[(0.5, line)]),
    };
    vec![
        warm("First moves", "What each first move is worth, of a hundred.", game, &values),
        figure("Best first moves", &intervals("Best first moves", &best, "even"), &about),
        figure(
            "Do all moves matter?",
            &intervals("Doing without a move", &restricted, "does not matter"),
            "What a player gets who must do without a kind of move where there is another, against one who may make it.",
        ),
    ]
}

/// More than these are not listed.
const DEAD: usize = 60;

fn dead(measured: &Page) -> String {
    let dead = &measured.dead;
    let some = |what: &str, names: &[String]| match names {
        [] => String::new(),
        names => {
            let shown = names.get(..DEAD).unwrap_or(names).join(", ");
            let more = if names.len() > DEAD { format!(", and {} more", names.len() - DEAD) } else { String::new() };
            paragraph(&format!("{what}: {shown}{more}."))
        }
    };
    let clauses: Vec<String> =
        dead.clauses.iter().map(|idle| format!("{}, {}: {}", idle.place, idle.missing, idle.text)).collect();
    let found = [
        some("Sites on which nothing ever stood", &dead.sites),
        some("Moves that were never legal with these options", &dead.moves),
        if clauses.is_empty() {
            String::new()
        } else {
            paragraph("Clauses of the rules that did nothing in random games:")
        },
        list(clauses.get(..DEAD).unwrap_or(&clauses)),
    ]
    .concat();
    match (found.is_empty(), dead.games) {
        (_, 0) => String::new(),
        (true, games) => paragraph(&format!("Nothing: in {games} games every site, move and clause came up.")),
        (false, games) => paragraph(&format!("In {games} games:")) + &found,
    }
}

fn numbers(measured: &Page) -> String {
    let row = |measure: &Measure| {
        let ends = |of: fn(&Estimate) -> f64| {
            measure.estimate.as_ref().map_or_else(|| "–".to_owned(), |found| number(of(found), measure.unit))
        };
        let interval = format!("{} to {}", ends(|found| found.low), ends(|found| found.high));
        let games = if measure.games > 0 { measure.games.to_string() } else { String::new() };
        vec![
            measure.name.to_owned(),
            ends(|found| found.value),
            if measure.estimate.is_some() { interval } else { String::new() },
            games,
            measure.players.clone(),
            measure.about.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = measured.measures.iter().map(row).collect();
    table(
        "Every measure with its 95 % interval",
        &["measure", "value", "interval", "games", "players", "what it says"],
        &rows,
    )
}
