//! What is said below a picture.

use crate::game::Position;
use crate::rules::{Scope, Value};

/// Who is to move or has won, then the scores, then what each player has in store.
pub fn caption(position: &Position) -> Vec<String> {
    let rules = position.game().rules();
    let mut lines = vec![match (position.result_text(), position.mover()) {
        (Some(result), _) => match position.outcome().map(|outcome| outcome.reason.as_str()) {
            None | Some("") => format!("The game is over: {result}"),
            Some(reason) => format!("The game is over: {result} ({reason})"),
        },
        (None, Some(mover)) if position.is_chance() => format!("chance decides for {mover}"),
        (None, Some(mover)) => format!("{mover} to move"),
        (None, None) => String::new(),
    }];
    let scores = position.scores();
    if !scores.is_empty() {
        let scores: Vec<String> = scores.iter().map(|(player, score)| format!("{player} {score}")).collect();
        lines.push(format!("Score: {}", scores.join(", ")));
    }
    for (index, memory) in rules.memories.iter().enumerate() {
        if !memory.declared || memory.scope != Scope::Player {
            continue;
        }
        let values = position.game().engine().values(&position.situation().state, index);
        let numbers = rules.players.iter().zip(values).filter_map(|(player, value)| match value {
            Value::Number(Some(number)) => Some(format!("{} {number}", player.name)),
            _ => None,
        });
        let numbers: Vec<String> = numbers.collect();
        if !numbers.is_empty() {
            lines.push(format!("{}: {}", spoken(&memory.name), numbers.join(", ")));
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// A name of the rules as the beginning of a line.
fn spoken(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
