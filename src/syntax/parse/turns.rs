//! Patterns of turns with their duties, what happened before, and lines of `end`.

use super::*;

impl Builder<'_> {
    pub(super) fn pattern(&mut self, node: &Node<'_>) -> Pattern {
        let span = self.span(node);
        let mut parts: Vec<Pattern> = below(node)
            .filter(|pair| matches!(pair.as_rule(), Rule::alt | Rule::seq | Rule::unit))
            .map(|part| if part.as_rule() == Rule::unit { self.unit(&part) } else { self.pattern(&part) })
            .collect();
        if parts.len() == 1 {
            return parts.remove(0);
        }
        if node.as_rule() == Rule::pat {
            self.check_commas_beside_else(node);
        }
        let kind = match node.as_rule() {
            Rule::pat => PatternKind::Else(parts),
            Rule::alt => PatternKind::Either(parts),
            _ => PatternKind::Sequence(parts),
        };
        Pattern { kind, span }
    }

    /// `a else b, c`: a rule sheet would read the comma last, and the language `else`. Brackets say which is meant.
    pub(super) fn check_commas_beside_else(&mut self, node: &Node<'_>) {
        // The pattern cut at each `else`, and each way again at its commas.
        let mut ways: Vec<Vec<Span>> = Vec::new();
        for way in below(node) {
            let mut pieces: Vec<Span> = Vec::new();
            for sequence in below(&way) {
                let mut units = below(&sequence).map(|unit| self.span(&unit));
                // `or` stands between the last piece and this unit, and a comma before each further one.
                if let Some(first) = units.next() {
                    match pieces.pop() {
                        Some(last) => pieces.push(last.to(first)),
                        None => pieces.push(first),
                    }
                }
                pieces.extend(units);
            }
            ways.push(pieces);
        }
        let Some(comma) = ways.iter().find_map(|pieces| pieces.get(1)) else { return };
        let whole = self.span(node);
        let bracketed = |groups: Vec<Span>| {
            let mut text = self.text[whole.range()].trim_end().to_owned();
            for group in groups.into_iter().rev() {
                text.insert((group.end - whole.start) as usize, ')');
                text.insert((group.start - whole.start) as usize, '(');
            }
            text
        };
        let first_else: Vec<Span> = joined_by_else(&ways);
        let long = ways.iter().filter(|pieces| pieces.len() > 1);
        let first_commas: Vec<Span> = long.filter_map(|pieces| Some(pieces.first()?.to(*pieces.last()?))).collect();
        let (sheet, language) = (bracketed(first_else), bracketed(first_commas));
        self.report(
            Diagnostic::new(Code::TwoReadings, *comma, "it is not clear whether this still belongs to `else`")
                .label("a comma stands between this and `else`")
                .help(format!(
                    "put brackets around what belongs together: `{}` or `{}`",
                    one_line(&sheet),
                    one_line(&language)
                ))
                .guess("bracket what stands beside `else`", whole, sheet)
                .guess("bracket what the commas join", whole, language),
        );
    }

    pub(super) fn unit(&mut self, node: &Node<'_>) -> Pattern {
        let span = self.span(node);
        let mut pattern = Pattern { kind: PatternKind::Nothing, span };
        let mut suffixes = Vec::new();
        for inner in below(node) {
            match inner.as_rule() {
                Rule::name => {
                    let name = self.name(&inner);
                    pattern = Pattern { span: name.span, kind: PatternKind::Name(name) };
                }
                Rule::pat => pattern = self.pattern(&inner),
                Rule::suffix => suffixes.extend(below(&inner)),
                _ => {}
            }
        }
        // `by it`, `with` and `when` belong to the plies; `until` and `such that` to the whole of the unit.
        let wrap =
            |inner: Pattern, kind: fn(Box<Pattern>) -> PatternKind| Pattern { span, kind: kind(Box::new(inner)) };
        let (outer, inner): (Vec<Node<'_>>, Vec<Node<'_>>) = suffixes
            .into_iter()
            .partition(|suffix| matches!(suffix.as_rule(), Rule::unit_until | Rule::unit_such | Rule::unit_when));
        for suffix in inner {
            pattern = match suffix.as_rule() {
                Rule::by_it => wrap(pattern, PatternKind::ByIt),
                _ => {
                    let condition = self.first_expr(&suffix);
                    Pattern { span, kind: PatternKind::With(Box::new(pattern), condition) }
                }
            };
        }
        if has(node, Rule::k_maybe) {
            pattern = wrap(pattern, PatternKind::Maybe);
        } else if has(node, Rule::k_again) {
            pattern = wrap(pattern, PatternKind::Again);
        } else if has(node, Rule::k_chain) {
            pattern = wrap(pattern, PatternKind::Chain);
        }
        for suffix in outer {
            let condition = self.first_expr(&suffix);
            let boxed = Box::new(pattern);
            let kind = match suffix.as_rule() {
                Rule::unit_until => PatternKind::Until(boxed, condition),
                Rule::unit_such => PatternKind::SuchThat(boxed, condition),
                _ => PatternKind::When(boxed, condition),
            };
            pattern = Pattern { kind, span };
        }
        pattern
    }

    pub(super) fn turn(&mut self, node: &Node<'_>) -> Option<ItemKind> {
        self.closed(node);
        let span = self.span(node);
        let mut of = TurnOf::Any;
        let mut pattern = None;
        let mut duties = Vec::new();
        let mut lost = false;
        for inner in below(node) {
            match inner.as_rule() {
                Rule::int => {
                    let number = self.number(&inner);
                    of = match of {
                        TurnOf::Numbers(first, _) => TurnOf::Numbers(first, number),
                        TurnOf::Any | TurnOf::Phase(_) => TurnOf::Numbers(number, number),
                    };
                }
                Rule::name => of = TurnOf::Phase(self.name(&inner)),
                Rule::pat => pattern = Some(self.pattern(&inner)),
                Rule::duty => duties.extend(self.duty(&inner)),
                Rule::bad_pat => {
                    self.explain(&inner, Rule::pat, JOINING);
                    self.lost.insert("turn".to_owned());
                    lost = true;
                }
                // Behind a pattern that could not be read another pattern may stand.
                Rule::bad_duty if lost => {}
                Rule::bad_duty => {
                    let span = self.span(&inner);
                    let word = inner.as_str().split_whitespace().next().unwrap_or("");
                    if matches!(word, "must" | "such" | "extra" | "next") {
                        self.explain(&inner, Rule::duty, "");
                    } else {
                        self.report(
                            Diagnostic::new(Code::Syntax, span, "this line of a turn says nothing")
                                .label("expected `must ...`, `such that ...`, `extra turn ...` or `next turn to ...`")
                                .help("one pattern comes first; its lines go on with `,`, `or` or `else`"),
                        );
                    }
                }
                _ => {}
            }
        }
        Some(ItemKind::Turn(TurnItem { of, whole: has(node, Rule::k_whole), pattern: pattern?, duties, span }))
    }

    pub(super) fn duty(&mut self, node: &Node<'_>) -> Option<Duty> {
        let span = self.span(node);
        let inner = below(node).next()?;
        let kind = match inner.as_rule() {
            Rule::must => DutyKind::Must(self.event(&below(&inner).next()?)),
            Rule::must_most => DutyKind::MustMost(self.first_expr(&inner)),
            Rule::such_that => DutyKind::SuchThat(self.first_expr(&inner)),
            Rule::next_turn => DutyKind::NextTurn(self.first_expr(&inner)),
            _ => DutyKind::ExtraTurn,
        };
        Some(Duty { kind, guard: self.guard(node), reason: self.doc(node), span })
    }

    pub(super) fn event(&mut self, node: &Node<'_>) -> Event {
        let span = self.span(node);
        let mut events = Vec::new();
        let mut name = None;
        let mut with = None;
        for inner in below(node) {
            match inner.as_rule() {
                Rule::event => events.push(self.event(&inner)),
                Rule::name => name = Some(self.name(&inner)),
                Rule::event_with => with = Some(Box::new(self.first_expr(&inner))),
                _ => {}
            }
        }
        let kind = match name {
            Some(name) => EventKind::Name { name, with },
            None => EventKind::Any(events),
        };
        Event { kind, span }
    }

    /// A player who leaves while others go on is no end of the game.
    fn leaves_in_end(&mut self, node: &Node<'_>) -> bool {
        let words = || node.as_str().split_whitespace().take_while(|word| *word != "when");
        let Some(word) = words().find(|word| matches!(*word, "leaves" | "finishes")) else { return false };
        let at = node.start() + node.as_str().find(word).unwrap_or(0);
        let span = Span::new(self.source, at, at + word.len());
        let message = format!("a line of `end` ends the game, and who {word} lets the others go on");
        self.report(Diagnostic::new(Code::Syntax, span, message).help(format!(
            "say it where it happens, in a move or after each ply: `after each ply {{ every p in playing: p {word} when ... }}`"
        )));
        true
    }

    pub(super) fn outcome(&mut self, node: &Node<'_>) -> Option<OutcomeLine> {
        let span = self.span(node);
        if node.as_rule() == Rule::bad_outcome {
            // `drwa when ...` reads well up to `when`, as who might win.
            let mut words = node.as_str().split_whitespace();
            if let (Some(first), None | Some("when")) = (words.next(), words.next())
                && first != "draw"
                && closest(first, ["draw"]).is_some()
            {
                let at = Span::new(self.source, node.start(), node.start() + first.len());
                self.report(
                    Diagnostic::new(Code::Syntax, at, format!("`{first}` does not fit here"))
                        .did_you_mean(first, ["draw"]),
                );
                return None;
            }
            if self.leaves_in_end(node) {
                return None;
            }
            self.explain(node, Rule::outcome, OUTCOMES);
            return None;
        }
        if node.as_rule() != Rule::outcome {
            return None;
        }
        let result = below(node).find(|pair| pair.as_rule() == Rule::result)?;
        let wins = |pair: &Node<'_>| has(pair, Rule::k_wins);
        let result = match below(&result).next() {
            None => ResultOf::Draw,
            Some(inner) => match inner.as_rule() {
                Rule::best if has(&inner, Rule::k_best) => ResultOf::BestScore,
                Rule::best => ResultOf::LowestScore,
                Rule::ranks => ResultOf::Ranks(self.first_expr(&inner)),
                Rule::any_player => ResultOf::AnyPlayer { name: self.named(&inner), wins: wins(&inner) },
                _ => ResultOf::Player { player: self.first_expr(&inner), wins: wins(&inner) },
            },
        };
        let at_once = has(node, Rule::at_once);
        Some(OutcomeLine { result, at_once, guard: self.guard(node), reason: self.doc(node), span })
    }
}

/// The runs of pieces that `else` joins if it binds more tightly than the comma.
fn joined_by_else(ways: &[Vec<Span>]) -> Vec<Span> {
    let mut runs: Vec<Span> = Vec::new();
    let mut open: Option<Span> = None;
    for (index, pieces) in ways.iter().enumerate() {
        for (at, piece) in pieces.iter().enumerate() {
            open = Some(match open.filter(|_| at == 0) {
                Some(run) => run.to(*piece),
                None => *piece,
            });
            let beside = at == 0 && index > 0 || at + 1 == pieces.len() && index + 1 < ways.len();
            if at + 1 < pieces.len() || index + 1 == ways.len() {
                runs.extend(open.take().filter(|_| beside));
            }
        }
    }
    runs
}

/// A text as a message shows it.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
