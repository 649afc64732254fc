//! Sessions as `pollux serve` hosts them, in the process of whoever asks. The replay corpus plays its conversations here
//! and over the wire, and both must come to the same.

use crate::config::Environment;
use crate::equip::{Engines, equip_many};
use crate::flags::Flags;
use crate::place::{Place, usable};
use crate::settings::{Action, Settings, Usage};
use pollux_host::{Board, Host};
use std::sync::Arc;

/// The host that `pollux serve ARGS` would have, with `env` for its environment and nothing kept on disk.
pub fn host_in_process(
    args: &[String],
    env: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
) -> anyhow::Result<Host> {
    let env: Environment = Arc::new(env);
    let words = ["pollux", "serve"].into_iter().map(str::to_owned).chain(args.iter().cloned());
    let Settings { basics, action } = Settings::resolve(Flags::read(words)?, &env)?;
    let Action::Serve(serve) = action else { return Err(Usage("only a server can be hosted".into()).into()) };
    let workspace = usable(&serve.workspace)?;
    let engines = Engines::choose(&basics, &basics.config)?;
    let Place { log, blobs, lock: _ } = Place::ephemeral()?;
    let (basics, programs) = (Arc::new(basics), serve.programs);
    Ok(equip_many(&basics, &workspace, engines, log, blobs, Board::default(), programs).host)
}
