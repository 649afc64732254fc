//! The person's request in each turn, in the words the model is told.

use pollux_session::{MediaContent, PromptId, TranscriptLine};
use std::collections::HashMap;

/// The request of a turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnPrompt<'a> {
    /// In words; `None` where what a command hands over holds none.
    pub(crate) text: Option<&'a str>,
    /// The files that came with it.
    pub(crate) media: &'a [MediaContent],
}

/// Finds them in what is told of a conversation, read line by line.
#[derive(Default)]
pub(crate) struct TurnPromptReader<'a> {
    prompts: HashMap<PromptId, TurnPrompt<'a>>,
    /// The files of the prompt, while a command has its turn and what it stands for comes next.
    commanded: Option<&'a [MediaContent]>,
}

impl<'a> TurnPromptReader<'a> {
    /// The request, if this line says it: the prompt where its turn begins or, where the prompt named a command, the
    /// text that the command handed over. The model is not told how the command was called.
    pub(crate) fn read_line(&mut self, line: &'a TranscriptLine) -> Option<TurnPrompt<'a>> {
        match line {
            TranscriptLine::Prompt { id, text, media, .. } => {
                // Who sends nothing but files says nothing.
                let text = Some(text.as_str()).filter(|text| media.is_empty() || !text.trim().is_empty());
                self.prompts.insert(*id, TurnPrompt { text, media });
                None
            }
            TranscriptLine::Turn { prompt, command, .. } => {
                let prompt = self.prompts.get(prompt).copied().unwrap_or(TurnPrompt { text: Some(""), media: &[] });
                self.commanded = command.is_some().then_some(prompt.media);
                command.is_none().then_some(prompt)
            }
            // Whatever is attached after it is what the prompt mentions. Where it is no text, its name has to do.
            TranscriptLine::Attachment { text, .. } => {
                let media = self.commanded.take()?;
                Some(TurnPrompt { text: Some(text.as_str()).filter(|text| !text.trim().is_empty()), media })
            }
            _ => None,
        }
    }
}
