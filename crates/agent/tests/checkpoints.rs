//! Checkpoints before changes and the way back, through the real host, store, tools, policy and git.

use pollux_agent::{AgentRunner, AgentSettings, WorkspaceAgent};
use pollux_host::{Host, NoticeBoard};
use pollux_model::{ModelCatalogue, ModelRegistry};
use pollux_policy::{PolicySources, WorkspacePolicies};
use pollux_session::{
    ApprovalMode, AskDetails, BlobRef, CallId, CallOutcome, Command, CommandId, ContextId, Entry, Event,
    OpenSessionRequest, Owner, PromptTarget, Rights, Roster, Seat, SessionId, SessionLookup, SessionOverrides,
    SessionSetting, SessionState, TaskStatus, Transcript, TranscriptLine, TurnOutcome, Who,
};
use pollux_store::SessionStore;
use pollux_tools::{CheckpointSettings, Checkpoints, OutputSpool, OutputStore, Toolbox};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// No test here prints more than the log keeps.
struct NoOutputStore;

impl OutputStore for NoOutputStore {
    fn spool(&self) -> std::io::Result<Box<dyn OutputSpool>> {
        Ok(Box::new(NoOutputSpool))
    }

    fn read(&self, _: &BlobRef) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

struct NoOutputSpool;

impl OutputSpool for NoOutputSpool {
    fn write(&mut self, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>, _: &str) -> std::io::Result<BlobRef> {
        Err(std::io::Error::other("nothing is kept here"))
    }
}

struct TestSession {
    dir: TempDir,
    seat: Arc<dyn Seat>,
}

fn who() -> Who {
    Who { owner: Owner("me".into()), principal: "me".into(), label: "terminal".into(), rights: Rights::all() }
}

/// A host over the log in `dir`, with the answers of the script there.
fn host(dir: &Path, change: impl FnOnce(&mut CheckpointSettings)) -> Host {
    let models = Arc::new(ModelRegistry::new(ModelCatalogue::load(None).unwrap(), |_| None));
    let model = models.resolve(&format!("script:{}", dir.join("script.responses").display())).unwrap();
    let policies = Arc::new(WorkspacePolicies::new(PolicySources::default()));
    let mut settings = CheckpointSettings::new(dir.join("kept"));
    change(&mut settings);
    let (toolbox, workspace) = (Toolbox::standard(Arc::new(NoOutputStore)), dir.join("workspace"));
    let agent = WorkspaceAgent::new(&workspace, models, model, toolbox, policies, AgentSettings::default())
        .with_checkpoints(Arc::new(Checkpoints::new(settings)));
    let store = SessionStore::open(&dir.join("log.db")).unwrap();
    Host::new(store, Arc::new(AgentRunner::new(agent)), NoticeBoard::default(), SessionOverrides::default(), "test")
}

async fn open(dir: &Path, host: &Host, mode: ApprovalMode) -> Arc<dyn Seat> {
    let opening = OpenSessionRequest {
        id: SessionId(uuid::Uuid::now_v7()),
        context: ContextId::new("test").unwrap(),
        workspace: dir.join("workspace").to_str().unwrap().into(),
        overrides: SessionOverrides { mode: Some(mode), ..SessionOverrides::default() },
        once: None,
        edge: Value::Null,
    };
    host.open(&who(), opening).await.unwrap()
}

fn prepare(answers: &[Value]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let answer = |parts: &Value| {
        let content = json!({"role": "model", "parts": parts});
        let chunk = json!({"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]});
        json!({"method": "generateContentStream", "response": [chunk]}).to_string()
    };
    let lines: Vec<String> = answers.iter().map(answer).collect();
    fs::write(dir.path().join("script.responses"), lines.join("\n")).unwrap();
    fs::create_dir(dir.path().join("workspace")).unwrap();
    dir
}

async fn start_session(mode: ApprovalMode, answers: &[Value]) -> TestSession {
    let dir = prepare(answers);
    let seat = open(dir.path(), &host(dir.path(), |_| {}), mode).await;
    TestSession { dir, seat }
}

impl TestSession {
    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join("workspace").join(path)
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.at(path)).ok()
    }

    async fn send(&self, command: Command) {
        self.seat.send(CommandId(uuid::Uuid::now_v7().to_string()), command).await.unwrap();
    }

    async fn prompt(&self, text: &str) {
        let target = PromptTarget::Existing { task: self.seat.session().main_task() };
        self.send(Command::prompt(target, text)).await;
    }

    async fn answer(&self, call: CallId, option: &str) {
        self.send(Command::Answer { call, option: option.into(), edit: None }).await;
    }

    async fn until(&self, done: impl Fn(&SessionState) -> bool) -> (SessionState, Vec<Arc<Entry>>) {
        let mut state = SessionState::default();
        let mut entries = Vec::new();
        loop {
            for entry in self.seat.read(state.head, 500).await.unwrap() {
                state.apply(&entry);
                entries.push(entry);
            }
            if done(&state) {
                return (state, entries);
            }
            self.seat.changed(state.head).await.unwrap();
        }
    }

    async fn rest(&self) -> (SessionState, Vec<Arc<Entry>>) {
        self.until(|state| matches!(state.session_status(), TaskStatus::Resting(_))).await
    }

    /// Prompt and wait until nothing more happens.
    async fn do_now(&self, text: &str) -> (SessionState, Vec<Arc<Entry>>) {
        self.prompt(text).await;
        self.rest().await
    }
}

fn write(path: &str, content: &str) -> Value {
    json!([{"functionCall": {"name": "write_file", "args": {"file_path": path, "content": content}}}])
}

fn shell(command: &str) -> Value {
    json!([{"functionCall": {"name": "run_shell_command", "args": {"command": command}}}])
}

fn text_answer(text: &str) -> Value {
    json!([{"text": text}])
}

/// The lines that the model would be told, in short.
fn model_view(entries: &[Arc<Entry>]) -> Vec<String> {
    let transcript = Transcript::fold(entries.iter().map(AsRef::as_ref));
    let told = transcript.told().into_iter().filter_map(|line| match line {
        TranscriptLine::Turn { prompt, .. } => Some(format!("turn for {prompt}")),
        TranscriptLine::Item { text, .. } => Some(text.clone()),
        TranscriptLine::Call { tool, .. } => Some(format!("calls {tool}")),
        _ => None,
    });
    told.collect()
}

fn open_call(state: &SessionState) -> CallId {
    state.turn.as_ref().unwrap().open_calls().next().unwrap().id
}

fn last_outcome(entries: &[Arc<Entry>]) -> CallOutcome {
    let ended = |entry: &Arc<Entry>| match &entry.event {
        Event::CallEnded { outcome, .. } => Some(outcome.clone()),
        _ => None,
    };
    entries.iter().rev().find_map(ended).unwrap()
}

/// One command, so that whoever keeps the files keeps the conversation, too, and nothing waits to be done later.
#[tokio::test]
async fn a_rewind_takes_files_and_conversation_back_together_or_neither() {
    let answers = [text_answer("hello"), write("a.txt", "one\n"), text_answer("done"), text_answer("kiwi")];
    for (option, file, told) in
        [("proceed_once", None, vec!["hello"]), ("cancel", Some("one\n"), vec!["hello", "calls write_file", "done"])]
    {
        let scene = start_session(ApprovalMode::AutoEdit, &answers).await;
        scene.do_now("hi").await;
        let (state, entries) = scene.do_now("go").await;
        let is_second = |entry: &&Arc<Entry>| matches!(&entry.event, Event::Prompted { text, .. } if text == "go");
        let prompt = entries.iter().find(is_second).unwrap().seq;
        let checkpoint = &state.checkpoints.front().unwrap().checkpoint.name;
        scene.prompt(&format!("/rewind {} {checkpoint}", prompt.0)).await;
        let (state, _) = scene.until(|state| state.only_asks_remain() && state.turn.is_some()).await;
        scene.answer(open_call(&state), option).await;
        let (state, entries) = scene.rest().await;
        assert_eq!((scene.read("a.txt").as_deref(), state.queue.len()), (file, 0), "{option}");
        let told_now = model_view(&entries).into_iter().filter(|line| !line.starts_with("turn for"));
        assert_eq!(Vec::from_iter(told_now), told, "{option}");
    }
}

#[tokio::test]
async fn files_and_conversation_go_back_and_that_can_be_undone() {
    let answers =
        [write("a.txt", "one\n"), shell("echo two > a.txt; echo b > b.txt"), text_answer("done"), text_answer("again")];
    let scene = start_session(ApprovalMode::Yolo, &answers).await;
    let (state, before) = scene.do_now("go").await;
    let names: Vec<&str> = state.checkpoints.iter().map(|kept| kept.checkpoint.name.as_str()).collect();
    let [first, second] = names[..] else { panic!("{names:?}") };
    assert!(first.ends_with("Z-a.txt-write_file") && second.ends_with("Z-run_shell_command"), "{names:?}");
    let order: Vec<&str> = before
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Checkpointed(_) => Some("saved"),
            Event::CallStarted { .. } => Some("started"),
            _ => None,
        })
        .collect();
    assert_eq!(order, ["saved", "started", "saved", "started"]);
    // Back to before the command, which was the second step.
    let (state, entries) = scene.do_now(&format!("/restore {second}")).await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Rested), "{entries:?}");
    assert_eq!((scene.read("a.txt").as_deref(), scene.read("b.txt")), (Some("one\n"), None));
    assert_eq!(model_view(&entries), model_view(&before)[..2]);
    // Back to the very beginning.
    let (_, entries) = scene.do_now(&format!("/restore {first}")).await;
    assert_eq!((scene.read("a.txt"), scene.read("b.txt")), (None, None));
    assert_eq!(model_view(&entries), model_view(&before)[..1]);
    // Each of those saved the present first: what came before them can be had again, files and conversation.
    let undo = state.checkpoints.back().unwrap().checkpoint.name.clone();
    assert!(undo.ends_with("-restore_checkpoint"), "{undo}");
    let (_, entries) = scene.do_now(&format!("/restore {undo}")).await;
    assert_eq!((scene.read("a.txt").as_deref(), scene.read("b.txt").as_deref()), (Some("two\n"), Some("b\n")));
    assert_eq!(model_view(&entries), model_view(&before));
    let (_, entries) = scene.do_now("and on").await;
    assert_eq!(model_view(&entries).last().map(String::as_str), Some("again"));
}

