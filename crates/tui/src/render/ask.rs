//! An ask: what will happen, all of it, and what may be chosen.

use super::question::draw_question;
use crate::draw_list::{DrawList, GUTTER, TextStyle};
use crate::fenced_diff::{DescriptionPart, split_diffs};
use crate::question_form::QuestionForm;
use crate::sanitize::{count_gaps, one_line};
use pollux_session::{
    Ask, AskDetails, CallState, FileDiff, PatchedFile, SessionView, ask_heading, choice_label, describe_run, plural,
    stated_purpose,
};

/// The most characters of a question that is mentioned again.
const MENTION_CHARS: usize = 200;

/// The whole ask of a call. Nothing in it is ever cut.
pub(crate) fn render_ask(view: &SessionView, call: &CallState, form: Option<&QuestionForm>) -> DrawList {
    let mut page = DrawList::default();
    let Some(ask) = &call.ask else { return page };
    let open = view.asking().count();
    let count = if open > 1 { format!("  (1 of {open} open asks)") } else { String::new() };
    page.fresh()
        .put(TextStyle::Bold, format!("? {}", ask_heading(view.state(), call.id)))
        .put(TextStyle::Dim, count)
        .fresh();
    match &ask.details {
        AskDetails::Execute { command, directory } => {
            page.line(TextStyle::Plain, format!("  {}:", describe_run(directory, &call.args)));
            page.line_in(GUTTER, TextStyle::Bold, count_gaps(command));
            if let Some(purpose) = stated_purpose(&call.args) {
                page.line(TextStyle::Dim, format!("  {purpose}"));
            }
        }
        AskDetails::Edit(change) => {
            let verb = if change.old.is_some() { "change" } else { "create" };
            page.line(TextStyle::Plain, format!("  {verb} {}:", one_line(&change.path, usize::MAX)));
            draw_diff(&mut page, change);
        }
        AskDetails::Patch { files } => {
            page.line(TextStyle::Plain, format!("  change {}:", plural(files.len(), "file")));
            for (number, file) in files.iter().enumerate() {
                page.line(TextStyle::Bold, format!("  file {}: {}", number + 1, file.title()));
                if let Some(change) = file.changed_content() {
                    draw_diff(&mut page, change);
                }
            }
        }
        AskDetails::Generic { description, .. } if form.is_some_and(|form| form.restates(description)) => {}
        AskDetails::Generic { description, .. } => {
            for part in split_diffs(description) {
                match part {
                    DescriptionPart::Words(words) => {
                        page.line_in(GUTTER, TextStyle::Plain, count_gaps(words));
                    }
                    DescriptionPart::Diff(patch) => diff_lines(&mut page, patch),
                }
            }
        }
        AskDetails::Mcp { server, tool, version } => {
            let (tool, server) = (one_line(tool, usize::MAX), one_line(server, usize::MAX));
            page.line(TextStyle::Plain, format!("  call {tool} of the MCP server {server} with:"));
            page.line_in(GUTTER, TextStyle::Plain, format!("{:#}", call.args));
            if let Some(notice) = version.change_notice() {
                page.line(TextStyle::Bold, format!("  {notice}"));
            }
        }
    }
    if let Some(reason) = &ask.reason {
        page.line(TextStyle::Dim, format!("  {}", one_line(reason, usize::MAX)));
    }
    draw_accepted_input(&mut page, ask, form);
    page
}

/// An ask that was drawn before and is still open: its name and what may be typed.
pub(crate) fn render_ask_reminder(view: &SessionView, call: &CallState, form: Option<&QuestionForm>) -> DrawList {
    let mut page = DrawList::default();
    let Some(ask) = &call.ask else { return page };
    page.line(TextStyle::Bold, format!("? {}", ask_heading(view.state(), call.id)));
    draw_accepted_input(&mut page, ask, form);
    page
}

/// That an ask is open which was drawn whole before, where other things have been printed since.
pub(crate) fn render_ask_mention(view: &SessionView, call: &CallState, form: Option<&QuestionForm>) -> DrawList {
    let mut page = DrawList::default();
    let asked = form.and_then(QuestionForm::question).map(|(_, asked)| one_line(&asked.text, MENTION_CHARS));
    let asked = asked.filter(|asked| !asked.is_empty()).map(|asked| format!(": {asked}")).unwrap_or_default();
    page.line(TextStyle::Bold, format!("? {}{asked}  (still open)", ask_heading(view.state(), call.id)));
    page
}

/// An ask of which one question was answered: the next one.
pub(crate) fn render_next_question(_: &SessionView, call: &CallState, form: Option<&QuestionForm>) -> DrawList {
    let mut page = DrawList::default();
    if let Some(ask) = &call.ask {
        draw_accepted_input(&mut page, ask, form);
    }
    page
}

/// The input that counts now: the number of an option, or the answer to a question.
fn draw_accepted_input(page: &mut DrawList, ask: &Ask, form: Option<&QuestionForm>) {
    match form.and_then(|form| Some((form.question()?, form.len()))) {
        Some(((number, asked), count)) => draw_question(page, number, count, asked),
        None => draw_options(page, ask),
    }
}

fn draw_options(page: &mut DrawList, ask: &Ask) {
    for (number, option) in ask.options.iter().enumerate() {
        // The label of a grant quotes the command it grants, so it is untrusted and never cut.
        page.line(TextStyle::Plain, format!("  {}. {}", number + 1, choice_label(option)));
    }
    match &ask.details {
        AskDetails::Edit(_) => {
            page.line(TextStyle::Plain, "  e PATH. Allow once, with the content of the file PATH instead");
        }
        AskDetails::Patch { files } if files.iter().any(PatchedFile::is_editable) => {
            let words = "  e NUMBER PATH. Allow once, with the content of PATH for the file of that number";
            page.line(TextStyle::Plain, words);
        }
        AskDetails::Patch { .. } | AskDetails::Execute { .. } | AskDetails::Generic { .. } | AskDetails::Mcp { .. } => {
        }
    }
}

/// A change of a file, line by line. Without a patch the whole new content stands for it.
pub(super) fn draw_diff(page: &mut DrawList, change: &FileDiff) {
    page.fresh();
    if change.patch.is_empty() {
        if change.old.as_ref() == Some(&change.new) {
            page.put_in(GUTTER, TextStyle::Dim, "(no change)\n");
        } else {
            page.put_in(GUTTER, TextStyle::Good, format!("{}\n", change.new.trim_end_matches('\n')));
        }
        return;
    }
    diff_lines(page, &change.patch);
}

fn diff_lines(page: &mut DrawList, patch: &str) {
    page.fresh();
    // Not `lines`: a carriage return at the end of a line is part of what is shown.
    for line in patch.trim_end_matches('\n').split('\n') {
        let style = match line.as_bytes().first() {
            Some(b'+') => TextStyle::Good,
            Some(b'-') => TextStyle::Bad,
            Some(b'@') => TextStyle::Accent,
            _ => TextStyle::Plain,
        };
        page.put_in(GUTTER, style, format!("{line}\n"));
    }
    page.fresh();
}
