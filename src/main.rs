//! The `ludwright` program.
fn main() {}
