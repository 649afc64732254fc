//! Which sequences are ours. Everything else in a byte stream came from somebody who wanted it there.

use crate::sanitize::clean;
use vte::{Params, Parser, Perform};

/// Whether `bytes` hold only text and what the stage, the terminal's guard and signals write; if not, the first thing that
/// is neither.
pub(crate) fn only_our_sequences(bytes: &[u8]) -> Result<(), String> {
    let mut check = SequenceChecker::default();
    let mut parser = Parser::new();
    parser.advance(&mut check, bytes);
    // A sequence that was begun would swallow what comes next.
    parser.advance(&mut check, b"end");
    if !check.text.ends_with("end") {
        check.note("a sequence without its end".into());
    }
    check.end_text();
    check.foreign.map_or(Ok(()), Err)
}

/// Private modes: wrapping, cursor, focus, alternate screen, bracketed paste, synchronized update.
const MODES: [u16; 6] = [7, 25, 1004, 1049, 2004, 2026];

#[derive(Default)]
struct SequenceChecker {
    text: String,
    foreign: Option<String>,
}

impl SequenceChecker {
    fn note(&mut self, what: String) {
        self.foreign.get_or_insert(what);
    }

    /// What was printed in one go hides nothing.
    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if clean(&text) != text {
            self.note(format!("text {text:?}"));
        }
    }
}

impl Perform for SequenceChecker {
    fn print(&mut self, ch: char) {
        self.text.push(ch);
    }

    fn execute(&mut self, byte: u8) {
        self.end_text();
        if !matches!(byte, b'\r' | b'\n' | 0x07) {
            self.note(format!("control {byte:#04x}"));
        }
    }

    fn hook(&mut self, _: &Params, _: &[u8], _: bool, action: char) {
        self.note(format!("device control {action}"));
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        self.end_text();
        let numbers: Vec<u16> = params.iter().flatten().copied().collect();
        let is_ours = match (intermediates, action) {
            ([], 'H') => numbers.len() == 2,
            ([], 'A' | 'B' | 'G') => numbers.len() == 1,
            ([], 'J' | 'K') => numbers == [0],
            ([], 'm') => numbers.first() == Some(&0),
            ([], 'n') => numbers == [6],
            // The title is put aside and taken back.
            ([], 't') => numbers == [22, 2] || numbers == [23, 2],
            (b"?", 'h' | 'l') => numbers.len() == 1 && MODES.contains(&numbers[0]),
            (b">" | b"<", 'u') => numbers == [1],
            _ => false,
        };
        if !is_ours || ignore {
            self.note(format!("CSI {} {numbers:?} {action}", String::from_utf8_lossy(intermediates)));
        }
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], bell_terminated: bool) {
        self.end_text();
        let text =
            |bytes: &[u8]| std::str::from_utf8(bytes).is_ok_and(|text| clean(text) == text && !text.contains('\n'));
        let is_ours = bell_terminated
            && match params {
                [b"2", title @ ..] => title.iter().all(|part| text(part)),
                [b"9", all] => text(all),
                // The question for the background, and no other colour.
                [b"11", b"?"] => true,
                [b"777", b"notify", title, all] => text(title) && text(all),
                [b"52", b"c", data] => data.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte)),
                _ => false,
            };
        if !is_ours {
            let parts: Vec<_> = params.iter().map(|part| String::from_utf8_lossy(part)).collect();
            self.note(format!("OSC {}", parts.join(";")));
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _: bool, byte: u8) {
        self.end_text();
        self.note(format!("ESC {} {}", String::from_utf8_lossy(intermediates), char::from(byte)));
    }
}

#[cfg(test)]
mod tests {
    use super::only_our_sequences;
    use crate::screen::testing::ATTACKS;

    #[test]
    fn what_is_not_ours_is_named() {
        for attack in ATTACKS {
            // A heap of marks is text, and nobody can tell our own sequences from ours.
            let passes = attack.starts_with("e\u{301}") || attack.starts_with("\x1b[>1u");
            assert_eq!(only_our_sequences(attack.as_bytes()).is_ok(), passes, "{attack:?}");
        }
        assert_eq!(only_our_sequences(b"\x1b[2J"), Err("CSI  [2] J".into()));
        assert_eq!(only_our_sequences(b"\x1b]0;x\x07"), Err("OSC 0;x".into()));
        // Reports the title, as if it had been typed.
        assert_eq!(only_our_sequences(b"\x1b[21t"), Err("CSI  [21] t".into()));
        assert_eq!(only_our_sequences(b"\x1b[22;0t"), Err("CSI  [22, 0] t".into()));
        assert_eq!(only_our_sequences(b"\x1b]2;title"), Err("a sequence without its end".into()));
        assert_eq!(only_our_sequences(b"\x1b[?2026h\x1b[1;1Hhello\x1b[0;1;36m\x1b[K\r\n\x1b[?2026l"), Ok(()));
    }
}
