//! An ask: what will happen, all of it, and what may be chosen.

use super::question::question;
use super::tool_words::{ask_heading, choice_label};
use crate::fenced_diff::{DescriptionPart, split_diffs};
use crate::form::Form;
use crate::page::{GUTTER, Page, Style};
use crate::sanitize::{count_gaps, one_line};
use crate::view::View;
use pollux_session::{Ask, Call, Details, FileDiff};

/// The whole ask of a call. Nothing in it is ever cut.
pub(crate) fn ask_block(view: &View, call: &Call, form: Option<&Form>) -> Page {
    let mut page = Page::default();
    let Some(ask) = &call.ask else { return page };
    let open = view.asking().count();
    let count = if open > 1 { format!("  (1 of {open} open asks)") } else { String::new() };
    page.fresh().put(Style::Bold, format!("? {}", ask_heading(view, call.id))).put(Style::Dim, count).fresh();
    match &ask.details {
        Details::Execute { command, directory } => {
            page.line(Style::Plain, format!("  run in {}:", one_line(directory, usize::MAX)));
            page.line_in(GUTTER, Style::Bold, count_gaps(command));
        }
        Details::Edit(change) => {
            let verb = if change.old.is_some() { "change" } else { "create" };
            page.line(Style::Plain, format!("  {verb} {}:", one_line(&change.path, usize::MAX)));
            diff(&mut page, change);
        }
        Details::Generic { description, .. } if form.is_some_and(|form| form.restates(description)) => {}
        Details::Generic { description, .. } => {
            for part in split_diffs(description) {
                match part {
                    DescriptionPart::Words(words) => {
                        page.line_in(GUTTER, Style::Plain, count_gaps(words));
                    }
                    DescriptionPart::Diff(patch) => diff_lines(&mut page, patch),
                }
            }
        }
        Details::Mcp { server, tool, version } => {
            let (tool, server) = (one_line(tool, usize::MAX), one_line(server, usize::MAX));
            page.line(Style::Plain, format!("  call {tool} of the MCP server {server} with:"));
            page.line_in(GUTTER, Style::Plain, format!("{:#}", call.args));
            if let Some(notice) = version.change_notice() {
                page.line(Style::Bold, format!("  {notice}"));
            }
        }
    }
    offer(&mut page, ask, form);
    page
}

/// An ask that was drawn before and is still open: its name and what may be typed.
pub(crate) fn ask_again(view: &View, call: &Call, form: Option<&Form>) -> Page {
    let mut page = Page::default();
    let Some(ask) = &call.ask else { return page };
    page.line(Style::Bold, format!("? {}", ask_heading(view, call.id)));
    offer(&mut page, ask, form);
    page
}

/// An ask of which one question was answered: the next one.
pub(crate) fn ask_on(_: &View, call: &Call, form: Option<&Form>) -> Page {
    let mut page = Page::default();
    if let Some(ask) = &call.ask {
        offer(&mut page, ask, form);
    }
    page
}

/// What may be typed now: the number of an option, or the answer to a question.
fn offer(page: &mut Page, ask: &Ask, form: Option<&Form>) {
    match form.and_then(|form| Some((form.question()?, form.len()))) {
        Some(((number, asked), count)) => question(page, number, count, asked),
        None => options(page, ask),
    }
}

fn options(page: &mut Page, ask: &Ask) {
    for (number, option) in ask.options.iter().enumerate() {
        // The label of a grant quotes the command it grants, so it is untrusted and never cut.
        page.line(Style::Plain, format!("  {}. {}", number + 1, choice_label(option)));
    }
    if matches!(ask.details, Details::Edit(_)) {
        page.line(Style::Plain, "  e PATH. Allow once, with the content of the file PATH instead");
    }
}

/// A change of a file, line by line. Without a patch the whole new content stands for it.
pub(super) fn diff(page: &mut Page, change: &FileDiff) {
    page.fresh();
    if change.patch.is_empty() {
        if change.old.as_ref() == Some(&change.new) {
            page.put_in(GUTTER, Style::Dim, "(no change)\n");
        } else {
            page.put_in(GUTTER, Style::Good, format!("{}\n", change.new.trim_end_matches('\n')));
        }
        return;
    }
    diff_lines(page, &change.patch);
}

fn diff_lines(page: &mut Page, patch: &str) {
    page.fresh();
    // Not `lines`: a carriage return at the end of a line is part of what is shown.
    for line in patch.trim_end_matches('\n').split('\n') {
        let style = match line.as_bytes().first() {
            Some(b'+') => Style::Good,
            Some(b'-') => Style::Bad,
            Some(b'@') => Style::Accent,
            _ => Style::Plain,
        };
        page.put_in(GUTTER, style, format!("{line}\n"));
    }
    page.fresh();
}
