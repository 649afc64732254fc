//! A session in memory and a person in front of it, for tests.

mod line_mode_tester;

pub(crate) use line_mode_tester::{LineModeTester, TestOutput};

use parking_lot::Mutex;
use pollux_session::*;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::{Notify, broadcast};
use uuid::Uuid;

/// A session without host, store and agent: the tests report what the agent does.
pub(crate) struct FakeSession {
    log: Mutex<(SessionState, Vec<Arc<Entry>>)>,
    clock: Mutex<u64>,
    /// Reports whose turn has not come. They are offered again after each that is taken, as the host does.
    early: Mutex<Vec<(Effect, Report)>>,
    grown: Notify,
    notices: broadcast::Sender<Notice>,
}

const ID: SessionId = SessionId(Uuid::from_u128(7));

impl FakeSession {
    pub(crate) fn open() -> Arc<FakeSession> {
        FakeSession::open_in("/ws")
    }

    pub(crate) fn open_in(workspace: &str) -> Arc<FakeSession> {
        let opened = SessionOpened {
            main_task: ID.main_task(),
            owner: Owner("me".into()),
            context: ContextId::new("test").unwrap(),
            workspace: workspace.into(),
            overrides: SessionOverrides::default(),
            release: "test".into(),
            edge: serde_json::Value::Null,
        };
        let (state, entry) = SessionState::open(opened, EntryAuthor::Agent, UnixMillis(0));
        let log = Mutex::new((state, vec![Arc::new(entry)]));
        let session = FakeSession {
            log,
            clock: Mutex::new(0),
            early: Mutex::default(),
            grown: Notify::new(),
            notices: broadcast::Sender::new(16),
        };
        session
            .take(&SessionInput::Woken(RuntimeDescription {
                model: "demo".into(),
                tools: vec![],
                ..RuntimeDescription::default()
            }))
            .unwrap();
        Arc::new(session)
    }

    pub(crate) fn seat(self: &Arc<Self>, label: &str) -> Arc<FakeSeat> {
        let who =
            Who { owner: Owner("me".into()), principal: "local".into(), label: label.into(), rights: Rights::all() };
        Arc::new(FakeSeat { session: self.clone(), who })
    }

    /// Let time pass for the entries that follow.
    pub(crate) fn advance_clock(&self, ms: u64) {
        *self.clock.lock() += ms;
    }

    pub(crate) fn take(&self, input: &SessionInput) -> Result<CommandReceipt, Refusal> {
        let at = UnixMillis(*self.clock.lock());
        let mut log = self.log.lock();
        let (state, entries) = &mut *log;
        let new = take(state, input, at)?;
        let first = new.first().map_or(state.head, |entry| entry.seq);
        let about = new.iter().find_map(|entry| {
            let Event::Prompted { task, .. } = &entry.event else { return None };
            Some((*task, PromptId(entry.seq)))
        });
        entries.extend(new.into_iter().map(Arc::new));
        self.grown.notify_waiters();
        let kept = match input {
            SessionInput::Command(envelope) => state.receipt_of(&envelope.id, &envelope.command),
            _ => None,
        };
        Ok(kept.unwrap_or_else(|| CommandReceipt::new(first, about)))
    }

    pub(crate) fn state(&self) -> SessionState {
        self.log.lock().0.clone()
    }

    pub(crate) fn entries(&self) -> Vec<Arc<Entry>> {
        self.log.lock().1.clone()
    }

    /// The events of the log that a seat caused, for asserting on what was sent.
    pub(crate) fn by_clients(&self) -> Vec<Event> {
        let entries = self.entries();
        entries.iter().filter(|entry| entry.by != EntryAuthor::Agent).map(|entry| entry.event.clone()).collect()
    }

    fn owed(&self, wanted: impl Fn(&Effect) -> bool) -> Effect {
        let owed = next(&self.state());
        owed.iter().copied().find(wanted).unwrap_or_else(|| panic!("not owed: {owed:?}"))
    }

    fn report(&self, effect: Effect, report: Report) {
        self.early.lock().push((effect, report));
        let mut is_taken = true;
        while std::mem::take(&mut is_taken) {
            let early = std::mem::take(&mut *self.early.lock());
            for (effect, report) in early {
                match self.take(&SessionInput::Report { effect, report: report.clone() }) {
                    Err(Refusal::NotYet) => self.early.lock().push((effect, report)),
                    taken => {
                        taken.unwrap();
                        is_taken = true;
                    }
                }
            }
        }
    }

    /// The model says something and goes on.
    pub(crate) fn says(&self, kind: ItemKind, text: &str) {
        let fragments = vec![ModelFragment { kind, text: text.into(), end: None }];
        self.report(
            self.owed(|effect| matches!(effect, Effect::Think { .. })),
            Report::Said { fragments, response: None },
        );
    }

