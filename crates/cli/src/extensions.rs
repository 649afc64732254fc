//! `pollux extensions`: which there are, and where they are on; and what the agent is told of them.

use crate::config::extensions::{ConsentRequest, ENABLEMENT_FILE, ExtensionSwitch, MANIFEST, switch};
use crate::config::{Config, FileOwner, InstalledExtension};
use crate::console::{self, LineStyle};
use crate::flags::ScopeFlag;
use crate::runtime::config_for;
use crate::session_storage::resolve_workspace;
use crate::settings::{GlobalSettings, UsageError};
use crate::settings_show::ListingFormat;
use anyhow::Context as _;
use pollux_agent::{ExtensionMemory, ExtensionNote};
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// What is to be done.
pub(crate) enum ExtensionsAction {
    /// Tell what there is.
    List(ListingFormat),
    /// Switch the one of this name.
    Switch(String, ScopeFlag, ExtensionSwitch),
}

/// Do what `wish` says, and tell what came of it.
pub(crate) fn run(global_settings: &GlobalSettings, wish: &ExtensionsAction) -> anyhow::Result<ExitCode> {
    console::start(global_settings.detail, LineStyle::Sentences, None);
    let here = resolve_workspace(&std::env::current_dir().context("the current directory cannot be used")?)?;
    let config = config_for(global_settings, &here);
    let mut out = io::stdout().lock();
    match wish {
        ExtensionsAction::List(form) => write(&config, *form, &mut out)?,
        ExtensionsAction::Switch(name, scope, to) => {
            change(global_settings, &config, Path::new(&here), name, *scope, *to, &mut out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What the model is told by the extensions that are on.
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

fn write(config: &Config, form: ListingFormat, out: &mut dyn Write) -> io::Result<()> {
    match form {
        ListingFormat::Json => {
            let extension = |one: &InstalledExtension| {
                json!({
                    "name": one.name, "version": one.version, "description": one.description, "path": one.dir,
                    "from": describe_owner(one), "isActive": one.enabled,
                })
            };
            writeln!(out, "{:#}", json!(config.extensions.iter().map(extension).collect::<Vec<_>>()))
        }
        ListingFormat::Table | ListingFormat::List(_) => {
            if config.extensions.is_empty() {
                return writeln!(out, "no extensions: each is a folder with a {MANIFEST} in ~/.gemini/extensions");
            }
            let widest = config.extensions.iter().map(|one| one.name.len() + one.version.len()).max().unwrap_or(0) + 1;
            for one in &config.extensions {
                let name = format!("{} {}", one.name, one.version.escape_debug());
                let state = if one.enabled { "on " } else { "off" };
                writeln!(out, "{name:widest$}  {state}  {}  {}", describe_owner(one), one.dir.display())?;
            }
            Ok(())
        }
    }
}

fn describe_owner(extension: &InstalledExtension) -> &'static str {
    match extension.owner {
        FileOwner::Own => "yours",
        FileOwner::Workspace => "the workspace's",
    }
}

fn change(
    global_settings: &GlobalSettings,
    config: &Config,
    here: &Path,
    name: &str,
    scope: ScopeFlag,
    to: ExtensionSwitch,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let Some(extension) = config.extensions.iter().find(|extension| extension.name == name) else {
        let known: Vec<&str> = config.extensions.iter().map(|extension| extension.name.as_str()).collect();
        let known =
            if known.is_empty() { "there are none".to_owned() } else { format!("there are {}", known.join(", ")) };
        return Err(UsageError(format!("there is no extension {name:?} here; {known}")).into());
    };
    let no_home = || UsageError("there is no home directory: set HOME".into());
    let file =
        global_settings.user_directories.gemini_dir().ok_or_else(no_home)?.join("extensions").join(ENABLEMENT_FILE);
    // Gemini CLI means the home directory by the person's scope, and so leaves one on in folders that lie elsewhere.
    let (folder, where_to) = match scope {
        ScopeFlag::User => (Path::new("/"), "for you, in every folder".to_owned()),
        ScopeFlag::Workspace => (here, format!("in {} and everything in it", here.display())),
    };
    switch(&file, name, folder, to).map_err(UsageError)?;
    let state = if to == ExtensionSwitch::On { "on" } else { "off" };
    writeln!(out, "{name} is {state} {where_to}")?;
    if let (ExtensionSwitch::On, Some(asked)) = (to, &extension.consent_request) {
        allow(asked, config.consents().ok_or_else(no_home)?, out)?;
    }
    Ok(())
}

/// Keep in `file` that the person allows the tool servers of a workspace's extension, and tell which those are.
fn allow(asked: &ConsentRequest, file: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    asked.allow(file).map_err(UsageError)?;
    writeln!(out, "its tool servers are allowed in {:?}, until what it says of them changes:", asked.folder())?;
    for line in &asked.allows {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
