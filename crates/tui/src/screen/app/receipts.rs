//! What came of a command that was sent.

use super::App;
use crate::sanitize::one_line;
use crate::send::prompt_text;
use pollux_session::{AnswerEdit, Command, CommandReceipt, NoteTone, Refusal, SendError, SessionSetting};

/// The longest sentence of a refusal, in characters.
const MAX_REFUSAL_CHARS: usize = 1000;

impl App {
    /// Keep text that no answer carries. Not in the composer: the next Enter would send a file's text as a prompt.
    pub(super) fn keep_unused(&mut self, text: &str) {
        self.composer.remember(text);
        self.say(NoteTone::Warn, "what you wrote was not used; Up or Ctrl+R in the composer brings it back");
    }

    /// A command was accepted or refused.
    pub(crate) fn take_receipt(&mut self, command: &Command, outcome: Result<CommandReceipt, SendError>) {
        // A mode that was refused, or that the session was in already, is in no entry.
        if matches!(command, Command::Set { setting: SessionSetting::Mode(mode) } if outcome.is_err() || *mode == self.view.mode())
        {
            self.sent_mode = None;
        }
        match outcome {
            Ok(receipt) => {
                if matches!(command, Command::Prompt { .. } | Command::Answer { .. } | Command::Message { .. }) {
                    self.own_entries.record_receipt(&receipt);
                }
            }
            Err(error) => {
                // What was typed is not lost with the refusal.
                if let Some(text) = prompt_text(command)
                    && self.composer.is_empty()
                {
                    self.composer.set_text(text.to_owned());
                }
                self.say(NoteTone::Bad, one_line(&error.to_string(), MAX_REFUSAL_CHARS));
                match command {
                    Command::Answer { edit: Some(AnswerEdit::Content { new }), .. } => self.keep_unused(new),
                    Command::Answer { edit: Some(AnswerEdit::Files { files }), .. } => {
                        files.iter().for_each(|file| self.keep_unused(&file.new));
                    }
                    _ => {}
                }
                if matches!(error, SendError::Refused(Refusal::UnknownModel { .. })) {
                    self.say(NoteTone::Info, "nothing has changed; /model lists what can be had");
                }
            }
        }
    }
}
