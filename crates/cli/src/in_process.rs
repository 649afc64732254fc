//! Sessions as `pollux serve` hosts them, in the process of whoever asks. The replay corpus plays its conversations here
//! and over the wire, and both must come to the same.

use crate::config::EnvironmentLookup;
use crate::flags::CliFlags;
use crate::runtime::{ModelSelection, build_server_runtime};
use crate::session_storage::{SessionStorage, resolve_workspace};
use crate::settings::{ProgramAction, ProgramSettings, UsageError};
use pollux_host::{Host, NoticeBoard};
use std::sync::Arc;

/// The host that `pollux serve ARGS` would have, with `env` for its environment and nothing kept on disk.
pub fn host_in_process(
    args: &[String],
    env: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
) -> anyhow::Result<Host> {
    let env: EnvironmentLookup = Arc::new(env);
    let words = ["pollux", "serve"].into_iter().map(str::to_owned).chain(args.iter().cloned());
    let ProgramSettings { basics: global_settings, action } = ProgramSettings::resolve(CliFlags::read(words)?, &env)?;
    let ProgramAction::Serve(serve) = action else {
        return Err(UsageError("only a server can be hosted".into()).into());
    };
    let workspace = resolve_workspace(&serve.workspace)?;
    let model_selection = ModelSelection::choose(&global_settings, &global_settings.config)?;
    let SessionStorage { store, blobs, lock: _ } = SessionStorage::ephemeral()?;
    let (global_settings, programs) = (Arc::new(global_settings), serve.programs);
    Ok(build_server_runtime(
        &global_settings,
        &workspace,
        model_selection,
        store,
        blobs,
        NoticeBoard::default(),
        programs,
    )
    .host)
}
