//! The conversation as text: what the model is told and what a person reads back.

use crate::ask::{AnswerEdit, Ask};
use crate::call::{CallOutcome, MediaContent};
use crate::event::{Entry, EntryAuthor, Event, ItemKind, ModelUsage, TurnFailure, TurnOutcome};
use crate::events_about;
use crate::ids::{CallId, CommandId, ItemId, PromptId, Seq, TaskId, TurnId, UnixMillis};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most bytes kept of a running call's output.
const OUTPUT_TAIL: usize = 64 * 1024;

/// The fold of a session's entries into lines. Cloning is cheap: lines are shared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    lines: Vec<Arc<TranscriptLine>>,
    /// Where items and calls are, for entries that add to them.
    index: BTreeMap<Seq, usize>,
    turn: Option<(TurnId, TaskId, u32)>,
    /// The provider's name for the newest answer that is complete.
    response: Option<String>,
}

/// One thing that was said or done.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "every line is behind an Arc of its own")]
pub enum TranscriptLine {
    Prompt {
        id: PromptId,
        task: TaskId,
        by: EntryAuthor,
        /// When.
        at: UnixMillis,
        text: String,
        /// Pictures, documents and sounds that came with it.
        media: Vec<MediaContent>,
        /// Length in bytes of the output of a program at the beginning of the text; see [`TranscriptLine::own_words`].
        piped_len: usize,
        /// The id that its sender gave it, if that was kept.
        command: Option<CommandId>,
        /// The parts that it was made of, in the edge's words; none where text and media say it all.
        parts: Vec<Value>,
    },
    /// The turn that answers a prompt begins.
    Turn {
        id: TurnId,
        /// The prompt it answers.
        prompt: PromptId,
        task: TaskId,
        /// The model asked.
        model: String,
        /// The command that answers it instead: the model is told nothing of this turn.
        command: Option<String>,
    },
    /// A file or command output that the model is told with the prompt.
    Attachment {
        /// The entry that recorded it.
        id: Seq,
        task: TaskId,
        /// A name for people.
        name: String,
        /// The text for the model.
        text: String,
        /// Pictures and documents that the model is shown besides.
        media: Vec<MediaContent>,
    },
    /// Text or a thought of the model.
    Item {
        id: ItemId,
        task: TaskId,
        /// The model call it came from, from 1 in each turn.
        step: u32,
        /// Text or thought.
        kind: ItemKind,
        /// When it began.
        at: UnixMillis,
        /// All of it so far.
        text: String,
        /// True if it was cut short.
        cut: bool,
        /// Data that the provider attached to it.
        meta: Value,
    },
    /// A tool call.
    Call {
        id: CallId,
        task: TaskId,
        /// The model call it came from.
        step: u32,
        /// The superseded call it stands for.
        replaces: Option<CallId>,
        /// The running call it was made for: the model is not told of it.
        parent: Option<CallId>,
        /// The provider's name for the answer it came with.
        response: Option<String>,
        /// The tool's name.
        tool: String,
        /// Its arguments.
        args: Value,
        /// Data that the provider attached to it.
        meta: Value,
        /// When it was called.
        at: UnixMillis,
        ask: Option<Ask>,
        /// The option chosen, and by whom.
        decided: Option<(String, EntryAuthor)>,
        /// Runs instead of what was shown.
        edit: Option<AnswerEdit>,
        /// True if it has begun to run.
        started: bool,
        /// The newest part of what it printed.
        output: String,
        /// Bytes of output before `output`.
        output_cut: u64,
        outcome: Option<CallOutcome>,
    },
    /// A model call is tried again.
    Retry {
        /// Why, in words.
        reason: String,
        /// The attempt that comes next.
        attempt: u32,
        wait_ms: u64,
    },
    /// Another model is asked from now on.
    FellBack {
        /// The model that was asked.
        from: String,
        /// The one that is asked instead.
        to: String,
        /// Why, in words.
        why: String,
    },
    /// A model call is over.
    Step {
        /// The entry that says so.
        seq: Seq,
        /// The task it worked for.
        task: Option<TaskId>,
        /// Why it stopped.
        finish: String,
        usage: ModelUsage,
        /// Sources it cites.
        citations: Vec<String>,
    },
    /// A model was asked on the side: for a summary, or by a running call.
    Spent {
        /// The model, where it is not the one that answers.
        model: Option<String>,
        usage: ModelUsage,
    },
    /// For the model, what came before an entry is a summary.
    Summary {
        /// The first entry that is still told as it is.
        before: Seq,
        text: String,
        /// True if it was taken back.
        undone: bool,
    },
    /// For the model, what came after an entry and before this line did not happen.
    Rewound {
        /// The newest entry that is still told.
        to: Seq,
    },
    /// The conversation was to be compacted and could not be.
    NoSummary { why: String },
    /// The turn is over.
    End {
        turn: TurnId,
        task: TaskId,
        /// When.
        at: UnixMillis,
        outcome: TurnOutcome,
    },
}

