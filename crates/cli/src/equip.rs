//! Puts an agent together: models, a toolbox, a policy, a log, a host.

use crate::config::{Config, ServerTrust};
use crate::keeper::BlobKeeper;
use crate::person::Person;
use crate::search::ModelSearch;
use crate::servers;
use crate::settings::{Basics, Usage};
use pollux_agent::{Agent, AgentSettings, Forbidden, MemorySettings};
use pollux_host::{Board, Host};
use pollux_model::{Catalogue, Chosen, ModelInfo, Models, Nature};
use pollux_policy::{FolderTrust, Policies, Sources, Trust};
use pollux_session::{Overrides, Owner, Rights, Who};
use pollux_store::{Blobs, Log};
use pollux_tools::{ShellLimits, ToolSettings, Toolbox, WebSearch};
use pollux_tui::Prices;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whose sessions these are on a machine with one person.
pub(crate) const OWNER: &str = "local";
/// The machine's policy files.
const ADMIN_POLICIES: &str = "/etc/gemini-cli/policies";

/// A host and what people should know about its model.
pub(crate) struct Equipped {
    pub(crate) host: Host,
    pub(crate) models: Arc<Models>,
    pub(crate) model: ModelInfo,
    /// How to get a real model, when the demo was picked for want of one.
    pub(crate) note: Option<String>,
}

/// The models that can be had and the one to begin with.
pub(crate) struct Engines {
    pub(crate) models: Arc<Models>,
    pub(crate) chosen: Chosen,
}

impl Engines {
    /// Choose the model first: it is the part that can be wrong, and nothing has been opened yet.
    pub(crate) fn choose(basics: &Basics, config: &Config) -> anyhow::Result<Engines> {
        let own = basics.person.models();
        let catalogue = Catalogue::load(own.as_deref()).map_err(|error| Usage(error.to_string()))?;
        let (variables, preferred) = (config.variables.clone(), config.preferences.model.clone());
        // A model that a settings file names is a wish, not a demand: without a key the demo answers.
        let look_up = move |name: &str| match name {
            "GEMINI_MODEL" => preferred.clone(),
            name => variables.get(name),
        };
        let models = Arc::new(Models::new(catalogue, look_up));
        let chosen = models.choose(basics.model.as_deref()).map_err(|error| Usage(error.to_string()))?;
        Ok(Engines { models, chosen })
    }
}

/// What a directory's settings say, as far as the person trusts it. Everything odd in them is said once.
pub(crate) fn config_for(basics: &Basics, workspace: &str) -> Config {
    let config = basics.config.for_workspace(Path::new(workspace), trust_in(&basics.person, Path::new(workspace)));
    for warning in basics.config.warnings.iter().chain(&config.warnings) {
        tracing::warn!("{}", warning.text);
    }
    config
}

/// Whether the person trusts a folder; a store that cannot be read trusts nothing.
pub(crate) fn trust_in(person: &Person, folder: &Path) -> FolderTrust {
    match person.trust().map(|file| Trust::load(&file)) {
        None => FolderTrust::Unknown,
        Some(Ok(trust)) => trust.of(folder),
        Some(Err(error)) => {
            tracing::warn!("{error}");
            FolderTrust::Unknown
        }
    }
}

/// Where rules come from, by the settings.
pub(crate) fn rule_sources(basics: &Basics, config: &Config) -> Sources {
    let preferences = &config.preferences;
    let trusted = config.servers.iter().filter(|server| server.server.trust == ServerTrust::Trusted);
    Sources {
        admin_dir: Some(PathBuf::from(ADMIN_POLICIES)),
        user_dir: basics.person.policies(),
        settings: pollux_policy::ToolSettings {
            allowed: preferences.allowed_tools.clone(),
            confirmed: preferences.confirmed_tools.clone(),
            excluded: preferences.excluded_tools.clone(),
            trusted_servers: trusted.map(|server| server.name.clone()).collect(),
            excluded_servers: preferences.excluded_servers.clone(),
        },
    }
}

/// A host over `log` whose agent asks `engines` and keeps long outputs in `blobs`.
pub(crate) fn equip(
    basics: &Basics,
    config: &Config,
    workspace: &str,
    engines: Engines,
    log: Arc<dyn Log>,
    blobs: Blobs,
    board: Board,
) -> Equipped {
    let Engines { models, chosen } = engines;
    let model = chosen.model.info();
    let preferences = &config.preferences;
    let searches = model.nature == Nature::Real && model.id.starts_with("gemini");
    let search: Option<Arc<dyn WebSearch>> =
        if searches { Some(Arc::new(ModelSearch(chosen.model.clone()))) } else { None };
    let limits = ShellLimits::default();
    let toolbox = Toolbox::new(ToolSettings {
        shell: ShellLimits { inactivity: preferences.shell_inactivity.unwrap_or(limits.inactivity), ..limits },
        memory: basics.person.memory(),
        search,
        ..ToolSettings::new(Arc::new(BlobKeeper(blobs)))
    });
    let toolbox = match &preferences.core_tools {
        Some(names) => toolbox.only(names),
        None => toolbox,
    };
    let settings = AgentSettings {
        memory: MemorySettings {
            names: preferences.memory_files.clone(),
            own_dir: basics.person.dir().map(Path::to_owned),
        },
        compact_at: preferences.compression_threshold,
        system_prompt: None,
        trust_file: basics.person.trust(),
        forbidden: Forbidden { yolo: preferences.disable_yolo, lasting_grants: preferences.disable_always_allow },
    };
    let policies = Arc::new(Policies::new(rule_sources(basics, config)));
    let mut agent = Agent::new(models.clone(), chosen.model, toolbox, policies, settings);
    if let Some(servers) = servers::start(config, workspace, &board) {
        agent = agent.with_servers(servers);
    }
    let defaults = Overrides { mode: Some(preferences.mode), model: None };
    let host = Host::new(log, Arc::new(agent), board, defaults, env!("CARGO_PKG_VERSION"));
    Equipped { host, models, model, note: chosen.note }
}

impl Equipped {
    /// What a model call costs, where that is known.
    pub(crate) fn prices(&self) -> Prices {
        let models = self.models.clone();
        Prices::new(move |model, usage| {
            let prices = models.resolve(model).ok()?.info().prices?;
            #[expect(clippy::cast_precision_loss, reason = "a price is shown with six digits")]
            Some(prices.cost(usage).0 as f64 / 1_000_000.0)
        })
    }

    /// The models a person may switch to, by name.
    pub(crate) fn offered(&self) -> Vec<String> {
        let entries = self.models.catalogue().entries().iter();
        entries.filter(|entry| self.models.is_ready(entry.provider)).map(pollux_model::Entry::name).collect()
    }
}

/// The person at the terminal.
pub(crate) fn terminal() -> Who {
    Who { owner: Owner(OWNER.into()), principal: "local".into(), label: "terminal".into(), rights: Rights::all() }
}
