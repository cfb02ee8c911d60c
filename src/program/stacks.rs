//! Stacks as two things for each site: the plane of the piece on top, which is that of the site, and a number with those of the
//! pieces beneath. A change of a stack is a piece put on a site and a number remembered for it.

use super::Stacks;
use super::build::*;
use super::ir::*;
use super::lower::{Env, Lowered, Lowering};
use super::narrow::count;
use super::values::Val;
use crate::rules::catalogue::{Id, Primitive};
use crate::rules::{ArithmeticOp, Change, ChangeKind, CompareOp, Content, End, Expr, Place, Slice, Type};
use std::sync::Arc;

/// Of no more players or kinds than this the pieces in a stack are counted one by one, where play tells which are meant.
const MOST_WANTED: usize = 8;

/// Pieces one on another: the plane of the top one, and the number with those beneath.
#[derive(Clone)]
struct Column {
    top: Int,
    beneath: Int,
    /// It has a piece for certain.
    full: bool,
}

impl Column {
    fn nothing() -> Self {
        Self { top: Int::Const(0), beneath: Int::Const(0), full: false }
    }

    /// A piece that may be none.
    fn piece(piece: Int) -> Self {
        let full = matches!(piece, Int::Const(plane) if plane > 0);
        Self { top: piece, beneath: Int::Const(0), full }
    }

    fn is_empty(&self) -> Test {
        if self.full { Test::Const(false) } else { equal(self.top.clone(), Int::Const(0)) }
    }

    /// The same with another piece on top, or nothing where that is none.
    fn with_top(self, piece: Int) -> Self {
        let none = Column::piece(piece.clone()).is_empty();
        let beneath = pick(none, Int::Const(0), self.beneath);
        Self { beneath, ..Column::piece(piece) }
    }
}

/// A column if something holds, else another.
fn either(test: Test, yes: Column, no: Column) -> Column {
    Column {
        top: pick(test.clone(), yes.top, no.top),
        full: match test {
            Test::Const(true) => yes.full,
            Test::Const(false) => no.full,
            _ => yes.full && no.full,
        },
        beneath: pick(test, yes.beneath, no.beneath),
    }
}

fn equal(a: Int, b: Int) -> Test {
    compare(CompareOp::Equal, a, b)
}

fn plus(a: Int, b: Int) -> Int {
    calculate(ArithmeticOp::Add, a, b)
}

fn less(a: Int, b: Int) -> Int {
    calculate(ArithmeticOp::Subtract, a, b)
}

impl Stacks {
    fn pieces(self, stack: Int) -> Int {
        match stack {
            Int::Const(0) => Int::Const(0),
            stack => Int::Pieces(self.bits, Box::new(stack)),
        }
    }

    fn upper(self, stack: Int, count: Int) -> Int {
        match (stack, count) {
            (Int::Const(0), Int::Const(0..)) | (_, Int::Const(0)) => Int::Const(0),
            (stack, count) => Int::Upper { bits: self.bits, stack: Box::new(stack), count: Box::new(count) },
        }
    }

    fn lower(self, stack: Int, count: Int) -> Int {
        match (stack, count) {
            (Int::Const(0), Int::Const(0..)) => Int::Const(0),
            (stack, Int::Const(0)) => stack,
            (stack, count) => Int::Lower { bits: self.bits, stack: Box::new(stack), count: Box::new(count) },
        }
    }

    fn pile(self, upper: Int, count: Int, lower: Int) -> Int {
        match (upper, count, lower) {
            (upper, Int::Const(_), Int::Const(0)) => upper,
            (Int::Const(0), Int::Const(0), lower) => lower,
            (upper, count, lower) => {
                let (upper, count, lower) = (Box::new(upper), Box::new(count), Box::new(lower));
                Int::Pile { bits: self.bits, most: self.most, upper, count, lower }
            }
        }
    }

    /// The piece so far down beneath the top one, counted from 0; plane 0 where there is none.
    fn piece(self, beneath: Int, at: Int) -> Int {
        self.upper(self.lower(beneath, at), Int::Const(1))
    }

    fn height(self, column: &Column) -> Int {
        let beneath = self.pieces(column.beneath.clone());
        pick(column.is_empty(), Int::Const(0), plus(beneath, Int::Const(1)))
    }

    /// All pieces of a column as one number; none where they are more than can lie beneath another.
    fn whole(self, column: Column) -> Int {
        self.pile(column.top, Int::Const(1), column.beneath)
    }

