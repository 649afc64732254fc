use super::{Flags, FormatFlag};
use clap::CommandFactory;
use pollux_tui::Format;
use pretty_assertions::assert_eq;

#[test]
fn the_flags_do_not_contradict_each_other() {
    Flags::command().debug_assert();
}

#[test]
fn the_format_is_found_in_arguments_that_are_wrong() {
    let among = |line: &str| FormatFlag::among(line.split(' ').map(Into::into));
    assert_eq!(among("pollux --nope -o json"), Format::Json);
    assert_eq!(among("pollux -ostream-json --nope"), Format::StreamJson);
    assert_eq!(among("pollux --output-format=json --nope"), Format::Json);
    assert_eq!(among("pollux --nope --output-format"), Format::Text);
    assert_eq!(among("pollux --nope --output-format yaml"), Format::Text);
}
