//! Games as programs that learn see them: every action has a number, and positions are planes of bytes.
//!
//! [`Actions`] numbers what can ever be played, [`Planes`] says what is written about a position, and [`Session`] is a game in
//! progress that lists legal actions, plays them and writes planes into room that it is lent. [`Image`] says where sites and
//! actions go under each symmetry of the game.
//!
//! ```
//! use ludwright::learn::{Actions, Format, Planes, Session};
//! use ludwright::{Game, Library};
//!
//! let text = Library::text("hex").ok_or("no such game")?;
//! let game = Game::from_text("hex", text, None, &[], &Library)?;
//! let actions = Actions::of(&game);
//! assert_eq!((actions.len(), actions.is_split()), (121, false));
//! let planes = Planes::of(&game, &actions, Format::Channels);
//! assert_eq!(planes.shape(), [4, 11, 11]);
//!
//! let mut session = Session::new(&game, &actions);
//! let mut seen = vec![0; planes.len()];
//! while session.over().is_none() {
//!     let action = session.legal().first().copied().ok_or("nobody is stuck in Hex")?;
//!     session.apply(action)?;
//! }
//! session.observe(&planes, &mut seen);
//! assert_eq!(session.rewards().map(|rewards| rewards.iter().sum::<f32>()), Some(0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod actions;
mod expand;
mod images;
mod numbering;
mod planes;
mod reach;
mod session;

pub use actions::Actions;
pub use images::Image;
pub use planes::{Format, Planes};
pub use session::{SavedSession, Session, SessionError};
