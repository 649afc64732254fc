//! The agent: does the work a session owes, with models, a toolbox and a policy.
//!
//! [`Agent`] is the host's runner. `think.rs` asks the model, `history.rs` is what it is told, `act.rs` vets and runs
//! calls, `compact.rs` keeps a long conversation within a model's window.

mod agent;
mod checkpoint;
mod client_credentials;
mod commands;
mod commit_pacing;
mod compact;
mod history;
mod instructions;
mod loop_guard;
mod media_parts;
mod memory;
mod mentions;
mod model_call;
mod output_buffer;
mod prompt_preparation;
mod repetition;
mod sampling;
mod server_resources;
mod subagent;
mod tool_calls;

pub use agent::{Agent, AgentRestrictions, AgentSettings, AgentUse, ServerStartup, YoloForbidden};
pub use client_credentials::ClientPrograms;
pub use commands::{CommandSources, ExtensionNote, SettingsSelection, is_same_model, models_offered};
pub use memory::{ExtensionMemory, MemorySettings};
pub use subagent::{AgentVariables, SubagentRegistry};
