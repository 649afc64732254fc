//! A workspace of its own for each test, with something secret beside it.

use parking_lot::Mutex;
use pollux_session::{
    AnswerEdit, Ask, AskDetails, BlobRef, BoxFuture, CallError, CallId, CallOutcome, CallPhase, CallResult, CallState,
    ModelUsage, NewCall, SeenFile, SeenFiles, Seq, SessionId, SessionSetting, TaskId, ToolKind,
};
use pollux_tools::{
    CallPreview, FetchReach, OutputSpool, OutputStore, ShellLimits, ToolCallContext, ToolRunOutcome, Toolbox,
    ToolboxSettings,
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::sync::mpsc;

/// The session of the calls.
pub(crate) const SESSION: &str = "00000000-0000-7000-8000-000000000001";

/// `workspace/`, and `outside/secret.txt` next to it.
pub(crate) struct ToolTestWorkspace {
    holder: TempDir,
    pub(crate) toolbox: Toolbox,
    pub(crate) output_store: Arc<TestOutputStore>,
    /// What the model has seen.
    seen: Mutex<SeenFiles>,
}

impl ToolTestWorkspace {
    pub(crate) fn new() -> ToolTestWorkspace {
        ToolTestWorkspace::with_limits(ShellLimits::default())
    }

    pub(crate) fn with_limits(limits: ShellLimits) -> ToolTestWorkspace {
        ToolTestWorkspace::with_settings(|settings| settings.shell = limits)
    }

    /// A room whose tools are set up otherwise. The memory file is `memory/GEMINI.md` beside the workspace.
    pub(crate) fn with_settings(change: impl FnOnce(&mut ToolboxSettings)) -> ToolTestWorkspace {
        let holder = tempfile::tempdir().unwrap();
        fs::create_dir(holder.path().join("workspace")).unwrap();
        fs::create_dir(holder.path().join("outside")).unwrap();
        fs::write(holder.path().join("outside/secret.txt"), "secret").unwrap();
        let beside = holder.path().canonicalize().unwrap();
        let output_store =
            Arc::new(TestOutputStore { files: beside.join("blobs/outputs"), ..TestOutputStore::default() });
        let mut settings = ToolboxSettings::new(Arc::clone(&output_store) as Arc<dyn OutputStore>);
        settings.fetch = FetchReach::PublicAndLoopback;
        settings.memory = Some(beside.join("memory/GEMINI.md"));
        change(&mut settings);
        ToolTestWorkspace { holder, toolbox: Toolbox::new(settings), output_store, seen: Mutex::default() }
    }

    /// A room where `outside` was added to the workspace.
    pub(crate) fn with_outside() -> ToolTestWorkspace {
        let room = ToolTestWorkspace::new();
        let outside = room.outside();
        room.with_tools(|settings| settings.include_directories = vec![outside])
    }

    /// The workspace with other tools.
    pub(crate) fn with_tools(mut self, change: impl FnOnce(&mut ToolboxSettings)) -> ToolTestWorkspace {
        let mut settings = ToolboxSettings::new(Arc::clone(&self.output_store) as Arc<dyn OutputStore>);
        change(&mut settings);
        self.toolbox = Toolbox::new(settings);
        self
    }

    /// Give up the toolbox, but not the files.
    pub(crate) fn close(self) -> TempDir {
        self.holder
    }

    /// The memory file.
    pub(crate) fn memory(&self) -> PathBuf {
        self.holder.path().canonicalize().unwrap().join("memory/GEMINI.md")
    }

    /// The real path of the workspace.
    pub(crate) fn root(&self) -> PathBuf {
        self.holder.path().canonicalize().unwrap().join("workspace")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.holder.path().canonicalize().unwrap().join("outside")
    }

    /// The directory of the long output of the session.
    pub(crate) fn output_files(&self) -> PathBuf {
        self.output_store.files.join(SESSION)
    }

    /// Another name for the workspace: a symbolic link to it.
    pub(crate) fn alias(&self) -> PathBuf {
        let alias = self.holder.path().join("alias");
        std::os::unix::fs::symlink(self.root(), &alias).unwrap();
        alias
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// A file that the model has seen as it is.
    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        self.seen.lock().add(self.seen_version(name, &content));
        self.put_unseen(name, content);
    }

    /// A file as a person leaves it: the model does not know.
    pub(crate) fn put_unseen(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// What a result says that shows this content of a file.
    pub(crate) fn seen_version(&self, name: &str, content: impl AsRef<[u8]>) -> SeenFile {
        let path = self.path(name).to_string_lossy().into_owned();
        SeenFile { path, sha256: hex(&Sha256::digest(content)) }
    }

    pub(crate) fn seen_files(&self) -> Arc<SeenFiles> {
        Arc::new(self.seen.lock().clone())
    }

    pub(crate) fn get(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, name: &str) {
        std::os::unix::fs::symlink(target, self.path(name)).unwrap();
    }

    pub(crate) async fn preview(&self, tool: &str, args: Value) -> Result<CallPreview, CallOutcome> {
        self.toolbox.preview(SESSION.parse().unwrap(), &self.root(), tool, &args, &self.seen_files()).await
    }

    /// Run a call that was allowed without an ask.
    pub(crate) async fn run(&self, tool: &str, args: Value) -> CallOutcome {
        done(self.run_call(&call(tool, args)).await.0)
    }

    /// Run a call, and return the settings it changed.
    pub(crate) async fn run_setting(&self, call: &CallState) -> (CallOutcome, Vec<SessionSetting>) {
        let (mut out, _pieces) = RecordingCallContext::new();
        let ran = self.toolbox.run(&self.root(), call, &mut out).await;
        (done(ran), out.settings)
    }

    /// Run a call of another session.
    pub(crate) async fn run_elsewhere(&self, tool: &str, args: Value) -> CallOutcome {
        let (mut out, _pieces) = RecordingCallContext::new();
        out.session = "00000000-0000-7000-8000-0000000000ff".parse().unwrap();
        done(self.toolbox.run(&self.root(), &call(tool, args), &mut out).await)
    }

    /// Run a call, and return the pieces it printed.
    pub(crate) async fn run_call(&self, call: &CallState) -> (ToolRunOutcome, Vec<(String, u64)>) {
        let (mut out, mut pieces) = RecordingCallContext::new();
        out.seen = self.seen_files();
        let ran = self.toolbox.run(&self.root(), call, &mut out).await;
        drop(out);
        if let ToolRunOutcome::Done(CallOutcome::Succeeded { result }) = &ran {
            result.seen.iter().for_each(|file| self.seen.lock().add(file.clone()));
        }
        let mut sent = Vec::new();
        while let Ok(piece) = pieces.try_recv() {
            sent.push(piece);
        }
        (ran, sent)
    }

    /// Preview a call and make it one that a person allowed, with or without an edit.
    pub(crate) async fn preview_and_allow(&self, tool: &str, args: Value, edit: Option<&str>) -> CallState {
        self.preview_and_answer(tool, args, edit.map(|new| AnswerEdit::Content { new: new.into() })).await
    }

    /// Preview a call and make it one that a person answered.
    pub(crate) async fn preview_and_answer(&self, tool: &str, args: Value, edit: Option<AnswerEdit>) -> CallState {
        let preview = self.preview(tool, args.clone()).await.unwrap();
        CallState { ask: Some(Ask::new(preview.details, vec![])), edit, ..call(tool, args) }
    }

    /// The error of both the preview and the run of a call.
    pub(crate) async fn refusal(&self, tool: &str, args: Value) -> CallError {
        let early = failure(self.preview(tool, args.clone()).await.unwrap_err());
        let late = failure(self.run(tool, args).await);
        assert_eq!(early, late);
        late
    }
}

/// A call that may run.
pub(crate) fn call(tool: &str, args: Value) -> CallState {
    let task: TaskId = "00000000-0000-7000-8000-000000000001".parse().unwrap();
    let (id, kind) = (CallId(Seq(1)), ToolKind::Edit);
    let tool = tool.into();
    CallState {
        id,
        task,
        parent: None,
        place: id,
        tool,
        args,
        kind,
        ask: None,
        chosen: None,
        edit: None,
        plan: None,
        phase: CallPhase::Running,
        response: None,
    }
}

pub(crate) fn done(ran: ToolRunOutcome) -> CallOutcome {
    match ran {
        ToolRunOutcome::Done(outcome) => outcome,
        ToolRunOutcome::Stale => panic!("the call was stale"),
    }
}

pub(crate) fn success(outcome: CallOutcome) -> CallResult {
    match outcome {
        CallOutcome::Succeeded { result } => result,
        other => panic!("the call did not succeed: {other:?}"),
    }
}

pub(crate) fn failure(outcome: CallOutcome) -> CallError {
    match outcome {
        CallOutcome::Failed { error, .. } => error,
        other => panic!("the call did not fail: {other:?}"),
    }
}

/// Hands every piece of output on, and remembers settings.
pub(crate) struct RecordingCallContext {
    session: SessionId,
    pieces: mpsc::UnboundedSender<(String, u64)>,
    settings: Vec<SessionSetting>,
    /// True if everything is allowed.
    pub(crate) reads_secrets: bool,
    pub(crate) seen: Arc<SeenFiles>,
    /// What policy allowed.
    pub(crate) judged: Option<AskDetails>,
}

impl RecordingCallContext {
    pub(crate) fn new() -> (RecordingCallContext, mpsc::UnboundedReceiver<(String, u64)>) {
        let (pieces, receiver) = mpsc::unbounded_channel();
        let (session, seen) = (SESSION.parse().unwrap(), Arc::default());
        let settings = Vec::new();
        (RecordingCallContext { session, pieces, settings, reads_secrets: false, seen, judged: None }, receiver)
    }
}

impl ToolCallContext for RecordingCallContext {
    fn session(&self) -> SessionId {
        self.session
    }

    fn seen_files(&self) -> Arc<SeenFiles> {
        Arc::clone(&self.seen)
    }

    fn reads_secrets(&self) -> bool {
        self.reads_secrets
    }

    fn judged(&self) -> Option<&AskDetails> {
        self.judged.as_ref()
    }

    fn send<'a>(&'a mut self, text: String, skipped: u64) -> BoxFuture<'a, ()> {
        let _ = self.pieces.send((text, skipped));
        Box::pin(std::future::ready(()))
    }

    fn call<'a>(&'a mut self, _: NewCall) -> BoxFuture<'a, CallOutcome> {
        Box::pin(std::future::ready(CallOutcome::Cancelled))
    }

    fn spend<'a>(&'a mut self, _: String, _: ModelUsage) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn set<'a>(&'a mut self, setting: SessionSetting) -> BoxFuture<'a, ()> {
        self.settings.push(setting);
        Box::pin(std::future::ready(()))
    }
}

