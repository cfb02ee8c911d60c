//! The words of the catalogue as instructions; a word without one is evaluated as the catalogue says.

use super::build::*;
use super::ir::*;
use super::lower::{Lowering, Val, mask_of_directions};
use crate::board::{Direction, SiteSet};
use crate::rules::catalogue::Primitive;
use crate::rules::{Content, PlayerId, Players, Type};

impl Lowering<'_> {
    pub fn primitive(&self, primitive: &'static Primitive, args: Vec<Val>, when: When) -> Val {
        let board = &self.rules.board;
        let fixed = |set: SiteSet| Val::Sites(self.constant_sites(set));
        let arg = |index: usize| args.get(index).cloned().unwrap_or(Val::Missing);
        let mask = |index: usize| self.mask_of(arg(index));
        let count = self.rules.players.len();
        match primitive.name {
            "empty" => Val::Sites(self.ground.planes(1, when)),
            "piece" => Val::Sites(self.ground.planes(!1, when)),
            "site" => Val::Sites(self.ground.everything()),
            "cells" => fixed(board.cells()),
            "edges" => fixed(board.edges()),
            "vertices" => fixed(board.vertices()),
            "edge" => fixed(board.edge()),
            "corner" => fixed(board.corners()),
            "interior" => fixed(board.interior()),
            "centre" => fixed(board.centre()),
            "dark" => fixed(board.dark()),
            "side" => match mask(0) {
                Int::Const(ways) => fixed(
                    members(ways)
                        .filter_map(|way| Direction::from_index(way as usize))
                        .fold(SiteSet::EMPTY, |set, way| set | board.side(way)),
                ),
                _ => self.called(primitive, args, when),
            },
            "row" | "column" => match self.number_of(arg(0)) {
                Int::Const(number) => fixed(i32::try_from(number).map_or(SiteSet::EMPTY, |number| {
                    if primitive.name == "row" { board.row(number) } else { board.column(number) }
                })),
                _ => self.called(primitive, args, when),
            },
            "next_to" => match arg(0) {
                Val::Site(Int::Const(_)) => self.called(primitive, args, when),
                Val::Site(site) => Val::Sites(Sets::Near(Box::new(site))),
                value => Val::Sites(Sets::Dilate(Box::new(self.sets_of(value)))),
            },
            "ahead" => {
                let steps = if args.len() > 2 { self.number_of(arg(2)) } else { Int::Const(1) };
                let way = self.index_of(arg(1));
                match (arg(0), mask(1)) {
                    (Val::Site(site), Int::Const(ways)) if ways.count_ones() == 1 => Val::Site(ahead(site, way, steps)),
                    (Val::Site(site), _) if !matches!(arg(1), Val::Directions(_)) => Val::Site(ahead(site, way, steps)),
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
            "ahead_all" => Val::Sites(Sets::Trail {
                from: Box::new(self.sets_of(arg(0))),
                directions: Box::new(mask(1)),
                steps: Box::new(self.number_of(arg(2))),
            }),
            "run" => Val::Sites(Sets::Run {
                from: Box::new(self.sets_of(arg(0))),
                directions: Box::new(mask(1)),
                through: Box::new(self.sets_of(arg(2))),
            }),
            "beyond" => {
                let through = Box::new(self.sets_of(arg(2)));
                let single = match (arg(1), mask(1)) {
                    (_, Int::Const(ways)) => ways.count_ones() == 1,
                    (Val::Direction(_), _) => true,
                    _ => false,
                };
                match arg(0) {
                    Val::Site(site) if single => Val::Site(Int::Beyond {
                        from: Box::new(site),
                        direction: Box::new(self.index_of(arg(1))),
                        through,
                    }),
                    from => Val::Sites(Sets::Beyond {
                        from: Box::new(self.sets_of(from)),
                        directions: Box::new(mask(1)),
                        through,
                    }),
                }
            }
            "between" => Val::Sites(Sets::Between(Box::new(self.site_of(arg(0))), Box::new(self.site_of(arg(1))))),
            "connected" => Val::Sites(Sets::Connected {
                from: Box::new(self.sets_of(arg(0))),
                within: Box::new(self.sets_of(arg(1))),
            }),
            "alike" => {
                let site = self.site_of(arg(0));
                let there = self.planes_at(&site, when);
                Val::Sites(if there.is_power_of_two() {
                    self.ground.planes(there, when)
                } else {
                    Sets::Alike(Box::new(site), when)
                })
            }
            "directions" => Val::Directions(Int::Const(mask_of_directions(board.directions()))),
            "orthogonal" => Val::Directions(Int::Const(mask_of_directions(board.orthogonal()))),
            "diagonal" => Val::Directions(Int::Const(mask_of_directions(board.diagonal()))),
            "sides" => Val::Directions(Int::Const(mask_of_directions(board.sides()))),
            "direction" => Val::Direction(direction(self.site_of(arg(0)), self.site_of(arg(1)))),
            "opposite" => match arg(0) {
                Val::Direction(way) => Val::Direction(opposite(way)),
                value => Val::Directions(opposite_mask(self.mask_of(value))),
            },
            "turned" => match (mask(0), self.number_of(arg(1))) {
                (Int::Const(ways), Int::Const(by)) if by != NONE => Val::Directions(Int::Const(self.turned(ways, by))),
                _ => self.called(primitive, args, when),
            },
            "facing" => match self.index_of(arg(0)) {
                Int::Const(player) => {
                    let way = u8::try_from(player).ok().and_then(|player| self.facing(PlayerId(player)));
                    way.map_or(Val::Directions(Int::Const(0)), |way| Val::Direction(Int::Const(direction_index(way))))
                }
                player => {
                    let each = (0..count as u8).rev().fold(Int::Const(NONE), |other, at| {
                        let way = self.facing(PlayerId(at)).map_or(NONE, direction_index);
                        let own = compare(crate::rules::CompareOp::Equal, player.clone(), Int::Const(i64::from(at)));
                        pick(own, Int::Const(way), other)
                    });
                    Val::Direction(each)
                }
            },
            "mover" => Val::Player(Int::Const(i64::from(self.mover.0))),
            "next" => Val::Player(self.next.map_or(Int::Next, |next| Int::Const(i64::from(next.0)))),
            "previous" => {
                let count = count.max(1);
                Val::Player(Int::Const(((usize::from(self.mover.0) + count - 1) % count) as i64))
            }
            "player_after" => {
                let steps = if args.len() > 1 { self.number_of(arg(1)) } else { Int::Const(1) };
                match (self.index_of(arg(0)), steps) {
                    (Int::Const(player), Int::Const(steps)) if count > 0 => {
                        let count = count as i64;
                        let found = player != NONE && steps != NONE;
                        Val::Player(Int::Const(if found { (player + steps.rem_euclid(count)) % count } else { NONE }))
                    }
                    _ => self.called(primitive, args, when),
                }
            }
            "players" => Val::Players(Int::Const(i64::from(Players::first(count).0))),
            "other" => Val::Players(mask_not(i64::from(Players::first(count).0), mask(0))),
            "owner" => match arg(0) {
                Val::Site(site) => Val::Player(match self.same_there(&site, when, Content::owner) {
                    Some(owner) => Int::Const(owner.map_or(NONE, |owner| i64::from(owner.0))),
                    None => Int::Owner(Box::new(site), when),
                }),
                value => Val::Players(Int::Owners(Box::new(self.sets_of(value)), when)),
            },
            "kind" => match arg(0) {
                Val::Site(site) => Val::Kind(match self.same_there(&site, when, Content::kind) {
                    Some(kind) => Int::Const(kind.map_or(NONE, |kind| i64::from(kind.0))),
                    None => Int::Kind(Box::new(site), when),
                }),
                value => Val::Kinds(Int::KindsIn(Box::new(self.sets_of(value)), when)),
            },
            "kinds" => Val::Kinds(mask(0)),
            "piece_on" => {
                let site = self.site_of(arg(0));
                let there = self.planes_at(&site, when);
                Val::Piece(if there.is_power_of_two() {
                    Int::Const(i64::from(there.trailing_zeros()))
                } else {
                    Int::Piece(Box::new(site), when)
                })
            }
            "distance" => Val::Number(Int::Distance(Box::new(self.site_of(arg(0))), Box::new(self.site_of(arg(1))))),
            "max" => Val::Number(Int::Max(Box::new(self.number_of(arg(0))), Box::new(self.number_of(arg(1))))),
            "min" => Val::Number(Int::Min(Box::new(self.number_of(arg(0))), Box::new(self.number_of(arg(1))))),
            "abs" => Val::Number(Int::Abs(Box::new(self.number_of(arg(0))))),
            "turn" => {
                self.clock.set(true);
                Val::Number(Int::Turn)
            }
            "ply" => {
                self.clock.set(true);
                Val::Number(Int::Ply)
            }
            "stuck" => Val::Condition(Test::Stuck, not(Test::Stuck)),
            "unfinished" => Val::Condition(Test::Unfinished, not(Test::Unfinished)),
            _ => self.called(primitive, args, when),
        }
    }

    fn turned(&self, ways: i64, by: i64) -> i64 {
        let compass: Vec<i64> = self.rules.board.compass().iter().map(direction_index).collect();
        members(ways).fold(0, |mask, way| match compass.iter().position(|known| *known == way) {
            Some(at) => {
                let to = (at as i64 + by).rem_euclid(compass.len() as i64) as usize;
                mask | compass.get(to).map_or(0, |way| 1 << way)
            }
            None => mask,
        })
    }

    /// A word evaluated by the catalogue itself.
    fn called(&self, primitive: &'static Primitive, args: Vec<Val>, when: When) -> Val {
        let args = args
            .into_iter()
            .zip(primitive.params.iter().chain(std::iter::repeat(&Type::Number)))
            .map(|(value, ty)| {
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
                compare(crate::rules::CompareOp::Equal, int.clone(), Int::Const(1)),
                compare(crate::rules::CompareOp::Equal, int, Int::Const(0)),
            ),
            _ => Val::Number(int),
        }
    }
}
