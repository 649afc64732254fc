//! Everything a key can do.

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyAction {
    Submit,
    NewLine,
    /// Esc: leave what is open, or stop the turn.
    Cancel,
    /// Ctrl+C.
    Interrupt,
    /// Ctrl+D.
    Leave,
    Suspend,
    CycleMode,
    Yolo,
    Complete,
    HistoryUp,
    HistoryDown,
    SearchHistory,
    ExternalEditor,
    PasteImage,
    OpenDetails,
    ToggleTodos,
    Redraw,
    Help,
    EditQueue,
    /// Put open asks aside, and look at them again.
    ToggleAsks,
    CursorUp,
    CursorDown,
    CursorLeft,
    CursorRight,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    DeleteLeft,
    DeleteRight,
    DeleteWordLeft,
    DeleteBlankLeft,
    DeleteWordRight,
    KillLeft,
    KillRight,
    ClearText,
    Yank,
    Undo,
    Redo,
    TransposeWords,
}

impl KeyAction {
    /// Whether it does the same while an ask is on the screen.
    pub(crate) fn stands_above_asks(self) -> bool {
        matches!(
            self,
            KeyAction::Interrupt
                | KeyAction::Suspend
                | KeyAction::CycleMode
                | KeyAction::OpenDetails
                | KeyAction::Redraw
                | KeyAction::ToggleAsks
        )
    }

    /// Whether it only changes the composer's text or moves in it, so that it does the same behind a dialog.
    pub(crate) fn edits_text(self) -> bool {
        matches!(
            self,
            KeyAction::NewLine
                | KeyAction::CursorLeft
                | KeyAction::CursorRight
                | KeyAction::WordLeft
                | KeyAction::WordRight
                | KeyAction::LineStart
                | KeyAction::LineEnd
                | KeyAction::TextStart
                | KeyAction::TextEnd
                | KeyAction::DeleteLeft
                | KeyAction::DeleteRight
                | KeyAction::DeleteWordLeft
                | KeyAction::DeleteBlankLeft
                | KeyAction::DeleteWordRight
                | KeyAction::KillLeft
                | KeyAction::KillRight
                | KeyAction::ClearText
                | KeyAction::Yank
                | KeyAction::Undo
                | KeyAction::Redo
                | KeyAction::TransposeWords
        )
    }
}

/// An action as people name it and what they press for it.
pub(super) struct KeyActionEntry {
    pub(super) action: KeyAction,
    pub(super) name: &'static str,
    pub(super) does: &'static str,
    pub(super) keys: &'static [&'static str],
}

const fn action_entry(
    action: KeyAction,
    name: &'static str,
    keys: &'static [&'static str],
    does: &'static str,
) -> KeyActionEntry {
    KeyActionEntry { action, name, does, keys }
}

