//! Families: `word lines(n, ways) = [ E for d in ways for x in site ]` are sets that are gone through one by one. They are
//! written out as what they range over, so that nothing behind the checker knows of them.

use super::infer::{no_value, truth};
use super::joined::join_conditions;
use super::{Bound, Checker, Ty, WordState};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, ExprKind as Ast, Quantifier};
use std::rc::Rc;

/// A word that gives several sets. What it ranges over, and its members, are words of what was given and of the names before.
#[derive(Debug)]
pub(super) struct Family {
    params: Vec<Type>,
    rounds: Vec<WordsOfRound>,
    member: WordId,
    result: Type,
}

impl Family {
    /// Whether its members are what a word gives.
    pub(super) fn has_members(&self, word: WordId) -> bool {
        self.member == word
    }
}

#[derive(Debug)]
struct WordsOfRound {
    domain: WordId,
    condition: Option<WordId>,
}

/// What one name ranges over.
#[derive(Debug)]
pub(super) struct Round {
    local: Local,
    element: Type,
    domain: Expr,
    condition: Option<Expr>,
}

/// A family as it is written, its names being the first of the frame, behind those of what is given.
pub(super) struct Written {
    rounds: Vec<Round>,
    member: Expr,
    result: Type,
}

impl Checker<'_> {
    /// Binds the name of a member, and says what is gone through for it: the members of a set, or those of a family.
    pub(super) fn rounds(&mut self, name: &ast::Name, domain: &ast::Expr) -> Vec<Round> {
        let Some((family, mut given)) = self.family(domain) else {
            let (local, domain, ty) = self.binder(name, domain);
            let element = if ty == Type::Range { Type::Number } else { ty };
            return vec![Round { local, element, domain, condition: None }];
        };
        let span = domain.span;
        let word = |word: WordId, given: &[Expr]| Expr { kind: ExprKind::Word(word, given.to_vec()), span };
        let mut rounds = Vec::new();
        for round in &family.rounds {
            let domain = word(round.domain, &given);
            let local = Local(self.frame.next);
            self.frame.next += 1;
            given.push(Expr { kind: ExprKind::Local(local), span });
            let condition = round.condition.map(|condition| word(condition, &given));
            let element = match self.rules.words.get(round.domain.0).map(|word| word.result) {
                Some(Type::Range) => Type::Number,
                Some(ty) => ty,
                None => Type::Unknown,
            };
            rounds.push(Round { local, element, domain, condition });
        }
        let member = Some(word(family.member, &given));
        let ty = Ty::Known(family.result);
        self.note_binding(name.span, ty);
        let local = Local(self.frame.next);
        self.frame.bound.push(Bound { name: name.text.clone(), span: name.span, local, ty, member });
        rounds
    }

    /// The family that is named, with the values given to it.
    fn family(&mut self, domain: &ast::Expr) -> Option<(Rc<Family>, Vec<Expr>)> {
        let (name, args, at) = if let Ast::Call { name, args } = &domain.kind {
            (&name.text, args.as_slice(), name.span)
        } else if let Ast::Name(name) = &domain.kind {
            (name, &[][..], domain.span)
        } else {
            return None;
        };
        let family = self.family_called(name)?;
        self.note(at, super::uses::Meaning::Word);
        if args.len() != family.params.len() {
            let count = family.params.len();
            if matches!(domain.kind, Ast::Name(_)) {
                self.needs_values(name, count, at);
            } else {
                self.wrong_arity(name, count, count, args.len(), at, None);
            }
        }
        let mut given: Vec<Expr> = args.iter().zip(&family.params).map(|(arg, ty)| self.typed(arg, *ty)).collect();
        if name == "lines"
            && self.rules.words.get(family.member.0).is_some_and(|word| self.project.is_standard(word.span))
        {
            self.check_row_length(&given);
        }
        // What follows from values that are missing is not reported.
        let missing = family.params.iter().skip(given.len());
        given.extend(missing.map(|ty| Expr::constant(no_value(*ty), at)));
        Some((family, given))
    }

    fn family_called(&mut self, name: &str) -> Option<Rc<Family>> {
        if self.frame.bound.iter().any(|bound| bound.name == name) || !self.words.contains_key(name) {
            return None;
        }
        self.word_asked_for(name);
        match self.words.get(name) {
            Some(WordState::Family(family)) => Some(Rc::clone(family)),
            Some(WordState::Unchecked(_) | WordState::InProgress | WordState::Done(_) | WordState::Failed) | None => {
                None
            }
        }
    }

    /// `count { l in F with C }`, `any F` and the like; none where no family is asked about.
    pub(super) fn quantified_family(
        &mut self,
        quantifier: Quantifier,
        inner: &ast::Expr,
        span: Span,
    ) -> Option<(Expr, Ty)> {
        let one = ast::Name { text: "member".to_owned(), span: inner.span };
        let (name, domain, condition) = if let Ast::SetOf { name, domain, condition } = &inner.kind {
            (name, &**domain, condition.as_deref())
        } else {
            (&one, inner, None)
        };
        // Of numbers too it is asked one by one which of them fulfil a condition.
        let numbers = condition.is_some() && matches!(domain.kind, Ast::Binary(BinaryOp::Range, ..));
        let asked = match quantifier {
            Quantifier::Any | Quantifier::No | Quantifier::Count => quantifier,
            Quantifier::The | Quantifier::Every => return None,
        };
        if !numbers {
            let (Ast::Name(word) | Ast::Call { name: ast::Name { text: word, .. }, .. }) = &domain.kind else {
                return None;
            };
            self.family_called(word)?;
        }
        let rounds = self.rounds(name, domain);
        let condition = condition.map(|condition| self.typed(condition, Type::Condition));
        self.unbind();
        Some(if asked == Quantifier::Count {
            let one = Expr::constant(Value::Number(Some(1)), span);
            (reduced(Reduce::Sum, &rounds, condition, one, span), Ty::Known(Type::Number))
        } else {
            let condition = condition.unwrap_or_else(|| truth(true, span));
            (some(&rounds, condition, asked == Quantifier::No, span), Ty::Known(Type::Condition))
        })
    }

    /// Says that the sets of a family are not one set, where a word is one.
    pub(super) fn refuse_family(&mut self, name: &str, span: Span) {
        if !matches!(self.words.get(name), Some(WordState::Family(_))) {
            return;
        }
        let text = self.project.sources.phrase(span);
        let picked = if self.frame.in_move {
            "; to let a player pick a line, let its first site and its direction be parts, `x : site` and `d : directions`: on it lie `x or ahead_all(x, d, n - 1)`"
        } else {
            ""
        };
        self.report(
            Diagnostic::new(Code::WrongType, span, format!("`{name}` gives several sets, and here one is needed")).help(
                format!(
                    "go through them: `some l in {text} with ...`, `count {{ l in {text} with ... }}`; all of their sites are `{{ l for l in {text} }}`{picked}"
                ),
            ),
        );
    }

    /// Checks a family behind what is bound, which is what its word is given; none if its members are no sets.
    pub(super) fn written_family(&mut self, member: &ast::Expr, written: &[ast::Round]) -> Option<Written> {
        let mut rounds: Vec<Round> = Vec::new();
        let given = self.frame.bound.len();
        for round in written {
            // Each domain, and each condition, becomes a word of what is known before it: what these bind is not known behind.
            self.frame.next = given + rounds.len();
            let mut inner = self.rounds(&round.name, &round.domain);
            if let [only] = inner.as_mut_slice() {
                only.local = Local(given + rounds.len());
                self.frame.bound.iter_mut().rev().take(1).for_each(|bound| bound.local = only.local);
            }
            rounds.extend(inner);
            self.frame.next = given + rounds.len();
            let condition = round.condition.as_ref().map(|condition| self.typed(condition, Type::Condition));
            if let (Some(condition), Some(last)) = (condition, rounds.last_mut()) {
                let span = condition.span;
                last.condition =
                    Some(join_conditions(last.condition.take().into_iter().chain([condition]).collect(), false, span));
            }
        }
        self.frame.next = given + rounds.len();
        let (checked, ty) = self.infer(member);
        let result = self.settle(ty);
        if result.is_set() {
            return Some(Written { rounds, member: checked, result });
        }
        if result != Type::Unknown {
            let message = format!("a family has sets as members, and this is {}", result.describe());
            self.error(Code::WrongType, member.span, message, "name a set, as in `[ row(n) for n in 1 .. 8 ]`");
        }
        None
    }

    /// Makes words of a family that has been checked; none if they are nested too deeply.
    pub(super) fn family_word(
        &mut self,
        definition: &ast::Definition,
        given: Vec<Ty>,
        written: Written,
        live: bool,
    ) -> Option<Family> {
        let params: Vec<Type> = given.into_iter().map(|ty| self.settle(ty)).collect();
        let Written { rounds, member, result } = written;
        let mut known = params.clone();
        let mut words = Vec::new();
        for round in rounds {
            let set = if round.element == Type::Number { Type::Range } else { round.element };
            let span = round.domain.span;
            let domain = self.part_of_family(definition, &known, set, round.domain, span, live)?;
            known.push(round.element);
            let condition = match round.condition {
                Some(condition) => {
                    let span = condition.span;
                    Some(self.part_of_family(definition, &known, Type::Condition, condition, span, live)?)
                }
                None => None,
            };
            words.push(WordsOfRound { domain, condition });
        }
        let member = self.part_of_family(definition, &known, result, member, definition.name.span, live)?;
        Some(Family { params, rounds: words, member, result })
    }

    fn part_of_family(
        &mut self,
        definition: &ast::Definition,
        params: &[Type],
        result: Type,
        body: Expr,
        span: Span,
        live: bool,
    ) -> Option<WordId> {
        if result == Type::Unknown || !self.is_shallow(&body) {
            return None;
        }
        let name = definition.name.text.clone();
        self.measure_word(&name, params, &body, live);
        self.note_members_of(&body, vec![false; params.len()]);
        self.rules.words.push(Word { name, params: params.to_vec(), result, body, region: false, span });
        Some(WordId(self.rules.words.len() - 1))
    }
}

