//! The agent card.

use serde::{Deserialize, Serialize};

/// What the agent is and how to reach it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCard {
    /// The protocol's version.
    pub protocol_version: String,
    /// The agent's name.
    pub name: String,
    /// What it is for, and which model answers.
    pub description: String,
    /// Where it is.
    pub url: String,
    /// How it is spoken to there.
    pub preferred_transport: String,
    /// The program's version.
    pub version: String,
    /// What it can do.
    pub capabilities: AgentCapabilities,
    /// What it takes.
    pub default_input_modes: Vec<String>,
    /// What it gives.
    pub default_output_modes: Vec<String>,
    /// What it is good at.
    pub skills: Vec<AgentSkill>,
}

/// What an agent can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCapabilities {
    /// Whether it streams.
    pub streaming: bool,
    /// Whether it calls back.
    pub push_notifications: bool,
    /// Whether a task's history is kept.
    pub state_transition_history: bool,
    /// The extensions it speaks.
    pub extensions: Vec<AgentExtension>,
}

/// An extension an agent speaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentExtension {
    /// Its address, which is also its name in metadata.
    pub uri: String,
    /// What it adds.
    pub description: String,
    /// Whether a client must speak it.
    pub required: bool,
}

/// Something an agent is good at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSkill {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Things one might say.
    pub examples: Vec<String>,
}
