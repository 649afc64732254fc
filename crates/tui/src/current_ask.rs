//! The ask a person is looking at. One at a time; it stays until the log says it is closed, then the next one comes.

use crate::question_form::{DECLINE, QuestionForm, SKIP};
use crate::terminal_command::TerminalCommand;
use pollux_session::{Ask, AskDetails, AskOption, CallId, EntryOrigin, PatchedFile, SessionView};
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// For so long after an ask took the place of another one, an answer may have been meant for that one.
const REPLACED_ASK_WINDOW: Duration = Duration::from_secs(1);

/// The sentence for a person whose answer is unsure.
pub(crate) const REPLACED_ASK_SENTENCE: &str =
    "not taken: the ask before this one was closed elsewhere just now. Look at this one and answer again";

/// Which ask is on the screen.
#[derive(Debug, Default)]
pub(crate) struct CurrentAsk {
    call: Option<CallId>,
    /// Its questions, if it has any.
    form: Option<QuestionForm>,
    shown_at: Option<Instant>,
    /// The newest ask that was closed elsewhere while it was on the screen.
    closed_elsewhere: Option<ClosedAsk>,
    /// The newest ask for which this seat has been told that its answer came too late.
    reported_late: Option<CallId>,
}

/// An ask that was closed elsewhere before the person had typed anything.
#[derive(Debug)]
struct ClosedAsk {
    call: CallId,
    options: Vec<AskOption>,
    /// True if it had questions: then anything typed may have been meant for it.
    has_questions: bool,
    at: Instant,
}

/// The meaning of a typed line for an ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypedReply {
    /// This option.
    Choose(String),
    /// The option that allows it once, with the content of this file.
    EditFrom { option: String, path: String },
    /// The option that allows it once, with the content of this file for one file of a patch, by its absolute path.
    EditFileFrom { option: String, file: String, path: String },
    /// This option, with what the person was asked for.
    Answers { option: String, answers: Value },
    /// Taken; there is more to answer before anything is sent.
    Next,
    /// No answer; the sentence says why.
    Invalid(String),
    /// Nothing that the ask offers.
    Unclear,
}

/// The target of an answer: this ask, or perhaps another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyTarget {
    /// It is for the ask on the screen.
    Current,
    /// It was typed for this ask, which has been closed elsewhere.
    TooLate(CallId),
    /// The ask on the screen has only just replaced one that was closed elsewhere.
    Unsure,
}

impl CurrentAsk {
    /// The ask on the screen.
    pub(crate) fn call(&self) -> Option<CallId> {
        self.call
    }

    /// The questions of the ask on the screen, if it has any.
    pub(crate) fn form(&self) -> Option<&QuestionForm> {
        self.form.as_ref()
    }

    /// True if a line that starts with a slash or a `!` is for the question on the screen.
    pub(crate) fn takes_marked(&self, line: &str) -> bool {
        let is_text = || line.starts_with('!') || matches!(TerminalCommand::parse(line), TerminalCommand::Agent(_));
        match &self.form {
            Some(form) if form.question().is_some() => {
                matches!(line, SKIP | DECLINE) || (form.takes_text() && is_text())
            }
            Some(_) | None => false,
        }
    }

    /// Read a line as the answer to the ask on the screen.
    pub(crate) fn read(&mut self, view: &SessionView, line: &str) -> TypedReply {
        let ask = self.call.and_then(|call| view.call(call)).and_then(|call| call.ask.as_ref());
        match (ask, &mut self.form) {
            (Some(ask), Some(form)) => form.read(ask, line),
            (Some(ask), None) => read_reply(ask, line),
            (None, _) => TypedReply::Unclear,
        }
    }

    /// After an entry is folded in: the ask that has to be shown now, if it is another one.
    pub(crate) fn follow(&mut self, view: &SessionView, whose: EntryOrigin) -> Option<CallId> {
        if self.call.is_some_and(|call| view.is_asking(call)) {
            return None;
        }
        if let Some(call) = self.call.filter(|call| whose == EntryOrigin::Other && self.reported_late != Some(*call)) {
            let ask = view.call(call).and_then(|call| call.ask.as_ref());
            let questions = self.form.is_some();
            self.closed_elsewhere = ask.map(|ask| ClosedAsk {
                call,
                options: ask.options.clone(),
                has_questions: questions,
                at: Instant::now(),
            });
        }
        let next = view.asking().next();
        self.call = next.map(|call| call.id);
        self.form = next.and_then(|call| call.ask.as_ref()).and_then(QuestionForm::from_ask);
        self.shown_at = self.call.map(|_| Instant::now());
        self.call
    }

    /// The answer to `call` was refused, so the person knows that it is closed.
    pub(crate) fn mark_refused(&mut self, call: CallId) {
        self.reported_late = Some(call);
    }

    /// The target of a line that may be an answer. A person answers a lost ask once, with the next thing they type.
    pub(crate) fn reply_target(&mut self, line: &str) -> ReplyTarget {
        let Some(lost) = self.closed_elsewhere.take() else { return ReplyTarget::Current };
        let recent = |then: Instant| then.elapsed() < REPLACED_ASK_WINDOW;
        let answers_it = lost.has_questions || choose(&lost.options, line).is_some();
        match self.call {
            _ if !answers_it => ReplyTarget::Current,
            None => ReplyTarget::TooLate(lost.call),
            Some(_) if recent(lost.at) && self.shown_at.is_some_and(recent) => ReplyTarget::Unsure,
            Some(_) => ReplyTarget::Current,
        }
    }
}