/// The conversation goes back to before the whole answer, the files only to before its second call.
#[tokio::test]
async fn the_model_is_told_once_what_a_restore_into_an_answer_has_kept() {
    let call = |path: &str| write(path, "one\n")[0].clone();
    let answers = [json!([call("a.txt"), call("b.txt")]), text_answer("done"), text_answer("kiwi"), text_answer("fig")];
    let scene = start_session(ApprovalMode::Yolo, &answers).await;
    let (state, _) = scene.do_now("go").await;
    let second = state.checkpoints[1].number();
    scene.do_now(&format!("/restore {second}")).await;
    assert_eq!((scene.read("a.txt").as_deref(), scene.read("b.txt")), (Some("one\n"), None));
    scene.do_now("and now?").await;
    let (_, entries) = scene.do_now("again").await;
    let transcript = Transcript::fold(entries.iter().map(AsRef::as_ref));
    let notes = transcript.told().into_iter().filter_map(|line| match line {
        TranscriptLine::Attachment { name, text, .. } => Some((name.clone(), text.clone())),
        _ => None,
    });
    let notes: Vec<(String, String)> = notes.collect();
    let [(name, text)] = notes.as_slice() else { panic!("{notes:?}") };
    assert_eq!(name, "< write_file a.txt");
    assert!(text.contains("\n- `write_file a.txt`\n") && !text.contains("b.txt"), "{text}");
}

