//! How a picture is to look.

use crate::board::{Site, SiteSet};
use crate::game::Position;
use crate::rules::{Scope, Value};

/// The colours of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
    /// Light or dark, as the reader has it; pixels are light.
    Auto,
    /// Black on white, with little ink.
    Print,
}

impl Theme {
    /// The word for it, in classes and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
            Self::Auto => "auto",
            Self::Print => "print",
        }
    }
}

/// How a picture is to look.
#[derive(Clone, Debug)]
pub struct Style {
    /// The colours.
    pub theme: Theme,
    /// The longer side in pixels; none leaves the size to the page.
    pub size: Option<u32>,
    /// Letters and numbers along the border, or names at the sites.
    pub coordinates: bool,
    /// Who is to move or has won, the scores, and what players have in hand, below the board.
    pub caption: bool,
    /// What is marked.
    pub marks: Marks,
    /// Only the part of the board around these sites; empty for the whole board.
    pub around: SiteSet,
    /// Whether the picture brings the style sheet of its colours; a page with many pictures of one game needs it once.
    pub sheet: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            theme: Theme::Light,
            size: None,
            coordinates: true,
            caption: false,
            marks: Marks::default(),
            around: SiteSet::EMPTY,
            sheet: true,
        }
    }
}

/// The sites that stand out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    /// Where the last move changed something.
    pub last: SiteSet,
    /// Where a legal move begins.
    pub sources: SiteSet,
    /// Where a legal move leads.
    pub targets: SiteSet,
    /// The site that was picked.
    pub chosen: Option<Site>,
}

impl Marks {
    /// Marks what differs between two positions of one game.
    #[must_use]
    pub fn with_last(mut self, before: &Position, after: &Position) -> Self {
        self.last = changed(before, after);
        self
    }

    /// Marks the sites of legal moves: where the first part of a move that is a site may lie, and, of moves with
    /// several such parts, where the others may. With a chosen site the moves that begin elsewhere are left out.
    #[must_use]
    pub fn with_legal(mut self, position: &Position, chosen: Option<Site>) -> Self {
        let rules = position.game().rules();
        self.chosen = chosen;
        for ply in position.situation().legal.iter() {
            let mut sites = ply.parts(rules).filter_map(|part| match part {
                Value::Sites(sites) if !sites.is_empty() => Some(sites.get()),
                _ => None,
            });
            let Some(first) = sites.next() else { continue };
            let rest = sites.fold(SiteSet::EMPTY, |all, sites| all | sites);
            match chosen {
                Some(site) if !first.contains(site) => {}
                _ if rest.is_empty() => self.targets |= first,
                _ => {
                    self.sources |= first;
                    if chosen.is_some() {
                        self.targets |= rest;
                    }
                }
            }
        }
        self
    }
}

/// The sites on which something else stands or is counted than before.
#[must_use]
pub fn changed(before: &Position, after: &Position) -> SiteSet {
    let rules = after.game().rules();
    let (old, new) = (&before.situation().state, &after.situation().state);
    let engine = after.game().engine();
    let counted = |(index, memory): (usize, &crate::rules::Memory)| {
        (memory.declared && memory.scope == Scope::Site).then_some(index)
    };
    let counts: Vec<usize> = rules.memories.iter().enumerate().filter_map(counted).collect();
    let differs = |site: Site| {
        let counted = |index: &usize| {
            engine.values(old, *index).get(site.index()) != engine.values(new, *index).get(site.index())
        };
        old.stack(site) != new.stack(site) || counts.iter().any(counted)
    };
    rules.board.all().iter().filter(|site| differs(*site)).collect()
}
