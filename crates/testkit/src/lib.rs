//! Tools of the tests: a fake model provider, the real program as a child process, a terminal, and the smallest clients
//! that speak to it. Dev-only.

pub mod anthropic;
pub mod conversation;
pub mod gcs;
pub mod gemini;
pub mod http;
pub mod openai;
pub mod program;
pub mod randomness;
pub mod remote_session;
pub mod replay;
pub mod script;
pub mod scripted_provider;
pub mod socket;
pub mod terminal;
pub mod tmux;
