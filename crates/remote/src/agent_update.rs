//! Updates of an agent, read from JSON of either version into one shape. Lenient: what is not known is passed over.

use serde_json::Value;

/// One thing an agent said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AgentUpdate {
    /// The task as it stands.
    Task(TaskView),
    /// Where the task stands now.
    Status(StatusView),
    /// Something it made, or more of it.
    Artifact(ArtifactView),
    /// An answer without a task.
    Message(MessageView),
}

/// A task as it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TaskView {
    pub(crate) id: String,
    pub(crate) context: Option<String>,
    pub(crate) state: AgentTaskState,
    pub(crate) message: Option<MessageView>,
    pub(crate) artifacts: Vec<ArtifactView>,
    pub(crate) history: Vec<MessageView>,
}

/// A change of a task.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StatusView {
    pub(crate) task: Option<String>,
    pub(crate) context: Option<String>,
    pub(crate) state: AgentTaskState,
    pub(crate) message: Option<MessageView>,
    /// True if the agent says that nothing follows (0.3).
    pub(crate) last: bool,
    pub(crate) metadata: UpdateMetadata,
}

/// The metadata in which a coding agent says what its update is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UpdateMetadata {
    pub(crate) dialect: Option<AgentDialect>,
    /// The kind of update, in upper case with `_`.
    pub(crate) kind: String,
}

/// The dialect in which a coding agent writes its updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentDialect {
    /// As the `development-tool` extension says.
    Rfc,
    /// As Google's own server does.
    Coder,
}

/// Something an agent made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ArtifactView {
    pub(crate) task: Option<String>,
    pub(crate) context: Option<String>,
    pub(crate) id: String,
    pub(crate) name: Option<String>,
    pub(crate) parts: Vec<PartView>,
    pub(crate) append: bool,
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MessageView {
    pub(crate) by_agent: bool,
    pub(crate) task: Option<String>,
    pub(crate) context: Option<String>,
    pub(crate) parts: Vec<PartView>,
}

/// One part of a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PartView {
    Text(String),
    /// A file, in words: it is not fetched.
    File(String),
    Data(Value),
}

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentTaskState {
    /// It goes on.
    Working,
    InputRequired,
    AuthRequired,
    Completed,
    Canceled,
    Failed,
    Rejected,
}

impl AgentTaskState {
    /// True if nothing can follow.
    pub(crate) fn is_end(self) -> bool {
        matches!(
            self,
            AgentTaskState::Completed | AgentTaskState::Canceled | AgentTaskState::Failed | AgentTaskState::Rejected
        )
    }

    /// True if it waits for somebody.
    pub(crate) fn waits(self) -> bool {
        matches!(self, AgentTaskState::InputRequired | AgentTaskState::AuthRequired)
    }

    /// 0.3 writes `input-required`, 1.0 `TASK_STATE_INPUT_REQUIRED`.
    fn read(word: &str) -> AgentTaskState {
        let word = word.trim_start_matches("TASK_STATE_").to_ascii_lowercase().replace('_', "-");
        match word.as_str() {
            "input-required" => AgentTaskState::InputRequired,
            "auth-required" => AgentTaskState::AuthRequired,
            "completed" => AgentTaskState::Completed,
            "canceled" | "cancelled" => AgentTaskState::Canceled,
            "failed" => AgentTaskState::Failed,
            "rejected" => AgentTaskState::Rejected,
            _ => AgentTaskState::Working,
        }
    }
}

impl AgentUpdate {
    /// The ids of the task and of the conversation that it is about.
    pub(crate) fn ids(&self) -> (Option<&str>, Option<&str>) {
        match self {
            AgentUpdate::Task(task) => (Some(&task.id), task.context.as_deref()),
            AgentUpdate::Status(status) => (status.task.as_deref(), status.context.as_deref()),
            AgentUpdate::Artifact(artifact) => (artifact.task.as_deref(), artifact.context.as_deref()),
            AgentUpdate::Message(message) => (message.task.as_deref(), message.context.as_deref()),
        }
    }

    /// Read a result, or an event of a stream.
    pub(crate) fn read(value: &Value) -> Option<AgentUpdate> {
        // 1.0 wraps each in a member of its own, 0.3 marks it with a kind.
        for (member, kind) in [
            ("task", "task"),
            ("message", "message"),
            ("statusUpdate", "status-update"),
            ("artifactUpdate", "artifact-update"),
        ] {
            if let Some(inner) = value.get(member).filter(|_| value.get("kind").is_none() && value.get("id").is_none())
            {
                return AgentUpdate::of_kind(kind, inner);
            }
        }
        match value.get("kind").and_then(Value::as_str) {
            Some(kind) => AgentUpdate::of_kind(kind, value),
            // A bare task: what 1.0 answers to "get" and "cancel".
            None => read_task(value).map(AgentUpdate::Task),
        }
    }

