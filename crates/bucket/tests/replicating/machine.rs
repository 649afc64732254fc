//! A machine: a log, blobs and a workspace, and a carrier to a bucket.

use pollux_bucket::{BucketAddress, ReplicationCondition, ReplicationTarget, Replicator, VariableLookup};
use pollux_session::{
    CallOutcome, CallResult, Command, CommandEnvelope, CommandId, ContextId, Effect, Entry, EntryAuthor, ItemKind,
    ModelFragment, ModelUsage, NewCall, Owner, PolicyVerdict, PromptTarget, Report, Rights, RuntimeDescription, Seq,
    SessionId, SessionInput, SessionOpened, SessionOverrides, SessionState, TaskId, ToolKind, UnixMillis, Who, next,
    take,
};
use pollux_store::{
    BlobStore, CreateOutcome, EntryBatch, Epoch, Log, NewSession, SessionStore, StoreError, TaskUpdate,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use uuid::Uuid;

static CLOCKS: AtomicU64 = AtomicU64::new(1);

/// Longer than anything takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn owner() -> Owner {
    Owner("ann".into())
}

pub(crate) fn session(number: u128) -> SessionId {
    SessionId(Uuid::from_u128(number))
}

/// A machine with a disk that can be lost.
pub(crate) struct TestMachine {
    pub(crate) store: SessionStore,
    pub(crate) blobs: BlobStore,
    pub(crate) carrier: Replicator,
    _data: TempDir,
}

/// Variables that name nothing.
pub(crate) fn no_variables() -> VariableLookup {
    Arc::new(|_| None)
}

/// A directory that is a bucket.
pub(crate) fn directory(dir: &TempDir) -> String {
    format!("file://{}", dir.path().join("bucket").display())
}

impl TestMachine {
    /// A machine with an empty disk.
    pub(crate) fn fresh(bucket: &str) -> TestMachine {
        TestMachine::with(bucket, no_variables())
    }

    /// A machine with these variables.
    pub(crate) fn with(bucket: &str, variables: VariableLookup) -> TestMachine {
        TestMachine::over(bucket, variables, SessionStore::in_memory().unwrap(), BlobStore::ephemeral().unwrap())
    }

    /// A machine whose disk was there before.
    pub(crate) fn over(bucket: &str, variables: VariableLookup, store: SessionStore, blobs: BlobStore) -> TestMachine {
        let data = tempfile::tempdir().unwrap();
        let address = BucketAddress::parse(bucket).unwrap();
        let beside = |name: &str| address.directory().map(|bucket| bucket.with_file_name(name));
        let carrier = Replicator::start(ReplicationTarget {
            // What [`workspace`] makes, beside a bucket that is a directory; temporary directories have dots in their names.
            workspace: beside("workspace").unwrap_or_else(std::env::temp_dir),
            home: beside("home"),
            own: address.directory().map(Path::to_owned).into_iter().collect(),
            restoring: data.path().join("restoring"),
            address,
            variables,
            store,
            blobs: blobs.clone(),
            owner: owner(),
            release: "test".into(),
        });
        TestMachine { store: carrier.store(), blobs, carrier, _data: data }
    }

    /// Wait until the bucket's sessions are here.
    pub(crate) async fn ready(self) -> TestMachine {
        self.carrier.ready(PATIENCE).await;
        assert_eq!(
            self.carrier.status().condition(),
            ReplicationCondition::Carrying,
            "{}",
            self.carrier.status().told()
        );
        self
    }

    /// Stop it once everything is in the bucket.
    pub(crate) async fn stop(self) {
        let status = self.carrier.status();
        assert!(self.carrier.finish(PATIENCE).await, "{}", status.told());
    }

    /// Wait until `seen` is true of the status.
    pub(crate) async fn until(&self, seen: impl Fn(&Value) -> bool) -> Value {
        let status = self.carrier.status();
        let waiting = async {
            loop {
                let told = status.told();
                if seen(&told) {
                    return told;
                }
                // The status has no wake-up of its own: it is for people who look.
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let told = tokio::time::timeout(PATIENCE, waiting).await;
        told.unwrap_or_else(|_| panic!("the status stays {}", status.told()))
    }

    /// The whole log of a session.
    pub(crate) async fn entries(&self, session: SessionId) -> Vec<Entry> {
        all(&*self.store.log, session).await
    }
}

/// The whole log of a session, in small pages.
pub(crate) async fn all(log: &dyn Log, session: SessionId) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut after = Seq::START;
    loop {
        let page = log.read(session, after, 7).await.unwrap();
        let Some(last) = page.last() else { return entries };
        after = last.seq;
        entries.extend(page.iter().map(|entry| (**entry).clone()));
    }
}

/// A conversation that is written as the host writes one.
pub(crate) struct TestConversation {
    session: SessionId,
    state: SessionState,
    epoch: Epoch,
    store: SessionStore,
    clock: u64,
}

impl TestConversation {
    /// Open a session in `workspace`.
    pub(crate) async fn open(machine: &TestMachine, session: SessionId, workspace: &Path) -> TestConversation {
        let opened = SessionOpened {
            main_task: session.main_task(),
            owner: owner(),
            context: ContextId::new("talk").unwrap(),
            workspace: workspace.to_str().unwrap().to_owned(),
            overrides: SessionOverrides::default(),
            release: "test".into(),
            edge: Value::Null,
        };
        let (mut state, first) = SessionState::open(opened.clone(), EntryAuthor::from(&ann()), UnixMillis(1000));
        let mut entries = vec![first];
        let equipment = RuntimeDescription {
            model: "demo".into(),
            tools: vec!["write_file".into()],
            ..RuntimeDescription::default()
        };
        entries.extend(take(&mut state, &SessionInput::Woken(equipment), UnixMillis(1000)).unwrap());
        let new = NewSession {
            id: session,
            owner: opened.owner,
            context: opened.context,
            workspace: opened.workspace,
            opened: UnixMillis(1000),
            once: None,
            entries: entries.into_iter().map(Arc::new).collect(),
            marks: Vec::new(),
        };
        let CreateOutcome::New(epoch) = machine.store.log.create(new).await.unwrap() else { panic!("it is new") };
        TestConversation { session, state, epoch, store: machine.store.clone(), clock: 1001 }
    }

