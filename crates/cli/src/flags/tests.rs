use super::{CliFlags, FormatFlag};
use clap::CommandFactory;
use pollux_tui::OutputFormat;
use pretty_assertions::assert_eq;

#[test]
fn the_flags_do_not_contradict_each_other() {
    CliFlags::command().debug_assert();
}

#[test]
fn the_format_is_found_in_arguments_that_are_wrong() {
    let among = |line: &str| FormatFlag::find_in_arguments(line.split(' ').map(Into::into));
    assert_eq!(among("pollux --nope -o json"), OutputFormat::Json);
    assert_eq!(among("pollux -ostream-json --nope"), OutputFormat::StreamJson);
    assert_eq!(among("pollux --output-format=json --nope"), OutputFormat::Json);
    assert_eq!(among("pollux --nope --output-format"), OutputFormat::Text);
    assert_eq!(among("pollux --nope --output-format yaml"), OutputFormat::Text);
}

#[test]
fn a_command_without_quotes_is_shown_with_quotes() {
    let told = |line: &str| {
        let words = format!("pollux policy check {line}");
        CliFlags::read(words.split(' ')).err().map(|error| error.to_string())
    };
    for line in ["ls -la", "git status", "make -j2 all"] {
        let sentence = told(line).unwrap();
        assert!(sentence.contains(&format!("put quotes around it: pollux policy check '{line}'")), "{sentence}");
    }
    assert!(told("it's -la").unwrap().contains("pollux policy check 'COMMAND'"));
    // A flag that is misspelt is another mistake.
    let sentence = told("ls --approval-mod plan").unwrap();
    assert!(sentence.contains("--approval-mode") && !sentence.contains("quotes"), "{sentence}");
    assert_eq!(told("ls"), None);
}
