//! Settings of agents, from the person's settings files.

use crate::memory::MemorySettings;
use pollux_session::{ApprovalMode, StepLimit};
use std::path::PathBuf;

/// The wait of model calls for tool servers that are being started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerStartup {
    /// They do, for a bounded time: nobody sees that a tool is missing, and nobody could ask again.
    Awaited,
    /// They do not: somebody looks at the screen, and sees when a server is ready.
    InBackground,
}

/// Whether there is anybody who could answer what an agent asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attendance {
    /// There may be: at the terminal or at a port.
    Attended,
    /// There is not: what would be asked is denied, and the work goes on.
    Unattended,
}

/// Settings of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSettings {
    /// Where memory files are looked for.
    pub memory: MemorySettings,
    /// The share of a model's window at which the conversation is compacted.
    pub compact_at: f64,
    /// A system prompt that stands in for ours.
    pub system_prompt: Option<String>,
    /// Where the person says which folders they trust; without it none is.
    pub trust_file: Option<PathBuf>,
    /// True if every folder counts as trusted: the person has switched that question off.
    pub trust_all: bool,
    /// Restrictions on every session, whoever asks.
    pub restrictions: AgentRestrictions,
    /// True if another model is asked when one cannot answer for long.
    pub fall_back: bool,
    /// True if a model that goes round in circles is stopped.
    pub loop_guard: bool,
    /// True if the model is told where it works: the date, the directory, the mode.
    pub describe_situation: bool,
    /// The most turns of a session; without it any number.
    pub max_session_turns: Option<u32>,
    /// The most model calls of a turn, where the person says so.
    pub step_limit: Option<StepLimit>,
}

/// Restrictions that settings set everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentRestrictions {
    /// Tools that never ask, and why: yolo mode is the default mode then.
    pub yolo: Option<YoloForbidden>,
    /// Grants that outlast the session.
    pub lasting_grants: bool,
}

/// Why yolo mode is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YoloForbidden {
    /// The setting `security.disableYoloMode`.
    BySetting,
    /// The person's settings name hooks that check tool calls, and none is run here.
    HooksNotRun,
}

impl YoloForbidden {
    /// The sentence for whoever wants it.
    pub(crate) fn explain(self) -> &'static str {
        match self {
            YoloForbidden::BySetting => "yolo mode is disabled by the setting security.disableYoloMode",
            YoloForbidden::HooksNotRun => {
                "yolo mode is refused: hooks.BeforeTool in the settings checks tool calls, and this release does not run \
                 hooks; `pollux doctor` names the file"
            }
        }
    }
}

impl AgentSettings {
    /// The mode that really holds when a session says `mode`.
    pub(crate) fn effective_mode(&self, mode: ApprovalMode) -> ApprovalMode {
        if mode == ApprovalMode::Yolo && self.restrictions.yolo.is_some() { ApprovalMode::Default } else { mode }
    }
}

impl Default for AgentSettings {
    fn default() -> Self {
        AgentSettings {
            memory: MemorySettings::default(),
            compact_at: 0.5,
            system_prompt: None,
            trust_file: None,
            trust_all: false,
            restrictions: AgentRestrictions::default(),
            fall_back: true,
            loop_guard: true,
            describe_situation: false,
            max_session_turns: None,
            step_limit: None,
        }
    }
}