#[tokio::test]
async fn going_back_asks_in_every_mode_but_yolo_and_declined_it_changes_nothing() {
    for mode in [ApprovalMode::Default, ApprovalMode::AutoEdit, ApprovalMode::Plan] {
        let scene = start_session(ApprovalMode::Yolo, &[write("a.txt", "one\n"), text_answer("done")]).await;
        let (state, before) = scene.do_now("go").await;
        let name = state.checkpoints[0].checkpoint.name.clone();
        scene.send(Command::Set { setting: SessionSetting::Mode(mode) }).await;
        scene.prompt(&format!("/restore {name}")).await;
        let (state, _) = scene.until(SessionState::only_asks_remain).await;
        let call = state.turn.as_ref().unwrap().open_calls().next().unwrap();
        let ask = call.ask.as_ref().unwrap();
        let AskDetails::Generic { description, .. } = &ask.details else { panic!("{ask:?}") };
        assert!(
            description.contains("(checkpoint 6)") && description.contains("1 file is removed:\n- `a.txt` is removed"),
            "{description}"
        );
        let options: Vec<&str> = ask.options.iter().map(|choice| choice.id.as_str()).collect();
        assert_eq!(options, ["proceed_once", "cancel"]);
        scene.answer(call.id, "cancel").await;
        let (state, entries) = scene.rest().await;
        assert_eq!(last_outcome(&entries), CallOutcome::Declined);
        assert_eq!(scene.read("a.txt").as_deref(), Some("one\n"));
        assert_eq!(model_view(&entries), model_view(&before));
        assert_eq!(state.checkpoints.len(), 1, "nothing was saved for what did not run");
    }
}

