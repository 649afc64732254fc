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
