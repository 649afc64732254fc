//! From what a person typed to the command that answers an ask.

use crate::dialog::Reply;
use crate::view::View;
use pollux_session::{CallId, Command, Edit};
use std::io;
use std::path::Path;
use tokio::io::AsyncReadExt;

/// The largest file that is taken in place of what was shown.
const SIZE_LIMIT: u64 = 16 * 1024 * 1024;

/// The command for a reply; `None` when the reply says nothing. The error is a sentence for the person.
pub(crate) async fn answer(view: &View, call: CallId, reply: Reply) -> Result<Option<Command>, String> {
    match reply {
        Reply::Choose(option) => Ok(Some(Command::Answer { call, option, edit: None })),
        Reply::EditFrom { option, path } => {
            let workspace = view.state.opened.as_ref().map_or("", |opened| &opened.workspace);
            let new = replacement(workspace, &path)
                .await
                .map_err(|error| format!("{path} cannot be taken: {error}; the ask is still open"))?;
            Ok(Some(Command::Answer { call, option, edit: Some(Edit::Content { new }) }))
        }
        Reply::Unclear => Ok(None),
    }
}

/// The text of the file at `path`, which is relative to the workspace unless it is absolute.
async fn replacement(workspace: &str, path: &str) -> io::Result<String> {
    let file = tokio::fs::File::open(Path::new(workspace).join(path)).await?;
    let mut text = String::new();
    file.take(SIZE_LIMIT + 1).read_to_string(&mut text).await?;
    if text.len() as u64 > SIZE_LIMIT {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {SIZE_LIMIT} bytes")));
    }
    Ok(text)
}
