//! What may be asked and done in a game that hides something, and by whom.

use super::message::{Act, Refusal};
use super::view::decides;
use crate::game::Eye;
use crate::play::table::Table;

/// Refuses what would show more than whoever asks sees, and what is done for the seat of somebody else. Without an eye
/// everything is shown: the game hides nothing, or is over.
pub fn permit(table: &Table, act: &Act, eye: Option<Eye>) -> Result<(), Refusal> {
    match act {
        Act::Undo | Act::Redo | Act::GoTo { .. } if table.line().game().hides() => {
            Err(hidden("nothing is taken back in a game that hides something"))
        }
        Act::Record | Act::Why { .. } if eye.is_some() => {
            Err(hidden("this is told when the game is over: before, it would tell what is hidden"))
        }
        Act::Play { thought: false, .. } | Act::Choices { .. } | Act::Hint { .. } if !decides(table, eye) => {
            Err(not_yours("another seat decides now"))
        }
        Act::Resign { seat } if eye.is_some_and(|eye| !is_of(eye, *seat)) => {
            Err(not_yours("only the person at a seat resigns for it"))
        }
        Act::Undo | Act::Redo | Act::GoTo { .. } | Act::Record | Act::Why { .. } => Ok(()),
        Act::Play { .. } | Act::Choices { .. } | Act::Hint { .. } | Act::Resign { .. } => Ok(()),
        // The views and pictures are what the eye sees, the lesson is about the rules, and the server itself asks for the rest.
        Act::View | Act::Board { .. } | Act::Lesson | Act::Think | Act::End { .. } => Ok(()),
    }
}

/// Whether somebody sits at a seat and means no other.
fn is_of(eye: Eye, meant: Option<usize>) -> bool {
    matches!(eye, Eye::Seat(seat) if meant.is_none_or(|meant| meant == seat))
}

fn hidden(message: &str) -> Refusal {
    Refusal::new("hidden", message)
}

fn not_yours(message: &str) -> Refusal {
    let help = "send the `key` of the seat, which `POST .../claim` gives to the first who asks for it";
    Refusal::new("not_yours", message).help(Some(help.to_owned()))
}