#[tokio::test]
async fn what_changed_behind_the_ask_is_shown_again_and_the_persons_own_file_stays() {
    let scene = start_session(ApprovalMode::Yolo, &[write("a.txt", "one\n"), text_answer("done")]).await;
    let (state, _) = scene.do_now("go").await;
    let name = state.checkpoints[0].checkpoint.name.clone();
    scene.send(Command::Set { setting: SessionSetting::Mode(ApprovalMode::Default) }).await;
    scene.prompt(&format!("/restore {name}")).await;
    let (state, _) = scene.until(SessionState::only_asks_remain).await;
    let first = open_call(&state);
    fs::write(scene.at("mine.txt"), "precious\n").unwrap();
    scene.answer(first, "proceed_once").await;
    let (state, _) = scene.until(|state| state.only_asks_remain() && open_call(state) != first).await;
    assert_eq!(scene.read("mine.txt").as_deref(), Some("precious\n"));
    let call = state.turn.as_ref().unwrap().open_calls().next().unwrap();
    let AskDetails::Generic { description, .. } = &call.ask.as_ref().unwrap().details else { panic!("{call:?}") };
    assert!(description.contains("1 file is removed:\n- `a.txt` is removed\n"), "{description}");
    assert!(description.contains("so they are left as they are: mine.txt\n"), "{description}");
    let number = state.checkpoints[0].number();
    assert!(
        description.starts_with(&format!("Go back to just before write_file a.txt (checkpoint {number}).")),
        "{description}"
    );
    assert!(description.contains(&format!("`/restore {number} all` takes those back too.\n")), "{description}");
    scene.answer(call.id, "proceed_once").await;
    scene.rest().await;
    assert_eq!((scene.read("a.txt"), scene.read("mine.txt").as_deref()), (None, Some("precious\n")));
    // Whoever wants that gone as well says so.
    scene.prompt(&format!("/restore {name} all")).await;
    let (state, _) = scene.until(SessionState::only_asks_remain).await;
    let call = state.turn.as_ref().unwrap().open_calls().next().unwrap();
    let AskDetails::Generic { description, .. } = &call.ask.as_ref().unwrap().details else { panic!("{call:?}") };
    assert!(description.contains("1 file is removed:\n- `mine.txt` is removed"), "{description}");
    assert!(description.contains("files that you made since then are removed"), "{description}");
    scene.answer(call.id, "proceed_once").await;
    scene.rest().await;
    assert_eq!(scene.read("mine.txt"), None);
}