    pub(crate) fn thinks(&self, report: Report) {
        self.report(self.owed(|effect| matches!(effect, Effect::Think { .. })), report);
    }

    /// Report the result of a wanted summary.
    pub(crate) fn compacts(&self, report: Report) {
        self.report(self.owed(|effect| matches!(effect, Effect::Compact { .. })), report);
    }

    /// Report the result of keeping a lasting grant.
    pub(crate) fn keeps(&self, failure: Option<&str>) {
        let failure = failure.map(str::to_owned);
        self.report(self.owed(|effect| matches!(effect, Effect::Keep { .. })), Report::Kept { failure });
    }

    /// A turn that has questions. Somebody has prompted before.
    pub(crate) fn asks_questions(&self, description: &str, schema: Value, options: Vec<AskOption>) -> CallId {
        let call = self.calls(&[("ask_user", json!({ "questions": [] }))])[0];
        let details = AskDetails::Generic { description: description.into(), schema: Some(schema) };
        self.vets(call, ToolKind::Converse, PolicyVerdict::Ask(Ask::new(details, options)));
        call
    }

    /// The model is done and wants these calls. Returns their ids.
    pub(crate) fn calls(&self, calls: &[(&str, Value)]) -> Vec<CallId> {
        let calls =
            calls.iter().map(|(tool, args)| NewCall { tool: (*tool).into(), args: args.clone(), meta: Value::Null });
        self.thinks(Report::StepDone {
            fragments: vec![],
            calls: calls.collect(),
            finish: "STOP".into(),
            usage: ModelUsage::default(),
            citations: vec![],
            response: None,
        });
        self.state().turn.iter().flat_map(|turn| turn.calls.keys().copied()).collect()
    }

    /// The running call `parent` wants another call made. Returns its id.
    pub(crate) fn calls_within(&self, parent: CallId, tool: &str, args: Value) -> CallId {
        self.runs(parent, Report::Calls { call: NewCall { tool: tool.into(), args, meta: Value::Null } });
        CallId(self.state().head)
    }

    /// The model is done.
    pub(crate) fn rests(&self) {
        self.calls(&[]);
    }

    pub(crate) fn vets(&self, call: CallId, kind: ToolKind, verdict: PolicyVerdict) {
        let effect = self.owed(|effect| matches!(effect, Effect::Vet { call: owed, .. } if *owed == call));
        self.report(effect, Report::Vetted { kind, verdict });
    }

    pub(crate) fn runs(&self, call: CallId, report: Report) {
        self.report(Effect::Run { call }, report);
    }

    /// The call runs and ends.
    pub(crate) fn ends_call(&self, call: CallId, result: CallResult) {
        self.runs(call, Report::Done { outcome: CallOutcome::Succeeded { result } });
    }

    pub(crate) fn notices(&self, level: NoticeLevel, text: &str) {
        self.notices.send(Notice { level, text: text.into() }).unwrap();
    }

    /// A turn that wants to run `command` and asks. Somebody has prompted before.
    pub(crate) fn asks_to_run(&self, command: &str) -> CallId {
        let call = self.calls(&[("run_shell_command", json!({ "command": command }))])[0];
        self.vets(call, ToolKind::Execute, PolicyVerdict::Ask(run_ask(command)));
        call
    }

    /// A turn that wants to run `commands`, of which policy asks about the last one first. Somebody has prompted before.
    pub(crate) fn asks_backwards(&self, commands: &[&str]) -> Vec<CallId> {
        let wanted: Vec<_> = commands.iter().map(|it| ("run_shell_command", json!({ "command": it }))).collect();
        let calls = self.calls(&wanted);
        for (call, command) in calls.iter().zip(commands).rev() {
            self.vets(*call, ToolKind::Execute, PolicyVerdict::Ask(run_ask(command)));
        }
        calls
    }
}

pub(crate) fn run_ask(command: &str) -> Ask {
    let grant = Grant::Command { command: command.into(), directory: None };
    let details = AskDetails::Execute { command: command.into(), directory: "/ws".into() };
    Ask::new(details, vec![once_choice(), session_choice(grant), cancel_choice()])
}

pub(crate) fn hello_change() -> FileDiff {
    FileDiff {
        name: "hello.py".into(),
        path: "/ws/hello.py".into(),
        old: Some("a\n\nb\n".into()),
        new: "a\n\nc\n".into(),
        patch: "--- a/hello.py\n+++ b/hello.py\n@@ -1,3 +1,3 @@\n a\n \n-b\n+c\n".into(),
    }
}

