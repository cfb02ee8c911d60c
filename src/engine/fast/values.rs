//! Values as memory and plies store them, and back.

use crate::board::{Direction, Directions, SiteSet};
use crate::program::Program;
use crate::program::ir::NONE;
use crate::rules::{ChoiceId, Kinds, Players, Type, Value};

/// A value as memory stores it.
pub(super) fn stored(program: &Program, value: &Value) -> i64 {
    match value {
        Value::Condition(condition) => condition.map_or(NONE, i64::from),
        Value::Number(number) => number.unwrap_or(NONE),
        Value::Directions(set) => set.iter().fold(0, |mask, way| mask | 1 << way.index()),
        Value::Players(players) => i64::from(players.0),
        Value::Kinds(kinds) => i64::from(kinds.0),
        Value::Choice(choice) => i64::from(choice.0),
        Value::Piece(piece) => piece
            .and_then(|piece| program.planes.iter().position(|plane| *plane == piece))
            .map_or(NONE, |plane| plane as i64),
        Value::Sites(_) | Value::Range(_) | Value::List(_) => NONE,
    }
}

/// What memory stores, as a value.
pub(super) fn remembered(program: &Program, ty: Type, cell: i64) -> Value {
    match ty {
        Type::Condition => Value::Condition((cell != NONE).then_some(cell == 1)),
        Type::Number => Value::Number((cell != NONE).then_some(cell)),
        Type::Directions => Value::Directions(directions(cell)),
        Type::Players => Value::Players(Players(cell as u16)),
        Type::Kinds => Value::Kinds(Kinds(cell as u32)),
        Type::Choice => {
            if cell == NONE {
                Value::Condition(None)
            } else {
                Value::Choice(ChoiceId(cell as u16))
            }
        }
        Type::Piece => Value::Piece(usize::try_from(cell).ok().and_then(|plane| program.planes.get(plane)).copied()),
        _ => Value::Condition(None),
    }
}

fn directions(mask: i64) -> Directions {
    (0..16).filter(|at| mask >> at & 1 == 1).filter_map(Direction::from_index).fold(
        Directions::EMPTY,
        |mut set, way| {
            set.insert(way);
            set
        },
    )
}

/// One member, as the part of a move.
pub(super) fn part(program: &Program, ty: Type, value: i64) -> Value {
    let index = usize::try_from(value).unwrap_or(usize::MAX);
    match ty {
        Type::Sites => Value::of_sites(program.layout.site(index).map_or(SiteSet::EMPTY, SiteSet::single)),
        Type::Directions => Value::Directions(directions(1 << (value & 15))),
        Type::Players => Value::Players(Players(1 << (value & 15))),
        Type::Kinds => Value::Kinds(Kinds(1 << (value & 31))),
        _ => Value::Number(Some(value)),
    }
}
