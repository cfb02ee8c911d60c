//! What all pages have in common: the head, the style sheet, sections and tables. A page needs nothing but itself.

use crate::render::text::escape;
use std::fmt::Write as _;

const STYLE: &str = include_str!("page.css");

/// A whole page around its sections. `head` goes into the head beside the common style sheet, `tail` behind the sections.
#[must_use]
pub fn page(title: &str, head: &str, body: &str, tail: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}{head}</style>\n</head>\n\
         <body>\n<main>\n{body}</main>\n{tail}</body>\n</html>\n"
    )
}

/// A section with a heading that links can lead to.
#[must_use]
pub fn section(id: &str, heading: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new();
    }
    format!("<section id=\"{id}\">\n<h2>{}</h2>\n{body}</section>\n", escape(heading))
}

/// A picture or plot with its heading, and a line about it.
#[must_use]
pub fn figure(heading: &str, picture: &str, about: &str) -> String {
    if picture.is_empty() {
        return String::new();
    }
    format!("<figure>\n<h3>{}</h3>\n{picture}<figcaption>{}</figcaption>\n</figure>\n", escape(heading), escape(about))
}

/// Figures beside each other where there is room.
#[must_use]
pub fn grid(figures: &[String]) -> String {
    let all: String = figures.concat();
    if all.is_empty() { all } else { format!("<div class=\"grid\">\n{all}</div>\n") }
}

/// A table; the first cell of each row is its heading.
#[must_use]
pub fn table(caption: &str, heads: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table>\n<caption>{0}</caption>\n<thead><tr>",
        escape(caption)
    );
    for head in heads {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escape(head));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (at, cell) in row.iter().enumerate() {
            let cell = escape(cell);
            let _ = if at == 0 { write!(out, "<th scope=\"row\">{cell}</th>") } else { write!(out, "<td>{cell}</td>") };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
    out
}

/// A paragraph.
#[must_use]
pub fn paragraph(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<p>{}</p>\n", escape(text)) }
}

/// A list of points.
#[must_use]
pub fn list(items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escape(item))).collect();
    format!("<ul>\n{items}</ul>\n")
}
