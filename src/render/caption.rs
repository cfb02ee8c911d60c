//! What is said below a picture.

use crate::game::Position;

/// Who is to move or has won, then the scores, then what each player has in store.
pub fn caption(position: &Position) -> Vec<String> {
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
    lines.extend(position.store_lines());
    lines.retain(|line| !line.is_empty());
    lines
}
