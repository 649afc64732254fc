//! The terminal's modes while the screen has it, and how it gets them back: at the end, in a panic, before a stop and for
//! somebody else's program.

mod quirks;

pub(crate) use quirks::{ColourQueries, ErasedCells, NarrowedRows, NotificationSequence, TerminalQuirks};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use nix::unistd::{getpgrp, getsid};
use ratatui::layout::{Position, Size};
use rustix::process::{Signal, kill_current_process_group};
use std::io::{self, IsTerminal, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ThreadId;
use tokio::signal::unix::{SignalKind, signal};

/// The window's title is put aside; then bracketed paste, focus reports, and keys that are not mistaken for others (kitty;
/// elsewhere nothing comes of it).
const MODES_ON: &[u8] = b"\x1b[22;2t\x1b[?2004h\x1b[?1004h\x1b[>1u";
/// All of it back, in the other order, and whatever a frame that was not finished has left behind.
const MODES_OFF: &[u8] = b"\x1b[?2026l\x1b[?7h\x1b[<1u\x1b[?1004l\x1b[?2004l\x1b[23;2t\x1b[0m\x1b[?25h";
/// What is left of the live area from the cursor on makes room for the report of a panic.
const REPORT_HERE: &[u8] = b"\r\x1b[0J";
/// The alternate screen. It has keyboard modes of its own.
const PAGE_ON: &[u8] = b"\x1b[?1049h\x1b[>1u";
const PAGE_OFF: &[u8] = b"\x1b[<1u\x1b[?1049l";
/// What colour is the background? (OSC 11)
const ASK_BACKGROUND: &[u8] = b"\x1b]11;?\x07";

/// Whether the terminal is ours. A panic hook has nobody else to ask.
static OWNS_TERMINAL: AtomicBool = AtomicBool::new(false);
/// Whether the alternate screen is in front.
static ON_PAGE: AtomicBool = AtomicBool::new(false);
/// Whether the terminal was asked for its cursor in vain. Then it is not asked again: waiting for it holds up the keys.
static CURSOR_UNREPORTED: AtomicBool = AtomicBool::new(false);

/// The terminal in raw mode, until this is dropped.
#[derive(Debug)]
pub(crate) struct RawTerminal {
    owner: TerminalOwner,
}

/// Who has the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TerminalOwner {
    Ours,
    OtherProgram,
}

/// Whether the program can be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SuspendResult {
    /// It was stopped and goes on now.
    Resumed,
    /// There is no shell that could let it go on, so it was not.
    NoShell,
}

impl RawTerminal {
    /// Take the terminal. It is given back when this is dropped, and by a panic on this thread.
    pub(crate) fn enter() -> io::Result<RawTerminal> {
        if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            let message = "standard input and output are not both a terminal; use --plain, or -p with a prompt";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        restore_on_panic();
        take_terminal()?;
        Ok(RawTerminal { owner: TerminalOwner::Ours })
    }

    /// Stop the program as the shell's job control does, and take the terminal again when it goes on. Erase the live area
    /// first ([`InlineTerminal::leave`](super::inline_terminal::InlineTerminal::leave)), and let it come back after. A terminal that was lent
    /// is left to whoever has it.
    pub(crate) async fn suspend(&mut self) -> io::Result<SuspendResult> {
        // A group with the session's leader in it was not put there by a shell with job control: it would stop for ever.
        // Both are 0 where a container's beginning is not ours to see: nix says so, rustix takes them for numbers of processes.
        if getsid(None)? == getpgrp() {
            return Ok(SuspendResult::NoShell);
        }
        let hold = self.owner;
        let mut continued = signal(SignalKind::from_raw(Signal::CONT.as_raw()))?;
        self.pause()?;
        // SIGTSTP would only come back to ourselves: whoever wants this program stopped sends it, and we listen to it.
        kill_current_process_group(Signal::STOP)?;
        // Another thread may be the one that takes it: this one could be back at the terminal before the program stops.
        continued.recv().await;
        if hold == TerminalOwner::Ours {
            self.resume()?;
        }
        Ok(SuspendResult::Resumed)
    }

    /// Lend the terminal to another program, with its modes as they were. The keyboard has to pause too.
    pub(crate) fn pause(&mut self) -> io::Result<()> {
        if self.owner == TerminalOwner::Ours {
            self.owner = TerminalOwner::OtherProgram;
            restore_terminal()?;
        }
        Ok(())
    }

