//! The agent: does the work a session owes, with models, a toolbox and a policy.
//!
//! [`Agent`] is the host's runner. `think.rs` asks the model, `history.rs` is what it is told, `act.rs` vets and runs
//! calls, `compact.rs` keeps a long conversation within a model's window.

mod act;
mod agent;
mod commands;
mod compact;
mod history;
mod instructions;
mod loops;
mod memory;
mod mentions;
mod pace;
mod preparation;
mod repetition;
mod showing;
mod speech;
mod subagent;
mod think;

pub use agent::{Agent, AgentSettings, Forbidden};
pub use memory::MemorySettings;
pub use subagent::Subagents;
