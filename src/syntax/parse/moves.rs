//! Changes, and moves line by line with their notation.

use super::*;

impl Builder<'_> {
    pub(super) fn setup(&mut self, node: &Node<'_>) -> Setup {
        if node.as_rule() == Rule::drawn { Setup::Drawn(self.drawn(node)) } else { Setup::Changes(self.changes(node)) }
    }

    pub(super) fn changes(&mut self, node: &Node<'_>) -> Vec<Change> {
        self.closed(node);
        below(node)
            .filter_map(|line| match line.as_rule() {
                Rule::change => Some(self.change(&line)),
                Rule::bad_change => {
                    self.bad_change(&line);
                    None
                }
                _ => None,
            })
            .collect()
    }

    pub(super) fn change(&mut self, node: &Node<'_>) -> Change {
        let span = self.span(node);
        let guard = self.guard(node);
        let (mut each, mut slice) = (None, None);
        let mut target = Expr { kind: ExprKind::Number(0), span };
        let mut kind = ChangeKind::Becomes(target.clone());
        for inner in below(node) {
            match inner.as_rule() {
                Rule::each => {
                    let name = self.named(&inner);
                    let members = below(&inner).find(|part| part.as_rule() == Rule::target);
                    each = members.map(|members| (name, self.expr(&members)));
                }
                Rule::doing => {
                    kind = ChangeKind::Do;
                    target = self.first_expr(&inner);
                }
                Rule::slice => slice = Some(self.slice(&inner)),
                Rule::target => target = self.expr(&inner),
                Rule::exchange => {
                    let mut players = below(&inner).filter(|part| is_expression(part.as_rule()));
                    target = players.next().map_or(target, |one| self.expr(&one));
                    kind = match players.next() {
                        Some(with) => ChangeKind::Seats { with: self.expr(&with) },
                        None => ChangeKind::Leaves { finishes: has(&inner, Rule::k_finishes) },
                    };
                }
                Rule::becomes => kind = ChangeKind::Becomes(self.first_expr(&inner)),
                Rule::move_to => {
                    let place = below(&inner).find(|part| part.as_rule() == Rule::place);
                    let place = place.map_or(Place::Instead, |place| place_of(&place));
                    let mut parts: Vec<Expr> = self.exprs_in(&inner);
                    let piece = if parts.len() > 1 { parts.pop() } else { None };
                    if let Some(to) = parts.pop() {
                        kind = ChangeKind::MoveTo { place, to, piece };
                    }
                }
                Rule::gets => {
                    kind = ChangeKind::Gets { pieces: self.exprs_in(&inner), bottom: has(&inner, Rule::as_bottom) };
                }
                _ => {}
            }
        }
        Change { each, slice, target, kind, guard, span }
    }

    fn slice(&mut self, node: &Node<'_>) -> Slice {
        let end = if has(node, Rule::k_top) { End::Top } else { End::Bottom };
        Slice { end, count: self.exprs_in(node).pop() }
    }

    /// The expressions right below a node.
    fn exprs_in(&mut self, node: &Node<'_>) -> Vec<Expr> {
        below(node).filter(|part| is_expression(part.as_rule())).map(|part| self.expr(&part)).collect()
    }

    pub(super) fn move_item(&mut self, node: &Node<'_>) -> ItemKind {
        self.closed(node);
        let name = self.named(node);
        let (mut notation, mut doc) = (None, None);
        let mut lines = Vec::new();
        for inner in below(node) {
            match inner.as_rule() {
                Rule::notation => notation = Some(inner),
                Rule::string => doc = Some(self.string(&inner)),
                Rule::name | Rule::unclosed | Rule::k_chance | Rule::k_move => {}
                _ => lines.extend(self.move_line(&inner)),
            }
        }
        // Only now is it known which parts are lost, of which nothing is said in the notation.
        let notation = notation.map(|notation| self.notation(&notation));
        ItemKind::Move(MoveItem { chance: has(node, Rule::k_chance), name, notation, doc, lines })
    }

    pub(super) fn notation(&mut self, node: &Node<'_>) -> Notation {
        let Text { text, span } = self.string(node);
        // Of a text that does not end nothing more is said.
        let pieces = match has(node, Rule::unterminated) {
            true => Vec::new(),
            false => below(node).filter_map(|piece| self.notation_piece(&piece)).collect(),
        };
        Notation { text, pieces, span }
    }

    pub(super) fn notation_piece(&mut self, node: &Node<'_>) -> Option<NotationPiece> {
        let where_needed = has(node, Rule::where_needed);
        match node.as_rule() {
            Rule::literal => Some(NotationPiece::Text(node.as_str().to_owned())),
            Rule::optional => {
                let text = below(node).next().map_or(String::new(), |text| text.as_str().to_owned());
                Some(NotationPiece::Optional { text, where_needed })
            }
            Rule::shown => {
                let value = self.first_expr(node);
                let text = self.text[value.span.range()].to_owned();
                Some(NotationPiece::Value { text, value, where_needed, dash: has(node, Rule::dash), signs: None })
            }
            Rule::signed_value => self.signed_value(node),
            Rule::marked => {
                let text = below(node).find(|inner| inner.as_rule() == Rule::mark_text)?.as_str().to_owned();
                let condition = self.first_expr(&below(node).find(|inner| inner.as_rule() == Rule::mark_when)?);
                Some(NotationPiece::Mark { text, condition, where_needed })
            }
            Rule::bad_brackets => {
                self.bad_brackets(node);
                None
            }
            Rule::bad_shown => {
                let body = node.as_str().strip_prefix('{').and_then(|body| body.strip_suffix('}')).unwrap_or_default();
                let body = body.strip_suffix('?').or(body.strip_suffix("|-")).unwrap_or(body);
                if words(body).any(|word| self.lost.contains(word)) {
                    return None;
                }
                let (message, help) = if body.trim().is_empty() {
                    let message = "nothing stands between `{` and `}` in the notation".to_owned();
                    (message, "write the name of a part between them")
                } else {
                    let message = format!("`{{{body}}}` in the notation is no expression");
                    (message, "write the name of a part between the braces, as in `{cell}`")
                };
                self.report(Diagnostic::new(Code::BadNotation, self.span(node), message).help(help));
                None
            }
            Rule::unclosed_shown => {
                let (message, help) = if node.as_str().starts_with('{') {
                    ("a `{` in the notation is never closed", "write `}` behind the name of the part: \"{cell}\"")
                } else {
                    (
                        "a `[` in the notation is never closed",
                        "write `]` behind the text that may be left out: \"[x]{to}\"",
                    )
                };
                self.report(Diagnostic::new(Code::BadNotation, self.span(node), message).help(help));
                None
            }
            _ => None,
        }
    }

    /// `[={rank}]`: the value with the signs around it.
    fn signed_value(&mut self, node: &Node<'_>) -> Option<NotationPiece> {
        let mut signs = below(node).filter(|inner| inner.as_rule() == Rule::sign).map(|sign| sign.as_str().to_owned());
        let around = signs.next().zip(signs.next());
        let shown = below(node).find(|inner| inner.as_rule() == Rule::shown)?;
        match self.notation_piece(&shown)? {
            NotationPiece::Value { where_needed: true, .. } | NotationPiece::Value { dash: true, .. } => {
                self.report(
                    Diagnostic::new(
                        Code::BadNotation,
                        self.span(&shown),
                        "within square brackets a value is printed where there is one, and needs no other mark",
                    )
                    .help("take the `?` or `|-` out; `[={rank}]?` prints the whole only where it is needed"),
                );
                None
            }
            NotationPiece::Value { text, value, where_needed: false, dash: false, signs: _ } => {
                let where_needed = has(node, Rule::where_needed);
                Some(NotationPiece::Value { text, value, where_needed, dash: false, signs: around })
            }
            NotationPiece::Text(_) | NotationPiece::Optional { .. } | NotationPiece::Mark { .. } => None,
        }
    }

    fn bad_brackets(&mut self, node: &Node<'_>) {
        if words(node.as_str()).any(|word| self.lost.contains(word)) {
            return;
        }
        let (message, help) = if node.as_str().matches('{').count() > 1 {
            (
                "square brackets in a notation hold one value",
                "give each value brackets of its own: \"{from}[x{prey}][={rank}]\"",
            )
        } else {
            (
                "what stands in these square brackets cannot be read",
                "as in `[={rank}]`, printed where there is a rank, or `[x when to in enemy]`, printed where that holds: names behind `when` have no braces",
            )
        };
        self.report(Diagnostic::new(Code::BadNotation, self.span(node), message).help(help));
    }

    pub(super) fn move_line(&mut self, node: &Node<'_>) -> Option<MoveLine> {
        let span = self.span(node);
        let mut guard = self.guard(node);
        let exprs = |builder: &mut Self| builder.exprs_in(node);
        let kind = match node.as_rule() {
            Rule::then => MoveLineKind::Then,
            Rule::part => {
                let name = self.named(node);
                let mut conditions = exprs(self);
                if conditions.is_empty() {
                    return None;
                }
                let domain = conditions.remove(0);
                MoveLineKind::Part { name, domain, conditions }
            }
            Rule::def => MoveLineKind::Definition { name: self.named(node), value: exprs(self).into_iter().next()? },
            Rule::cond => MoveLineKind::If(exprs(self).into_iter().next()?),
            Rule::weight => MoveLineKind::Weight(exprs(self).into_iter().next()?),
            Rule::sothat => MoveLineKind::SoThat { condition: exprs(self).into_iter().next()?, reason: self.doc(node) },
            Rule::change => {
                let change = self.change(node);
                guard = None;
                MoveLineKind::Change(change)
            }
            Rule::repeat => {
                let mut exprs = exprs(self).into_iter();
                let times = exprs.next()?;
                let condition = exprs.next();
                let block = below(node).find(|pair| pair.as_rule() == Rule::change_block)?;
                MoveLineKind::Repeat { times, condition, changes: self.changes(&block) }
            }
            Rule::bad_move_line => {
                self.bad_move_line(node);
                return None;
            }
            _ => return None,
        };
        Some(MoveLine { kind, guard, span })
    }
}

/// Where what moves comes to lie.
fn place_of(node: &Node<'_>) -> Place {
    if has(node, Rule::k_under) { Place::Under } else { Place::On }
}
