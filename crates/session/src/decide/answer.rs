//! First answer wins.

use crate::ask::{AnswerEdit, Ask, AskDetails, AskOption, EditedFile};
use crate::call::{CallOutcome, CallPhase};
use crate::command::CommandFingerprint;
use crate::event::Event;
use crate::ids::CallId;
use crate::patched_file::PatchedFile;
use crate::refusal::Refusal;
use crate::state::{AskClosing, SessionState};

/// Why a call is denied that would have needed a person, where there is none.
const NOBODY_THERE: &str = "nobody is there to allow it";

pub(super) fn decide(
    state: &SessionState,
    fingerprint: CommandFingerprint,
    call: CallId,
    option: &str,
    edit: Option<&AnswerEdit>,
) -> Result<Vec<Event>, Refusal> {
    let ask = match open_ask(state, call) {
        // The answer before this one may have allowed it: a mode was left, or more was granted.
        Err(Refusal::AskClosed { .. }) if edit.is_none() && is_allowed_by_now(state, call, option) => {
            return Ok(Vec::new());
        }
        opened => opened?,
    };
    let Some(choice) = ask.options.iter().find(|choice| choice.id == option) else {
        let offered = ask.options.iter().map(|choice| choice.id.clone()).collect();
        return Err(Refusal::UnknownOption { call, option: option.to_owned(), offered });
    };
    match (edit, &ask.details, choice.allows) {
        (Some(AnswerEdit::Files { files }), AskDetails::Patch { files: shown }, true) => {
            check_edited_files(files, shown).map_err(|why| Refusal::NotEditable { call, why })?;
        }
        (None, ..)
        | (Some(AnswerEdit::Content { .. }), AskDetails::Edit(_), true)
        | (Some(AnswerEdit::Answers { .. }), AskDetails::Generic { schema: Some(_), .. }, true) => {}
        (Some(AnswerEdit::Content { .. }), AskDetails::Edit(_), false)
        | (Some(AnswerEdit::Files { .. }), AskDetails::Patch { .. }, false)
        | (Some(AnswerEdit::Answers { .. }), AskDetails::Generic { schema: Some(_), .. }, false) => {
            return Err(Refusal::NotEditable { call, why: "the chosen option does not run it".into() });
        }
        (Some(AnswerEdit::Content { .. }), AskDetails::Patch { .. }, _) => {
            let why = "it changes several files, and one new content says not which; allow it as it was shown, or cancel it \
                       and say what to do instead";
            return Err(Refusal::NotEditable { call, why: why.into() });
        }
        (Some(AnswerEdit::Content { .. } | AnswerEdit::Files { .. }), _, _) => {
            return Err(Refusal::NotEditable { call, why: "only file changes can be edited before they run".into() });
        }
        (Some(AnswerEdit::Answers { .. }), _, _) => {
            return Err(Refusal::NotEditable { call, why: "it does not ask for answers".into() });
        }
    }
    let mut events = vec![Event::Answered {
        fingerprint,
        call,
        choice: choice.id.clone(),
        allows: choice.allows,
        edit: edit.cloned(),
        grant: choice.grant.clone(),
        reach: choice.reach,
    }];
    if !choice.allows {
        events.push(Event::CallEnded { call, outcome: CallOutcome::Declined });
    }
    Ok(events)
}

/// Fails unless each of `files` is one of those that were `shown`, and none is there twice.
fn check_edited_files(files: &[EditedFile], shown: &[PatchedFile]) -> Result<(), String> {
    for (at, file) in files.iter().enumerate() {
        if !shown.iter().any(|known| known.is_editable() && known.diff.path == file.path) {
            return Err(format!("it does not write `{}`", file.path));
        }
        if files[..at].iter().any(|other| other.path == file.path) {
            return Err(format!("`{}` is there twice", file.path));
        }
    }
    Ok(())
}

/// The end of a call that nobody is there to be asked about.
pub(super) fn deny(state: &SessionState, call: CallId) -> Result<Vec<Event>, Refusal> {
    open_ask(state, call)?;
    Ok(vec![Event::CallEnded { call, outcome: CallOutcome::Denied { why: NOBODY_THERE.into() } }])
}

/// The ask of `call` if it is open; else who closed it.
fn open_ask(state: &SessionState, call: CallId) -> Result<&Ask, Refusal> {
    let known = state.turn.as_ref().and_then(|turn| turn.calls.get(&call));
    if let Some(known) = known
        && let (CallPhase::Asking { .. }, Some(ask)) = (&known.phase, &known.ask)
    {
        return Ok(ask);
    }
    Err(match state.ask_decision(call).map(|decision| &decision.closing) {
        Some(AskClosing::Answered { choice, by }) => {
            Refusal::AlreadyDecided { call, choice: choice.clone(), by: by.clone() }
        }
        Some(closing) => Refusal::AskClosed { call, why: closing.describe() },
        None => Refusal::UnknownCall { call },
    })
}

/// Whether `option` only lets `call` run, and it may do so by now.
fn is_allowed_by_now(state: &SessionState, call: CallId, option: &str) -> bool {
    let is_allowed = state.ask_decision(call).is_some_and(|ask| matches!(ask.closing, AskClosing::Allowed { .. }));
    let known = state.turn.as_ref().and_then(|turn| turn.calls.get(&call)?.ask.as_ref());
    let only_runs = |choice: &&AskOption| choice.id == option && choice.allows && choice.grant.is_none();
    is_allowed && known.is_some_and(|ask| ask.options.iter().any(|choice| only_runs(&choice)))
}
