//! The agent: does the work a session owes, with models, a toolbox and a policy.
//!
//! There are three scopes. [`AgentRunner`] is the host's runner: what all sessions of a process share. [`WorkspaceAgent`] is
//! what those in one directory have alike. `TurnAgent` is that agent as one session has it, for one piece of its work.
//!
//! `model_call.rs` asks the model, `history.rs` is what it is told, `tool_calls.rs` vets and runs calls, `compact.rs` keeps
//! a long conversation within a model's window.

mod agent_runner;
mod agent_settings;
mod checkpoint;
mod client_credentials;
mod commands;
mod commit_pacing;
mod compact;
mod conversation_memory;
mod directory_rules;
mod ended_commands;
mod history;
mod instructions;
mod kept_calls;
mod loop_guard;
mod media_parts;
mod memory;
mod model_call;
mod model_call_context;
mod open_work;
mod output_buffer;
mod plan_rules;
mod prompt_preparation;
mod repetition;
mod sampling;
mod server_resources;
mod situation;
mod subagent;
mod tool_calls;
mod turn_agent;
mod workspace_agent;

pub use agent_runner::{AgentRunner, AgentUse};
pub use agent_settings::{AgentRestrictions, AgentSettings, Attendance, ServerStartup, YoloForbidden};
pub use client_credentials::ClientPrograms;
pub use commands::{CommandSources, ExtensionNote, SettingsSelection, is_same_model, missing_key_hint, models_offered};
pub use memory::{ExtensionMemory, MemorySettings};
pub use subagent::{AgentVariables, SubagentRegistry};
pub use workspace_agent::WorkspaceAgent;
