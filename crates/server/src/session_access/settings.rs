//! The settings that a message may change: for a new session when it is opened, for one that exists only its model.

use crate::errors::RequestError;
use crate::feed::SessionFeeds;
use pollux_session::{
    ApprovalMode, Command, Refusal, Right, Seat, SessionOverrides, SessionSetting, SessionState, Who,
};
use pollux_wire::devtool::AgentSettings;
use uuid::Uuid;

/// The changes that `settings` make in a session that `who` opens. Running without asking is a standing approval.
pub(super) fn overrides(who: &Who, settings: &AgentSettings) -> Result<SessionOverrides, Refusal> {
    let mode = settings.auto_execute.unwrap_or_default().then_some(ApprovalMode::Yolo);
    let right = Right::Approve;
    if mode.is_some() && !who.rights.allow(right) {
        return Err(Refusal::NotAllowed { right });
    }
    Ok(SessionOverrides { mode, model: settings.model.clone(), ..SessionOverrides::default() })
}

/// Why a session that exists does not run as a message wants it, if it does not. To change that is an approval of its own,
/// which a setting that comes with a message is not.
pub(super) fn mode_conflict(state: &SessionState, auto_execute: bool) -> Option<String> {
    if auto_execute == (state.mode == ApprovalMode::Yolo) {
        return None;
    }
    let mode = state.mode.name();
    Some(format!(
        "`auto_execute` cannot change in a session that exists, and its mode is {mode}; leave it out, begin a new session, \
         or set the mode in a terminal that is at the session"
    ))
}

/// Have the wanted model answer from the next turn on, if another one does.
pub(super) async fn choose_model(
    feeds: &SessionFeeds,
    seat: &dyn Seat,
    settings: &AgentSettings,
) -> Result<(), RequestError> {
    let Some(wanted) = &settings.model else { return Ok(()) };
    let answering = feeds.newest_state(seat).await?;
    if answering.state.model.as_ref().unwrap_or(&answering.state.equipment.model) == wanted {
        return Ok(());
    }
    seat.send(Uuid::now_v7().into(), Command::Set { setting: SessionSetting::Model(wanted.clone()) }).await?;
    Ok(())
}