#[tokio::test]
async fn a_file_that_goes_back_with_the_persons_changes_is_named_and_undoing_that_says_so() {
    let answers = [write("a.txt", "one\n"), write("b.txt", "one\n"), text_answer("done")];
    let scene = start_session(ApprovalMode::Yolo, &answers).await;
    let (state, _) = scene.do_now("go").await;
    fs::write(scene.at("a.txt"), "one\nmine too\n").unwrap();
    let mine = fs::File::options().write(true).open(scene.at("a.txt")).unwrap();
    mine.set_modified(SystemTime::now() + Duration::from_secs(10)).unwrap();
    scene.send(Command::Set { setting: SessionSetting::Mode(ApprovalMode::Default) }).await;
    let asked = async |number: u64| {
        scene.prompt(&format!("/restore {number}")).await;
        let (state, _) = scene.until(SessionState::only_asks_remain).await;
        let call = state.turn.as_ref().unwrap().open_calls().next().unwrap().clone();
        let AskDetails::Generic { description, .. } = &call.ask.as_ref().unwrap().details else { panic!("{call:?}") };
        (call.id, description.clone())
    };
    let (call, description) = asked(state.checkpoints[0].number()).await;
    let second = description.lines().nth(1).unwrap();
    assert!(
        second.starts_with("Your own changes go back too in what you changed after the agent: `a.txt`."),
        "{second}"
    );
    scene.answer(call, "proceed_once").await;
    let (_, entries) = scene.rest().await;
    let said = format!("{:?}", entries.iter().rev().take(6).collect::<Vec<_>>());
    assert!(said.contains(&format!("`/restore {}` undoes this.", call.0.0)), "{said}");
    let (call, description) = asked(call.0.0).await;
    assert!(description.starts_with("Go back to just before the restore (checkpoint "), "{description}");
    assert!(description.contains("the model is told again what it was told before the restore"), "{description}");
    scene.answer(call, "proceed_once").await;
    scene.rest().await;
    assert_eq!(scene.read("a.txt").as_deref(), Some("one\nmine too\n"));
}

#[tokio::test]
async fn a_patch_is_undone_in_every_file_that_it_changed_and_in_no_other() {
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Add File: sub/new.txt\n+new\n*** Update File: b.txt\n\
                 *** Move to: c.txt\n*** Delete File: d.txt\n*** End Patch";
    let read = |name: &str| json!({"functionCall": {"name": "read_file", "args": {"file_path": name}}});
    let patch = json!({"functionCall": {"name": "apply_patch", "args": {"patch": patch}}});
    let call = json!([read("b.txt"), read("d.txt"), patch]);
    for mode in [ApprovalMode::AutoEdit, ApprovalMode::Default] {
        let scene = start_session(mode, &[call.clone(), text_answer("done")]).await;
        for (name, text) in [("a.txt", "one\n"), ("b.txt", "bee\n"), ("d.txt", "dee\n"), ("mine.txt", "old\n")] {
            fs::write(scene.at(name), text).unwrap();
        }
        scene.prompt("go").await;
        if mode == ApprovalMode::Default {
            let (state, _) = scene.until(|state| state.only_asks_remain() && state.turn.is_some()).await;
            scene.answer(open_call(&state), "proceed_once").await;
        }
        let (state, _) = scene.rest().await;
        assert_eq!((scene.read("c.txt").as_deref(), scene.read("d.txt")), (Some("bee\n"), None));
        let kept = &state.checkpoints[0].checkpoint;
        let files = ["a.txt", "sub/new.txt", "b.txt", "c.txt", "d.txt"].map(str::to_owned);
        assert_eq!(kept.changed_files(), Some(files.as_slice()));
        fs::write(scene.at("mine.txt"), "precious\n").unwrap();
        scene.prompt(&format!("/restore {}", kept.name)).await;
        let (state, _) = scene.until(|state| state.only_asks_remain() && state.turn.is_some()).await;
        scene.answer(open_call(&state), "proceed_once").await;
        scene.rest().await;
        let now = ["a.txt", "b.txt", "c.txt", "d.txt", "sub/new.txt", "mine.txt"]
            .map(|name| scene.read(name).unwrap_or_default());
        assert_eq!(now, ["one\n", "bee\n", "", "dee\n", "", "precious\n"]);
    }
}

