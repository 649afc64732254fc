//! How the screen is set up.

use super::environment::ScreenEnvironment;
use crate::agent_commands::AgentCommands;
use crate::ansi_writer::ColourMode;
use crate::model_offers::ModelOffers;
use pollux_session::{Notice, NoticeFeed, NoticeLevel, PriceLookup};
use std::sync::Arc;
use tokio::sync::mpsc;

/// What whoever starts a screen knows.
pub struct ScreenSettings {
    /// The model, as the greeting names it; the demo says that it is not an AI.
    pub model_line: String,
    /// Printed at the start: version, workspace, where others connect, how to get a real model.
    pub greeting: Vec<String>,
    /// The folder that the session works in.
    pub workspace: String,
    /// Whether the session runs in another program, which this one has joined.
    pub is_attached: bool,
    /// Whether colours are used.
    pub colour: ColourMode,
    /// The theme's name; none, or one that is not known, follows the terminal's background.
    pub theme: Option<String>,
    /// Whether the composer is used as vi is.
    pub vim: bool,
    /// How the person is called when they look elsewhere; `None` for not at all.
    pub notifications: Option<NotificationMethod>,
    /// The text of the person's key bindings.
    pub keys: Option<String>,
    /// Prompts of earlier sessions, oldest first.
    pub history: Vec<String>,
    /// What the session's seat says besides its log. It is read from here on, so that nothing is missed while the terminal is
    /// set up.
    pub notice_feed: Box<dyn NoticeFeed>,
    /// What this process says about itself.
    pub console: Option<mpsc::Receiver<Notice>>,
    /// Notices below this level are not shown.
    pub notices: NoticeLevel,
    /// The models that `/model` offers.
    pub models: ModelOffers,
    /// The commands that the agent answers.
    pub commands: AgentCommands,
    /// What costs are reckoned by; `None` for none.
    pub prices: Option<PriceLookup>,
    /// A prompt to begin with, as if it had been typed.
    pub first_prompt: Option<String>,
    /// The process around it.
    pub environment: Arc<dyn ScreenEnvironment>,
}

/// How somebody who looks elsewhere is told that an ask is open, or that a turn has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotificationMethod {
    /// A notification in the form that the terminal is known to take, and a bell.
    Auto,
    /// A notification by OSC 9.
    Osc9,
    /// A notification by OSC 777.
    Osc777,
    /// A bell alone.
    Bell,
}

impl NotificationMethod {
    /// All of them.
    pub const ALL: [NotificationMethod; 4] =
        [NotificationMethod::Auto, NotificationMethod::Osc9, NotificationMethod::Osc777, NotificationMethod::Bell];

    /// Its word in settings.
    pub fn name(self) -> &'static str {
        match self {
            NotificationMethod::Auto => "auto",
            NotificationMethod::Osc9 => "osc9",
            NotificationMethod::Osc777 => "osc777",
            NotificationMethod::Bell => "bell",
        }
    }

    /// The method with this word.
    pub fn from_name(name: &str) -> Option<NotificationMethod> {
        NotificationMethod::ALL.into_iter().find(|method| method.name() == name)
    }
}
