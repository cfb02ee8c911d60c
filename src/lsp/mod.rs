//! A language server on standard input and output: the conversation, and who answers what.

mod actions;
mod analysis;
mod checks;
mod complete;
mod homes;
mod hover;
mod lenses;
mod navigate;
mod page;
mod paint;
mod runs;
mod server;
mod text;
mod wire;

pub use page::Asked;
pub use paint::painted;
pub use server::serve;
