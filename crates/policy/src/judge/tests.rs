use crate::policy::Policy;
use crate::request::{Decision, Request};
use crate::rule::Tier;
use crate::tool_settings::ToolSettings;
use pollux_session::{By, Details, FileDiff, Grant, McpToolVersion, Mode, ToolKind};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::path::Path;

const MODES: [Mode; 4] = [Mode::Default, Mode::AutoEdit, Mode::Plan, Mode::Yolo];

/// A call with everything that a request borrows.
struct Call {
    kind: ToolKind,
    tool: &'static str,
    args: Value,
    details: Details,
    grants: Vec<(Grant, By)>,
    protected: Option<&'static str>,
    secret: Option<&'static str>,
    subagent: Option<&'static str>,
}

impl Call {
    fn new(kind: ToolKind, tool: &'static str, details: Details) -> Call {
        let grants = Vec::new();
        Call { kind, tool, args: json!({}), details, grants, protected: None, secret: None, subagent: None }
    }

    fn generic(kind: ToolKind, tool: &'static str) -> Call {
        Call::new(kind, tool, Details::generic("x"))
    }

    fn shell(command: &str) -> Call {
        let details = Details::Execute { command: command.into(), directory: "/ws".into() };
        Call { args: json!({ "command": command }), ..Call::new(ToolKind::Execute, "run_shell_command", details) }
    }

    fn edit() -> Call {
        let diff =
            FileDiff { name: "a".into(), path: "/ws/a".into(), old: None, new: String::new(), patch: String::new() };
        Call { args: json!({ "file_path": "a" }), ..Call::new(ToolKind::Edit, "write_file", Details::Edit(diff)) }
    }

    fn mcp() -> Call {
        let version = McpToolVersion { tool_digest: "tool 1".into(), server_digest: "server 1".into(), changed: false };
        let details = Details::Mcp { server: "s".into(), tool: "t".into(), version };
        Call::new(ToolKind::Fetch, "mcp_s_t", details)
    }

    fn granted(mut self, grant: Grant) -> Call {
        let by = By::Client { principal: "local".into(), label: "A2A zed".into() };
        self.grants.push((grant, by));
        self
    }

    fn judged(&self, policy: &Policy, mode: Mode) -> (Decision, String) {
        let Call { kind, tool, args, details, grants, protected, secret, subagent } = self;
        let (kind, protected, secret, subagent) = (*kind, *protected, *secret, *subagent);
        let request = Request {
            mode,
            kind,
            tool,
            args,
            details,
            grants,
            protected,
            secret,
            workspace_trusted: true,
            subagent,
            workspace: Path::new("/ws"),
            objection: None,
        };
        let judgement = policy.judge(&request);
        (judgement.verdict, judgement.why)
    }

    /// A word for each mode.
    fn row(&self, policy: &Policy) -> String {
        MODES.map(|mode| self.judged(policy, mode).0.name()).join(" ")
    }
}

fn user(text: &str) -> Policy {
    tier(Tier::User, text)
}

fn tier(tier: Tier, text: &str) -> Policy {
    Policy::new(&[("u.toml".into(), tier, Ok(text.into()))], None, &ToolSettings::default())
}

fn rule(decision: &str, rest: &str) -> String {
    format!("[[rule]]\ndecision = \"{decision}\"\npriority = 100\n{rest}\n")
}

fn tool(name: &str) -> Grant {
    Grant::Tool { tool: name.into() }
}

fn mcp_tool(name: &str, digest: &str) -> Grant {
    Grant::McpTool { tool: name.into(), digest: digest.into() }
}

fn mcp_server(name: &str, digest: &str) -> Grant {
    Grant::McpServer { server: name.into(), digest: digest.into() }
}

fn prefix(words: &str) -> Grant {
    Grant::Prefix {
        words: words.split(' ').map(str::to_owned).collect(),
        options: Vec::new(),
        directory: Some(".".into()),
    }
}

