//! What a person decided about a call, in words.

use super::{
    AnswerEdit, CallId, CallProgress, Entry, EntryAuthor, EntryOrigin, Event, NoteTone, SeatView, TranscriptView,
    client_name, describe_answers, describe_reach,
};
use crate::render::choice_name;
use crate::sanitize::one_line;
use jiff::Timestamp;
use pollux_session::UnixMillis;

impl TranscriptView {
    pub(super) fn answered(&mut self, view: &SeatView, id: CallId, entry: &Entry, whose: EntryOrigin) {
        let Event::Answered { choice, allows, edit, grant, reach, .. } = &entry.event else { return };
        let other = match (&entry.by, whose) {
            (by @ EntryAuthor::Client { .. }, EntryOrigin::Other) => Some(client_name(by, &view.me)),
            (EntryAuthor::Agent, _) | (EntryAuthor::Client { .. }, EntryOrigin::Typed | EntryOrigin::Earlier) => None,
        };
        let when = self.local_time(entry.at);
        let answers = match edit {
            Some(AnswerEdit::Answers { answers }) => Some(describe_answers(view, id, answers)),
            Some(AnswerEdit::Content { .. }) | None => None,
        };
        let mut ui_effect = match grant {
            Some(grant) => format!("allowed {} {}", one_line(&grant.to_string(), usize::MAX), describe_reach(*reach)),
            None if choice != "proceed_once" => format!("chose: {}", choice_name(view, id, choice)),
            None if answers.is_some() => "answered".to_owned(),
            None => "allowed it once".to_owned(),
        };
        if matches!(edit, Some(AnswerEdit::Content { .. })) {
            ui_effect.push_str(", with changes");
        }
        let Some(state) = self.call(id) else { return };
        if !allows {
            state.declined_by = other.map(|who| format!("{who} · {when}"));
            return;
        }
        state.progress = CallProgress::Ready;
        match other {
            Some(who) => state.remarks.push((NoteTone::Info, format!("{who} {ui_effect} · {when}"))),
            // Of what was done here, what reaches no further than this call needs no line.
            None if ["allowed it once", "answered"].contains(&ui_effect.as_str()) => {}
            None => state.remarks.push((NoteTone::Info, format!("you {ui_effect}"))),
        }
        state.remarks.extend(answers.map(|answers| (NoteTone::Info, answers)));
    }

    /// The hour and minute where the person is.
    fn local_time(&self, at: UnixMillis) -> String {
        let ms = i64::try_from(at.0).unwrap_or(i64::MAX);
        let time = Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX);
        time.to_zoned(self.zone.clone()).strftime("%H:%M").to_string()
    }
}
