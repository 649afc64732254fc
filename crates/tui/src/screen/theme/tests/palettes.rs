//! The sixteen colours of palettes that many people use, as their makers publish them.

use crate::screen::theme::{Rgb, parse_colour};

/// What a terminal makes of the colours that programs name by number.
pub(super) struct Palette {
    pub(super) name: &'static str,
    pub(super) background: Rgb,
    pub(super) text: Rgb,
    /// Black, red, green, yellow, blue, magenta, cyan, white, and the bright ones.
    pub(super) colours: Vec<Rgb>,
}

/// Bright black is the dark background itself, and four of the bright colours are greys.
const SOLARIZED: &str = "#073642 #dc322f #859900 #b58900 #268bd2 #d33682 #2aa198 #eee8d5 \
                         #002b36 #cb4b16 #586e75 #657b83 #839496 #6c71c4 #93a1a1 #fdf6e3";
const XTERM: &str = "#000000 #cd0000 #00cd00 #cdcd00 #0000ee #cd00cd #00cdcd #e5e5e5 \
                     #7f7f7f #ff0000 #00ff00 #ffff00 #5c5cff #ff00ff #00ffff #ffffff";
const GNOME: &str = "#171421 #c01c28 #26a269 #a2734c #12488b #a347ba #2aa1b3 #d0cfcc \
                     #5e5c64 #f66151 #33d17a #e9ad0c #2a7bde #c061cb #33c7de #ffffff";
const VS_CODE_DARK: &str = "#000000 #cd3131 #0dbc79 #e5e510 #2472c8 #bc3fbc #11a8cd #e5e5e5 \
                            #666666 #f14c4c #23d18b #f5f543 #3b8eea #d670d6 #29b8db #e5e5e5";
const VS_CODE_LIGHT: &str = "#000000 #cd3131 #107c10 #949800 #0451a5 #bc05bc #0598bc #555555 \
                             #666666 #cd3131 #14ce14 #b5ba00 #0451a5 #bc05bc #0598bc #a5a5a5";

fn palette(name: &'static str, background: &str, text: &str, colours: &str) -> Palette {
    let colour = |text: &str| parse_colour(text).unwrap();
    let colours: Vec<Rgb> = colours.split_whitespace().map(colour).collect();
    assert_eq!(colours.len(), 16, "{name}");
    Palette { name, background: colour(background), text: colour(text), colours }
}

pub(super) fn dark_palettes() -> [Palette; 4] {
    [
        palette("Solarized dark", "#002b36", "#839496", SOLARIZED),
        palette("xterm, white on black", "#000000", "#e5e5e5", XTERM),
        palette("GNOME dark", "#171421", "#d0cfcc", GNOME),
        palette("VS Code dark", "#1e1e1e", "#cccccc", VS_CODE_DARK),
    ]
}

pub(super) fn light_palettes() -> [Palette; 4] {
    [
        palette("Solarized light", "#fdf6e3", "#657b83", SOLARIZED),
        palette("xterm, black on white", "#ffffff", "#000000", XTERM),
        palette("GNOME light", "#ffffff", "#171421", GNOME),
        palette("VS Code light", "#ffffff", "#333333", VS_CODE_LIGHT),
    ]
}
