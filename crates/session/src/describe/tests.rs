use super::{EntryContext, EntryOrigin, describe_entry};
use crate::*;
use expect_test::expect;
use pretty_assertions::assert_eq;
use uuid::Uuid;

const SESSION: SessionId = SessionId(Uuid::from_u128(7));

fn seat(label: &str) -> EntryAuthor {
    EntryAuthor::Client { principal: "local".into(), label: label.into() }
}

/// The sentences about `event` of another seat, in a session in which `before` has happened.
fn told(before: Vec<Event>, event: Event) -> Vec<String> {
    let entry = |(at, event): (usize, Event)| {
        let (seq, by) = (Seq(at as u64 + 1), seat("zed"));
        Entry { seq, at: UnixMillis(seq.0), by, task: None, event }
    };
    let last = before.len();
    let state = SessionState::fold(&before.into_iter().enumerate().map(entry).collect::<Vec<_>>());
    let (entry, reader) = (entry((last, event)), seat("terminal"));
    let context = EntryContext { state: &state, entry: &entry, reader: &reader, origin: EntryOrigin::Other };
    describe_entry(&context).iter().map(|note| format!("{:?}: {}", note.tone, note.lines())).collect()
}

fn prompted(text: &str) -> Event {
    Event::Prompted {
        fingerprint: CommandFingerprint("1".into()),
        task: SESSION.main_task(),
        kind: TaskKind::OpenEnded,
        text: text.into(),
        media: vec![],
        piped_len: 0,
        command: None,
        dialect: None,
        parts: vec![],
    }
}

#[test]
fn whoever_else_did_something_is_named() {
    let set = |mode| Event::Set { setting: SessionSetting::Mode(mode) };
    assert_eq!(told(vec![], set(ApprovalMode::Plan)), ["Info: mode set by A2A zed: plan"]);
    assert_eq!(told(vec![], set(ApprovalMode::Yolo)), ["Warn: mode set by A2A zed: yolo (nothing asks from now on)"]);
    assert_eq!(told(vec![], Event::Released), ["Info: the queue goes on by A2A zed"]);
}

#[test]
fn what_waited_is_told_on_one_line() {
    let long = format!("one\ntwo {}", "x".repeat(300));
    let gone = told(vec![prompted(&long)], Event::Unqueued { prompt: PromptId(Seq(1)) });
    assert_eq!(gone, [format!("Info: taken out of the queue by A2A zed: one⏎two {}…", "x".repeat(192))]);
}

#[test]
fn a_step_that_ends_oddly_and_its_sources() {
    let ended = Event::StepEnded {
        finish: "MAX_TOKENS".into(),
        usage: ModelUsage::default(),
        citations: vec!["(Rust) https://example.com".into(), "b".into()],
        response: None,
    };
    expect![[r#"
        Info: sources:
        (Rust) https://example.com
        b
        Warn: the model stopped early: MAX_TOKENS"#]]
    .assert_eq(&told(vec![], ended).join("\n"));
}

#[test]
fn what_the_model_forgets_is_all_or_the_newest_part() {
    let rewound = |to| told(vec![], Event::Rewound { to: Seq(to) });
    assert_eq!(rewound(0), ["Info: the model no longer knows of the conversation so far"]);
    assert_eq!(rewound(3), ["Info: the model no longer knows of the newest part of the conversation"]);
}

#[test]
fn a_summary_says_how_much_it_stands_for() {
    let compacted = |usage| Event::Compacted { before: Seq(1), summary: "so far".into(), usage };
    let usage = ModelUsage { prompt: 12_345, output: 900, ..ModelUsage::default() };
    let words = "Info: for the model, the conversation so far is this summary";
    assert_eq!(told(vec![], compacted(usage)), [format!("{words} (12.3k tokens became 900):")]);
    assert_eq!(told(vec![], compacted(ModelUsage::default())), [format!("{words}:")]);
}
