//! A conversation with the real program: moves go over the WebSocket, entries are read from the log it keeps, and what
//! the socket showed is held against them in the end.

use crate::corpus::fixture::ConversationFixture;
use crate::corpus::moves::{ConversationMove, EntryNumbers};
use crate::corpus::play::MoveResult;
use anyhow::{Context as _, Result, ensure};
use pollux_session::{AnswerEdit, CallOutcome, Entry, Event, ItemKind, Seq, SessionId};
use pollux_store::{DataDir, SessionStore};
use pollux_testkit::conversation::ScriptedConversation;
use pollux_testkit::http;
use pollux_testkit::program::ServerProcess;
use pollux_testkit::socket::WebSocketClient;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// The extension whose metadata names a model.
const EXTENSION: &str = "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";
/// The time without a frame after which the log is looked at all the same: not every entry is worth a frame.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The time for which the socket may be behind the log.
const MAX_LAG: Duration = Duration::from_secs(10);

/// True if all moves of a conversation can be made over the wire.
pub(crate) fn can_play_over_wire(conversation: &ScriptedConversation) -> bool {
    let moves = conversation.values("commands").unwrap_or_default();
    !moves.iter().any(|line| matches!(ConversationMove::read(line), Ok(ConversationMove::Seat(_)) | Err(_)))
}

/// The program and a socket to it.
pub(crate) struct WireDriver {
    server: ServerProcess,
    socket: WebSocketClient,
    store: SessionStore,
    session: SessionId,
    frames: Vec<Value>,
    sent: usize,
}

impl WireDriver {
    pub(crate) async fn start(scene: &ConversationFixture) -> Result<WireDriver> {
        let data = scene.home.path("data");
        let data_flag = format!("--data-dir={}", data.display());
        let mut args = vec!["serve", "--port=0", &data_flag];
        args.extend(scene.flags.iter().map(String::as_str));
        let mut command = scene.home.command(&args);
        command.envs(scene.environment());
        let server = ServerProcess::start(command).await?;
        let opened = http::post(&server.address, "/tasks", &json!({})).await?.json().await?;
        let id = opened["taskId"].as_str().with_context(|| format!("no task was opened: {opened}"))?;
        let socket = WebSocketClient::connect_as(&server.address, &format!("/ws?taskId={id}"), "corpus").await?;
        let store = SessionStore::open(&DataDir::at(&data).log())?;
        Ok(WireDriver { server, socket, store, session: id.parse()?, frames: Vec::new(), sent: 0 })
    }

    pub(crate) fn session(&self) -> SessionId {
        self.session
    }

    pub(crate) async fn make(&mut self, wanted: &ConversationMove, numbers: &EntryNumbers) -> Result<MoveResult> {
        let (method, params) = match wanted {
            ConversationMove::Prompt { text, model: Some(model) } => return self.post_to(model, text).await,
            ConversationMove::Prompt { text, model: None } => {
                ("message/send", json!({ "message": message_part(&json!({"kind": "text", "text": text})) }))
            }
            ConversationMove::Answer { call, option, edit } => {
                let mut data = json!({
                    "tool_call_id": numbers.call(*call)?.to_string(),
                    "selected_option_id": option,
                });
                match edit {
                    Some(AnswerEdit::Content { new }) => {
                        data["modified_details"] = json!({"file_details": {"new_content": new}});
                    }
                    Some(AnswerEdit::Answers { answers }) => data["answers"] = answers.clone(),
                    Some(AnswerEdit::Files { .. }) => anyhow::bail!("the wire has no word for the files of a patch"),
                    None => {}
                }
                ("message/send", json!({ "message": message_part(&json!({"kind": "data", "data": data})) }))
            }
            ConversationMove::Cancel => ("tasks/cancel", json!({})),
            ConversationMove::Seat(_)
            | ConversationMove::Write { .. }
            | ConversationMove::Until { .. }
            | ConversationMove::ReleaseAnswer
            | ConversationMove::OpenMcpServer => {
                anyhow::bail!("the wire has no word for {wanted:?}")
            }
        };
        self.sent += 1;
        let id = format!("move-{}", self.sent);
        self.socket.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        loop {
            let frame = self.next().await?;
            if frame["id"] != id.as_str() {
                continue;
            }
            return Ok(match frame["error"]["message"].as_str() {
                Some(why) => MoveResult::Refused(why.to_owned()),
                None => MoveResult::Accepted(Seq(frame["result"]["seq"].as_u64().context("a receipt")?)),
            });
        }
    }

