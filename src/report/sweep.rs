//! Variants of a game as a page: a plot for each measure, and all numbers as a table.

use super::frame::{figure, grid, page, paragraph, section, table};
use super::measures::number;
use super::plot::{self, Row};
use crate::ai::measure::compare::Compared;
use crate::study::estimate::Estimate;

/// A page of variants by name, each with its measures in the same order, compared with the first.
#[must_use]
pub fn whole(title: &str, told: &str, variants: &[(String, &[Compared])]) -> String {
    let title = format!("{title}: variants side by side");
    let top = format!(
        "<header>\n<h1>{}</h1>\n{}</header>\n",
        crate::render::text::escape(&title),
        paragraph(told).replace("<p>", "<p class=\"quiet\">")
    );
    let measures = variants.first().map_or(0, |(_, compared)| compared.len());
    let plots: Vec<String> = (0..measures).map(|at| plot(variants, at)).collect();
    let players = variants.first().and_then(|(_, compared)| compared.first());
    let players = players.map_or("", |compared| compared.measure.players.as_str());
    let note = format!(
        "Played by: {players}. Lines through the points are 95 % intervals, and the dashed ones show the value of the first row. A star says \
         that a variant surely differs from the first row (95 %, corrected for all comparisons of the page)."
    );
    let plots = section("plots", "Measure by measure", &(paragraph(&note) + &grid(&plots)));
    page(&title, "", &(top + &plots + &section("numbers", "All numbers", &numbers(variants))), "")
}

/// What a measure comes to in each variant: shares from nothing to all, other numbers from nothing to the most.
fn plot(variants: &[(String, &[Compared])], at: usize) -> String {
    let all: Vec<(&str, &Compared)> =
        variants.iter().filter_map(|(name, compared)| Some((name.as_str(), compared.get(at)?))).collect();
    let Some((_, first)) = all.first() else { return String::new() };
    let (name, unit, about) = (first.measure.name, first.measure.unit, first.measure.about);
    let found = |compared: &Compared| compared.measure.estimate;
    let most = all.iter().filter_map(|(_, compared)| found(compared)).map(|found| found.high).fold(0.0, f64::max);
    let whole = if unit == "share" || most <= 0.0 { 1.0 } else { most };
    let row = |(name, compared): &(&str, &Compared)| {
        let Estimate { value, low, high } = found(compared)?;
        let said = format!("{}{}", interval(compared), star(compared));
        Some(Row { label: (*name).to_owned(), range: (value / whole, low / whole, high / whole), said })
    };
    let rows: Vec<Row> = all.iter().filter_map(row).collect();
    let lines: Vec<(f64, &str)> = found(first).map(|found| (found.value / whole, "first row")).into_iter().collect();
    if rows.is_empty() {
        return String::new();
    }
    let scale =
        if unit == "share" { "from 0 to 100 %".to_owned() } else { format!("from 0 to {}", number(most, unit)) };
    figure(name, &plot::intervals(name, &rows, &lines), &format!("{about}, {scale}"))
}

fn star(compared: &Compared) -> &'static str {
    if compared.differs() { " *" } else { "" }
}

fn interval(compared: &Compared) -> String {
    let unit = compared.measure.unit;
    match compared.measure.estimate {
        None => "–".to_owned(),
        Some(Estimate { value, low, high }) => {
            format!("{} ({} to {})", number(value, unit), number(low, unit), number(high, unit))
        }
    }
}

fn numbers(variants: &[(String, &[Compared])]) -> String {
    let heads: Vec<&str> =
        variants.first().into_iter().flat_map(|(_, all)| all.iter().map(|one| one.measure.name)).collect();
    let cell = |compared: &Compared| format!("{}{}", interval(compared), star(compared));
    let games = |all: &[Compared]| all.iter().map(|one| one.measure.games).max().unwrap_or(0).to_string();
    let row = |(name, all): &(String, &[Compared])| {
        std::iter::once(name.clone()).chain([games(all)]).chain(all.iter().map(cell)).collect::<Vec<_>>()
    };
    table(
        "Every variant with its measures",
        &[&["variant", "games"], heads.as_slice()].concat(),
        &variants.iter().map(row).collect::<Vec<_>>(),
    )
}