    /// Go on with a session that is in the log.
    pub(crate) async fn resume(store: &SessionStore, session: SessionId) -> TestConversation {
        let epoch = store.log.claim(session).await.unwrap().expect("the session is here");
        let mut state = SessionState::default();
        all(&*store.log, session).await.iter().for_each(|entry| state.apply(entry));
        // No two machines do anything in the same millisecond.
        let clock = 5000 * CLOCKS.fetch_add(1, Ordering::Relaxed);
        TestConversation { session, state, epoch, store: store.clone(), clock }
    }

    /// Prompt, and answer with a text after one call with `result`.
    pub(crate) async fn turn(&mut self, prompt: &str, result: CallResult) {
        self.begin(prompt).await;
        let call = NewCall { tool: "write_file".into(), args: json!({}), meta: Value::Null };
        self.think("", vec![call]).await;
        let allow = PolicyVerdict::allow("test");
        self.report(Report::Vetted { kind: ToolKind::Edit, verdict: allow }).await;
        self.report(Report::Starting).await;
        self.report(Report::Done { outcome: CallOutcome::Succeeded { result } }).await;
        self.think(&format!("answer to {prompt}"), Vec::new()).await;
        assert_eq!(next(&self.state), [], "the turn is over");
    }

    /// Prompt, and leave the model to be asked.
    pub(crate) async fn begin(&mut self, prompt: &str) {
        let target = PromptTarget::Existing { task: self.session.main_task() };
        let command = Command::prompt(target, prompt);
        let envelope =
            CommandEnvelope { id: CommandId(prompt.into()), who: ann(), at: UnixMillis(self.clock), command };
        self.put(&SessionInput::Command(envelope)).await.unwrap();
    }

    async fn think(&mut self, text: &str, calls: Vec<NewCall>) {
        let said = ModelFragment { kind: ItemKind::Text, text: text.into(), end: Some(Value::Null) };
        let fragments = if text.is_empty() { Vec::new() } else { vec![said] };
        let (finish, usage) = ("STOP".into(), ModelUsage::default());
        self.report(Report::StepDone { fragments, calls, finish, usage, citations: Vec::new(), response: None }).await;
    }

    async fn report(&mut self, report: Report) {
        let effect = next(&self.state).into_iter().next().expect("something is owed");
        assert!(!matches!(effect, Effect::Keep { .. } | Effect::Compact { .. }));
        self.put(&SessionInput::Report { effect, report }).await.unwrap();
    }

    /// Decide and append, as the host's actor does.
    pub(crate) async fn put(&mut self, input: &SessionInput) -> Result<(), StoreError> {
        self.clock += 1;
        let entries = take(&mut self.state, input, UnixMillis(self.clock)).unwrap();
        let touched = BTreeSet::<TaskId>::from_iter(entries.iter().filter_map(|entry| entry.task.map(|task| task.0)));
        let marks = touched.into_iter().filter_map(|task| {
            let mark = (&self.state.task_status(task)?).into();
            Some(TaskUpdate { task, kind: self.state.tasks.get(&task)?.kind, mark })
        });
        let marks = marks.collect();
        let entries = entries.into_iter().map(Arc::new).collect();
        self.store.log.append(EntryBatch { session: self.session, epoch: self.epoch, entries, marks }).await
    }
}

/// The person who prompts.
pub(crate) fn ann() -> Who {
    Who { owner: owner(), principal: "ann".into(), label: "ann".into(), rights: Rights::all() }
}

/// A command that changes nothing but the log.
pub(crate) fn prompt_of(session: SessionId, text: &str) -> SessionInput {
    let command = Command::prompt(PromptTarget::Existing { task: session.main_task() }, text);
    SessionInput::Command(CommandEnvelope { id: CommandId(text.into()), who: ann(), at: UnixMillis(9000), command })
}

/// A workspace with some files.
pub(crate) fn workspace(dir: &TempDir) -> PathBuf {
    let root = dir.path().join("workspace");
    std::fs::create_dir_all(root.join("src")).unwrap();
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join(".git/HEAD"), "ref").unwrap();
    std::fs::write(root.join("src/main.rs"), "fn main() {}").unwrap();
    std::fs::write(root.join("run.sh"), "#!/bin/sh\n").unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(root.join("run.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    root
}
