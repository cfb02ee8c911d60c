//! Pictures of positions: a scene of shapes with places, and what is written from it.

mod caption;
mod colours;
mod figures;
mod ghost;
#[cfg(feature = "pictures")]
mod gif;
mod ground;
mod heat;
mod look;
mod page;
#[cfg(feature = "pictures")]
mod raster;
mod replay;
mod scene;
mod style;
mod svg;
pub(crate) mod text;
mod theme;

pub(crate) use ghost::Pieces;
pub use heat::heat;
pub use page::Player;
#[cfg(feature = "pictures")]
pub use raster::RenderError;
pub use replay::Replay;
pub use style::{Marks, Style, Theme};

use crate::game::Position;
use scene::Scene;
use theme::Colours;

/// A picture of a position. Every site is an element `<g class="site" data-site="NAME">`; classes and CSS variables
/// (`--lw-cell`, `--lw-p1`, ...) let a page change the colours.
#[must_use]
pub fn svg(position: &Position, style: &Style) -> String {
    svg::write(&Scene::of(position, style), style, Colours::Variables)
}

/// The style sheet of all pictures of a game in one theme.
pub(crate) fn sheet(position: &Position, theme: Theme) -> String {
    theme::sheet(theme, &Scene::of(position, &Style::default()), Colours::Variables)
}

/// The longer side of pictures in pixels where nothing else is said.
#[cfg(feature = "pictures")]
pub const PIXELS: u32 = 640;

/// A picture of a position as PNG; its longer side has `style.size` pixels.
///
/// # Errors
/// When a picture of this size cannot be made.
#[cfg(feature = "pictures")]
pub fn png(position: &Position, style: &Style) -> Result<Vec<u8>, RenderError> {
    let scene = Scene::of(position, style);
    let (width, height) = svg::Frame::of(&scene, scene.caption.len()).pixels(style.size.unwrap_or(PIXELS));
    raster::Raster::default().png(&svg::write(&scene, style, Colours::Fixed), width, height)
}
