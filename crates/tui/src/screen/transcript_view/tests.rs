use super::*;
use crate::screen::theme::{dark, plain};
use crate::testing::{EVIL, assert_harmless};
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::json;

mod attack;
mod snapshots;
mod test_log;

use test_log::{TestLog, result, text_of};

fn chronicle() -> TranscriptView {
    TranscriptView::with_detail(DetailLevel::Collapsed, TimeZone::UTC)
}

/// Fold everything; `finished` after each entry or only at the end.
fn rendered_text(log: &TestLog, width: u16, each: bool) -> String {
    let (mut transcript_view, mut view) = (chronicle(), SessionView::new(test_log::me()));
    let mut lines = Vec::new();
    for entry in &log.entries {
        let whose = test_log::origin_of(entry);
        view.apply(entry, whose);
        transcript_view.apply(&view, entry, whose);
        if each {
            lines.extend(transcript_view.finished(width, &dark()));
        }
    }
    lines.extend(transcript_view.finished(width, &dark()));
    text_of(&lines)
}

#[test]
fn a_resumed_session_looks_exactly_as_it_did() {
    let log = snapshots::conversation();
    for width in [40, 80, 120] {
        assert_eq!(rendered_text(&log, width, true), rendered_text(&log, width, false));
    }
}

#[test]
fn what_whoever_opened_a_session_allowed_is_told_in_their_name() {
    let words = vec!["git".to_owned(), EVIL.to_owned()];
    let overrides = SessionOverrides {
        grants: vec![Grant::Prefix { words, options: Vec::new(), directory: None }],
        ..SessionOverrides::default()
    };
    let mut log = TestLog::default();
    log.open_with(test_log::seat("curl"), "/ws", overrides);
    let told = rendered_text(&log, 1_000, false);
    assert_harmless(&told);
    let said = "allowed in this session by A2A curl: every command that begins with `git ";
    assert!(told.contains(said), "{told}");
}

#[test]
fn no_line_is_wider_than_the_screen() {
    let log = snapshots::conversation();
    for width in [40, 41, 63, 80, 120, 300] {
        let (mut transcript_view, mut view) = (chronicle(), SessionView::new(test_log::me()));
        for entry in &log.entries {
            view.apply(entry, EntryOrigin::Other);
            transcript_view.apply(&view, entry, EntryOrigin::Other);
            let mut lines = transcript_view.live(&view, width, 1_000, &dark(), entry.at);
            lines.extend(transcript_view.finished(width, &dark()));
            let wide = lines.iter().find(|line| line.width() > usize::from(width));
            assert_eq!(wide, None, "at {width}");
        }
        let wide = transcript_view
            .snapshot()
            .expanded_lines(width, &plain())
            .into_iter()
            .find(|line| line.width() > usize::from(width));
        assert_eq!(wide, None, "opened at {width}");
    }
}

#[test]
fn what_was_live_is_what_is_finished() {
    let mut log = TestLog::default();
    log.prompt("me");
    log.agent(Event::Said { kind: ItemKind::Text, text: "One.\n\nTwo\n\n- li".into(), response: None });
    let (mut transcript_view, mut view) = (chronicle(), SessionView::new(test_log::me()));
    for entry in &log.entries {
        view.apply(entry, EntryOrigin::Other);
        transcript_view.apply(&view, entry, EntryOrigin::Other);
    }
    let live = text_of(&transcript_view.live(&view, 80, 100, &dark(), UnixMillis(0)));
    let mut lines = transcript_view.finished(80, &dark());
    lines.extend(transcript_view.live(&view, 80, 100, &dark(), UnixMillis(0)));
    assert_eq!(text_of(&lines), live);
    assert_eq!(live, "[terminal] > me\n\n✦ One.\n\n  Two\n\n  - li");
}

