use super::trouble;
use pollux_remote::{DisconnectReason, SeatLinkState};
use pretty_assertions::assert_eq;
use std::time::Instant;

fn down(parting: DisconnectReason) -> SeatLinkState {
    let why = "cannot reach 127.0.0.1:41242: Connection refused (os error 111)".to_owned();
    SeatLinkState::Down { reason: parting, why, since: Instant::now(), attempt: 3 }
}

/// `pollux-tui` has the same sentences in its snapshots: change them there too.
#[test]
fn a_link_in_words() {
    let said = [
        SeatLinkState::Up,
        down(DisconnectReason::Lost),
        down(DisconnectReason::Goodbye),
        SeatLinkState::Ended("it is full".into()),
    ]
    .map(|link| trouble(&link, "127.0.0.1:41242"));
    let wanted = [
        None,
        Some(
            "not connected: cannot reach 127.0.0.1:41242: Connection refused (os error 111); trying again, nothing typed \
             is lost, Ctrl+D leaves",
        ),
        Some("sharing was closed where the session runs; waiting a minute for it to be opened again, Ctrl+D leaves"),
        Some("the session at 127.0.0.1:41242 is over for this terminal: it is full"),
    ];
    assert_eq!(said, wanted.map(|said| said.map(str::to_owned)));
}
