//! Language models: one trait, [`Model`], and the engines behind it.
//!
//! The conversation has the shape Gemini gives it ([`ModelMessage`], [`MessagePart`]); fields nobody here knows are kept and sent
//! back. [`ModelRegistry`] finds an engine by name: Gemini, OpenAI's chat format and Anthropic's messages are three small
//! folders over one `transport`; beside them are a script from a file and the built-in offline demo, which is not an AI
//! and says so.

mod answer_tally;
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
mod transport;
mod tuning;

pub use catalogue::{CatalogueEntry, CatalogueError, ModelAbility, ModelCatalogue, ThinkingControl};
pub use choose::{ChooseError, ChosenModel, choose};
pub use content::{ATTACHED, GO_ON, MessagePart, MessageRole, ModelMessage, PartData};
pub use demo::DemoModel;
pub use error::{AnswerFlaw, ModelError, ProviderFault, RetryClass};
pub use info::{InstructionProfile, ModelInfo, ModelNature, OfferedModel, ThinkingEffort};
pub use llama::GgufError;
pub use local::LocalServer;
pub use model::{GroundedAnswer, Model, ModelChunk, ModelRequest, ToolChoice, ToolDeclaration, WebSource};
pub use models::ModelRegistry;
pub use prices::{LongPromptRates, MicroDollars, ModelPrices, TokenRates};
pub use provider::{Provider, ProviderSite};
pub use script::ScriptModel;
pub use settings::SettingsError;