impl TranscriptLine {
    /// The entry it began with; `None` for marks between other lines.
    pub fn seq(&self) -> Option<Seq> {
        match self {
            TranscriptLine::Prompt { id, .. } => Some(id.0),
            TranscriptLine::Turn { id, .. } => Some(id.0),
            TranscriptLine::Attachment { id, .. } => Some(*id),
            TranscriptLine::Item { id, .. } => Some(id.0),
            TranscriptLine::Call { id, .. } => Some(id.0),
            TranscriptLine::Retry { .. }
            | TranscriptLine::FellBack { .. }
            | TranscriptLine::Step { .. }
            | TranscriptLine::Spent { .. }
            | TranscriptLine::Summary { .. }
            | TranscriptLine::Rewound { .. }
            | TranscriptLine::NoSummary { .. }
            | TranscriptLine::End { .. } => None,
        }
    }
}

impl TranscriptLine {
    /// The part of a prompt that its sender has written themselves: commands and mentions count only there. `None` for
    /// other lines.
    pub fn own_words(&self) -> Option<&str> {
        match self {
            TranscriptLine::Prompt { text, piped_len, .. } => Some(text.get(*piped_len..).unwrap_or_default()),
            _ => None,
        }
    }
}

impl Transcript {
    /// The fold of `entries`.
    pub fn fold<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Transcript {
        let mut transcript = Transcript::default();
        for entry in entries {
            transcript.apply(entry);
        }
        transcript
    }

