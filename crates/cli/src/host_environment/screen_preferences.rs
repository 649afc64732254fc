//! Choices of a person at the screen: a theme, a way of typing. Kept in their own directory, read at every start.

use crate::user_directories::UserDirectories;
use serde::{Deserialize, Serialize};

/// The longest file of choices.
const MAX_BYTES: u64 = 64 * 1024;

/// The choices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ScreenPreferences {
    /// The theme's name.
    pub(crate) theme: Option<String>,
    /// True if the composer is used as vi is.
    pub(crate) vim: bool,
}

impl ScreenPreferences {
    /// The choices; the defaults where there are none, or where they cannot be read, which is said.
    pub(crate) fn load(person: &UserDirectories) -> ScreenPreferences {
        let Some(path) = person.screen() else { return ScreenPreferences::default() };
        let Ok(text) = pollux_files::read_text(&path, MAX_BYTES) else { return ScreenPreferences::default() };
        serde_json::from_str(&text).unwrap_or_else(|error| {
            tracing::warn!("{} is not read: {error}; /theme writes it anew", path.display());
            ScreenPreferences::default()
        })
    }

    /// Keep them.
    pub(crate) fn save(&self, person: &UserDirectories) -> Result<(), String> {
        let path = person.screen().ok_or("there is no home directory to keep this in; it holds for this session")?;
        let wrong = |error: std::io::Error| format!("{} cannot be written: {error}", path.display());
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir).map_err(wrong)?;
        }
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        std::fs::write(&path, text).map_err(wrong)
    }
}
