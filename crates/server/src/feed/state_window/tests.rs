//! The reach of a window, and its cost.

use super::{CHECKPOINT_ENTRIES, KEPT_BYTES, StateWindow};
use crate::feed::frame_ring::KEPT_ENTRIES;
use pollux_session::{Entry, EntryAuthor, Event, ItemId, Seq, UnixMillis};
use pretty_assertions::assert_eq;
use std::sync::Arc;

fn window(entries: u64, bytes: usize) -> StateWindow {
    let mut window = StateWindow::default();
    for seq in 1..=entries {
        let event = Event::Piece { item: ItemId(Seq(1)), offset: 0, text: "x".repeat(bytes) };
        let entry = Entry { seq: Seq(seq), at: UnixMillis(0), by: EntryAuthor::Agent, task: None, event };
        window.apply(&Arc::new(entry));
    }
    window
}

#[test]
fn a_window_reaches_as_far_back_as_frames_are_kept() {
    for entries in [1, 511, 512, 1024, 1025, 5000] {
        let window = window(entries, 1);
        let start = Seq(entries.saturating_sub(KEPT_ENTRIES as u64));
        let state = window.state_before(start).expect("it is at hand");
        assert!(start.0 - state.state.head.0 < CHECKPOINT_ENTRIES, "the way from a checkpoint is short");
        let after: Vec<Seq> =
            window.entries_after(start).expect("they are at hand").iter().map(|entry| entry.seq).collect();
        assert_eq!(after, (start.0 + 1..=entries).map(Seq).collect::<Vec<Seq>>());
        assert!(window.entries.len() <= KEPT_ENTRIES + CHECKPOINT_ENTRIES as usize);
    }
}

#[test]
fn what_is_longer_ago_is_not_at_hand() {
    let window = window(5000, 1);
    assert!(window.state_before(Seq(1000)).is_none());
    assert!(window.entries_after(Seq(1000)).is_none());
    assert_eq!(window.state_before(Seq(9000)).map(|state| state.state.head), Some(Seq(5000)));
}

#[test]
fn large_entries_are_kept_as_far_as_there_is_room() {
    let window = window(1000, 8 * 1024);
    assert!(window.bytes <= KEPT_BYTES, "{} bytes", window.bytes);
    assert_eq!(window.bytes, window.entries.iter().map(|entry| entry.weight()).sum::<usize>());
}

#[test]
fn a_stream_can_begin_before_an_entry_of_any_size() {
    let window = window(5, 10 * KEPT_BYTES);
    assert_eq!(window.state_before(Seq(4)).map(|state| state.state.head), Some(Seq(4)));
    assert_eq!(window.entries_after(Seq(4)).map(|entries| entries.len()), Some(1));
}

#[test]
fn a_state_is_copied_only_while_somebody_reads_it() {
    let mut window = window(3, 1);
    let entry = Arc::clone(&window.entries[2]);
    let at = Arc::as_ptr(window.newest());
    window.apply(&entry);
    assert_eq!(Arc::as_ptr(window.newest()), at);
    let reader = Arc::clone(window.newest());
    window.apply(&entry);
    assert!(!Arc::ptr_eq(window.newest(), &reader));
}
