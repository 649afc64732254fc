//! An ask: what will happen, all of it, and what may be chosen.

use super::call::heading;
use crate::page::{GUTTER, Page, Style};
use crate::sanitize::{count_gaps, one_line};
use crate::view::View;
use pollux_session::{Ask, Call, Details, FileDiff};

/// The whole ask of a call. Nothing in it is ever cut.
pub(crate) fn ask_block(view: &View, call: &Call) -> Page {
    let mut page = Page::default();
    let Some(ask) = &call.ask else { return page };
    let open = view.asking().count();
    let count = if open > 1 { format!("  (1 of {open} open asks)") } else { String::new() };
    page.fresh().put(Style::Bold, format!("? {}", heading(view, call.id))).put(Style::Dim, count).fresh();
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
        Details::Generic { description } => {
            page.line_in(GUTTER, Style::Plain, count_gaps(description));
        }
    }
    options(&mut page, ask);
    page
}

/// An ask that was drawn before and is still open: its name and options.
pub(crate) fn ask_again(view: &View, call: &Call) -> Page {
    let mut page = Page::default();
    let Some(ask) = &call.ask else { return page };
    page.line(Style::Bold, format!("? {}", heading(view, call.id)));
    options(&mut page, ask);
    page
}

/// `1-3`: the numbers that may be typed.
pub(crate) fn offered(ask: &Ask) -> String {
    match ask.options.len() {
        0 | 1 => "1".to_owned(),
        count => format!("1-{count}"),
    }
}

fn options(page: &mut Page, ask: &Ask) {
    for (number, option) in ask.options.iter().enumerate() {
        // The label of a grant quotes the command it grants, so it is untrusted and never cut.
        page.line(Style::Plain, format!("  {}. {}", number + 1, one_line(&option.name, usize::MAX)));
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
    // Not `lines`: a carriage return at the end of a line is part of what is shown.
    for line in change.patch.trim_end_matches('\n').split('\n') {
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
