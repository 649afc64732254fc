//! What stands in the composer's place and takes the keys: dialogs, lists, pages to read.

pub(crate) mod ask_dialog;
mod ask_form;
mod choice_dialog;
pub(crate) mod confirm_dialog;
mod diff;
pub(crate) mod endpoint_panel;
mod key_guard;
mod line_builder;
mod line_cache;
pub(crate) mod list_picker;
mod option_list;
pub(crate) mod pager;
pub(crate) mod pickers;
mod plan_review;
mod question_tabs;
mod scroll;
mod text_area;
pub(crate) mod trust_dialog;

#[cfg(test)]
mod testing;

pub use endpoint_panel::{EndpointAccess, EndpointState};
pub use pickers::{ClientRow, SessionFolders, SessionRow};

pub(crate) use line_builder::fit;

use super::rendered_lines::RenderedLines;
use super::theme::Theme;
use ask_dialog::UnsentText;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::{CallId, Command, EditedFile, Seq, SessionId, SessionView};
use std::time::Instant;

/// A part of the screen that takes keys.
pub(crate) trait Overlay: Send {
    /// What the person pressed.
    fn key(&mut self, key: KeyEvent) -> OverlayStep;

    /// What the person pasted.
    fn paste(&mut self, text: &str) -> OverlayStep {
        let _ = text;
        OverlayStep::Stay
    }

    /// The session went on: what this layer is about may be over.
    fn follow(&mut self, view: &SessionView) -> OverlayStep {
        let _ = view;
        OverlayStep::Stay
    }

    /// What the person has written in it that nobody will take any more; it is told once.
    fn unsent(&mut self) -> Vec<UnsentText> {
        Vec::new()
    }

    /// It is on the screen again, after something else was: keys that were meant for that must not count here.
    fn appears(&mut self) {}

    /// Whether a text stands in the composer, which this layer is in the place of.
    fn set_has_draft(&mut self, has_draft: bool) {
        let _ = has_draft;
    }

    /// Whether the person trusts the folder, where that is known.
    fn set_folder_trust(&mut self, is_folder_trusted: Option<bool>) {
        let _ = is_folder_trusted;
    }

    /// What it looks like. No line is wider than `width`, and there are at most `height` of them.
    fn render(&self, width: u16, height: u16, theme: &Theme) -> RenderedLines;

    /// When it looks different although nothing happened: it wants to be drawn again then.
    fn changes_at(&self) -> Option<Instant> {
        None
    }

    /// Whether it wants the whole screen, in the terminal's alternate one.
    fn is_full_screen(&self) -> bool {
        false
    }
}

/// What comes of a key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OverlayStep {
    /// The layer stays, whether it changed or not.
    Stay,
    /// The layer stays and has no use for this: if it is text, the person is writing a prompt, and the composer has it.
    ForComposer,
    /// It is done.
    Close,
    /// This is to be done, and the layer stays.
    Do(UiEffect),
    /// This is to be done, and the layer is done.
    Finish(UiEffect),
}

/// A prompt to go back to, and what the files were like then.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RewindPoint {
    pub(crate) seq: Seq,
    /// The prompt.
    pub(crate) text: String,
    /// The number of the first checkpoint after it.
    pub(crate) checkpoint: String,
}

/// What a part of the screen wants done that it cannot do by itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum UiEffect {
    /// Send this to the session. A refusal is shown in words.
    Send(Command),
    /// Send all of these, one after the other.
    SendEach(Vec<Command>),
    /// Say this to the agent, as if it had been typed and sent.
    Prompt(String),
    /// Decline what is asked, and tell the agent what to do instead, as one command.
    Instead {
        /// The answers.
        declined: Vec<Command>,
        text: String,
    },
    /// Let the person change the new content of a file in their own editor, then allow the call with it.
    EditContent {
        /// The call that asks.
        call: CallId,
        /// The option chosen.
        option: String,
        /// The file's name, for the editor's colours.
        name: String,
        /// Its path, where the answer has to say which file it means.
        path: Option<String>,
        /// What would be written.
        content: String,
        /// The other files that the person has changed.
        others: Vec<EditedFile>,
    },
    /// Let the person write the composer's text in their own editor.
    EditDraft,
    /// Put this into the clipboard.
    Copy(String),
    /// Use the theme of this name.
    UseTheme(String),
    /// Leave this session for that one.
    Resume(SessionId),
    /// Go back to before the prompt at this entry, and have its text to change.
    Rewind(Seq, String),
    /// Ask whether files go back too.
    AskRewindScope(RewindPoint),
    /// Go back to before a prompt with the files, after the agent has shown what changes.
    RewindFiles(RewindPoint),
    /// Open the endpoint; on any free port when none is named.
    OpenEndpoint(Option<u16>),
    /// Close the endpoint.
    CloseEndpoint,
    /// Ask a client to leave, by the id that the list gives it.
    RemoveClient(u64),
    /// Write down what the person thinks of this folder.
    Trust(TrustChoice),
    /// End the program.
    Quit,
}

/// What a person thinks of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustChoice {
    /// This folder and everything below it is trusted.
    Folder,
    /// So is the folder above it.
    Parent,
    /// It is not.
    Never,
}

/// Ctrl+C, which closes whatever stands above the composer.
fn is_interrupt(key: KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c')
}

/// Ctrl+C or Ctrl+D: what leaves everything else leaves a list and a question too.
fn is_leaving(key: KeyEvent) -> bool {
    is_interrupt(key) || key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('d')
}

/// The key, or none when it was pressed together with Ctrl or Alt: `y` says yes, Ctrl+Y does not.
fn unmodified_key(key: KeyEvent) -> KeyCode {
    match key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        true => KeyCode::Null,
        false => key.code,
    }
}