    /// A column on another. There is no value for more pieces than a site may hold.
    fn on(self, upper: Column, lower: Column) -> Column {
        let nothing = upper.is_empty();
        let count = self.pieces(upper.beneath.clone());
        let beneath = self.pile(upper.beneath, count, self.whole(lower.clone()));
        either(nothing, lower, Column { top: upper.top, beneath, full: upper.full })
    }

    /// As many equal pieces as a number says.
    fn same(self, piece: &Int, count: &Int) -> Column {
        let ones = |pieces: u16| (0..pieces).fold(0i64, |number, at| number | 1 << (at * self.bits));
        // Of none, of one, which has nothing beneath it, of two ...
        let rows: Vec<i64> = [0].into_iter().chain((0..=self.most).map(ones)).collect();
        let beneath = calculate(ArithmeticOp::Multiply, piece.clone(), table(Arc::from(rows), count.clone()));
        let some = Column { beneath, ..Column::piece(piece.clone()) };
        either(equal(count.clone(), Int::Const(0)), Column::nothing(), some)
    }

    /// The upper pieces of a column, so many, and the others.
    fn cut(self, column: &Column, count: &Int) -> (Column, Column) {
        let Column { top, beneath, .. } = column.clone();
        let none = equal(count.clone(), Int::Const(0));
        let before = less(count.clone(), Int::Const(1));
        let part = Column { top, beneath: self.upper(beneath.clone(), before.clone()), full: column.full };
        let rest = Column {
            top: self.piece(beneath.clone(), before),
            beneath: self.lower(beneath, count.clone()),
            full: false,
        };
        (either(none.clone(), Column::nothing(), part), either(none, column.clone(), rest))
    }

    /// What lies beneath the piece of a site becomes this.
    fn remember(self, site: Int, beneath: Int, guard: Test) -> Effect {
        let kept = matches!(&beneath, Int::CellAt { base, .. } if *base == self.base);
        let sure = kept || matches!(beneath, Int::Const(0..));
        let range = (!sure).then_some((0, i64::MAX));
        Effect::Set { base: self.base, count: self.count, index: Some(site), value: beneath, range, guard }
    }

    /// A site becomes a column.
    fn becomes(self, site: &Int, column: Column, guard: &Test) -> [Effect; 2] {
        [
            Effect::Put { target: one(site.clone()), piece: column.top, guard: guard.clone() },
            self.remember(site.clone(), column.beneath, guard.clone()),
        ]
    }

    /// Something goes from one site to another, which become these columns.
    fn goes(self, [from, to]: [&Int; 2], rest: Column, arriving: Column, guard: &Test) -> Vec<Effect> {
        let piece = Some(arriving.top);
        let moved = Effect::Move { from: from.clone(), to: to.clone(), piece, guard: guard.clone() };
        let beneath = self.remember(to.clone(), arriving.beneath, guard.clone());
        [moved, beneath].into_iter().chain(self.becomes(from, rest, guard)).collect()
    }
}

