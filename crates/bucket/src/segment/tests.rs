//! Whatever an entry names is carried with it.

use super::blobs;
use pollux_session::{
    BlobRef, CallId, CallOutcome, CallResult, CommandFingerprint, Entry, EntryAuthor, Event, MediaContent, Seq, TaskId,
    TaskKind, UnixMillis,
};

fn blob(name: &str) -> BlobRef {
    BlobRef { sha256: name.into(), len: 1, media: "image/png".into() }
}

fn named(event: Event) -> Vec<String> {
    let entry = Entry { seq: Seq(1), at: UnixMillis(1), by: EntryAuthor::Agent, task: None, event };
    blobs(&entry).into_iter().map(|blob| blob.sha256).collect()
}

#[test]
fn prompts_attachments_and_results_name_blobs() {
    let media = || vec![MediaContent { name: "a.png".into(), blob: blob("a") }];
    let prompted = Event::Prompted {
        fingerprint: CommandFingerprint("print".into()),
        task: TaskId(uuid::Uuid::nil()),
        kind: TaskKind::Once,
        text: "look".into(),
        media: media(),
        piped_len: 0,
        dialect: None,
        parts: vec![],
        command: None,
    };
    assert_eq!(named(prompted), ["a"]);
    assert_eq!(
        named(Event::Attached { name: "@a.png".into(), text: "files".into(), media: media(), seen: Vec::new() }),
        ["a"]
    );
    let result = CallResult { media: media(), whole: Some(blob("whole")), ..CallResult::default() };
    let outcome = CallOutcome::Succeeded { result };
    assert_eq!(named(Event::CallEnded { call: CallId(Seq(1)), outcome }), ["a", "whole"]);
    assert!(named(Event::Released).is_empty());
}
