//! Every text field of every event, filled with what could harm a terminal.

use super::test_log::{TestLog, origin_of, seat};
use super::*;
use pretty_assertions::assert_eq;
use ratatui::text::Line;
use serde_json::json;

fn evil() -> String {
    format!("{EVIL}\0\ttab\nnext {EVIL}")
}

fn evil_change() -> FileDiff {
    FileDiff {
        name: evil(),
        path: evil(),
        old: Some(evil()),
        new: evil(),
        patch: format!("--- {EVIL}\n+++ {EVIL}\n{EVIL}\n@@ -1 +1 @@ {EVIL}\n-{EVIL}\t\n+{EVIL}\n {EVIL}\n\\{EVIL}\n"),
    }
}

fn evil_result(display: Option<ResultDisplay>) -> CallResult {
    let blob = BlobRef { sha256: evil(), len: 7, media: evil() };
    CallResult {
        text: evil(),
        display,
        structured: Some(Box::new(json!({ "x": evil() }))),
        exit_code: Some(1),
        whole: Some(blob.clone()),
        media: vec![MediaContent { name: evil(), blob }],
        leaves: vec![
            CallArtifact::Link { url: evil(), name: evil(), media: Some(evil()) },
            CallArtifact::Data { data: json!({ "x": evil() }) },
        ],
        seen: vec![pollux_session::SeenFile { path: evil(), sha256: evil() }],
    }
}

fn evil_log() -> TestLog {
    let mut log = TestLog::default();
    let evil_seat = || seat(&evil());
    log.open(&evil());
    for model in [evil(), format!("{}2", evil())] {
        log.agent(Event::Equipped(RuntimeDescription { model, tools: vec![evil()], ..RuntimeDescription::default() }));
    }
    log.add(evil_seat(), Event::Set { setting: SessionSetting::Model(evil()) });
    let waits = log.queue(evil_seat(), &evil());
    log.add(evil_seat(), Event::Requeued { prompt: waits, text: evil() });
    log.add(evil_seat(), Event::Unqueued { prompt: waits });
    log.add(evil_seat(), Event::Released);
    log.prompt_by(evil_seat(), &evil());
    log.agent(Event::Commanded { name: evil() });
    log.agent(Event::Attached { name: evil(), text: evil(), media: vec![], seen: Vec::new() });
    log.item(ItemKind::Thought, &format!("**{EVIL}**\n{EVIL}"), false);
    log.item(ItemKind::Thought, &evil(), false);
    log.item(ItemKind::Text, &evil(), true);
    log.agent(Event::Retrying { reason: evil(), attempt: 2, wait_ms: 1 });
    log.agent(Event::FellBack { from: evil(), to: evil(), why: evil() });
    log.agent(Event::StepEnded {
        finish: evil(),
        usage: ModelUsage::default(),
        citations: vec![evil(), evil()],
        response: None,
    });
    let outcomes = [
        CallOutcome::Succeeded { result: evil_result(Some(ResultDisplay::Text { text: evil() })) },
        CallOutcome::Succeeded { result: evil_result(Some(ResultDisplay::Text { text: EVIL.into() })) },
        CallOutcome::Succeeded { result: evil_result(Some(ResultDisplay::Diff(evil_change()))) },
        CallOutcome::Failed { error: CallError { kind: evil(), message: evil() }, result: Some(evil_result(None)) },
        CallOutcome::Denied { why: EVIL.into() },
        CallOutcome::Denied { why: evil() },
        CallOutcome::Declined,
    ];
    let parent = log.call(&evil(), json!({ "agent_name": evil(), "command": evil() }), None);
    log.agent(Event::CallStarted { call: parent });
    for outcome in outcomes {
        let call = log.call(&evil(), json!({ evil(): evil() }), Some(parent));
        let (schema, choice) = (json!({ "properties": { evil(): { "title": evil() } } }), once_choice());
        let details = AskDetails::Generic { description: evil(), schema: Some(schema) };
        let option = AskOption {
            id: evil(),
            name: evil(),
            grant: Some(Grant::Command { command: evil(), directory: None }),
            ..choice
        };
        let ask = Ask::new(details, vec![option.clone()]);
        log.agent(Event::Asked { call, kind: ToolKind::Converse, ask, revision: 0 });
        log.answered(evil_seat(), call, &option, Some(AnswerEdit::Answers { answers: json!({ evil(): evil() }) }));
        log.agent(Event::Allowed { call, kind: ToolKind::Edit, why: evil(), plan: None });
        for saved in [Ok(evil()), Err(evil())] {
            log.agent(Event::Checkpointed(WorkspaceCheckpoint {
                call,
                name: evil(),
                saved,
                file: None,
                files: vec![],
            }));
        }
        log.agent(Event::CallStarted { call });
        log.agent(Event::Output { call, offset: 5, text: evil() });
        log.agent(Event::Spent { call, model: evil(), usage: ModelUsage::default() });
        log.agent(Event::CallEnded { call, outcome });
        log.agent(Event::Kept { grant: option.grant.unwrap(), reach: GrantScope::Always, failure: Some(evil()) });
    }
    log.agent(Event::CompactWanted);
    log.agent(Event::Compacted { before: Seq(1), summary: evil(), usage: ModelUsage::default() });
    log.agent(Event::NotCompacted { why: evil() });
    let failure = TurnFailure { kind: evil(), message: evil() };
    log.agent(Event::TurnEnded { outcome: TurnOutcome::Failed { failure } });
    log
}

fn assert_lines_harmless(lines: &[Line<'static>]) {
    for span in lines.iter().flat_map(|line| &line.spans) {
        assert_harmless(&span.content);
        assert!(!span.content.contains(['\n', '\t']), "{span:?}");
    }
}

#[test]
fn nothing_in_any_event_acts_on_the_terminal() {
    let log = evil_log();
    let (mut transcript_view, mut view) = (chronicle(), SessionView::new(test_log::me()));
    transcript_view.greet(vec![evil()]);
    transcript_view.say(NoteTone::Info, evil());
    transcript_view.notice(&Notice { level: NoticeLevel::Error, text: evil() });
    for entry in &log.entries {
        view.apply(entry, origin_of(entry));
        transcript_view.apply(&view, entry, origin_of(entry));
        let doing = view.activity(UnixMillis(0)).map(|doing| doing.words).unwrap_or_default();
        assert_harmless(&doing);
        assert_lines_harmless(&transcript_view.live(&view, 60, 1_000, &dark(), UnixMillis(0)));
        assert_lines_harmless(&transcript_view.finished(60, &dark()));
    }
    assert_lines_harmless(&transcript_view.snapshot().expanded_lines(60, &dark()));
}

#[test]
fn what_is_shown_of_an_attack_is_visible() {
    let mut log = TestLog::default();
    log.prompt("go");
    log.ran("run_shell_command", json!({ "command": "ls \u{202e}\u{1b}[8m x" }), 1, CallOutcome::Cancelled);
    assert_eq!(rendered_text(&log, 80, true), "> go\n- run_shell_command ls ⟨U+202E⟩␛[8m x  cancelled · 11 ms");
}
