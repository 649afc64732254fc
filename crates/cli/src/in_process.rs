//! Sessions as `pollux serve` hosts them, in the process of whoever asks. The replay corpus plays its conversations here
//! and over the wire, and both must come to the same.

use crate::config::EnvironmentLookup;
use crate::flags::CliFlags;
use crate::program_environment::ProgramEnvironment;
use crate::runtime::{ModelSelection, RuntimeBuilder, RuntimeKind};
use crate::session_storage::{SessionStorage, resolve_workspace};
use crate::settings::UsageError;
use crate::subcommand::CliCommand;
use pollux_host::{Host, NoticeBoard};
use std::sync::Arc;

/// The host that `pollux serve ARGS` would have, with `env` for its environment and nothing kept on disk.
pub fn host_in_process(
    args: &[String],
    env: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
) -> anyhow::Result<Host> {
    let env: EnvironmentLookup = Arc::new(env);
    let words = ["pollux", "serve"].into_iter().map(str::to_owned).chain(args.iter().cloned());
    let Some(CliCommand::Serve(flags)) = CliFlags::read(words)?.command else {
        return Err(UsageError("only a server can be hosted".into()).into());
    };
    let (global_settings, serve) = flags.resolve(&ProgramEnvironment::new(env)?)?;
    let workspace = resolve_workspace(&serve.workspace)?;
    let model_selection = ModelSelection::choose(&global_settings, &global_settings.config)?;
    let SessionStorage { store, blobs, lock: _ } = SessionStorage::ephemeral()?;
    let global_settings = Arc::new(global_settings);
    let runtime = RuntimeBuilder {
        kind: RuntimeKind::Server(serve.programs),
        global_settings: &global_settings,
        config: &global_settings.config,
        workspace: &workspace,
        model_selection,
        store,
        blobs,
        board: NoticeBoard::default(),
    };
    Ok(runtime.build().host)
}
