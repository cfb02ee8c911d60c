//! Expressions that the board alone decides, evaluated before there is anything to play.

use super::Checker;
use crate::board::SiteSet;
use crate::rules::catalogue::Reads;
use crate::rules::*;

impl Checker<'_> {
    /// The value of an expression on the empty board; none if it is about pieces, players or the game.
    pub(super) fn fixed(&self, expr: &Expr, frame: &mut Vec<Value>) -> Option<Value> {
        let sites = |expr: &Expr, frame: &mut Vec<Value>| match self.fixed(expr, frame)? {
            Value::Sites(sites) => Some(sites),
            _ => None,
        };
        let condition = |expr: &Expr, frame: &mut Vec<Value>| match self.fixed(expr, frame)? {
            Value::Condition(condition) => Some(condition == Some(true)),
            _ => None,
        };
        Some(match &expr.kind {
            ExprKind::Constant(value) => value.clone(),
            ExprKind::Local(local) => frame.get(local.0)?.clone(),
            ExprKind::Primitive(primitive, args) => {
                if primitive.reads != Reads::Board {
                    return None;
                }
                let values = args.iter().map(|arg| self.fixed(arg, frame)).collect::<Option<Vec<_>>>()?;
                primitive.settled(&self.rules.board, &self.rules.players, &values)?
            }
            ExprKind::Word(word, args) => {
                let mut inner = args.iter().map(|arg| self.fixed(arg, frame)).collect::<Option<Vec<_>>>()?;
                self.fixed(&self.rules.words.get(word.0)?.body, &mut inner)?
            }
            ExprKind::Adjective { word, holds } => {
                let body = &self.rules.words.get(word.0)?.body;
                let mut found = SiteSet::EMPTY;
                for site in self.rules.board.all().iter() {
                    let Value::Condition(condition) =
                        self.fixed(body, &mut vec![Value::Sites(SiteSet::single(site))])?
                    else {
                        return None;
                    };
                    if condition == Some(*holds) {
                        found.insert(site);
                    }
                }
                Value::Sites(found)
            }
            ExprKind::Not(inner) => Value::Condition(self.fixed(inner, frame)?.condition().map(|holds| !holds)),
            ExprKind::And(parts) | ExprKind::Or(parts) => {
                let and = matches!(expr.kind, ExprKind::And(_));
                let all = parts.iter().map(|part| condition(part, frame)).collect::<Option<Vec<_>>>()?;
                Value::Condition(Some(if and { all.iter().all(|part| *part) } else { all.contains(&true) }))
            }
            ExprKind::Complement(inner) => Value::Sites(self.rules.board.all() - sites(inner, frame)?),
            ExprKind::Intersection(parts) => {
                let all = self.rules.board.all();
                Value::Sites(parts.iter().try_fold(all, |set, part| Some(set & sites(part, frame)?))?)
            }
            ExprKind::Union(parts) => match self.fixed(parts.first()?, frame)? {
                Value::Directions(_) => {
                    let mut set = crate::board::Directions::EMPTY;
                    for part in parts {
                        set |= self.fixed(part, frame)?.directions();
                    }
                    Value::Directions(set)
                }
                _ => Value::Sites(parts.iter().try_fold(SiteSet::EMPTY, |set, part| Some(set | sites(part, frame)?))?),
            },
            ExprKind::Compare { first, rest } => {
                let mut left = self.fixed(first, frame)?.number()?;
                let mut holds = true;
                for (op, right) in rest {
                    let right = self.fixed(right, frame)?.number()?;
                    holds &= op.holds(left, right);
                    left = right;
                }
                Value::Condition(Some(holds))
            }
            ExprKind::In { left, not, right } => {
                let (left, right) = (sites(left, frame)?, sites(right, frame)?);
                Value::Condition((!left.is_empty()).then(|| left.is_subset(right) != *not))
            }
            ExprKind::Arithmetic(op, left, right) => {
                let (left, right) = (self.fixed(left, frame)?, self.fixed(right, frame)?);
                Value::Number(left.number().zip(right.number()).and_then(|(a, b)| op.apply(a, b)))
            }
            ExprKind::Range(left, right) => {
                let (left, right) = (self.fixed(left, frame)?, self.fixed(right, frame)?);
                Value::Range(left.number().zip(right.number()))
            }
            ExprKind::Negative(inner) => Value::Number(self.fixed(inner, frame)?.number().and_then(i64::checked_neg)),
            ExprKind::Any(inner) => Value::Condition(Some(!self.fixed(inner, frame)?.is_empty_set())),
            ExprKind::None(inner) => Value::Condition(Some(self.fixed(inner, frame)?.is_empty_set())),
            ExprKind::Count(inner) => Value::Number(Some(self.fixed(inner, frame)?.count())),
            ExprKind::The(inner) => {
                let set = sites(inner, frame)?;
                Value::Sites(if set.len() == 1 { set } else { SiteSet::EMPTY })
            }
            ExprKind::If { condition: asked, then, otherwise } => {
                let branch = if condition(asked, frame)? { then } else { otherwise };
                self.fixed(branch, frame)?
            }
            ExprKind::Some { local, domain, condition: asked, none } => {
                let mut found = false;
                for member in self.fixed(domain, frame)?.members() {
                    bind(frame, *local, member);
                    found |= condition(asked, frame)?;
                }
                Value::Condition(Some(found != *none))
            }
            ExprKind::SetOf { local, domain, condition: asked } => {
                let mut found = SiteSet::EMPTY;
                for site in sites(domain, frame)?.iter() {
                    bind(frame, *local, Value::Sites(SiteSet::single(site)));
                    if asked.as_ref().map_or(Some(true), |asked| condition(asked, frame))? {
                        found.insert(site);
                    }
                }
                Value::Sites(found)
            }
            ExprKind::Each { body, local, domain, condition: asked, result: Type::Sites } => {
                let mut found = SiteSet::EMPTY;
                for member in self.fixed(domain, frame)?.members() {
                    bind(frame, *local, member);
                    if asked.as_ref().map_or(Some(true), |asked| condition(asked, frame))? {
                        found |= sites(body, frame)?;
                    }
                }
                Value::Sites(found)
            }
            _ => return None,
        })
    }
}

fn bind(frame: &mut Vec<Value>, local: Local, value: Value) {
    if frame.len() <= local.0 {
        frame.resize(local.0 + 1, Value::Condition(None));
    }
    if let Some(place) = frame.get_mut(local.0) {
        *place = value;
    }
}