#[test]
fn without_rules_of_their_own_the_mode_and_the_kind_decide() {
    let policy = Policy::default();
    assert_eq!(Call::generic(ToolKind::Read, "read_file").row(&policy), "allow allow allow allow");
    assert_eq!(Call::edit().row(&policy), "ask allow deny allow");
    assert_eq!(Call::shell("cargo test").row(&policy), "ask ask deny allow");
    assert_eq!(Call::generic(ToolKind::Fetch, "web_fetch").row(&policy), "ask ask ask allow");
    assert_eq!(Call::mcp().row(&policy), "ask ask ask allow");
    assert_eq!(Call::generic(ToolKind::Converse, "ask_user").row(&policy), "ask ask ask ask");
    assert_eq!(Call::generic(ToolKind::Fetch, "google_web_search").row(&policy), "allow allow allow allow");
}

#[test]
fn grants_cover_what_they_say() {
    let policy = Policy::default();
    for (call, grant, row) in [
        (Call::edit(), tool("write_file"), "allow allow deny allow"),
        (Call::edit(), tool("replace"), "ask allow deny allow"),
        (Call::shell("cargo test"), tool("run_shell_command"), "allow allow deny allow"),
        (
            Call::shell("cargo test"),
            Grant::Command { command: "cargo test".into(), directory: Some(".".into()) },
            "allow allow deny allow",
        ),
        (
            Call::shell("cargo test"),
            Grant::Command { command: "cargo test ".into(), directory: Some(".".into()) },
            "ask ask deny allow",
        ),
        (Call::shell("cargo test"), prefix("cargo test"), "allow allow deny allow"),
        (Call::shell("cargo test --all"), prefix("cargo test"), "allow allow deny allow"),
        (Call::shell("cargo test | tail"), prefix("cargo test"), "allow allow deny allow"),
        (Call::shell("cd x && cargo test"), prefix("cargo test"), "ask ask deny allow"),
        (Call::shell("cargo test --config x"), prefix("cargo test"), "ask ask deny allow"),
        (Call::shell("cargo test -qv -j4"), prefix("cargo test"), "allow allow deny allow"),
        (Call::shell("git fetch --upload-pack=x"), prefix("git fetch"), "ask ask deny allow"),
        (Call::shell("git fetch 'ext::sh -c x'"), prefix("git fetch"), "ask ask deny allow"),
        (Call::shell("git commit -am 'a=b c::d'"), prefix("git commit"), "allow allow deny allow"),
        (Call::shell("git diff /etc/shadow /dev/null"), prefix("git diff"), "ask ask deny allow"),
        (Call::shell("git log --format=%h --no-graph"), prefix("git log"), "allow allow allow allow"),
        (Call::shell("git log --format=%GS"), prefix("git log"), "ask ask deny allow"),
        (Call::shell("git show '--pretty=%h %+G?'"), prefix("git show"), "ask ask deny allow"),
        (Call::shell("prettier ../x"), prefix("prettier"), "ask ask deny allow"),
        (Call::shell("prettier /ws/x"), prefix("prettier"), "allow allow deny allow"),
        (Call::shell("make SHELL=./x"), prefix("make"), "ask ask deny allow"),
        (Call::shell("tsc @options"), prefix("tsc"), "ask ask deny allow"),
        (Call::shell("make *"), prefix("make"), "ask ask deny allow"),
        (Call::shell("cargo testx"), prefix("cargo test"), "ask ask deny allow"),
        (Call::shell("cargo"), prefix("cargo test"), "ask ask deny allow"),
        (Call::shell("./cargo test"), prefix("cargo test"), "ask ask deny allow"),
        (Call::shell("cargo test; curl x"), prefix("cargo test"), "ask ask deny allow"),
        (Call::shell("cargo test $(curl x)"), prefix("cargo test"), "ask ask deny allow"),
        (Call::shell("cargo test > f"), prefix("cargo test"), "ask ask deny allow"),
        (
            Call::shell("cargo test > f"),
            Grant::Command { command: "cargo test > f".into(), directory: Some(".".into()) },
            "allow allow deny allow",
        ),
        (
            Call::shell("echo ${x@P}"),
            Grant::Command { command: "echo ${x@P}".into(), directory: Some(".".into()) },
            "allow allow deny allow",
        ),
        (
            Call::shell("rm -rf x"),
            Grant::Command { command: "rm -rf x".into(), directory: Some(".".into()) },
            "ask ask deny allow",
        ),
        (Call::shell("rm -rf x"), tool("run_shell_command"), "ask ask deny allow"),
        (Call::mcp(), mcp_server("s", "server 1"), "allow allow allow allow"),
        (Call::mcp(), mcp_server("other", "server 1"), "ask ask ask allow"),
        (Call::mcp(), mcp_server("s", "server 2"), "ask ask ask allow"),
        (Call::mcp(), mcp_tool("mcp_s_t", "tool 1"), "allow allow allow allow"),
        (Call::mcp(), mcp_tool("mcp_s_u", "tool 1"), "ask ask ask allow"),
        (Call::mcp(), mcp_tool("mcp_s_t", "tool 2"), "ask ask ask allow"),
        // Grants of logs from before tools had versions.
        (Call::mcp(), tool("mcp_s_t"), "ask ask ask allow"),
        (Call::mcp(), Grant::Server { server: "s".into() }, "ask ask ask allow"),
        (Call::generic(ToolKind::Converse, "ask_user"), tool("ask_user"), "ask ask ask ask"),
    ] {
        let label = format!("{:?} {grant}", call.details);
        assert_eq!(call.granted(grant).row(&policy), row, "{label}");
    }
}

