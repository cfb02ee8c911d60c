//! Games in motion as GIF: of each picture only what has changed.

use super::PIXELS;
use super::raster::{Raster, RenderError};
use super::replay::{HOLD, Replay, Shot};
use super::style::Style;
use super::svg::{self, Frame};
use super::theme::Colours;
use gif::{DisposalMethod, Encoder, Repeat};

/// How carefully GIF chooses its colours, from 1 to 30, the best first.
const GIF_SPEED: i32 = 10;

impl Replay {
    /// A GIF that plays the game over and over.
    ///
    /// # Errors
    /// When a picture of this size cannot be made.
    pub fn gif(&self, style: &Style, milliseconds: u32) -> Result<Vec<u8>, RenderError> {
        let shots = self.shots(style);
        let Some(first) = shots.first() else { return Ok(Vec::new()) };
        let lines = shots.iter().map(|shot| shot.caption.len()).max().unwrap_or(0);
        let frame = Frame::of(&first.scene, lines);
        let (width, height) = frame.pixels(style.size.unwrap_or(PIXELS));
        let size = || RenderError::Size { width, height };
        let (wide, high) = (u16::try_from(width).map_err(|_| size())?, u16::try_from(height).map_err(|_| size())?);
        let packing = |error: gif::EncodingError| RenderError::Packing(error.to_string());

        let raster = Raster::default();
        let mut encoder = Encoder::new(Vec::new(), wide, high, &[]).map_err(packing)?;
        encoder.set_repeat(Repeat::Infinite).map_err(packing)?;
        let mut before: Option<Vec<u8>> = None;
        for (index, shot) in shots.iter().enumerate() {
            let picture = still(shot, style, &frame);
            let pixels = raster.draw(&picture, width, height)?.take();
            let held = if index + 1 == shots.len() { HOLD } else { 1 };
            // GIF counts in hundredths of a second.
            let delay = u16::try_from(milliseconds.saturating_mul(held) / 10).unwrap_or(u16::MAX);
            let part = Part::changed(before.as_deref(), &pixels, usize::from(wide), usize::from(high));
            let mut cut = part.cut(&pixels, usize::from(wide));
            let mut image = gif::Frame::from_rgba_speed(part.width, part.height, &mut cut, GIF_SPEED);
            (image.left, image.top, image.delay, image.dispose) = (part.left, part.top, delay, DisposalMethod::Keep);
            encoder.write_frame(&image).map_err(packing)?;
            before = Some(pixels);
        }
        encoder.into_inner().map_err(|error| RenderError::Packing(error.to_string()))
    }
}

/// One position by itself, in a box that all positions share.
fn still(shot: &Shot, style: &Style, frame: &Frame) -> String {
    let mut out = svg::open(&shot.scene, style, frame, Colours::Fixed);
    out.push_str(&svg::under(&shot.scene));
    for (place, content) in shot.scene.places.iter().zip(&shot.contents) {
        out.push_str(&svg::site(place, shot.scene.ground, content));
    }
    out.push_str(&svg::coordinates(&shot.scene, frame));
    out.push_str(&svg::caption(&shot.caption, frame));
    out.push_str("</svg>\n");
    out
}

/// A part of a picture in pixels.
struct Part {
    left: u16,
    top: u16,
    width: u16,
    height: u16,
}

impl Part {
    /// The smallest box around all pixels that differ; one pixel where none does.
    fn changed(before: Option<&[u8]>, now: &[u8], width: usize, height: usize) -> Self {
        let Some(before) = before else {
            return Self { left: 0, top: 0, width: width as u16, height: height as u16 };
        };
        let (mut left, mut top, mut right, mut bottom) = (width, height, 0, 0);
        for (index, (old, new)) in before.chunks_exact(4).zip(now.chunks_exact(4)).enumerate() {
            if old != new {
                let (x, y) = (index % width, index / width);
                (left, top) = (left.min(x), top.min(y));
                (right, bottom) = (right.max(x + 1), bottom.max(y + 1));
            }
        }
        if right == 0 {
            (left, top, right, bottom) = (0, 0, 1, 1);
        }
        Self { left: left as u16, top: top as u16, width: (right - left) as u16, height: (bottom - top) as u16 }
    }

    /// The pixels of this part.
    fn cut(&self, pixels: &[u8], width: usize) -> Vec<u8> {
        let (left, length) = (usize::from(self.left) * 4, usize::from(self.width) * 4);
        pixels
            .chunks_exact(width * 4)
            .skip(usize::from(self.top))
            .take(usize::from(self.height))
            .flat_map(|row| row.get(left..left + length).unwrap_or_default())
            .copied()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_cut() {
        let (before, mut now) = (vec![0; 4 * 6], vec![0; 4 * 6]);
        now[4 * 4] = 1;
        let part = Part::changed(Some(&before), &now, 3, 2);
        assert_eq!((part.left, part.top, part.width, part.height), (1, 1, 1, 1));
        assert_eq!(part.cut(&now, 3), [1, 0, 0, 0]);
        let none = Part::changed(Some(&now), &now, 3, 2);
        assert_eq!((none.width, none.height), (1, 1));
    }
}
