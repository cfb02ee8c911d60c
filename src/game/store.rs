//! What a game keeps count of besides pieces, in lines for people.

use super::Position;
use crate::board::Site;
use crate::rules::{Change, ChangeKind, Kinds, Memory, NodeKind, Player, Rules, Scope, Type, Value};

/// How a player has left a game that goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Departure {
    /// Before all who were still playing.
    Finished,
    /// Behind all of them.
    Out,
}

impl Position {
    /// What is kept for players and for kinds of pieces, such as hands and scores, and the kind of piece that is at hand.
    #[must_use]
    pub fn store_lines(&self) -> Vec<String> {
        let rules = self.game().rules();
        let declared = rules.memories.iter().enumerate().filter(|(_, memory)| memory.declared);
        let left = rules.left.map(|left| left.0);
        let lines = declared.filter_map(|(index, memory)| {
            if Some(index) == left {
                return self.left_line();
            }
            let values = self.game().engine().values(&self.situation().state, index);
            let told = match memory.scope {
                Scope::Game if is_thrown(rules, index) => values
                    .first()
                    .and_then(Value::number)
                    .filter(|number| *number != 0)
                    .map(|number| number.to_string()),
                Scope::Game | Scope::Player | Scope::Kind | Scope::PlayerKind | Scope::Site => None,
            };
            let told = told.unwrap_or_else(|| self.counted(memory, values));
            (!told.is_empty()).then(|| format!("{}: {told}", spoken(&memory.name)))
        });
        lines.collect()
    }

    /// The pieces that the rules join, as pictures show by lines and letters on a board cannot; none where there are no such.
    #[must_use]
    pub fn links_line(&self) -> Option<String> {
        let board = &self.game().rules().board;
        let joints = self.joints();
        let each = board.all().iter().zip(&joints).flat_map(|(site, others)| {
            let behind = others.iter().filter(move |other| other.index() > site.index());
            behind.map(move |other| format!("{}-{}", board.name(site), board.name(other)))
        });
        let pairs: Vec<String> = each.collect();
        (!pairs.is_empty()).then(|| format!("Linked: {}", pairs.join(" ")))
    }

    /// Who has left the game while it goes on, and who came in before the others.
    fn left_line(&self) -> Option<String> {
        let names = |wanted: fn(Departure) -> bool| {
            let gone = self.departures().into_iter().filter(|(_, departure)| wanted(*departure));
            gone.map(|(name, _)| name).collect::<Vec<_>>().join(", ")
        };
        let told = [
            ("Finished", names(|departure| departure == Departure::Finished)),
            ("Out", names(|departure| departure == Departure::Out)),
        ];
        let lines: Vec<String> = told
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(what, names)| format!("{what}: {names}"))
            .collect();
        (!lines.is_empty()).then(|| lines.join("; "))
    }

    /// The players who have left a game that goes on, the one with the best place first.
    #[must_use]
    pub fn departures(&self) -> Vec<(String, Departure)> {
        let rules = self.game().rules();
        let Some(left) = rules.left else { return Vec::new() };
        let values = self.game().engine().values(&self.situation().state, left.0);
        let gone = rules.players.iter().zip(values.iter().filter_map(Value::number));
        let mut gone: Vec<(&Player, i64)> = gone.filter(|(_, value)| *value != 0).collect();
        gone.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
        let told = |value: i64| if value > 0 { Departure::Finished } else { Departure::Out };
        gone.into_iter().map(|(player, value)| (player.name.clone(), told(value))).collect()
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
            let stands = |site: Site| !self.situation().state.content(site).is_empty();
            let told = |site: Site, number: i64| if memory.with_piece { stands(site) } else { number != 0 };
            let number =
                |site: Site| values.get(site.index()).and_then(Value::number).filter(|number| told(site, *number));
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

/// Whether a tracked value is what chance came to: dice that have fallen.
fn is_thrown(rules: &Rules, index: usize) -> bool {
    let lines = rules.moves.iter().filter(|mv| mv.chance).flat_map(|mv| &mv.lines);
    let mut kinds = lines.filter_map(|line| rules.graph.node_weight(*line)).map(|node| &node.kind);
    let remembers = |change: &Change| matches!(&change.kind, ChangeKind::Remember { memory, .. } if memory.0 == index);
    kinds.any(|kind| matches!(kind, NodeKind::Change(changes) if changes.iter().any(remembers)))
}

/// A name of the rules as the beginning of a line.
fn spoken(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use crate::game::Game;
    use crate::library::Library;

    const HANDS: &str = r#"
        game "Hands"
        players A, B
        board square(2)
        piece man, king of each player
        track hand(player, kind) : 0..9 = 0
        track common_stock(kind) : 0..9 = 3
        track points(player) : 0..9 = 1
        track seeds(site) : 0..9 = 0
        move take "{k}" {
          k : kinds(man, king)
          hand(mover, k) becomes hand(mover, k) + 1
          common_stock(k) becomes common_stock(k) - 1
          seeds(a1) becomes 2
        }
        turn { take }
        end { draw when turn > 3; next loses when stuck }
    "#;

    #[test]
    fn what_dice_came_to_is_told() {
        let text = "game \"Dice\"\nplayers A, B\nboard square(2)\nphases free, thrown\ntrack fallen : 0..6 = 0\n\
                    track steps : 0..6 = 0\nchance move throw \"{n}\" { n : 1..6; fallen becomes n; phase becomes thrown }\n\
                    move go \"go\" { steps becomes fallen; phase becomes free }\n\
                    turn in free { throw; extra turn }\nturn in thrown { go }\nend { draw when turn > 9 }\n";
        let game = Game::from_text("dice.game", text, None, &[], &Library).unwrap();
        assert!(game.start().store_lines().is_empty());
        let thrown = game.start().play("3").unwrap();
        assert_eq!(thrown.store_lines(), ["Fallen: 3"]);
        // What players do with it is a step on the way.
        assert_eq!(thrown.play("go").unwrap().store_lines(), ["Fallen: 3"]);
    }

    #[test]
    fn links_are_told_once_each() {
        let text = Library::text("twixt").unwrap();
        let size = [("size".to_owned(), "6".to_owned())];
        let game = Game::from_text("twixt", text, None, &size, &Library).unwrap();
        assert_eq!(game.start().links_line(), None);
        let line = crate::game::Line::replayed(&game, &["c1", "d2", "d3", "c2", "b4"]).unwrap();
        assert_eq!(line.position().links_line().as_deref(), Some("Linked: b4-d3 d3-c1"));
    }

    #[test]
    fn what_is_kept_count_of_is_told_by_player_and_kind() {
        let game = Game::from_text("hands.game", HANDS, None, &[], &Library).unwrap();
        let start = game.start();
        assert_eq!(start.store_lines(), ["Common stock: 3 man, 3 king", "Points: A 1, B 1"]);
        assert!(start.store_boards().is_empty());
        let after = start.play("k").unwrap().play("m").unwrap();
        assert_eq!(after.store_lines(), ["Hand: A 1 king; B 1 man", "Common stock: 2 man, 2 king", "Points: A 1, B 1"]);
        assert_eq!(after.store_boards(), ["Seeds:\n2 . .\n1 2 .\n  a b\n"]);
        let again = game.set_up(&after.to_json()).unwrap();
        assert_eq!(again.store_lines(), after.store_lines());
    }
}
