//! Puts an agent together: a model, a toolbox, a log, a host.

use crate::keeper::BlobKeeper;
use crate::settings::{Basics, Usage};
use pollux_agent::Agent;
use pollux_host::{Board, Host};
use pollux_model::{Chosen, ModelInfo};
use pollux_session::{Overrides, Owner, Rights, Who};
use pollux_store::{Blobs, Log};
use pollux_tools::Toolbox;
use std::sync::Arc;

/// Whose sessions these are on a machine with one person.
pub(crate) const OWNER: &str = "local";

/// A host and what people should know about its model.
pub(crate) struct Equipped {
    pub(crate) host: Host,
    pub(crate) model: ModelInfo,
    /// How to get a real model, when the demo was picked for want of one.
    pub(crate) note: Option<String>,
}

/// Choose the model first: it is the part that can be wrong, and nothing has been opened yet.
pub(crate) fn choose_model(basics: &Basics) -> anyhow::Result<Chosen> {
    let env = |name: &str| std::env::var(name).ok();
    Ok(pollux_model::choose(basics.model.as_deref(), &env).map_err(|error| Usage(error.to_string()))?)
}

/// A host over `log` whose agent asks `chosen` and keeps long outputs in `blobs`.
pub(crate) fn equip(basics: &Basics, chosen: Chosen, log: Arc<dyn Log>, blobs: Blobs, board: Board) -> Equipped {
    let model = chosen.model.info();
    let agent = Agent::new(chosen.model, Toolbox::standard(Arc::new(BlobKeeper(blobs))));
    let host = Host::new(log, Arc::new(agent), board, Overrides { mode: basics.mode }, env!("CARGO_PKG_VERSION"));
    Equipped { host, model, note: chosen.note }
}

/// The person at the terminal.
pub(crate) fn terminal() -> Who {
    Who { owner: Owner(OWNER.into()), principal: "local".into(), label: "terminal".into(), rights: Rights::all() }
}
