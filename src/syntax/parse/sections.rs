//! Sections without moves and turns: players, options, boards, pieces, what is tracked.

use super::*;
use crate::syntax::ast::SCORE;

impl Builder<'_> {
    pub(super) fn item(&mut self, node: &Node<'_>) -> Option<Item> {
        let span = self.span(node);
        let kind = match node.as_rule() {
            Rule::bad_item => {
                self.bad_item(node);
                return None;
            }
            Rule::game => self.game(node),
            Rule::about => ItemKind::About(self.doc(node)?),
            Rule::source => ItemKind::Source(self.doc(node)?),
            Rule::uses => ItemKind::Use(self.file_name(node)?),
            Rule::players => self.players(&below(node).next()?),
            Rule::order => {
                let mut rows: Vec<Vec<Name>> = below(node).map(|names| self.names(&names)).collect();
                let round = rows.pop()?;
                ItemKind::Order(OrderItem { opening: rows.pop().unwrap_or_default(), round })
            }
            Rule::option => self.option(node),
            Rule::ruleset => self.ruleset(node),
            Rule::requires => ItemKind::Requires { text: self.doc(node)?, condition: self.first_expr(node) },
            Rule::board => ItemKind::Board(self.board(&below(node).next()?)),
            Rule::path => self.path(node),
            Rule::region => ItemKind::Region(self.definition(node)),
            Rule::word => ItemKind::Word(self.definition(node)),
            Rule::score => ItemKind::Score(self.score(node)),
            Rule::hidden => {
                ItemKind::Hidden(HiddenItem { of_move: has(node, Rule::k_move), definition: self.definition(node) })
            }
            Rule::piece => self.piece(node),
            Rule::track => self.track(node),
            Rule::stacks => ItemKind::Stacks(self.first_expr(node)),
            Rule::phases => ItemKind::Phases(self.names(&below(node).next()?)),
            Rule::named_change => self.named_change(node)?,
            Rule::after_each => self.after_each(node)?,
            Rule::start => ItemKind::Start(self.setup(&below(node).next()?)),
            Rule::mv => self.move_item(node),
            Rule::pattern => {
                let name = self.named(node);
                let doc = self.doc(node);
                let pattern = below(node).find(|pair| pair.as_rule() == Rule::pat)?;
                ItemKind::Pattern { name, doc, pattern: self.pattern(&pattern) }
            }
            Rule::turn => self.turn(node)?,
            Rule::end => {
                self.closed(node);
                ItemKind::End(below(node).filter_map(|line| self.outcome(&line)).collect())
            }
            Rule::ties => {
                let players = below(node).find(|pair| pair.as_rule() == Rule::expr).map(|expr| self.expr(&expr));
                ItemKind::Ties { players, guard: self.guard(node) }
            }
            Rule::drop => {
                let dropped = below(node).filter(|part| part.as_rule() == Rule::dropped);
                ItemKind::Drop(dropped.map(|part| self.name(&part)).collect())
            }
            Rule::allow => self.allow(node)?,
            Rule::test | Rule::record => self.script(node)?,
            _ => return None,
        };
        Some(Item { kind, span })
    }

    pub(super) fn allow(&mut self, node: &Node<'_>) -> Option<ItemKind> {
        let lint = below(node).find(|pair| pair.as_rule() == Rule::lint)?;
        let within = below(node).filter(|pair| pair.as_rule() == Rule::allowed).map(|name| self.name(&name)).collect();
        Some(ItemKind::Allow(AllowItem { lint: self.name(&lint), within, doc: self.doc(node) }))
    }

    pub(super) fn file_name(&mut self, node: &Node<'_>) -> Option<Text> {
        let inner = below(node).find(|pair| matches!(pair.as_rule(), Rule::string | Rule::name))?;
        Some(if inner.as_rule() == Rule::string { self.string(&inner) } else { self.raw(&inner) })
    }

    pub(super) fn game(&mut self, node: &Node<'_>) -> ItemKind {
        let mut title = None;
        let mut author = None;
        let mut extends = None;
        let mut year = None;
        let mut last_keyword = None;
        for inner in node.inner() {
            match inner.as_rule() {
                Rule::string if title.is_none() => title = Some(self.string(&inner)),
                Rule::string if last_keyword == Some(Rule::k_by) => author = Some(self.string(&inner)),
                Rule::string => extends = Some(self.string(&inner)),
                Rule::name => extends = Some(self.raw(&inner)),
                Rule::int => year = Some(self.number(&inner)),
                keyword => last_keyword = Some(keyword),
            }
        }
        let title = title.unwrap_or(Text { text: String::new(), span: self.span(node) });
        ItemKind::Game(GameItem { title, author, year, extends })
    }

    pub(super) fn player_list(&mut self, node: &Node<'_>) -> Vec<Player> {
        below(node)
            .map(|player| {
                let mut names = below(&player).map(|name| self.name(&name)).collect::<Vec<_>>().into_iter();
                let name = names.next().unwrap_or(Name { text: String::new(), span: self.span(&player) });
                Player { name, facing: names.next() }
            })
            .collect()
    }

    pub(super) fn players(&mut self, node: &Node<'_>) -> ItemKind {
        let item = match node.as_rule() {
            Rule::players_by => {
                let subject = self.first_expr(node);
                let mut cases = Vec::new();
                let mut keys = Vec::new();
                for inner in below(node) {
                    match inner.as_rule() {
                        Rule::keys => keys = self.keys(&inner),
                        Rule::player_list => cases.push((std::mem::take(&mut keys), self.player_list(&inner))),
                        _ => {}
                    }
                }
                PlayersItem::By { subject, cases }
            }
            Rule::players_of => {
                let mut inner = below(node);
                let count = inner.next().map(|count| self.atom(&count));
                let players = inner.next().map(|list| self.player_list(&list)).unwrap_or_default();
                match count {
                    Some(count) => PlayersItem::Count { count, players },
                    None => PlayersItem::List(players),
                }
            }
            _ => PlayersItem::List(self.player_list(node)),
        };
        ItemKind::Players(item)
    }

    /// A number or a name standing by itself.
    pub(super) fn atom(&mut self, node: &Node<'_>) -> Expr {
        let kind = match node.as_rule() {
            Rule::int | Rule::signed => ExprKind::Number(self.number(node)),
            _ => ExprKind::Name(node.as_str().to_owned()),
        };
        Expr { kind, span: self.span(node) }
    }

    pub(super) fn values(&mut self, node: &Node<'_>) -> Values {
        let span = self.span(node);
        if node.as_rule() == Rule::option_range {
            let halves: Vec<_> = below(node).filter(|bound| bound.as_rule() == Rule::half).collect();
            if !halves.is_empty() {
                let bounds: Vec<Halves> = below(node).map(|bound| self.bound(&bound)).collect();
                return bounds
                    .first()
                    .zip(bounds.get(1))
                    .map_or(Values::List(Vec::new()), |(low, high)| by_halves(*low, *high, span));
            }
            let bounds: Vec<i64> = below(node).map(|bound| self.number(&bound)).collect();
            Values::Range { low: bounds.first().copied().unwrap_or(0), high: bounds.get(1).copied().unwrap_or(0), span }
        } else {
            Values::List(below(node).map(|value| self.value(&value)).collect())
        }
    }

    fn bound(&mut self, node: &Node<'_>) -> Halves {
        if node.as_rule() == Rule::half { self.half(node) } else { Halves(2 * self.number(node)) }
    }

    pub(super) fn option(&mut self, node: &Node<'_>) -> ItemKind {
        let mut names = Vec::new();
        let mut values = Values::List(Vec::new());
        let mut default = Value { kind: ValueKind::Number(0), span: self.span(node) };
        for inner in below(node) {
            match inner.as_rule() {
                Rule::names => names = self.names(&inner),
                Rule::option_range | Rule::option_values => values = self.values(&inner),
                Rule::value => default = self.value(&inner),
                _ => {}
            }
        }
        // A range goes by halves as well where it begins with one.
        if let (Values::Range { low, high, span }, ValueKind::Name(text)) = (&values, &default.kind)
            && Halves::parse(text).is_some()
        {
            values = by_halves(Halves(2 * low), Halves(2 * high), *span);
        }
        ItemKind::Option(OptionItem { names, values, default, doc: self.doc(node) })
    }

    pub(super) fn settings(&mut self, node: &Node<'_>) -> Vec<Setting> {
        below(node)
            .filter(|pair| pair.as_rule() == Rule::setting)
            .filter_map(|setting| {
                let name = self.named(&setting);
                let value = below(&setting).find(|pair| pair.as_rule() == Rule::value)?;
                Some(Setting { name, value: self.value(&value) })
            })
            .collect()
    }

    pub(super) fn ruleset(&mut self, node: &Node<'_>) -> ItemKind {
        self.closed(node);
        let names: Vec<Name> =
            below(node).filter(|pair| pair.as_rule() == Rule::name).map(|name| self.name(&name)).collect();
        let settings =
            below(node).find(|pair| pair.as_rule() == Rule::settings).map(|settings| self.settings(&settings));
        let mut names = names.into_iter();
        ItemKind::Ruleset(RulesetItem {
            name: names.next().unwrap_or(Name { text: String::new(), span: self.span(node) }),
            extends: names.next(),
            doc: self.doc(node),
            settings: settings.unwrap_or_default(),
        })
    }

    fn path(&mut self, node: &Node<'_>) -> ItemKind {
        let stretches = below(node).filter(|part| part.as_rule() == Rule::stretch);
        let stretches = stretches
            .map(|stretch| Stretch {
                legs: below(&stretch).filter(|part| part.as_rule() == Rule::leg).map(|leg| self.leg(&leg)).collect(),
                round: has(&stretch, Rule::round),
            })
            .collect();
        ItemKind::Path(PathItem { name: self.named(node), doc: self.doc(node), stretches })
    }

    fn leg(&mut self, node: &Node<'_>) -> Leg {
        let span = self.span(node);
        let mut sites = Expr { kind: ExprKind::Number(0), span };
        let mut order = LegOrder::Alone;
        for (at, part) in below(node).enumerate() {
            if at == 0 {
                sites = self.expr(&part);
            } else if part.as_rule() == Rule::name {
                order = LegOrder::From(self.name(&part));
            } else {
                order = LegOrder::To(self.expr(&part));
            }
        }
        Leg { sites, order, span }
    }

    pub(super) fn board(&mut self, node: &Node<'_>) -> BoardExpr {
        let span = self.span(node);
        let mut kind = BoardKind::Lines(Vec::new());
        let mut modifiers = Vec::new();
        for inner in below(node) {
            match inner.as_rule() {
                Rule::board_case => {
                    self.closed(&inner);
                    let subject = self.first_expr(&inner);
                    let mut cases = Vec::new();
                    let mut keys = Vec::new();
                    for part in below(&inner) {
                        match part.as_rule() {
                            Rule::keys => keys = self.keys(&part),
                            Rule::boardx => cases.push((std::mem::take(&mut keys), self.board(&part))),
                            _ => {}
                        }
                    }
                    kind = BoardKind::Case { subject, cases };
                }
                Rule::drawn => kind = BoardKind::Drawn(self.drawn(&inner)),
                Rule::board_lines => {
                    self.closed(&inner);
                    kind = BoardKind::Lines(
                        below(&inner).filter(|p| p.as_rule() == Rule::point_row).map(|row| self.names(&row)).collect(),
                    );
                }
                Rule::board_graph => kind = self.graph(&inner),
                Rule::call => {
                    let (name, args) = self.call(&inner);
                    kind = BoardKind::Shape { name, args };
                }
                Rule::modifier => {
                    modifiers.extend(self.modifier(&inner));
                    // Both are words like others, so the set that is kept takes them along.
                    while let Some(Modifier::Keeping(kept)) = modifiers.last_mut()
                        && let Some(behind) = taken_along(kept)
                    {
                        modifiers.insert(modifiers.len() - 1, behind);
                    }
                }
                _ => {}
            }
        }
        BoardExpr { kind, modifiers, span }
    }

    pub(super) fn graph(&mut self, node: &Node<'_>) -> BoardKind {
        self.closed(node);
        let mut points = Vec::new();
        let mut links = Vec::new();
        for inner in below(node) {
            match inner.as_rule() {
                Rule::point => {
                    let name = self.named(&inner);
                    let at: Vec<f64> = below(&inner)
                        .filter(|pair| pair.as_rule() == Rule::decimal)
                        .map(|pair| pair.as_str().parse().unwrap_or(0.0))
                        .collect();
                    points.push((name, at.first().copied().unwrap_or(0.0), at.get(1).copied().unwrap_or(0.0)));
                }
                Rule::link => {
                    let names = self.names(&inner);
                    links.extend(names.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
                }
                _ => {}
            }
        }
        BoardKind::Graph { points, links }
    }

    pub(super) fn modifier(&mut self, node: &Node<'_>) -> Option<Modifier> {
        let keyword = node.inner().next()?.as_rule();
        Some(match keyword {
            Rule::k_adjacent => Modifier::Adjacent(self.named(node)),
            Rule::k_coordinates if has(node, Rule::axis) => {
                let axes = below(node).filter(|part| part.as_rule() == Rule::axis);
                Modifier::Axes(axes.filter_map(|axis| self.axis(&axis)).collect())
            }
            Rule::k_coordinates => Modifier::Coordinates(self.named(node)),
            Rule::k_with => {
                let classes = below(node).filter(|part| part.as_rule() == Rule::classes);
                Modifier::With(classes.flat_map(|list| self.names(&list)).collect())
            }
            _ => Modifier::Keeping(self.first_expr(node)),
        })
    }

    fn axis(&mut self, node: &Node<'_>) -> Option<Axis> {
        let mut names = self.names(node).into_iter();
        Some(Axis { lines: names.next()?, signs: names.next()?, side: names.next()? })
    }

    pub(super) fn drawn(&mut self, node: &Node<'_>) -> Drawn {
        let mut style = None;
        let mut text = String::new();
        let mut span = self.span(node);
        for inner in below(node) {
            match inner.as_rule() {
                Rule::name => style = Some(self.name(&inner)),
                Rule::drawing => {
                    // The blanks before the first row belong to it, and the grammar has skipped them.
                    let start = node.as_str().find('{').map_or(inner.start(), |at| node.start() + at + 1);
                    let end = inner.end().max(start);
                    self.text[start..end].clone_into(&mut text);
                    span = Span::new(self.source, start, end);
                }
                _ => {}
            }
        }
        Drawn { style, text, span }
    }

    pub(super) fn head(&mut self, node: &Node<'_>) -> (Name, Vec<Param>) {
        let params = below(node).filter(|pair| pair.as_rule() == Rule::param).map(|param| self.param(&param)).collect();
        (self.named(node), params)
    }

    pub(super) fn param(&mut self, node: &Node<'_>) -> Param {
        let mut names = self.names(node).into_iter();
        let name = names.next().unwrap_or(Name { text: String::new(), span: self.span(node) });
        Param { name, kind: names.next() }
    }

    pub(super) fn definition(&mut self, node: &Node<'_>) -> Definition {
        let (name, params) = match below(node).find(|pair| pair.as_rule() == Rule::head) {
            Some(head) => self.head(&head),
            None => (Name { text: String::new(), span: self.span(node) }, Vec::new()),
        };
        Definition { name, params, doc: self.doc(node), body: self.first_expr(node) }
    }

    fn named_change(&mut self, node: &Node<'_>) -> Option<ItemKind> {
        let (name, params) = below(node).find(|pair| pair.as_rule() == Rule::head).map(|head| self.head(&head))?;
        let block = below(node).find(|pair| pair.as_rule() == Rule::change_block)?;
        let (doc, changes) = (self.doc(node), self.changes(&block));
        Some(ItemKind::Change(NamedChange { name, params, doc, changes }))
    }

    fn after_each(&mut self, node: &Node<'_>) -> Option<ItemKind> {
        let of_turns = node.inner().any(|inner| inner.as_rule() == Rule::k_turn);
        let changes = self.changes(&below(node).next()?);
        Some(ItemKind::After(if of_turns { Period::Turn } else { Period::Ply }, changes))
    }

    pub(super) fn score(&mut self, node: &Node<'_>) -> Definition {
        let span = self.span(node);
        let params = below(node).filter(|pair| pair.as_rule() == Rule::param).map(|param| self.param(&param)).collect();
        let name = Name { text: SCORE.to_owned(), span };
        Definition { name, params, doc: self.doc(node), body: self.first_expr(node) }
    }

    pub(super) fn piece(&mut self, node: &Node<'_>) -> ItemKind {
        let kinds = below(node)
            .filter(|pair| pair.as_rule() == Rule::piece_name)
            .map(|piece| {
                let shape = below(&piece).find(|pair| pair.as_rule() == Rule::piece_shape);
                let shapes = shape.iter().flat_map(below).filter(|pair| pair.as_rule() == Rule::name);
                let shapes = shapes.map(|name| self.name(&name)).collect();
                PieceKind { name: self.named(&piece), mark: self.doc(&piece), shapes }
            })
            .collect();
        ItemKind::Piece(PieceItem { kinds, neutral: has(node, Rule::k_neutral) })
    }

    pub(super) fn track(&mut self, node: &Node<'_>) -> ItemKind {
        let mut head = (Name { text: String::new(), span: self.span(node) }, Vec::new());
        let mut values = Values::List(Vec::new());
        for inner in below(node) {
            match inner.as_rule() {
                Rule::head => head = self.head(&inner),
                Rule::option_range | Rule::option_values => values = self.values(&inner),
                _ => {}
            }
        }
        let is_half = |value: &Value| matches!(&value.kind, ValueKind::Name(text) if Halves::parse(text).is_some());
        if let Values::List(list) = &values
            && let Some(half) = list.iter().find(|value| is_half(value))
        {
            self.report(
                Diagnostic::new(Code::BadNumber, half.span, "what is tracked is a whole number").help(
                    "halves stand in scores, in options, and in what is compared with them: track twice the number",
                ),
            );
        }
        let first = below(node).find(|pair| pair.as_rule() == Rule::expr).map(|expr| self.expr(&expr));
        ItemKind::Track(TrackItem {
            name: head.0,
            params: head.1,
            values,
            first,
            each_turn: has(node, Rule::each_turn),
            doc: self.doc(node),
        })
    }
}