    /// All lines, oldest first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &TranscriptLine> {
        self.lines.iter().map(Arc::as_ref)
    }

    /// The summary that stands for the conversation before an entry, if one does.
    pub fn summary(&self) -> Option<(Seq, &str)> {
        self.told().into_iter().rev().find_map(|line| match line {
            TranscriptLine::Summary { before, text, undone: false } => Some((*before, text.as_str())),
            _ => None,
        })
    }

    /// The lines that the model may be told of, oldest first: without what was rewound and what commands answered. All
    /// prompts are among them, for some of them still wait for their turn. A command hands its turn to the model by
    /// attaching what the model is to do: from there on the turn is told like any other.
    pub fn told(&self) -> Vec<&TranscriptLine> {
        told_of(&self.lines)
    }

    /// The conversation before an entry, marks and all.
    pub fn until(&self, before: Seq) -> Transcript {
        let first = self.lines.iter().position(|line| line.seq().is_some_and(|seq| seq >= before));
        let kept = first.unwrap_or(self.lines.len());
        let index = self.index.iter().filter(|(_, place)| **place < kept).map(|(seq, place)| (*seq, *place)).collect();
        Transcript { lines: self.lines[..kept].to_vec(), index, turn: None, response: None }
    }

    /// The failure the newest turn ended with.
    pub fn last_failure(&self) -> Option<&TurnFailure> {
        self.lines()
            .rev()
            .find_map(|line| match line {
                TranscriptLine::End { outcome, .. } => Some(outcome),
                _ => None,
            })
            .and_then(|outcome| match outcome {
                TurnOutcome::Failed { failure } => Some(failure),
                TurnOutcome::Rested | TurnOutcome::Cancelled => None,
            })
    }

    /// Fold more entries in.
    pub fn apply_all(&mut self, entries: &[Arc<Entry>]) {
        entries.iter().for_each(|entry| self.apply(entry));
    }

    /// Fold one more entry in.
    pub fn apply(&mut self, entry: &Entry) {
        let (seq, at) = (entry.seq, entry.at);
        match &entry.event {
            Event::Prompted { task, text, media, piped_len, command, parts, .. } => {
                let (by, text, media, command) = (entry.by.clone(), text.clone(), media.clone(), command.clone());
                let (id, task, piped_len, parts) = (PromptId(seq), *task, *piped_len, parts.clone());
                self.open(seq, TranscriptLine::Prompt { id, task, by, at, text, media, piped_len, command, parts });
            }
            Event::Requeued { prompt, text } => self.change(prompt.0, |line| {
                if let TranscriptLine::Prompt { text: old, piped_len, parts, .. } = line {
                    // What was piped may be anywhere in the new text, unless it still stands at its beginning.
                    if !old.get(..*piped_len).is_some_and(|piped| text.starts_with(piped)) {
                        *piped_len = text.len();
                    }
                    old.clone_from(text);
                    // They say what is not said any more.
                    parts.clear();
                }
            }),
            Event::Unqueued { prompt } => self.remove(prompt.0),
            Event::TurnStarted { prompt, task, model, .. } => {
                let id = TurnId(seq);
                self.turn = Some((id, *task, 1));
                let (prompt, task, model) = (*prompt, *task, model.clone());
                self.open(seq, TranscriptLine::Turn { id, prompt, task, model, command: None });
            }
            Event::Commanded { name } => {
                if let Some((turn, ..)) = self.turn {
                    self.change(turn.0, |line| {
                        if let TranscriptLine::Turn { command, .. } = line {
                            *command = Some(name.clone());
                        }
                    });
                }
            }
            Event::Rewound { to } => self.lines.push(Arc::new(TranscriptLine::Rewound { to: *to })),
            Event::Attached { name, text, media, .. } => {
                if let Some((_, task, _)) = self.turn {
                    let (name, text, media) = (name.clone(), text.clone(), media.clone());
                    self.lines.push(Arc::new(TranscriptLine::Attachment { id: seq, task, name, text, media }));
                }
            }
            Event::Said { kind, text, .. } => {
                if let Some((_, task, step)) = self.turn {
                    let (id, kind, text) = (ItemId(seq), *kind, text.clone());
                    self.open(
                        seq,
                        TranscriptLine::Item { id, task, step, kind, at, text, cut: false, meta: Value::Null },
                    );
                }
            }
            Event::Piece { item, text, .. } => self.change(item.0, |line| {
                if let TranscriptLine::Item { text: so_far, .. } = line {
                    so_far.push_str(text);
                }
            }),
            Event::ItemEnded { item, cut, meta, .. } => self.change(item.0, |line| {
                if let TranscriptLine::Item { cut: was_cut, meta: attached, .. } = line {
                    *was_cut = *cut;
                    attached.clone_from(meta);
                }
            }),
            Event::Retrying { reason, attempt, wait_ms } => {
                let line = TranscriptLine::Retry { reason: reason.clone(), attempt: *attempt, wait_ms: *wait_ms };
                self.lines.push(Arc::new(line));
            }
            Event::FellBack { from, to, why } => {
                let line = TranscriptLine::FellBack { from: from.clone(), to: to.clone(), why: why.clone() };
                self.lines.push(Arc::new(line));
            }
            Event::StepEnded { finish, usage, citations, response } => {
                self.response.clone_from(response);
                let (seq, task) = (entry.seq, entry.task.map(|(task, _)| task));
                let (finish, usage, citations) = (finish.clone(), *usage, citations.clone());
                let line = TranscriptLine::Step { seq, task, finish, usage, citations };
                self.lines.push(Arc::new(line));
                if let Some((.., step)) = &mut self.turn {
                    *step += 1;
                }
            }
            Event::Called { tool, args, meta, replaces, parent } => {
                if let Some((_, task, step)) = self.turn {
                    self.open(
                        seq,
                        TranscriptLine::Call {
                            id: CallId(seq),
                            task,
                            // Calls are recorded after the step that made them has ended.
                            step: step - 1,
                            replaces: *replaces,
                            parent: *parent,
                            response: self.response.clone().filter(|_| parent.is_none()),
                            tool: tool.clone(),
                            args: args.clone(),
                            meta: meta.clone(),
                            at,
                            ask: None,
                            decided: None,
                            edit: None,
                            started: false,
                            output: String::new(),
                            output_cut: 0,
                            outcome: None,
                        },
                    );
                }
            }
            Event::Asked { call, ask: shown, .. } => self.change(call.0, |line| {
                if let TranscriptLine::Call { ask, .. } = line {
                    *ask = Some(shown.clone());
                }
            }),
            Event::Answered { call, choice, edit: change, .. } => self.change(call.0, |line| {
                if let TranscriptLine::Call { decided, edit, .. } = line {
                    *decided = Some((choice.clone(), entry.by.clone()));
                    edit.clone_from(change);
                }
            }),
            Event::CallStarted { call } => self.change(call.0, |line| {
                if let TranscriptLine::Call { started, .. } = line {
                    *started = true;
                }
            }),
            Event::Output { call, offset, text } => self.change(call.0, |line| {
                if let TranscriptLine::Call { output, output_cut, .. } = line {
                    append_tail(output, output_cut, *offset, text);
                }
            }),
            Event::CallEnded { call, outcome: end } => self.change(call.0, |line| {
                if let TranscriptLine::Call { outcome, .. } = line {
                    *outcome = Some(end.clone());
                }
            }),
            Event::Spent { model, usage, .. } => {
                self.lines.push(Arc::new(TranscriptLine::Spent { model: Some(model.clone()), usage: *usage }));
            }
            Event::Compacted { before, summary, usage, .. } => {
                self.lines.push(Arc::new(TranscriptLine::Spent { model: None, usage: *usage }));
                let line = TranscriptLine::Summary { before: *before, text: summary.clone(), undone: false };
                self.lines.push(Arc::new(line));
            }
            Event::NotCompacted { why } => self.lines.push(Arc::new(TranscriptLine::NoSummary { why: why.clone() })),
            Event::Uncompacted => {
                if let Some(at) = self.newest_summary()
                    && let TranscriptLine::Summary { undone, .. } = Arc::make_mut(&mut self.lines[at])
                {
                    *undone = true;
                }
            }
            Event::TurnEnded { outcome } => {
                if let Some((turn, task, _)) = self.turn.take() {
                    self.lines.push(Arc::new(TranscriptLine::End { turn, task, at, outcome: outcome.clone() }));
                }
            }
            events_about!(session, tasks)
            | Event::Released
            | Event::Allowed { .. }
            | Event::Checkpointed(_)
            | Event::AskKept { .. }
            | Event::Deferred { .. }
            | Event::CompactWanted => {}
        }
    }

    /// Where the newest summary is that stands for a part of the conversation as it is told. An earlier release also took one
    /// back that did not.
    fn newest_summary(&self) -> Option<usize> {
        let stands = |line: &TranscriptLine| matches!(line, TranscriptLine::Summary { undone: false, .. });
        let told = self.told().into_iter().rev().find(|line| stands(line));
        let in_force = told.and_then(|told| self.lines.iter().rposition(|line| std::ptr::eq(Arc::as_ptr(line), told)));
        in_force.or_else(|| self.lines.iter().rposition(|line| stands(line)))
    }

    fn open(&mut self, seq: Seq, line: TranscriptLine) {
        self.index.insert(seq, self.lines.len());
        self.lines.push(Arc::new(line));
    }

    fn change(&mut self, seq: Seq, edit: impl FnOnce(&mut TranscriptLine)) {
        if let Some(line) = self.index.get(&seq).and_then(|at| self.lines.get_mut(*at)) {
            edit(Arc::make_mut(line));
        }
    }

    fn remove(&mut self, seq: Seq) {
        if let Some(at) = self.index.remove(&seq) {
            self.lines.remove(at);
            for later in self.index.values_mut().filter(|place| **place > at) {
                *later -= 1;
            }
        }
    }
}

