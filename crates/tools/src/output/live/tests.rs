use super::*;
use pretty_assertions::assert_eq;

#[test]
fn the_head_is_sent_in_full() {
    let mut live = Live::default();
    assert_eq!(live.next_piece(), None);
    live.push("one ");
    live.push("two");
    assert_eq!(live.next_piece(), Some(("one two".into(), 0)));
    assert_eq!(live.next_piece(), None);
}

#[test]
fn beyond_the_head_pieces_are_short_and_count_what_is_left_out() {
    let mut live = Live::default();
    live.push(&"h".repeat(LOGGED_HEAD - 1));
    // Two bytes, so it does not fit into what is left of the head.
    live.push("é");
    live.push(&"t".repeat(50_000));
    assert_eq!(live.next_piece(), Some(("h".repeat(LOGGED_HEAD - 1), 0)));
    assert_eq!(live.next_piece(), Some(("t".repeat(TAIL_PIECE), 50_002 - TAIL_PIECE as u64)));
    assert_eq!(live.next_piece(), None);
    live.push("end");
    assert_eq!(live.next_piece(), Some(("end".into(), 0)));
}

#[test]
fn a_character_on_the_edge_of_a_piece_stays_whole() {
    let mut live = Live::default();
    live.push(&"h".repeat(LOGGED_HEAD));
    live.push(&format!("é{}", "t".repeat(TAIL_PIECE - 1)));
    live.next_piece();
    assert_eq!(live.next_piece(), Some(("t".repeat(TAIL_PIECE - 1), 2)));
}

#[tokio::test(start_paused = true)]
async fn the_first_piece_goes_at_once_and_the_others_at_their_pace() {
    let mut live = Live::default();
    assert_eq!(live.due(), None);
    let now = Instant::now();
    live.push("first");
    assert_eq!(live.due(), Some(now));
    live.next_piece();
    live.sent(now);
    assert_eq!(live.due(), None);
    live.push(&"h".repeat(LOGGED_HEAD));
    assert_eq!(live.due(), Some(now + HEAD_PACE));
    live.next_piece();
    live.sent(now);
    assert_eq!(live.due(), Some(now + TAIL_PACE));
}