/// The most values of a range that goes by halves: more are too many for an option.
const MAX_HALVES: i64 = 1_000;

/// All values of a range by halves, whole ones as numbers.
fn by_halves(low: Halves, high: Halves, span: Span) -> Values {
    let value = |halves: Halves| match halves.is_odd() {
        true => ValueKind::Name(halves.to_string()),
        false => ValueKind::Number(halves.0 / 2),
    };
    if high < low {
        // Upside down it is told as any other range.
        return Values::Range { low: low.0.div_euclid(2) + low.0.rem_euclid(2), high: high.0.div_euclid(2), span };
    }
    let all = (low.0..=high.0.min(low.0.saturating_add(MAX_HALVES))).map(Halves);
    Values::List(all.map(|halves| Value { kind: value(halves), span }).collect())
}

/// Takes `adjacent NAME` or `coordinates NAME` off the end of an expression.
fn taken_along(expr: &mut Expr) -> Option<Modifier> {
    match &mut expr.kind {
        ExprKind::Or(parts) | ExprKind::And(parts) => taken_along(parts.last_mut()?),
        ExprKind::Binary(_, _, right) => taken_along(right),
        ExprKind::Not(inner) => taken_along(inner),
        ExprKind::Row(terms) => {
            let [_, .., keyword, value] = terms.as_slice() else { return None };
            let (ExprKind::Name(keyword), ExprKind::Name(text)) = (&keyword.kind, &value.kind) else { return None };
            let name = Name { text: text.clone(), span: value.span };
            let modifier = match keyword.as_str() {
                "adjacent" => Modifier::Adjacent(name),
                "coordinates" => Modifier::Coordinates(name),
                _ => return None,
            };
            terms.truncate(terms.len() - 2);
            if let [only] = terms.as_mut_slice() {
                let only = std::mem::replace(only, Expr { kind: ExprKind::Number(0), span: expr.span });
                *expr = only;
            }
            Some(modifier)
        }
        _ => None,
    }
}
