//! A workspace of its own for each test, with something secret beside it.

use pollux_session::{
    Ask, BlobRef, Call, CallError, CallId, CallOutcome, CallPhase, CallResult, Edit, NewCall, Pending, Seq, SessionId,
    Setting, TaskId, ToolKind, Usage,
};
use pollux_tools::{
    BackgroundProcesses, FetchReach, Output, OutputKeeper, OutputSpool, Preview, Ran, ShellLimits, ToolSettings,
    Toolbox,
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tokio::sync::mpsc;

/// `workspace/`, and `outside/secret.txt` next to it.
pub(crate) struct Room {
    holder: TempDir,
    pub(crate) toolbox: Toolbox,
    pub(crate) shelf: Arc<Shelf>,
}

impl Room {
    pub(crate) fn new() -> Room {
        Room::with_limits(ShellLimits::default())
    }

    pub(crate) fn with_limits(limits: ShellLimits) -> Room {
        Room::with(|settings| settings.shell = limits)
    }

    /// A room whose tools are set up otherwise. The memory file is `memory/GEMINI.md` beside the workspace.
    pub(crate) fn with(change: impl FnOnce(&mut ToolSettings)) -> Room {
        let holder = tempfile::tempdir().unwrap();
        fs::create_dir(holder.path().join("workspace")).unwrap();
        fs::create_dir(holder.path().join("outside")).unwrap();
        fs::write(holder.path().join("outside/secret.txt"), "secret").unwrap();
        let beside = holder.path().canonicalize().unwrap();
        let shelf = Arc::new(Shelf::default());
        let mut settings = ToolSettings::new(Arc::clone(&shelf) as Arc<dyn OutputKeeper>);
        settings.fetch = FetchReach::PublicAndLoopback;
        settings.background = BackgroundProcesses::new(beside.join("logs"));
        settings.memory = Some(beside.join("memory/GEMINI.md"));
        change(&mut settings);
        Room { holder, toolbox: Toolbox::new(settings), shelf }
    }

    /// A room where `outside` was added to the workspace.
    pub(crate) fn with_outside() -> Room {
        let room = Room::new();
        let outside = room.outside();
        room.reached(|settings| settings.include_directories = vec![outside])
    }

    /// The same room with other tools.
    pub(crate) fn reached(mut self, change: impl FnOnce(&mut ToolSettings)) -> Room {
        let mut settings = ToolSettings::new(Arc::clone(&self.shelf) as Arc<dyn OutputKeeper>);
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

    /// Another name for the workspace: a symbolic link to it.
    pub(crate) fn alias(&self) -> PathBuf {
        let alias = self.holder.path().join("alias");
        std::os::unix::fs::symlink(self.root(), &alias).unwrap();
        alias
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn get(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, name: &str) {
        std::os::unix::fs::symlink(target, self.path(name)).unwrap();
    }

    pub(crate) async fn preview(&self, tool: &str, args: Value) -> Result<Preview, CallOutcome> {
        self.toolbox.preview(&self.root(), tool, &args).await
    }

    /// Run a call that was allowed without an ask.
    pub(crate) async fn run(&self, tool: &str, args: Value) -> CallOutcome {
        done(self.run_call(&call(tool, args)).await.0)
    }

    /// Run a call, and return the settings it changed.
    pub(crate) async fn run_setting(&self, call: &Call) -> (CallOutcome, Vec<Setting>) {
        let (mut out, _pieces) = Pieces::new();
        let ran = self.toolbox.run(&self.root(), call, &mut out).await;
        (done(ran), out.settings)
    }

    /// Run a call of another session.
    pub(crate) async fn run_elsewhere(&self, tool: &str, args: Value) -> CallOutcome {
        let (mut out, _pieces) = Pieces::new();
        out.session = "00000000-0000-7000-8000-0000000000ff".parse().unwrap();
        done(self.toolbox.run(&self.root(), &call(tool, args), &mut out).await)
    }

    /// Run a call, and return the pieces it printed.
    pub(crate) async fn run_call(&self, call: &Call) -> (Ran, Vec<(String, u64)>) {
        let (mut out, mut pieces) = Pieces::new();
        let ran = self.toolbox.run(&self.root(), call, &mut out).await;
        drop(out);
        let mut sent = Vec::new();
        while let Ok(piece) = pieces.try_recv() {
            sent.push(piece);
        }
        (ran, sent)
    }

    /// Preview a call and make it one that a person allowed, with or without an edit.
    pub(crate) async fn asked(&self, tool: &str, args: Value, edit: Option<&str>) -> Call {
        self.answered(tool, args, edit.map(|new| Edit::Content { new: new.into() })).await
    }

    /// Preview a call and make it one that a person answered.
    pub(crate) async fn answered(&self, tool: &str, args: Value, edit: Option<Edit>) -> Call {
        let preview = self.preview(tool, args.clone()).await.unwrap();
        Call { ask: Some(Ask::new(preview.details, vec![])), edit, ..call(tool, args) }
    }

    /// How both the preview and the run of a call fail.
    pub(crate) async fn refusal(&self, tool: &str, args: Value) -> CallError {
        let early = failure(self.preview(tool, args.clone()).await.unwrap_err());
        let late = failure(self.run(tool, args).await);
        assert_eq!(early, late);
        late
    }
}

/// A call that may run.
pub(crate) fn call(tool: &str, args: Value) -> Call {
    let task: TaskId = "00000000-0000-7000-8000-000000000001".parse().unwrap();
    let (id, kind) = (CallId(Seq(1)), ToolKind::Edit);
    let tool = tool.into();
    Call {
        id,
        task,
        parent: None,
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

pub(crate) fn done(ran: Ran) -> CallOutcome {
    match ran {
        Ran::Done(outcome) => outcome,
        Ran::Stale => panic!("the call was stale"),
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
pub(crate) struct Pieces {
    session: SessionId,
    pieces: mpsc::UnboundedSender<(String, u64)>,
    settings: Vec<Setting>,
    /// Whether everything is allowed.
    pub(crate) reads_secrets: bool,
}

impl Pieces {
    pub(crate) fn new() -> (Pieces, mpsc::UnboundedReceiver<(String, u64)>) {
        let (pieces, receiver) = mpsc::unbounded_channel();
        let session = "00000000-0000-7000-8000-000000000001".parse().unwrap();
        (Pieces { session, pieces, settings: Vec::new(), reads_secrets: false }, receiver)
    }
}

impl Output for Pieces {
    fn session(&self) -> SessionId {
        self.session
    }

    fn reads_secrets(&self) -> bool {
        self.reads_secrets
    }

    fn send<'a>(&'a mut self, text: String, skipped: u64) -> Pending<'a, ()> {
        let _ = self.pieces.send((text, skipped));
        Box::pin(std::future::ready(()))
    }

    fn call<'a>(&'a mut self, _: NewCall) -> Pending<'a, CallOutcome> {
        Box::pin(std::future::ready(CallOutcome::Cancelled))
    }

    fn spend<'a>(&'a mut self, _: String, _: Usage) -> Pending<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn set<'a>(&'a mut self, setting: Setting) -> Pending<'a, ()> {
        self.settings.push(setting);
        Box::pin(std::future::ready(()))
    }
}

/// Keeps everything in memory.
#[derive(Default)]
pub(crate) struct Shelf {
    kept: Arc<Mutex<HashMap<String, Vec<u8>>>>,
    /// Whether there is no room left.
    pub(crate) full: std::sync::atomic::AtomicBool,
}

struct Spool {
    bytes: Vec<u8>,
    kept: Arc<Mutex<HashMap<String, Vec<u8>>>>,
}

impl OutputKeeper for Shelf {
    fn spool(&self) -> io::Result<Box<dyn OutputSpool>> {
        if self.full.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        Ok(Box::new(Spool { bytes: Vec::new(), kept: Arc::clone(&self.kept) }))
    }

    fn read(&self, blob: &BlobRef) -> io::Result<Vec<u8>> {
        self.kept.lock().unwrap().get(&blob.sha256).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl OutputSpool for Spool {
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
        self.kept.lock().unwrap().insert(blob.sha256.clone(), self.bytes);
        Ok(blob)
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
