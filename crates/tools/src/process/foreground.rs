//! Programs that a person uses themselves, at their own terminal: an editor, the clipboard. No model has a say in them,
//! so they have the person's environment as it is.

use super::registry::record_start;
use crate::process_environment::ProcessEnvironment;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::time::timeout;

/// The largest picture that is taken from the clipboard.
const PICTURE_BYTES: u64 = 20 * 1024 * 1024;

/// The time limit of reading the clipboard.
const CLIPBOARD_TIMEOUT: Duration = Duration::from_secs(5);

/// The programs that print the picture in the clipboard, on Wayland and on X.
const CLIPBOARDS: [(&str, &[&str]); 2] = [
    ("wl-paste", &["--no-newline", "--type", "image/png"]),
    ("xclip", &["-selection", "clipboard", "-target", "image/png", "-out"]),
];

/// Open `file` in `editor`, which may be a line with flags, and wait until the person is done. It has the terminal.
#[expect(clippy::disallowed_methods, reason = "this module is the one place that starts child processes")]
pub async fn edit_file(editor: &str, file: &Path) -> io::Result<ExitStatus> {
    let directory = file.parent().unwrap_or(Path::new("/"));
    let line = format!("{editor} \"$@\"");
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &line, editor]).arg(file).current_dir(directory);
    record_start();
    command.env_clear().envs(ProcessEnvironment::original().variables()).status().await
}

/// The picture in the clipboard, as PNG; `None` when there is none, or nothing that could tell.
pub async fn clipboard_picture() -> io::Result<Option<Vec<u8>>> {
    for (program, args) in CLIPBOARDS {
        match timeout(CLIPBOARD_TIMEOUT, printed_by(program, args)).await {
            Ok(Ok(Some(picture))) => return Ok(Some(picture)),
            Ok(Ok(None)) => {}
            Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => {}
            Ok(Err(error)) => return Err(error),
            Err(_) => return Err(io::Error::new(io::ErrorKind::TimedOut, format!("{program} does not answer"))),
        }
    }
    Ok(None)
}

#[expect(clippy::disallowed_methods, reason = "this module is the one place that starts child processes")]
async fn printed_by(program: &str, args: &[&str]) -> io::Result<Option<Vec<u8>>> {
    let mut command = Command::new(program);
    command.args(args).current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.env_clear().envs(ProcessEnvironment::original().variables());
    record_start();
    let mut child = command.kill_on_drop(true).spawn()?;
    let mut printed = Vec::new();
    if let Some(output) = child.stdout.take() {
        output.take(PICTURE_BYTES + 1).read_to_end(&mut printed).await?;
    }
    if printed.len() as u64 > PICTURE_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the picture in the clipboard is larger than 20 MiB"));
    }
    let is_picture = child.wait().await?.success() && printed.starts_with(b"\x89PNG");
    Ok(is_picture.then_some(printed))
}

#[cfg(test)]
mod tests {
    use super::{clipboard_picture, edit_file};
    use crate::process::any_process_started;
    use std::path::Path;

    /// An editor has text open that a model wrote, and may start anything.
    #[tokio::test]
    async fn an_editor_counts_as_a_started_process() {
        assert!(edit_file("true", Path::new("/dev/null")).await.unwrap().success());
        assert!(any_process_started());
    }

    #[tokio::test]
    async fn a_program_for_the_clipboard_counts_as_a_started_process() {
        // Whether there is such a program does not matter.
        drop(clipboard_picture().await);
        assert!(any_process_started());
    }
}
