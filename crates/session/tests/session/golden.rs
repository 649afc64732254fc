//! Entries that a release wrote are read by every later one: one golden line per variant, frozen when it was released.

use crate::harness::{equipment, task};
use expect_test::expect;
use pollux_session::{
    AnswerEdit, ApprovalMode, Ask, AskDetails, AskOption, BlobRef, CallError, CallId, CallOutcome, CallResult,
    CommandFingerprint, CommandId, CommandPlan, ContextId, EditedFile, Entry, EntryAuthor, Event, FileDiff, Grant,
    GrantScope, ItemId, ItemKind, McpToolVersion, MediaContent, ModelUsage, Owner, PatchedFile, PatchedFileChange,
    PlanAuthority, PlannedCommand, PlannedPipeline, PlannedRead, PlannedRedirection, PlannedWord, PromptId, ReadKind,
    ResultDisplay, RunCondition, RuntimeDescription, SeenFile, Seq, SessionOpened, SessionOverrides, SessionSetting,
    SessionState, TaskClosing, TaskKind, ToolKind, Transcript, TurnFailure, TurnOutcome, UnixMillis, WordPiece,
    WorkspaceCheckpoint, cancel_choice, decode, encode, lasting_choice, once_choice, session_choice,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const RELEASE_0_1_0: &str = include_str!("../golden/release-0.1.0.jsonl");

/// At least one event of every variant, every field filled, with `text` and `value` wherever they fit.
pub(crate) fn every_event(text: &str, value: &Value) -> Vec<Event> {
    let text = || text.to_owned();
    let (call, prompt, item) = (CallId(Seq(14)), PromptId(Seq(4)), ItemId(Seq(9)));
    let fingerprint = || CommandFingerprint("00112233445566778899aabbccddeeff".into());
    let diff = || FileDiff { name: text(), path: text(), old: Some(text()), new: text(), patch: text() };
    let whole = BlobRef { sha256: "ab".repeat(32), len: 2_000_000, media: "text/plain".into() };
    let result = CallResult {
        text: text(),
        display: Some(ResultDisplay::Text { text: text() }),
        structured: None,
        exit_code: Some(-1),
        whole: Some(whole),
        media: vec![],
        leaves: vec![],
        seen: vec![],
    };
    let changed = CallResult { display: Some(ResultDisplay::Diff(diff())), ..CallResult::default() };
    let error = CallError { kind: "file_not_found".into(), message: text() };
    let failure = TurnFailure { kind: "step_limit".into(), message: text() };
    let ask = |details, grant| {
        let options: Vec<AskOption> = vec![once_choice(), session_choice(grant), cancel_choice()];
        Ask::new(details, options)
    };
    let ended = |outcome| Event::CallEnded { call, outcome };
    let prompted = |task, kind| {
        let (fingerprint, text) = (fingerprint(), text());
        Event::Prompted {
            fingerprint,
            task,
            kind,
            text,
            media: vec![],
            piped_len: 0,
            command: None,
            dialect: None,
            parts: vec![],
        }
    };
    let mut events = vec![
        Event::Opened(SessionOpened {
            main_task: task(7),
            owner: Owner(text()),
            context: ContextId::new("a context").unwrap(),
            workspace: text(),
            overrides: SessionOverrides {
                mode: Some(ApprovalMode::AutoEdit),
                model: None,
                ..SessionOverrides::default()
            },
            release: "0.1.0".into(),
            edge: Value::Null,
        }),
        Event::Equipped(equipment("a-model")),
        prompted(task(8), TaskKind::Once),
        prompted(task(7), TaskKind::OpenEnded),
        Event::Requeued { prompt, text: text() },
        Event::Unqueued { prompt },
        Event::Released,
        Event::TurnStarted {
            prompt: PromptId(Seq(3)),
            task: task(8),
            model: text(),
            mode: ApprovalMode::Default,
            tools: vec![text(), text()],
        },
        Event::Said { kind: ItemKind::Thought, text: text(), response: None },
        Event::Said { kind: ItemKind::Text, text: text(), response: None },
        Event::Piece { item, offset: 12, text: text() },
        Event::ItemEnded { item, len: 24, cut: false, meta: value.clone() },
        Event::ItemEnded { item, len: 24, cut: true, meta: Value::Null },
        Event::Retrying { reason: text(), attempt: 2, wait_ms: 1_500 },
        Event::StepEnded {
            finish: "STOP".into(),
            usage: ModelUsage { prompt: 100, cached: 60, output: 20, thoughts: 5 },
            citations: vec![text()],
            response: None,
        },
        Event::StepEnded {
            finish: "MAX_TOKENS".into(),
            usage: ModelUsage::default(),
            citations: vec![],
            response: None,
        },
        Event::Called {
            tool: text(),
            args: value.clone(),
            meta: value.clone(),
            replaces: Some(CallId(Seq(13))),
            parent: None,
        },
        Event::Called { tool: text(), args: value.clone(), meta: Value::Null, replaces: None, parent: None },
        Event::Allowed { call, kind: ToolKind::Read, why: text(), plan: None },
        Event::Asked {
            call,
            kind: ToolKind::Edit,
            ask: ask(AskDetails::Edit(diff()), Grant::Tool { tool: text() }),
            revision: 1,
        },
        Event::Asked {
            call,
            kind: ToolKind::Execute,
            ask: ask(
                AskDetails::Execute { command: text(), directory: text() },
                Grant::Command { command: text(), directory: None },
            ),
            revision: 1,
        },
        Event::Asked { call, kind: ToolKind::Execute, ask: Ask::new(AskDetails::generic(text()), vec![]), revision: 1 },
        Event::AskKept { call, revision: 2 },
        Event::Answered {
            fingerprint: fingerprint(),
            call,
            choice: "proceed_always".into(),
            allows: true,
            edit: Some(AnswerEdit::Content { new: text() }),
            grant: Some(Grant::Tool { tool: text() }),
            reach: GrantScope::Session,
        },
        Event::Answered {
            fingerprint: fingerprint(),
            call,
            choice: "cancel".into(),
            allows: false,
            edit: None,
            grant: None,
            reach: GrantScope::Session,
        },
        Event::CallStarted { call },
        Event::Output { call, offset: 4_096, text: text() },
        ended(CallOutcome::Succeeded { result: result.clone() }),
        ended(CallOutcome::Succeeded { result: changed }),
        ended(CallOutcome::Failed { error: error.clone(), result: Some(result) }),
        ended(CallOutcome::Failed { error, result: None }),
        ended(CallOutcome::Declined),
        ended(CallOutcome::Denied { why: text() }),
        ended(CallOutcome::Cancelled),
        ended(CallOutcome::Interrupted),
        ended(CallOutcome::Superseded),
        Event::TurnEnded { outcome: TurnOutcome::Rested },
        Event::TurnEnded { outcome: TurnOutcome::Cancelled },
        Event::TurnEnded { outcome: TurnOutcome::Failed { failure } },
    ];
    let modes = [ApprovalMode::Default, ApprovalMode::AutoEdit, ApprovalMode::Plan, ApprovalMode::Yolo];
    events.extend(modes.map(|mode| Event::Set { setting: SessionSetting::Mode(mode) }));
    let closings = [TaskClosing::Completed, TaskClosing::Cancelled, TaskClosing::Failed];
    events.extend(closings.map(|closing| Event::TaskClosed { task: task(8), closing }));
    // Golden lines are frozen in their order: what is new comes last.
    events.extend(models_answers_and_compaction(&text(), value));
    events.extend(children_media_and_fallback(&text(), value));
    events.extend(commands_and_checkpoints(&text(), value));
    events.extend(prompts_with_files(&text()));
    events.extend(answers_with_an_id_and_a_plan(&text()));
    events.push(Event::TaskOpened { task: task(9), kind: TaskKind::OpenEnded, edge: value.clone() });
    events.extend(openings_with_grants(&text()));
    events.extend(versions_of_mcp_tools(&text()));
    events.extend(plans_and_piped_text(&text()));
    events.extend(structured_results_and_dialects(&text(), value));
    events.extend(prompts_with_parts(&text(), value));
    let agent = Grant::Agent { agent: text(), digest: "ab".repeat(32) };
    events.push(Event::Kept { grant: agent, reach: GrantScope::Always, failure: None });
    events.push(Event::Kept { grant: Grant::FileChanges, reach: GrantScope::Workspace, failure: None });
    let (saved, file) = (Ok(text()), Some(text()));
    events.push(Event::Checkpointed(WorkspaceCheckpoint {
        call: CallId(Seq(14)),
        name: text(),
        saved,
        file,
        files: vec![],
    }));
    events.push(Event::Deferred { call: CallId(Seq(14)) });
    events.push(Event::Set { setting: SessionSetting::EditsAsk });
    events.push(Event::Set { setting: SessionSetting::WithoutGrant(Grant::FileChanges) });
    events.extend(patches(&text()));
    events.extend(versions_of_seen_files(&text()));
    events
}

/// What changes of several files added.
fn patches(text: &str) -> Vec<Event> {
    let text = || text.to_owned();
    let call = CallId(Seq(14));
    let moved = PatchedFileChange::Move { from_name: text(), from_path: text() };
    let changes = [PatchedFileChange::Add, PatchedFileChange::Edit, moved, PatchedFileChange::Delete];
    let diff = || FileDiff { name: text(), path: text(), old: Some(text()), new: text(), patch: text() };
    let files: Vec<PatchedFile> = changes.map(|change| PatchedFile { change, diff: diff(), written: vec![] }).into();
    let ask = Ask::new(AskDetails::Patch { files: files.clone() }, vec![session_choice(Grant::FileChanges)]);
    let result = CallResult { text: text(), display: Some(ResultDisplay::Patch { files }), ..CallResult::default() };
    let edit = AnswerEdit::Files { files: vec![EditedFile { path: text(), new: text() }] };
    vec![
        Event::Asked { call, kind: ToolKind::Edit, ask, revision: 1 },
        Event::Answered {
            fingerprint: CommandFingerprint("00112233445566778899aabbccddeeff".into()),
            call,
            choice: "proceed_once".into(),
            allows: true,
            edit: Some(edit),
            grant: None,
            reach: GrantScope::Session,
        },
        Event::Checkpointed(WorkspaceCheckpoint {
            call,
            name: text(),
            saved: Ok(text()),
            file: None,
            files: vec![text(), text()],
        }),
        Event::CallEnded { call, outcome: CallOutcome::Succeeded { result } },
    ]
}

/// Events that the second wave of 0.1.0 added.
fn models_answers_and_compaction(text: &str, value: &Value) -> Vec<Event> {
    let text = || text.to_owned();
    let call = CallId(Seq(14));
    let answered = |edit, grant: Option<Grant>, reach| Event::Answered {
        fingerprint: CommandFingerprint("00112233445566778899aabbccddeeff".into()),
        call,
        choice: "proceed_once".into(),
        allows: true,
        edit,
        grant,
        reach,
    };
    let asked = |kind, details, options| Event::Asked { call, kind, ask: Ask::new(details, options), revision: 3 };
    let prefix = || Grant::Prefix { words: vec![text(), text()], options: Vec::new(), directory: None };
    let server = || Grant::Server { server: text() };
    // Labels are not made anew when a log is read.
    let old_label = format!("Allow every command that begins with `{} {}` everywhere from now on", text(), text());
    let schema = Some(value.clone()).filter(|value| !value.is_null());
    vec![
        Event::Opened(SessionOpened {
            main_task: task(7),
            owner: Owner(text()),
            context: ContextId::new("a context").unwrap(),
            workspace: text(),
            overrides: SessionOverrides { mode: None, model: Some(text()), ..SessionOverrides::default() },
            release: "0.1.0".into(),
            edge: Value::Null,
        }),
        Event::Set { setting: SessionSetting::Model(text()) },
        Event::Allowed { call, kind: ToolKind::Fetch, why: text(), plan: None },
        asked(
            ToolKind::Fetch,
            AskDetails::Mcp { server: text(), tool: text(), version: McpToolVersion::default() },
            vec![session_choice(server()), lasting_choice(server(), GrantScope::Workspace)],
        ),
        asked(
            ToolKind::Converse,
            AskDetails::Generic { description: text(), schema },
            vec![AskOption { name: old_label, ..lasting_choice(prefix(), GrantScope::Always) }],
        ),
        answered(Some(AnswerEdit::Answers { answers: value.clone() }), None, GrantScope::Session),
        answered(None, Some(server()), GrantScope::Workspace),
        answered(None, Some(prefix()), GrantScope::Always),
        Event::Kept { grant: server(), reach: GrantScope::Workspace, failure: None },
        Event::Kept { grant: prefix(), reach: GrantScope::Always, failure: Some(text()) },
        Event::CompactWanted,
        Event::Compacted {
            before: Seq(9),
            summary: text(),
            usage: ModelUsage { prompt: 100, cached: 60, output: 20, thoughts: 5 },
        },
        Event::NotCompacted { why: text() },
        Event::Uncompacted,
        Event::Attached { name: text(), text: text(), media: vec![], seen: vec![] },
    ]
}

/// Events that the third wave of 0.1.0 added.
fn children_media_and_fallback(text: &str, value: &Value) -> Vec<Event> {
    let text = || text.to_owned();
    let call = CallId(Seq(14));
    let blob = BlobRef { sha256: "cd".repeat(32), len: 70, media: "image/png".into() };
    let media = || vec![MediaContent { name: text(), blob: blob.clone() }];
    let result = CallResult { text: text(), media: media(), ..CallResult::default() };
    vec![
        Event::Attached { name: text(), text: text(), media: media(), seen: vec![] },
        Event::FellBack { from: text(), to: text(), why: text() },
        Event::Called { tool: text(), args: value.clone(), meta: Value::Null, replaces: None, parent: Some(call) },
        Event::Allowed { call, kind: ToolKind::Delegate, why: text(), plan: None },
        Event::Spent { call, model: text(), usage: ModelUsage { prompt: 100, cached: 60, output: 20, thoughts: 5 } },
        Event::CallEnded { call, outcome: CallOutcome::Succeeded { result } },
    ]
}

/// Events that the fourth wave of 0.1.0 added.
fn commands_and_checkpoints(text: &str, value: &Value) -> Vec<Event> {
    let text = || text.to_owned();
    let saved = |saved| {
        Event::Checkpointed(WorkspaceCheckpoint {
            call: CallId(Seq(14)),
            name: text(),
            saved,
            file: None,
            files: vec![],
        })
    };
    vec![
        Event::Opened(SessionOpened {
            main_task: task(7),
            owner: Owner(text()),
            context: ContextId::new("a context").unwrap(),
            workspace: text(),
            overrides: SessionOverrides { only_tools: Some(vec![text()]), ..SessionOverrides::default() },
            release: "0.1.0".into(),
            edge: value.clone(),
        }),
        Event::Commanded { name: text() },
        Event::Rewound { to: Seq(9) },
        saved(Ok(text())),
        saved(Err(text())),
    ]
}

/// Events that the fifth wave of 0.1.0 added.
fn prompts_with_files(text: &str) -> Vec<Event> {
    let blob = BlobRef { sha256: "ef".repeat(32), len: 70, media: "image/png".into() };
    vec![Event::Prompted {
        fingerprint: CommandFingerprint("00112233445566778899aabbccddeeff".into()),
        task: task(8),
        kind: TaskKind::Once,
        text: text.into(),
        media: vec![MediaContent { name: text.into(), blob }],
        piped_len: 0,
        dialect: None,
        parts: vec![],
        command: Some(CommandId(text.into())),
    }]
}

/// Events that the sixth wave of 0.1.0 added.
fn answers_with_an_id_and_a_plan(text: &str) -> Vec<Event> {
    let response = || Some(text.to_owned());
    let (finish, usage) = ("STOP".to_owned(), ModelUsage::default());
    vec![
        Event::Said { kind: ItemKind::Text, text: text.into(), response: response() },
        Event::StepEnded { finish, usage, citations: vec![], response: response() },
        Event::Equipped(RuntimeDescription { user_tier: Some(text.into()), ..equipment("a-model") }),
    ]
}

/// Events that the eighth wave of 0.1.0 added.
fn plans_and_piped_text(text: &str) -> Vec<Event> {
    let call = CallId(Seq(14));
    let command = PlannedCommand {
        variables: vec![("LANG".into(), "C".into())],
        timeout: Some("5".into()),
        words: vec![
            PlannedWord::text("grep"),
            PlannedWord::text(text),
            PlannedWord { pieces: vec![WordPiece::AnyText, WordPiece::AnyCharacter, WordPiece::ExitCode] },
        ],
        redirections: vec![
            PlannedRedirection::ErrorsToOutput,
            PlannedRedirection::OutputToErrors,
            PlannedRedirection::OutputToNull,
            PlannedRedirection::ErrorsToNull,
            PlannedRedirection::BothToNull,
            PlannedRedirection::InputFrom(PlannedWord::text("in")),
        ],
        reads: [ReadKind::File, ReadKind::Entry, ReadKind::Tree, ReadKind::Repository, ReadKind::RepositoryContent]
            .map(|kind| PlannedRead { path: PlannedWord::text("."), kind, word: None })
            .into(),
        runs: vec![],
        authority: PlanAuthority::BuiltIn,
    };
    let bare = PlannedCommand {
        variables: vec![],
        timeout: None,
        words: vec![PlannedWord::text("")],
        redirections: vec![],
        reads: vec![],
        runs: vec![],
        authority: PlanAuthority::Person,
    };
    let pipeline = |condition, commands| PlannedPipeline { condition, commands };
    let plan = CommandPlan {
        directory: text.into(),
        trusted: true,
        pipelines: vec![
            pipeline(RunCondition::Always, vec![command, bare.clone()]),
            pipeline(RunCondition::AfterSuccess, vec![bare.clone()]),
            pipeline(RunCondition::AfterFailure, vec![bare]),
        ],
    };
    let kept = |grant| Event::Kept { grant, reach: GrantScope::Always, failure: None };
    let directory = || Some("sub".to_owned());
    vec![
        Event::Allowed { call, kind: ToolKind::Execute, why: text.into(), plan: Some(plan) },
        kept(Grant::Command { command: text.into(), directory: directory() }),
        kept(Grant::Prefix { words: vec!["git".into()], options: vec!["-c x".into()], directory: directory() }),
        Event::Prompted {
            fingerprint: CommandFingerprint("00112233445566778899aabbccddeeff".into()),
            task: task(8),
            kind: TaskKind::Once,
            text: text.into(),
            piped_len: 1,
            dialect: None,
            parts: vec![],
            media: vec![],
            command: None,
        },
    ]
}

/// Events that the ninth wave of 0.1.0 added.
fn structured_results_and_dialects(text: &str, value: &Value) -> Vec<Event> {
    let structured = Some(value.clone()).filter(|value| !value.is_null()).map(Box::new);
    let result = CallResult { structured, ..CallResult::default() };
    vec![
        Event::CallEnded { call: CallId(Seq(14)), outcome: CallOutcome::Succeeded { result } },
        Event::Prompted {
            fingerprint: CommandFingerprint("00112233445566778899aabbccddeeff".into()),
            task: task(8),
            kind: TaskKind::Once,
            text: text.into(),
            piped_len: 0,
            dialect: Some(text.into()),
            parts: vec![],
            media: vec![],
            command: None,
        },
    ]
}

/// Events that the tenth wave of 0.1.0 added.
fn prompts_with_parts(text: &str, value: &Value) -> Vec<Event> {
    vec![Event::Prompted {
        fingerprint: CommandFingerprint("00112233445566778899aabbccddeeff".into()),
        task: task(8),
        kind: TaskKind::Once,
        text: text.into(),
        piped_len: 0,
        dialect: None,
        parts: vec![value.clone()],
        media: vec![],
        command: None,
    }]
}

fn openings_with_grants(text: &str) -> Vec<Event> {
    let words = vec!["git".to_owned(), "status".to_owned()];
    vec![Event::Opened(SessionOpened {
        main_task: task(7),
        owner: Owner(text.into()),
        context: ContextId::new("a context").unwrap(),
        workspace: text.into(),
        overrides: SessionOverrides {
            grants: vec![Grant::Prefix { words, options: Vec::new(), directory: None }],
            ..SessionOverrides::default()
        },
        release: "0.1.0".into(),
        edge: Value::Null,
    })]
}

fn versions_of_mcp_tools(text: &str) -> Vec<Event> {
    let text = || text.to_owned();
    let tool = || Grant::McpTool { tool: text(), digest: "ab".repeat(32) };
    let server = || Grant::McpServer { server: text(), digest: "cd".repeat(32) };
    let version = McpToolVersion { tool_digest: "ab".repeat(32), server_digest: "cd".repeat(32), changed: true };
    let call = CallId(Seq(14));
    let options = vec![session_choice(server()), lasting_choice(tool(), GrantScope::Workspace)];
    let ask = Ask::new(AskDetails::Mcp { server: text(), tool: text(), version }, options);
    vec![
        Event::Asked { call, kind: ToolKind::Fetch, ask, revision: 3 },
        Event::Kept { grant: tool(), reach: GrantScope::Workspace, failure: None },
    ]
}

fn versions_of_seen_files(text: &str) -> Vec<Event> {
    let seen = || vec![SeenFile { path: text.into(), sha256: "ab".repeat(32) }];
    let result = CallResult { seen: seen(), ..CallResult::default() };
    vec![
        Event::Attached { name: text.into(), text: text.into(), media: vec![], seen: seen() },
        Event::CallEnded { call: CallId(Seq(14)), outcome: CallOutcome::Succeeded { result } },
    ]
}

/// `events` as entries, some of a task and some of a client.
pub(crate) fn numbered(events: Vec<Event>, label: &str) -> Vec<Entry> {
    let entries = events.into_iter().zip(1..).map(|(event, seq)| Entry {
        seq: Seq(seq),
        at: UnixMillis(1_700_000_000_000 + seq),
        by: if seq % 2 == 0 {
            EntryAuthor::Agent
        } else {
            EntryAuthor::Client { principal: "local".into(), label: label.into() }
        },
        task: (seq % 3 == 0).then(|| (task(8), seq / 3)),
        event,
    });
    entries.collect()
}

#[test]
fn every_golden_line_loads_and_is_written_the_same() {
    for line in RELEASE_0_1_0.lines() {
        let entry = decode(line.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(encode(&entry)).unwrap(), line);
    }
}

/// The tag of every variant: what an entry that cannot be read says it expected.
fn variants() -> BTreeSet<String> {
    let unknown = br#"{"seq":1,"at":0,"by":{"type":"agent"},"event":{"type":""}}"#;
    let error = decode(unknown).unwrap_err().to_string();
    let (_, expected) = error.split_once("expected one of ").unwrap();
    expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_golden_line_means_what_it_meant() {
    let loaded: Vec<Entry> = RELEASE_0_1_0.lines().map(|line| decode(line.as_bytes()).unwrap()).collect();
    let meant = numbered(every_event("a \"text\"\n", &json!({"path": "a.txt", "count": 1.5})), "terminal");
    let unwritten: Vec<String> =
        meant.iter().skip(loaded.len()).map(|entry| String::from_utf8(encode(entry)).unwrap()).collect();
    assert!(unwritten.is_empty(), "release-0.1.0.jsonl lacks these lines at its end:\n{}", unwritten.join("\n"));
    assert_eq!(loaded, meant);
}

#[test]
fn every_variant_has_a_golden_line() {
    let mut seen = BTreeSet::new();
    for line in RELEASE_0_1_0.lines() {
        let tag = serde_json::from_str::<Value>(line).unwrap()["event"]["type"].as_str().unwrap().to_owned();
        seen.insert(tag);
    }
    assert_eq!(seen, variants(), "`every_event` needs one of each variant");
}

#[test]
fn the_golden_log_folds() {
    let log: Vec<Entry> = RELEASE_0_1_0.lines().map(|line| decode(line.as_bytes()).unwrap()).collect();
    let state = SessionState::fold(&log);
    assert_eq!(state.head, Seq(log.len() as u64));
    assert_eq!(state.seen_files.digest_of("a \"text\"\n"), Some("ab".repeat(32).as_str()));
    assert!(Transcript::fold(&log).lines().count() > 0);
}

#[test]
fn fields_that_may_be_left_out_are_filled_in() {
    let line = br#"{"seq":9,"at":5,"by":{"type":"agent"},"event":{"type":"item_ended","item":8,"len":3}}"#;
    let event = Event::ItemEnded { item: ItemId(Seq(8)), len: 3, cut: false, meta: Value::Null };
    let entry = Entry { seq: Seq(9), at: UnixMillis(5), by: EntryAuthor::Agent, task: None, event };
    assert_eq!(decode(line).unwrap(), entry);
    assert_eq!(encode(&entry), line);
}

#[test]
fn what_a_newer_release_added_to_a_known_entry_is_passed_over() {
    let line = br#"{"seq":9,"at":5,"by":{"type":"agent"},"event":{"type":"released","mood":"good"},"extra":1}"#;
    let entry = Entry { seq: Seq(9), at: UnixMillis(5), by: EntryAuthor::Agent, task: None, event: Event::Released };
    assert_eq!(decode(line).unwrap(), entry);
}

#[test]
fn what_cannot_be_read_says_so() {
    let long = format!(r#"{{"seq":1,"text":"{}"#, "é".repeat(200));
    let refused = [
        br#"{"seq":1,"at":0,"by":{"type":"agent"},"event":{"type":"teleported"}}"#.as_slice(),
        br#"{"seq":1,"at":0,"by":{"type":"agent"},"event":{"type":"call_started"}}"#,
        br#"{"seq":-1,"at":0,"by":{"type":"agent"},"event":{"type":"released"}}"#,
        b"",
        b"\xff\xfe",
        long.as_bytes(),
    ]
    .map(|line| decode(line).unwrap_err().to_string());
    expect![[r#"
        entry "{\"seq\":1,\"at\":0,\"by\":{\"type\":\"agent\"},\"event\":{\"type\":\"teleported\"}}" cannot be read by this release: unknown variant `teleported`, expected one of `opened`, `equipped`, `set`, `prompted`, `task_opened`, `unqueued`, `requeued`, `released`, `turn_started`, `commanded`, `rewound`, `checkpointed`, `attached`, `said`, `piece`, `item_ended`, `retrying`, `fell_back`, `step_ended`, `called`, `allowed`, `asked`, `ask_kept`, `deferred`, `answered`, `kept`, `compact_wanted`, `compacted`, `not_compacted`, `uncompacted`, `call_started`, `output`, `spent`, `call_ended`, `turn_ended`, `task_closed` at line 1 column 66
        entry "{\"seq\":1,\"at\":0,\"by\":{\"type\":\"agent\"},\"event\":{\"type\":\"call_started\"}}" cannot be read by this release: missing field `call` at line 1 column 70
        entry "{\"seq\":-1,\"at\":0,\"by\":{\"type\":\"agent\"},\"event\":{\"type\":\"released\"}}" cannot be read by this release: invalid value: integer `-1`, expected u64 at line 1 column 9
        entry "" cannot be read by this release: EOF while parsing a value at line 1 column 0
        entry "��" cannot be read by this release: expected value at line 1 column 1
        entry "{\"seq\":1,\"text\":\"ééééééééééééééééééééééééééééééééééééééééééééééééééé�" cannot be read by this release: EOF while parsing a string at line 1 column 417"#]].assert_eq(&refused.join("\n"));
}
