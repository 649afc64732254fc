//! What a model is shown besides text: from `@path` and from a tool, through the real host, tools and blobs.

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use pollux_agent::{Agent, AgentSettings};
use pollux_host::{Board, Host};
use pollux_model::{Catalogue, Chunk, Content, Model, ModelError, ModelInfo, Models, Part, PartData, Request};
use pollux_policy::{Policies, Sources};
use pollux_session::{
    BlobRef, Command, CommandId, Context, Media, Mode, Opening, Overrides, Owner, PromptTarget, Rights, Roster,
    SessionId, State, TaskStatus, Who,
};
use pollux_store::{Blobs, Spool, SqliteLog};
use pollux_tools::{OutputKeeper, OutputSpool, Toolbox};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

struct Keeper(Blobs);

struct KeptSpool(Spool);

impl OutputKeeper for Keeper {
    fn spool(&self) -> std::io::Result<Box<dyn OutputSpool>> {
        Ok(Box::new(KeptSpool(self.0.spool()?)))
    }

    fn read(&self, blob: &BlobRef) -> std::io::Result<Vec<u8>> {
        self.0.read(blob).map_err(std::io::Error::other)
    }
}

impl OutputSpool for KeptSpool {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.write(bytes)
    }

    fn finish(self: Box<Self>, media: &str) -> std::io::Result<BlobRef> {
        self.0.finish(media)
    }
}

/// Reads `b.png` once, and remembers what it was told.
struct Looker {
    takes: &'static [&'static str],
    told: Mutex<Vec<Vec<Content>>>,
}

impl Model for Looker {
    fn info(&self) -> ModelInfo {
        let models = Models::new(Catalogue::load(None).unwrap(), |_| None);
        ModelInfo { media: self.takes, ..models.resolve("demo").unwrap().info() }
    }

    fn generate(&self, request: Request) -> BoxStream<'static, Result<Chunk, ModelError>> {
        let mut told = self.told.lock().unwrap();
        told.push(request.contents);
        let args = json!({ "file_path": "b.png" });
        let part: Part = match told.len() {
            1 => PartData::FunctionCall { id: Some("one".into()), name: "read_file".into(), args }.into(),
            _ => Part::text("seen"),
        };
        stream::iter([Ok(Chunk::Parts(vec![part])), Ok(Chunk::Finish { reason: "STOP".into() })]).boxed()
    }
}

/// How a picture gets into a prompt.
#[derive(Clone, Copy, Debug)]
enum How {
    Mentioned,
    Brought,
}

const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0";

/// What a model that takes `takes` was told in its last call, after a prompt that mentions `a.png` or brings it along.
async fn last_told(takes: &'static [&'static str], how: How) -> Vec<Value> {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("workspace");
    std::fs::create_dir(&workspace).unwrap();
    for name in ["a.png", "b.png"] {
        std::fs::write(workspace.join(name), [PICTURE, name.as_bytes()].concat()).unwrap();
    }
    let blobs = Blobs::ephemeral().unwrap();
    let mut spool = blobs.spool().unwrap();
    spool.write(&[PICTURE, b"a.png"].concat()).unwrap();
    let brought = Media { name: "a.png".into(), blob: spool.finish("image/png").unwrap() };
    let toolbox = Toolbox::standard(Arc::new(Keeper(blobs)));
    let models = Arc::new(Models::new(Catalogue::load(None).unwrap(), |_| None));
    let looker = Arc::new(Looker { takes, told: Mutex::default() });
    let policies = Arc::new(Policies::new(Sources::default()));
    let agent = Agent::new(models, looker.clone(), toolbox, policies, AgentSettings::default());
    let defaults = Overrides { mode: Some(Mode::Yolo), ..Overrides::default() };
    let log = Arc::new(SqliteLog::in_memory().unwrap());
    let host = Host::new(log, Arc::new(agent), Board::default(), defaults, "test");
    let who = Who { owner: Owner("me".into()), principal: "me".into(), label: "test".into(), rights: Rights::all() };
    let opening = Opening {
        id: SessionId(uuid::Uuid::now_v7()),
        context: Context::new("test").unwrap(),
        workspace: workspace.to_str().unwrap().into(),
        overrides: Overrides::default(),
        once: None,
        edge: serde_json::Value::Null,
    };
    let seat = host.open(&who, opening).await.unwrap();
    let target = PromptTarget::Existing { task: seat.session().main_task() };
    let prompt = match how {
        How::Mentioned => Command::prompt(target, "compare @a.png with b.png"),
        How::Brought => Command::Prompt {
            target,
            text: "compare this with b.png".into(),
            media: vec![brought],
            piped_len: 0,
            dialect: None,
            parts: vec![],
        },
    };
    seat.send(CommandId("1".into()), prompt).await.unwrap();
    let mut state = State::default();
    while !matches!(state.session_status(), TaskStatus::Resting(_)) {
        for entry in seat.read(state.head, 500).await.unwrap() {
            state.apply(&entry);
        }
        if !matches!(state.session_status(), TaskStatus::Resting(_)) {
            seat.changed(state.head).await.unwrap();
        }
    }
    let told = looker.told.lock().unwrap();
    let parts = told.last().unwrap().iter().flat_map(|content| &content.parts);
    parts.map(|part| serde_json::to_value(part).unwrap()).collect()
}

fn picture(name: &str) -> Value {
    serde_json::to_value(Part::media("image/png", &[PICTURE, name.as_bytes()].concat())).unwrap()
}

#[tokio::test]
async fn a_model_is_shown_what_was_mentioned_and_what_it_read() {
    for how in [How::Mentioned, How::Brought] {
        let told = last_told(&["image/"], how).await;
        let place = |name| told.iter().position(|part| *part == picture(name));
        assert_eq!((place("a.png"), place("b.png")), (Some(2), Some(5)), "{told:#?}");
        assert!(told[4].get("functionResponse").is_some(), "{told:#?}");
    }
}

#[tokio::test]
async fn a_model_that_sees_nothing_gets_notes() {
    let note =
        |name: &str| json!({ "text": format!("[{name} (image/png) cannot be shown to you: you take no such files]") });
    for how in [How::Mentioned, How::Brought] {
        let told = last_told(&[], how).await;
        assert_eq!((&told[2], &told[5]), (&note("a.png"), &note("b.png")));
    }
}
