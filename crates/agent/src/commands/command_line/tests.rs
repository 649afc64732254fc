use super::*;
use pollux_session::ArgumentInfo;
use pretty_assertions::assert_eq;

fn argument(name: &str, required: bool) -> ArgumentInfo {
    ArgumentInfo { name: name.into(), description: String::new(), required }
}

fn command(name: &str, arguments: Vec<ArgumentInfo>, subcommands: Vec<CommandInfo>) -> CommandInfo {
    CommandInfo { name: name.into(), description: String::new(), arguments, subcommands }
}

#[test]
fn only_a_slash_at_the_start_makes_a_command() {
    for (prompt, expected) in [
        ("/memory add a b ", Some(("memory", "add a b"))),
        ("/git:commit", Some(("git:commit", ""))),
        ("/two\nlines", Some(("two", "lines"))),
        (" /memory", None),
        ("/", None),
        ("/etc/hosts is odd", None),
        ("say /memory", None),
    ] {
        assert_eq!(parse_typed(prompt).map(|typed| (typed.word, typed.rest)), expected, "{prompt}");
    }
}

#[test]
fn words_are_read_by_what_the_command_takes() {
    let memory = command(
        "memory",
        vec![],
        vec![command("show", vec![], vec![]), command("add", vec![argument("text", true)], vec![])],
    );
    let tools = command("tools", vec![], vec![command("desc", vec![], vec![])]);
    let model = command("model", vec![argument("name", false)], vec![]);
    let asked = |info: &CommandInfo, otherwise: Option<&str>, rest: &str| {
        parse_invocation(info, otherwise, rest)
            .map(|CommandInvocation { name, sub, rest }| format!("{name}|{sub}|{rest}"))
    };
    for (info, otherwise, rest, expected) in [
        (&memory, Some("show"), "", Ok("memory show|show|")),
        (&memory, Some("show"), "add a  b", Ok("memory add|add|a  b")),
        (&memory, Some("show"), "add", Err("/memory add needs text; say /memory show, /memory add TEXT")),
        (&memory, Some("show"), "shout", Err("/memory has no sub-command `shout`; say /memory show, /memory add TEXT")),
        (
            &memory,
            Some("show"),
            "show me",
            Err("/memory show takes nothing after it, but `me` came; say /memory show, /memory add TEXT"),
        ),
        (&tools, None, "", Ok("tools||")),
        (&tools, None, "desc", Ok("tools desc|desc|")),
        (&model, None, "", Ok("model||")),
        (&model, None, "demo", Ok("model||demo")),
    ] {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(asked(info, otherwise, rest), expected, "{} {rest}", info.name);
    }
}

#[test]
fn quotes_around_everything_are_taken_off() {
    let argument =
        |rest: &str| CommandInvocation { name: String::new(), sub: String::new(), rest: rest.into() }.argument();
    assert_eq!(argument("\"two words\""), "two words");
    assert_eq!(argument("it's two words"), "it's two words");
    assert_eq!(argument("one"), "one");
}
