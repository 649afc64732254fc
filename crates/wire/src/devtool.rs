//! The `development-tool` extension: snake_case fields, enums by name, `oneof` members without a wrapper.

mod confirmation;
mod event;
mod extension;
mod lent;
mod tool_call;

pub use confirmation::{
    ConfirmationDetails, ConfirmationOption, ConfirmationRequest, ExecuteDetails, FileDiff, GenericDetails, McpDetails,
    ModifiedFileDetails, ToolCallConfirmation,
};
pub use event::{AgentSettings, AgentThought, DevelopmentToolEvent, EventKind, TokenUsage};
pub use extension::{ExtensionUri, ExtensionVersion};
pub use lent::{Hidden, LentServer};
pub use tool_call::{ErrorDetails, ToolCall, ToolCallResult, ToolCallStatus, ToolOutput};

/// The extension's address: its name in the card and the key of its objects in metadata.
pub const URI: &str = "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";
