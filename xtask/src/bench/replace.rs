//! `replace` on a large file, beside Gemini CLI's.

use super::BenchContext;
use super::comparison_table::{BenchFigure, ComparisonTable};
use super::mcp::{self, BenchMcpClient};
use super::search::timed;
use crate::gemini_cli;
use crate::say;
use anyhow::Result;
use serde_json::{Value, json};
use std::cell::Cell;
use std::fmt::Write;
use std::path::Path;

const NAME: &str = "large.txt";

/// Change one line in the middle of a large file, again and again.
pub(super) fn measure(bench: &BenchContext<'_>) -> Result<ComparisonTable> {
    let place = bench.create_directory("replace")?;
    let workspace = place.join("workspace");
    std::fs::create_dir_all(&workspace)?;
    let (megabytes, rounds) = (bench.args.megabytes, bench.args.rounds);
    say(format_args!("replace: one line of {megabytes} MB, {rounds} times"));
    let middle = create_file(&workspace, megabytes)?;

    let mut sheet = ComparisonTable::new("replace", &["pollux", gemini_cli::NAME]);
    let turn = Cell::new(0_u32);
    let next = || {
        let number = turn.replace(turn.get() + 1);
        change(&middle, number)
    };
    let mut client = BenchMcpClient::start(mcp::program(bench.binary, &place, &workspace).args([
        "mcp-server",
        "-m",
        "demo",
        "--approval-mode",
        "yolo",
    ]))?;
    let ours = timed(rounds, || client.call("replace", &next()).map(|(_, took)| took))?;
    drop(client);
    let theirs = match bench.find_gemini_cli()? {
        None => {
            sheet.note(format!("{}: not installed", gemini_cli::NAME));
            None
        }
        Some(theirs) => match timed(rounds.min(3), || theirs.tool_time(&workspace, "replace", &next())) {
            Ok(time) => Some(time),
            Err(error) => {
                sheet.note(format!("{}: {error:#}", gemini_cli::NAME));
                None
            }
        },
    };
    sheet.row(format!("one line of {megabytes} MB"), &[Some(BenchFigure::Time(ours)), theirs.map(BenchFigure::Time)]);
    std::fs::remove_dir_all(&workspace)?;
    Ok(sheet)
}

/// A file of numbered lines; returns the one in the middle.
fn create_file(workspace: &Path, megabytes: usize) -> Result<String> {
    let line = |number: usize| format!("line {number:07} of a file that is longer than anybody reads");
    let count = megabytes * 1_000_000 / (line(0).len() + 1);
    let mut text = String::new();
    for number in 0..count {
        let _ = writeln!(text, "{}", line(number));
    }
    std::fs::write(workspace.join(NAME), text)?;
    Ok(line(count / 2))
}

/// The arguments of the change number `turn`: each finds what the one before has left.
fn change(middle: &str, turn: u32) -> Value {
    let marked = |turn: u32| if turn == 0 { format!("{middle}\n") } else { format!("{middle} (change {turn})\n") };
    json!({
        "file_path": NAME,
        "instruction": "Number the change.",
        "old_string": marked(turn),
        "new_string": marked(turn + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_finds_what_the_last_one_left() {
        let (first, second) = (change("x", 0), change("x", 1));
        assert_eq!(first["old_string"], "x\n");
        assert_eq!(first["new_string"], second["old_string"]);
    }
}
