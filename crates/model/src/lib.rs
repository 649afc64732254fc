//! What thinks: one trait, [`Model`], and the engines behind it.
//!
//! The conversation has the shape Gemini gives it ([`Content`], [`Part`]); fields nobody here knows are kept and sent
//! back. [`choose()`] picks an engine: Gemini over HTTP, a script from a file, or the built-in offline demo, which is
//! not an AI and says so.

mod choose;
mod content;
mod demo;
mod emit;
mod error;
mod gemini;
mod model;
pub mod script;

pub use choose::{ChooseError, Chosen, choose};
pub use content::{Content, GO_ON, Part, PartData, Role};
pub use demo::Demo;
pub use error::{Class, Fault, Flaw, ModelError};
pub use gemini::SettingsError;
pub use model::{Chunk, Model, ModelInfo, Nature, Request, ToolDeclaration};
pub use script::Script;
