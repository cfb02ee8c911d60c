//! Small plots as inline SVG: bars, points with the interval they may lie in, and lines with a band. Colours are classes of the
//! page; nothing is told by colour alone.

use crate::render::text::{escape, number};
use std::fmt::Write as _;

/// A number with the ends of its interval.
pub type Range = (f64, f64, f64);

/// The width of all plots, in the units of their letters: narrow enough for a telephone.
const WIDTH: f64 = 360.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 14.0;
const ROW: f64 = 38.0;

/// A row of a plot: what it is called, its number, and that number in words.
pub struct Row {
    /// What stands above it.
    pub label: String,
    /// The number and its interval; a bar has no interval.
    pub range: Range,
    /// The number as it is read.
    pub said: String,
}

fn open(title: &str, words: &str, height: f64) -> String {
    let (title, words) = (escape(title), escape(words));
    format!(
        r#"<svg class="plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {}" role="img" aria-label="{title}. {words}"><title>{title}</title>"#,
        number(height)
    )
}

fn words(rows: &[Row]) -> String {
    rows.iter().map(|row| format!("{}: {}", row.label, row.said)).collect::<Vec<_>>().join("; ")
}

/// As many letters as stand above a row.
const LETTERS: usize = 46;

fn label(row: &Row, y: f64) -> String {
    let (short, long) = (shortened(&row.label), escape(&row.label));
    let (said, right) = (escape(&row.said), number(WIDTH - RIGHT));
    format!(
        r#"<text x="0" y="{y}"><title>{long}</title>{}</text><text class="end" x="{right}" y="{y}">{said}</text>"#,
        escape(&short),
        y = number(y)
    )
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LETTERS {
        return text.to_owned();
    }
    text.chars().take(LETTERS - 1).chain(['…']).collect()
}

