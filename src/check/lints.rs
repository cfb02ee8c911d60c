//! Warnings about what can be read but does nothing: unused names, lines that nothing reaches, conditions that no
//! position fulfils, players who cannot win.

use super::{Checker, Defined};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::Id;
use crate::rules::settled::Settled;
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, CompareOp, ItemKind, PatternKind, ResultOf, SCORE};
use std::collections::{BTreeMap, BTreeSet, HashSet};

impl<'p> Checker<'p> {
    pub(super) fn check_lints(&mut self) {
        self.check_unused();
        self.check_order();
        self.check_phases();
        self.check_reached();
        self.check_winners();
        self.check_conditions();
        self.check_ways_asked();
        self.check_bends();
        self.check_asked_players();
    }

    /// Names that nothing uses; what the prelude or a base file defines may rest.
    fn check_unused(&mut self) {
        let main = self.project.main;
        let mut unused = Vec::new();
        for item in self.project.items().filter(|item| item.span.source == main) {
            match &item.kind {
                ItemKind::Word(word) => unused.push((Defined::Word, "word", word.name.clone(), Some(item.span))),
                ItemKind::Region(word) => unused.push((Defined::Word, "region", word.name.clone(), Some(item.span))),
                ItemKind::Move(mv) => unused.push((Defined::Move, "move", mv.name.clone(), Some(item.span))),
                ItemKind::Pattern { name, .. } => {
                    unused.push((Defined::Pattern, "pattern", name.clone(), Some(item.span)))
                }
                ItemKind::Piece(piece) => {
                    let line = (piece.kinds.len() == 1).then_some(item.span);
                    unused.extend(piece.kinds.iter().map(|kind| (Defined::Piece, "piece", kind.name.clone(), line)));
                }
                ItemKind::Change(change) => {
                    unused.push((Defined::Change, "change", change.name.clone(), Some(item.span)));
                }
                ItemKind::Path(path) => unused.push((Defined::Path, "path", path.name.clone(), Some(item.span))),
                ItemKind::Track(track) => {
                    unused.push((Defined::Tracked, "tracked value", track.name.clone(), Some(item.span)));
                }
                ItemKind::Option(option) => {
                    let line = (option.names.len() == 1).then_some(item.span);
                    unused.extend(option.names.iter().map(|name| (Defined::Option, "option", name.clone(), line)));
                }
                _ => {}
            }
        }
        let tested = self.tested();
        let score = self.project.items().filter(|item| item.span.source == main).find_map(|item| {
            let ItemKind::Score(score) = &item.kind else { return None };
            Some(score.name.span)
        });
        if let Some(span) = score.filter(|_| !self.is_used(Defined::Word, SCORE) && !tested.contains(SCORE)) {
            self.report(
                Diagnostic::new(Code::Unused, span, "the score decides nothing")
                    .label("no line of `end` compares it, and nothing else asks for it")
                    .help("end the game by it, as in `best score when no empty`, take it out, or say why it stays: allow unused in score \"...\""),
            );
        }
        for (defined, what, name, line) in unused {
            if self.is_used(defined, &name.text) || tested.contains(name.text.as_str()) {
                continue;
            }
            let mut found =
                Diagnostic::new(Code::Unused, name.span, format!("the {what} `{}` is never used", name.text)).help(
                    match defined {
                        Defined::Move | Defined::Pattern => {
                            format!("offer it in a turn, as in `turn {{ ... or {} }}`, or take it out", name.text)
                        }
                        Defined::Change => format!("make it in a move, `do {}`, or take it out", name.text),
                        Defined::Word | Defined::Path | Defined::Tracked | Defined::Piece | Defined::Option => {
                            format!("use it, take it out, or say why it stays: allow unused in {} \"...\"", name.text)
                        }
                    },
                );
            if let Some(line) = line {
                found = found.guess(format!("remove `{}`", name.text), line, "");
            }
            self.report(found);
        }
    }

