//! Words of the catalogue without an instruction of their own: evaluated as the catalogue says.

use super::{Frame, View, bits, position, site_or_none};
use crate::board::{Direction, Directions, SiteSet};
use crate::program::ir::{Arg, NONE, When};
use crate::rules::catalogue::{Primitive, Scene};
use crate::rules::{ChoiceId, Content, Kinds, PlayerId, Players, Type, Value};

impl<const W: usize> View<'_, W> {
    #[cold]
    #[inline(never)]
    pub(super) fn primitive(&self, primitive: &Primitive, args: &[(Type, Arg)], when: When, f: &mut Frame<W>) -> Value {
        let values: Vec<Value> = args.iter().map(|(ty, arg)| self.argument(*ty, arg, f)).collect();
        let (rules, layout) = (&self.engine.rules, &self.engine.program.layout);
        let state = self.state(when);
        let piece = |plane: &u8| self.engine.program.planes.get(usize::from(*plane)).copied();
        let contents: Vec<Content> = (0..rules.board.len())
            .map(|index| crate::board::Site::from_index(index).map_or(usize::MAX, |site| layout.position(site)))
            .map(|position| state.contents.get(position).and_then(piece).unwrap_or_default())
            .collect();
        let beneath = self.engine.beneath(state);
        let (turn, ply) = match when {
            When::Now => (self.turn, self.ply),
            When::Before => (state.turn, state.ply),
        };
        let scene = Scene {
            board: &rules.board,
            players: &rules.players,
            kinds: &rules.kinds,
            contents: &contents,
            beneath: &beneath,
            empty: layout.sites_at(state.plane(0).to_sites()),
            mover: PlayerId(self.mover),
            next: PlayerId(self.next),
            turn,
            ply,
            stuck: self.stuck,
            unfinished: self.unfinished,
        };
        (primitive.eval)(&scene, &values)
    }

    pub(super) fn argument(&self, ty: Type, arg: &Arg, f: &mut Frame<W>) -> Value {
        let layout = &self.engine.program.layout;
        let number = match arg {
            Arg::Sets(set) => return Value::of_sites(layout.sites_at(self.sets(set, f).to_sites())),
            Arg::Int(int) => self.int(int, f),
        };
        let known = (number != NONE).then_some(number);
        match ty {
            Type::Condition => Value::Condition(known.map(|number| number != 0)),
            Type::Sites => Value::of_sites(match position(number).and_then(|position| layout.site(position)) {
                Some(site) => SiteSet::single(site),
                None => SiteSet::EMPTY,
            }),
            Type::Directions => {
                let ways = bits(number).filter_map(|way| Direction::from_index(way as usize));
                Value::Directions(ways.fold(Directions::EMPTY, |all, way| all | Directions::single(way)))
            }
            Type::Players => Value::Players(Players(number as u16)),
            Type::Kinds => Value::Kinds(Kinds(number as u32)),
            Type::Piece => {
                Value::Piece(position(number).and_then(|plane| self.engine.program.planes.get(plane)).copied())
            }
            Type::Choice => match u16::try_from(number) {
                Ok(choice) => Value::Choice(ChoiceId(choice)),
                Err(_) => Value::Condition(None),
            },
            Type::Number | Type::Range | Type::List | Type::Unknown => Value::Number(known),
        }
    }

    pub(super) fn number_of(&self, value: &Value) -> i64 {
        match value {
            Value::Condition(condition) => condition.map_or(NONE, i64::from),
            Value::Number(number) => number.unwrap_or(NONE),
            Value::Sites(set) => site_or_none(set.only().map(|site| self.engine.program.layout.position(site))),
            Value::Directions(set) => set.iter().fold(0, |mask, way| mask | 1 << way.index()),
            Value::Players(players) => i64::from(players.0),
            Value::Kinds(kinds) => i64::from(kinds.0),
            Value::Piece(piece) => {
                let plane = piece.and_then(|piece| self.engine.program.planes.iter().position(|known| *known == piece));
                site_or_none(plane)
            }
            Value::Choice(choice) => i64::from(choice.0),
            Value::Range(_) | Value::List(_) => NONE,
        }
    }
}
