//! The words of the catalogue as instructions; a word without one is evaluated as the catalogue says.

use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use super::single::is_one_way;
use super::values::Val;
use crate::board::{Direction, Directions, SiteSet};
use crate::rules::catalogue::{Id, Must, Param, Primitive};
use crate::rules::{CompareOp, Content, KindId, Kinds, PlayerId, Players, Type, Value};

impl Lowering<'_> {
    pub fn primitive(&self, primitive: &'static Primitive, args: Vec<Val>, when: When) -> Val {
        if let Some(value) = self.settled(primitive, &args) {
            return self.constant(&value);
        }
        let arg = |index: usize| args.get(index).cloned().unwrap_or(Val::Missing);
        let mask = |index: usize| self.mask_of(arg(index));
        let one_way = |index: usize| matches!(arg(index), Val::Direction(_)) || is_one_way(&mask(index));
        let count = self.rules.players.len();
        match primitive.id {
            Id::Empty => Val::Sites(self.ground.planes(1, when)),
            Id::Piece => Val::Sites(self.ground.planes(!1, when)),
            Id::ListedAfter => match arg(0) {
                Val::Site(site) => Val::Sites(self.table_of_sites(primitive, site)),
                _ => self.called(primitive, args, when),
            },
            Id::NextTo => match arg(0) {
                Val::Site(site) => Val::Sites(Sets::Near(Box::new(site))),
                value => Val::Sites(Sets::Dilate(Box::new(self.sets_of(value)))),
            },
            Id::Ahead => {
                let steps = if args.len() > 2 { self.number_of(arg(2)) } else { Int::Const(1) };
                let way = self.index_of(arg(1));
                match (arg(0), mask(1)) {
                    (Val::Site(site), _) if one_way(1) => Val::Site(ahead(site, way, steps)),
                    (Val::Site(site), Int::Const(ways)) => Val::Sites(self.ground.or(
                        members(ways).map(|way| one(ahead(site.clone(), Int::Const(way), steps.clone()))).collect(),
                    )),
                    (from, ways) => Val::Sites(Sets::Ahead {
                        from: Box::new(self.sets_of(from)),
                        directions: Box::new(ways),
                        steps: Box::new(steps),
                    }),
                }
            }
            Id::AheadAll => Val::Sites(Sets::Trail {
                from: Box::new(self.sets_of(arg(0))),
                directions: Box::new(mask(1)),
                steps: Box::new(self.number_of(arg(2))),
            }),
            Id::Run => Val::Sites(Sets::Run {
                from: Box::new(self.sets_of(arg(0))),
                directions: Box::new(mask(1)),
                through: Box::new(self.sets_of(arg(2))),
            }),
            Id::Beyond => {
                let through = Box::new(self.sets_of(arg(2)));
                match arg(0) {
                    Val::Site(site) if one_way(1) => Val::Site(match self.index_of(arg(1)) {
                        Int::Const(NONE) => Int::Const(NONE),
                        way => Int::Beyond { from: Box::new(site), direction: Box::new(way), through },
                    }),
                    from => Val::Sites(Sets::Beyond {
                        from: Box::new(self.sets_of(from)),
                        directions: Box::new(mask(1)),
                        through,
                    }),
                }
            }
            Id::Between => Val::Sites(Sets::Between(Box::new(self.site_of(arg(0))), Box::new(self.site_of(arg(1))))),
            Id::Connected => Val::Sites(Sets::Connected {
                from: Box::new(self.sets_of(arg(0))),
                within: Box::new(self.sets_of(arg(1))),
            }),
            Id::Groups => Val::Sites(Sets::Heads(Box::new(self.sets_of(arg(0))))),
            Id::OneOf => Val::Sites(Sets::First(Box::new(self.sets_of(arg(0))))),
            Id::Alike => {
                let site = self.site_of(arg(0));
                let there = self.planes_at(&site, when);
                Val::Sites(if there.is_power_of_two() {
                    self.ground.planes(there, when)
                } else {
                    Sets::Alike(Box::new(site), when)
                })
            }
            Id::Direction => Val::Direction(direction(self.site_of(arg(0)), self.site_of(arg(1)))),
            Id::Opposite => match arg(0) {
                Val::Direction(way) => Val::Direction(opposite(way)),
                value => Val::Directions(opposite_mask(self.mask_of(value))),
            },
            Id::Facing => {
                let player = self.index_of(arg(0));
                let players: Vec<PlayerId> = Players::first(count).iter().collect();
                let each = players.into_iter().rev().fold(Int::Const(NONE), |other, at| {
                    let way = self.facing(at).map_or(NONE, direction_index);
                    let own = compare(CompareOp::Equal, player.clone(), Int::Const(i64::from(at.0)));
                    pick(own, Int::Const(way), other)
                });
                Val::Direction(each)
            }
            Id::Mover => Val::Player(Int::Const(i64::from(self.mover.0))),
            Id::Next => Val::Player(self.next.map_or(Int::Next, |next| Int::Const(i64::from(next.0)))),
            Id::Previous => {
                let count = count.max(1);
                let before = (usize::from(self.mover.0) + count - 1) % count;
                Val::Player(Int::Const(i64::try_from(before).unwrap_or(NONE)))
            }
            Id::Other => Val::Players(mask_not(i64::from(Players::first(count).0), mask(0))),
            Id::Owner => match arg(0) {
                Val::Site(site) => Val::Player(match self.same_there(&site, when, Content::owner) {
                    Some(owner) => Int::Const(owner.map_or(NONE, |owner| i64::from(owner.0))),
                    None => Int::Owner(Box::new(site), when),
                }),
                value => Val::Players(Int::Owners(Box::new(self.sets_of(value)), when)),
            },
            Id::Kind => match arg(0) {
                Val::Site(site) => Val::Kind(match self.same_there(&site, when, Content::kind) {
                    Some(kind) => Int::Const(kind.map_or(NONE, |kind| i64::from(kind.0))),
                    None => Int::Kind(Box::new(site), when),
                }),
                value => Val::Kinds(Int::KindsIn(Box::new(self.sets_of(value)), when)),
            },
            Id::Kinds => Val::Kinds(mask(0)),
            Id::PieceOn => {
                let site = self.site_of(arg(0));
                let there = self.planes_at(&site, when);
                Val::Piece(if there.is_power_of_two() {
                    Int::Const(i64::from(there.trailing_zeros()))
                } else {
                    Int::Piece(Box::new(site), when)
                })
            }
            Id::Distance => {
                let (a, b) = (self.site_of(arg(0)), self.site_of(arg(1)));
                let nearest = self.distance_to_nearest(&a, &b);
                Val::Number(nearest.unwrap_or_else(|| Int::Distance(Box::new(a), Box::new(b))))
            }
            Id::Max => Val::Number(Int::Max(Box::new(self.number_of(arg(0))), Box::new(self.number_of(arg(1))))),
            Id::Min => Val::Number(Int::Min(Box::new(self.number_of(arg(0))), Box::new(self.number_of(arg(1))))),
            Id::Abs => Val::Number(Int::Abs(Box::new(self.number_of(arg(0))))),
            Id::Turn => {
                self.clock.set(true);
                Val::Number(Int::Turn)
            }
            Id::Ply => {
                self.clock.set(true);
                Val::Number(Int::Ply)
            }
            Id::Stuck => Val::Condition(Test::Stuck, not(Test::Stuck)),
            Id::Unfinished => Val::Condition(Test::Unfinished, not(Test::Unfinished)),
            Id::Height | Id::PieceAt | Id::OwnerAt | Id::KindAt | Id::OwnedIn | Id::KindsIn => {
                self.word_of_stacks(primitive, &args, when).unwrap_or_else(|| self.called(primitive, args, when))
            }
            Id::Turned => self.turned(&args).unwrap_or_else(|| self.called(primitive, args, when)),
            // Settled above, unless a value in brackets is known only in play.
            Id::Site
            | Id::Cells
            | Id::Edges
            | Id::Vertices
            | Id::Edge
            | Id::Corner
            | Id::Interior
            | Id::Centre
            | Id::Side
            | Id::Sides
            | Id::Row
            | Id::Column
            | Id::Dark
            | Id::Directions
            | Id::Orthogonal
            | Id::Diagonal
            | Id::PlayerAfter
            | Id::Players
            | Id::RowNumber
            | Id::ColumnNumber => self.called(primitive, args, when),
        }
    }

    /// Directions that play tells, each turned by a number that it does not: what becomes of each of the board's.
    fn turned(&self, args: &[Val]) -> Option<Val> {
        let [Val::Directions(ways), by] = args else { return None };
        let (turned, by) = (Id::Turned.row(), self.known(by)?);
        let each = members(self.all_ways()).map(|way| {
            let way = Direction::from_index(usize::try_from(way).ok()?)?;
            let one = Value::Directions(std::iter::once(way).collect::<Directions>());
            let to = turned.settled(&self.rules.board, &self.rules.players, &[one, by.clone()])?;
            let Int::Const(to) = self.mask_of(self.constant(&to)) else { return None };
            let is_there =
                compare(CompareOp::NotEqual, mask_and(ways.clone(), Int::Const(1 << way.index())), Int::Const(0));
            Some(Int::If(Box::new(is_there), Box::new(Int::Const(to)), Box::new(Int::Const(0))))
        });
        let each = each.collect::<Option<Vec<Int>>>()?;
        each.into_iter().reduce(mask_or).map(Val::Directions)
    }

    /// The sets that a word gives for each site, of which nothing in play changes any.
    fn table_of_sites(&self, primitive: &'static Primitive, site: Int) -> Sets {
        let last = self.ground.all.iter().last().map_or(0, |last| last.index() + 1);
        let of = |at: usize| {
            let site = Value::of_site(self.layout.site(at)?);
            primitive.settled(&self.rules.board, &self.rules.players, &[site])
        };
        row((0..last).map(|at| of(at).map_or(SiteSet::EMPTY, |value| self.layout.set(value.sites()))).collect(), site)
    }

    /// The value of a word that nothing in play changes, of values known by now.
    pub(super) fn settled(&self, primitive: &Primitive, args: &[Val]) -> Option<Value> {
        let values = args.iter().map(|arg| self.known(arg)).collect::<Option<Vec<_>>>()?;
        primitive.settled(&self.rules.board, &self.rules.players, &values)
    }

    /// The value that is the same whenever it is asked for: what `constant` makes an instruction of.
    pub fn known(&self, value: &Val) -> Option<Value> {
        let members = |mask: i64| members(mask).filter_map(|member| u8::try_from(member).ok());
        Some(match value {
            Val::Sites(Sets::Const(set)) => Value::of_sites(self.layout.sites_at(*set)),
            Val::Site(Int::Const(at)) => {
                let site = usize::try_from(*at).ok().and_then(|at| self.layout.site(at));
                Value::of_sites(site.map_or(SiteSet::EMPTY, SiteSet::single))
            }
            Val::Number(Int::Const(number)) => Value::Number((*number != NONE).then_some(*number)),
            Val::Directions(_) | Val::Direction(_) => {
                let Int::Const(mask) = self.mask_of(value.clone()) else { return None };
                Value::Directions(members(mask).filter_map(|way| Direction::from_index(usize::from(way))).collect())
            }
            Val::Players(_) | Val::Player(_) => {
                let Int::Const(mask) = self.mask_of(value.clone()) else { return None };
                Value::Players(Players(members(mask).fold(0, |all, player| all | Players::single(PlayerId(player)).0)))
            }
            Val::Kinds(_) | Val::Kind(_) => {
                let Int::Const(mask) = self.mask_of(value.clone()) else { return None };
                Value::Kinds(Kinds(members(mask).fold(0, |all, kind| all | Kinds::single(KindId(kind)).0)))
            }
            Val::Sites(_)
            | Val::Site(_)
            | Val::Number(_)
            | Val::Range(..)
            | Val::Condition(..)
            | Val::Piece(_)
            | Val::Choice(_)
            | Val::List(_)
            | Val::Missing => return None,
        })
    }

    /// A word evaluated by the catalogue itself, or looked up where that can be done before.
    fn called(&self, primitive: &'static Primitive, mut args: Vec<Val>, when: When) -> Val {
        for (value, param) in args.iter_mut().zip(primitive.params) {
            if param.must == Must::BeOne && param.ty == Type::Sites && matches!(value, Val::Sites(_)) {
                *value = Val::Site(self.site_of(value.clone()));
            }
        }
        if let Some(value) = self.word_by_table(primitive, &args) {
            return value;
        }
        let args = args
            .into_iter()
            .zip(primitive.params)
            .map(|(value, Param { ty, .. })| {
                let arg = match ty {
                    Type::Sites => Arg::Sets(self.sets_of(value)),
                    Type::Directions | Type::Players | Type::Kinds => Arg::Int(self.mask_of(value)),
                    _ => Arg::Int(self.stored(*ty, value)),
                };
                (*ty, arg)
            })
            .collect();
        if primitive.result == Type::Sites {
            return Val::Sites(Sets::Primitive(primitive, args, when));
        }
        let int = Int::Primitive(primitive, args, when);
        match primitive.result {
            Type::Directions => Val::Directions(int),
            Type::Players => Val::Players(int),
            Type::Kinds => Val::Kinds(int),
            Type::Piece => Val::Piece(int),
            Type::Choice => Val::Choice(int),
            Type::Condition => Val::Condition(
                compare(CompareOp::Equal, int.clone(), Int::Const(1)),
                compare(CompareOp::Equal, int, Int::Const(0)),
            ),
            _ => Val::Number(int),
        }
    }
}
