//! Starts things: flags become settings, settings become a wired-up process. `pollux` and `gemini` are the same
//! program under two names.

mod agent_extensions;
mod bare_words;
mod blob_storage;
mod bucket_replication;
mod clean_start;
mod command_sources;
mod config;
mod console;
mod disk_sessions;
mod endpoint;
mod endpoint_control;
mod flags;
mod folder_trust;
mod frontend;
mod help_text;
mod host_environment;
mod in_process;
mod interactive;
mod leftover_processes;
mod mcp_servers;
mod model_search;
mod named_by_flags;
mod obeyed_places;
mod paths;
mod piped_input;
mod program_environment;
mod reported_warnings;
mod resume_hint;
mod resumed_mode;
mod resumed_model;
mod running_sessions;
mod runtime;
mod server_address;
mod session_storage;
mod settings;
mod settings_show;
mod signals;
mod startup_banner;
mod subcommand;
mod system_prompt;
mod token_source;
mod user_directories;
mod workspace_agents;

#[cfg(feature = "fuzzing")]
pub use config::fuzzing::{FuzzedSettings, NarrowedSetting};
pub use in_process::host_in_process;

/// A session's memory is taken on one thread and given back on another, which the system's allocator is slow at.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

use clean_start::StartKind;
use flags::{CliFlags, FormatFlag};
use pollux_session::{TurnFailure, describe_error_chain};
use pollux_tui::{OutputFormat, report_failure};
use program_environment::ProgramEnvironment;
use settings::UsageError;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use subcommand::CliCommand;

/// The time that tasks may take to end when everything that matters is done.
const LAST_TASKS: Duration = Duration::from_secs(3);

/// Run the program: the arguments come from the process, the result is its exit code. 0: done; 1: it failed; 2: it was
/// asked for something that cannot be; 130: cancelled.
pub fn main() -> ExitCode {
    let flags = match CliFlags::read(std::env::args_os()) {
        Ok(flags) => flags,
        Err(error) => return report_flag_error(&error),
    };
    let kind = match &flags.command {
        Some(CliCommand::Attach(_)) => StartKind::Client,
        Some(_) | None => StartKind::HoldsKeys,
    };
    // Before the first thread starts: it may execute the program again, and must have the process to itself.
    let environment = match clean_start::hide_environment(kind) {
        Ok(environment) => environment,
        Err(error) => return report_unsafe_start(&error.into()),
    };
    // Whatever a terminal session was to be, whoever reads JSON reads it.
    let format = flags.command.is_none().then(|| flags.session.output_format.format());
    let environment: config::EnvironmentLookup = Arc::new(|name: &str| environment.get(name));
    let outcome = ProgramEnvironment::new(environment).and_then(|environment| start(flags, &environment));
    match outcome {
        Ok(code) => code,
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed; there is nowhere else to say it.
            let told = describe_error_chain(error.as_ref());
            // Some of it may be another program's words.
            let _ = writeln!(std::io::stderr(), "pollux: {}", pollux_tui::clean(&told));
            let code = if error.is::<UsageError>() { 2 } else { 1 };
            print_json_error(format.unwrap_or_default(), &error, code);
            ExitCode::from(code)
        }
    }
}

/// The process cannot be made safe to hold keys.
fn report_unsafe_start(error: &anyhow::Error) -> ExitCode {
    // Standard error may be closed; there is nowhere else to say it.
    let _ = writeln!(std::io::stderr(), "pollux: {}", describe_error_chain(error.as_ref()));
    print_json_error(FormatFlag::find_in_arguments(std::env::args_os()), error, 1);
    ExitCode::FAILURE
}

/// Report a command line that makes no sense, or that asks for help.
fn report_flag_error(error: &clap::Error) -> ExitCode {
    // The stream it goes to may be closed; there is nowhere else to say it.
    let _ = help_text::print_flag_help(error);
    if !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    let told = error.to_string();
    let sentence = told.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    print_json_error(FormatFlag::find_in_arguments(std::env::args_os()), &anyhow::Error::msg(sentence), 2);
    ExitCode::from(2)
}

/// Tell a program that reads JSON why nothing could be begun; people have read it on standard error.
fn print_json_error(format: OutputFormat, error: &anyhow::Error, code: u8) {
    let kind = if code == 2 { "usage" } else { "internal" };
    let failure = TurnFailure { kind: kind.into(), message: describe_error_chain(error.as_ref()) };
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    // Standard output may be closed; there is nowhere else to say it.
    let _ =
        runtime.and_then(|runtime| runtime.block_on(report_failure(tokio::io::stdout(), format, None, failure, code)));
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.into_iter().any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}

fn start(flags: CliFlags, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
    allow_many_files(flags.max_connections());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(flags.run(environment));
    // Tasks still hold the log, which is closed when the last of them is dropped. What waits for a person has threads of
    // its own; only a system call that hangs has to be left behind.
    runtime.shutdown_timeout(LAST_TASKS);
    outcome
}

/// Make room for every connection that may be open, as far as the system lets us: the usual soft limit of 1,024 files
/// is spent by 1,024 sockets before the first log is opened. As many again may be on their
/// way out.
fn allow_many_files(connections: usize) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    const OWN_FILES: u64 = 512;
    // Connections that wait for a slot while others are judged.
    const WAITING: u64 = 8 * 1024;
    let wanted = 2 * connections as u64 + WAITING + OWN_FILES;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < wanted) {
        let reachable = limit.maximum.map_or(wanted, |maximum| wanted.min(maximum));
        // Where it is refused, the limit stands as it was and connections beyond it wait to be accepted.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(reachable), maximum: limit.maximum });
    }
}
