//! `docs/SEEDS.md` answers for every statement of the documents that Pollux implements: each is there once and in order,
//! with a test that is still there under its name, or with a sentence that says why there is none.

use super::TidyFault;
use crate::repo::SourceFile;

const PATH: &str = "docs/SEEDS.md";

/// The letter of each document, in the order of the page, and how many statements it makes. The numbers are those of the
/// audit that read the documents, so a change here needs a new reading.
const STATEMENTS: &[(char, usize)] = &[('R', 92), ('E', 27), ('Q', 43), ('S', 80), ('P', 36)];

/// A row of a table: `| R1 | statement | tests | remark |`.
struct StatementRow<'a> {
    line: usize,
    number: &'a str,
    tests: &'a str,
    remark: &'a str,
}

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let Some(page) = sources.iter().find(|source| source.path == PATH) else {
        return vec![TidyFault::file(PATH, "there is no list of what the seed documents say and where it is tested")];
    };
    let (rows, mut faults) = rows(&page.text);
    faults.extend(sequence_fault(&rows));
    for row in &rows {
        faults.extend(row_faults(row, sources));
    }
    faults
}

/// The statements of the page, and the rows that cannot be read as one.
fn rows(text: &str) -> (Vec<StatementRow<'_>>, Vec<TidyFault>) {
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let number = cells.get(1).copied().unwrap_or_default();
        if !line.starts_with('|') || !is_number(number) {
            continue;
        }
        match cells[..] {
            ["", number, statement, tests, remark, ""] if !statement.is_empty() => {
                rows.push(StatementRow { line: index + 1, number, tests, remark });
            }
            _ => {
                let what = format!("{number} needs four cells: number, statement, where it is tested, remark");
                faults.push(TidyFault::line(PATH, index + 1, what));
            }
        }
    }
    (rows, faults)
}

fn is_number(cell: &str) -> bool {
    let mut characters = cell.chars();
    let letter = characters.next();
    STATEMENTS.iter().any(|(known, _)| letter == Some(*known))
        && cell.len() > 1
        && characters.all(|digit| digit.is_ascii_digit())
}

