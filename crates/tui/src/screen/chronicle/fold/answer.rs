//! What a person decided about a call, in words.

use super::{By, CallId, Chronicle, Edit, Entry, Event, Phase, Tone, View, Whose, given, name, reach_words};
use crate::render::choice_name;
use crate::sanitize::one_line;
use jiff::Timestamp;
use pollux_session::At;

impl Chronicle {
    pub(super) fn answered(&mut self, view: &View, id: CallId, entry: &Entry, whose: Whose) {
        let Event::Answered { choice, allows, edit, grant, reach, .. } = &entry.event else { return };
        let other = match (&entry.by, whose) {
            (by @ By::Client { .. }, Whose::Other) => Some(name(by, &view.me)),
            (By::Agent, _) | (By::Client { .. }, Whose::Typed | Whose::Earlier) => None,
        };
        let when = self.clock(entry.at);
        let answers = match edit {
            Some(Edit::Answers { answers }) => Some(given(view, id, answers)),
            Some(Edit::Content { .. }) | None => None,
        };
        let mut deed = match grant {
            Some(grant) => format!("allowed {} {}", one_line(&grant.to_string(), usize::MAX), reach_words(*reach)),
            None if choice != "proceed_once" => format!("chose: {}", choice_name(view, id, choice)),
            None if answers.is_some() => "answered".to_owned(),
            None => "allowed it once".to_owned(),
        };
        if matches!(edit, Some(Edit::Content { .. })) {
            deed.push_str(", with changes");
        }
        let Some(state) = self.call(id) else { return };
        if !allows {
            state.declined_by = other.map(|who| format!("{who} · {when}"));
            return;
        }
        state.phase = Phase::Ready;
        match other {
            Some(who) => state.remarks.push((Tone::Info, format!("{who} {deed} · {when}"))),
            // Of what was done here, what reaches no further than this call needs no line.
            None if ["allowed it once", "answered"].contains(&deed.as_str()) => {}
            None => state.remarks.push((Tone::Info, format!("you {deed}"))),
        }
        state.remarks.extend(answers.map(|answers| (Tone::Info, answers)));
    }

    /// The hour and minute where the person is.
    fn clock(&self, at: At) -> String {
        let ms = i64::try_from(at.0).unwrap_or(i64::MAX);
        let time = Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX);
        time.to_zoned(self.zone.clone()).strftime("%H:%M").to_string()
    }
}
