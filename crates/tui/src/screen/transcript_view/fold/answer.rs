//! What a person decided about a call, in words.

use super::{AnswerEdit, CallId, CallProgress, Entry, EntryOrigin, Event, NoteTone, TranscriptView, describe_answers};
use crate::seat_view::SeatView;
use jiff::Timestamp;
use pollux_session::{UnixMillis, describe_answer};

impl TranscriptView {
    pub(super) fn answered(&mut self, view: &SeatView, id: CallId, entry: &Entry, whose: EntryOrigin) {
        let Event::Answered { allows, edit, .. } = &entry.event else { return };
        let other = view.context(entry, whose).other_name();
        let when = self.local_time(entry.at);
        let answers = match edit {
            Some(AnswerEdit::Answers { answers }) => {
                let ask = view.call(id).and_then(|call| call.ask.as_ref());
                Some(describe_answers(ask.map(|ask| &ask.details), answers))
            }
            Some(AnswerEdit::Content { .. }) | None => None,
        };
        let words = describe_answer(&view.state, &entry.event).unwrap_or_default();
        let Some(state) = self.call(id) else { return };
        if !allows {
            state.declined_by = other.map(|who| format!("{who} · {when}"));
            return;
        }
        state.progress = CallProgress::Ready;
        match other {
            Some(who) => state.remarks.push((NoteTone::Info, format!("{who} {words} · {when}"))),
            // Of what was done here, what reaches no further than this call needs no line.
            None if ["allowed it once", "answered"].contains(&words.as_str()) => {}
            None => state.remarks.push((NoteTone::Info, format!("you {words}"))),
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