/// Bars beside each other, from 0 to the most.
#[must_use]
pub fn bars(title: &str, rows: &[Row]) -> String {
    let most = rows.iter().map(|row| row.range.0).fold(0.0, f64::max);
    let mut svg = open(title, &words(rows), ROW * rows.len() as f64 + 4.0);
    for (at, row) in rows.iter().enumerate() {
        let y = ROW * at as f64 + 14.0;
        let width = if most > 0.0 { row.range.0 / most * (WIDTH - RIGHT) } else { 0.0 };
        svg.push_str(&label(row, y));
        let _ = write!(
            svg,
            r#"<rect class="rail" x="0" y="{y}" width="{}" height="10" rx="2"/><rect class="bar" x="0" y="{y}" width="{}" height="10" rx="2"/>"#,
            number(WIDTH - RIGHT),
            number(width),
            y = number(y + 6.0)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Half of a few words below a plot.
const EDGE: f64 = 24.0;

/// Points on a scale from 0 to 1, each with its interval, and lines at numbers that matter.
#[must_use]
pub fn intervals(title: &str, rows: &[Row], lines: &[(f64, &str)]) -> String {
    let bottom = ROW * rows.len() as f64 + 6.0;
    let x = |share: f64| share.clamp(0.0, 1.0) * (WIDTH - RIGHT - 8.0) + 4.0;
    let mut svg = open(title, &words(rows), bottom + 20.0);
    for (share, text) in lines {
        // Beside the border a text would be cut.
        let at = x(*share);
        let side = if at < EDGE {
            "small"
        } else if at > WIDTH - RIGHT - EDGE {
            "end small"
        } else {
            "middle small"
        };
        let _ = write!(
            svg,
            r#"<text class="{}" x="{x}" y="{}">{}</text>"#,
            side,
            number(bottom + 14.0),
            escape(text),
            x = number(at)
        );
    }
    for (at, row) in rows.iter().enumerate() {
        let y = ROW * at as f64 + 14.0;
        let (value, low, high) = row.range;
        svg.push_str(&label(row, y));
        // Not through the words above the row.
        for (share, _) in lines {
            let (x, from, to) = (number(x(*share)), number(y + 3.0), number((y + 24.0).min(bottom)));
            let _ = write!(svg, r#"<line class="mark" x1="{x}" y1="{from}" x2="{x}" y2="{to}"/>"#);
        }
        let _ = write!(
            svg,
            r#"<line class="rail-line" x1="{}" y1="{y}" x2="{}" y2="{y}"/><line class="range" x1="{}" y1="{y}" x2="{}" y2="{y}"/><circle class="dot" cx="{}" cy="{y}" r="5"/>"#,
            number(x(0.0)),
            number(x(1.0)),
            number(x(low)),
            number(x(high)),
            number(x(value)),
            y = number(y + 11.0)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// How high plots with an axis below them are.
const HEIGHT: f64 = 190.0;
const BASE: f64 = HEIGHT - 34.0;
const TOP: f64 = 12.0;

/// The scales of a plot with two axes.
struct Axes {
    across: (f64, f64),
    most: f64,
}

impl Axes {
    fn x(&self, value: f64) -> f64 {
        let wide = (self.across.1 - self.across.0).max(1e-9);
        LEFT + (value - self.across.0) / wide * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        BASE - value / self.most.max(1e-9) * (BASE - TOP)
    }

    fn draw(&self, below: &str, svg: &mut String) {
        let step = nice(self.most / 4.0);
        let mut tick = 0.0;
        while tick <= self.most * 1.0001 {
            let (y, text) = (number(self.y(tick)), number(tick));
            let _ = write!(
                svg,
                r#"<line class="grid" x1="{LEFT}" y1="{y}" x2="{}" y2="{y}"/><text class="end small" x="{}" y="{y}" dy=".35em">{text}</text>"#,
                number(WIDTH - RIGHT),
                number(LEFT - 6.0)
            );
            tick += step;
        }
        let step = nice((self.across.1 - self.across.0) / 5.0).max(1.0);
        let mut tick = (self.across.0 / step).ceil() * step;
        while tick <= self.across.1 + 1e-9 {
            let (x, text) = (number(self.x(tick)), number(tick));
            let _ = write!(svg, r#"<text class="middle small" x="{x}" y="{}">{text}</text>"#, number(BASE + 15.0));
            tick += step;
        }
        let middle = number((LEFT + WIDTH - RIGHT) / 2.0);
        let _ = write!(
            svg,
            r#"<text class="middle small" x="{middle}" y="{}">{}</text>"#,
            number(BASE + 31.0),
            escape(below)
        );
    }
}

/// A round step of about this size: 1, 2 or 5 with zeros.
fn nice(rough: f64) -> f64 {
    if rough <= 0.0 {
        return 1.0;
    }
    let ten = 10f64.powf(rough.log10().floor());
    let digit = rough / ten;
    ten * if digit <= 1.0 {
        1.0
    } else if digit <= 2.0 {
        2.0
    } else if digit <= 5.0 {
        5.0
    } else {
        10.0
    }
}

/// A line through points, with the band in which they may lie.
#[must_use]
pub fn line(title: &str, below: &str, points: &[(f64, Range)]) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    let most = points.iter().map(|(_, (value, _, high))| value.max(*high)).fold(0.0, f64::max);
    let axes = Axes { across: (first.0, last.0.max(first.0 + 1.0)), most };
    let end = |point: &(f64, Range)| format!("{} at {}", number(point.1.0), number(point.0));
    let mut svg = open(title, &format!("From {} to {}; {below}", end(first), end(last)), HEIGHT);
    axes.draw(below, &mut svg);
    let at = |x: f64, y: f64| format!("{} {}", number(axes.x(x)), number(axes.y(y)));
    let above = points.iter().map(|(x, (_, _, high))| at(*x, *high));
    let under = points.iter().rev().map(|(x, (_, low, _))| at(*x, *low));
    let band: Vec<String> = above.chain(under).collect();
    let middle: Vec<String> = points.iter().map(|(x, (value, ..))| at(*x, *value)).collect();
    let _ = write!(
        svg,
        r#"<path class="band" d="M{}Z"/><path class="curve" d="M{}"/></svg>"#,
        band.join("L"),
        middle.join("L")
    );
    svg.push('\n');
    svg
}

/// Counts by size, with the quartiles as a box below.
#[must_use]
pub fn histogram(title: &str, below: &str, bars: &[(u64, u64, u64)], quartiles: [u64; 5]) -> String {
    let (Some(first), Some(last)) = (bars.first(), bars.last()) else { return String::new() };
    let most = bars.iter().map(|bar| bar.2).max().unwrap_or(1) as f64;
    let axes = Axes { across: (first.0 as f64 - 0.5, last.1 as f64 + 0.5), most };
    let [least, lower, median, upper, greatest] = quartiles;
    let told = format!("half are {lower} to {upper}, the middle one {median}, all {least} to {greatest}");
    let mut svg = open(title, &told, HEIGHT + 26.0);
    axes.draw(below, &mut svg);
    for (from, to, count) in bars {
        let (left, right) = (axes.x(*from as f64 - 0.5), axes.x(*to as f64 + 0.5));
        let top = axes.y(*count as f64);
        let name = if from == to { from.to_string() } else { format!("{from} to {to}") };
        let _ = write!(
            svg,
            r#"<rect class="bar" x="{}" y="{}" width="{}" height="{}"><title>{name}: {count}</title></rect>"#,
            number(left + 0.5),
            number(top),
            number((right - left - 1.0).max(0.8)),
            number(BASE - top)
        );
    }
    let y = HEIGHT + 10.0;
    let x = |value: u64| number(axes.x(value as f64));
    let _ = write!(
        svg,
        r#"<line class="range thin" x1="{}" y1="{y}" x2="{}" y2="{y}"/><rect class="box" x="{}" y="{}" width="{}" height="14"/><line class="median" x1="{m}" y1="{}" x2="{m}" y2="{}"/></svg>"#,
        x(least),
        x(greatest),
        x(lower),
        number(y - 7.0),
        number((axes.x(upper as f64) - axes.x(lower as f64)).max(2.0)),
        number(y - 7.0),
        number(y + 7.0),
        m = x(median),
        y = number(y)
    );
    svg.push('\n');
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(label: &str, value: f64) -> Row {
        Row { label: label.to_owned(), range: (value, value / 2.0, value), said: number(value) }
    }

    #[test]
    fn the_largest_bar_fills_its_rail_and_texts_are_escaped() {
        let svg = bars("Ends", &[row("a < b", 2.0), row("c", 1.0)]);
        assert!(svg.contains("a &lt; b") && !svg.contains("a < b"), "{svg}");
        assert!(svg.contains(r#"class="bar" x="0" y="20" width="346""#), "{svg}");
        assert!(svg.contains(r#"class="bar" x="0" y="58" width="173""#), "{svg}");
    }

    #[test]
    fn steps_of_axes_are_round() {
        assert_eq!([0.3, 1.0, 1.7, 4.2, 70.0].map(nice), [0.5, 1.0, 2.0, 5.0, 100.0]);
    }

    #[test]
    fn plots_of_nothing_are_empty_and_of_one_point_stay_within_the_picture() {
        assert!(line("t", "b", &[]).is_empty() && histogram("t", "b", &[], [0; 5]).is_empty());
        for svg in [line("t", "b", &[(1.0, (0.0, 0.0, 0.0))]), histogram("t", "b", &[(5, 5, 3)], [5; 5])] {
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
