//! Answers that need no task.

use crate::errors::RequestError;
use crate::inbound::{InboundContent, InboundMessage, PromptContent};
use crate::ops::A2aOperations;
use pollux_wire::a2a::{Message, MessageTag, Metadata, Part, Role, Task};
use pollux_wire::{v1, v03_proto};
use serde::Serialize;
use uuid::Uuid;

/// Answers some messages by itself: at once, with a message and without a task. Nothing of it is in a log, so Pollux has
/// none; an agent that is built on this server may give one to the router.
pub trait DirectResponder: Send + Sync {
    /// The answer to a message that would begin a task, or `None` to let it.
    fn answer(&self, message_id: &str, text: &str) -> Option<String>;
}

/// The answer to a sent message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum SendMessageResult {
    /// The task it became.
    Task(Box<Task>),
    /// A message, and no task.
    Message(Box<Message>),
}

impl A2aOperations {
    /// The answer to a message that needs no task, once it is known that the message may be sent at all.
    pub(crate) fn answer_directly(&self, inbound: &InboundMessage) -> Result<Option<Message>, RequestError> {
        let (Some(direct), None, InboundContent::Prompt(PromptContent { text, files, .. })) =
            (&self.app.direct, &inbound.task, &inbound.content)
        else {
            return Ok(None);
        };
        // Who sends a file wants it looked at.
        if !files.is_empty() {
            return Ok(None);
        }
        let message_id = inbound.given_id.as_ref().map_or("", |id| &id.0);
        let Some(answer) = direct.answer(message_id, text) else { return Ok(None) };
        self.check_message(inbound)?;
        let context = inbound.context.as_ref().map(|context| context.as_str().to_owned());
        Ok(Some(Message {
            kind: MessageTag::Message,
            role: Role::Agent,
            parts: vec![Part::text(answer)],
            message_id: Uuid::now_v7().to_string(),
            task_id: None,
            context_id: Some(context.unwrap_or_else(|| Uuid::now_v7().to_string())),
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
            metadata: Metadata::new(),
        }))
    }
}

impl From<SendMessageResult> for v1::SendMessageResponse {
    fn from(sent: SendMessageResult) -> v1::SendMessageResponse {
        match sent {
            SendMessageResult::Task(task) => (*task).into(),
            SendMessageResult::Message(message) => (*message).into(),
        }
    }
}

impl From<SendMessageResult> for v03_proto::SendMessageResponse {
    fn from(sent: SendMessageResult) -> v03_proto::SendMessageResponse {
        match sent {
            SendMessageResult::Task(task) => (*task).into(),
            SendMessageResult::Message(message) => (*message).into(),
        }
    }
}

#[cfg(test)]
mod tests;
