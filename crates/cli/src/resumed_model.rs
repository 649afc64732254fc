//! The model of a session that goes on: a flag's, else the one it was left with. What was said to one provider is not
//! sent to another because the usual model of this start is another.

use crate::runtime::ModelSelection;
use crate::settings::UsageError;
use pollux_session::SessionState;

/// The model of a resumed session.
pub(crate) struct ResumedModel {
    /// The model that answers where nobody has chosen one in the session.
    pub(crate) selection: ModelSelection,
    /// True if the session's own model can be had, by whatever name it was chosen.
    pub(crate) is_own: bool,
    /// A sentence if this start or the session would have had another one.
    pub(crate) note: Option<String>,
}

impl ResumedModel {
    /// By the model of this start, which `is_flag` if a flag names it, and what the session was `left` with. Work that the
    /// session's own model was to do is given to no other one: the start is refused then.
    pub(crate) fn choose(
        of_this_start: &ModelSelection,
        is_flag: bool,
        left: &SessionState,
    ) -> Result<ResumedModel, UsageError> {
        let (own, usual) = (left.equipment.model.as_str(), of_this_start.chosen.model.info().id);
        let as_started = |is_own, note| ResumedModel { selection: of_this_start.clone(), is_own, note };
        let has_chosen = left.model.as_ref().is_some_and(|name| of_this_start.models.resolve(name).is_ok());
        if is_flag || own.is_empty() || own == usual {
            let is_own = if left.model.is_some() { has_chosen } else { own == usual };
            return Ok(as_started(is_own, None));
        }
        // A model that was chosen in the session holds by itself, but for a turn that began before.
        let is_asked = left.model.is_none() || left.turn.as_ref().is_some_and(|turn| turn.model.is_none());
        match of_this_start.clone().with_model(own) {
            Ok(selection) => {
                let note = format!(
                    "This session goes on with {own}; a new one would begin with {usual}. To switch: /model NAME, or \
                     start with -m NAME."
                );
                let is_own = left.model.is_none() || has_chosen;
                Ok(ResumedModel { selection, is_own, note: is_asked.then_some(note) })
            }
            Err(_) if !is_asked => Ok(as_started(has_chosen, None)),
            Err(why) if has_work(left) => Err(UsageError(format!(
                "the session that is resumed has work left for {own}, which cannot be asked now: {why}; nothing was sent, \
                 and -m NAME gives the work to another model"
            ))),
            Err(why) => {
                let note = format!(
                    "This session was left with {own}, which cannot be asked now: {why}. The next prompt goes to {usual}; \
                     /model NAME or -m NAME chooses another model."
                );
                Ok(as_started(has_chosen, Some(note)))
            }
        }
    }
}

/// True if a model is asked as soon as the session wakes, or once an open ask is answered.
fn has_work(left: &SessionState) -> bool {
    left.turn.is_some() || left.compact_wanted.is_some() || left.queue.iter().any(|prompt| !prompt.held)
}
