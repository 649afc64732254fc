//! A real terminal with the program in it, driven by keys and read like a person would.

use crate::program::{Home, PATIENCE};
use anyhow::{Context as _, Result, bail};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

/// A terminal.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    /// Everything that was printed so far.
    pub screen: String,
    /// How much of it earlier waits have seen.
    seen: usize,
}

impl Terminal {
    /// Start the program of `home` with `args` in a terminal of 80 by 24.
    pub fn start(home: &Home, args: &[&str]) -> Result<Terminal> {
        let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 })?;
        let mut command = CommandBuilder::new(home.program());
        command.args(args);
        command.cwd(home.workspace());
        command.env_clear();
        for (name, value) in home.environment() {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command)?;
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader()?;
        let keys = pair.master.take_writer()?;
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read) = reader.read(&mut buffer) {
                if read == 0 || sender.send(buffer[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Ok(Terminal { child, _master: pair.master, keys, output, screen: String::new(), seen: 0 })
    }

    /// Type a line and press Enter.
    pub fn type_line(&mut self, line: &str) -> Result<()> {
        self.press(format!("{line}\r").as_bytes())
    }

    /// Press keys.
    pub fn press(&mut self, keys: &[u8]) -> Result<()> {
        self.keys.write_all(keys)?;
        Ok(self.keys.flush()?)
    }

    /// Wait until `text` is printed after what earlier waits have seen; returns what was printed up to its end.
    pub fn wait_for(&mut self, text: &str) -> Result<String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.screen[self.seen..].find(text) {
                let end = self.seen + at + text.len();
                let part = self.screen[self.seen..end].to_owned();
                self.seen = end;
                return Ok(part);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.screen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Timeout) => bail!("{text:?} does not appear in:\n{}", &self.screen[self.seen..]),
                Err(RecvTimeoutError::Disconnected) => bail!("the terminal closed after:\n{}", self.screen),
            }
        }
    }

    /// Wait for the program to end; its exit code.
    pub fn exit_code(&mut self) -> Result<u32> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            match self.output.recv_timeout(deadline - Instant::now()) {
                Ok(bytes) => self.screen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => return Ok(self.child.wait()?.exit_code()),
            }
        }
        bail!("the program does not end; it printed:\n{}", self.screen)
    }

    /// Its process id.
    pub fn pid(&self) -> Result<u32> {
        self.child.process_id().context("the program has ended")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
    }
}
