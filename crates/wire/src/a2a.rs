//! A2A 0.3: tasks, messages, stream events, parameters and the agent card.

mod artifact;
mod card;
mod event;
mod message;
mod params;
mod push;
mod rules;
mod security;
mod task;
#[cfg(test)]
mod tests;

pub use crate::v1::{AgentCardSignature, AgentProvider};
pub use artifact::Artifact;
pub use card::{AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill};
pub use event::{ArtifactUpdateTag, StatusUpdateTag, StreamEvent, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
pub use message::{FileContent, Message, MessageTag, Part, Role};
pub use params::{MessageSendConfiguration, MessageSendParams, TaskIdParams, TaskQueryParams};
pub use push::{PushAuthentication, PushConfigParams, PushNotificationConfig, TaskPushNotificationConfig};
pub use security::{OAuthFlow, OAuthFlows, SecurityRequirement, SecurityScheme};
pub use task::{Task, TaskState, TaskStatus, TaskTag};

/// The version of the protocol spoken here.
pub const PROTOCOL_VERSION: &str = "0.3.0";

/// Free-form fields, keyed by the address of the extension that defines them.
pub type Metadata = serde_json::Map<String, serde_json::Value>;
