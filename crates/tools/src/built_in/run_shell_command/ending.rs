//! The end of a command, in words for the model.

use crate::background::{BackgroundProcessHandle, BackgroundProcessState};
use crate::output::CollectedOutput;
use pollux_session::{CallError, CallOutcome, CallResult, ResultDisplay};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// The note to a model that was not given everything, when that could not be kept for it.
const REST: &str = "[To see what was left out, run the command again with its output filtered, or sent to a file that \
                    read_file then shows in parts.]\n";

/// The lines of output that the call returns that starts a command in the background.
const FIRST_LINES: usize = 100;

/// The end of a command.
pub(super) enum ShellCommandEnding {
    /// The shell ended by itself.
    Exited(ExitStatus, LeftoverProcesses),
    /// It printed nothing for this long and was stopped.
    Silent(Duration),
    /// It printed more than this many bytes and was stopped.
    Flooding(u64),
}

/// Processes in the background when the shell ended.
pub(super) enum LeftoverProcesses {
    None,
    /// They end with the call.
    Stopped,
}

impl ShellCommandEnding {
    /// The outcome of the call, which says what was `left_out`. A command that ran to its end succeeded as a call, whatever its
    /// exit code.
    pub(super) fn outcome(self, captured: CollectedOutput, left_out: Option<String>) -> CallOutcome {
        let mut result = CallResult { text: captured.text, whole: captured.whole, ..CallResult::default() };
        if result.text.is_empty() {
            result.text.push_str("(no output)");
        }
        if !result.text.ends_with('\n') {
            result.text.push('\n');
        }
        match captured.file {
            Some(file) => result.text.push_str(&format!("{file}\n")),
            None => {
                if let Some(whole) = &result.whole {
                    result.text.push_str(&format!("[All {} bytes of output are kept for the person.]\n", whole.len));
                }
                result.text.push_str(if captured.cut { REST } else { "" });
            }
        }
        result.text.extend(left_out.map(|left_out| format!("{left_out}\n")));
        let message = match self {
            ShellCommandEnding::Exited(status, leftovers) => {
                if let LeftoverProcesses::Stopped = leftovers {
                    result.text.push_str("[Background processes were stopped when the command ended.]\n");
                }
                match (status.code(), status.signal()) {
                    (Some(code), _) => {
                        if code != 0 {
                            result.text.push_str(&format!("Exit code: {code}\n"));
                        }
                        result.exit_code = Some(code);
                        return CallOutcome::Succeeded { result };
                    }
                    (None, Some(signal)) => format!("the command was ended by signal {signal}"),
                    (None, None) => "the command ended without an exit code".to_owned(),
                }
            }
            ShellCommandEnding::Silent(limit) => {
                format!("the command printed nothing for {} and was stopped", seconds(limit))
            }
            ShellCommandEnding::Flooding(limit) => {
                format!("the command printed more than {limit} bytes and was stopped; send long output to a file")
            }
        };
        CallOutcome::Failed { error: CallError { kind: "shell_execute_error".into(), message }, result: Some(result) }
    }
}

fn seconds(time: Duration) -> String {
    format!("{} seconds", time.as_secs_f64())
}

/// The result of a command that was left to itself: for the model, and in short for the person, whose screen shows no
/// output of it otherwise.
pub(super) fn background_result(process: &BackgroundProcessHandle) -> io::Result<CallResult> {
    let (output, _) = process.tail(FIRST_LINES)?;
    let (pid, state) = (process.pid, process.state());
    let exit_code = match state {
        BackgroundProcessState::Running | BackgroundProcessState::Ended(None) => None,
        BackgroundProcessState::Ended(Some(status)) => status.code(),
    };
    let (head, seen) = match state {
        BackgroundProcessState::Running => (
            format!(
                "The command runs in the background as process {pid}. read_background_output with this pid shows what \
                 it prints; `kill -- -{pid}` ends it. All of it goes to the file `{}`, which read_file and grep_search can \
                 open.",
                process.path.display()
            ),
            format!("runs on as process {pid}"),
        ),
        // The code is shown by itself.
        BackgroundProcessState::Ended(_) if exit_code.is_some() => {
            (format!("The command has ended already: {state}."), String::new())
        }
        BackgroundProcessState::Ended(_) => (format!("The command has ended already: {state}."), state.to_string()),
    };
    let display = ResultDisplay::Text { text: format!("{seen}\n{output}").trim().to_owned() };
    let output = if output.is_empty() { "(no output)\n".to_owned() } else { output };
    let text = format!("{head} Its output so far:\n{output}");
    Ok(CallResult { text, exit_code, display: Some(display), ..CallResult::default() })
}
