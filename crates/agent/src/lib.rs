//! The agent: does the work a session owes, with a model, a toolbox and a policy.
//!
//! [`Agent`] is the host's runner. `think.rs` asks the model, `history.rs` is what it is told, `act.rs` vets and runs
//! calls.

mod act;
mod agent;
mod history;
mod instructions;
mod pace;
mod speech;
mod think;

pub use agent::Agent;