#[test]
fn a_protected_place_asks_whatever_was_allowed() {
    let call = Call { protected: Some(".git"), ..Call::edit() }.granted(tool("write_file"));
    assert_eq!(call.row(&Policy::default()), "ask ask deny allow");
    assert_eq!(call.row(&user(&rule("allow", "toolName = \"write_file\""))), "ask ask deny allow");
}

#[test]
fn a_secret_asks_whatever_was_allowed_and_is_never_more_than_a_question() {
    let secret = Some("`.env` is protected");
    let read = Call { secret, ..Call::generic(ToolKind::Read, "read_file") }.granted(tool("read_file"));
    assert_eq!(read.row(&Policy::default()), "ask ask ask allow");
    assert_eq!(read.row(&user(&rule("allow", "toolName = \"read_file\""))), "ask ask ask allow");
    assert_eq!(read.row(&user(&rule("deny", "toolName = \"read_file\""))), "deny deny deny deny");
    assert_eq!(read.judged(&Policy::default(), Mode::Default).1, "`.env` is protected");
    let edit = Call { secret, ..Call::edit() }.granted(tool("write_file"));
    assert_eq!(edit.row(&Policy::default()), "ask ask deny allow");
}

#[test]
fn the_higher_tier_wins_then_the_higher_priority_then_the_stricter() {
    let file = |tier, decision: &str, priority: u16| {
        let text = format!("[[rule]]\ndecision = \"{decision}\"\npriority = {priority}\ntoolName = \"web_fetch\"\n");
        (format!("{tier:?}.toml").into(), tier, Ok(text))
    };
    let call = Call::generic(ToolKind::Fetch, "web_fetch");
    for (files, expected) in [
        (vec![file(Tier::User, "allow", 0)], Decision::Allow),
        (vec![file(Tier::Workspace, "deny", 999), file(Tier::User, "allow", 0)], Decision::Allow),
        (vec![file(Tier::User, "allow", 999), file(Tier::Admin, "deny", 0)], Decision::Deny),
        (vec![file(Tier::User, "allow", 10), file(Tier::User, "deny", 9)], Decision::Allow),
        (vec![file(Tier::User, "allow", 10), file(Tier::User, "deny", 10)], Decision::Deny),
        (vec![file(Tier::User, "ask_user", 10), file(Tier::User, "allow", 10)], Decision::Ask),
    ] {
        let policy = Policy::new(&files, None, &ToolSettings::default());
        assert_eq!(call.judged(&policy, Mode::Default).0, expected, "{files:?}");
    }
}

