//! Extensions: folders with a `gemini-extension.json`, the person's and a trusted workspace's, in Gemini CLI's form.
//!
//! One that cannot be read is told and left out; the others go on. A workspace's extension brings memory, commands and
//! forbidden tools; its tool servers are programs and addresses, and those count only after the person allowed them, as
//! they are, where they are.

mod consent;
mod enablement;
mod extension_manifest;
#[cfg(test)]
mod tests;

pub(crate) use consent::ConsentRequest;
pub(crate) use enablement::{ExtensionSwitch, FILE as ENABLEMENT_FILE, switch};

use super::error::ConfigWarning;
use super::jsonc::{self, NodeContent, NodeField};
use super::layer::{ConfiguredServer, FileOwner, SettingEntry, is_empty};
use super::text_file;
use super::variables::ConfigVariables;
use consent::{ConsentState, ExtensionConsents};
use enablement::ExtensionEnablement;
use extension_manifest::ExtensionManifest;
use std::path::{Path, PathBuf};

/// The most extensions of one folder that are read.
const MOST: usize = 128;
/// The file in which an extension describes itself.
pub(crate) const MANIFEST: &str = "gemini-extension.json";

/// An extension and what it brings. What a disabled one brings does not count.
pub(crate) struct InstalledExtension {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: Option<String>,
    /// Its folder.
    pub(crate) dir: PathBuf,
    pub(crate) owner: FileOwner,
    pub(crate) enabled: bool,
    /// The files that are told to the model.
    pub(crate) context_files: Vec<PathBuf>,
    /// The folder of its command files, if it has one.
    pub(crate) commands: Option<PathBuf>,
    /// The folder of its policy files, if it has one: they can only ask or deny.
    pub(crate) policies: Option<PathBuf>,
    /// The file with its hooks, if they are to check tool calls.
    pub(crate) hooks: Option<PathBuf>,
    /// The request to the person before its tool servers are started: for a workspace's extension that brings some.
    pub(crate) consent_request: Option<ConsentRequest>,
    /// Those that may be started.
    pub(super) servers: Vec<ConfiguredServer>,
    pub(super) excludes: Option<SettingEntry>,
}

/// Where extensions are looked for, and whose variables their texts see.
pub(super) struct ExtensionLocations<'a> {
    /// The person's folder of extensions.
    pub(super) own: Option<&'a Path>,
    /// The workspace's, when it is trusted.
    pub(super) theirs: Option<&'a Path>,
    /// Where the person's consents are kept.
    pub(super) consents: Option<&'a Path>,
    pub(super) workspace: &'a Path,
    pub(super) own_variables: &'a ConfigVariables,
    pub(super) their_variables: &'a ConfigVariables,
}

