use super::{MOST_BYTES, MOST_WAITING, SessionView};
use crate::*;
use pretty_assertions::assert_eq;
use uuid::Uuid;

/// A view of a session of a server that says whatever it likes, and the prompt it says over and over.
fn hostile() -> (SessionView, Entry) {
    let by = EntryAuthor::Client { principal: "local".into(), label: "far".into() };
    let event = Event::Prompted {
        fingerprint: CommandFingerprint("1".into()),
        task: SessionId(Uuid::from_u128(7)).main_task(),
        kind: TaskKind::OpenEnded,
        text: "again".into(),
        media: vec![],
        piped_len: 0,
        command: None,
        dialect: None,
        parts: vec![],
    };
    (SessionView::new(by.clone()), Entry { seq: Seq(1), at: UnixMillis(0), by, task: None, event })
}

/// The prompt `prompted` as entry `seq`, with this text.
fn said(prompted: &Entry, seq: usize, words: &str) -> Entry {
    let mut entry = prompted.clone();
    entry.seq = Seq(seq as u64);
    if let Event::Prompted { text, .. } = &mut entry.event {
        *text = words.to_owned();
    }
    entry
}

#[test]
fn a_queue_without_end_is_held_to_a_length() {
    let (mut view, prompted) = hostile();
    for seq in 1..=MOST_WAITING + 10 {
        view.apply(&said(&prompted, seq, "again"), EntryOrigin::Earlier);
    }
    assert_eq!(view.state.queue.len(), MOST_WAITING);
    assert_eq!(view.state.queue.front().map(|waiting| waiting.id), Some(PromptId(Seq(11))));
    assert_eq!((view.is_mine(PromptId(Seq(10))), view.is_mine(PromptId(Seq(11)))), (false, true));
}

#[test]
fn what_comes_along_with_prompts_counts() {
    let (mut view, mut prompted) = hostile();
    let blob = BlobRef { sha256: String::new(), len: 0, media: "image/png".into() };
    if let Event::Prompted { media, .. } = &mut prompted.event {
        *media = vec![MediaContent { name: "x".repeat(MOST_BYTES / 3), blob }];
    }
    for seq in 1..=5 {
        view.apply(&said(&prompted, seq, ""), EntryOrigin::Other);
    }
    assert_eq!(view.state.queue.len(), 2);
}

#[test]
fn a_queue_of_endless_prompts_is_held_to_a_size() {
    let (mut view, prompted) = hostile();
    let long = "x".repeat(MOST_BYTES / 4);
    for seq in 1..=6 {
        view.apply(&said(&prompted, seq, &long), EntryOrigin::Other);
    }
    assert_eq!(view.state.queue.len(), 4);
    let longer = Event::Requeued { prompt: PromptId(Seq(6)), text: long.repeat(2) };
    view.apply(&Entry { seq: Seq(7), event: longer, ..prompted }, EntryOrigin::Other);
    let left: Vec<u64> = view.state.queue.iter().map(|waiting| waiting.id.0.0).collect();
    assert_eq!(left, [4, 5, 6]);
}