#[test]
fn the_live_part_is_as_high_as_there_is_room_and_the_newest() {
    let mut log = TestLog::default();
    log.prompt("go");
    for number in 0..5 {
        let call = log.call("run_shell_command", serde_json::json!({ "command": format!("job {number}") }), None);
        log.agent(Event::CallStarted { call });
    }
    let (mut transcript_view, mut view) = (chronicle(), SessionView::new(test_log::me()));
    for entry in &log.entries {
        view.apply(entry, EntryOrigin::Earlier);
        transcript_view.apply(&view, entry, EntryOrigin::Earlier);
    }
    assert_eq!(text_of(&transcript_view.finished(80, &dark())), "> go");
    let live = transcript_view.live(&view, 80, 2, &dark(), UnixMillis(0));
    assert_eq!(text_of(&live), "⠋ run_shell_command job 3\n⠋ run_shell_command job 4");
}

#[test]
fn a_call_that_ends_first_waits_for_the_one_above_it() {
    let mut log = TestLog::default();
    log.prompt("go");
    let first = log.call("read_file", serde_json::json!({ "path": "a" }), None);
    let second = log.call("read_file", serde_json::json!({ "path": "b" }), None);
    log.agent(Event::CallStarted { call: first });
    log.agent(Event::CallStarted { call: second });
    log.agent(Event::CallEnded { call: second, outcome: CallOutcome::Succeeded { result: result("") } });
    assert_eq!(rendered_text(&log, 80, true), "> go");
    log.agent(Event::CallEnded { call: first, outcome: CallOutcome::Succeeded { result: result("") } });
    assert_eq!(rendered_text(&log, 80, true), "> go\n✓ read_file a  30 ms\n✓ read_file b  10 ms");
}

#[test]
fn the_newest_answer_can_be_copied() {
    let mut view = SessionView::new(test_log::me());
    assert_eq!(view.newest_answer(), None);
    let mut log = TestLog::default();
    log.prompt("go");
    log.says("old");
    log.says("**new** answer\n");
    log.entries.iter().for_each(|entry| view.apply(entry, EntryOrigin::Other));
    assert_eq!(view.newest_answer(), Some("**new** answer"));
}

fn doing(log: &TestLog, now: u64) -> Option<(String, u64)> {
    let mut view = SessionView::new(test_log::me());
    log.entries.iter().for_each(|entry| view.apply(entry, EntryOrigin::Other));
    view.activity(UnixMillis(now)).map(|doing| (doing.words, doing.elapsed_ms))
}

#[test]
fn the_spinner_says_what_is_going_on() {
    let mut log = TestLog::default();
    assert_eq!(doing(&log, 0), None);
    log.prompt("go");
    let began = log.at;
    assert_eq!(doing(&log, began + 70), Some(("Thinking".into(), 70)));
    log.agent(Event::Retrying { reason: "busy".into(), attempt: 2, wait_ms: 4_000 });
    let tried = log.at;
    assert_eq!(doing(&log, tried + 500), Some(("Trying again in 4 s (attempt 2)".into(), tried + 500 - began)));
    assert_eq!(doing(&log, tried + 4_000), Some(("Trying again (attempt 2)".into(), tried + 4_000 - began)));
    log.agent(Event::Said { kind: ItemKind::Thought, text: "**Reading\u{1b} the tests**\n".into(), response: None });
    assert_eq!(doing(&log, began), Some(("Thinking".into(), 0)), "what it thinks about is above");
    log.agent(Event::ItemEnded { item: ItemId(Seq(log.seq)), len: 0, cut: false, meta: serde_json::Value::Null });
    log.step_ended();
    let call = log.call("run_shell_command", serde_json::json!({ "command": "ls" }), None);
    let behind = log.call("read_file", serde_json::json!({ "file_path": "a" }), None);
    log.asked(call, "ls");
    log.agent(Event::Allowed { call: behind, kind: ToolKind::Read, why: "test".into(), plan: None });
    let worked = log.at - began;
    assert_eq!(doing(&log, log.at + 60_000), None, "the person takes time, and the read its turn");
    log.at += 60_000;
    log.agent(Event::CallStarted { call });
    let running = Some(("Working".into(), worked + 1_000));
    assert_eq!(doing(&log, log.at + 1_000), running, "without the person's time");
    log.agent(Event::TurnEnded { outcome: TurnOutcome::Rested });
    assert_eq!(doing(&log, 0), None);
    log.agent(Event::CompactWanted);
    assert_eq!(doing(&log, log.at + 5), Some(("Summing up the conversation".into(), 5)));
}