    /// What the tests and records of the file name, and the board: of its cases only one is looked at.
    fn tested(&self) -> HashSet<&'p str> {
        let project = self.project;
        let items = project.items().filter(|item| matches!(item.kind, ItemKind::Script(_) | ItemKind::Board(_)));
        items
            .flat_map(|item| project.sources.slice(item.span).split(|c: char| !c.is_alphanumeric() && c != '_'))
            .collect()
    }

    /// A player whom `order` leaves out never has a turn.
    fn check_order(&mut self) {
        let project = self.project;
        let own = |item: &&ast::Item| item.span.source == project.main;
        let order = project.items().filter(own).find_map(|item| match &item.kind {
            ItemKind::Order(order) => Some((order, item.span)),
            _ => None,
        });
        let players = project.items().filter(own).find_map(|item| match &item.kind {
            ItemKind::Players(ast::PlayersItem::List(players)) => Some(players),
            _ => None,
        });
        if let (Some((order, span)), Some(players)) = (order, players) {
            for player in players.iter().filter(|player| order.places().all(|name| name.text != player.name.text)) {
                let message = format!("the player `{}` never has a turn", player.name.text);
                self.report(
                    Diagnostic::new(Code::Unused, player.name.span, message)
                        .label("listed here")
                        .also(span, "left out here")
                        .help(format!("put `{}` into `order`, or take it out of `players`", player.name.text)),
                );
            }
        }
    }

    /// A phase that the game is never in.
    fn check_phases(&mut self) {
        let project = self.project;
        let phases = project.items().find_map(|item| match &item.kind {
            ItemKind::Phases(phases) if item.span.source == project.main => Some(phases),
            _ => None,
        });
        let Some(phases) = phases else { return };
        let mut entered = BTreeSet::new();
        for mv in &self.move_items {
            for line in &mv.lines {
                let changes = match &line.kind {
                    ast::MoveLineKind::Change(change) => std::slice::from_ref(change),
                    ast::MoveLineKind::Repeat { changes, .. } => changes,
                    _ => continue,
                };
                for change in changes {
                    let ast::ChangeKind::Becomes(value) = &change.kind else { continue };
                    if matches!(&change.target.kind, ast::ExprKind::Name(name) if name == "phase") {
                        match &value.kind {
                            ast::ExprKind::Name(name) => entered.insert(name.clone()),
                            // Which phases these are is not to be seen from the text.
                            _ => return,
                        };
                    }
                }
            }
        }
        for phase in phases.iter().skip(1).filter(|phase| !entered.contains(&phase.text)) {
            self.report(
                Diagnostic::new(Code::Unused, phase.span, format!("the game is never in the phase `{}`", phase.text))
                    .label("no move leads here")
                    .help(format!("let a move say `phase becomes {}`, or take the phase out", phase.text)),
            );
        }
    }

    /// Lines of `end` and alternatives of turns behind something that always comes first.
    fn check_reached(&mut self) {
        let project = self.project;
        for item in project.items().filter(|item| item.span.source == project.main) {
            match &item.kind {
                ItemKind::End(lines) => self.check_lines_of_end(lines),
                ItemKind::Turn(turn) => self.check_pattern(&turn.pattern),
                ItemKind::Pattern { pattern, .. } => self.check_pattern(pattern),
                _ => {}
            }
        }
    }

    fn check_lines_of_end(&mut self, lines: &[ast::OutcomeLine]) {
        let mut always: Option<Span> = None;
        let mut asked: BTreeMap<String, Span> = BTreeMap::new();
        for line in lines {
            if let Some(earlier) = always.filter(|_| !line.at_once) {
                self.report(
                    Diagnostic::new(Code::Unreachable, line.span, "this line is never read")
                        .label("the game is over before")
                        .also(earlier, "without `when` this always decides")
                        .help("put the line that always decides last, or give it a `when`"),
                );
                continue;
            }
            // A player who may be missing leaves the decision to the lines behind.
            let decides = match &line.result {
                ResultOf::Player { player, .. } => {
                    matches!(&player.kind, ast::ExprKind::Name(name) if [Id::Mover, Id::Next].iter().any(|id| name == id.name()) || self.players.contains_key(name))
                }
                ResultOf::AnyPlayer { .. } => false,
                _ => true,
            };
            match &line.guard {
                None if decides && !line.at_once => always = Some(line.span),
                None => {}
                Some(guard) => {
                    let text = self.project.sources.slice(guard.span).split_whitespace().collect::<Vec<_>>().join(" ");
                    if let Some(earlier) = asked.get(&text) {
                        let earlier = *earlier;
                        self.report(
                            Diagnostic::new(Code::Unreachable, line.span, "this line never decides")
                                .label("the same condition")
                                .also(earlier, "whenever it is true, this line has decided")
                                .help("change one of the conditions, or take this line out")
                                .guess("remove the line", line.span, ""),
                        );
                    } else if decides && !line.at_once {
                        asked.insert(text, line.span);
                    }
                }
            }
        }
    }

    /// `pass else A`: passing is always legal.
    fn check_pattern(&mut self, pattern: &ast::Pattern) {
        match &pattern.kind {
            PatternKind::Else(ways) => {
                for pair in ways.windows(2) {
                    let always = match &pair[0].kind {
                        PatternKind::Nothing => true,
                        PatternKind::Name(name) => matches!(name.text.as_str(), "pass" | "skip" | "stop"),
                        _ => false,
                    };
                    if always {
                        self.report(
                            Diagnostic::new(Code::Unreachable, pair[1].span, "this is never offered")
                                .label("only if what stands before `else` offers nothing")
                                .also(pair[0].span, "this can always be played")
                                .help("turn them round: what can always be played comes last"),
                        );
                    }
                }
                ways.iter().for_each(|way| self.check_pattern(way));
            }
            PatternKind::Sequence(parts) | PatternKind::Either(parts) => {
                parts.iter().for_each(|part| self.check_pattern(part));
            }
            PatternKind::Maybe(inner)
            | PatternKind::Again(inner)
            | PatternKind::Chain(inner)
            | PatternKind::ByIt(inner) => {
                self.check_pattern(inner);
            }
            PatternKind::With(inner, _)
            | PatternKind::Until(inner, _)
            | PatternKind::SuchThat(inner, _)
            | PatternKind::When(inner, _) => self.check_pattern(inner),
            PatternKind::Nothing | PatternKind::Name(_) => {}
        }
    }

    /// A player whom no line of `end` lets win. The lines that options switch off count.
    fn check_winners(&mut self) {
        let project = self.project;
        let Some((lines, span)) = project.items().find_map(|item| match &item.kind {
            ItemKind::End(lines) => Some((lines, item.span)),
            _ => None,
        }) else {
            return;
        };
        // Where players leave, the last one wins.
        if span.source != project.main || self.rules.players.len() < 2 || self.rules.left.is_some() {
            return;
        }
        let many = self.rules.players.len();
        let loses = |line: &ast::OutcomeLine| match &line.result {
            ResultOf::Player { wins, .. } | ResultOf::AnyPlayer { wins, .. } => !wins,
            ResultOf::Draw | ResultOf::BestScore | ResultOf::LowestScore | ResultOf::Ranks(_) => false,
        };
        if many > 2
            && lines.iter().any(loses)
            && lines.iter().all(|line| loses(line) || matches!(line.result, ResultOf::Draw))
        {
            self.report(
                Diagnostic::new(Code::NeverWins, Span { end: span.start + 3, ..span }, format!("nobody can win alone among {many} players"))
                    .label("each line says only who loses")
                    .help("who loses comes last, and all others share the first place; say who wins, `P wins when ...`, or who comes where, `ranks by ...`, or let the others go on: `P leaves when ...` in a move"),
            );
            return;
        }
        let stuck = |line: &ast::OutcomeLine| {
            line.guard
                .as_ref()
                .is_none_or(|guard| matches!(&guard.kind, ast::ExprKind::Name(name) if name == Id::Stuck.name()))
        };
        // Who cannot move loses where nothing else is said.
        if !lines.iter().any(stuck) {
            return;
        }
        let mut winners: BTreeSet<&str> = BTreeSet::new();
        for line in lines {
            match &line.result {
                ResultOf::Draw => {}
                ResultOf::Player { player, wins } => match &player.kind {
                    ast::ExprKind::Name(name) if self.players.contains_key(name) => {
                        let players = self.players.keys().map(String::as_str);
                        winners.extend(players.filter(|player| (*player == name) == *wins));
                    }
                    _ => return,
                },
                _ => return,
            }
        }
        // With a draw as the only end nobody was meant to win.
        if winners.is_empty() {
            return;
        }
        let names: Vec<String> = self.rules.players.iter().map(|player| player.name.clone()).collect();
        let losers: Vec<String> = names.into_iter().filter(|name| !winners.contains(name.as_str())).collect();
        for name in losers {
            let head = Span { end: span.start + 3, ..span };
            self.report(
                Diagnostic::new(Code::NeverWins, head, format!("{name} can never win"))
                    .label(format!("no line lets {name} win"))
                    .help(format!("write `{name} wins when ...`, or `mover wins when ...` for whoever has moved")),
            );
        }
    }

    /// Conditions that exclude one another, and counts that no board of this kind allows.
    fn check_conditions(&mut self) {
        let mut groups: Vec<(Vec<Expr>, usize)> = Vec::new();
        for node in self.rules.graph.node_weights() {
            match &node.kind {
                NodeKind::Choose { conditions, guard, .. } => {
                    groups.extend(guard.iter().map(|guard| (vec![guard.clone()], 0)));
                    groups.push((conditions.clone(), 0));
                }
                NodeKind::Require { condition, .. } | NodeKind::Guard { condition, holds: true } => {
                    groups.push((vec![condition.clone()], 0));
                }
                NodeKind::Call(call) => groups.push((call.with.clone(), 0)),
                _ => {}
            }
        }
        groups.extend(self.rules.endings.iter().filter_map(|ending| Some((vec![ending.condition.clone()?], 0))));
        // What a word is given may be a set of many sites.
        groups.extend(self.rules.words.iter().map(|word| (vec![word.body.clone()], word.params.len())));
        for (conditions, params) in groups {
            self.check_together(&conditions, params);
        }
    }

    /// Conditions that must hold at the same time, and those within each of them.
    fn check_together(&mut self, conditions: &[Expr], params: usize) {
        let mut flat: Vec<&Expr> = Vec::new();
        let mut waiting: Vec<&Expr> = conditions.iter().rev().collect();
        while let Some(condition) = waiting.pop() {
            if let ExprKind::And(parts) = &condition.kind {
                waiting.extend(parts.iter().rev());
            } else {
                flat.push(condition);
            }
        }
        let mut ranges: BTreeMap<String, (i64, i64, Span)> = BTreeMap::new();
        let mut facts: BTreeMap<String, (bool, Span)> = BTreeMap::new();
        for condition in &flat {
            let here = condition.span.source == self.project.main;
            if let Some((subject, low, high)) = self.range(condition) {
                let (least, most) = self.bounds(subject, params);
                let text = self.text(subject.span);
                let known = ranges.get(&text).copied().unwrap_or((i64::MIN, i64::MAX, subject.span));
                if here && (high < least || low > most) {
                    let label = if high < least {
                        format!("it is never below {least}")
                    } else {
                        format!("it is at most {most} on this board")
                    };
                    self.report(
                        Diagnostic::new(Code::NeverTrue, condition.span, "this is never true")
                            .label(label)
                            .help("compare with a number that can be reached, or take the condition out"),
                    );
                } else if here && (high < known.0 || low > known.1) {
                    self.contradiction(condition.span, known.2);
                }
                ranges.insert(text, (known.0.max(low), known.1.min(high), condition.span));
            } else if let Some((text, holds)) = self.fact(condition) {
                match facts.get(&text) {
                    Some((other, span)) if *other != holds && here => {
                        let span = *span;
                        self.contradiction(condition.span, span);
                    }
                    _ => {
                        facts.insert(text, (holds, condition.span));
                    }
                }
            }
        }
        let inner: Vec<Expr> = flat.iter().flat_map(|condition| condition.children()).cloned().collect();
        for expr in inner {
            self.check_together(std::slice::from_ref(&expr), params);
        }
    }

    fn contradiction(&mut self, span: Span, other: Span) {
        self.report(
            Diagnostic::new(Code::NeverTrue, span, "this is never true together with another condition")
                .label("never when the other holds")
                .also(other, "this must hold at the same time")
                .help("write `or` where one of them is enough, or take one out"),
        );
    }

    fn text(&self, span: Span) -> String {
        self.project.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// `E < 4` with a number as written, not one that an option gave: E and what the comparison leaves of it.
    fn range<'e>(&self, condition: &'e Expr) -> Option<(&'e Expr, i64, i64)> {
        let ExprKind::Compare { first, rest } = &condition.kind else { return None };
        let [(op, right)] = rest.as_slice() else { return None };
        let number: i64 = self.text(right.span).parse().ok()?;
        if first.as_constant().is_some() {
            return None;
        }
        let (low, high) = match op {
            CompareOp::Equal => (number, number),
            CompareOp::Less => (i64::MIN, number - 1),
            CompareOp::LessEqual => (i64::MIN, number),
            CompareOp::Greater => (number + 1, i64::MAX),
            CompareOp::GreaterEqual => (number, i64::MAX),
            CompareOp::NotEqual => return None,
        };
        Some((first, low, high))
    }

    /// A condition as a sentence that holds or does not.
    fn fact(&self, condition: &Expr) -> Option<(String, bool)> {
        let side = |expr: &Expr| self.text(expr.span);
        match &condition.kind {
            ExprKind::Not(inner) => self.fact(inner).map(|(text, holds)| (text, !holds)),
            ExprKind::In { left, not, right } => Some((format!("{} in {}", side(left), side(right)), !not)),
            ExprKind::Any(inner) => Some((format!("any {}", side(inner)), true)),
            ExprKind::None(inner) => Some((format!("any {}", side(inner)), false)),
            _ => None,
        }
    }

    /// What a number can be at least and at most.
    fn bounds(&self, expr: &Expr, params: usize) -> (i64, i64) {
        match &expr.kind {
            ExprKind::Count(set) => (0, self.most(set, params)),
            _ => (i64::MIN, i64::MAX),
        }
    }

    /// At most how many members a set has, whatever the size of the board.
    fn most(&self, set: &Expr, params: usize) -> i64 {
        let many = i64::MAX;
        match &set.kind {
            ExprKind::Intersection(parts) => parts.iter().map(|part| self.most(part, params)).min().unwrap_or(many),
            ExprKind::The(_) => 1,
            ExprKind::Local(_) if params == 0 && self.is_picked(&self.text(set.span)) => 1,
            ExprKind::Constant(Value::Sites(sites)) if !self.size_varies() => sites.len() as i64,
            ExprKind::Primitive(word, args) if word.id == Id::NextTo && !self.board_varies() => {
                let one = args.first().is_some_and(|arg| self.most(arg, params) == 1);
                let degree = self.rules.board.all().iter().map(|site| self.rules.board.neighbours(site).len()).max();
                if one { degree.map_or(many, |degree| degree as i64) } else { self.sites(set) }
            }
            _ => self.sites(set),
        }
    }

    /// At most how many sites a set has whatever it asks for, if it is one of sites.
    fn sites(&self, set: &Expr) -> i64 {
        let is_word = |id: &WordId| self.rules.words.get(id.0).is_some_and(|word| word.result == Type::Sites);
        let is_sites = matches!(&set.kind, ExprKind::OfPlayers(_) | ExprKind::OfKinds(_))
            || matches!(&set.kind, ExprKind::Primitive(word, _) if word.result == Type::Sites)
            || matches!(&set.kind, ExprKind::Word(id, _) if is_word(id));
        if !is_sites || self.size_varies() {
            return i64::MAX;
        }
        // What the board alone decides is counted.
        let board = Settled::by_board(&self.rules);
        let single = matches!(&set.kind, ExprKind::Primitive(_, args) if args.is_empty());
        match single.then(|| board.value(set, &mut Vec::new())).flatten() {
            Some(Value::Sites(sites)) => sites.len() as i64,
            _ => self.rules.board.len() as i64,
        }
    }

    /// Whether a name stands for a part, of which one site is picked, and nowhere for a definition.
    fn is_picked(&self, name: &str) -> bool {
        let mut named = self.rules.moves.iter().flat_map(|mv| &mv.names).filter(|named| named.name == name).peekable();
        named.peek().is_some() && named.all(|named| named.part)
    }

    /// Whether an option picks the shape of the board.
    pub(super) fn board_varies(&self) -> bool {
        self.project.items().any(
            |item| matches!(&item.kind, ItemKind::Board(board) if matches!(board.kind, ast::BoardKind::Case { .. })),
        )
    }

    /// Whether an option picks how many sites the board has.
    fn size_varies(&self) -> bool {
        self.project.items().any(|item| {
            let text = self.project.sources.slice(item.span);
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            matches!(&item.kind, ItemKind::Board(_)) && words.any(|word| self.options.contains_key(word))
        })
    }
}
