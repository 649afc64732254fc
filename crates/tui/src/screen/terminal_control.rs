//! What is told to the terminal and not drawn: its title, a bell, a notification, the clipboard.

use super::terminal::NotificationSequence;
use crate::sanitize::one_line;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::io;

/// Something for the terminal itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TerminalControl {
    /// The window's title.
    Title(String),
    /// A sound, or whatever the person has instead.
    Bell,
    /// A notification on the desktop.
    Notify {
        /// What it is about.
        title: String,
        /// What happened.
        text: String,
    },
    /// This is to be in the clipboard.
    Copy(String),
}

/// The most text that is put into the clipboard, in bytes.
const COPY_LIMIT: usize = 1024 * 1024;
/// The longest title and the longest notification, in characters.
const TITLE_LIMIT: usize = 120;
const TEXT_LIMIT: usize = 240;

impl TerminalControl {
    /// The sequence for it. No text can end it early: what is left of a text holds no control character.
    pub(crate) fn into_bytes(self, notices: NotificationSequence) -> io::Result<Vec<u8>> {
        let sequence = match self {
            TerminalControl::Title(title) => format!("\x1b]2;{}\x07", one_line(&title, TITLE_LIMIT)),
            TerminalControl::Bell => "\x07".to_owned(),
            TerminalControl::Notify { title, text } => notification(&title, &text, notices),
            TerminalControl::Copy(text) if text.len() > COPY_LIMIT => {
                let length = text.len();
                let message =
                    format!("{length} bytes are too much for the clipboard; at most {COPY_LIMIT} can be copied");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
            TerminalControl::Copy(text) => format!("\x1b]52;c;{}\x07", BASE64_STANDARD.encode(text)),
        };
        Ok(sequence.into_bytes())
    }
}

fn notification(title: &str, text: &str, notices: NotificationSequence) -> String {
    // A semicolon separates fields, and some terminals take numbered fields for something else, such as progress.
    let (title, text) = (field(title, TITLE_LIMIT), field(text, TEXT_LIMIT));
    let of_9 = format!("\x1b]9;{title}: {text}\x07");
    let of_777 = format!("\x1b]777;notify;{title};{text}\x07");
    match notices {
        NotificationSequence::Osc9 => of_9,
        NotificationSequence::Osc777 => of_777,
        NotificationSequence::Both => of_9 + &of_777,
    }
}

fn field(text: &str, limit: usize) -> String {
    one_line(text, limit).replace(';', ",")
}

#[cfg(test)]
mod tests {
    use super::{COPY_LIMIT, TerminalControl};
    use crate::screen::terminal::NotificationSequence;
    use crate::screen::testing::{ATTACKS, only_our_sequences};
    use pretty_assertions::assert_eq;

    fn text(signal: &TerminalControl, notices: NotificationSequence) -> String {
        String::from_utf8(signal.clone().into_bytes(notices).unwrap()).unwrap()
    }

    #[test]
    fn each_signal_is_its_sequence() {
        let notify = TerminalControl::Notify { title: "Pollux".into(), text: "4;3;waits\nfor you".into() };
        let all = [
            text(&TerminalControl::Title("pollux · fix".into()), NotificationSequence::Both),
            text(&TerminalControl::Bell, NotificationSequence::Both),
            text(&notify, NotificationSequence::Both),
            text(&notify, NotificationSequence::Osc9),
            text(&notify, NotificationSequence::Osc777),
            text(&TerminalControl::Copy("hé".into()), NotificationSequence::Both),
        ];
        let expected = [
            "\x1b]2;pollux · fix\x07",
            "\x07",
            "\x1b]9;Pollux: 4,3,waits⏎for you\x07\x1b]777;notify;Pollux;4,3,waits⏎for you\x07",
            "\x1b]9;Pollux: 4,3,waits⏎for you\x07",
            "\x1b]777;notify;Pollux;4,3,waits⏎for you\x07",
            "\x1b]52;c;aMOp\x07",
        ];
        assert_eq!(all, expected.map(str::to_owned));
    }

    #[test]
    fn no_text_ends_its_sequence() {
        for attack in ATTACKS {
            let (title, text) = (attack.to_owned(), attack.to_owned());
            for signal in [
                TerminalControl::Title(title.clone()),
                TerminalControl::Notify { title: title.clone(), text },
                TerminalControl::Copy(title),
            ] {
                let bytes = signal.clone().into_bytes(NotificationSequence::Both).unwrap();
                assert_eq!(only_our_sequences(&bytes), Ok(()), "{signal:?}");
            }
        }
    }

    #[test]
    fn too_much_for_the_clipboard_is_said() {
        assert!(TerminalControl::Copy("x".repeat(COPY_LIMIT)).into_bytes(NotificationSequence::Both).is_ok());
        let error =
            TerminalControl::Copy("x".repeat(COPY_LIMIT + 1)).into_bytes(NotificationSequence::Both).unwrap_err();
        assert_eq!(error.to_string(), "1048577 bytes are too much for the clipboard; at most 1048576 can be copied");
    }
}
