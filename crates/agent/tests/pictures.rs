//! Media that a model is shown besides text: from `@path` and from a tool, through the real host, tools and blobs.

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use parking_lot::Mutex;
use pollux_agent::{AgentRunner, AgentSettings, WorkspaceAgent};
use pollux_host::{Host, NoticeBoard};
use pollux_model::{
    MessagePart, Model, ModelCatalogue, ModelChunk, ModelError, ModelInfo, ModelMessage, ModelRegistry, ModelRequest,
    PartData, Provider, ProviderFault,
};
use pollux_policy::{PolicySources, WorkspacePolicies};
use pollux_session::{
    ApprovalMode, BlobRef, Command, CommandId, ContextId, MediaContent, OpenSessionRequest, Owner, PromptTarget,
    Rights, Roster, SessionId, SessionOverrides, SessionState, TaskStatus, Who,
};
use pollux_store::{BlobStore, BlobWriter, SessionStore};
use pollux_tools::{OutputSpool, OutputStore, Toolbox};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

struct BlobOutputStore(BlobStore);

struct BlobOutputSpool(BlobWriter);

impl OutputStore for BlobOutputStore {
    fn spool(&self) -> std::io::Result<Box<dyn OutputSpool>> {
        Ok(Box::new(BlobOutputSpool(self.0.spool()?)))
    }

    fn read(&self, blob: &BlobRef) -> std::io::Result<Vec<u8>> {
        self.0.read(blob).map_err(std::io::Error::other)
    }
}

impl OutputSpool for BlobOutputSpool {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.write(bytes)
    }

    fn finish(self: Box<Self>, media: &str) -> std::io::Result<BlobRef> {
        self.0.finish(media)
    }
}

/// Reads `b.png` once, and remembers what it was told.
struct PictureModel {
    takes: &'static [&'static str],
    /// The picture of which its provider takes no request.
    refuses: Option<&'static str>,
    requests: Mutex<Vec<Vec<ModelMessage>>>,
}

impl Model for PictureModel {
    fn info(&self) -> ModelInfo {
        let models = ModelRegistry::new(ModelCatalogue::load(None).unwrap(), |_| None);
        ModelInfo { media: self.takes, ..models.resolve("demo").unwrap().info() }
    }

    fn generate(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelChunk, ModelError>> {
        let refused = self.refuses.map(|name| MessagePart::media("image/png", &[PICTURE, name.as_bytes()].concat()));
        if request.contents.iter().flat_map(|content| &content.parts).any(|part| Some(part) == refused.as_ref()) {
            let error = ModelError::Api {
                provider: Provider::Gemini,
                http: 400,
                code: 400,
                status: "INVALID_ARGUMENT".into(),
                message: "Unable to process input image.".into(),
                retry_after: None,
                fault: ProviderFault::Request,
            };
            return stream::iter([Err(error)]).boxed();
        }
        let mut told = self.requests.lock();
        told.push(request.contents);
        let args = json!({ "file_path": "b.png" });
        let part: MessagePart = match told.len() {
            1 => PartData::FunctionCall { id: Some("one".into()), name: "read_file".into(), args }.into(),
            _ => MessagePart::text("seen"),
        };
        stream::iter([Ok(ModelChunk::Parts(vec![part])), Ok(ModelChunk::Finish { reason: "STOP".into() })]).boxed()
    }
}

/// The way in which a picture gets into a prompt.
#[derive(Clone, Copy, Debug)]
enum PictureSource {
    Mentioned,
    Brought,
}

const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0";

/// The last input of a model that takes `takes`, after a prompt that mentions `a.png` or brings it along.
async fn last_model_input(takes: &'static [&'static str], how: PictureSource) -> Vec<Value> {
    last_input_with_refusal(takes, how, None).await
}