    /// Take it back.
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        if self.owner == TerminalOwner::OtherProgram {
            take_terminal()?;
            self.owner = TerminalOwner::Ours;
        }
        Ok(())
    }

    /// Put the cursor at the start of an empty row, for drawing to begin there: the next one where something stands before
    /// it, or where the terminal has not said where it is.
    pub(crate) fn fresh_row(&self, cursor: Option<Position>) -> io::Result<()> {
        match cursor {
            Some(Position { x: 0, .. }) => Ok(()),
            Some(_) | None => write(b"\r\n"),
        }
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        if self.owner == TerminalOwner::Ours {
            // Nothing can be done about a terminal that is gone.
            let _ = restore_terminal();
        }
    }
}

/// The terminal's size. Where it is not the stage's, a resize is on its way, and what is drawn before it arrives lands in
/// the wrong place.
pub(crate) fn size() -> io::Result<Size> {
    let (width, height) = crossterm::terminal::size()?;
    Ok(Size { width, height })
}

/// Where the terminal's cursor is, if it says so. Only for raw mode. Keys that come before the answer are kept.
pub(crate) fn cursor() -> Option<Position> {
    if CURSOR_UNREPORTED.load(Ordering::Relaxed) {
        return None;
    }
    let answer = crossterm::cursor::position();
    CURSOR_UNREPORTED.store(answer.is_err(), Ordering::Relaxed);
    answer.ok().map(|(x, y)| Position { x, y })
}

/// Ask for the background's colour. The answer comes as keys do: [`Keyboard::ask_background`](super::input::Keyboard).
pub(crate) fn ask_background() -> io::Result<()> {
    write(ASK_BACKGROUND)
}

/// Append what brings the alternate screen to the front.
pub(super) fn enter_page(bytes: &mut Vec<u8>) {
    ON_PAGE.store(true, Ordering::Relaxed);
    bytes.extend_from_slice(PAGE_ON);
}

/// Append what brings the main screen back.
pub(super) fn leave_page(bytes: &mut Vec<u8>) {
    ON_PAGE.store(false, Ordering::Relaxed);
    bytes.extend_from_slice(PAGE_OFF);
}

fn take_terminal() -> io::Result<()> {
    enable_raw_mode()?;
    OWNS_TERMINAL.store(true, Ordering::Relaxed);
    write(MODES_ON)
}

fn restore_terminal() -> io::Result<()> {
    if !OWNS_TERMINAL.swap(false, Ordering::Relaxed) {
        return Ok(());
    }
    let mut bytes = Vec::new();
    if ON_PAGE.load(Ordering::Relaxed) {
        leave_page(&mut bytes);
    }
    bytes.extend_from_slice(MODES_OFF);
    let written = write(&bytes);
    disable_raw_mode()?;
    written
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Give the terminal back before a panic of this thread is reported, so that the report can be read. A panic elsewhere
/// ends one task and not the screen; where it does end the screen, the guard is dropped.
fn restore_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let screen: ThreadId = std::thread::current().id();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().id() == screen {
                // Where somebody else has the terminal, what is on it is theirs.
                let was_ours = OWNS_TERMINAL.load(Ordering::Relaxed);
                // The panic is what matters now.
                let _ = restore_terminal();
                if was_ours {
                    let _ = write(REPORT_HERE);
                }
            }
            before(panic);
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::{ASK_BACKGROUND, MODES_OFF, MODES_ON, PAGE_OFF, PAGE_ON, REPORT_HERE};
    use crate::screen::testing::only_our_sequences;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_is_switched_on_is_switched_off_again() {
        assert_eq!(
            only_our_sequences(&[MODES_ON, ASK_BACKGROUND, PAGE_ON, PAGE_OFF, REPORT_HERE, MODES_OFF].concat()),
            Ok(())
        );
        for (on, off) in [(MODES_ON, MODES_OFF), (PAGE_ON, PAGE_OFF)] {
            let (on, off) = (String::from_utf8_lossy(on), String::from_utf8_lossy(off));
            for sequence in on.split_inclusive(['h', 'u', 't']) {
                let undo = sequence.replace('h', "l").replace('>', "<").replace("22;", "23;");
                assert!(off.contains(&undo), "{sequence:?} is never taken back");
            }
        }
    }
}
