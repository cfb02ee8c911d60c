//! Tests and records in the text of a game, run.