async fn last_input_with_refusal(
    takes: &'static [&'static str],
    how: PictureSource,
    refuses: Option<&'static str>,
) -> Vec<Value> {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("workspace");
    std::fs::create_dir(&workspace).unwrap();
    for name in ["a.png", "b.png"] {
        std::fs::write(workspace.join(name), [PICTURE, name.as_bytes()].concat()).unwrap();
    }
    let blobs = BlobStore::ephemeral().unwrap();
    let mut spool = blobs.spool().unwrap();
    spool.write(&[PICTURE, b"a.png"].concat()).unwrap();
    let brought = MediaContent { name: "a.png".into(), blob: spool.finish("image/png").unwrap() };
    let toolbox = Toolbox::standard(Arc::new(BlobOutputStore(blobs)));
    let models = Arc::new(ModelRegistry::new(ModelCatalogue::load(None).unwrap(), |_| None));
    let looker = Arc::new(PictureModel { takes, refuses, requests: Mutex::default() });
    let policies = Arc::new(WorkspacePolicies::new(PolicySources::default()));
    let agent = WorkspaceAgent::new(&workspace, models, looker.clone(), toolbox, policies, AgentSettings::default());
    let defaults = SessionOverrides { mode: Some(ApprovalMode::Yolo), ..SessionOverrides::default() };
    let store = SessionStore::in_memory().unwrap();
    let host = Host::new(store, Arc::new(AgentRunner::new(agent)), NoticeBoard::default(), defaults, "test");
    let who = Who { owner: Owner("me".into()), principal: "me".into(), label: "test".into(), rights: Rights::all() };
    let opening = OpenSessionRequest {
        id: SessionId(uuid::Uuid::now_v7()),
        context: ContextId::new("test").unwrap(),
        workspace: workspace.to_str().unwrap().into(),
        overrides: SessionOverrides::default(),
        once: None,
        edge: serde_json::Value::Null,
    };
    let seat = host.open(&who, opening).await.unwrap();
    let target = PromptTarget::Existing { task: seat.session().main_task() };
    let prompt = match how {
        PictureSource::Mentioned => Command::prompt(target, "compare @a.png with b.png"),
        PictureSource::Brought => Command::Prompt {
            target,
            text: "compare this with b.png".into(),
            media: vec![brought],
            piped_len: 0,
            dialect: None,
            parts: vec![],
        },
    };
    seat.send(CommandId("1".into()), prompt).await.unwrap();
    let mut state = SessionState::default();
    while !matches!(state.session_status(), TaskStatus::Resting(_)) {
        for entry in seat.read(state.head, 500).await.unwrap() {
            state.apply(&entry);
        }
        if !matches!(state.session_status(), TaskStatus::Resting(_)) {
            seat.changed(state.head).await.unwrap();
        }
    }
    let told = looker.requests.lock();
    let parts = told.last().unwrap().iter().flat_map(|content| &content.parts);
    parts.map(|part| serde_json::to_value(part).unwrap()).collect()
}

fn picture(name: &str) -> Value {
    serde_json::to_value(MessagePart::media("image/png", &[PICTURE, name.as_bytes()].concat())).unwrap()
}

#[tokio::test]
async fn a_model_is_shown_what_was_mentioned_and_what_it_read() {
    for how in [PictureSource::Mentioned, PictureSource::Brought] {
        let told = last_model_input(&["image/"], how).await;
        let place = |name| told.iter().position(|part| *part == picture(name));
        assert_eq!((place("a.png"), place("b.png")), (Some(2), Some(5)), "{told:#?}");
        assert!(told[4].get("functionResponse").is_some(), "{told:#?}");
    }
}

#[tokio::test]
async fn a_model_that_sees_nothing_gets_notes() {
    let note =
        |name: &str| json!({ "text": format!("[{name} (image/png) cannot be shown to you: you take no such files]") });
    for how in [PictureSource::Mentioned, PictureSource::Brought] {
        let told = last_model_input(&[], how).await;
        assert_eq!((&told[2], &told[5]), (&note("a.png"), &note("b.png")));
    }
}

#[tokio::test]
async fn a_picture_that_the_provider_refuses_is_taken_out_and_the_session_goes_on() {
    let note = |name: &str| json!({"text": format!("[{name} (image/png) is left out: the provider refused a request with it]")});
    for how in [PictureSource::Mentioned, PictureSource::Brought] {
        let told = last_input_with_refusal(&["image/"], how, Some("a.png")).await;
        assert!(told.contains(&note("a.png")) && told.contains(&picture("b.png")), "{told:#?}");
        let told = last_input_with_refusal(&["image/"], how, Some("b.png")).await;
        assert!(told.contains(&picture("a.png")) && told.contains(&note("b.png")), "{told:#?}");
    }
}
