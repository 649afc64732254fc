//! The agent: does the work a session owes, with models, a toolbox and a policy.
//!
//! [`Agent`] is the host's runner. `think.rs` asks the model, `history.rs` is what it is told, `act.rs` vets and runs
//! calls, `compact.rs` keeps a long conversation within a model's window.

mod act;
mod agent;
mod checkpoint;
mod commands;
mod compact;
mod history;
mod instructions;
mod lent;
mod loops;
mod memory;
mod mentions;
mod pace;
mod preparation;
mod repetition;
mod sampling;
mod server_resources;
mod showing;
mod speech;
mod subagent;
mod think;

pub use agent::{Agent, AgentRestrictions, AgentSettings, AgentUse, ServerStartup, YoloForbidden};
pub use commands::{CommandSources, ExtensionNote, is_same_model, models_offered};
pub use lent::ClientPrograms;
pub use memory::{ExtensionMemory, MemorySettings};
pub use subagent::{AgentVariables, SubagentRegistry};
