//! Everything a key can do.

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
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

impl Action {
    /// Whether it does the same while an ask is on the screen.
    pub(crate) fn stands_above_asks(self) -> bool {
        matches!(
            self,
            Action::Interrupt
                | Action::Suspend
                | Action::CycleMode
                | Action::OpenDetails
                | Action::Redraw
                | Action::ToggleAsks
        )
    }
}

/// An action as people name it and what they press for it.
pub(super) struct ActionInfo {
    pub(super) action: Action,
    pub(super) name: &'static str,
    pub(super) does: &'static str,
    pub(super) keys: &'static [&'static str],
}

const fn info(action: Action, name: &'static str, keys: &'static [&'static str], does: &'static str) -> ActionInfo {
    ActionInfo { action, name, does, keys }
}

/// Every action, in the order in which people read of them.
#[rustfmt::skip]
pub(super) const ACTIONS: [ActionInfo; 42] = [
    info(Action::Submit, "input.submit", &["enter"], "send the prompt; while a turn runs it waits in the queue"),
    info(Action::NewLine, "input.newline", &["shift+enter", "ctrl+enter", "alt+enter", "ctrl+j"], "start a new line"),
    info(Action::Cancel, "basic.cancel", &["escape", "ctrl+["], "close what is open, or stop the turn"),
    info(Action::Interrupt, "basic.quit", &["ctrl+c"], "stop the turn, clear the text, or leave"),
    info(Action::Leave, "basic.exit", &["ctrl+d"], "leave when nothing is typed, else delete to the right"),
    info(Action::Suspend, "app.suspend", &["ctrl+z"], "put the program into the background"),
    info(Action::Help, "app.showKeys", &["?"], "show the keys, when nothing is typed"),
    info(Action::CycleMode, "app.cycleApprovalMode", &["shift+tab"], "go to the next mode"),
    info(Action::Yolo, "app.toggleYolo", &["ctrl+y"], "let every tool run without asking, and back"),
    info(Action::OpenDetails, "app.showMoreLines", &["ctrl+o"], "show what was shortened"),
    info(Action::ToggleTodos, "app.showFullTodos", &["ctrl+t"], "show or hide the list of things to do"),
    info(Action::Redraw, "app.clearScreen", &["ctrl+l"], "draw the screen again"),
    info(Action::EditQueue, "input.editQueue", &["alt+up"], "take a waiting prompt back and change it"),
    info(Action::ToggleAsks, "app.toggleAsks", &["alt+a"], "put open asks aside, and look at them again"),
    info(Action::ExternalEditor, "input.openExternalEditor", &["ctrl+g"], "write the prompt in your own editor"),
    info(Action::PasteImage, "input.paste", &["ctrl+v", "alt+v"], "paste an image or text from the clipboard"),
    info(Action::Complete, "suggest.accept", &["tab"], "take the suggestion"),
    info(Action::HistoryUp, "history.previous", &["ctrl+p"], "go to the prompt before"),
    info(Action::HistoryDown, "history.next", &["ctrl+n"], "go to the prompt after"),
    info(Action::SearchHistory, "history.search.start", &["ctrl+r"], "search earlier prompts"),
    info(Action::CursorUp, "cursor.up", &["up"], "go up a line, then through earlier prompts"),
    info(Action::CursorDown, "cursor.down", &["down"], "go down a line, then through later prompts"),
    info(Action::CursorLeft, "cursor.left", &["left", "ctrl+b"], "go left"),
    info(Action::CursorRight, "cursor.right", &["right", "ctrl+f"], "go right"),
    info(Action::WordLeft, "cursor.wordLeft", &["alt+b", "ctrl+left", "alt+left"], "go a word to the left"),
    info(Action::WordRight, "cursor.wordRight", &["alt+f", "ctrl+right", "alt+right"], "go a word to the right"),
    info(Action::LineStart, "cursor.home", &["ctrl+a", "home"], "go to the start of the line"),
    info(Action::LineEnd, "cursor.end", &["ctrl+e", "end"], "go to the end of the line"),
    info(Action::TextStart, "cursor.textStart", &["ctrl+home", "alt+<"], "go to the start of the text"),
    info(Action::TextEnd, "cursor.textEnd", &["ctrl+end", "alt+>"], "go to the end of the text"),
    info(Action::DeleteLeft, "edit.deleteLeft", &["backspace", "shift+backspace", "ctrl+h"], "delete to the left"),
    info(Action::DeleteRight, "edit.deleteRight", &["delete"], "delete to the right"),
    info(Action::DeleteWordLeft, "edit.deleteWordLeft", &["alt+backspace", "ctrl+backspace"], "delete a word to the left"),
    info(Action::DeleteBlankLeft, "edit.deleteBlankLeft", &["ctrl+w"], "delete to the left up to a blank"),
    info(Action::DeleteWordRight, "edit.deleteWordRight", &["alt+d", "ctrl+delete", "alt+delete"], "delete a word to the right"),
    info(Action::KillLeft, "edit.deleteLeftAll", &["ctrl+u"], "delete to the start of the line"),
    info(Action::KillRight, "edit.deleteRightAll", &["ctrl+k"], "delete to the end of the line"),
    info(Action::ClearText, "edit.clear", &[], "delete all of the text"),
    info(Action::Yank, "edit.yank", &["alt+y"], "put back what was deleted last"),
    info(Action::Undo, "edit.undo", &["ctrl+_", "ctrl+7", "alt+z"], "undo"),
    info(Action::Redo, "edit.redo", &["alt+shift+z", "ctrl+shift+z"], "redo"),
    info(Action::TransposeWords, "edit.transposeWords", &["alt+t"], "swap two words"),
];
