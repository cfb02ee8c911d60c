//! What would be seen on a site if something else stood there.

use super::look::{Looks, looks};
use super::scene::{Piece, Place, Scene};
use super::style::Style;
use super::svg;
use crate::board::Site;
use crate::game::Position;
use crate::rules::Content;

/// Draws pieces on the sites of one position, whether they stand there or not.
pub struct Pieces {
    scene: Scene,
    looks: Looks,
}

impl Pieces {
    #[must_use]
    pub fn of(position: &Position) -> Self {
        Self { scene: Scene::of(position, &Style::default()), looks: looks(position.game().rules()) }
    }

    /// A piece as it would look on a site, as the inside of its group; nothing for an empty site.
    #[must_use]
    pub fn on(&self, site: Site, content: Content) -> String {
        let Some(place) = self.scene.places.iter().find(|place| place.site == site) else { return String::new() };
        let look = content.kind().and_then(|kind| self.looks.of(kind, content.owner()));
        let piece = look.map(|look| Piece { look: look.clone(), owner: content.owner() });
        svg::content(&Place { piece, count: None, ..place.clone() }, self.scene.ground)
    }
}
