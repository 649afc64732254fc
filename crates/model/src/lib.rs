//! What thinks: one trait, [`Model`], and the engines behind it.
//!
//! The conversation has the shape Gemini gives it ([`Content`], [`Part`]); fields nobody here knows are kept and sent
//! back. [`Models`] finds an engine by name: Gemini, OpenAI's chat format and Anthropic's messages are three small
//! folders over one `transport`; beside them are a script from a file and the built-in offline demo, which is not an AI
//! and says so.

mod anthropic;
mod arguments;
mod catalogue;
mod choose;
mod content;
mod demo;
mod emit;
mod error;
mod gemini;
mod info;
mod llama;
mod local;
mod model;
mod models;
mod openai;
mod pairing;
mod prices;
mod provider;
pub mod script;
mod settings;
mod tally;
mod transport;
mod tuning;

pub use catalogue::{Ability, Catalogue, CatalogueError, Entry, Thinking};
pub use choose::{ChooseError, Chosen, choose};
pub use content::{ATTACHED, Content, GO_ON, Part, PartData, Role};
pub use demo::Demo;
pub use error::{Class, Fault, Flaw, ModelError};
pub use info::{Effort, ModelInfo, Nature, Offered, Profile};
pub use llama::GgufError;
pub use local::LocalServer;
pub use model::{Chunk, Grounded, Model, Request, Source, ToolDeclaration};
pub use models::Models;
pub use prices::{LongRates, MicroDollars, Prices, Rates};
pub use provider::{Provider, Site};
pub use script::Script;
pub use settings::SettingsError;