impl Lowering<'_> {
    /// What a change does to stacks, and to all else.
    pub fn of_stacks(&mut self, stacks: Stacks, change: &Change, env: &Env) -> Lowered<Vec<Effect>> {
        let guard = self.guard(change.guard.as_ref(), env)?;
        match &change.kind {
            ChangeKind::Becomes { target, .. } => {
                let put = self.plain_effect(change, env)?;
                let empty = match self.target(target, env)? {
                    Val::Site(site) => {
                        let guard = and(vec![guard, self.is_there(&site)]);
                        stacks.remember(site, Int::Const(0), guard)
                    }
                    sites => {
                        let sites = self.ground.choose(guard, self.sets_of(sites), nothing());
                        let slot = self.int_slot();
                        let effect = Box::new(stacks.remember(Int::Slot(slot), Int::Const(0), Test::Const(true)));
                        Effect::Each { slot, domain: Domain::Sites(sites), effect }
                    }
                };
                Ok(vec![put, empty])
            }
            ChangeKind::MoveTo { from, to, piece } => {
                let [from, to] = [self.one_site(from, env)?, self.one_site(to, env)?];
                let mut column = self.column(stacks, &from, When::Now);
                if let Some(piece) = piece {
                    column = column.with_top(self.piece_of(piece, env)?);
                }
                Ok(stacks.goes([&from, &to], Column::nothing(), column, &guard))
            }
            ChangeKind::Carry { from, slice, to, place, piece } => {
                let [from, to] = [self.one_site(from, env)?, self.one_site(to, env)?];
                let there = self.column(stacks, &to, When::Now);
                let column = self.column(stacks, &from, When::Now);
                let (mut part, mut rest) = match slice {
                    Some(slice) => self.sliced(stacks, &column, slice, env)?,
                    None => (column, Column::nothing()),
                };
                if let Some(piece) = piece {
                    let piece = self.piece_of(piece, env)?;
                    // Without the piece nothing can be done, even where nothing moves.
                    rest.beneath = pick(known(piece.clone()), rest.beneath, Int::Const(NONE));
                    part = either(part.is_empty(), Column::nothing(), part.with_top(piece));
                }
                let arriving = match place {
                    Place::Instead => part,
                    Place::On => stacks.on(part, there),
                    Place::Under => stacks.on(there, part),
                };
                Ok(stacks.goes([&from, &to], rest, arriving, &guard))
            }
            ChangeKind::Gets { target, pieces, bottom } => {
                let pieces = pieces.iter().map(|piece| self.piece_of(piece, env)).collect::<Lowered<Vec<Int>>>()?;
                self.on_each(stacks, target, &guard, env, |_, column| {
                    let first = if *bottom { Column::nothing() } else { column.clone() };
                    let piled =
                        pieces.iter().fold(first, |lower, piece| stacks.on(Column::piece(piece.clone()), lower));
                    Ok(if *bottom { stacks.on(column, piled) } else { piled })
                })
            }
            ChangeKind::Slice { target, slice, piece } => {
                let piece = self.piece_of(piece, env)?;
                let count = self.slice_count(slice, env)?;
                self.on_each(stacks, target, &guard, env, |own, column| {
                    let (_, rest) = own.sliced(stacks, &column, slice, env)?;
                    let none = Column::piece(piece.clone()).is_empty();
                    let new = either(none, Column::nothing(), stacks.same(&piece, &count));
                    Ok(match slice.end {
                        End::Top => stacks.on(new, rest),
                        End::Bottom => {
                            // With too few pieces the rest looks empty, and the column has no value all the same.
                            let enough = known(rest.beneath.clone());
                            let column = stacks.on(rest, new);
                            Column { beneath: pick(enough, column.beneath, Int::Const(NONE)), ..column }
                        }
                    })
                })
            }
            ChangeKind::Remember { .. } | ChangeKind::Seats { .. } | ChangeKind::Know { .. } => {
                Ok(vec![self.plain_effect(change, env)?])
            }
        }
    }

    /// A new column on each site of a set; one after the other, unless it is known to be one site.
    fn on_each(
        &mut self,
        stacks: Stacks,
        target: &Expr,
        guard: &Test,
        env: &Env,
        mut new: impl FnMut(&mut Self, Column) -> Lowered<Column>,
    ) -> Lowered<Vec<Effect>> {
        let sites = match self.target(target, env)? {
            Val::Site(site) => {
                let old = self.column(stacks, &site, When::Now);
                let column = new(self, old)?;
                // Where there is no site nothing need be possible.
                let guard = and(vec![guard.clone(), self.is_there(&site)]);
                return Ok(stacks.becomes(&site, column, &guard).into());
            }
            sites => sites,
        };
        let slot = self.int_slot();
        let column = self.scoped(|own| {
            own.bind(slot, &sites);
            let old = own.column(stacks, &Int::Slot(slot), When::Now);
            new(own, old)
        })?;
        let domain = Domain::Sites(self.sets_of(sites));
        let each = |effect| Effect::Each { slot, domain: domain.clone(), effect: Box::new(effect) };
        Ok(stacks.becomes(&Int::Slot(slot), column, guard).into_iter().map(each).collect())
    }

    /// What is changed: of a set with one member at most that one.
    fn target(&mut self, target: &Expr, env: &Env) -> Lowered<Val> {
        let target = self.expr(target, env)?;
        Ok(match target {
            Val::Sites(set) if self.is_one_at_most(&set) => Val::Site(only(set)),
            target => target,
        })
    }

    fn one_site(&mut self, site: &Expr, env: &Env) -> Lowered<Int> {
        let site = self.expr(site, env)?;
        Ok(self.site_of(site))
    }

    fn piece_of(&mut self, piece: &Expr, env: &Env) -> Lowered<Int> {
        let piece = self.expr(piece, env)?;
        Ok(self.stored(Type::Piece, piece))
    }

    fn slice_count(&mut self, slice: &Slice, env: &Env) -> Lowered<Int> {
        let Some(count) = &slice.count else { return Ok(Int::Const(1)) };
        let count = self.expr(count, env)?;
        Ok(self.number_of(count))
    }

    /// The pieces that are meant, and the others, which have no value where there are not so many.
    fn sliced(&mut self, stacks: Stacks, column: &Column, slice: &Slice, env: &Env) -> Lowered<(Column, Column)> {
        let count = self.slice_count(slice, env)?;
        let height = stacks.height(column);
        let there = match count {
            Int::Const(1) => not(column.is_empty()),
            _ => and(vec![
                compare(CompareOp::GreaterEqual, count.clone(), Int::Const(0)),
                compare(CompareOp::LessEqual, count.clone(), height.clone()),
            ]),
        };
        let (part, rest) = match slice.end {
            End::Top => stacks.cut(column, &count),
            End::Bottom => {
                let (upper, lower) = stacks.cut(column, &less(height, count));
                (lower, upper)
            }
        };
        let missing = Column { beneath: Int::Const(NONE), ..Column::nothing() };
        Ok((part, either(there, rest, missing)))
    }

    /// What stands on a site.
    fn column(&self, stacks: Stacks, site: &Int, when: When) -> Column {
        let there = self.planes_at(site, when);
        if there == 1 {
            return Column::nothing();
        }
        let top = match only_plane(there) {
            Some(plane) => Int::Const(i64::from(plane)),
            None => Int::Piece(Box::new(site.clone()), when),
        };
        let index = Box::new(site.clone());
        let beneath = Int::CellAt { base: stacks.base, count: stacks.count, index, when };
        Column { top, beneath, full: there & 1 == 0 }
    }

    /// A word of the catalogue that speaks of more than the top piece; none where it has no instructions.
    pub fn word_of_stacks(&self, word: &Primitive, args: &[Val], when: When) -> Option<Val> {
        let stacks = self.stacks?;
        let arg = |index: usize| args.get(index).cloned().unwrap_or(Val::Missing);
        let column = self.column(stacks, &self.site_of(arg(0)), when);
        let piece = || self.level(stacks, &column, self.number_of(arg(1)));
        let of_planes =
            |of: &dyn Fn(Content) -> i64| table(self.planes.iter().map(|plane| of(*plane)).collect(), piece());
        Some(if word.id == Id::Height {
            Val::Number(stacks.height(&column))
        } else if word.id == Id::PieceAt {
            let planes = (0..).take(self.planes.len()).map(|plane| if plane == 0 { NONE } else { plane });
            Val::Piece(table(planes.collect(), piece()))
        } else if word.id == Id::OwnerAt {
            Val::Player(of_planes(&|piece| piece.owner().map_or(NONE, |owner| i64::from(owner.0))))
        } else if word.id == Id::KindAt {
            Val::Kind(of_planes(&|piece| piece.kind().map_or(NONE, |kind| i64::from(kind.0))))
        } else {
            let asks_owner = word.id == Id::OwnedIn;
            let is_of = |piece: Content, mask: i64| {
                let member =
                    if asks_owner { piece.owner().map(|owner| owner.0) } else { piece.kind().map(|kind| kind.0) };
                member.is_some_and(|member| mask >> member & 1 == 1)
            };
            let of = |mask: i64| self.among(stacks, column.clone(), &|piece| is_of(piece, mask));
            let all = if asks_owner { self.all_players() } else { self.all_kinds() };
            Val::Number(match self.mask_of(arg(1)) {
                Int::Const(mask) => of(mask),
                _ if members(all).count() > MOST_WANTED => return None,
                // Whose pieces, or of which kinds, shows only in play.
                mask => {
                    let each = members(all).map(|at| pick(is_among(&mask, at), of(1 << at), Int::Const(0)));
                    each.reduce(plus).unwrap_or(Int::Const(0))
                }
            })
        })
    }

    /// The plane of the piece so far down: 1 is the top one, -1 the lowest.
    fn level(&self, stacks: Stacks, column: &Column, number: Int) -> Int {
        let from_top = less(number.clone(), Int::Const(1));
        let from_bottom = plus(stacks.height(column), number.clone());
        let at = pick(compare(CompareOp::Less, number, Int::Const(0)), from_bottom, from_top);
        let beneath = stacks.piece(column.beneath.clone(), less(at.clone(), Int::Const(1)));
        pick(equal(at, Int::Const(0)), column.top.clone(), beneath)
    }

    /// How many pieces of a column are wanted.
    fn among(&self, stacks: Stacks, column: Column, wanted: &dyn Fn(Content) -> bool) -> Int {
        let planes =
            self.planes.iter().enumerate().fold(0, |mask, (plane, piece)| mask | u64::from(wanted(*piece)) << plane);
        let tops: Vec<i64> = (0..self.planes.len()).map(|plane| count(usize::from(planes >> plane & 1 == 1))).collect();
        let beneath = match column.beneath {
            Int::Const(0) => Int::Const(0),
            stack => Int::Among { bits: stacks.bits, planes, stack: Box::new(stack) },
        };
        plus(beneath, table(tops.into(), column.top))
    }
}
