//! Turns SVG into pixels, with letters of its own: no font of the system is asked for.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// The name of the font that is brought along.
const FONT: &str = "Ubuntu";

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// What is to be drawn is not understood.
    #[error("the picture cannot be drawn: {0}")]
    Drawing(String),
    /// It is too large, or has no size.
    #[error("a picture of {width} by {height} pixels cannot be made")]
    Size {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
    },
    /// The pixels cannot be written as a file.
    #[error("the picture cannot be packed: {0}")]
    Packing(String),
}

/// Draws pictures in pixels; the fonts are read once.
pub struct Raster {
    options: Options<'static>,
}

impl Default for Raster {
    fn default() -> Self {
        let mut options = Options { font_family: FONT.to_owned(), ..Options::default() };
        let fonts = options.fontdb_mut();
        fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
        // Has what the other lacks, as Cyrillic, Greek and signs.
        fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
        fonts.set_sans_serif_family(FONT);
        Self { options }
    }
}

impl Raster {
    /// The pixels of a picture.
    pub fn draw(&self, svg: &str, width: u32, height: u32) -> Result<Pixmap, RenderError> {
        let tree = Tree::from_str(svg, &self.options).map_err(|error| RenderError::Drawing(error.to_string()))?;
        let mut pixmap = Pixmap::new(width, height).ok_or(RenderError::Size { width, height })?;
        let size = tree.size();
        let scale = Transform::from_scale(width as f32 / size.width(), height as f32 / size.height());
        resvg::render(&tree, scale, &mut pixmap.as_mut());
        Ok(pixmap)
    }

    /// A picture as PNG.
    pub fn png(&self, svg: &str, width: u32, height: u32) -> Result<Vec<u8>, RenderError> {
        self.draw(svg, width, height)?.encode_png().map_err(|error| RenderError::Packing(error.to_string()))
    }
}
