//! `/mode` for other programs: how freely tools run. The terminal has the same command. To change it is an approval, so it
//! goes to the session as a setting of whoever asks, with their rights, and not as a prompt.

use crate::errors::RequestError;
use crate::session_access::TaskHandle;
use pollux_session::{ApprovalMode, Command, CommandInfo, SessionSetting};
use uuid::Uuid;

/// The command.
const MODE: &str = "mode";

/// Every mode, and what it means.
const MODES: [(ApprovalMode, &str); 4] = [
    (ApprovalMode::Default, "Reading is allowed, everything else asks first"),
    (ApprovalMode::AutoEdit, "Editing files in the workspace is allowed, too; commands ask first"),
    (ApprovalMode::Plan, "Nothing may be changed: the agent reads and plans"),
    (ApprovalMode::Yolo, "Everything runs without asking"),
];

/// The command, with a sub-command for each mode.
pub(crate) fn mode_command() -> CommandInfo {
    let sub = |(mode, description): (ApprovalMode, &str)| CommandInfo {
        name: mode.name().into(),
        description: description.into(),
        ..CommandInfo::default()
    };
    CommandInfo {
        name: MODE.into(),
        description: "Set the approval mode of this session".into(),
        arguments: Vec::new(),
        subcommands: MODES.map(sub).into(),
    }
}

/// The mode that `path`, or what comes after it, chooses; `None` if it is another command.
pub(crate) fn wanted_mode(path: &[String], argument: &str) -> Option<Result<ApprovalMode, String>> {
    let (first, rest) = path.split_first()?;
    if first != MODE {
        return None;
    }
    let named = rest.first().map_or(argument.trim(), String::as_str);
    let found = MODES.iter().find(|(mode, _)| mode.name() == named).map(|(mode, _)| *mode);
    let names = MODES.map(|(mode, _)| mode.name()).join(", ");
    Some(found.ok_or_else(|| format!("there is no mode {named:?}; choose one of {names}")))
}

/// Set the mode of the session at `handle`, with the rights of its seat.
pub(crate) async fn set_mode(handle: &TaskHandle, mode: ApprovalMode) -> Result<(), RequestError> {
    handle.seat.send(Uuid::now_v7().into(), Command::Set { setting: SessionSetting::Mode(mode) }).await?;
    Ok(())
}
