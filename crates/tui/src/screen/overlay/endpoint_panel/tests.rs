use super::{EndpointAccess, EndpointPanel, EndpointState, qr_code_lines};
use crate::screen::overlay::testing::{key, shots, text};
use crate::screen::overlay::{Overlay, OverlayStep, UiEffect};
use crate::screen::theme::dark;
use crate::testing::EVIL;
use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use qrcode::{Color, EcLevel, QrCode};
use std::time::Instant;

/// As long as those that are made.
const TOKEN: &str = "f2c1d0a97b3e485634af67c7d456091afb239f4dacb4b671c2102fe3aeb0bfdf";

/// As the terminal that holds the session tells it.
fn endpoint() -> EndpointAccess {
    EndpointAccess {
        url: "http://127.0.0.1:41242/".into(),
        ws: "ws://127.0.0.1:41242/ws".into(),
        token: Some(TOKEN.into()),
        attach: "pollux attach 4711".into(),
        state: EndpointState::OpenHere,
    }
}

fn shot(endpoint: EndpointAccess, height: u16) -> String {
    let panel = EndpointPanel::new(endpoint);
    shots(height, |width, height, theme| panel.render(width, height, theme))
}

/// One that other machines reach.
fn outside() -> EndpointAccess {
    let (url, ws) = ("http://192.168.0.7:41242/".into(), "ws://192.168.0.7:41242/ws".into());
    EndpointAccess { url, ws, ..endpoint() }
}

#[test]
fn an_address_of_this_machine_has_no_code_for_a_camera() {
    let shown = |endpoint| {
        let text = text(&EndpointPanel::new(endpoint).render(120, 60, &dark()), 120, 60);
        (text.contains("This machine only"), text.contains('▀'))
    };
    assert_eq!((shown(endpoint()), shown(outside())), ((true, false), (false, true)));
}

#[test]
fn the_panel() {
    assert_snapshot!(shot(endpoint(), 24));
}

#[test]
fn the_panel_on_a_tall_screen() {
    assert_snapshot!(shot(outside(), 40));
}

#[test]
fn the_panel_on_a_small_screen() {
    assert_snapshot!(shot(outside(), 10));
}

#[test]
fn the_panel_of_a_terminal_that_has_joined() {
    let attach = "pollux attach http://127.0.0.1:41242".into();
    let endpoint = EndpointAccess { token: None, attach, state: EndpointState::OpenElsewhere, ..endpoint() };
    assert_snapshot!(shot(endpoint, 24));
}

#[test]
fn a_closed_endpoint() {
    assert_snapshot!(shot(EndpointAccess { state: EndpointState::Closed, ..endpoint() }, 24));
}

#[test]
fn keys_copy_close_and_open() {
    let address = format!("http://127.0.0.1:41242/#token={TOKEN}");
    let does = |state, name: &str| EndpointPanel::new(EndpointAccess { state, ..endpoint() }).key(key(name));
    assert_eq!(
        ["c", "x", "o", "esc", "q"].map(|name| does(EndpointState::OpenHere, name)),
        [
            OverlayStep::Do(UiEffect::Copy(address.clone())),
            OverlayStep::Stay,
            OverlayStep::Stay,
            OverlayStep::Close,
            OverlayStep::Close
        ]
    );
    assert_eq!(
        ["c", "x", "o", "esc"].map(|name| does(EndpointState::Closed, name)),
        [OverlayStep::Stay, OverlayStep::Stay, OverlayStep::Finish(UiEffect::OpenEndpoint(None)), OverlayStep::Close]
    );
    let elsewhere = ["c", "x", "o", "esc"].map(|name| does(EndpointState::OpenElsewhere, name));
    assert_eq!(
        elsewhere,
        [OverlayStep::Do(UiEffect::Copy(address)), OverlayStep::Stay, OverlayStep::Stay, OverlayStep::Close]
    );
    let mut panel = EndpointPanel::new(endpoint());
    assert_eq!(panel.key(key("C-c")), OverlayStep::Close);
    panel.key(key("c"));
    assert!(text(&panel.render(80, 24, &dark()), 80, 24).contains("is in the clipboard"));
}

