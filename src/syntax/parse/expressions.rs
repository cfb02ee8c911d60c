//! Expressions, and calls of words.

use super::*;

impl Builder<'_> {
    pub(super) fn call(&mut self, node: &Node<'_>) -> (Name, Vec<Expr>) {
        let name = self.named(node);
        let args = below(node).find(|pair| pair.as_rule() == Rule::args);
        let args = args.map(|args| below(&args).map(|arg| self.expr(&arg)).collect()).unwrap_or_default();
        (name, args)
    }

    pub(super) fn expr(&mut self, node: &Node<'_>) -> Expr {
        let span = self.span(node);
        let kind = match node.as_rule() {
            Rule::expr | Rule::conj | Rule::target | Rule::overlap => {
                let mut parts: Vec<Expr> = below(node).map(|part| self.expr(&part)).collect();
                if parts.len() == 1 {
                    return parts.remove(0);
                }
                match node.as_rule() {
                    Rule::conj | Rule::overlap => ExprKind::And(parts),
                    _ => ExprKind::Or(parts),
                }
            }
            Rule::negation => return self.negation(node),
            Rule::cmp => return self.comparison(node),
            Rule::sum | Rule::prod => return self.arithmetic(node),
            Rule::phrase => {
                let mut terms: Vec<Expr> = below(node).map(|term| self.expr(&term)).collect();
                if terms.len() == 1 {
                    return terms.remove(0);
                }
                ExprKind::Row(terms)
            }
            Rule::term => match below(node).next() {
                Some(inner) => return self.expr(&inner),
                None => ExprKind::Number(0),
            },
            Rule::int | Rule::signed => ExprKind::Number(self.number(node)),
            Rule::half => ExprKind::Half(self.half(node).0),
            Rule::name | Rule::bare => ExprKind::Name(node.as_str().to_owned()),
            Rule::call => {
                let (name, args) = self.call(node);
                ExprKind::Call { name, args }
            }
            Rule::of => ExprKind::Of(Box::new(self.first_expr(node))),
            Rule::prefixed => {
                let inner = Box::new(self.first_expr(node));
                match node.inner().next().map(|first| first.as_rule()) {
                    Some(Rule::k_not) => ExprKind::Not(inner),
                    Some(Rule::k_before) => ExprKind::Before(inner),
                    _ => ExprKind::Negative(inner),
                }
            }
            Rule::quantified => {
                let inner = Box::new(self.first_expr(node));
                let quantifier = match node.inner().next().map(|first| first.as_rule()) {
                    Some(Rule::k_any) => Quantifier::Any,
                    Some(Rule::k_no) => Quantifier::No,
                    Some(Rule::k_the) => Quantifier::The,
                    Some(Rule::k_count) => Quantifier::Count,
                    _ => Quantifier::Every,
                };
                ExprKind::Quantified(quantifier, inner)
            }
            Rule::conditional => {
                let mut parts = below(node).map(|part| Box::new(self.expr(&part))).collect::<Vec<_>>().into_iter();
                match (parts.next(), parts.next(), parts.next()) {
                    (Some(condition), Some(then), Some(otherwise)) => ExprKind::If { condition, then, otherwise },
                    _ => ExprKind::Number(0),
                }
            }
            Rule::case => {
                let mut subject = None;
                let mut cases = Vec::new();
                let mut keys = Vec::new();
                for inner in below(node) {
                    match inner.as_rule() {
                        Rule::keys => keys = self.keys(&inner),
                        _ if subject.is_none() => subject = Some(Box::new(self.expr(&inner))),
                        _ => cases.push((std::mem::take(&mut keys), self.expr(&inner))),
                    }
                }
                match subject {
                    Some(subject) => ExprKind::Case { subject, cases },
                    None => ExprKind::Number(0),
                }
            }
            Rule::some => {
                let name = self.named(node);
                let mut parts =
                    below(node).skip(1).map(|part| Box::new(self.expr(&part))).collect::<Vec<_>>().into_iter();
                match (parts.next(), parts.next()) {
                    (Some(domain), Some(condition)) => ExprKind::Some { none: false, name, domain, condition },
                    _ => ExprKind::Number(0),
                }
            }
            Rule::happened => {
                let event = below(node).find(|pair| pair.as_rule() == Rule::event).map(|event| self.event(&event));
                let with =
                    below(node).find(|pair| pair.as_rule() == Rule::event_with).map(|with| self.first_expr(&with));
                match event {
                    Some(event) => ExprKind::Happened { event: limited(event, with), history: history(node) },
                    None => ExprKind::Number(0),
                }
            }
            Rule::last_to | Rule::without => {
                let event = below(node).find(|pair| pair.as_rule() == Rule::event).map(|event| self.event(&event));
                match event {
                    Some(event) if node.as_rule() == Rule::last_to => ExprKind::LastTo(event),
                    Some(event) => ExprKind::TurnsWithout(event),
                    None => ExprKind::Number(0),
                }
            }
            Rule::history => {
                let names = below(node).next().map(|part| self.names(&part)).unwrap_or_default();
                let mut names = names.into_iter();
                match (names.next(), names.next()) {
                    (Some(of), Some(part)) => ExprKind::PartOf { of, part, history: history(node) },
                    _ => ExprKind::Number(0),
                }
            }
            Rule::seen => {
                let times = below(node).next().map(|times| self.number(&times));
                ExprKind::Seen { board: has(node, Rule::k_board), times }
            }
            Rule::possible => {
                let mut inner = below(node);
                let pattern = match inner.next() {
                    Some(inner) if inner.as_rule() == Rule::pat => self.pattern(&inner),
                    Some(inner) => {
                        let name = self.name(&inner);
                        Pattern { span: name.span, kind: PatternKind::Name(name) }
                    }
                    None => Pattern { span, kind: PatternKind::Nothing },
                };
                let apart = inner.any(|further| further.as_rule() == Rule::apart);
                ExprKind::Possible { pattern: Box::new(pattern), apart }
            }
            Rule::set => match below(node).next() {
                Some(inner) => return self.set(&inner),
                None => ExprKind::Number(0),
            },
            Rule::reduce => {
                let reduce = match node.inner().next().map(|first| first.as_rule()) {
                    Some(Rule::k_least) => Reduce::Least,
                    Some(Rule::k_most) => Reduce::Most,
                    _ => Reduce::Sum,
                };
                let braces = below(node).find(|pair| pair.as_rule() == Rule::set);
                let inner = match braces.and_then(|braces| below(&braces).next()) {
                    Some(inner) if inner.as_rule() == Rule::set_for => self.every_way(&inner, Some(reduce)),
                    _ => self.first_expr(node),
                };
                ExprKind::Reduce(reduce, Box::new(inner))
            }
            Rule::list => {
                let rounds: Vec<Round> =
                    below(node).filter(|pair| pair.as_rule() == Rule::for_each).map(|each| self.round(&each)).collect();
                match rounds.is_empty() {
                    true => ExprKind::List(below(node).map(|part| self.expr(&part)).collect()),
                    false => ExprKind::Family { member: Box::new(self.first_expr(node)), rounds },
                }
            }
            _ => match below(node).next() {
                Some(inner) => return self.expr(&inner),
                None => ExprKind::Number(0),
            },
        };
        Expr { kind, span }
    }

    /// `not` before a comparison is about the whole of it, and before a row or `but` about the next term, as everywhere.
    pub(super) fn negation(&mut self, node: &Node<'_>) -> Expr {
        let nots: Vec<Span> =
            node.inner().filter(|pair| pair.as_rule() == Rule::k_not).map(|not| self.span(&not)).collect();
        let mut inner = self.first_expr(node);
        // With the brackets around it, which an expression leaves out.
        let asked = below(node).next().map_or(inner.span, |asked| self.span(&asked));
        let mut start = asked.start;
        for not in nots.into_iter().rev() {
            inner = Expr { span: not.to(asked), ..negated(not, inner, start) };
            start = not.start;
        }
        inner
    }

    pub(super) fn set(&mut self, node: &Node<'_>) -> Expr {
        let span = self.span(node);
        if node.as_rule() == Rule::set_for {
            return self.every_way(node, None);
        }
        let name = self.named(node);
        let mut parts = self.expressions(node).into_iter().map(Box::new);
        let kind = match parts.next() {
            Some(domain) => ExprKind::SetOf { name, domain, condition: parts.next() },
            None => ExprKind::Number(0),
        };
        Expr { kind, span }
    }

    /// `for x in S with C`.
    fn round(&mut self, node: &Node<'_>) -> Round {
        let name = self.named(node);
        let mut parts = self.expressions(node).into_iter();
        let nothing = Expr { kind: ExprKind::Number(0), span: name.span };
        Round { name, domain: parts.next().unwrap_or(nothing), condition: parts.next() }
    }

    fn expressions(&mut self, node: &Node<'_>) -> Vec<Expr> {
        let parts = below(node).filter(|pair| is_expression(pair.as_rule()));
        parts.map(|part| self.expr(&part)).collect()
    }

    /// `{ E for x in S for y in T }`: E for each y of each x, as if the second stood in braces of its own, which join numbers
    /// as those around them do.
    fn every_way(&mut self, node: &Node<'_>, joining: Option<Reduce>) -> Expr {
        let span = self.span(node);
        let mut body = self.first_expr(node);
        let each: Vec<Node<'_>> = below(node).filter(|pair| pair.as_rule() == Rule::for_each).collect();
        // That what is behind has members: of nothing there is no least and no most.
        let mut behind: Option<Expr> = None;
        for (at, one) in each.iter().enumerate().rev() {
            let name = self.named(one);
            let mut parts = self.expressions(one).into_iter().map(Box::new);
            let Some(domain) = parts.next() else { continue };
            let condition = match (parts.next(), behind.take()) {
                (Some(own), Some(other)) => Some(Box::new(Expr { kind: ExprKind::And(vec![*own, other]), span })),
                (own, other) => own.or(other.map(Box::new)),
            };
            if at > 0 && matches!(joining, Some(Reduce::Least | Reduce::Most)) {
                let (name, domain) = (name.clone(), domain.clone());
                let condition = condition.clone().unwrap_or_else(|| Box::new(always(span)));
                behind = Some(Expr { kind: ExprKind::Some { none: false, name, domain, condition }, span });
            }
            body = Expr { kind: ExprKind::Each { body: Box::new(body), name, domain, condition }, span };
            if let Some(reduce) = joining.filter(|_| at > 0) {
                body = Expr { kind: ExprKind::Reduce(reduce, Box::new(body)), span };
            }
        }
        body
    }

    /// `no x in S with C`, or `no x in S`.
    pub(super) fn none(&mut self, node: &Node<'_>) -> Expr {
        let span = self.span(node);
        let name = self.named(node);
        let mut parts = below(node).filter(|pair| is_expression(pair.as_rule()));
        let domain = parts.next().map(|part| Box::new(self.expr(&part)));
        let condition = parts.next().map(|part| Box::new(self.expr(&part)));
        let no = node.inner().find(|pair| pair.as_rule() == Rule::k_no).map_or(span, |no| self.span(&no));
        let befores: Vec<Span> =
            node.inner().filter(|pair| pair.as_rule() == Rule::k_before).map(|before| self.span(&before)).collect();
        let before = |inner: Expr| {
            befores.iter().rev().fold(inner, |inner, before| {
                let span = before.to(inner.span);
                Expr { kind: ExprKind::Before(Box::new(inner)), span }
            })
        };
        match (domain, condition) {
            (Some(domain), Some(condition)) => {
                let span = no.to(span);
                before(Expr { kind: ExprKind::Some { none: true, name, domain, condition }, span })
            }
            (Some(right), None) => {
                let quantified = no.to(name.span);
                let name = Expr { span: name.span, kind: ExprKind::Name(name.text) };
                let kind = ExprKind::Quantified(Quantifier::No, Box::new(name));
                let left = Box::new(before(Expr { kind, span: quantified }));
                Expr { kind: ExprKind::In { left, not: false, right }, span }
            }
            (None, _) => Expr { kind: ExprKind::Number(0), span },
        }
    }

    pub(super) fn comparison(&mut self, node: &Node<'_>) -> Expr {
        let span = self.span(node);
        let mut parts = below(node);
        let Some(first) = parts.next() else { return Expr { kind: ExprKind::Number(0), span } };
        if first.as_rule() == Rule::none {
            return self.none(&first);
        }
        let first = self.expr(&first);
        let Some(tail) = parts.next() else { return first };
        let left = Box::new(first);
        let not = has(&tail, Rule::k_not);
        let kind = match tail.as_rule() {
            Rule::cmp_is => {
                let right = Box::new(self.first_expr(&tail));
                if has(&tail, Rule::k_in) {
                    ExprKind::In { left, not, right }
                } else {
                    ExprKind::Is { left, not, right }
                }
            }
            Rule::cmp_in => ExprKind::In { left, not, right: Box::new(self.first_expr(&tail)) },
            _ => {
                let rest = std::iter::once(tail)
                    .chain(parts)
                    .map(|tail| {
                        let op = match below(&tail).next().map(|op| op.as_str().to_owned()).as_deref() {
                            Some("!=") => CompareOp::NotEqual,
                            Some("<") => CompareOp::Less,
                            Some("<=") => CompareOp::LessEqual,
                            Some(">") => CompareOp::Greater,
                            Some(">=") => CompareOp::GreaterEqual,
                            _ => CompareOp::Equal,
                        };
                        (op, self.first_expr(&tail))
                    })
                    .collect();
                ExprKind::Compare { first: left, rest }
            }
        };
        Expr { kind, span }
    }

    pub(super) fn arithmetic(&mut self, node: &Node<'_>) -> Expr {
        let mut result: Option<Expr> = None;
        let mut op = BinaryOp::Arithmetic(ArithmeticOp::Add);
        for inner in below(node) {
            match inner.as_rule() {
                Rule::sum_op | Rule::prod_op => {
                    op = match inner.as_str().trim() {
                        "-" => BinaryOp::Arithmetic(ArithmeticOp::Subtract),
                        ".." => BinaryOp::Range,
                        "but" => BinaryOp::But,
                        "*" => BinaryOp::Arithmetic(ArithmeticOp::Multiply),
                        "div" => BinaryOp::Arithmetic(ArithmeticOp::Divide),
                        "mod" => BinaryOp::Arithmetic(ArithmeticOp::Modulo),
                        _ => BinaryOp::Arithmetic(ArithmeticOp::Add),
                    };
                }
                _ => {
                    let operand = self.expr(&inner);
                    result = Some(match result {
                        None => operand,
                        Some(left) => {
                            let span = left.span.to(operand.span);
                            Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(operand)), span }
                        }
                    });
                }
            }
        }
        result.unwrap_or(Expr { kind: ExprKind::Number(0), span: self.span(node) })
    }
}

