//! From what a person typed to the command that answers an ask.

use crate::dialog::Reply;
use crate::render::accepted_answers;
use crate::view::View;
use pollux_session::{CallId, Command, Edit};
use std::io;
use std::path::Path;

/// The largest file that is taken in place of what was shown.
const SIZE_LIMIT: u64 = 16 * 1024 * 1024;

/// What a reply comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// This decides the ask.
    Send(Command),
    /// The next question has to be shown.
    Next,
    /// Nothing was decided; the sentence says why.
    Wrong(String),
    /// The line was no answer at all; the words name what is one.
    Unclear(String),
}

/// What a reply comes to, with the file it names read.
pub(crate) async fn answer(view: &View, call: CallId, reply: Reply) -> Answer {
    let send = |option, edit| Answer::Send(Command::Answer { call, option, edit });
    match reply {
        Reply::Choose(option) => send(option, None),
        Reply::Answers { option, answers } => send(option, Some(Edit::Answers { answers })),
        Reply::EditFrom { option, path } => {
            let workspace = view.state.opened.as_ref().map_or("", |opened| &opened.workspace);
            match replacement(workspace, &path).await {
                Ok(new) => send(option, Some(Edit::Content { new })),
                Err(error) => Answer::Wrong(format!("{path} cannot be taken: {error}; the ask is still open")),
            }
        }
        Reply::Next => Answer::Next,
        Reply::Wrong(sentence) => Answer::Wrong(sentence),
        Reply::Unclear => {
            let ask = view.call(call).and_then(|call| call.ask.as_ref());
            Answer::Unclear(ask.map(accepted_answers).unwrap_or_default())
        }
    }
}

/// The text of the file at `path`, which is relative to the workspace unless it is absolute.
async fn replacement(workspace: &str, path: &str) -> io::Result<String> {
    let path = Path::new(workspace).join(path);
    tokio::task::spawn_blocking(move || pollux_files::read_text(&path, SIZE_LIMIT)).await?
}
