//! A program at a terminal, with every byte it writes and when it came.

use anyhow::{Context, Result, bail};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longer than anything here takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The answers of a terminal when it is asked what it is and where its cursor is.
const REPLIES: [(&[u8], &[u8]); 2] = [(b"\x1b[6n", b"\x1b[1;1R"), (b"\x1b[c", b"\x1b[?62;c")];

/// The beginning of a frame: everything from here to the end of it is shown at once.
const FRAME_START: &[u8] = b"\x1b[?2026h";

/// A terminal of 80 by 24 with a program in it. Dropping it ends the program.
pub(super) struct Pty {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    began: Instant,
    /// Output that was not looked at.
    unseen: Vec<u8>,
    /// The number of frames, by the marks that each begins with.
    pub(super) frames: u64,
    /// The newest bytes, where they may be the beginning of such a mark.
    edge: Vec<u8>,
}

impl Pty {
    /// Start what `command` says, at a terminal.
    pub(super) fn start(command: &Command) -> Result<Pty> {
        let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 })?;
        let mut builder = CommandBuilder::new(command.get_program());
        builder.args(command.get_args());
        builder.env_clear();
        for (name, value) in command.get_envs().filter_map(|(name, value)| Some((name, value?))) {
            builder.env(name, value);
        }
        builder.env("TERM", "xterm-256color");
        builder.cwd(command.get_current_dir().context("the command has a directory")?);
        let (mut reader, keys) = (pair.master.try_clone_reader()?, pair.master.take_writer()?);
        let (sender, output) = channel();
        let began = Instant::now();
        let child = pair.slave.spawn_command(builder)?;
        std::thread::spawn(move || {
            let mut buffer = [0; 64 * 1024];
            while let Ok(read) = reader.read(&mut buffer) {
                if read == 0 || sender.send((Instant::now(), buffer[..read].to_vec())).is_err() {
                    return;
                }
            }
        });
        Ok(Pty { child, _master: pair.master, keys, output, began, unseen: Vec::new(), frames: 0, edge: Vec::new() })
    }

    /// The process.
    pub(super) fn pid(&self) -> Result<u32> {
        self.child.process_id().context("the program has ended")
    }

    /// Press keys.
    pub(super) fn press(&mut self, keys: &[u8]) -> Result<Instant> {
        self.keys.write_all(keys)?;
        self.keys.flush()?;
        Ok(Instant::now())
    }

    /// Wait until `text` is written; how long after the start that was.
    pub(super) fn wait_for(&mut self, text: &str) -> Result<Duration> {
        Ok(self.wait_for_new(text)?.duration_since(self.began))
    }

    /// Wait until `text` is written after what was looked at before; the moment it came.
    pub(super) fn wait_for_new(&mut self, text: &str) -> Result<Instant> {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let (at, bytes) = match self.output.recv_timeout(left) {
                Ok(came) => came,
                Err(RecvTimeoutError::Timeout) => bail!("the terminal never showed {text:?}"),
                Err(RecvTimeoutError::Disconnected) => bail!("the program ended before it showed {text:?}"),
            };
            self.take(&bytes)?;
            let found = self.unseen.windows(text.len()).position(|part| part == text.as_bytes());
            if let Some(found) = found {
                self.unseen.drain(..found + text.len());
                return Ok(at);
            }
            let kept = self.unseen.len().saturating_sub(text.len());
            self.unseen.drain(..kept);
        }
    }

    /// Take what comes for so long.
    pub(super) fn watch(&mut self, time: Duration) -> Result<()> {
        let deadline = Instant::now() + time;
        while let Ok((_, bytes)) = self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            self.take(&bytes)?;
            self.unseen.clear();
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        self.edge.extend_from_slice(bytes);
        self.frames += self.edge.windows(FRAME_START.len()).filter(|part| *part == FRAME_START).count() as u64;
        let counted = self.edge.len().saturating_sub(FRAME_START.len() - 1);
        self.edge.drain(..counted);
        for (question, reply) in REPLIES {
            if bytes.windows(question.len()).any(|part| part == question) {
                self.press(reply)?;
            }
        }
        self.unseen.extend_from_slice(bytes);
        Ok(())
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
