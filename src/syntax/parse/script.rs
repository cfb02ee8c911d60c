//! Tests and records, step by step.

use super::*;

impl Builder<'_> {
    pub(super) fn script(&mut self, node: &Node<'_>) -> Option<ItemKind> {
        self.closed(node);
        let mut texts = Vec::new();
        let mut steps = Vec::new();
        for inner in below(node) {
            match inner.as_rule() {
                Rule::string => texts.push(self.string(&inner)),
                Rule::step => steps.extend(self.step(&inner)),
                Rule::bad_step => {
                    let span = self.span(&inner);
                    let word = inner.as_str().split_whitespace().next().unwrap_or("").to_owned();
                    const STEPS: [&str; 9] =
                        ["set", "position", "perft", "illegal", "play", "legal", "only", "result", "expect"];
                    if STEPS.contains(&word.as_str()) {
                        self.explain(&inner, Rule::step, "");
                    } else {
                        self.report(
                            Diagnostic::new(Code::Syntax, span, format!("no step begins with `{word}`"))
                                .label("expected `set`, `position`, `play`, `legal`, `illegal`, `only`, `expect`, `perft` or `result`")
                                .did_you_mean(&word, STEPS)
                                .or_help(|| "as in: play e4, e5; legal c3; illegal a1; expect own in centre".to_owned()),
                        );
                    }
                }
                _ => {}
            }
        }
        let mut texts = texts.into_iter();
        let record = node.as_rule() == Rule::record;
        Some(ItemKind::Script(Script { record, name: texts.next()?, doc: texts.next(), steps }))
    }

    pub(super) fn step(&mut self, node: &Node<'_>) -> Option<Step> {
        let span = self.span(node);
        let inner = below(node).next()?;
        let kind = match inner.as_rule() {
            Rule::step_set => StepKind::Set(self.settings(&below(&inner).next()?)),
            Rule::step_position => {
                let setup = self.setup(&below(&inner).next()?);
                let mut besides = Vec::new();
                let (mut mover, mut turn) = (None, None);
                for part in below(&inner).skip(1) {
                    match part.as_rule() {
                        Rule::change_block => besides = self.changes(&part),
                        Rule::name => mover = Some(self.name(&part)),
                        Rule::int => turn = Some(self.number(&part)),
                        _ => {}
                    }
                }
                StepKind::Position { setup, besides, mover, turn }
            }
            Rule::step_perft => StepKind::Perft {
                turns: has(&inner, Rule::k_turns),
                counts: below(&inner).map(|count| self.number(&count)).collect(),
            },
            Rule::step_illegal => {
                let moves = self.raw(&below(&inner).next()?);
                StepKind::Illegal { moves, because: self.doc(&inner) }
            }
            Rule::step_moves => {
                let text = below(&inner).next()?;
                let text = if text.as_rule() == Rule::move_block { below(&text).next()? } else { text };
                let text = self.raw(&text);
                match inner.inner().next()?.as_rule() {
                    Rule::k_play => StepKind::Play(text),
                    Rule::k_legal => StepKind::Legal(text),
                    _ => StepKind::Only(text),
                }
            }
            Rule::step_result => StepKind::Result(self.doc(&inner)?),
            _ => StepKind::Expect(self.first_expr(&inner)),
        };
        Some(Step { kind, span })
    }
}