#[tokio::test]
async fn what_the_person_did_after_a_command_had_ended_stays() {
    let scene = start_session(ApprovalMode::Yolo, &[shell("echo built > built.txt"), text_answer("done")]).await;
    let (state, _) = scene.do_now("go").await;
    fs::write(scene.at("mine.txt"), "precious\n").unwrap();
    let mine = fs::File::options().write(true).open(scene.at("mine.txt")).unwrap();
    mine.set_modified(SystemTime::now() + Duration::from_secs(10)).unwrap();
    let name = &state.checkpoints[0].checkpoint.name;
    scene.do_now(&format!("/restore {name}")).await;
    assert_eq!((scene.read("built.txt"), scene.read("mine.txt").as_deref()), (None, Some("precious\n")));
}

#[tokio::test]
async fn a_model_cannot_go_back_and_unknown_names_are_refused() {
    let call = json!([{"functionCall": {"name": "restore_checkpoint", "args": {"checkpoint": "x"}}}]);
    let scene = start_session(ApprovalMode::Yolo, &[call, text_answer("never mind")]).await;
    let (_, entries) = scene.do_now("go").await;
    let CallOutcome::Failed { error, .. } = last_outcome(&entries) else { panic!("{entries:?}") };
    assert_eq!(error.kind, "tool_not_registered");
    assert!(!error.message.contains("restore_checkpoint;") && !error.message.contains(", restore_checkpoint"));
    let (state, _) = scene.do_now("/restore ../../x").await;
    let TaskStatus::Resting(TurnOutcome::Failed { failure }) = state.session_status() else { panic!("{state:?}") };
    assert!(failure.message.contains("there is no checkpoint ../../x"), "{}", failure.message);
}

#[tokio::test]
async fn reading_saves_nothing_and_without_git_the_call_runs_all_the_same() {
    let answers = [
        json!([{"functionCall": {"name": "list_directory", "args": {"dir_path": "."}}}]),
        write("a.txt", "one\n"),
        text_answer("done"),
    ];
    let dir = prepare(&answers);
    let empty = dir.path().join("empty");
    let host = host(dir.path(), |settings| settings.search_path = Some(empty.into()));
    let seat = open(dir.path(), &host, ApprovalMode::Yolo).await;
    let scene = TestSession { dir, seat };
    let (state, _) = scene.do_now("go").await;
    assert_eq!(scene.read("a.txt").as_deref(), Some("one\n"));
    let saved: Vec<_> = state.checkpoints.iter().map(|kept| kept.checkpoint.saved.clone()).collect();
    assert_eq!(saved, [Err("git is not on PATH; install it to have checkpoints".to_owned())]);
    let name = state.checkpoints[0].checkpoint.name.clone();
    let (state, _) = scene.do_now(&format!("/restore {name}")).await;
    let TaskStatus::Resting(TurnOutcome::Failed { failure }) = state.session_status() else { panic!("{state:?}") };
    assert!(failure.message.contains("git is not on PATH"), "{}", failure.message);
}

