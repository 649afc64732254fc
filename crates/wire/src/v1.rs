//! A2A 1.0: what differs from 0.3. The JSON is that of the protocol's `.proto`, in camel case.
//!
//! The server works with the types of [`crate::a2a`]; these are the same things as a 1.0 client sees them, and
//! `mapping` turns one into the other.

mod artifact;
mod card;
mod card_mapping;
mod event;
mod hybrid_card;
mod mapping;
mod message;
mod push;
mod requests;
mod rules;
mod security;
mod task;
#[cfg(test)]
mod tests;

pub use artifact::Artifact;
pub use card::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface, AgentProvider, AgentSkill,
};
pub use event::{SendMessageResponse, StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
pub use hybrid_card::HybridCard;
pub use message::{Content, Message, Part, Role};
pub use push::{AuthenticationInfo, ListTaskPushNotificationConfigsResponse, TaskPushNotificationConfig};
pub use requests::{
    CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, ListTasksResponse, PushConfigRequest, SendMessageConfiguration, SendMessageRequest,
    SubscribeToTaskRequest,
};
pub(crate) use security::security_schemes;
pub use security::{OAuthFlow, OAuthFlows, SecurityRequirement, SecurityScheme, StringList};
pub use task::{Task, TaskState, TaskStatus};

/// The version of the protocol spoken here.
pub const PROTOCOL_VERSION: &str = "1.0";
