//! The life of a call, from the moment it is wanted.

use super::item::{CallProgress, CallRemark, CallView, ItemContent, OutputTail};
use super::{SessionView, call_item};
use crate::ask::AnswerEdit;
use crate::built_in_tool::BuiltInTool;
use crate::call::{CallOutcome, ToolKind};
use crate::describe::{
    EntryOrigin, EventNote, NoteTone, REPLACED_CALL_SENTENCE, describe_aftermath, describe_answer, describe_answers,
    describe_target, short_name,
};
use crate::event::{Entry, Event};
use crate::events_about;
use crate::ids::{CallId, Seq, UnixMillis};
use serde_json::Value;

/// The most remarks on one call. A session has no more than a few; a server elsewhere may say what it likes.
const MOST_REMARKS: usize = 64;

impl SessionView {
    /// The events of a call. `notes` is what is said about the entry.
    pub(super) fn fold_call(&mut self, entry: &Entry, origin: EntryOrigin, notes: Vec<EventNote>) {
        match &entry.event {
            Event::Called { tool, args, replaces, parent, .. } => {
                self.begin_call(entry, tool, args, *replaces, *parent);
            }
            Event::Allowed { call, kind, .. } => {
                for EventNote { tone, text, .. } in notes {
                    self.remark_on_call(*call, entry.seq, tone, text, None);
                }
                self.vet_call(*call, entry.seq, *kind, CallProgress::Ready);
            }
            Event::Asked { call, kind, ask, .. } => {
                self.vet_call(*call, entry.seq, *kind, CallProgress::Asking);
                self.change_call(*call, entry.seq, |call| call.ask = Some(ask.clone()));
            }
            Event::Answered { call, allows, edit, .. } => {
                self.answer_call(entry, origin, *call, *allows, edit.as_ref());
            }
            Event::CallStarted { call } => self.change_call(*call, entry.seq, |call| {
                call.progress = CallProgress::Running;
                call.started_at = Some(entry.at);
            }),
            Event::Output { call, offset, text } => {
                let most = self.limits.output_bytes;
                self.change_call(*call, entry.seq, |call| call.output.push(*offset, text, most));
            }
            Event::CallEnded { call, outcome } => {
                self.end_call(*call, entry, Some(outcome));
                // A list that the tool refused is not the agent's.
                if matches!(outcome, CallOutcome::Succeeded { .. })
                    && let Some(call) = self.call(*call)
                    && call.tool == BuiltInTool::WriteTodos.name()
                {
                    self.todos = Some(call.args.clone());
                }
            }
            // Those of no call.
            events_about!(session, tasks, queue, turn, text, model, context)
            | Event::Checkpointed(_)
            | Event::AskKept { .. }
            | Event::Deferred { .. }
            | Event::Spent { .. } => {}
        }
    }

    /// Change a call that is not over.
    pub(super) fn change_call(&mut self, id: CallId, seq: Seq, change: impl FnOnce(&mut CallView)) {
        if self.open_calls.contains(&id) {
            self.tail.change(call_item(id), seq, |item| {
                if let ItemContent::Call(call) = &mut item.content {
                    change(call);
                }
            });
        }
    }

    /// Say something about a call that is not over.
    pub(super) fn remark_on_call(
        &mut self,
        id: CallId,
        seq: Seq,
        tone: NoteTone,
        text: String,
        at: Option<UnixMillis>,
    ) {
        self.change_call(id, seq, |call| {
            if call.remarks.len() < MOST_REMARKS {
                call.remarks.push(CallRemark { tone, text, at });
            }
        });
    }

    fn begin_call(
        &mut self,
        entry: &Entry,
        tool: &str,
        args: &Value,
        replaces: Option<CallId>,
        parent: Option<CallId>,
    ) {
        let parent = parent.filter(|parent| self.open_calls.contains(parent));
        let depth = parent.and_then(|parent| self.call_view(parent)).map_or(0, |above| above.depth + 1);
        if let Some(old) = replaces {
            self.remark_on_call(old, entry.seq, NoteTone::Info, REPLACED_CALL_SENTENCE.to_owned(), None);
        }
        let call = CallView {
            call: CallId(entry.seq),
            parent,
            depth,
            tool: tool.to_owned(),
            args: args.clone(),
            kind: ToolKind::default(),
            name: short_name(tool, args),
            about: describe_target(args, self.state.opened.as_ref().map_or("", |opened| &opened.workspace)),
            progress: CallProgress::Vetting,
            ask: None,
            remarks: Vec::new(),
            declined: None,
            is_saved_before: false,
            output: OutputTail::default(),
            started_at: None,
            ended_at: None,
            outcome: None,
        };
        self.open_calls.insert(call.call);
        self.tail.push(call_item(call.call), entry.at, false, ItemContent::Call(Box::new(call)));
    }

    fn vet_call(&mut self, id: CallId, seq: Seq, kind: ToolKind, progress: CallProgress) {
        self.change_call(id, seq, |call| {
            call.kind = kind;
            call.progress = progress;
            // What it says to the person is in its ask or in its result.
            if kind == ToolKind::Converse {
                call.about.clear();
            }
        });
    }

    fn answer_call(&mut self, entry: &Entry, origin: EntryOrigin, id: CallId, allows: bool, edit: Option<&AnswerEdit>) {
        let other = self.context(entry, origin).other_name();
        if !allows {
            let declined = other.map(|who| (who, entry.at));
            return self.change_call(id, entry.seq, |call| call.declined = declined);
        }
        let answers = match edit {
            Some(AnswerEdit::Answers { answers }) => {
                let ask = self.call(id).and_then(|call| call.ask.as_ref());
                Some(describe_answers(ask.map(|ask| &ask.details), answers))
            }
            Some(AnswerEdit::Content { .. } | AnswerEdit::Files { .. }) | None => None,
        };
        let words = describe_answer(&self.state, &entry.event).unwrap_or_default();
        self.change_call(id, entry.seq, |call| call.progress = CallProgress::Ready);
        match other {
            Some(who) => {
                self.remark_on_call(id, entry.seq, NoteTone::Info, format!("{who} {words}"), Some(entry.at));
            }
            // Of what the reader did, what reaches no further than this call needs no line.
            None if ["allowed it once", "answered"].contains(&words.as_str()) => {}
            None => self.remark_on_call(id, entry.seq, NoteTone::Info, format!("you {words}"), None),
        }
        if let Some(answers) = answers {
            self.remark_on_call(id, entry.seq, NoteTone::Info, answers, None);
        }
    }

    /// A call is over; `outcome` is `None` when the log does not say how.
    pub(super) fn end_call(&mut self, id: CallId, entry: &Entry, outcome: Option<&CallOutcome>) {
        if let Some(aftermath) = outcome.and_then(describe_aftermath) {
            self.remark_on_call(id, entry.seq, NoteTone::Info, aftermath.to_owned(), None);
        }
        let outcome = outcome.cloned();
        self.change_call(id, entry.seq, |call| {
            call.progress = CallProgress::Ended;
            call.ended_at = outcome.is_some().then_some(entry.at);
            call.outcome = outcome;
        });
        if self.open_calls.remove(&id) {
            self.tail.change(call_item(id), entry.seq, |item| item.settled = true);
        }
    }
}
