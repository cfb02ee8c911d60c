//! What a game keeps count of besides pieces, in lines for people.

use super::Position;
use crate::board::Site;
use crate::rules::{Kinds, Memory, Player, Scope, Type, Value};

impl Position {
    /// What belongs to the game, to players and to kinds of pieces: numbers in hand, scores kept, dice.
    #[must_use]
    pub fn store_lines(&self) -> Vec<String> {
        let rules = self.game().rules();
        let declared = rules.memories.iter().enumerate().filter(|(_, memory)| memory.declared);
        let lines = declared.filter_map(|(index, memory)| {
            let told = self.counted(memory, self.game().engine().values(&self.situation().state, index));
            (!told.is_empty()).then(|| format!("{}: {told}", spoken(&memory.name)))
        });
        lines.collect()
    }

    /// The boards of numbers: what is kept count of on every site.
    #[must_use]
    pub fn store_boards(&self) -> Vec<String> {
        let rules = self.game().rules();
        let numbered = |memory: &Memory| {
            memory.declared && !memory.each_turn && memory.scope == Scope::Site && memory.ty == Type::Number
        };
        let all = rules.memories.iter().enumerate().filter(|(_, memory)| numbered(memory));
        let boards = all.filter_map(|(index, memory)| {
            let values = self.game().engine().values(&self.situation().state, index);
            let number = |site: Site| values.get(site.index()).and_then(Value::number).filter(|number| *number != 0);
            if !rules.board.all().iter().any(|site| number(site).is_some()) {
                return None;
            }
            let mark = |site: Site| number(site).map_or_else(|| ".".to_owned(), |number| number.to_string());
            Some(format!("{}:\n{}", spoken(&memory.name), crate::board::text::draw(&rules.board, &mark, true)))
        });
        boards.collect()
    }

    /// The values of one memory in words; nothing of those that belong to sites.
    fn counted(&self, memory: &Memory, values: &[Value]) -> String {
        let rules = self.game().rules();
        let number = |value: &Value| value.number().map(|number| number.to_string());
        let by_kind = |values: &[Value]| {
            let held = rules.kinds.iter().zip(values).filter_map(|(kind, value)| {
                let number = value.number().filter(|number| *number != 0)?;
                Some(format!("{number} {}", kind.name))
            });
            held.collect::<Vec<_>>().join(", ")
        };
        let of = |(player, text): (&Player, Option<String>)| Some(format!("{} {}", player.name, text?));
        match memory.scope {
            Scope::Site => String::new(),
            // A number or name of the game is often a step on the way; a kind is a piece at hand.
            Scope::Game => {
                let held = values.first().map_or_else(Kinds::default, Value::kinds);
                held.only()
                    .and_then(|kind| rules.kinds.get(usize::from(kind.0)))
                    .map_or_else(String::new, |kind| kind.name.clone())
            }
            Scope::Kind => by_kind(values),
            Scope::Player => {
                rules.players.iter().zip(values.iter().map(number)).filter_map(of).collect::<Vec<_>>().join(", ")
            }
            Scope::PlayerKind => {
                let each = values.chunks(rules.kinds.len().max(1)).map(by_kind);
                let held = each.map(|held| (!held.is_empty()).then_some(held));
                rules.players.iter().zip(held).filter_map(of).collect::<Vec<_>>().join("; ")
            }
        }
    }
}

/// A name of the rules as the beginning of a line.
fn spoken(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