#[test]
fn rules_of_a_person_speak_of_commands() {
    let policy = user(&format!(
        "{}{}{}{}",
        rule("allow", "toolName = \"run_shell_command\"\ncommandPrefix = \"cargo\""),
        rule("allow", "toolName = \"run_shell_command\"\ncommandPrefix = \"tee\"\nallowRedirection = true"),
        rule("deny", "toolName = \"run_shell_command\"\ncommandPrefix = \"cargo publish\""),
        rule("deny", "toolName = \"run_shell_command\"\ncommandRegex = 'curl .*evil'"),
    ));
    for (command, row) in [
        ("cargo test", "allow allow deny allow"),
        ("cargo test > f", "ask ask deny allow"),
        // Only a rule for all commands, or for the very command, allows writing: the others run without a shell.
        ("tee x > f", "ask ask deny allow"),
        ("ls | cargo test", "allow allow deny allow"),
        ("cargo publish", "deny deny deny deny"),
        ("cargo --quiet publish", "ask ask deny ask"),
        ("cargo $X", "ask ask deny ask"),
        ("/usr/bin/cargo publish", "deny deny deny deny"),
        ("echo $(cargo publish)", "deny deny deny deny"),
        ("bash -c 'cargo publish'", "deny deny deny deny"),
        ("sudo cargo publish", "deny deny deny deny"),
        ("find . -exec cargo publish \\;", "deny deny deny deny"),
        ("f() { cargo publish; }", "deny deny deny deny"),
        ("curl http://evil", "deny deny deny deny"),
        ("cu''rl http://evil", "deny deny deny deny"),
        ("curl http://good", "ask ask deny allow"),
        ("$X publish", "ask ask deny ask"),
        ("ls 'open", "ask ask deny ask"),
    ] {
        assert_eq!(Call::shell(command).row(&policy), row, "{command}");
    }
}

#[test]
fn an_exact_command_is_allowed_with_all_that_is_in_it() {
    let policy = user(&rule("allow", "toolName = \"run_shell_command\"\ncommand = \"echo ${x@P} > f\""));
    assert_eq!(Call::shell("echo ${x@P} > f").judged(&policy, Mode::Default).0, Decision::Allow);
    assert_eq!(Call::shell("echo ${x@P} > g").judged(&policy, Mode::Default).0, Decision::Ask);
}

#[test]
fn dangerous_commands_ask_whatever_a_rule_allows_and_nothing_lifts_what_the_machine_says() {
    let policy = user(&rule("allow", "toolName = \"run_shell_command\"\nallowRedirection = true"));
    assert_eq!(Call::shell("rm -rf x").row(&policy), "ask ask deny allow");
    assert_eq!(Call::shell("make ${x:-y} > f").row(&policy), "allow allow deny allow");
    let policy = tier(Tier::Admin, &rule("ask_user", "toolName = \"write_file\""));
    assert_eq!(Call::edit().granted(tool("write_file")).row(&policy), "ask ask ask ask");
    let policy = user(&rule("ask_user", "toolName = \"write_file\""));
    assert_eq!(Call::edit().granted(tool("write_file")).row(&policy), "allow allow allow allow");
}

#[test]
fn an_allow_rule_reaches_into_plan_mode_only_if_it_says_so() {
    let call = Call::shell("cargo test");
    let plain = "toolName = \"run_shell_command\"\ncommandPrefix = \"cargo\"";
    assert_eq!(call.row(&user(&rule("allow", plain))), "allow allow deny allow");
    let with_plan = format!("{plain}\nmodes = [\"plan\"]");
    assert_eq!(call.row(&user(&rule("allow", &with_plan))), "ask ask allow allow");
}

#[test]
fn arguments_and_servers_are_told_apart() {
    let policy = user(&format!(
        "{}{}",
        rule(
            "allow",
            r#"toolName = "write_file"
argsPattern = '\x00"file_path":"a"\x00'"#
        ),
        rule("allow", "mcpName = \"s\""),
    ));
    assert_eq!(Call::edit().judged(&policy, Mode::Default).0, Decision::Allow);
    let other = Call { args: json!({ "file_path": "b", "content": "\"file_path\":\"a\"" }), ..Call::edit() };
    assert_eq!(other.judged(&policy, Mode::Default).0, Decision::Ask);
    assert_eq!(Call::mcp().judged(&policy, Mode::Default).0, Decision::Allow);
    let details = Details::Mcp { server: "s_t".into(), tool: "u".into(), version: McpToolVersion::default() };
    let stranger = Call::new(ToolKind::Fetch, "mcp_s_t_u", details);
    assert_eq!(stranger.judged(&policy, Mode::Default).0, Decision::Ask);
}

