//! From what a person typed to the command that answers an ask.

use crate::current_ask::TypedReply;
use crate::render::accepted_answers;
use pollux_session::{AnswerEdit, CallId, Command, EditedFile, SessionView};
use std::io;
use std::path::Path;

/// The largest file that is taken in place of what was shown.
const REPLACEMENT_LIMIT: u64 = 16 * 1024 * 1024;

/// The result of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReplyOutcome {
    /// This decides the ask.
    Send(Command),
    /// The next question has to be shown.
    NextQuestion,
    /// Nothing was decided; the sentence says why.
    Invalid(String),
    /// The line was no answer at all; the words name what is one.
    Unclear(String),
}

/// The result of a reply, with the file it names read.
pub(crate) async fn resolve_reply(view: &SessionView, call: CallId, reply: TypedReply) -> ReplyOutcome {
    let send = |option, edit| ReplyOutcome::Send(Command::Answer { call, option, edit });
    match reply {
        TypedReply::Choose(option) => send(option, None),
        TypedReply::Answers { option, answers } => send(option, Some(AnswerEdit::Answers { answers })),
        TypedReply::EditFrom { option, path } => {
            let workspace = view.state().opened.as_ref().map_or("", |opened| &opened.workspace);
            match read_replacement_file(workspace, &path).await {
                Ok(new) => send(option, Some(AnswerEdit::Content { new })),
                Err(error) => ReplyOutcome::Invalid(format!("{path} cannot be taken: {error}; the ask is still open")),
            }
        }
        TypedReply::EditFileFrom { option, file, path } => {
            let workspace = view.state().opened.as_ref().map_or("", |opened| &opened.workspace);
            match read_replacement_file(workspace, &path).await {
                Ok(new) => send(option, Some(AnswerEdit::Files { files: vec![EditedFile { path: file, new }] })),
                Err(error) => ReplyOutcome::Invalid(format!("{path} cannot be taken: {error}; the ask is still open")),
            }
        }
        TypedReply::Next => ReplyOutcome::NextQuestion,
        TypedReply::Invalid(sentence) => ReplyOutcome::Invalid(sentence),
        TypedReply::Unclear => {
            let ask = view.call(call).and_then(|call| call.ask.as_ref());
            ReplyOutcome::Unclear(ask.map(accepted_answers).unwrap_or_default())
        }
    }
}

/// The text of the file at `path`, which is relative to the workspace unless it is absolute.
async fn read_replacement_file(workspace: &str, path: &str) -> io::Result<String> {
    let path = Path::new(workspace).join(path);
    tokio::task::spawn_blocking(move || pollux_files::read_text(&path, REPLACEMENT_LIMIT)).await?
}
