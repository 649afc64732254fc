use super::*;
use pretty_assertions::assert_eq;

#[test]
fn names_hold_only_what_every_provider_takes() {
    assert_eq!(tool_name("git", "log"), "mcp_git_log");
    assert_eq!(tool_name("my server", "größe/of.it"), "mcp_my_server_gr__e_of_it");
}

#[test]
fn a_long_name_keeps_its_ends() {
    let exact = "x".repeat(63 - "mcp_git_".len());
    assert_eq!(tool_name("git", &exact), format!("mcp_git_{exact}"));
    let name = tool_name("git", &format!("begin_{}_end", "x".repeat(60)));
    assert_eq!(name, format!("mcp_git_begin_{}___{}_end", "x".repeat(16), "x".repeat(26)));
    assert_eq!(name.len(), MAX_CHARS);
}
