//! What the agent's commands need from the program: files of the person, settings with their origin, extensions.

use crate::agent_extensions;
use crate::config::Config;
use crate::folder_trust::folder_trust_by;
use crate::settings::GlobalSettings;
use crate::settings_show::{self, ListingFormat};
use pollux_agent::{CommandSources, SettingsSelection};
use pollux_policy::FolderTrust;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The sources for every agent of this program. They are looked at when a command asks, for the workspace it is typed in.
pub(crate) fn build_sources(global_settings: &GlobalSettings) -> CommandSources {
    // Without a workspace's own settings; those are read anew for each question.
    let config = Arc::new(global_settings.config.for_workspace(&global_settings.data_dir, FolderTrust::Unknown));
    let (folder_trust, trust_file) =
        (global_settings.config.preferences.folder_trust, global_settings.user_directories.trust());
    let config_for = Arc::new(move |workspace: &Path| {
        config.for_workspace(workspace, folder_trust_by(folder_trust, trust_file.as_deref(), workspace))
    });
    let settings_of = config_for.clone();
    CommandSources {
        own_dir: global_settings.user_directories.gemini_dir().map(|dir| dir.join("commands")),
        chats_dir: Some(global_settings.data_dir.join("chats")),
        version: env!("CARGO_PKG_VERSION").into(),
        started: Some(Instant::now()),
        settings: Some(Arc::new(move |workspace: &Path, selection| settings_lines(&settings_of(workspace), selection))),
        extensions: Some(Arc::new(move |workspace: &Path| agent_extensions::notes(&config_for(workspace)))),
    }
}

/// What `pollux settings show` prints, as a list.
fn settings_lines(config: &Config, selection: SettingsSelection) -> Vec<String> {
    let mut list = Vec::new();
    match settings_show::write(config, ListingFormat::List(selection), &mut list) {
        Ok(()) => String::from_utf8_lossy(&list).lines().map(|line| line.trim_end().to_owned()).collect(),
        Err(error) => vec![format!("the settings could not be written down: {error}")],
    }
}
