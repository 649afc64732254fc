//! What a call shows a person before it runs, and what they may choose.

use serde::{Deserialize, Serialize};

/// A call waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// What is about to happen. It never changes: if the world does, the call is superseded and a new one asks.
    pub details: Details,
    /// The choices, in the order they are shown.
    pub options: Vec<Choice>,
    /// SHA-256 of the details, in hex: what was shown is what runs.
    pub hash: String,
}

impl Ask {
    /// An ask about `details`. The hash is made here, so it cannot disagree.
    pub fn new(details: Details, options: Vec<Choice>) -> Ask {
        use sha2::{Digest, Sha256};
        let text = serde_json::to_vec(&details).unwrap_or_default();
        let hash = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
        Ask { details, options, hash }
    }
}

/// What a call is about to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Details {
    /// Run a shell command.
    Execute {
        /// The whole command.
        command: String,
        /// The directory it runs in.
        directory: String,
    },
    /// Change a file.
    Edit(FileDiff),
    /// Anything else, in words.
    Generic {
        /// What will happen.
        description: String,
    },
}

/// A change of one file, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// The path as a person would write it: relative to the workspace.
    pub name: String,
    /// The absolute path.
    pub path: String,
    /// What the file holds now; `None` when it does not exist.
    pub old: Option<String>,
    /// What it will hold.
    pub new: String,
    /// A unified diff for display.
    pub patch: String,
}

/// One option of an ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Google's outcome string: `proceed_once`, `proceed_always`, `cancel`.
    pub id: String,
    /// The label. It says exactly what is granted.
    pub name: String,
    /// Whether choosing it lets the call run.
    pub allows: bool,
    /// What else it allows for the rest of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<Grant>,
}

/// Run this call, once.
pub fn once_choice() -> Choice {
    Choice { id: "proceed_once".into(), name: "Allow once".into(), allows: true, grant: None }
}

/// Run this call and, for the rest of the session, everything `grant` covers. The label says what that is.
pub fn session_choice(grant: Grant) -> Choice {
    let name = match &grant {
        Grant::Tool { tool } => format!("Allow every {tool} in this session"),
        Grant::Command { command } => format!("Allow `{command}` in this session"),
    };
    Choice { id: "proceed_always".into(), name, allows: true, grant: Some(grant) }
}

/// Do not run it.
pub fn cancel_choice() -> Choice {
    Choice { id: "cancel".into(), name: "Cancel".into(), allows: false, grant: None }
}

/// A standing permission, for one session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Grant {
    /// Every call of one tool.
    Tool {
        /// The tool's name.
        tool: String,
    },
    /// One shell command, to the letter.
    Command {
        /// The command.
        command: String,
    },
}

/// What a person changed before they allowed a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Edit {
    /// The file's new content.
    Content {
        /// What gets written instead.
        new: String,
    },
}