/// Those of `lines` that the model may be told of. What was rewound is told as it was at that entry: a rewind that came
/// after it did not happen either, so going back can be undone.
fn told_of(lines: &[Arc<TranscriptLine>]) -> Vec<&TranscriptLine> {
    let mut told: Vec<&TranscriptLine> = Vec::with_capacity(lines.len());
    let mut commanded: Option<&TranscriptLine> = None;
    for (at, line) in lines.iter().map(Arc::as_ref).enumerate() {
        match line {
            TranscriptLine::Rewound { to } => {
                let before = &lines[..at];
                let is_later = |line: &Arc<TranscriptLine>| line.seq().is_some_and(|seq| seq > *to);
                let (kept, later) = before.split_at(before.iter().position(is_later).unwrap_or(at));
                let waiting =
                    later.iter().map(Arc::as_ref).filter(|line| matches!(line, TranscriptLine::Prompt { .. }));
                told = told_of(kept);
                told.extend(waiting);
            }
            // For whoever counts; no part of the conversation.
            TranscriptLine::Spent { .. } => {}
            TranscriptLine::Turn { command: Some(_), .. } => commanded = Some(line),
            TranscriptLine::End { .. } if commanded.is_some() => commanded = None,
            TranscriptLine::Attachment { .. } if commanded.is_some() => {
                told.extend(commanded.take());
                told.push(line);
            }
            // A command may have a summary made.
            TranscriptLine::Prompt { .. } | TranscriptLine::Summary { .. } | TranscriptLine::NoSummary { .. } => {
                told.push(line);
            }
            _ if commanded.is_some() => {}
            line => told.push(line),
        }
    }
    told
}

/// Append a piece of output at `offset`, keeping the newest [`OUTPUT_TAIL`] bytes. `cut` counts the bytes before them.
pub(crate) fn append_tail(output: &mut String, cut: &mut u64, offset: u64, text: &str) {
    if offset > *cut + output.len() as u64 {
        output.clear();
        *cut = offset;
    }
    output.push_str(text);
    if output.len() > OUTPUT_TAIL {
        let keep_from = (output.len() - OUTPUT_TAIL..=output.len()).find(|at| output.is_char_boundary(*at));
        let dropped = keep_from.unwrap_or(output.len());
        output.drain(..dropped);
        *cut += dropped as u64;
    }
}
