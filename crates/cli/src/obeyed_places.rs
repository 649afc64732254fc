//! Where the files lie that decide what Pollux does without a question, as those say that load them: changing one asks.

use crate::config::Config;
use crate::folder_trust::folder_trust;
use crate::runtime::rule_sources;
use crate::settings::GlobalSettings;
use crate::system_prompt;
use crate::token_source::TokenSource;
use pollux_policy::PolicySources;
use pollux_tools::ObeyedPlaces;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// Directories beside the person's settings in which files are loaded at any depth: commands, agents, extensions.
const LOADED_TREES: [&str; 4] = ["agents", "commands", "extensions", "skills"];

/// The files that sessions in `workspace` obey, by its settings.
pub(crate) fn obeyed_places(global_settings: &GlobalSettings, config: &Config, workspace: &Path) -> ObeyedPlaces {
    let directories = &global_settings.user_directories;
    let own = [directories.config_dir(), directories.gemini_dir()].into_iter().flatten().map(Path::to_owned);
    let token = match &global_settings.token {
        Some(TokenSource::File(path)) => Some(path.clone()),
        Some(TokenSource::Variable(_)) | None => None,
    };
    let loaded = own.clone().flat_map(|directory| LOADED_TREES.map(|name| directory.join(name)));
    let prompt = system_prompt::named_file(global_settings, workspace);
    let named = directories.trust().into_iter().chain(token).chain(prompt);
    let settings = config.obeyed_files(workspace, folder_trust(global_settings, workspace));
    ObeyedPlaces {
        files: own.chain(named).chain(settings).collect(),
        trees: loaded.collect(),
        rules: rule_places(rule_sources(global_settings, config)),
        storage: [&global_settings.data_dir, &global_settings.state_dir, &global_settings.runtime_dir]
            .map(PathBuf::clone)
            .into(),
        home: directories.home().map(Path::to_owned),
        config_home: directories.config_dir().and_then(Path::parent).map(Path::to_owned),
        programs: search_path(config),
    }
}

/// Files of rules and directories that hold some.
fn rule_places(sources: PolicySources) -> Vec<PathBuf> {
    let PolicySources { admin_dir, user_dir, more_user_dirs, user_paths, admin_paths, narrowing_dirs, settings: _ } =
        sources;
    let lists = [more_user_dirs, user_paths, admin_paths, narrowing_dirs].into_iter().flatten();
    // Relative ones are refused when they are read.
    admin_dir.into_iter().chain(user_dir).chain(lists).filter(|path| path.is_absolute()).collect()
}

fn search_path(config: &Config) -> Vec<PathBuf> {
    let path = config.variables.get("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|directory| directory.is_absolute()).collect()
}
