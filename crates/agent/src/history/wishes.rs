//! What the person wants of each turn, in the words the model is told.

use pollux_session::{Line, Media, PromptId};
use std::collections::HashMap;

/// What is wanted of a turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish<'a> {
    /// In words; `None` where what a command hands over holds none.
    pub(crate) text: Option<&'a str>,
    /// The files that came with it.
    pub(crate) media: &'a [Media],
}

/// Finds them in what is told of a conversation, read line by line.
#[derive(Default)]
pub(crate) struct Wishes<'a> {
    prompts: HashMap<PromptId, Wish<'a>>,
    /// The files of the prompt, while a command has its turn and what it stands for comes next.
    commanded: Option<&'a [Media]>,
}

impl<'a> Wishes<'a> {
    /// What is wanted, if this line says it: the prompt where its turn begins or, where the prompt named a command, the
    /// text that the command handed over. The model is not told how the command was called.
    pub(crate) fn hear(&mut self, line: &'a Line) -> Option<Wish<'a>> {
        match line {
            Line::Prompt { id, text, media, .. } => {
                // Who sends nothing but files says nothing.
                let text = Some(text.as_str()).filter(|text| media.is_empty() || !text.trim().is_empty());
                self.prompts.insert(*id, Wish { text, media });
                None
            }
            Line::Turn { prompt, command, .. } => {
                let prompt = self.prompts.get(prompt).copied().unwrap_or(Wish { text: Some(""), media: &[] });
                self.commanded = command.is_some().then_some(prompt.media);
                command.is_none().then_some(prompt)
            }
            // Whatever is attached after it is what the prompt mentions. Where it is no text, its name has to do.
            Line::Attachment { text, .. } => {
                let media = self.commanded.take()?;
                Some(Wish { text: Some(text.as_str()).filter(|text| !text.trim().is_empty()), media })
            }
            _ => None,
        }
    }
}
