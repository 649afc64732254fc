//! Help and the lines at the exit as they fit a terminal: what is left to the terminal breaks in the middle of words.

use crate::frontend::choose_colour;
use pollux_tui::ColourMode;
use rustix::termios::tcgetwinsize;
use std::io::{IsTerminal, Write};
use std::os::fd::AsFd;

#[cfg(test)]
mod tests;

/// In fewer columns no line is broken: there would be a word on each.
const MIN_COLUMNS: usize = 20;

/// Print clap's help or error to the stream where it belongs.
pub(crate) fn print_flag_help(error: &clap::Error) -> std::io::Result<()> {
    match error.use_stderr() {
        true => print_to(error, std::io::stderr()),
        false => print_to(error, std::io::stdout()),
    }
}

fn print_to(error: &clap::Error, mut stream: impl Write + AsFd + IsTerminal) -> std::io::Result<()> {
    let Some(columns) = line_columns(&stream) else { return error.print() };
    let styled = match choose_colour() {
        ColourMode::Always => error.render().ansi().to_string(),
        ColourMode::Never => error.render().to_string(),
    };
    write!(stream, "{}", wrap_lines(&styled, columns))
}

/// The columns at which lines for `stream` are broken; `None` if they are not.
pub(crate) fn line_columns(stream: &(impl AsFd + IsTerminal)) -> Option<usize> {
    let columns = tcgetwinsize(stream).map_or(0, |size| usize::from(size.ws_col));
    (stream.is_terminal() && columns >= MIN_COLUMNS).then_some(columns)
}

/// `text` with lines that are wider than `columns` broken between words. What is broken off stands below the description
/// in its line, or below the beginning of the line.
pub(crate) fn wrap_lines(text: &str, columns: usize) -> String {
    let lines =
        text.split('\n').map(|line| if visible_width(line) > columns { wrap(line, columns) } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

fn wrap(line: &str, columns: usize) -> String {
    let indent = line.len() - line.trim_start().len();
    // A name, a gap, and what is said of it.
    let gap = line[indent..].find("  ").map(|at| indent + at);
    let described = gap.map(|at| at + line[at..].len() - line[at..].trim_start().len());
    let start = described.filter(|at| visible_width(&line[..*at]) <= columns / 2).unwrap_or(indent);
    let hang = visible_width(&line[..start]);
    let mut wrapped = line[..start].to_owned();
    let mut column = hang;
    for word in line[start..].split(' ') {
        let width = visible_width(word);
        if column > hang && column + 1 + width > columns {
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(hang));
            column = hang;
        } else if column > hang {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += width;
    }
    wrapped
}

/// The columns that `text` takes, without the colours in it.
fn visible_width(text: &str) -> usize {
    let width = |shown: &str| shown.chars().count();
    let mut parts = text.split('\u{1b}');
    let first = parts.next().map_or(0, width);
    first + parts.map(|part| part.split_once('m').map_or(0, |(_, shown)| width(shown))).sum::<usize>()
}
