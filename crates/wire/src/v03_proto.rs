//! A2A 0.3 in ProtoJSON: the JSON of the `a2a.v1` package, which 0.3's HTTP+JSON clients and servers speak.
//!
//! It differs from [`crate::a2a`] in its envelopes (`{"task": …}` instead of `kind`), in `content` for a message's
//! parts, in the names of states and roles, and in resource names (`tasks/{id}`). The types convert to and from those of
//! [`crate::a2a`]; what gets lost on the way is said where it happens.

mod base64_text;
mod card;
mod event;
mod mapping;
mod message;
mod names;
mod push;
mod requests;
mod task;
#[cfg(test)]
mod tests;

pub use crate::v1::Role;
pub use card::{AgentCapabilities, AgentCard, AgentInterface, AgentSkill};
pub use event::{SendMessageResponse, StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
pub use message::{Content, FilePart, FileSource, Message, Part};
pub use names::{push_name, read_push_name, read_task_name, task_name};
pub use push::{
    AuthenticationInfo, CreateTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigResponse,
    PushNotificationConfig, TaskPushNotificationConfig,
};
pub use requests::{SendMessageConfiguration, SendMessageRequest, is_plain};
pub use task::{Artifact, Task, TaskState, TaskStatus};