/// Every action, in the order in which people read of them.
#[rustfmt::skip]
pub(super) const ACTIONS: [KeyActionEntry; 42] = [
    action_entry(KeyAction::Submit, "input.submit", &["enter"], "send the prompt; while a turn runs it waits in the queue"),
    action_entry(KeyAction::NewLine, "input.newline", &["shift+enter", "ctrl+enter", "alt+enter", "ctrl+j"], "start a new line"),
    action_entry(KeyAction::Cancel, "basic.cancel", &["escape", "ctrl+["], "close what is open, or stop the turn"),
    action_entry(KeyAction::Interrupt, "basic.quit", &["ctrl+c"], "stop the turn, clear the text, or leave"),
    action_entry(KeyAction::Leave, "basic.exit", &["ctrl+d"], "leave when nothing is typed, else delete to the right"),
    action_entry(KeyAction::Suspend, "app.suspend", &["ctrl+z"], "suspend Pollux (resume with fg)"),
    action_entry(KeyAction::Help, "app.showKeys", &["?"], "show the keys, when nothing is typed"),
    action_entry(KeyAction::CycleMode, "app.cycleApprovalMode", &["shift+tab"], "go to the next mode"),
    action_entry(KeyAction::Yolo, "app.toggleYolo", &["ctrl+y"], "switch yolo mode on (nothing asks) or off"),
    action_entry(KeyAction::OpenDetails, "app.showMoreLines", &["ctrl+o"], "show the whole transcript"),
    action_entry(KeyAction::ToggleTodos, "app.showFullTodos", &["ctrl+t"], "show or hide the to-do list"),
    action_entry(KeyAction::Redraw, "app.clearScreen", &["ctrl+l"], "redraw the screen"),
    action_entry(KeyAction::EditQueue, "input.editQueue", &["alt+up"], "edit a waiting prompt"),
    action_entry(KeyAction::ToggleAsks, "app.toggleAsks", &["alt+a"], "hide or show open asks"),
    action_entry(KeyAction::ExternalEditor, "input.openExternalEditor", &["ctrl+g"], "write the prompt in your own editor"),
    action_entry(KeyAction::PasteImage, "input.paste", &["ctrl+v", "alt+v"], "paste an image or text from the clipboard"),
    action_entry(KeyAction::Complete, "suggest.accept", &["tab"], "take the suggestion"),
    action_entry(KeyAction::HistoryUp, "history.previous", &["ctrl+p"], "previous prompt"),
    action_entry(KeyAction::HistoryDown, "history.next", &["ctrl+n"], "next prompt"),
    action_entry(KeyAction::SearchHistory, "history.search.start", &["ctrl+r"], "search earlier prompts"),
    action_entry(KeyAction::CursorUp, "cursor.up", &["up"], "go up a line, then through earlier prompts"),
    action_entry(KeyAction::CursorDown, "cursor.down", &["down"], "go down a line, then through later prompts"),
    action_entry(KeyAction::CursorLeft, "cursor.left", &["left", "ctrl+b"], "go left"),
    action_entry(KeyAction::CursorRight, "cursor.right", &["right", "ctrl+f"], "go right"),
    action_entry(KeyAction::WordLeft, "cursor.wordLeft", &["alt+b", "ctrl+left", "alt+left"], "go a word to the left"),
    action_entry(KeyAction::WordRight, "cursor.wordRight", &["alt+f", "ctrl+right", "alt+right"], "go a word to the right"),
    action_entry(KeyAction::LineStart, "cursor.home", &["ctrl+a", "home"], "go to the start of the line"),
    action_entry(KeyAction::LineEnd, "cursor.end", &["ctrl+e", "end"], "go to the end of the line"),
    action_entry(KeyAction::TextStart, "cursor.textStart", &["ctrl+home", "alt+<"], "go to the start of the text"),
    action_entry(KeyAction::TextEnd, "cursor.textEnd", &["ctrl+end", "alt+>"], "go to the end of the text"),
    action_entry(KeyAction::DeleteLeft, "edit.deleteLeft", &["backspace", "shift+backspace", "ctrl+h"], "delete to the left"),
    action_entry(KeyAction::DeleteRight, "edit.deleteRight", &["delete"], "delete to the right"),
    action_entry(KeyAction::DeleteWordLeft, "edit.deleteWordLeft", &["alt+backspace", "ctrl+backspace"], "delete a word to the left"),
    action_entry(KeyAction::DeleteBlankLeft, "edit.deleteBlankLeft", &["ctrl+w"], "delete to the previous space"),
    action_entry(KeyAction::DeleteWordRight, "edit.deleteWordRight", &["alt+d", "ctrl+delete", "alt+delete"], "delete a word to the right"),
    action_entry(KeyAction::KillLeft, "edit.deleteLeftAll", &["ctrl+u"], "delete to the start of the line"),
    action_entry(KeyAction::KillRight, "edit.deleteRightAll", &["ctrl+k"], "delete to the end of the line"),
    action_entry(KeyAction::ClearText, "edit.clear", &[], "delete all of the text"),
    action_entry(KeyAction::Yank, "edit.yank", &["alt+y"], "paste the last deleted text"),
    action_entry(KeyAction::Undo, "edit.undo", &["ctrl+_", "ctrl+7", "alt+z"], "undo"),
    action_entry(KeyAction::Redo, "edit.redo", &["alt+shift+z", "ctrl+shift+z"], "redo"),
    action_entry(KeyAction::TransposeWords, "edit.transposeWords", &["alt+t"], "swap two words"),
];