#[test]
fn that_there_is_a_way_back_is_said_once_and_not_of_a_command_of_the_persons_own() {
    const WAY_BACK: &str = "· files were saved before each change: /restore goes back";
    let mut log = TestLog::default();
    let (mut transcript_view, mut view) = (chronicle(), SessionView::new(test_log::me()));
    let mut told = Vec::new();
    for command in ["shell", "init", "init"] {
        let before = log.entries.len();
        log.prompt("go");
        log.agent(Event::Commanded { name: command.into() });
        let call = log.call("run_shell_command", serde_json::json!({ "command": "make" }), None);
        let saved = Ok("abc".into());
        log.agent(Event::Checkpointed(WorkspaceCheckpoint {
            call,
            name: "2026-01-01".into(),
            saved,
            file: None,
            files: vec![],
        }));
        log.agent(Event::CallStarted { call });
        log.agent(Event::TurnEnded { outcome: TurnOutcome::Rested });
        for entry in &log.entries[before..] {
            view.apply(entry, EntryOrigin::Other);
            transcript_view.apply(&view, entry, EntryOrigin::Other);
        }
        let turn = text_of(&transcript_view.finished(80, &dark()));
        assert!(!turn.contains("saved before it"), "{turn}");
        told.push(turn.contains(WAY_BACK));
    }
    assert_eq!(told, [false, true, false]);
    // Whoever opens the details sees it at each call, with the number to type.
    let all = text_of(&transcript_view.snapshot().expanded_lines(80, &dark()));
    assert_eq!(all.matches("· saved before it: /restore ").count(), 3, "{all}");
}

#[test]
fn a_resumed_conversation_is_not_shown_as_a_summary_too() {
    let compacted =
        || Event::Compacted { before: Seq(1), summary: "the text for the model".into(), usage: ModelUsage::default() };
    for (command, is_summary) in [("chat resume", false), ("compress", true)] {
        let mut log = TestLog::default();
        log.prompt("go");
        log.agent(Event::Commanded { name: command.into() });
        log.agent(compacted());
        let (mut transcript_view, mut view) = (chronicle(), SessionView::new(test_log::me()));
        for entry in &log.entries {
            view.apply(entry, EntryOrigin::Other);
            transcript_view.apply(&view, entry, EntryOrigin::Other);
        }
        let shown = text_of(&transcript_view.finished(80, &dark()));
        assert_eq!(shown.contains("the text for the model"), is_summary, "{shown}");
        assert_eq!(shown.contains("· for the model, the conversation so far is the saved one; /rewind"), !is_summary);
    }
}

#[test]
fn a_command_that_prints_without_end_keeps_only_its_tail() {
    let mut log = TestLog::default();
    log.prompt("go");
    let call = log.call("run_shell_command", serde_json::json!({ "command": "yes" }), None);
    log.agent(Event::CallStarted { call });
    let piece = "y\n".repeat(10_000);
    for at in 0..20 {
        log.agent(Event::Output { call, offset: at * 20_000, text: piece.clone() });
    }
    let (mut transcript_view, mut view) = (chronicle(), SessionView::new(test_log::me()));
    for entry in &log.entries {
        view.apply(entry, EntryOrigin::Other);
        transcript_view.apply(&view, entry, EntryOrigin::Other);
    }
    transcript_view.finished(80, &dark());
    let live = text_of(&transcript_view.live(&view, 80, 30, &dark(), UnixMillis(0)));
    let expected = "⠋ run_shell_command yes\n  … 199990 earlier lines (Ctrl+O)".to_owned() + &"\n  │ y".repeat(10);
    assert_eq!(live, expected);
    assert_eq!(
        transcript_view.snapshot().expanded_lines(80, &dark()).iter().filter(|line| line.width() == 5).count(),
        200_000
    );
}

