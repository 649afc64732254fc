use super::*;
use pollux_tools::McpPromptArgument;
use pretty_assertions::assert_eq;

fn prompt(server: &str, name: &str, arguments: &[(&str, bool)]) -> McpPrompt {
    let arguments = arguments.iter().map(|&(name, required)| McpPromptArgument {
        name: name.into(),
        description: String::new(),
        required,
    });
    let arguments = arguments.collect();
    McpPrompt { server: server.into(), name: name.into(), description: String::new(), arguments }
}

#[test]
fn quotes_keep_words_together() {
    for (line, expected) in [
        ("", vec![]),
        ("  a  b ", vec!["a", "b"]),
        (r#"name="a b" 'c d' e"#, vec!["name=a b", "c d", "e"]),
        (r#""say \"hi\"" it\'s"#, vec![r#"say "hi""#, "it's"]),
        ("it's what it is", vec!["it's", "what", "it", "is"]),
        (r#"a "" b"#, vec!["a", "", "b"]),
        (r"end\", vec![r"end\"]),
    ] {
        assert_eq!(split_words(line), expected, "{line}");
    }
}

#[test]
fn a_command_names_one_prompt() {
    let prompts = [prompt("a", "greet", &[]), prompt("b", "greet", &[]), prompt("b", "only", &[])];
    let found = |command: &str| find(&prompts, command).map(full_name);
    assert_eq!(found("a:greet").as_deref(), Some("/a:greet"));
    assert_eq!(found("only").as_deref(), Some("/b:only"));
    assert_eq!(found("greet"), None);
    assert_eq!(found("etc/hosts"), None);
    assert_eq!(found("c:greet"), None);
}

#[test]
fn arguments_come_by_name_or_in_order() {
    let greet = prompt("a", "greet", &[("city", true), ("state", false)]);
    let given = |line: &str| {
        let pairs = parse_arguments(&greet, line)?;
        Ok::<_, String>(pairs.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>())
    };
    for (line, expected) in [
        ("Ulm", vec!["city=Ulm"]),
        (r#""New York" NY and more"#, vec!["city=New York", "state=NY and more"]),
        ("state=NY Albany", vec!["city=Albany", "state=NY"]),
        (r#"--city="a=b""#, vec!["city=a=b"]),
        ("mayor=x", vec!["city=mayor=x"]),
    ] {
        assert_eq!(given(line), Ok(expected.into_iter().map(str::to_owned).collect()), "{line}");
    }
    assert_eq!(given("state=NY"), Err("/a:greet needs city; it takes city, state (optional)".into()));
    assert_eq!(given("city=a state=b c"), Err("/a:greet has no use for `c`; it takes city, state (optional)".into()));
    let plain = prompt("a", "plain", &[]);
    assert_eq!(parse_arguments(&plain, "x"), Err("/a:plain has no use for `x`; it takes no arguments".into()));
    assert_eq!(parse_arguments(&plain, " "), Ok(BTreeMap::new()));
}