/// Every extension there is, by name, and what is wrong with others. Of two with one name the person's counts.
pub(super) fn load(places: &ExtensionLocations<'_>) -> (Vec<InstalledExtension>, Vec<ConfigWarning>) {
    let (enablement, mut warnings) = match places.own.map(|own| ExtensionEnablement::load(&own.join(ENABLEMENT_FILE))) {
        None => (ExtensionEnablement::default(), Vec::new()),
        Some(Ok(enablement)) => (enablement, Vec::new()),
        Some(Err(warning)) => (ExtensionEnablement::all_disabled(), vec![warning]),
    };
    let consents = match places.consents.map(ExtensionConsents::load) {
        None => ExtensionConsents::default(),
        Some(Ok(consents)) => consents,
        Some(Err(warning)) => {
            // It decides nothing where the workspace has no extensions.
            warnings.extend(Some(warning).filter(|_| places.theirs.is_some_and(Path::is_dir)));
            ExtensionConsents::default()
        }
    };
    let mut found: Vec<InstalledExtension> = Vec::new();
    let folders = [(places.own, FileOwner::Own), (places.theirs, FileOwner::Workspace)];
    for (folder, whose) in folders.into_iter().filter_map(|(folder, whose)| Some((folder?, whose))) {
        for dir in folders_in(folder, &mut warnings) {
            match read(&dir, whose, places, &enablement, &consents) {
                Ok(None) => {}
                Ok(Some((extension, told))) => match found.iter().find(|other| other.name == extension.name) {
                    Some(first) => warnings.push(duplicate_warning(&extension, first)),
                    None => {
                        // What is wrong with one that is not used is nobody's business.
                        warnings.extend(told.into_iter().filter(|_| extension.enabled));
                        found.push(extension);
                    }
                },
                Err(warning) => warnings.push(warning),
            }
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    (found, warnings)
}

/// The files whose change changes what [`load`] says.
pub(super) fn watched_files(places: [Option<&Path>; 2]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in places.into_iter().flatten() {
        files.push(folder.join(ENABLEMENT_FILE));
        for dir in folders_in(folder, &mut Vec::new()) {
            files.extend([MANIFEST, ".env", "GEMINI.md", "hooks/hooks.json"].map(|name| dir.join(name)));
        }
    }
    files
}

/// The folders in `folder` that may be extensions, by name.
fn folders_in(folder: &Path, warnings: &mut Vec<ConfigWarning>) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut dirs: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    dirs.sort();
    if dirs.len() > MOST {
        let text = format!("{}: only the first {MOST} extensions are read", folder.display());
        warnings.push(ConfigWarning { subject: format!("many {}", folder.display()), text });
        dirs.truncate(MOST);
    }
    dirs
}

/// The extension in `dir`; nothing when there is none.
fn read(
    dir: &Path,
    whose: FileOwner,
    places: &ExtensionLocations<'_>,
    enablement: &ExtensionEnablement,
    consents: &ExtensionConsents,
) -> Result<Option<(InstalledExtension, Vec<ConfigWarning>)>, ConfigWarning> {
    let left_out = |why: String| ConfigWarning { subject: dir.display().to_string(), text: why };
    // A folder of a workspace that leads out of it is somebody else's.
    let inside = || dir.canonicalize().is_ok_and(|real| real.starts_with(places.workspace));
    if whose == FileOwner::Workspace && !inside() {
        return Err(left_out(format!("the extension {} is left out: it leads out of the workspace", dir.display())));
    }
    let linked = if whose == FileOwner::Own { extension_manifest::link_target(dir) } else { None };
    let dir = linked.as_deref().unwrap_or(dir);
    let variables = match whose {
        FileOwner::Own => places.own_variables,
        FileOwner::Workspace => places.their_variables,
    };
    let Some(manifest) = ExtensionManifest::read(dir, places.workspace, whose, variables).map_err(left_out)? else {
        return Ok(None);
    };
    let ExtensionManifest { name, version, description, mut servers, digest, excludes, context_files, mut warnings } =
        manifest;
    let verdict = enablement.is_enabled(&name, places.workspace);
    let asks = match digest.filter(|_| whose == FileOwner::Workspace) {
        None => None,
        Some(digest) => {
            let asked = ConsentRequest::new(dir, digest, &servers);
            Some(asked.map_err(|error| left_out(format!("{}: {error}; the extension is left out", dir.display())))?)
        }
    };
    let why = match asks.as_ref().map(|asked| consents.state_of(asked)) {
        None | Some(ConsentState::Granted) => None,
        Some(ConsentState::NotAsked) => Some("which are not started"),
        Some(ConsentState::GrantedForOther) => Some("which are not those you allowed, so they are not started"),
    };
    if let Some(why) = why {
        let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
        let text = format!(
            "{}: the workspace's extension {name} brings tool servers ({}), {why}; if you want them, say in {}: pollux \
             extensions enable {name} --scope workspace",
            dir.join(MANIFEST).display(),
            names.join(", "),
            places.workspace.display()
        );
        warnings.push(ConfigWarning { subject: format!("servers of {name}"), text });
        servers.clear();
    }
    let commands = Some(dir.join("commands")).filter(|commands| commands.is_dir());
    let policies = Some(dir.join("policies")).filter(|policies| policies.is_dir());
    let hooks = Some(dir.join("hooks/hooks.json")).filter(|file| checks_tools(file));
    let (dir, enabled) = (dir.to_owned(), verdict.unwrap_or(true));
    let extension = InstalledExtension {
        name,
        version,
        description,
        dir,
        owner: whose,
        enabled,
        context_files,
        commands,
        policies,
        hooks,
        consent_request: asks,
        servers,
        excludes,
    };
    Ok(Some((extension, warnings)))
}

/// True if a file of hooks has some that check tool calls. One that cannot be read may.
fn checks_tools(file: &Path) -> bool {
    let text = match text_file::read(file) {
        Ok(None) => return false,
        Ok(Some(text)) => text,
        Err(_) => return true,
    };
    let Ok(fields) = jsonc::parse(&text) else { return true };
    let named =
        |fields: &[NodeField]| fields.iter().any(|field| field.name == "BeforeTool" && !is_empty(&field.value.content));
    named(&fields)
        || fields.iter().any(|field| match &field.value.content {
            NodeContent::Object(inner) => field.name == "hooks" && named(inner),
            _ => false,
        })
}

fn duplicate_warning(extension: &InstalledExtension, first: &InstalledExtension) -> ConfigWarning {
    let text = format!(
        "{}: the extension {} is left out: one of that name is in {}",
        extension.dir.join(MANIFEST).display(),
        extension.name,
        first.dir.display()
    );
    ConfigWarning { subject: format!("extension {}", extension.dir.display()), text }
}
