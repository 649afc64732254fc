use super::*;
use pretty_assertions::assert_eq;

fn refusal(checked: Result<(), UsageError>) -> Option<String> {
    checked.err().map(|usage| usage.0)
}

#[test]
fn a_tool_that_nobody_has_is_named_with_those_there_are() {
    let known = ["read_file", "run_shell_command", "google_web_search"];
    let check = |servers: &[&str], entry: &str| refusal(check_tools(&known, servers, &[entry.to_owned()]));
    for good in ["read_file", "read_*", "*", "run_shell_command(git status)", "ShellTool(git)", "google_web_search"] {
        assert_eq!(check(&[], good), None, "{good}");
    }
    let sentence = "--allowed-tools names \"nosuchtool\", which is no tool; there are read_file, run_shell_command, google_web_search";
    assert_eq!(check(&[], "nosuchtool").as_deref(), Some(sentence));
    let sentence = "--allowed-tools names \"read_file(src)\", but only run_shell_command takes words in brackets";
    assert_eq!(check(&[], "read_file(src)").as_deref(), Some(sentence));
    // Which tools a server has is known later; without a server there will be none.
    assert_eq!(check(&["far"], "mcp_far_away"), None);
    let sentence = "--allowed-tools names \"mcp_far_away\", but no MCP server is configured; add it to mcpServers";
    assert_eq!(check(&[], "mcp_far_away").as_deref(), Some(sentence));
}

#[test]
fn a_server_that_is_not_configured_is_named_with_those_that_are() {
    let check = |known: &[&str]| refusal(check_servers(known, &["zzz".to_owned()]));
    assert_eq!(check(&["zzz"]), None);
    let sentence = "--allowed-mcp-server-names names \"zzz\", which is no MCP server; there are one, two";
    assert_eq!(check(&["one", "two"]).as_deref(), Some(sentence));
    assert!(check(&[]).is_some_and(|sentence| sentence.contains("no MCP server is configured")));
}

#[test]
fn an_entry_is_one_tools_or_one_servers() {
    for (entry, fits) in [
        ("mcp_far_look", true),
        ("mcp_far_*", true),
        ("mcp_*_look", true),
        ("mcp_*", true),
        ("mcp_near_look", false),
        ("mcp_far_loo", false),
    ] {
        assert_eq!(is_named(entry, "far", "mcp_far_look"), fits, "{entry}");
    }
}
