//! A real terminal with a program in it, driven by keys and read like a person would: colours are left out.

use crate::program::{TIMEOUT, TestHome, send_signal};
use anyhow::{Context as _, Result, bail};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

/// Ctrl+C.
pub const CTRL_C: &[u8] = b"\x03";
/// Ctrl+D.
pub const CTRL_D: &[u8] = b"\x04";

/// A terminal.
pub struct PtyTerminal {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    /// The start of a character or of an escape sequence whose end has not arrived.
    unread: Vec<u8>,
    /// Everything that was printed so far.
    pub screen: String,
    /// The output as it came, colours and all.
    pub bytes: Vec<u8>,
    /// The bytes of it that earlier waits have seen.
    seen: usize,
}

impl PtyTerminal {
    /// Start the program of `home` with `args` in a terminal of 80 by 24, in its line mode. The screen is for
    /// [`TmuxWindow`](crate::tmux::TmuxWindow).
    pub fn start(home: &TestHome, args: &[&str]) -> Result<PtyTerminal> {
        PtyTerminal::run(home, home.program(), &[args, &["--plain"]].concat())
    }

    /// Start any other program at the same place.
    pub fn run(home: &TestHome, program: impl AsRef<OsStr>, args: &[&str]) -> Result<PtyTerminal> {
        let (master, child) = open(home, program.as_ref(), args)?;
        let mut reader = master.try_clone_reader()?;
        let keys = master.take_writer()?;
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read) = reader.read(&mut buffer) {
                if read == 0 || sender.send(buffer[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        let (unread, screen, bytes) = (Vec::new(), String::new(), Vec::new());
        Ok(PtyTerminal { child, _master: master, keys, output, unread, screen, bytes, seen: 0 })
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
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(at) = self.screen[self.seen..].find(text) {
                let end = self.seen + at + text.len();
                let part = self.screen[self.seen..end].to_owned();
                self.seen = end;
                return Ok(part);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => bail!("{text:?} does not appear in:\n{}", &self.screen[self.seen..]),
                Err(RecvTimeoutError::Disconnected) => {
                    bail!("the terminal closed before {text:?} appeared in:\n{}", self.screen)
                }
            }
        }
    }

    /// The rest of the line that the last wait ended in.
    pub fn rest_of_line(&mut self) -> Result<String> {
        let line = self.wait_for("\n")?;
        Ok(line.trim_end().to_owned())
    }

    /// Wait for the program to end; its exit code.
    pub fn exit_code(&mut self) -> Result<u32> {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.take(&bytes),
                // Nobody holds the other side any more.
                Err(RecvTimeoutError::Disconnected) => return Ok(self.child.wait()?.exit_code()),
                Err(RecvTimeoutError::Timeout) => bail!("the program does not end; it printed:\n{}", self.screen),
            }
        }
    }

    /// Kill the program as a power cut would: no handler runs. Returns when it is gone.
    pub fn kill(mut self) -> Result<()> {
        send_signal(self.pid()?, "KILL")?;
        self.child.wait()?;
        Ok(())
    }

    /// Its process id.
    pub fn pid(&self) -> Result<u32> {
        self.child.process_id().context("the program has ended")
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.unread.extend_from_slice(bytes);
        let (text, taken) = readable(&self.unread);
        self.screen.push_str(&text);
        self.unread.drain(..taken);
    }
}

impl Drop for PtyTerminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
    }
}

/// Start a program in a terminal and close the terminal, as a window is closed, once it has printed `text`. What happens
/// to the program then is its own business.
pub fn close_after(home: &TestHome, program: impl AsRef<OsStr>, args: &[&str], text: &str) -> Result<()> {
    let (master, _child) = open(home, program.as_ref(), args)?;
    // Read here and not by a thread: one that waits for more would keep the terminal open.
    let mut reader = master.try_clone_reader()?;
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    while !readable(&bytes).0.contains(text) {
        let read = reader.read(&mut buffer)?;
        anyhow::ensure!(read > 0, "the terminal closed before {text:?} appeared in:\n{}", readable(&bytes).0);
        bytes.extend_from_slice(&buffer[..read]);
    }
    Ok(())
}

/// A terminal of 80 by 24 with a program in it.
fn open(
    home: &TestHome,
    program: &OsStr,
    args: &[&str],
) -> Result<(Box<dyn MasterPty + Send>, Box<dyn Child + Send + Sync>)> {
    let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 })?;
    let mut command = CommandBuilder::new(program);
    command.args(args);
    command.cwd(home.workspace());
    command.env_clear();
    for (name, value) in home.environment() {
        command.env(name, value);
    }
    let child = pair.slave.spawn_command(command)?;
    Ok((pair.master, child))
}

/// The text of `bytes` as a person reads it, and the number of bytes that it takes: an unfinished character or sequence
/// is left over.
fn readable(bytes: &[u8]) -> (String, usize) {
    let mut text = String::new();
    let mut at = 0;
    while let Some(first) = bytes.get(at) {
        let rest = &bytes[at..];
        if *first == 0x1b {
            let Some(length) = sequence(rest) else { break };
            at += length;
            continue;
        }
        let length = rest.iter().position(|byte| *byte == 0x1b).unwrap_or(rest.len());
        match std::str::from_utf8(&rest[..length]) {
            Ok(valid) => {
                text.push_str(valid);
                at += length;
            }
            Err(error) => {
                text.push_str(&String::from_utf8_lossy(&rest[..error.valid_up_to()]));
                at += error.valid_up_to();
                match error.error_len() {
                    Some(invalid) => {
                        text.push(char::REPLACEMENT_CHARACTER);
                        at += invalid;
                    }
                    None => break,
                }
            }
        }
    }
    (text, at)
}

/// The length of the escape sequence that `bytes` begin with, once all of it is there.
fn sequence(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'[' => bytes.iter().skip(2).position(|byte| (0x40..=0x7e).contains(byte)).map(|end| end + 3),
        _ => Some(2),
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn colours_are_left_out_and_unfinished_characters_wait() {
        let bytes = "\u{1b}[1;36m[A2A] \u{1b}[0mhé✓".as_bytes();
        assert_eq!(readable(bytes), ("[A2A] hé✓".to_owned(), bytes.len()));
        assert_eq!(readable(&bytes[..bytes.len() - 1]), ("[A2A] hé".to_owned(), bytes.len() - 3));
        assert_eq!(readable(b"ab\x1b[3"), ("ab".to_owned(), 2));
        assert_eq!(readable(b"a\xffb"), ("a\u{fffd}b".to_owned(), 3));
    }
}