#[test]
fn running_commands_share_the_room_and_each_keeps_its_line() {
    let mut log = TestLog::default();
    log.prompt("go");
    let calls: Vec<CallId> = (0..3)
        .map(|number| log.call("run_shell_command", serde_json::json!({ "command": format!("job {number}") }), None))
        .collect();
    for call in calls {
        log.agent(Event::CallStarted { call });
        log.agent(Event::Output { call, offset: 0, text: "1\n2\n3\n4\n5\n6\n7\n8\n9\n".into() });
    }
    let (mut transcript_view, mut view) = (chronicle(), SessionView::new(test_log::me()));
    for entry in &log.entries {
        view.apply(entry, EntryOrigin::Other);
        transcript_view.apply(&view, entry, EntryOrigin::Other);
    }
    transcript_view.finished(80, &dark());
    let live = text_of(&transcript_view.live(&view, 80, 9, &dark(), UnixMillis(0)));
    let one = |number| format!("⠋ run_shell_command job {number}\n  … 8 earlier lines (Ctrl+O)\n  │ 9");
    assert_eq!(live, [one(0), one(1), one(2)].join("\n"));
}

#[test]
fn that_the_model_forgets_is_said_once_for_files_and_conversation() {
    let mut log = TestLog::default();
    log.prompt("go back");
    let call = log.call("restore_checkpoint", serde_json::json!({ "to": "before it" }), None);
    log.agent(Event::CallStarted { call });
    log.agent(Event::Rewound { to: Seq(2) });
    log.agent(Event::CallEnded { call, outcome: CallOutcome::Succeeded { result: result("") } });
    log.agent(Event::Rewound { to: Seq(1) });
    let sentence = "the model no longer knows";
    assert_eq!(rendered_text(&log, 80, true).matches(sentence).count(), 1);
    log.says("Again?");
    log.agent(Event::Rewound { to: Seq(1) });
    assert_eq!(rendered_text(&log, 80, true).matches(sentence).count(), 2);
}

/// What is live of these entries at this size.
fn live_text(log: &TestLog, width: u16, height: u16) -> String {
    let (mut transcript_view, mut view) = (chronicle(), SessionView::new(test_log::me()));
    for entry in &log.entries {
        view.apply(entry, EntryOrigin::Other);
        transcript_view.apply(&view, entry, EntryOrigin::Other);
    }
    transcript_view.finished(width, &dark());
    text_of(&transcript_view.live(&view, width, height, &dark(), UnixMillis(log.at + 2_000)))
}

#[test]
fn the_first_line_of_a_running_call_is_one_row_and_the_last_to_go() {
    let mut log = TestLog::default();
    log.prompt("go");
    let command = "cd /a/long/way && for i in 1 2 3 4 5; do echo $i; sleep 1; done; exit 3";
    let call = log.call("run_shell_command", serde_json::json!({ "command": command }), None);
    log.agent(Event::CallStarted { call });
    log.agent(Event::Output { call, offset: 0, text: "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n".into() });
    let head = "⠋ run_shell_command cd /a/long/way && f…  2 s";
    for height in [1, 2, 3, 6, 12] {
        let live = live_text(&log, 45, height);
        assert_eq!(live.lines().next(), Some(head), "{live}");
        assert!(live.lines().count() <= usize::from(height), "{live}");
    }
    assert_eq!(live_text(&log, 45, 3), format!("{head}\n  … 11 earlier lines (Ctrl+O)\n  │ 12"));
}

