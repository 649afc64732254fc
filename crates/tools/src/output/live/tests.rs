use super::*;
use pretty_assertions::assert_eq;

#[test]
fn the_head_is_sent_in_full() {
    let mut live = LiveOutputBuffer::default();
    assert_eq!(live.next_piece(PieceKind::Next), None);
    live.push("one ");
    live.push("two");
    assert_eq!(live.next_piece(PieceKind::Next), Some(("one two".into(), 0)));
    assert_eq!(live.next_piece(PieceKind::Next), None);
}

#[test]
fn beyond_the_head_pieces_are_short_and_count_what_is_left_out() {
    let mut live = LiveOutputBuffer::default();
    live.push(&"h".repeat(LOGGED_HEAD - 1));
    // Two bytes, so it does not fit into what is left of the head.
    live.push("é");
    live.push(&"t".repeat(50_000));
    assert_eq!(live.next_piece(PieceKind::Next), Some(("h".repeat(LOGGED_HEAD - 1), 0)));
    assert_eq!(live.next_piece(PieceKind::Next), Some(("t".repeat(TAIL_PIECE), 50_002 - TAIL_PIECE as u64)));
    assert_eq!(live.next_piece(PieceKind::Next), None);
    live.push("end");
    assert_eq!(live.next_piece(PieceKind::Next), Some(("end".into(), 0)));
}

#[test]
fn a_character_on_the_edge_of_a_piece_stays_whole() {
    let mut live = LiveOutputBuffer::default();
    live.push(&"h".repeat(LOGGED_HEAD));
    live.push(&format!("é{}", "t".repeat(TAIL_PIECE - 1)));
    live.next_piece(PieceKind::Next);
    assert_eq!(live.next_piece(PieceKind::Next), Some(("t".repeat(TAIL_PIECE - 1), 2)));
}

#[tokio::test(start_paused = true)]
async fn the_first_piece_goes_at_once_and_the_others_at_their_pace() {
    let mut live = LiveOutputBuffer::default();
    assert_eq!(live.due(), None);
    let now = Instant::now();
    live.push("first");
    assert_eq!(live.due(), Some(now));
    live.next_piece(PieceKind::Next);
    live.sent(now);
    assert_eq!(live.due(), None);
    live.push(&"h".repeat(LOGGED_HEAD));
    assert_eq!(live.due(), Some(now + FRAME));
    live.next_piece(PieceKind::Next);
    live.sent(now);
    assert_eq!(live.due(), Some(now + FRAME));
}

#[tokio::test(start_paused = true)]
async fn a_command_that_prints_for_long_is_followed_less_closely() {
    for (printed, gaps) in [(0, [15, 15, 60, 100, 100]), (LOGGED_HEAD, [15, 15, 60, 160, 1000])] {
        let mut live = LiveOutputBuffer::default();
        live.push(&"h".repeat(printed));
        let mut found = Vec::new();
        for seconds in [0, 10, 50, 100, 3600] {
            tokio::time::advance(Duration::from_secs(seconds)).await;
            let now = Instant::now();
            live.push("piece");
            while live.next_piece(PieceKind::Next).is_some() {}
            live.sent(now);
            live.push("next");
            found.extend(live.due().map(|due| (due - now).as_millis()));
        }
        assert_eq!(found, gaps, "after {printed} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn the_tail_holds_so_much_a_second_and_the_end_of_it() {
    let mut live = LiveOutputBuffer::default();
    live.push(&"h".repeat(LOGGED_HEAD));
    live.next_piece(PieceKind::Next);
    let (mut length, mut gaps) = (0, Vec::new());
    for ms in [16, 16, 500, 5000] {
        live.sent(Instant::now());
        tokio::time::advance(Duration::from_millis(ms)).await;
        live.push(&"t".repeat(20_000));
        let (text, skipped) = live.next_piece(PieceKind::Next).unwrap();
        length += text.len() as u64 + skipped;
        gaps.push(text.len());
    }
    assert_eq!(gaps, [SHORT_PIECE, SHORT_PIECE, TAIL_PIECE / 2, TAIL_PIECE]);
    live.sent(Instant::now());
    live.push(&"t".repeat(20_000));
    let (text, skipped) = live.next_piece(PieceKind::Last).unwrap();
    assert_eq!((text.len(), length + 20_000), (TAIL_PIECE, length + skipped + TAIL_PIECE as u64));
    assert_eq!(length, 80_000, "what is left out is counted");
}

#[tokio::test(start_paused = true)]
async fn a_slow_disk_is_asked_less_often() {
    let mut live = LiveOutputBuffer::default();
    live.push("first");
    live.next_piece(PieceKind::Next);
    let began = Instant::now();
    tokio::time::advance(Duration::from_millis(40)).await;
    live.sent(began);
    live.push("second");
    assert_eq!(live.due(), Some(began + Duration::from_millis(80)));
}
