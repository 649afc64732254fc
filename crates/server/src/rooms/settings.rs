//! What a message may set: for a new session when it is opened, for one that exists only its model.

use crate::errors::Fault;
use crate::feed::Feeds;
use pollux_session::{Command, Fingerprint, Mode, Overrides, Refusal, Right, Seat, Setting, State, Who};
use pollux_wire::devtool::AgentSettings;
use uuid::Uuid;

/// What `settings` change in a session that `who` opens. Running without asking is a standing approval.
pub(super) fn overrides(who: &Who, settings: &AgentSettings) -> Result<Overrides, Refusal> {
    let mode = settings.auto_execute.unwrap_or_default().then_some(Mode::Yolo);
    let right = Right::Approve;
    if mode.is_some() && !who.rights.allow(right) {
        return Err(Refusal::NotAllowed { right });
    }
    Ok(Overrides { mode, model: settings.model.clone(), ..Overrides::default() })
}

/// Why a session that exists does not run as a message wants it, if it does not. To change that is an approval of its own,
/// which a setting that comes with a message is not.
pub(super) fn mode_conflict(state: &State, auto_execute: bool) -> Option<String> {
    if auto_execute == (state.mode == Mode::Yolo) {
        return None;
    }
    let mode = state.mode.name();
    Some(format!(
        "`auto_execute` cannot change in a session that exists, and its mode is {mode}; leave it out, begin a new session, \
         or set the mode in a terminal that is at the session"
    ))
}

/// Have the wanted model answer from the next turn on, if another one does. A message that was accepted before,
/// known by its `fingerprint`, sets nothing again.
pub(super) async fn choose_model(
    feeds: &Feeds,
    seat: &dyn Seat,
    settings: &AgentSettings,
    fingerprint: Option<&Fingerprint>,
) -> Result<(), Fault> {
    let Some(wanted) = &settings.model else { return Ok(()) };
    let state = feeds.at_head(seat).await?.state;
    let model = state.model.as_ref().unwrap_or(&state.equipment.model);
    if model == wanted || fingerprint.is_some_and(|known| state.receipt(known).is_some()) {
        return Ok(());
    }
    seat.send(Uuid::now_v7().into(), Command::Set { setting: Setting::Model(wanted.clone()) }).await?;
    Ok(())
}
