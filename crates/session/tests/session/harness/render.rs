//! Entries as lines: number, who, what happened.

use super::task;
use pollux_session::{
    AnswerEdit, CallOutcome, Effect, Entry, EntryAuthor, Event, GrantScope, ItemKind, SessionSetting, SessionState,
    TaskId, TurnOutcome, next,
};

/// One entry, one line.
pub(super) fn entry(entry: &Entry) -> String {
    let by = match &entry.by {
        EntryAuthor::Agent => "agent",
        EntryAuthor::Client { label, .. } => label,
    };
    format!("{:>2} {by:<5} {}", entry.seq.0, event(&entry.event))
}

/// The effects that are owed, or what the session waits for instead.
pub(super) fn owed(state: &SessionState) -> String {
    let owed: Vec<String> = next(state)
        .into_iter()
        .map(|effect| match effect {
            Effect::Think { step, .. } => format!("think {step}"),
            Effect::Vet { call, revision, again: false } => format!("vet {call} under {revision}"),
            Effect::Vet { call, revision, again: true } => format!("vet {call} again under {revision}"),
            Effect::Run { call } => format!("run {call}"),
            Effect::Compact { wanted } => format!("compact for {wanted}"),
            Effect::Keep { answer } => format!("keep {answer}"),
        })
        .collect();
    match owed.is_empty() {
        true if state.only_asks_remain() => "nothing but answers".into(),
        true if state.held().next().is_some() => "nothing while held".into(),
        true => "nothing".into(),
        false => owed.join(", "),
    }
}

fn name(id: TaskId) -> String {
    if id == task(0) { "main".into() } else { format!("task {}", id.0.as_u128()) }
}

fn event(event: &Event) -> String {
    match event {
        Event::Opened(opened) => format!("opened {}", opened.workspace),
        Event::Equipped(equipment) => format!("equipped {}", equipment.model),
        Event::Set { setting: SessionSetting::Mode(mode) } => format!("mode {}", mode.name()),
        Event::Set { setting: SessionSetting::Model(model) } => format!("model {model}"),
        Event::Set { setting: SessionSetting::EditsAsk } => "file changes ask again".into(),
        Event::Set { setting: SessionSetting::WithoutGrant(grant) } => format!("without {grant}"),
        Event::Prompted { task, kind, text, .. } => format!("prompted {} ({kind:?}) {text:?}", name(*task)),
        Event::TaskOpened { task, kind, edge } => format!("opened {} ({kind:?}) {edge}", name(*task)),
        Event::Unqueued { prompt } => format!("unqueued {prompt}"),
        Event::Requeued { prompt, text } => format!("requeued {prompt} {text:?}"),
        Event::Released => "released".into(),
        Event::TurnStarted { prompt, model, mode, .. } => {
            format!("turn starts on {prompt} with {model}, {}", mode.name())
        }
        Event::Attached { name, text, .. } => format!("attaches {name} {text:?}"),
        Event::Said { kind, text, .. } => match kind {
            ItemKind::Text => format!("says {text:?}"),
            ItemKind::Thought => format!("thinks {text:?}"),
        },
        Event::Piece { item, offset, text } => format!("{item} at {offset} {text:?}"),
        Event::ItemEnded { item, len, cut, meta } => {
            let how = if *cut { "cut" } else { "ends" };
            let meta = if meta.is_null() { String::new() } else { format!(" with {meta}") };
            format!("{item} {how} at {len}{meta}")
        }
        Event::Retrying { reason, attempt, wait_ms } => format!("retries {reason:?}, attempt {attempt} in {wait_ms}"),
        Event::Commanded { name } => format!("is answered by {name}"),
        Event::Rewound { to } => format!("rewinds to {}", to.0),
        Event::Checkpointed(checkpoint) => format!("{} is saved before {}", checkpoint.name, checkpoint.call),
        Event::FellBack { from, to, why } => format!("{to} answers instead of {from}: {why}"),
        Event::StepEnded { finish, .. } => format!("step ends {finish}"),
        Event::Called { tool, args, replaces, parent, .. } => {
            let stands_for = replaces.map_or(String::new(), |call| format!(" for {call}"));
            let within = parent.map_or(String::new(), |call| format!(" within {call}"));
            format!("calls {tool} {}{stands_for}{within}", args["about"].as_str().unwrap_or_default())
        }
        Event::Allowed { call, .. } => format!("{call} allowed"),
        Event::Asked { call, revision, .. } => format!("{call} asks under {revision}"),
        Event::Deferred { call } => format!("{call} waits for the calls before it"),
        Event::AskKept { call, revision } => format!("{call} still asks under {revision}"),
        Event::Answered { call, choice, edit, grant, reach, .. } => {
            let edit = match edit {
                Some(AnswerEdit::Content { new }) => format!(", edited {new:?}"),
                Some(AnswerEdit::Answers { answers }) => format!(", with {answers}"),
                Some(AnswerEdit::Files { files }) => {
                    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
                    format!(", edited {}", paths.join(" and "))
                }
                None => String::new(),
            };
            let grant = match (grant, reach) {
                (None, _) => "",
                (Some(_), GrantScope::Session) => ", granted",
                (Some(_), GrantScope::Workspace) => ", granted in the workspace",
                (Some(_), GrantScope::Always) => ", granted for good",
            };
            format!("{call} answered {choice}{edit}{grant}")
        }
        Event::Kept { grant, failure: None, .. } => format!("kept: {grant}"),
        Event::Kept { grant, failure: Some(why), .. } => format!("not kept: {grant}: {why}"),
        Event::CompactWanted => "wants it compacted".into(),
        Event::Compacted { before, summary, .. } => format!("compacted before {before}: {summary:?}"),
        Event::NotCompacted { why } => format!("not compacted: {why}"),
        Event::Uncompacted => "uncompacted".into(),
        Event::CallStarted { call } => format!("{call} starts"),
        Event::Output { call, offset, text } => format!("{call} prints at {offset} {text:?}"),
        Event::Spent { call, model, usage } => {
            format!("{call} used {model} for {} tokens", usage.prompt + usage.output)
        }
        Event::CallEnded { call, outcome } => format!("{call} {}", fate(outcome)),
        Event::TurnEnded { outcome } => match outcome {
            TurnOutcome::Rested => "turn rests".into(),
            TurnOutcome::Cancelled => "turn cancelled".into(),
            TurnOutcome::Failed { failure } => format!("turn failed: {}", failure.kind),
        },
        Event::TaskClosed { task, closing } => format!("{} closed {}", name(*task), closing.name()),
    }
}

fn fate(outcome: &CallOutcome) -> String {
    match outcome {
        CallOutcome::Succeeded { .. } => "succeeded".into(),
        CallOutcome::Failed { error, .. } => format!("failed: {}", error.kind),
        CallOutcome::Declined => "declined".into(),
        CallOutcome::Denied { .. } => "denied".into(),
        CallOutcome::Cancelled => "cancelled".into(),
        CallOutcome::Interrupted => "interrupted".into(),
        CallOutcome::Superseded => "superseded".into(),
    }
}