/// A patch that edits, adds, moves and deletes.
pub(crate) fn hello_patch() -> Vec<PatchedFile> {
    let diff = |name: &str, old: Option<&str>, new: &str, patch: &str| FileDiff {
        name: name.into(),
        path: format!("/ws/{name}"),
        old: old.map(str::to_owned),
        new: new.into(),
        patch: patch.into(),
    };
    let moved = PatchedFileChange::Move { from_name: "old.md".into(), from_path: "/ws/old.md".into() };
    let added = diff("notes.md", None, "# Notes\n", "--- /dev/null\n+++ notes.md\n@@ -0,0 +1 @@\n+# Notes\n");
    let deleted = diff("gone.txt", Some("bye\n"), "", "--- gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n");
    vec![
        PatchedFile { change: PatchedFileChange::Edit, diff: hello_change(), written: vec![] },
        PatchedFile { change: PatchedFileChange::Add, diff: added, written: vec![] },
        PatchedFile { change: moved, diff: diff("new.md", Some("same\n"), "same\n", ""), written: vec![] },
        PatchedFile { change: PatchedFileChange::Delete, diff: deleted, written: vec![] },
    ]
}

pub(crate) fn patch_ask() -> Ask {
    let options = vec![once_choice(), session_choice(Grant::FileChanges), cancel_choice()];
    Ask::new(AskDetails::Patch { files: hello_patch() }, options)
}

pub(crate) fn edit_ask(change: FileDiff) -> Ask {
    let options = vec![once_choice(), session_choice(Grant::FileChanges), cancel_choice()];
    Ask::new(AskDetails::Edit(change), options)
}

/// A seat at the fake session.
pub(crate) struct FakeSeat {
    session: Arc<FakeSession>,
    who: Who,
}

impl FakeSeat {
    /// Send a command, now.
    pub(crate) fn does(&self, id: &str, command: Command) -> Result<CommandReceipt, Refusal> {
        let at = UnixMillis(*self.session.clock.lock());
        let envelope = CommandEnvelope { id: CommandId(id.into()), who: self.who.clone(), at, command };
        self.session.take(&SessionInput::Command(envelope))
    }

    pub(crate) fn prompts(&self, text: &str) {
        let target = PromptTarget::Existing { task: ID.main_task() };
        self.does(text, Command::prompt(target, text)).unwrap();
    }

    pub(crate) fn answers(&self, call: CallId, option: &str) -> Result<CommandReceipt, Refusal> {
        self.does("answer", Command::Answer { call, option: option.into(), edit: None })
    }
}

impl Seat for FakeSeat {
    fn session(&self) -> SessionId {
        ID
    }

    fn who(&self) -> &Who {
        &self.who
    }

    fn incarnation(&self) -> u32 {
        0
    }

    fn send(&self, id: CommandId, command: Command) -> BoxFuture<'_, Result<CommandReceipt, SendError>> {
        Box::pin(async move { self.does(&id.0, command).map_err(SendError::Refused) })
    }

    fn read(&self, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, ReadError>> {
        Box::pin(async move {
            let log = self.session.log.lock();
            Ok(log.1.iter().filter(|entry| entry.seq > after).take(limit).cloned().collect())
        })
    }

    fn changed(&self, after: Seq) -> BoxFuture<'_, Result<Seq, ReadError>> {
        Box::pin(async move {
            loop {
                let grown = self.session.grown.notified();
                let head = self.session.state().head;
                if head > after {
                    return Ok(head);
                }
                grown.await;
            }
        })
    }

    fn notices(&self) -> Box<dyn NoticeFeed> {
        Box::new(FakeNotices(self.session.notices.subscribe()))
    }
}

struct FakeNotices(broadcast::Receiver<Notice>);

impl NoticeFeed for FakeNotices {
    fn next(&mut self) -> BoxFuture<'_, Option<Notice>> {
        Box::pin(async { self.0.recv().await.ok() })
    }
}

/// A string with one of everything that could harm a terminal or hide something.
pub(crate) const EVIL: &str = "e\u{1b}[2J\u{1b}]0;pwn\u{7}\u{1b}P1$q\u{1b}\\\u{9b}31m\u{9d}52;c;x\u{9c}\u{8}\u{7f}\r\u{202e}\u{2066}\u{200b}\u{feff}\u{e0041}v";

/// Fails when `text` holds anything but printable text, line breaks and our own colours.
pub(crate) fn assert_harmless(text: &str) {
    let mut bare = text.to_owned();
    for ours in ["0", "1", "2", "31", "32", "33", "36"] {
        bare = bare.replace(&format!("\x1b[{ours}m"), "");
    }
    let harmful: Vec<char> = bare
        .chars()
        .filter(|ch| {
            let code = u32::from(*ch);
            (ch.is_control() && *ch != '\n' && *ch != '\t')
                || matches!(code, 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0xFEFF | 0xE0000..=0xE0FFF)
        })
        .collect();
    assert_eq!(harmful, Vec::<char>::new(), "in {text:?}");
}
