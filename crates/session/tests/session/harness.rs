//! A session under test. Verbs move it, every refusal is part of the play, and after every input the log is gapless,
//! survives encoding and folds to the live state.

mod render;

use expect_test::Expect;
use pollux_session::{
    AnswerEdit, ApprovalMode, Ask, AskDetails, AskOption, CallId, CallOutcome, CallPhase, CallResult, CancelScope,
    Command, CommandEnvelope, CommandId, ContextId, EditedFile, Effect, Entry, EntryAuthor, Event, FileDiff, Grant,
    GrantScope, ItemKind, McpToolVersion, ModelFragment, ModelUsage, NewCall, Owner, PatchedFile, PatchedFileChange,
    PolicyVerdict, PromptId, PromptTarget, Refusal, Report, Rights, RuntimeDescription, Seq, SessionId, SessionInput,
    SessionOpened, SessionOverrides, SessionSetting, SessionState, TaskId, TaskKind, ToolKind, Transcript, TurnFailure,
    TurnId, UnixMillis, Who, cancel_choice, decode, encode, lasting_choice, next, once_choice, session_choice, take,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::fmt::Write;
use uuid::Uuid;

/// The session on stage, its log and the play so far.
#[derive(Clone)]
pub(crate) struct SessionHarness {
    pub(crate) state: SessionState,
    pub(crate) log: Vec<Entry>,
    pub(crate) transcript: Transcript,
    /// The host's clock. It stands still unless a test moves it.
    pub(crate) clock: UnixMillis,
    /// The fold of the log as another process would load it.
    loaded: SessionState,
    commands: u32,
    play: String,
}

/// The task with number `n`; 0 is the session's main task.
pub(crate) fn task(n: u128) -> TaskId {
    TaskId(Uuid::from_u128(n))
}

/// Somebody with all rights.
pub(crate) fn somebody(label: &str) -> Who {
    Who { owner: Owner("owner".into()), principal: "local".into(), label: label.into(), rights: Rights::all() }
}

/// The runtime of a process with this model.
pub(crate) fn equipment(model: &str) -> RuntimeDescription {
    RuntimeDescription {
        model: model.into(),
        tools: vec!["read".into(), "run".into(), "write".into()],
        ..RuntimeDescription::default()
    }
}

/// One fragment of what the model says.
pub(crate) fn fragment(kind: ItemKind, text: &str, end: Option<Value>) -> ModelFragment {
    ModelFragment { kind, text: text.into(), end }
}

/// The ask of `tool` before it touches `target`.
pub(crate) fn ask_about(tool: &str, target: &str) -> Ask {
    let (details, grant) = match tool {
        "write" => {
            let path = format!("/w/{target}");
            let diff = FileDiff { name: target.into(), path, old: None, new: "new".into(), patch: "+new".into() };
            (AskDetails::Edit(diff), Grant::Tool { tool: tool.into() })
        }
        "patch" => {
            let file = |name: &str, change: PatchedFileChange| {
                let (name, path) = (name.to_owned(), format!("/w/{name}"));
                let diff = FileDiff { name, path, old: None, new: "new".into(), patch: "@@ -0,0 +1 @@\n+new\n".into() };
                PatchedFile { change, diff, written: vec![] }
            };
            let files = vec![file(target, PatchedFileChange::Add), file("gone", PatchedFileChange::Delete)];
            (AskDetails::Patch { files }, Grant::Tool { tool: tool.into() })
        }
        "run" => {
            let details = AskDetails::Execute { command: target.into(), directory: "/w".into() };
            (details, Grant::Command { command: target.into(), directory: None })
        }
        "mcp" => {
            let (server, tool) = target.split_once('/').unwrap_or((target, "look"));
            let details =
                AskDetails::Mcp { server: server.into(), tool: tool.into(), version: McpToolVersion::default() };
            (details, Grant::Server { server: server.into() })
        }
        "question" => {
            let schema = Some(json!({ "type": "object" }));
            return Ask::new(
                AskDetails::Generic { description: target.into(), schema },
                vec![once_choice(), cancel_choice()],
            );
        }
        _ => (AskDetails::generic(target), Grant::Tool { tool: tool.into() }),
    };
    let mut options: Vec<AskOption> = vec![once_choice(), session_choice(grant.clone())];
    if tool == "mcp" {
        options.extend([GrantScope::Workspace, GrantScope::Always].map(|reach| lasting_choice(grant.clone(), reach)));
    }
    options.push(cancel_choice());
    Ask::new(details, options)
}

/// The report of a runner that made a summary.
pub(crate) fn made(before: u64, summary: &str) -> Report {
    let usage = ModelUsage { prompt: 90, cached: 0, output: 9, thoughts: 0 };
    Report::Compacted { before: Seq(before), summary: summary.into(), usage }
}

fn kind_of(tool: &str) -> ToolKind {
    match tool {
        "write" => ToolKind::Edit,
        "run" => ToolKind::Execute,
        "mcp" => ToolKind::Fetch,
        "question" => ToolKind::Converse,
        "delegate" => ToolKind::Delegate,
        _ => ToolKind::Read,
    }
}

impl SessionHarness {
    /// A session that was opened and woken, with a cleared play.
    pub(crate) fn new() -> SessionHarness {
        SessionHarness::opened_with(SessionOverrides::default())
    }

    /// A session with settings fixed at its opening.
    pub(crate) fn opened_with(overrides: SessionOverrides) -> SessionHarness {
        let opened = SessionOpened {
            main_task: SessionId(Uuid::nil()).main_task(),
            owner: Owner("owner".into()),
            context: ContextId::new("ctx").unwrap(),
            workspace: "/w".into(),
            overrides,
            release: "0.1.0".into(),
            edge: serde_json::Value::Null,
        };
        let (state, entry) = SessionState::open(opened, EntryAuthor::from(&somebody("ann")), UnixMillis(1_000));
        let mut harness = SessionHarness {
            state,
            log: Vec::new(),
            transcript: Transcript::default(),
            clock: UnixMillis(1_000),
            loaded: SessionState::default(),
            commands: 0,
            play: String::new(),
        };
        harness.witness(vec![entry]);
        harness.wake("model-1");
        harness.play.clear();
        harness
    }

    /// A session with one turn running, which wants `calls`.
    pub(crate) fn calling(calls: &[&str]) -> SessionHarness {
        let mut harness = SessionHarness::new();
        harness.prompt("ann", "go");
        harness.step(calls);
        harness.play.clear();
        harness
    }

    /// Compare what happened since the last check, and what is owed now.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "so that a play reads `check(expect![…])`")]
    pub(crate) fn check(&mut self, expected: Expect) {
        let owed = render::owed(&self.state);
        writeln!(self.play, "owed: {owed}").unwrap();
        expected.assert_eq(&self.play);
        self.play.clear();
    }

    /// Let what happened so far pass unseen.
    pub(crate) fn skip_ahead(&mut self) {
        self.play.clear();
    }

    /// Lose the newest entries, as no store would.
    pub(crate) fn cut_log(&mut self, lost: usize) {
        self.log.truncate(self.log.len() - lost);
        self.loaded = SessionState::fold(&self.log);
        self.transcript = Transcript::fold(&self.log);
        self.play.clear();
    }

    /// Any input at all. What it causes, or why it was refused, is added to the play.
    pub(crate) fn input(&mut self, input: &SessionInput) -> Result<Vec<Entry>, Refusal> {
        let before = self.state.clone();
        let taken = take(&mut self.state, input, self.clock);
        match &taken {
            Ok(entries) => self.witness(entries.clone()),
            Err(refusal) => {
                assert_eq!(self.state, before, "a refused input leaves no trace");
                let by = match input {
                    SessionInput::Command(envelope) => envelope.who.label.clone(),
                    SessionInput::Report { .. } | SessionInput::Woken(_) | SessionInput::Equipped(_) => "agent".into(),
                };
                writeln!(self.play, " - {by:<5} refused: {refusal}").unwrap();
            }
        }
        taken
    }

    /// The laws that hold after every input.
    fn witness(&mut self, entries: Vec<Entry>) {
        for entry in entries {
            assert_eq!(entry.seq, Seq(self.log.len() as u64 + 1), "numbers have no gap");
            if let Some((id, number)) = entry.task {
                let earlier = self.log.iter().filter(|known| known.task.is_some_and(|(known, _)| known == id)).count();
                assert_eq!(number, earlier as u64 + 1, "numbers within a task have no gap");
            }
            let stored = decode(&encode(&entry)).unwrap();
            assert_eq!(stored, entry, "an entry decodes to what was encoded");
            self.loaded.apply(&stored);
            self.transcript.apply(&stored);
            writeln!(self.play, "{}", render::entry(&entry)).unwrap();
            self.log.push(entry);
        }
        assert_eq!(self.loaded, self.state, "the log folds to the state");
    }

    /// A command under an id of the client's choice.
    pub(crate) fn send_as(&mut self, who: Who, id: &str, command: Command) -> Result<Vec<Entry>, Refusal> {
        let envelope = CommandEnvelope { id: CommandId(id.into()), who, at: self.clock, command };
        self.input(&SessionInput::Command(envelope))
    }

    /// A command under a new id.
    pub(crate) fn send(&mut self, seat: &str, command: Command) -> Result<Vec<Entry>, Refusal> {
        self.commands += 1;
        let id = format!("command {}", self.commands);
        self.send_as(somebody(seat), &id, command)
    }

    fn act(&mut self, seat: &str, command: Command) {
        // A refusal is already part of the play.
        let _ = self.send(seat, command);
    }
}

/// Actions of clients.
impl SessionHarness {
    pub(crate) fn prompt(&mut self, seat: &str, text: &str) {
        self.prompt_in(seat, 0, text);
    }

    pub(crate) fn prompt_in(&mut self, seat: &str, existing: u128, text: &str) {
        let target = PromptTarget::Existing { task: task(existing) };
        self.act(seat, Command::prompt(target, text));
    }

    pub(crate) fn prompt_new(&mut self, seat: &str, new: u128, kind: TaskKind, text: &str) {
        let target = PromptTarget::New { task: task(new), kind, edge: Value::Null };
        self.act(seat, Command::prompt(target, text));
    }

    pub(crate) fn answer(&mut self, seat: &str, label: &str, option: &str) {
        let call = self.call(label);
        self.act(seat, Command::Answer { call, option: option.into(), edit: None });
    }

    pub(crate) fn answer_edited(&mut self, seat: &str, label: &str, option: &str, new: &str) {
        let (call, edit) = (self.call(label), Some(AnswerEdit::Content { new: new.into() }));
        self.act(seat, Command::Answer { call, option: option.into(), edit });
    }

    pub(crate) fn answer_with_files(&mut self, seat: &str, label: &str, option: &str, paths: &[&str]) {
        let file = |path: &&str| EditedFile { path: (*path).into(), new: "mine".into() };
        let (call, edit) = (self.call(label), Some(AnswerEdit::Files { files: paths.iter().map(file).collect() }));
        self.act(seat, Command::Answer { call, option: option.into(), edit });
    }

    pub(crate) fn answer_with(&mut self, seat: &str, label: &str, option: &str, answers: Value) {
        let (call, edit) = (self.call(label), Some(AnswerEdit::Answers { answers }));
        self.act(seat, Command::Answer { call, option: option.into(), edit });
    }

    pub(crate) fn deny_ask(&mut self, seat: &str, label: &str) {
        let call = self.call(label);
        self.act(seat, Command::Deny { call });
    }

    pub(crate) fn cancel(&mut self, seat: &str) {
        self.act(seat, Command::Cancel { scope: CancelScope::Turn });
    }

    pub(crate) fn cancel_task(&mut self, seat: &str, n: u128) {
        self.act(seat, Command::Cancel { scope: CancelScope::Task { task: task(n) } });
    }

    pub(crate) fn set_mode(&mut self, seat: &str, mode: ApprovalMode) {
        self.act(seat, Command::Set { setting: SessionSetting::Mode(mode) });
    }

    pub(crate) fn set_model(&mut self, seat: &str, model: &str) {
        self.act(seat, Command::Set { setting: SessionSetting::Model(model.into()) });
    }

    pub(crate) fn compact(&mut self, seat: &str) {
        self.act(seat, Command::Compact);
    }

    pub(crate) fn uncompact(&mut self, seat: &str) {
        self.act(seat, Command::Uncompact);
    }

    pub(crate) fn unqueue(&mut self, seat: &str, text: &str) {
        let prompt = self.prompt_id(text);
        self.act(seat, Command::Unqueue { prompt });
    }

    pub(crate) fn requeue(&mut self, seat: &str, text: &str, new: &str) {
        let prompt = self.prompt_id(text);
        self.act(seat, Command::Requeue { prompt, text: new.into() });
    }

    pub(crate) fn release(&mut self, seat: &str) {
        self.act(seat, Command::Release);
    }
}

/// Actions of the runner.
impl SessionHarness {
    pub(crate) fn report(&mut self, effect: Effect, report: Report) -> Result<Vec<Entry>, Refusal> {
        self.input(&SessionInput::Report { effect, report })
    }

    /// What the running turn is owed comes, or a part of it.
    pub(crate) fn think(&mut self, report: Report) {
        let turn = self.state.turn.as_ref();
        let effect =
            Effect::Think { turn: turn.map_or(TurnId(Seq(0)), |turn| turn.id), step: turn.map_or(1, |turn| turn.step) };
        let _ = self.report(effect, report);
    }

    pub(crate) fn said(&mut self, fragments: Vec<ModelFragment>) {
        self.think(Report::Said { fragments, response: None });
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.said(vec![fragment(ItemKind::Text, text, None)]);
    }

    pub(crate) fn thought(&mut self, text: &str) {
        self.said(vec![fragment(ItemKind::Thought, text, None)]);
    }

    /// The step ends with calls like `write a.txt`: the tool, then what it is about.
    pub(crate) fn step(&mut self, calls: &[&str]) {
        self.step_saying(vec![], calls);
    }

    /// An answer that the provider has a name for, streamed and then over.
    pub(crate) fn answered(&mut self, response: &str, text: &str, calls: &[&str]) {
        let response = Some(response.to_owned());
        let fragments = vec![fragment(ItemKind::Text, text, None)];
        self.think(Report::Said { fragments, response: response.clone() });
        self.step_done(vec![], calls, response);
    }

    pub(crate) fn step_saying(&mut self, fragments: Vec<ModelFragment>, calls: &[&str]) {
        self.step_done(fragments, calls, None);
    }

    fn step_done(&mut self, fragments: Vec<ModelFragment>, calls: &[&str], response: Option<String>) {
        let calls = calls.iter().map(|label| {
            let (tool, target) = label.split_once(' ').unwrap();
            NewCall { tool: tool.into(), args: json!({ "about": target }), meta: Value::Null }
        });
        self.think(Report::StepDone {
            fragments,
            calls: calls.collect(),
            finish: "STOP".into(),
            usage: ModelUsage::default(),
            citations: vec![],
            response,
        });
    }

    pub(crate) fn attached(&mut self, name: &str, text: &str) {
        self.think(Report::Attached { name: name.into(), text: text.into(), media: vec![], seen: Vec::new() });
    }

    pub(crate) fn retrying(&mut self, attempt: u32) {
        self.think(Report::Retrying { reason: "overloaded".into(), attempt, wait_ms: 500 });
    }

    pub(crate) fn fail(&mut self, kind: &str) {
        let failure = TurnFailure { kind: kind.into(), message: "no luck".into() };
        self.think(Report::StepFailed { failure });
    }

    pub(crate) fn vet(&mut self, label: &str, verdict: PolicyVerdict) {
        let call = self.call(label);
        let known = self.state.turn.as_ref().and_then(|turn| turn.calls.get(&call));
        let again = known.is_some_and(|known| known.phase == CallPhase::Deferred);
        let effect = Effect::Vet { call, revision: self.state.policy, again };
        let kind = kind_of(label.split(' ').next().unwrap());
        let _ = self.report(effect, Report::Vetted { kind, verdict });
    }

    pub(crate) fn allow(&mut self, label: &str) {
        self.vet(label, PolicyVerdict::allow("rule"));
    }

    pub(crate) fn deny(&mut self, label: &str) {
        self.vet(label, PolicyVerdict::Deny { why: "rule".into() });
    }

    pub(crate) fn ask(&mut self, label: &str) {
        let (tool, target) = label.split_once(' ').unwrap();
        self.vet(label, PolicyVerdict::Ask(ask_about(tool, target)));
    }

    pub(crate) fn unfit(&mut self, label: &str) {
        let error = pollux_session::CallError { kind: "bad_arguments".into(), message: "no".into() };
        self.vet(label, PolicyVerdict::Fail { outcome: CallOutcome::Failed { error, result: None } });
    }

    pub(crate) fn run(&mut self, label: &str, report: Report) {
        let effect = Effect::Run { call: self.call(label) };
        let _ = self.report(effect, report);
    }

    pub(crate) fn start(&mut self, label: &str) {
        self.run(label, Report::Starting);
    }

    pub(crate) fn output(&mut self, label: &str, text: &str, skipped: u64) {
        self.run(label, Report::Output { text: text.into(), skipped });
    }

    pub(crate) fn done(&mut self, label: &str) {
        let result = CallResult { text: "ok".into(), ..CallResult::default() };
        self.run(label, Report::Done { outcome: CallOutcome::Succeeded { result } });
    }

    /// The running call `label` has another one made.
    pub(crate) fn within(&mut self, label: &str, wanted: &str) {
        let (tool, about) = wanted.split_once(' ').unwrap();
        let call = NewCall { tool: tool.into(), args: json!({ "about": about }), meta: Value::Null };
        self.run(label, Report::Calls { call });
    }

    pub(crate) fn stale(&mut self, label: &str) {
        self.run(label, Report::Stale);
    }

    /// Report about the compaction that is wanted.
    pub(crate) fn compacting(&mut self, report: Report) {
        let wanted = self.state.compact_wanted.unwrap_or(Seq(0));
        let _ = self.report(Effect::Compact { wanted }, report);
    }

    /// The compaction that is wanted was made.
    pub(crate) fn compacted(&mut self, before: u64, summary: &str) {
        self.compacting(made(before, summary));
    }

    /// The model's own step made a summary.
    pub(crate) fn compacted_while_thinking(&mut self, before: u64, summary: &str) {
        self.think(made(before, summary));
    }

    /// The oldest lasting grant is in the policy file, or could not be put there.
    pub(crate) fn keep(&mut self, failure: Option<&str>) {
        let answer = self.state.keeping.first().map_or(Seq(0), |keeping| keeping.answer);
        let _ = self.report(Effect::Keep { answer }, Report::Kept { failure: failure.map(str::to_owned) });
    }

    /// Start and finish.
    pub(crate) fn perform(&mut self, label: &str) {
        self.start(label);
        self.done(label);
    }

    /// The process went away and another one, with this model, loaded the log.
    pub(crate) fn wake(&mut self, model: &str) {
        self.wake_with(equipment(model));
    }

    /// The same, in a process that works with this.
    pub(crate) fn wake_with(&mut self, equipment: RuntimeDescription) {
        self.state = SessionState::fold(&self.log);
        self.input(&SessionInput::Woken(equipment)).unwrap();
    }
}

/// Lookups for assertions.
impl SessionHarness {
    /// The newest call with this label.
    pub(crate) fn call(&self, label: &str) -> CallId {
        let newest = self.log.iter().rev().find(|entry| match &entry.event {
            Event::Called { tool, args, .. } => label == format!("{tool} {}", args["about"].as_str().unwrap()),
            _ => false,
        });
        CallId(newest.unwrap_or_else(|| panic!("no call {label:?}")).seq)
    }

    /// The newest prompt that was accepted with this text.
    pub(crate) fn prompt_id(&self, wanted: &str) -> PromptId {
        let newest = self.log.iter().rev().find(|entry| match &entry.event {
            Event::Prompted { text, .. } => text == wanted,
            _ => false,
        });
        PromptId(newest.unwrap_or_else(|| panic!("no prompt {wanted:?}")).seq)
    }

    /// Everything that is owed.
    pub(crate) fn owed(&self) -> Vec<Effect> {
        next(&self.state)
    }
}