fn history(node: &Node<'_>) -> History {
    let span = node.inner().find(|pair| pair.as_rule() == Rule::span);
    match span.and_then(|span| span.inner().next()).map(|first| first.as_rule()) {
        Some(Rule::k_last) => History::LastTurn,
        Some(Rule::k_so) => History::SoFar,
        _ => History::ThisTurn,
    }
}

/// `some drop this turn with C` says the same as `some drop with C this turn`.
fn limited(event: Event, condition: Option<Expr>) -> Event {
    let Some(condition) = condition else { return event };
    let span = event.span;
    let kind = match event.kind {
        EventKind::Name { name, with: None } => EventKind::Name { name, with: Some(Box::new(condition)) },
        EventKind::Name { name, with: Some(with) } => {
            let both = Expr { span: with.span, kind: ExprKind::And(vec![*with, condition]) };
            EventKind::Name { name, with: Some(Box::new(both)) }
        }
        EventKind::Any(events) => {
            EventKind::Any(events.into_iter().map(|event| limited(event, Some(condition.clone()))).collect())
        }
    };
    Event { kind, span }
}

/// An expression under a `not`, which takes the next term. What does not begin at `start` begins with a bracket and is one.
fn negated(not: Span, inner: Expr, start: u32) -> Expr {
    let span = not.to(inner.span);
    let open = inner.span.start == start;
    let kind = match inner.kind {
        ExprKind::Row(mut terms) if open && !terms.is_empty() => {
            let first = terms.remove(0);
            terms.insert(0, negated(not, first, start));
            ExprKind::Row(terms)
        }
        ExprKind::Binary(BinaryOp::But, left, right) if open => {
            ExprKind::Binary(BinaryOp::But, Box::new(negated(not, *left, start)), right)
        }
        kind => ExprKind::Not(Box::new(Expr { kind, span: inner.span })),
    };
    Expr { kind, span }
}

/// A condition that always holds.
fn always(span: Span) -> Expr {
    let zero = || Expr { kind: ExprKind::Number(0), span };
    Expr { kind: ExprKind::Compare { first: Box::new(zero()), rest: vec![(CompareOp::Equal, zero())] }, span }
}
