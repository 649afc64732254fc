//! A2A 0.3: tasks, messages, stream events, parameters and the agent card.

mod card;
mod event;
mod message;
mod params;
mod task;

pub use card::{AgentCapabilities, AgentCard, AgentExtension, AgentSkill};
pub use event::{StatusUpdateTag, TaskStatusUpdateEvent};
pub use message::{FileContent, Message, MessageTag, Part, Role};
pub use params::{MessageSendConfiguration, TaskIdParams, TaskQueryParams};
pub use task::{Task, TaskState, TaskStatus, TaskTag};

/// The version of the protocol spoken here.
pub const PROTOCOL_VERSION: &str = "0.3.0";

/// Free-form fields, keyed by the address of the extension that defines them.
pub type Metadata = serde_json::Map<String, serde_json::Value>;