#[tokio::test]
async fn a_process_that_ends_between_checkpoint_and_call_runs_it_once_and_both_can_be_undone() {
    let marker = "echo ran >> runs.txt";
    let dir = prepare(&[shell(marker), text_answer("done")]);
    let first = host(dir.path(), |_| {});
    let seat = open(dir.path(), &first, ApprovalMode::Yolo).await;
    let session = seat.session();
    let scene = TestSession { dir, seat };
    scene.prompt("go").await;
    // The entry is in the log; whether the call has begun by then is left to chance, and both must come out right.
    scene.until(|state| !state.checkpoints.is_empty()).await;
    first.stop().await;
    drop(first);
    let again = host(scene.dir.path(), |_| {});
    let found = again.find(&who(), &SessionLookup::Id(session.0)).await.unwrap().unwrap();
    again.wake(session);
    let scene = TestSession { dir: scene.dir, seat: found.seat };
    let (state, entries) = scene.rest().await;
    let runs = scene.read("runs.txt").unwrap_or_default().lines().count();
    match last_outcome(&entries) {
        CallOutcome::Interrupted => assert!(runs <= 1, "{runs}"),
        CallOutcome::Succeeded { .. } => assert_eq!(runs, 1),
        other => panic!("{other:?}"),
    }
    let name = state.checkpoints[0].checkpoint.name.clone();
    scene.do_now(&format!("/restore {name}")).await;
    assert_eq!(scene.read("runs.txt"), None);
}

/// The text of the newest turn.
fn last_text(entries: &[Arc<Entry>]) -> String {
    let transcript = Transcript::fold(entries.iter().map(AsRef::as_ref));
    let text = |line: &TranscriptLine| match line {
        TranscriptLine::Item { text, .. } => Some(text.clone()),
        _ => None,
    };
    transcript.lines().rev().find_map(text).unwrap()
}

#[tokio::test]
async fn what_another_machine_saved_is_told_apart_and_not_promised() {
    let dir = prepare(&[write("a.txt", "one\n"), text_answer("done"), write("b.txt", "two\n"), text_answer("done")]);
    let first = host(dir.path(), |_| {});
    let scene = TestSession { seat: open(dir.path(), &first, ApprovalMode::Yolo).await, dir };
    let (state, _) = scene.do_now("go").await;
    let (elsewhere, number) = (state.checkpoints[0].checkpoint.name.clone(), state.checkpoints[0].number());
    let id = scene.seat.session();
    let TestSession { seat, dir } = scene;
    drop(seat);
    first.stop().await;
    drop(first);

    // The same log, and none of what the first machine has saved.
    let second = host(dir.path(), |settings| settings.directory = dir.path().join("second"));
    let seat = second.find(&who(), &SessionLookup::Id(id.0)).await.unwrap().unwrap().seat;
    let scene = TestSession { dir, seat };
    let why = "its files are not on this machine; another one saved them, or they were removed";
    let gone = format!("There is no way back to these:\n- {number} · just now · `write_file a.txt` · +1 -0 ({why})");
    let (_, entries) = scene.do_now("/restore list").await;
    assert_eq!(last_text(&entries), format!("There is no checkpoint here to go back to.\n\n{gone}"));
    let (state, _) = scene.do_now(&format!("/restore {elsewhere}")).await;
    let TaskStatus::Resting(TurnOutcome::Failed { failure }) = state.session_status() else { panic!("{state:?}") };
    let expected = format!("there is no way back to {elsewhere} here: {why}; /restore list shows what there is");
    assert!(failure.message.contains(&expected), "{}", failure.message);

    let (state, _) = scene.do_now("go on").await;
    let here = state.checkpoints[1].number();
    let (_, entries) = scene.do_now("/restore list").await;
    let way = "`/restore NUMBER` goes back to just before that call.\n\
               Files that only you changed stay as they are; `/restore NUMBER all` takes them back too.";
    let listed = format!("- {here} · just now · `write_file b.txt` · +1 -0");
    assert_eq!(last_text(&entries), format!("{listed}\n\n{way}\n\n{gone}"));
    // The number is enough.
    scene.do_now(&format!("/restore {here}")).await;
    assert_eq!((scene.read("a.txt").as_deref(), scene.read("b.txt")), (Some("one\n"), None));
}