#[test]
fn an_mcp_tool_that_changed_since_it_was_allowed_asks_and_says_so() {
    let judged = |call: Call, policy: &Policy| call.judged(policy, Mode::Default);
    let changed = |what: &str| (Decision::Ask, format!("the MCP server s has changed {what}"));
    let plain = Policy::default();
    let once = judged(Call::mcp().granted(mcp_tool("mcp_s_t", "tool 0")), &plain);
    assert_eq!(once, changed("its tool t since A2A zed allowed it"));
    let once = judged(Call::mcp().granted(mcp_server("s", "server 0")), &plain);
    assert_eq!(once, changed("its tools since A2A zed allowed them"));
    let unrelated = judged(Call::mcp().granted(mcp_tool("mcp_s_u", "tool 0")), &plain);
    assert!(!unrelated.1.contains("changed"), "{unrelated:?}");

    let kept = |digest: &str| user(&rule("allow", &format!("toolName = \"mcp_s_t\"\nmcpToolDigest = \"{digest}\"")));
    assert_eq!(judged(Call::mcp(), &kept("tool 1")).0, Decision::Allow);
    assert_eq!(judged(Call::mcp(), &kept("tool 0")), changed("its tool t since u.toml:1 allowed it"));
    let of_server = "toolName = \"*\"\nmcpName = \"s\"\nmcpServerDigest = \"server 0\"";
    assert_eq!(judged(Call::mcp(), &user(&rule("allow", of_server))), changed("its tools since u.toml:1 allowed them"));
    // A digest is of an MCP tool, so a rule that has one speaks of nothing else.
    let other = Call::generic(ToolKind::Fetch, "web_fetch");
    assert_eq!(judged(other, &user(&rule("allow", "toolName = \"*\"\nmcpToolDigest = \"\""))).0, Decision::Ask);
}

#[test]
fn a_resource_is_read_without_asking_only_where_its_server_lists_it() {
    let policy = Policy::default();
    assert_eq!(Call::generic(ToolKind::Read, "read_mcp_resource").row(&policy), "allow allow allow allow");
    assert_eq!(Call::generic(ToolKind::Fetch, "read_mcp_resource").row(&policy), "ask ask ask allow");
}

#[test]
fn a_broken_file_makes_everything_ask_that_is_not_reading() {
    let policy = user("[[rule]]\ndecision = \"allow\"\n");
    let why = "everything asks until this is repaired: u.toml:1: the rule has no `priority`: 0 to 999";
    assert_eq!(Call::shell("ls").judged(&policy, Mode::Default), (Decision::Ask, why.into()));
    assert_eq!(Call::edit().row(&policy), "ask ask deny ask");
    assert_eq!(Call::generic(ToolKind::Read, "read_file").row(&policy), "allow allow allow allow");
}

#[test]
fn the_reason_names_the_rule_and_its_place() {
    let policy = user(&rule("deny", "toolName = \"web_fetch\"\ndenyMessage = \"no network today\""));
    let fetch = Call::generic(ToolKind::Fetch, "web_fetch");
    assert_eq!(fetch.judged(&policy, Mode::Default), (Decision::Deny, "no network today (u.toml:1)".into()));
    let policy = user(&rule("allow", "toolName = \"run_shell_command\"\ncommandPrefix = \"make\""));
    assert_eq!(Call::shell("make").judged(&policy, Mode::Default).1, "allowed by u.toml:1");
    assert_eq!(
        Call::shell("make > f").judged(&policy, Mode::Default).1,
        "the command is allowed by u.toml:1, but not to write with `> f`"
    );
    let held = Call::shell("cargo test").granted(prefix("cargo test"));
    assert_eq!(
        held.judged(&policy, Mode::Default).1,
        "A2A zed allowed every command that begins with `cargo test` (new options ask) in this session"
    );
}

#[test]
fn a_rule_may_speak_of_one_sub_agents_calls_only() {
    let policy = user(&rule("deny", "toolName = \"run_shell_command\"\nsubagent = \"scout\""));
    let by = |subagent| Call { subagent, ..Call::shell("ls") }.judged(&policy, Mode::Default).0;
    assert_eq!([by(Some("scout")), by(Some("other")), by(None)], [Decision::Deny, Decision::Allow, Decision::Allow]);
}

#[test]
fn handing_work_to_an_agent_of_our_own_does_not_ask_and_to_a_remote_one_does() {
    let policy = Policy::default();
    assert_eq!(Call::generic(ToolKind::Delegate, "invoke_agent").row(&policy), "allow allow allow allow");
    assert_eq!(Call::generic(ToolKind::Fetch, "invoke_agent").row(&policy), "ask ask ask allow");
}
