//! The extensions' part of the agent: their memory files and their commands.

use crate::config::{Config, InstalledExtension};
use pollux_agent::{ExtensionMemory, ExtensionNote};

#[cfg(test)]
mod tests;

/// The memory files of the extensions that are on.
pub(crate) fn context_files(config: &Config) -> Vec<ExtensionMemory> {
    let on = config.extensions.iter().filter(|extension| extension.enabled);
    let memory = |extension: &InstalledExtension| {
        let folder = extension.dir.clone();
        let files = extension.context_files.iter().cloned();
        files.map(|file| ExtensionMemory { file, folder: folder.clone() }).collect::<Vec<_>>()
    };
    on.flat_map(memory).collect()
}

/// The extensions, for `/extensions` and for the commands they bring.
pub(crate) fn notes(config: &Config) -> Vec<ExtensionNote> {
    let note = |extension: &InstalledExtension| ExtensionNote {
        name: extension.name.clone(),
        version: extension.version.clone(),
        active: extension.enabled,
        commands: extension.commands.clone(),
    };
    config.extensions.iter().map(note).collect()
}