/// Keeps everything in memory.
#[derive(Default)]
pub(crate) struct TestOutputStore {
    blobs: Arc<Mutex<HashMap<String, Vec<u8>>>>,
    /// The directory of the files of sessions.
    pub(crate) files: PathBuf,
    /// True if there is no room left.
    pub(crate) full: std::sync::atomic::AtomicBool,
}

struct TestOutputSpool {
    bytes: Vec<u8>,
    blobs: Arc<Mutex<HashMap<String, Vec<u8>>>>,
}

impl OutputStore for TestOutputStore {
    fn spool(&self) -> io::Result<Box<dyn OutputSpool>> {
        if self.full.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        Ok(Box::new(TestOutputSpool { bytes: Vec::new(), blobs: Arc::clone(&self.blobs) }))
    }

    fn read(&self, blob: &BlobRef) -> io::Result<Vec<u8>> {
        self.blobs.lock().get(&blob.sha256).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn create_file(&self, session: SessionId, name: &str, _: u64) -> io::Result<(File, PathBuf)> {
        if self.full.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        let dir = self.files.join(session.to_string());
        fs::create_dir_all(&dir)?;
        let path = dir.join(name);
        Ok((File::options().read(true).write(true).create(true).truncate(true).open(&path)?, path))
    }

    fn session_files(&self) -> Option<PathBuf> {
        Some(self.files.clone())
    }
}

impl OutputSpool for TestOutputSpool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>, media: &str) -> io::Result<BlobRef> {
        let blob = BlobRef {
            sha256: hex(&Sha256::digest(&self.bytes)),
            len: self.bytes.len() as u64,
            media: media.to_owned(),
        };
        self.blobs.lock().insert(blob.sha256.clone(), self.bytes);
        Ok(blob)
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
