//! A person at a terminal who allows whatever is asked, once: how often one is needed is a figure of its own.

use super::bounded_process::{ProcessEnd, end_group};
use anyhow::{Context, Result};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What Pollux writes when it waits for an answer.
const SIGN: &[u8] = b"answer 1-";
/// The key for "allow once".
const ALLOW: &[u8] = b"y\n";

/// Run a command at a terminal, with everything it writes in `output`; how it ended, and how often it asked.
pub(super) fn run(command: &Command, output: &Path, limit: Duration) -> Result<(ProcessEnd, u64)> {
    let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 200, pixel_width: 0, pixel_height: 0 })?;
    let mut builder = CommandBuilder::new(command.get_program());
    builder.args(command.get_args());
    builder.env_clear();
    for (name, value) in command.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        builder.env(name, value);
    }
    builder.env("TERM", "dumb");
    builder.cwd(command.get_current_dir().context("the command has a directory")?);
    let (mut reader, mut keys) = (pair.master.try_clone_reader()?, pair.master.take_writer()?);
    let began = Instant::now();
    let mut child = pair.slave.spawn_command(builder)?;
    drop(pair.slave);
    let (sender, pieces) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 64 * 1024];
        // A terminal whose last program has ended cannot be read.
        while let Ok(read @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..read].to_vec()).is_err() {
                return;
            }
        }
    });

    let (mut written, mut looked_at, mut asked) = (Vec::new(), 0, 0);
    let is_over = loop {
        match pieces.recv_timeout(limit.saturating_sub(began.elapsed())) {
            Ok(piece) => written.extend_from_slice(&piece),
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) => break true,
        }
        while let Some(at) = written[looked_at..].windows(SIGN.len()).position(|part| part == SIGN) {
            looked_at += at + SIGN.len();
            asked += 1;
            keys.write_all(ALLOW)?;
            keys.flush()?;
        }
    };
    let time = began.elapsed();
    if let Some(leader) = child.process_id() {
        end_group(leader);
    }
    let ended = child.wait()?;
    fs::write(output, &written)?;
    let code = i32::try_from(ended.exit_code()).unwrap_or(1);
    let status = (!is_over).then(|| ExitStatus::from_raw(code << 8));
    Ok((ProcessEnd { status, time }, asked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process;

    fn run_script(script: &str, limit: Duration) -> (Option<i32>, u64, String) {
        let directory = tempfile::tempdir().unwrap();
        let output = directory.path().join("output");
        let mut command = process::command("sh", directory.path());
        command.args(["-c", script]).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let (end, asked) = run(&command, &output, limit).unwrap();
        (end.status.and_then(|status| status.code()), asked, fs::read_to_string(output).unwrap())
    }

    #[test]
    fn every_question_is_answered_and_counted() {
        let script = "for n in 1 2; do printf 'answer 1-3: '; read said; echo \"got $said\"; done; exit 4";
        let (code, asked, output) = run_script(script, Duration::from_secs(60));
        assert_eq!((code, asked), (Some(4), 2), "{output}");
        assert_eq!(output.matches("got y").count(), 2, "{output}");
    }

    #[test]
    fn a_program_that_waits_for_something_else_is_stopped() {
        let (code, asked, _) = run_script("read said", Duration::from_millis(200));
        assert_eq!((code, asked), (None, 0));
    }
}
