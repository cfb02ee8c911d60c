//! Paths: rows of sites that the board alone decides, each of which becomes a direction of its own.

use super::uses::Meaning;
use super::{Checker, Defined};
use crate::board::{Direction, Grid, PathError, Site, SiteSet, Stretch};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::settled::Settled;
use crate::rules::{Type, Value};
use crate::source::Span;
use crate::syntax::ast;

/// What a leg begins or ends with: a site, and whether it is called by a number.
#[derive(Clone, Copy)]
struct End {
    site: Site,
    numbered: bool,
}

/// The sites of a row, each with the place where it is named, and whether the row is round.
type Named = (Vec<(Site, Span)>, bool);

impl Checker<'_> {
    pub(super) fn set_up_paths(&mut self) {
        let project = self.project;
        for item in project.items() {
            let ast::ItemKind::Path(path) = &item.kind else { continue };
            let mistakes = self.diagnostics.len();
            let built = self.forgetting_words(|checker| checker.path(path));
            let known = built.filter(|_| self.board_known && self.diagnostics.len() == mistakes);
            let way = known.and_then(|stretches| self.added_path(path, stretches));
            self.paths.insert(path.name.text.clone(), way);
        }
    }

    /// Checks something with words that are read anew afterwards, as the board is another one then.
    pub(super) fn forgetting_words<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        let words = (self.words.clone(), self.rules.words.len(), self.bounds.len(), self.word_members.len());
        let result = check(self);
        self.words = words.0;
        self.rules.words.truncate(words.1);
        self.bounds.truncate(words.2);
        self.word_members.truncate(words.3);
        result
    }

    /// The sites of a path in their order, each with the place where it is named; none if something is wrong with them.
    fn path(&mut self, path: &ast::PathItem) -> Option<Vec<Named>> {
        self.check_path_name(&path.name);
        let mut stretches = Vec::new();
        for stretch in &path.stretches {
            let mut sites: Vec<(Site, Span)> = Vec::new();
            for leg in &stretch.legs {
                let found = self.leg(leg)?;
                // What names more sites than there are names one of them twice, which is told.
                let room = (2 * self.rules.board.len()).saturating_sub(sites.len());
                if let (Some((last, _)), Some(first)) = (sites.last(), found.first())
                    && last == first
                {
                    let name = self.rules.board.name(*first).to_owned();
                    self.error(
                        Code::BadPath,
                        leg.span,
                        format!("`{name}` stands here twice, one behind the other"),
                        "a row goes on with the site that comes next: path track = a1 .. e1, e2 .. e5",
                    );
                    return None;
                }
                sites.extend(found.into_iter().take(room).map(|site| (site, leg.span)));
            }
            if let ([(first, _), .., (last, place)], true) = (sites.as_slice(), stretch.round)
                && first == last
            {
                let name = self.rules.board.name(*first).to_owned();
                let message = format!("`round` leads back to `{name}` by itself");
                let help = format!("leave out the `{name}` at the end");
                self.error(Code::BadPath, *place, message, &help);
                return None;
            }
            stretches.push((sites, stretch.round));
        }
        Some(stretches)
    }

    fn check_path_name(&mut self, name: &ast::Name) {
        let known = |name: &str| self.rules.board.find_way(name);
        let taken = if let Some(way) = known(&name.text).or_else(|| known(&format!("{}_back", name.text))) {
            // Moves are typed with capitals or without.
            if self.rules.board.paths().iter().any(|path| path.way == way || path.way.opposite() == way) {
                "another path, or the way back along one"
            } else {
                "a direction"
            }
        } else if self.players.contains_key(&name.text) {
            "a player"
        } else if self.options.contains_key(&name.text) {
            "an option"
        } else if crate::rules::catalogue::find(&name.text).is_some() {
            "a word of the language"
        } else if self.board_known && self.rules.board.find(&name.text).is_some() {
            "a site of this board"
        } else {
            return;
        };
        self.error(
            Code::Reserved,
            name.span,
            format!("a path cannot be called `{}`, which is the name of {taken}", name.text),
            "give the path another name",
        );
    }

    /// Adds a path to the board.
    fn added_path(&mut self, path: &ast::PathItem, stretches: Vec<Named>) -> Option<Direction> {
        let named: Vec<(Site, Span)> = stretches.iter().flat_map(|(sites, _)| sites.iter().copied()).collect();
        let stretches = stretches
            .into_iter()
            .map(|(sites, round)| Stretch { sites: sites.into_iter().map(|(site, _)| site).collect(), round });
        let error = match self.rules.board.add_path(&path.name.text, stretches.collect()) {
            Ok(()) => return self.rules.board.paths().last().map(|path| path.way),
            Err(error) => error,
        };
        let name = &path.name.text;
        let site = |site: Site| self.rules.board.name(site).to_owned();
        let mut places = named.iter();
        let diagnostic = match error {
            PathError::NoStep => {
                Diagnostic::new(Code::BadPath, path.name.span, format!("the path `{name}` leads nowhere"))
                    .help("a path has two sites at least: path track = a1, b1 .. f1")
            }
            PathError::NoRoom(most) => {
                let message = match most {
                    0 => "this board has lines in so many directions that no path has room beside them".to_owned(),
                    most => format!("this board has room for {most} paths, and `{name}` is one more"),
                };
                Diagnostic::new(Code::BadPath, path.name.span, message)
                    .help("rows that have no site in common can be one path: path home = a1 .. a4 and f1 .. f4")
            }
            PathError::TwoBehind(at) | PathError::TwoBefore(at) => {
                let before = matches!(error, PathError::TwoBefore(_));
                let message = format!(
                    "in the path `{name}` two different sites would come {} `{}`",
                    if before { "before" } else { "behind" },
                    site(at)
                );
                let first = places.find(|(known, _)| *known == at).map(|known| known.1);
                let second = places.find(|(known, _)| *known == at).map(|known| known.1);
                let place = second.or(first).unwrap_or(path.name.span);
                let found = Diagnostic::new(Code::BadPath, place, message)
                    .help("make two paths of it, and go along both with `or`: `ahead(x, one or other)`");
                match first.filter(|first| *first != place) {
                    Some(first) => found.also(first, "it stands here too"),
                    None => found,
                }
            }
        };
        self.report(diagnostic);
        None
    }

    /// The sites of a leg in their order.
    fn leg(&mut self, leg: &ast::Leg) -> Option<Vec<Site>> {
        match &leg.order {
            ast::LegOrder::Alone => Some(vec![self.end(&leg.sites)?.site]),
            ast::LegOrder::To(last) => {
                let (first, last) = (self.end(&leg.sites), self.end(last));
                self.between_ends(first?, last?, leg.span)
            }
            ast::LegOrder::From(way) => {
                let sites = self.path_sites(&leg.sites)?;
                self.beginning_at(sites, way, leg.span)
            }
        }
    }

    /// A single site.
    fn end(&mut self, expr: &ast::Expr) -> Option<End> {
        if !self.board_known {
            self.infer(expr);
            return None;
        }
        let (checked, ty) = self.infer_as(expr, Some(Type::Sites));
        if self.resolved(ty) == Some(Type::Number) {
            let value = Settled::by_board(&self.rules).value(&checked, &mut Vec::new());
            let Some(Value::Number(Some(number))) = value else { return self.not_settled(expr) };
            let site = self.rules.board.find(&number.to_string());
            if site.is_none() {
                let names: Vec<&str> = self.rules.board.names().take(3).collect();
                let names = names.join(", ");
                self.report(
                    Diagnostic::new(Code::UnknownSite, expr.span, format!("there is no site `{number}` on this board"))
                        .label(format!("the board has {} sites: {names}, ...", self.rules.board.len()))
                        .help("name sites as the board does; numbers are the names of those of `ring`, and where `coordinates numbered` says so"),
                );
            }
            return site.map(|site| End { site, numbered: true });
        }
        let sites = self.coerced_sites((checked, ty), expr)?;
        if let Some(site) = sites.only() {
            return Some(End { site, numbered: false });
        }
        let (message, help) = if sites.is_empty() {
            ("no site of this board is meant here".to_owned(), "name a site that the board has")
        } else {
            (
                format!("here stand {} sites, and nothing says in which order", sites.len()),
                "say where they begin, as in `row(1) from W`, or name the first and the last: `a1 .. f1`",
            )
        };
        self.error(Code::BadPath, expr.span, message, help);
        None
    }

    fn path_sites(&mut self, expr: &ast::Expr) -> Option<SiteSet> {
        if !self.board_known {
            self.infer(expr);
            return None;
        }
        let typed = self.infer_as(expr, Some(Type::Sites));
        self.coerced_sites(typed, expr)
    }

    fn coerced_sites(&mut self, typed: super::infer::Typed, expr: &ast::Expr) -> Option<SiteSet> {
        let mistakes = self.diagnostics.len();
        let checked = self.coerce(typed, Type::Sites);
        if self.diagnostics.len() > mistakes {
            return None;
        }
        let value = Settled::by_board(&self.rules).value(&checked, &mut Vec::new());
        if let Some(Value::Sites(sites)) = value { Some(sites.get()) } else { self.not_settled(expr) }
    }

    fn not_settled<T>(&mut self, expr: &ast::Expr) -> Option<T> {
        if !self.diagnostics.iter().any(|diagnostic| diagnostic.span == expr.span) {
            self.error(
                Code::BadPath,
                expr.span,
                "the board alone must tell which sites a path is made of",
                "name sites by their names, rows, sides and the like; pieces, players and turns are not known yet",
            );
        }
        None
    }

    /// The sites from one that has a name to another, both included.
    pub(super) fn sites_between(&mut self, first: Site, last: Site, span: Span) -> Option<Vec<Site>> {
        self.between_ends(End { site: first, numbered: false }, End { site: last, numbered: false }, span)
    }

    /// From one site to another: by the numbers that they are called by, or along the straight line between them.
    fn between_ends(&mut self, first: End, last: End, span: Span) -> Option<Vec<Site>> {
        let board = &self.rules.board;
        let names = (board.name(first.site), board.name(last.site));
        let (from, to) = (numbered(names.0), numbered(names.1));
        let by_number = first.numbered && last.numbered || board.grid() == Grid::Points;
        if by_number
            && let (Some((letters, from)), Some((same, to))) = (from, to)
            && letters == same
        {
            let numbers: Vec<i64> = if from <= to { (from..=to).collect() } else { (to..=from).rev().collect() };
            let mut sites = Vec::new();
            for number in numbers {
                let name = format!("{letters}{number}");
                let Some(site) = board.find(&name) else {
                    self.error(
                        Code::UnknownSite,
                        span,
                        format!("there is no site `{name}` on this board"),
                        "all sites between the two numbers must be there; name the others one by one",
                    );
                    return None;
                };
                sites.push(site);
            }
            return Some(sites);
        }
        if first.site == last.site {
            return Some(vec![first.site]);
        }
        let Some(way) = board.direction(first.site, last.site) else {
            let message = format!("no straight line leads from `{}` to `{}`", names.0, names.1);
            self.error(
                Code::BadPath,
                span,
                message,
                "name the sites where it bends: a path is `a1 .. f1, f2 .. f6`, a set `a1 .. f1 or f2 .. f6`; or name each by itself",
            );
            return None;
        };
        let mut sites = vec![first.site];
        let mut at = first.site;
        // The direction was found by going there.
        while at != last.site && sites.len() <= board.len() {
            at = board.step(at, way)?;
            sites.push(at);
        }
        Some(sites)
    }

    /// The sites of a set one after the other, the one that lies farthest in a direction first.
    fn beginning_at(&mut self, sites: SiteSet, side: &ast::Name, span: Span) -> Option<Vec<Site>> {
        let Some(way) = Direction::parse(&side.text) else {
            self.report(
                Diagnostic::new(Code::NoDirection, side.span, format!("`{}` is no direction", side.text))
                    .did_you_mean(&side.text, Direction::ALL.iter().map(|way| way.name()))
                    .or_help(|| "as in `row(1) from W`".to_owned()),
            );
            return None;
        };
        self.note(side.span, Meaning::Direction);
        if sites.is_empty() {
            self.error(Code::BadPath, span, "no site of this board is meant here", "name sites that the board has");
            return None;
        }
        let board = &self.rules.board;
        let angle = way.index() as f64 * std::f64::consts::TAU / 16.0;
        let far = |site: Site| {
            let (x, y) = board.xy(site);
            x * angle.sin() - y * angle.cos()
        };
        let mut order: Vec<(f64, Site)> = sites.iter().map(|site| (far(site), site)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut pairs = order.iter().zip(order.iter().skip(1));
        if let Some(((_, one), (_, other))) = pairs.find(|((a, _), (b, _))| (a - b).abs() < 1e-6) {
            let (one, other) = (*one, *other);
            let message =
                format!("`{}` and `{}` lie equally far to the {}", board.name(one), board.name(other), way.name());
            self.error(
                Code::BadPath,
                span,
                message,
                "take sites that lie one behind the other in that direction, as those of a row do",
            );
            return None;
        }
        Some(order.into_iter().map(|(_, site)| site).collect())
    }

    /// What the name of a path means.
    pub(super) fn as_path(&mut self, name: &str, span: Span, _: Option<Type>) -> Option<super::infer::Typed> {
        let way = *self.paths.get(name)?;
        self.note(span, Meaning::Path);
        self.mark_used(Defined::Path, name);
        let ways = way.map_or(crate::board::Directions::EMPTY, crate::board::Directions::single);
        let constant = crate::rules::Expr::constant(Value::Directions(ways), span);
        Some((constant, super::Ty::Known(Type::Directions)))
    }
}

/// The letters and the number that a name ends with.
fn numbered(name: &str) -> Option<(&str, i64)> {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name
        .get(letters.len()..)
        .filter(|digits| digits.len() <= 6 && !(digits.len() > 1 && digits.starts_with('0')))?;
    Some((letters, number.parse().ok()?))
}