#[test]
fn two_agents_at_once_keep_a_line_each() {
    let mut log = TestLog::default();
    log.prompt("go");
    let agents = ["one", "two"].map(|name| {
        let args =
            serde_json::json!({ "agent_name": name, "prompt": "Write a long documentation of everything there is" });
        let call = log.call("invoke_agent", args, None);
        log.agent(Event::CallStarted { call });
        log.agent(Event::Output { call, offset: 0, text: "• a\n• b\n• c\n• d\n• e\n• f\n".into() });
        call
    });
    for parent in agents {
        let call = log.call("run_shell_command", serde_json::json!({ "command": "make" }), Some(parent));
        log.agent(Event::CallStarted { call });
    }
    for height in [4, 6, 9, 12] {
        let live = live_text(&log, 60, height);
        assert_eq!(live.lines().filter(|line| line.contains("invoke_agent")).count(), 2, "{height}: {live}");
        assert_eq!(live.lines().filter(|line| line.contains("run_shell_command")).count(), 2, "{height}: {live}");
        assert!(live.lines().count() <= usize::from(height), "{live}");
    }
}

#[test]
fn a_call_that_the_log_leaves_open_ends_with_its_turn() {
    let mut log = TestLog::default();
    log.prompt("go");
    log.call("glob", serde_json::json!({}), None);
    log.agent(Event::Said { kind: ItemKind::Text, text: "half".into(), response: None });
    log.agent(Event::TurnEnded { outcome: TurnOutcome::Rested });
    assert_eq!(rendered_text(&log, 80, true), "> go\n✗ glob  nothing says how it ended\n\n✦ half\n  … (cut short)");
}

#[test]
fn entries_of_calls_nobody_knows_change_nothing() {
    let mut log = TestLog::default();
    let call = CallId(Seq(99));
    log.agent(Event::CallStarted { call });
    log.agent(Event::Output { call, offset: 3, text: "x".into() });
    log.agent(Event::CallEnded { call, outcome: CallOutcome::Cancelled });
    log.agent(Event::Piece { item: ItemId(Seq(98)), offset: 4, text: "x".into() });
    assert_eq!(rendered_text(&log, 80, true), "");
}

#[test]
fn a_long_prompt_is_cut_and_says_so() {
    let mut log = TestLog::default();
    log.prompt(&format!("{}what is it?", "line\n".repeat(60)));
    let told = rendered_text(&log, 80, true);
    let end = format!("  line\n  … 41 more lines (Ctrl+O)\n{}  what is it?", "  line\n".repeat(7));
    assert!(told.ends_with(&end), "{told}");
    assert_eq!(told.lines().count(), 21);
}

#[test]
fn what_is_too_long_ago_to_be_opened_is_said_to_be() {
    let log = snapshots::conversation();
    let (mut transcript_view, mut view) = (chronicle(), SessionView::new(test_log::me()));
    transcript_view.records = TranscriptRecords::new(2_000);
    for entry in &log.entries {
        view.apply(entry, test_log::origin_of(entry));
        transcript_view.apply(&view, entry, test_log::origin_of(entry));
    }
    let opened = text_of(&transcript_view.snapshot().expanded_lines(80, &dark()));
    assert!(opened.starts_with("! what was before this is too long ago to be kept here\n"), "{opened}");
    assert!(opened.contains("\n✗ the API key was refused"), "{opened}");
}

#[test]
fn a_plan_that_was_decided_about_stays_to_be_read_whole() {
    let steps: String = (1..=30).map(|number| format!("- step {number}\n")).collect();
    let plan = format!("# Two files\n\n{steps}");
    let mut log = TestLog::default();
    log.open("/ws");
    log.prompt("plan");
    for outcome in [CallOutcome::Succeeded { result: result("approved") }, CallOutcome::Declined] {
        log.ran("exit_plan_mode", json!({ "plan": plan }), 1, outcome);
        let seen = rendered_text(&log, 60, true);
        for line in ["Two files", "step 1", "step 30"] {
            let is_it = |row: &str| [format!("│ {line}"), format!("│ - {line}")].contains(&row.trim().to_owned());
            assert!(seen.lines().any(is_it), "{line}: {seen}");
        }
    }
    // One that nobody was shown is not.
    let mut log = TestLog::default();
    log.open("/ws");
    log.prompt("plan");
    log.ran("exit_plan_mode", json!({ "plan": plan }), 1, CallOutcome::Denied { why: "no".into() });
    assert!(!rendered_text(&log, 60, true).contains("step 30"));
}