    /// Prompt a model by its name. That takes the extension, which would change how the socket is spoken to, so it is posted.
    async fn post_to(&self, model: &str, text: &str) -> Result<MoveResult> {
        let mut message = message_part(&json!({"kind": "text", "text": text}));
        message["metadata"] = json!({EXTENSION: {"model": model}});
        message["taskId"] = json!(self.session);
        let params = json!({"message": message, "configuration": {"blocking": false}});
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": params});
        let answer = http::post(&self.server.address, "/", &request).await?.json().await?;
        if let Some(why) = answer["error"]["message"].as_str() {
            return Ok(MoveResult::Refused(why.to_owned()));
        }
        let is_sent = |entry: &&Arc<Entry>| match &entry.event {
            Event::Prompted { command: Some(command), .. } => message["messageId"] == command.0.as_str(),
            _ => false,
        };
        let entries = self.read(Seq::START).await?;
        Ok(MoveResult::Accepted(entries.iter().find(is_sent).context("the prompt is not in the log")?.seq))
    }

    pub(crate) async fn read(&self, after: Seq) -> Result<Vec<Arc<Entry>>> {
        Ok(self.store.log.read(self.session, after, 500).await?)
    }

    /// Wait for a notice that holds `words`.
    pub(crate) async fn wait_for_notice(&mut self, words: &str) -> Result<()> {
        loop {
            let frame = self.next().await?;
            if frame["kind"] == "CONSOLE_LOG"
                && frame["content"]["text"].as_str().is_some_and(|text| text.contains(words))
            {
                return Ok(());
            }
        }
    }

    pub(crate) async fn wait_for_change(&mut self) -> Result<()> {
        match tokio::time::timeout(POLL_INTERVAL, self.next()).await {
            Ok(frame) => frame.map(drop),
            Err(_) => Ok(()),
        }
    }

    async fn next(&mut self) -> Result<Value> {
        let frame = self.socket.next().await?.context("the socket closed")?;
        self.frames.push(frame.clone());
        Ok(frame)
    }

    /// Compare what the socket shows with what the log holds, and stop the program. Frames come behind the entries.
    pub(crate) async fn check(mut self: Box<Self>, entries: &[Arc<Entry>]) -> Result<()> {
        while let Some(difference) = self.differs(entries) {
            ensure!(tokio::time::timeout(MAX_LAG, self.next()).await.is_ok(), "{difference}");
        }
        let code = self.server.stop().await?;
        ensure!(code == Some(0), "the server ended with {code:?}");
        Ok(())
    }

    /// The frames of the socket that differ from the log, or are missing.
    fn differs(&self, entries: &[Arc<Entry>]) -> Option<String> {
        let text = self.frames.iter().filter(|frame| frame["kind"] == "TEXT_CONTENT");
        let text: String = text.filter_map(|frame| frame["content"]["text"].as_str()).collect();
        let said = model_text(entries);
        if text != said {
            return Some(format!("the socket showed the text {text:?}, the log holds {said:?}"));
        }
        let mut statuses: BTreeMap<&str, &str> = BTreeMap::new();
        for frame in self.frames.iter().filter(|frame| frame["kind"] == "TOOL_CALL_UPDATE") {
            let field = |key: &str| frame[key].as_str().unwrap_or_default();
            // On the wire a call's id begins with its session.
            let id = field("tool_call_id");
            statuses.insert(id.find("call-").map_or(id, |at| &id[at..]), field("status"));
        }
        endings(entries).into_iter().find_map(|(call, status)| {
            let shown = statuses.get(call.as_str()).copied();
            (shown != Some(status)).then(|| format!("the socket showed {call} {shown:?}, the log says {status}"))
        })
    }
}

fn message_part(part: &Value) -> Value {
    json!({"role": "user", "messageId": Uuid::now_v7().to_string(), "parts": [part]})
}

/// All text of the model and its sources, in order.
fn model_text(entries: &[Arc<Entry>]) -> String {
    let mut texts = std::collections::BTreeSet::new();
    let mut said = String::new();
    for entry in entries {
        match &entry.event {
            Event::Said { kind: ItemKind::Text, text, .. } => {
                texts.insert(entry.seq);
                said.push_str(text);
            }
            Event::Piece { item, text, .. } if texts.contains(&item.0) => said.push_str(text),
            Event::StepEnded { citations, .. } if !citations.is_empty() => {
                said.push_str(&format!("\n\nSources:\n{}", citations.join("\n")));
            }
            _ => {}
        }
    }
    said
}

/// The end of every call, in the words of the extension.
fn endings(entries: &[Arc<Entry>]) -> BTreeMap<String, &'static str> {
    let ended = |entry: &Arc<Entry>| match &entry.event {
        Event::CallEnded { call, outcome } => {
            let status = match outcome {
                // A command that fails is a failed call to clients, and a result to the model.
                CallOutcome::Succeeded { result } if result.exit_code.is_some_and(|code| code != 0) => "FAILED",
                CallOutcome::Succeeded { .. } => "SUCCEEDED",
                CallOutcome::Failed { .. } | CallOutcome::Denied { .. } | CallOutcome::Interrupted => "FAILED",
                CallOutcome::Declined | CallOutcome::Cancelled | CallOutcome::Superseded => "CANCELLED",
            };
            Some((call.to_string(), status))
        }
        _ => None,
    };
    entries.iter().filter_map(ended).collect()
}