    fn of_kind(kind: &str, value: &Value) -> Option<AgentUpdate> {
        match kind {
            "task" => read_task(value).map(AgentUpdate::Task),
            "message" => Some(AgentUpdate::Message(read_message(value))),
            "status-update" => read_status(value).map(AgentUpdate::Status),
            "artifact-update" => {
                let append = value.get("append").and_then(Value::as_bool).unwrap_or(false);
                let artifact = read_artifact(value.get("artifact")?)?;
                Some(AgentUpdate::Artifact(ArtifactView {
                    task: text(value, "taskId"),
                    context: text(value, "contextId"),
                    append,
                    ..artifact
                }))
            }
            _ => None,
        }
    }
}

fn read_task(value: &Value) -> Option<TaskView> {
    let status = value.get("status")?;
    Some(TaskView {
        id: text(value, "id")?,
        context: text(value, "contextId"),
        state: read_state(status)?,
        message: status.get("message").filter(|message| message.is_object()).map(read_message),
        artifacts: list(value, "artifacts").iter().filter_map(read_artifact).collect(),
        history: list(value, "history").iter().map(read_message).collect(),
    })
}

fn read_status(value: &Value) -> Option<StatusView> {
    let status = value.get("status")?;
    Some(StatusView {
        task: text(value, "taskId"),
        context: text(value, "contextId"),
        state: read_state(status)?,
        message: status.get("message").filter(|message| message.is_object()).map(read_message),
        last: value.get("final").and_then(Value::as_bool).unwrap_or(false),
        metadata: UpdateMetadata::read(value.get("metadata").unwrap_or(&Value::Null)),
    })
}

impl UpdateMetadata {
    fn read(metadata: &Value) -> UpdateMetadata {
        let found = [(AgentDialect::Rfc, pollux_wire::devtool::URI), (AgentDialect::Coder, "coderAgent")]
            .into_iter()
            .find_map(|(dialect, key)| Some((dialect, metadata.get(key)?)));
        match found {
            None => UpdateMetadata::default(),
            Some((dialect, note)) => {
                let kind = note.get("kind").and_then(Value::as_str).unwrap_or_default();
                UpdateMetadata { dialect: Some(dialect), kind: kind.to_ascii_uppercase().replace('-', "_") }
            }
        }
    }
}

fn read_state(status: &Value) -> Option<AgentTaskState> {
    status.get("state")?.as_str().map(AgentTaskState::read)
}

fn read_artifact(value: &Value) -> Option<ArtifactView> {
    let parts = list(value, "parts").iter().filter_map(read_part).collect();
    let (id, name) = (text(value, "artifactId")?, text(value, "name"));
    Some(ArtifactView { task: None, context: None, id, name, parts, append: false })
}

fn read_message(value: &Value) -> MessageView {
    let role = value.get("role").and_then(Value::as_str).unwrap_or_default();
    MessageView {
        by_agent: matches!(role, "agent" | "ROLE_AGENT"),
        task: text(value, "taskId"),
        context: text(value, "contextId"),
        parts: list(value, "parts").iter().filter_map(read_part).collect(),
    }
}

fn read_part(value: &Value) -> Option<PartView> {
    if let Some(text) = value.get("text").and_then(Value::as_str) {
        return Some(PartView::Text(text.to_owned()));
    }
    if let Some(data) = value.get("data").filter(|data| !data.is_null()) {
        return Some(PartView::Data(data.clone()));
    }
    // 0.3 keeps a file in an object of its own, 1.0 beside its name.
    let file = value.get("file").unwrap_or(value);
    let of = |names: [&str; 2]| names.into_iter().find_map(|name| file.get(name)?.as_str());
    let name = of(["name", "filename"]).unwrap_or("a file");
    let media = of(["mimeType", "mediaType"]).map(|media| format!(" ({media})")).unwrap_or_default();
    match (of(["uri", "url"]), of(["bytes", "raw"])) {
        (Some(place), _) => Some(PartView::File(format!("[{name}{media}, at {place}; it was not fetched]"))),
        (None, Some(bytes)) => {
            let padding = bytes.bytes().rev().take_while(|byte| *byte == b'=').count();
            let len = (bytes.len() - padding) * 3 / 4;
            Some(PartView::File(format!("[{name}{media}, {len} bytes; it was left out]")))
        }
        (None, None) => None,
    }
}

impl MessageView {
    /// Its text, and what else there is in words.
    pub(crate) fn text(&self) -> String {
        text_of(&self.parts)
    }
}

/// Parts as text: data as JSON, files in words.
pub(crate) fn text_of(parts: &[PartView]) -> String {
    let words = parts.iter().map(|part| match part {
        PartView::Text(text) | PartView::File(text) => text.clone(),
        PartView::Data(data) => data.to_string(),
    });
    words.collect::<Vec<_>>().join("\n")
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests;