/// The first place where the numbers are not those that must be there; what comes after it is only its consequence.
fn sequence_fault(rows: &[StatementRow<'_>]) -> Option<TidyFault> {
    let numbers = |(letter, count): &(char, usize)| {
        let letter = *letter;
        (1..=*count).map(move |number| format!("{letter}{number}"))
    };
    let wanted: Vec<String> = STATEMENTS.iter().flat_map(numbers).collect();
    let (mut wanted, mut found) = (wanted.iter(), rows.iter());
    loop {
        return match (wanted.next(), found.next()) {
            (None, None) => None,
            (Some(wanted), Some(row)) if wanted == row.number => continue,
            (Some(wanted), Some(row)) => {
                let what = format!("{} is where {wanted} belongs; every statement is there once, in order", row.number);
                Some(TidyFault::line(PATH, row.line, what))
            }
            (Some(wanted), None) => Some(TidyFault::file(PATH, format!("{wanted} is missing"))),
            (None, Some(row)) => {
                Some(TidyFault::line(PATH, row.line, format!("{} is one more than the documents say", row.number)))
            }
        };
    }
}

fn row_faults(row: &StatementRow<'_>, sources: &[SourceFile]) -> Vec<TidyFault> {
    let fault = |what: String| TidyFault::line(PATH, row.line, what);
    let number = row.number;
    if row.tests.is_empty() {
        let is_silent = row.remark.is_empty();
        return Vec::from_iter(
            is_silent.then(|| fault(format!("{number} has neither a test nor a remark that says why"))),
        );
    }
    // Between an odd and the next backtick is a path, or the name of a test in the newest path.
    let words: Vec<&str> = row.tests.split('`').skip(1).step_by(2).collect();
    let (mut file, mut faults, mut named) = (None, Vec::new(), 0);
    for word in words {
        if word.contains('/') {
            file = sources.iter().find(|source| source.path == word);
            if file.is_none() {
                faults.push(fault(format!("{number} names `{word}`, which is not there")));
                named += 1;
            }
        } else if let Some(file) = file {
            named += 1;
            if !holds_test(&file.text, word) {
                faults.push(fault(format!("{number} names the test `{word}`, which is not in {}", file.path)));
            }
        }
    }
    if named == 0 {
        faults
            .push(fault(format!("{number} names no test; write the path of a file and the test's name in backticks")));
    }
    faults
}

/// True if a function of this name is there and is a test.
fn holds_test(text: &str, name: &str) -> bool {
    let declaration = format!("fn {name}(");
    let mut is_test = false;
    for line in text.lines().map(str::trim_start) {
        if is_test && line.contains(&declaration) {
            return true;
        }
        // The attribute may have others, and comments, between it and the function.
        let is_attribute = line.starts_with("#[");
        is_test = (is_attribute && (line.contains("test]") || line.contains("test(")))
            || (is_test && (is_attribute || line.starts_with("//")));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    /// A page on which every statement has a remark and no test, as lines.
    fn lines() -> Vec<String> {
        let rows = STATEMENTS.iter().flat_map(|(letter, count)| {
            (1..=*count).map(move |number| format!("| {letter}{number} | it says so | | nobody can see it |"))
        });
        ["# Seeds", "| # | statement | tests | remark |", "|---|---|---|---|"]
            .map(str::to_owned)
            .into_iter()
            .chain(rows)
            .collect()
    }

    fn faults(lines: &[String], others: &[SourceFile]) -> Vec<TidyFault> {
        let page = source(PATH, &lines.join("\n"));
        check(&[others, &[page]].concat())
    }

    /// The faults of a page whose first row has this in its last two cells.
    fn first_row(tests: &str, remark: &str) -> Vec<String> {
        let text = "#[test]\nfn plain() {\n}\n\n#[tokio::test(start_paused = true)]\n#[cfg(unix)]\nasync fn later() {\n}\n\
                    /// No test.\nfn house() {\n}\n";
        let mut page = lines();
        page[3] = format!("| R1 | it says so | {tests} | {remark} |");
        faults(&page, &[source("crates/x/tests/y.rs", text)]).into_iter().map(|fault| fault.what).collect()
    }

    #[test]
    fn the_page_must_be_there() {
        let what = "there is no list of what the seed documents say and where it is tested";
        assert_eq!(check(&[]), [TidyFault::file(PATH, what)]);
        assert_eq!(faults(&lines(), &[]), []);
    }

    #[test]
    fn every_statement_is_there_once_and_in_order() {
        let rule = "every statement is there once, in order";
        let mut missing = lines();
        missing.remove(5);
        assert_eq!(faults(&missing, &[]), [TidyFault::line(PATH, 6, format!("R4 is where R3 belongs; {rule}"))]);
        let mut twice = lines();
        twice.insert(5, twice[4].clone());
        assert_eq!(faults(&twice, &[]), [TidyFault::line(PATH, 6, format!("R2 is where R3 belongs; {rule}"))]);
        let mut short = lines();
        short.pop();
        assert_eq!(faults(&short, &[]), [TidyFault::file(PATH, "P36 is missing")]);
        let mut long = lines();
        long.push("| P37 | one more | | why |".into());
        assert_eq!(faults(&long, &[]), [TidyFault::line(PATH, 282, "P37 is one more than the documents say")]);
    }

    #[test]
    fn a_row_has_a_test_or_says_why_it_has_none() {
        assert_eq!(first_row("", ""), ["R1 has neither a test nor a remark that says why"]);
        assert_eq!(first_row("", "it cannot be seen"), [""; 0]);
        let unread = [
            "R1 needs four cells: number, statement, where it is tested, remark",
            "R2 is where R1 belongs; every statement is there once, in order",
        ];
        assert_eq!(first_row("", "one | too many"), unread);
        let unnamed = ["R1 names no test; write the path of a file and the test's name in backticks"];
        assert_eq!(first_row("somewhere", ""), unnamed);
        assert_eq!(first_row("`crates/x/tests/y.rs`", "why"), unnamed);
    }

    #[test]
    fn a_test_that_is_named_is_there() {
        assert_eq!(first_row("`crates/x/tests/y.rs` `plain` `later`", "with a remark"), [""; 0]);
        assert_eq!(
            first_row("`crates/x/tests/z.rs` `plain`", ""),
            ["R1 names `crates/x/tests/z.rs`, which is not there"]
        );
        for name in ["gone", "plai", "house"] {
            let what = format!("R1 names the test `{name}`, which is not in crates/x/tests/y.rs");
            assert_eq!(first_row(&format!("`crates/x/tests/y.rs` `plain` `{name}`"), ""), [what]);
        }
    }
}