#[test]
fn a_stray_letter_closes_nothing() {
    let mut panel = EndpointPanel::new(endpoint());
    let steps = ["f", "i", "x", "space", "i", "t", "y", "enter"].map(|name| panel.key(key(name)));
    let (stay, writes) = (OverlayStep::Stay, OverlayStep::ForComposer);
    let wanted = [&stay, &stay, &stay, &writes, &writes, &writes, &writes, &stay].map(OverlayStep::clone);
    assert_eq!(steps, wanted, "behind the question, what is typed is for the composer");
    assert!(text(&panel.render(80, 24, &dark()), 80, 24).contains("Close the endpoint?"));
    assert_eq!(panel.key(key("esc")), OverlayStep::Stay, "back to the panel");
    assert!(text(&panel.render(80, 24, &dark()), 80, 24).contains("This session is open to others"));
    panel.key(key("x"));
    std::thread::sleep(panel.changes_at().unwrap().saturating_duration_since(Instant::now()));
    assert_eq!(panel.key(key("y")), OverlayStep::Finish(UiEffect::CloseEndpoint));
}

#[test]
fn without_a_token_the_address_is_bare() {
    let mut panel = EndpointPanel::new(EndpointAccess { token: None, ..endpoint() });
    assert_eq!(panel.key(key("c")), OverlayStep::Do(UiEffect::Copy("http://127.0.0.1:41242/".into())));
    assert!(!text(&panel.render(80, 40, &dark()), 80, 40).contains("Whoever has"));
}

#[test]
fn the_code_is_a_square_with_a_light_border() {
    let lines = qr_code_lines("http://127.0.0.1:41242/", &dark()).unwrap();
    let width = lines[0].width();
    assert_eq!(lines.len(), width.div_ceil(2));
    for line in &lines {
        let text = line.to_string();
        assert_eq!(line.width(), width);
        assert!(text.starts_with("██") || text.starts_with("▀▀"), "{text}");
        assert!(text.ends_with("██") || text.ends_with("▀▀"), "{text}");
    }
    assert!(lines[0].to_string().chars().all(|ch| ch == '█'));
    // The corner that every code has: a dark frame around a dark square.
    assert_eq!(lines[1].to_string().chars().skip(2).take(7).collect::<String>(), " ▄▄▄▄▄ ");
}

#[test]
fn every_dot_of_the_code_is_drawn() {
    let text = "http://127.0.0.1:41242/#token=f2c1d0a97b3e4856";
    let wanted = QrCode::with_error_correction_level(text, EcLevel::L).unwrap();
    let rows: Vec<Vec<char>> =
        qr_code_lines(text, &dark()).unwrap().iter().map(|line| line.to_string().chars().collect()).collect();
    let light = |x: usize, y: usize| match rows[y / 2][x] {
        '█' => true,
        '▀' => y.is_multiple_of(2),
        '▄' => !y.is_multiple_of(2),
        ' ' => false,
        other => panic!("{other} is no dot"),
    };
    let side = wanted.width();
    let colour = |light: bool| if light { Color::Light } else { Color::Dark };
    let drawn: Vec<Color> = (0..side * side).map(|at| colour(light(at % side + 2, at / side + 2))).collect();
    assert_eq!(drawn, wanted.to_colors());
}

#[test]
fn what_is_too_long_for_a_code_is_words() {
    let panel = EndpointPanel::new(EndpointAccess { url: "x".repeat(5_000), ..endpoint() });
    assert!(text(&panel.render(120, 200, &dark()), 120, 200).contains("This session is open to others"));
}

#[test]
fn nothing_in_it_acts_on_the_terminal() {
    let (url, ws, attach, token) = (EVIL.into(), EVIL.into(), EVIL.into(), Some(EVIL.into()));
    let endpoint = EndpointAccess { url, ws, token, attach, state: EndpointState::OpenHere };
    assert!(shot(endpoint, 24).contains('␛'));
}