/// Read a line as the answer to an ask without questions: an option, or `e PATH`.
fn read_reply(ask: &Ask, line: &str) -> TypedReply {
    let line = line.trim();
    if let Some(choice) = choose(&ask.options, line) {
        return TypedReply::Choose(choice.id.clone());
    }
    let path = line.strip_prefix("e ").map(str::trim).filter(|path| !path.is_empty());
    let once = ask.options.iter().find(|option| option.allows && option.grant.is_none());
    match (&ask.details, path, once) {
        (AskDetails::Edit(_), Some(path), Some(once)) => {
            TypedReply::EditFrom { option: once.id.clone(), path: path.to_owned() }
        }
        (AskDetails::Patch { files }, Some(rest), Some(once)) => match pick_file(files, rest) {
            Some((file, path)) => TypedReply::EditFileFrom {
                option: once.id.clone(),
                file: file.diff.path.clone(),
                path: path.to_owned(),
            },
            None => TypedReply::Unclear,
        },
        _ => TypedReply::Unclear,
    }
}

/// The file that `NUMBER PATH` means, and the path; a patch of one file needs no number.
fn pick_file<'a, 'b>(files: &'a [PatchedFile], typed: &'b str) -> Option<(&'a PatchedFile, &'b str)> {
    let numbered = typed.split_once(' ').and_then(|(number, path)| {
        let at = number.parse::<usize>().ok()?.checked_sub(1)?;
        Some((files.get(at)?, path.trim()))
    });
    let only = || files.first().filter(|_| files.len() == 1).map(|file| (file, typed));
    numbered.or_else(only).filter(|(file, path)| file.is_editable() && !path.is_empty())
}

/// The option with this number, from 1, or this id, or the one that `yes`, `no` or `decline` means.
pub(crate) fn choose<'a>(options: &'a [AskOption], line: &str) -> Option<&'a AskOption> {
    let line = line.trim();
    let by_number = line.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
    by_number.or_else(|| options.iter().find(|option| option.id == line)).or_else(|| {
        match line.to_lowercase().as_str() {
            "y" | "yes" => only_option(options, |option| option.allows && option.grant.is_none()),
            "n" | "no" | "decline" => only_option(options, |option| !option.allows),
            _ => None,
        }
    })
}

/// The option that `is_meant`; `None` if several are, because then the person has to say which.
fn only_option(options: &[AskOption], is_meant: impl Fn(&AskOption) -> bool) -> Option<&AskOption> {
    let mut meant = options.iter().filter(|option| is_meant(option));
    meant.next().filter(|_| meant.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::{TypedReply, read_reply};
    use pollux_session::{Ask, AskDetails, FileDiff, Grant, cancel_choice, once_choice, session_choice};
    use pretty_assertions::assert_eq;

    fn ask(details: AskDetails) -> Ask {
        Ask::new(details, vec![session_choice(Grant::Tool { tool: "t".into() }), once_choice(), cancel_choice()])
    }

    fn edit() -> AskDetails {
        AskDetails::Edit(FileDiff {
            name: "a".into(),
            path: "/w/a".into(),
            old: None,
            new: "x".into(),
            patch: "+x".into(),
        })
    }

    #[test]
    fn numbers_and_ids_choose() {
        let ask = ask(AskDetails::generic("d"));
        let chosen = |id: &str| TypedReply::Choose(id.into());
        assert_eq!(
            ["1", " 2 ", "3", "cancel", "Decline", "proceed_once"].map(|line| read_reply(&ask, line)),
            ["proceed_always", "proceed_once", "cancel", "cancel", "cancel", "proceed_once"].map(chosen)
        );
        for line in ["", "0", "4", "-1", "yess", "not", "1 2", "e new.txt", "Cancel it"] {
            assert_eq!(read_reply(&ask, line), TypedReply::Unclear, "{line}");
        }
    }

    #[test]
    fn yes_allows_once_and_no_cancels_where_only_one_option_can_be_meant() {
        let asked = ask(AskDetails::generic("d"));
        assert_eq!(
            ["y", "Yes", "n", " NO "].map(|line| read_reply(&asked, line)),
            ["proceed_once", "proceed_once", "cancel", "cancel"].map(|id| TypedReply::Choose(id.into()))
        );
        let twice = Ask::new(AskDetails::generic("d"), vec![once_choice(), once_choice()]);
        assert_eq!(["y", "n"].map(|line| read_reply(&twice, line)), [TypedReply::Unclear, TypedReply::Unclear]);
    }

    #[test]
    fn only_a_file_change_can_be_edited_and_only_once() {
        let wanted = TypedReply::EditFrom { option: "proceed_once".into(), path: "my new.txt".into() };
        assert_eq!(read_reply(&ask(edit()), "e  my new.txt"), wanted);
        assert_eq!(read_reply(&ask(edit()), "e"), TypedReply::Unclear);
        assert_eq!(read_reply(&Ask::new(edit(), vec![cancel_choice()]), "e new.txt"), TypedReply::Unclear);
    }
}
