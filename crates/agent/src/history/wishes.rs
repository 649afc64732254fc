//! What the person wants of each turn, in the words the model is told.

use pollux_session::{Line, PromptId};
use std::collections::HashMap;

/// Finds them in what is told of a conversation, read line by line.
#[derive(Default)]
pub(crate) struct Wishes<'a> {
    prompts: HashMap<PromptId, &'a str>,
    /// Whether a command has the turn and what it stands for comes next.
    is_commanded: bool,
}

impl<'a> Wishes<'a> {
    /// What is wanted, if this line says it: the prompt where its turn begins or, where the prompt named a command, the
    /// text that the command handed over. The model is not told how the command was called.
    pub(crate) fn hear(&mut self, line: &'a Line) -> Option<&'a str> {
        match line {
            Line::Prompt { id, text, .. } => {
                self.prompts.insert(*id, text);
                None
            }
            Line::Turn { prompt, command, .. } => {
                self.is_commanded = command.is_some();
                let prompt = self.prompts.get(prompt).copied().unwrap_or_default();
                (!self.is_commanded).then_some(prompt)
            }
            // Whatever is attached after it is what the prompt mentions. Where it is no text, its name has to do.
            Line::Attachment { text, .. } => {
                let is_handed = std::mem::take(&mut self.is_commanded);
                (is_handed && !text.trim().is_empty()).then_some(text)
            }
            _ => None,
        }
    }
}
