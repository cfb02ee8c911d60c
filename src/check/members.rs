//! How many members a set may have: what becomes of a word about one site that is given several, and of `not` where there
//! is none.

use super::infer::Typed;
use super::moves::names_in;
use super::{Checker, WordState};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::{Id, Members, Must, Primitive};
use crate::rules::*;
use crate::source::{Sources, Span};
use crate::syntax::ast::{self, Quantifier};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a word by whoever gives it a value.
#[derive(Clone, Default)]
pub(super) struct WordMembers {
    /// The parameters of which it needs one member.
    ones: Vec<bool>,
    /// Whether it may give several members, or none, for single ones.
    several: bool,
    none: bool,
}

/// The types of parameters that say one member; elsewhere singular and plural mean the same.
const ONE: [&str; 4] = ["site", "direction", "player", "kind"];

/// A set as it can be written within a phrase: a row of words in brackets.
fn in_brackets(sources: &Sources, set: Span) -> String {
    let text = sources.phrase(set);
    if text.contains(' ') && !text.ends_with(')') { format!("({text})") } else { text }
}

impl Checker<'_> {
    /// Notes what is known of a word that has been checked, in the order of the words.
    pub(super) fn note_members(&mut self, definition: &ast::Definition, body: &Expr, mut ones: Vec<bool>) {
        if self.project.is_standard(definition.name.span) {
            let said = |param: &ast::Param| param.kind.as_ref().is_some_and(|kind| ONE.contains(&kind.text.as_str()));
            for (one, param) in ones.iter_mut().zip(&definition.params) {
                *one |= said(param);
            }
        }
        self.note_members_of(body, ones);
    }

    /// The same of a word that no file defines by itself.
    pub(super) fn note_members_of(&mut self, body: &Expr, ones: Vec<bool>) {
        let known = WordMembers { ones, several: self.may_be_several(body), none: self.may_be_none(body) };
        self.word_members.push(known);
    }

    /// A word with its values. One that asks about single sites, players or directions is asked about each, where it gives a
    /// set, and its answers are joined; a number of several has no value, which is said.
    pub(super) fn asked_of_each(&mut self, (asked, ty): Typed) -> Typed {
        let result = self.resolved(ty).unwrap_or(Type::Unknown);
        let (args, ones, joins) = match &asked.kind {
            ExprKind::Primitive(primitive, args) => {
                (args, primitive.params.iter().map(|param| param.must == Must::BeOne).collect(), true)
            }
            ExprKind::Word(word, args) => {
                let standard = self.rules.words.get(word.0).is_some_and(|word| self.project.is_standard(word.span));
                (args, self.word_members.get(word.0).map(|word| word.ones.clone()).unwrap_or_default(), standard)
            }
            _ => return (asked, ty),
        };
        let mut several = Vec::new();
        for (at, arg) in args.iter().enumerate().filter(|(at, _)| ones.get(*at) == Some(&true)) {
            let param = if let ExprKind::Local(local) = arg.kind { self.frame.ones.get_mut(local.0) } else { None };
            if let Some(one) = param {
                *one = true;
            } else if self.may_be_several(arg) {
                several.push((at, arg.span));
            }
        }
        if joins && result.is_set() {
            let each = |(whole, ty): Typed, (at, _)| (self.joined_over(whole, at, result), ty);
            return several.into_iter().fold((asked, ty), each);
        }
        if let Some((_, span)) = several.first() {
            self.several(&asked, *span, result);
        }
        (asked, ty)
    }

    /// `{ W(y) for y in S }` for `W(S)`, S being the value at a place.
    fn joined_over(&mut self, whole: Expr, at: usize, result: Type) -> Expr {
        let span = whole.span;
        let local = Local(self.frame.next);
        self.frame.next += 1;
        let Some((body, domain)) = with_local(whole.clone(), at, local) else { return whole };
        let kind = ExprKind::Each { body: Box::new(body), local, domain: Box::new(domain), condition: None, result };
        Expr { kind, span }
    }

    /// A name for a member that the text does not hold.
    fn free_name(text: &str) -> &'static str {
        let held = |name: &str| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name);
        ["y", "z", "w", "v", "u"].into_iter().find(|name| !held(name)).unwrap_or("each_one")
    }

    fn several(&mut self, asked: &Expr, arg: Span, result: Type) {
        // What the prelude asks of its own words is no mistake of the author.
        if !self.live || arg.source != self.project.main {
            return;
        }
        let text = |span| self.project.sources.phrase(span);
        let (set, whole) = (text(arg), text(asked.span));
        let name = whole.split('(').next().unwrap_or_default().to_owned();
        let member = Self::free_name(&whole);
        let each = whole.replacen(&set, member, 1);
        let joined = match result {
            Type::Number => format!("least {{ {each} for {member} in {set} }}"),
            Type::Condition => format!("some {member} in {set} with {each}"),
            _ => format!("{{ {each} for {member} in {set} }}"),
        };
        let mut diagnostic =
            Diagnostic::new(Code::Several, arg, format!("`{name}` asks about one, and this may be several"))
                .label("of several there is no value");
        diagnostic = match result {
            Type::Piece => diagnostic.help("if there is only ever one, say so: write `the` before it"),
            _ => diagnostic
                .help(format!(
                    "if there is only ever one, say so: write `the` before it; to look at all of them write `{joined}`"
                ))
                .guess("ask about each of them", asked.span, joined),
        };
        self.report(diagnostic.guess("say that there is one", arg, format!("the {set}")));
    }

    /// Warns where it is asked whether all of several sites lie in a member of a family: mostly it is the member of which all
    /// should be such, as in `every l is own`.
    pub(super) fn check_member(&mut self, left: &Expr, not: bool, right: &Expr, ty: Type) {
        let written = left.span.source == self.project.main && right.span.source == self.project.main;
        let turned = self.is_of_family(right) && !self.is_of_family(left) && self.may_be_several(left);
        if ty != Type::Sites || not || !self.live || !written || !turned {
            return;
        }
        let sources = &self.project.sources;
        let (a, b) = (in_brackets(sources, left.span), in_brackets(sources, right.span));
        let told = Diagnostic::new(Code::Several, left.span, format!("this asks whether all of `{a}` lie in `{b}`"))
            .label("every one of these has to lie in it")
            .help(format!("whether all of `{b}` are such is asked by `every {b} is {a}`; if it is meant as it stands, write `every {a} in {b}`"));
        self.report(told);
    }

    /// Whether something is a member of a family: a set like any other.
    fn is_of_family(&self, expr: &Expr) -> bool {
        let ExprKind::Word(word, _) = &expr.kind else { return false };
        self.words.values().any(|state| matches!(state, WordState::Family(family) if family.has_members(*word)))
    }

    /// Warns where what is tracked for each site, player or the like is changed for several together.
    pub(super) fn check_places(&mut self, name: &str, target: Span, index: &Expr) {
        // What the author has given a name, in a move or as a word of something, is mostly the one that it is about.
        let named = matches!(index.kind, ExprKind::Local(_))
            || matches!(&index.kind, ExprKind::Word(word, args) if !args.is_empty()
                && self.rules.words.get(word.0).is_some_and(|word| !self.project.is_standard(word.span)));
        if named || !self.live || index.span.source != self.project.main || !self.may_be_several(index) {
            return;
        }
        let (set, whole) = (self.project.sources.phrase(index.span), self.project.sources.phrase(target));
        let member = Self::free_name(&whole);
        self.report(
            Diagnostic::new(Code::Several, index.span, format!("`{name}` is changed for one, and this may be several"))
                .label("of several there is no value, and the move would be illegal")
                .help(format!(
                    "to change it for all of them write `every {member} in {set}: {name}({member}) becomes ...`; if there is only ever one, write `the` before it"
                )),
        );
    }

    /// Warns where the score adds up what has no value when there is nothing to look at: the whole has none then.
    pub(super) fn check_score_value(&mut self, score: &Expr) {
        fn most<'e>(expr: &'e Expr, within: bool, rules: &'e Rules, found: &mut Vec<&'e Expr>) {
            if let ExprKind::Reduce { reduce: Reduce::Most | Reduce::Least, .. } = &expr.kind
                && within
            {
                found.push(expr);
            }
            if let ExprKind::Word(word, _) = &expr.kind
                && let Some(word) = rules.words.get(word.0)
            {
                most(&word.body, within, rules, found);
            }
            // What depends on a condition may be there whenever that is true.
            if matches!(expr.kind, ExprKind::If { .. }) {
                return;
            }
            let within = within || matches!(expr.kind, ExprKind::Arithmetic(..));
            expr.children().into_iter().for_each(|part| most(part, within, rules, found));
        }
        let mut found = Vec::new();
        most(score, false, &self.rules, &mut found);
        let none = |reduced: &&Expr| matches!(&reduced.kind, ExprKind::Reduce { domain, condition, .. } if condition.is_some() || self.may_be_none(domain));
        let spans: Vec<Span> = found.into_iter().filter(none).map(|reduced| reduced.span).collect();
        for span in spans.into_iter().filter(|span| span.source == self.project.main) {
            let text = self.project.sources.phrase(span);
            self.report(
                Diagnostic::new(Code::NoValue, span, "where there is nothing to look at this has no value, and neither has the score, which counts as 0 then")
                    .label("and what is added to it is lost")
                    .help(format!("say what it is then: `if no S then 0 else {text}`, S being what it goes through")),
            );
        }
    }

    /// Warns where a player is asked about as if pieces were meant: there is always one of him.
    pub(super) fn check_one_player(&mut self, quantifier: Quantifier, asked: &Expr, whole: Span) {
        let is_named = asked.as_constant().is_some_and(|value| value.players().iter().count() == 1);
        let is_one = is_named || matches!(&asked.kind, ExprKind::Primitive(word, _) if word.members == Members::One);
        if !is_one || !self.live || whole.source != self.project.main {
            return;
        }
        let text = self.project.sources.phrase(asked.span);
        let (word, always) = match quantifier {
            Quantifier::Count => ("count", "1"),
            Quantifier::Any => ("any", "true"),
            Quantifier::No => ("no", "false"),
            Quantifier::The | Quantifier::Every => return,
        };
        let written = format!("{word} (of {text})");
        self.report(
            Diagnostic::new(Code::Lone, whole, format!("`{text}` is one player, so that this is always {always}"))
                .label(format!("always {always}"))
                .help(format!("the pieces of the player are `of {text}`: `{written}`"))
                .guess(format!("write `{written}`"), whole, written),
        );
    }

    /// Warns where something is counted of which there always is one.
    pub(super) fn check_counted(&mut self, counted: &Expr, ty: Type, whole: Span) {
        let ExprKind::Local(local) = counted.kind else { return };
        let written_here = whole.start <= counted.span.start && counted.span.end <= whole.end;
        if !self.frame.singles.contains(&local) || !self.live || !written_here || whole.source != self.project.main {
            return;
        }
        let text = self.project.sources.phrase(counted.span);
        let found = Diagnostic::new(Code::Lone, whole, format!("`{text}` is a single one, so that this is always 1"))
            .label("always 1");
        self.report(if ty == Type::Sites {
            let group = format!("count group({text})");
            found
                .help(format!("`{group}` counts the sites of its group, `count (own next_to {text})` pieces beside it"))
                .guess("count its group", whole, group)
        } else {
            found.help("name the set that is meant")
        });
    }

    /// Warns where a part is picked from one member that the rules have chosen already.
    pub(super) fn check_picked(&mut self, name: &ast::Name, domain: &Expr) {
        let ExprKind::Primitive(word, args) = &domain.kind else { return };
        let ([set], Id::OneOf, true) = (args.as_slice(), word.id, self.live) else { return };
        if domain.span.source != self.project.main || set.span.source != self.project.main {
            return;
        }
        let text = self.project.sources.phrase(set.span);
        self.report(
            Diagnostic::new(Code::Lone, domain.span, format!("only one site can be picked as `{}`", name.text))
                .label("always the first of the set in the order of the board")
                .help(format!("to let the player pick any of them write `{text}`"))
                .guess("let the player pick", domain.span, text),
        );
    }

    /// Warns where sites are compared of which there may be several: `=` and `!=` ask about the only member of each side.
    pub(super) fn check_compared(&mut self, left: &Expr, differs: bool, right: &Expr, ty: Type) {
        let [several, others] = [left, right].map(|side| self.may_be_several(side));
        if ty != Type::Sites || !(several || others) || !self.live || left.span.source != self.project.main {
            return;
        }
        let sources = &self.project.sources;
        let (a, b) = (in_brackets(sources, left.span), in_brackets(sources, right.span));
        let (not, sign) = if differs { ("not ", "!=") } else { ("", "=") };
        let instead = match (several, others) {
            (true, true) => format!("{not}(every {a} in {b} and count {a} = count {b})"),
            (true, false) => format!("{not}({b} in {a})"),
            (false, _) => format!("{not}({a} in {b})"),
        };
        let asked = if several { left } else { right };
        let diagnostic = Diagnostic::new(
            Code::Several,
            asked.span,
            format!("`{sign}` compares single sites, and this may be several"),
        );
        let diagnostic = diagnostic
            .label("of several there is no value")
            .help(format!("write `{instead}`, or put `the` before it if there is only ever one"));
        self.report(diagnostic);
    }

    /// Whether a set can have more than one member, as far as its form tells.
    pub(super) fn may_be_several(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(value) => value.members().len() > 1,
            ExprKind::Local(local) => self.frame.several.contains(local),
            ExprKind::Primitive(primitive, args) => self.primitive_gives_several(primitive, args),
            ExprKind::Word(word, args) => {
                let known = self.word_members.get(word.0);
                known.is_none_or(|known| known.several) || args.iter().any(|arg| self.may_be_several(arg))
            }
            ExprKind::Memory { memory, .. } => self.remembers_several(*memory),
            ExprKind::Before(inner) => self.may_be_several(inner),
            ExprKind::Intersection(parts) => {
                parts.iter().all(|part| self.may_be_several(part)) && !self.is_lone_piece(parts)
            }
            ExprKind::Union(parts) => match parts.as_slice() {
                [] => false,
                [only] => self.may_be_several(only),
                [_, _, ..] => true,
            },
            ExprKind::If { then, otherwise, .. } => self.may_be_several(then) || self.may_be_several(otherwise),
            ExprKind::SetOf { domain, .. } => self.may_be_several(domain),
            ExprKind::Each { domain, body, .. } => self.may_be_several(domain) || self.may_be_several(body),
            ExprKind::The(_) => false,
            // What no arm knows better is as its row says: sets have members, all else is one.
            kind => kind.result().is_none_or(Type::is_set),
        }
    }

    /// `king of p`, `own king`: a kind of which each player has one from the start, and which no move puts on the board.
    fn is_lone_piece(&self, parts: &[Expr]) -> bool {
        let kind = |part: &Expr| {
            let ExprKind::OfKinds(kinds) = &part.kind else { return None };
            let Some(Value::Kinds(kinds)) = kinds.as_constant() else { return None };
            kinds.only()
        };
        let owned = |part: &Expr| {
            if let ExprKind::OfPlayers(players) = &part.kind {
                return !self.may_be_several(players);
            }
            let ExprKind::Word(word, _) = &part.kind else { return false };
            self.rules.words.get(word.0).is_some_and(|word| word.name == "own")
        };
        parts.iter().any(owned) && parts.iter().filter_map(kind).any(|kind| self.lone_kinds.contains(&kind))
    }

    /// Finds the kinds of which each player has at most one: drawn once for each at the start, and placed by no move.
    pub(super) fn find_lone_kinds(&mut self) {
        let project = self.project;
        let drawn = project.items().find_map(|item| {
            if let ast::ItemKind::Start(ast::Setup::Drawn(drawn)) = &item.kind { Some(drawn) } else { None }
        });
        // Of a kind in stacks more may come to light.
        let Some(drawn) = drawn.filter(|_| self.rules.stacks.is_none()) else { return };
        let mut counts: BTreeMap<Content, usize> = BTreeMap::new();
        for content in drawn.text.split_whitespace().filter_map(|mark| self.marked(mark)) {
            *counts.entry(content).or_default() += 1;
        }
        let placed = self.kinds_in_moves();
        for (name, kind) in &self.kinds {
            let once = |(content, count): (&Content, &usize)| content.kind() != Some(*kind) || *count == 1;
            if counts.iter().all(once) && !placed.contains(name) {
                self.lone_kinds.insert(*kind);
            }
        }
    }

    /// The names in what moves put on the board, and in the kinds that they pick from.
    fn kinds_in_moves(&self) -> BTreeSet<String> {
        let tracked = |name: &str| {
            let named = |item: &ast::Item| matches!(&item.kind, ast::ItemKind::Track(track) if track.name.text == name);
            self.project.items().any(named)
        };
        let mut found = Vec::new();
        let mut placed = |change: &ast::Change| match &change.kind {
            ast::ChangeKind::Becomes(piece) => {
                let (ast::ExprKind::Name(target) | ast::ExprKind::Call { name: ast::Name { text: target, .. }, .. }) =
                    &change.target.kind
                else {
                    return names_in(piece, &mut found);
                };
                if !tracked(target) {
                    names_in(piece, &mut found);
                }
            }
            ast::ChangeKind::Gets { pieces, .. } => pieces.iter().for_each(|piece| names_in(piece, &mut found)),
            ast::ChangeKind::MoveTo { piece, .. } => piece.iter().for_each(|piece| names_in(piece, &mut found)),
            ast::ChangeKind::Seats { .. }
            | ast::ChangeKind::Leaves { .. }
            | ast::ChangeKind::Do
            | ast::ChangeKind::Know(_) => {}
        };
        for line in self.move_items.iter().flat_map(|mv| &mv.lines) {
            if let ast::MoveLineKind::Change(change) = &line.kind {
                placed(change);
            } else if let ast::MoveLineKind::Repeat { changes, .. } = &line.kind {
                changes.iter().for_each(&mut placed);
            }
        }
        for line in self.move_items.iter().flat_map(|mv| &mv.lines) {
            let picked = self.project.sources.slice(line.span).split_once("kinds(");
            let names = picked.map_or("", |(_, rest)| rest.split(')').next().unwrap_or(""));
            found.extend(names.split(',').map(|name| name.trim().to_owned()));
        }
        found.into_iter().collect()
    }

    fn primitive_gives_several(&self, primitive: &Primitive, args: &[Expr]) -> bool {
        let any = args.iter().any(|arg| self.may_be_several(arg));
        if primitive.id == Id::OneOf {
            return false;
        }
        if primitive.members != Members::Any {
            return any;
        }
        let follows = [Id::Ahead, Id::Opposite, Id::Turned, Id::Owner, Id::Kind];
        if follows.contains(&primitive.id) {
            return any;
        }
        if primitive.id == Id::Other {
            return any || self.rules.players.len() > 2;
        }
        // Of the sites seen beyond a set only where it starts counts.
        if primitive.id == Id::Beyond {
            return args.iter().take(2).any(|arg| self.may_be_several(arg));
        }
        self.settled_members(primitive, args).is_none_or(|members| members > 1)
    }

    /// How many members a word gives that the board decides alone.
    fn settled_members(&self, primitive: &Primitive, args: &[Expr]) -> Option<usize> {
        let constants: Vec<Value> = args.iter().map(|arg| arg.as_constant().cloned()).collect::<Option<_>>()?;
        let value = primitive.settled(&self.rules.board, &self.rules.players, &constants)?;
        Some(value.members().len())
    }

    /// Values tracked as `sites`, `players` and the like, and the parts of moves that are remembered.
    fn remembers_several(&self, memory: MemoryId) -> bool {
        let parts = |chronicle: &Chronicle| match chronicle {
            Chronicle::Part { memory: of, .. } => *of == memory,
            Chronicle::Carry { to, .. } => *to == memory,
            Chronicle::Happened { .. }
            | Chronicle::LastTo { .. }
            | Chronicle::Without { .. }
            | Chronicle::It { .. } => false,
        };
        let declared = self.rules.memories.get(memory.0).is_some_and(|memory| memory.declared);
        if !declared {
            return self.rules.chronicles.iter().any(parts);
        }
        let name = |item: &&ast::TrackItem| self.tracks.get(&item.name.text) == Some(&memory);
        let tracked = self
            .project
            .items()
            .filter_map(|item| if let ast::ItemKind::Track(track) = &item.kind { Some(track) } else { None });
        tracked.filter(name).take(1).any(|track| match &track.values {
            ast::Values::List(values) => {
                values.first().is_some_and(|value| !ONE.contains(&value.kind.to_string().as_str()))
            }
            ast::Values::Range { .. } => false,
        })
    }

    /// Whether a set can have no member, as far as its form tells.
    pub(super) fn may_be_none(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(value) => value.is_empty_set(),
            ExprKind::Local(local) => self.frame.missing.contains(local),
            ExprKind::Primitive(primitive, args) => {
                let any = args.iter().any(|arg| self.may_be_none(arg));
                let follows = [Id::NextTo, Id::Opposite, Id::Turned, Id::Other, Id::Kinds];
                match primitive.members {
                    // A direction is asked for between sites in line.
                    Members::One | Members::AtMostOne => any,
                    Members::Any if follows.contains(&primitive.id) => any,
                    Members::Any => self.settled_members(primitive, args).is_none_or(|members| members == 0),
                }
            }
            ExprKind::Word(word, args) => {
                let known = self.word_members.get(word.0);
                known.is_none_or(|known| known.none) || args.iter().any(|arg| self.may_be_none(arg))
            }
            // Where the last piece went is asked where one has moved.
            ExprKind::Memory { memory, .. } => {
                let it = |chronicle: &Chronicle| matches!(chronicle, Chronicle::It { memory: it } if it == memory);
                !self.rules.chronicles.iter().any(it)
            }
            ExprKind::Before(inner) => self.may_be_none(inner),
            ExprKind::Union(parts) => parts.iter().all(|part| self.may_be_none(part)),
            ExprKind::If { then, otherwise, .. } => self.may_be_none(then) || self.may_be_none(otherwise),
            ExprKind::Each { domain, body, condition, .. } => {
                condition.is_some() || self.may_be_none(domain) || self.may_be_none(body)
            }
            kind => kind.result().is_none_or(Type::is_set),
        }
    }

    /// A part or definition that may stand for several members, or for none.
    pub(super) fn note_local(&mut self, local: Local, value: Option<&Expr>, guarded: bool) {
        if value.is_some_and(|value| self.may_be_several(value)) {
            self.frame.several.push(local);
        }
        if guarded || value.is_some_and(|value| self.may_be_none(value)) {
            self.frame.missing.push(local);
        }
    }

    /// `not (a in b and ...)` where there may be no `a`: then it has no value, and does not hold either.
    pub(super) fn check_under_not(&mut self, inner: &Expr) {
        let mut waiting = vec![inner];
        while let Some(expr) = waiting.pop() {
            if let ExprKind::And(parts) | ExprKind::Or(parts) = &expr.kind {
                waiting.extend(parts);
            } else if let ExprKind::Not(inner) = &expr.kind {
                waiting.push(inner);
            } else if let ExprKind::In { left, right, .. } = &expr.kind
                && !matches!(right.kind, ExprKind::Range(..) | ExprKind::Constant(Value::Range(_)))
                && self.may_be_none(left)
            {
                let (operand, whole) = (left.span, inner.span);
                self.no_value(operand, whole);
                return;
            } else if let ExprKind::Compare { first, rest } = &expr.kind {
                let others = rest.iter().map(|(_, side)| side);
                self.check_unset(std::iter::once(&**first).chain(others), inner.span, true);
            }
        }
    }

    fn no_value(&mut self, operand: Span, whole: Span) {
        if !self.live || operand.source != self.project.main {
            return;
        }
        let text = self.project.sources.phrase(operand);
        let asked = self.project.sources.phrase(whole);
        self.report(
            Diagnostic::new(Code::NoValue, operand, format!("where there is no `{text}`, this `not` does not hold either"))
                .label("this may be nothing")
                .also(whole, "then this has no value, and its negation has none")
                .help(format!(
                    "say what is meant then: `no ({text}) or not ({asked})` holds without it; or ask with `any` and `no`, which always have a value"
                )),
        );
    }
}

/// A word with a name in place of one of its values, and that value.
fn with_local(whole: Expr, at: usize, local: Local) -> Option<(Expr, Expr)> {
    let span = whole.span;
    let swap = |mut args: Vec<Expr>| {
        let slot = args.get_mut(at)?;
        let name = Expr { kind: ExprKind::Local(local), span: slot.span };
        let domain = std::mem::replace(slot, name);
        Some((args, domain))
    };
    if let ExprKind::Primitive(primitive, args) = whole.kind {
        let (args, domain) = swap(args)?;
        return Some((Expr { kind: ExprKind::Primitive(primitive, args), span }, domain));
    }
    if let ExprKind::Word(word, args) = whole.kind {
        let (args, domain) = swap(args)?;
        return Some((Expr { kind: ExprKind::Word(word, args), span }, domain));
    }
    let ExprKind::Each { body, local: outer, domain, condition, result } = whole.kind else { return None };
    let (body, inner) = with_local(*body, at, local)?;
    let kind = ExprKind::Each { body: Box::new(body), local: outer, domain, condition, result };
    Some((Expr { kind, span }, inner))
}