/// A condition beside that of a round.
fn with(round: &Round, condition: Option<Expr>) -> Option<Expr> {
    let parts: Vec<Expr> = round.condition.iter().cloned().chain(condition).collect();
    let span = parts.first()?.span;
    Some(join_conditions(parts, false, span))
}

/// Whether a condition holds of some member, or of none.
pub(super) fn some(rounds: &[Round], condition: Expr, none: bool, span: Span) -> Expr {
    rounds.iter().enumerate().rev().fold(condition, |inner, (at, round)| {
        let condition = with(round, Some(inner)).unwrap_or_else(|| truth(true, span));
        let (domain, condition) = (Box::new(round.domain.clone()), Box::new(condition));
        Expr { kind: ExprKind::Some { local: round.local, domain, condition, none: none && at == 0 }, span }
    })
}

/// What a set is for all members, joined.
pub(super) fn each(rounds: &[Round], condition: Option<Expr>, body: Expr, result: Type, span: Span) -> Expr {
    let last = rounds.len().saturating_sub(1);
    rounds.iter().enumerate().rev().fold(body, |inner, (at, round)| {
        let condition = with(round, condition.clone().filter(|_| at == last)).map(Box::new);
        let (body, domain) = (Box::new(inner), Box::new(round.domain.clone()));
        Expr { kind: ExprKind::Each { body, local: round.local, domain, condition, result }, span }
    })
}

/// What numbers of all members come to.
pub(super) fn reduced(reduce: Reduce, rounds: &[Round], condition: Option<Expr>, body: Expr, span: Span) -> Expr {
    let last = rounds.len().saturating_sub(1);
    rounds.iter().enumerate().rev().fold(body, |inner, (at, round)| {
        let here = match reduce {
            _ if at == last => condition.clone(),
            Reduce::Sum => None,
            // Of nothing there is no least and no most, so what is behind must have members.
            Reduce::Least | Reduce::Most => {
                let behind = condition.clone().unwrap_or_else(|| truth(true, span));
                Some(some(rounds.get(at + 1..).unwrap_or_default(), behind, false, span))
            }
        };
        let condition = with(round, here).map(Box::new);
        let (body, domain) = (Box::new(inner), Box::new(round.domain.clone()));
        Expr { kind: ExprKind::Reduce { reduce, body, local: round.local, domain, condition }, span }
    })
}
