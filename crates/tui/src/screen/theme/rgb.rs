//! Colours by their amounts of light, and how well one can be read on another.

use ratatui::style::Color;
use std::sync::OnceLock;

/// The contrast from which text is easy to read (WCAG 2, level AA).
const READABLE: f32 = 4.5;

/// How far a colour moves toward black or white in one step of becoming readable.
const STEP: f32 = 0.1;

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rgb(pub(crate) u8, pub(crate) u8, pub(crate) u8);

impl Rgb {
    pub(crate) const BLACK: Rgb = Rgb(0, 0, 0);
    pub(crate) const WHITE: Rgb = Rgb(255, 255, 255);

    /// The colour of a number from 16 on, which terminals leave as it is. People choose the first sixteen by themselves.
    pub(crate) fn from_index(index: u8) -> Option<Rgb> {
        let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
        match index {
            0..16 => None,
            16..232 => {
                let cube = index - 16;
                Some(Rgb(level(cube / 36), level(cube / 6 % 6), level(cube % 6)))
            }
            232.. => {
                let grey = 8 + 10 * (index - 232);
                Some(Rgb(grey, grey, grey))
            }
        }
    }

    /// The colour itself, where it does not depend on the terminal.
    pub(crate) fn from_colour(colour: Color) -> Option<Rgb> {
        match colour {
            Color::Rgb(red, green, blue) => Some(Rgb(red, green, blue)),
            Color::Indexed(index) => Rgb::from_index(index),
            _ => None,
        }
    }

    /// From 1 (the same) to 21 (black on white), as WCAG 2 reckons it.
    pub(crate) fn contrast(self, other: Rgb) -> f32 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Whether dark text is easier to read on this than light text.
    pub(crate) fn is_light(self) -> bool {
        self.contrast(Rgb::BLACK) > self.contrast(Rgb::WHITE)
    }

    /// This colour with a `share` of another one, from 0 to 1.
    pub(crate) fn mix(self, other: Rgb, share: f32) -> Rgb {
        let amount = |from: u8, to: u8| {
            let mixed = f32::from(from) + (f32::from(to) - f32::from(from)) * share;
            // Between two bytes there are only bytes.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between two bytes")]
            let amount = mixed.round() as u8;
            amount
        };
        Rgb(amount(self.0, other.0), amount(self.1, other.1), amount(self.2, other.2))
    }

    /// This colour, moved toward black or white only as far as it takes to be readable on `ground`.
    pub(crate) fn readable_on(self, ground: Rgb) -> Rgb {
        let far = if ground.is_light() { Rgb::BLACK } else { Rgb::WHITE };
        let steps = (0..10u8).map(|step| self.mix(far, f32::from(step) * STEP));
        steps.into_iter().find(|colour| colour.contrast(ground) >= READABLE).unwrap_or(far)
    }

    /// The number of the nearest colour that is readable on `ground`, among those that are the same everywhere.
    pub(crate) fn nearest_index_on(self, ground: Rgb) -> u8 {
        let luminance = ground.luminance();
        let readable = indexed()
            .iter()
            .filter(|(_, _, other)| (other.max(luminance) + 0.05) / (other.min(luminance) + 0.05) >= READABLE);
        let nearest = readable.min_by_key(|(_, colour, _)| self.distance(*colour));
        nearest.map_or(if ground.is_light() { 16 } else { 231 }, |(index, _, _)| *index)
    }

    fn distance(self, other: Rgb) -> u32 {
        let square = |one: u8, two: u8| u32::from(one.abs_diff(two)).pow(2);
        square(self.0, other.0) + square(self.1, other.1) + square(self.2, other.2)
    }

    fn luminance(self) -> f32 {
        let linear = |amount: u8| {
            let amount = f32::from(amount) / 255.0;
            if amount <= 0.04045 { amount / 12.92 } else { ((amount + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

/// The colours that have a number and are the same everywhere, with their luminance.
fn indexed() -> &'static [(u8, Rgb, f32)] {
    static INDEXED: OnceLock<Vec<(u8, Rgb, f32)>> = OnceLock::new();
    let of = |index: u8| Rgb::from_index(index).map(|colour| (index, colour, colour.luminance()));
    INDEXED.get_or_init(|| (16..=255).filter_map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::{READABLE, Rgb};
    use pretty_assertions::assert_eq;

    #[test]
    fn contrast_is_that_of_wcag() {
        assert!((Rgb::BLACK.contrast(Rgb::WHITE) - 21.0).abs() < 0.01);
        assert!((Rgb(0x76, 0x76, 0x76).contrast(Rgb::WHITE) - 4.54).abs() < 0.01);
        assert!((Rgb(0x00, 0x00, 0xee).contrast(Rgb::BLACK) - 2.24).abs() < 0.01);
    }

    #[test]
    fn numbers_stand_for_the_cube_and_the_greys() {
        let known = [16, 22, 52, 231, 232, 246, 255].map(Rgb::from_index);
        let colours = [(0, 0, 0), (0, 95, 0), (95, 0, 0), (255, 255, 255), (8, 8, 8), (148, 148, 148), (238, 238, 238)];
        assert_eq!(known, colours.map(|(red, green, blue)| Some(Rgb(red, green, blue))));
        assert_eq!(Rgb::from_index(15), None);
    }

    #[test]
    fn every_colour_becomes_readable_on_every_background() {
        let steps = [0u8, 0x33, 0x66, 0x77, 0x99, 0xcc, 0xff];
        let all = || steps.into_iter().flat_map(|red| steps.map(|green| (red, green)));
        let all = || all().flat_map(|(red, green)| steps.map(|blue| Rgb(red, green, blue)));
        for ground in all() {
            for colour in all() {
                let readable = colour.readable_on(ground);
                assert!(readable.contrast(ground) >= READABLE, "{colour:?} on {ground:?} is {readable:?}");
                if colour.contrast(ground) >= READABLE {
                    assert_eq!(readable, colour, "what can be read already is left alone");
                }
                let index = Rgb::from_index(colour.nearest_index_on(ground)).unwrap();
                assert!(index.contrast(ground) >= READABLE, "{colour:?} on {ground:?} is {index:?}");
            }
        }
    }
}
