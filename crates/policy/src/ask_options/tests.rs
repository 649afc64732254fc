use super::*;
use crate::rule::RuleTier;
use crate::tool_permissions::ToolPermissions;
use pollux_session::{ApprovalMode, InvokedAgent, McpToolVersion};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::path::Path;

const ONCE: &str = "proceed_once: Allow once";
const CANCEL: &str = "cancel: Cancel";

fn offered_labels(policy: &Policy, request: &PolicyRequest<'_>) -> Vec<String> {
    policy.options(request).iter().map(|choice| format!("{}: {}", choice.id, choice.name)).collect()
}

/// What is offered for a shell command in a trusted workspace, once and cancel aside.
fn labels_for_command(policy: &Policy, command: &str) -> Vec<String> {
    let details = AskDetails::Execute { command: command.into(), directory: "/ws".into() };
    let mut offered = offered_labels(policy, &request(ToolKind::Execute, "run_shell_command", &details));
    assert_eq!((offered.remove(0), offered.pop()), (ONCE.into(), Some(CANCEL.into())));
    offered
}

fn request<'a>(kind: ToolKind, tool: &'a str, details: &'a AskDetails) -> PolicyRequest<'a> {
    static NOTHING: std::sync::LazyLock<serde_json::Value> = std::sync::LazyLock::new(|| json!({}));
    PolicyRequest {
        mode: ApprovalMode::Default,
        kind,
        tool,
        args: &NOTHING,
        obeyed_args: &NOTHING,
        details,
        grants: &[],
        protected: None,
        outside: None,
        secret: None,
        workspace_trusted: true,
        subagent: None,
        agent: None,
        workspace: Path::new("/ws"),
        objection: None,
    }
}

fn lasting_labels(what: &str) -> Vec<String> {
    vec![
        format!("proceed_always: Allow {what} in this session"),
        format!("proceed_always_workspace: Allow {what} in this workspace from now on"),
        format!("proceed_always_and_save: Allow {what} everywhere from now on"),
    ]
}

#[test]
fn a_plain_command_is_offered_by_its_first_words_and_others_to_the_letter() {
    let policy = Policy::default();
    for (command, what) in [
        ("npm test", "every command that begins with `npm test` (with another option it asks)"),
        (
            "npm run build -- --fast",
            "every command that begins with `npm run build` (also with --fast; with another option it asks)",
        ),
        (
            "npm test -- -c x.js --bail",
            "every command that begins with `npm test` (also with --bail, -c x.js; with another option it asks)",
        ),
        (
            "cd app && npm test | tail -5",
            "every command that begins with `npm test` (with another option it asks) in app",
        ),
        ("cargo test; cargo test --doc", "every command that begins with `cargo test` (with another option it asks)"),
        ("cargo build; cargo test", "`cargo build; cargo test`"),
        ("cargo test > log", "`cargo test > log`"),
        ("cargo test ${x:-y}", "`cargo test ${x:-y}`"),
        ("curl https://example.org", "`curl https://example.org`"),
        ("python x.py", "`python x.py`"),
        ("mkdir -p build && echo done > build/out", "`mkdir -p build && echo done > build/out`"),
    ] {
        assert_eq!(labels_for_command(&policy, command), lasting_labels(what), "{command}");
    }
}

#[test]
fn nothing_is_offered_that_would_ask_again() {
    assert_eq!(labels_for_command(&Policy::default(), "rm -rf x"), Vec::<String>::new());
    assert_eq!(labels_for_command(&Policy::default(), "sudo make"), Vec::<String>::new());
    let rule = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"cargo\"\ndecision = \"ask_user\"\npriority = 5\n";
    let policy = |tier| Policy::new(&[("p.toml".into(), tier, Ok(rule.into()))], None, &ToolPermissions::default());
    // What they wrote themselves outlasts a session's grant.
    let session_only = "proceed_always: Allow every command that begins with `cargo test` (with another option it asks) in this session";
    assert_eq!(labels_for_command(&policy(RuleTier::User), "cargo test"), [session_only]);
    assert_eq!(labels_for_command(&policy(RuleTier::Admin), "cargo test"), Vec::<String>::new());
    let broken = Policy::new(&[("p.toml".into(), RuleTier::User, Ok("[[".into()))], None, &ToolPermissions::default());
    assert_eq!(labels_for_command(&broken, "cargo test"), Vec::<String>::new());
}

#[test]
fn other_calls_are_offered_by_tool_and_mcp_by_server_too() {
    let policy = Policy::default();
    let details = AskDetails::generic("fetch it");
    let fetch = request(ToolKind::Fetch, "web_fetch", &details);
    let mut expected = lasting_labels("every web_fetch");
    expected.insert(0, ONCE.into());
    expected.push(CANCEL.into());
    assert_eq!(offered_labels(&policy, &fetch), expected);

    let version = McpToolVersion { tool_digest: "1".into(), server_digest: "2".into(), changed: false };
    let details = AskDetails::Mcp { server: "s".into(), tool: "t".into(), version };
    let call = request(ToolKind::Fetch, "mcp_s_t", &details);
    assert_eq!(
        offered_labels(&policy, &call),
        [
            ONCE,
            "proceed_always_tool: Allow every mcp_s_t (as it is now) in this session",
            "proceed_always_server: Allow every tool of the MCP server s (as they are now) in this session",
            "proceed_always_workspace: Allow every mcp_s_t (as it is now) in this workspace from now on",
            "proceed_always_and_save: Allow every mcp_s_t (as it is now) everywhere from now on",
            CANCEL,
        ]
    );
    // Without a digest nothing can be told from what the server makes of it later.
    let details = AskDetails::Mcp { server: "s".into(), tool: "t".into(), version: McpToolVersion::default() };
    assert_eq!(offered_labels(&policy, &request(ToolKind::Fetch, "mcp_s_t", &details)), [ONCE, CANCEL]);
}

#[test]
fn protected_places_questions_and_untrusted_workspaces_offer_less() {
    let policy = Policy::default();
    let details = AskDetails::generic("x");
    let fetch = request(ToolKind::Fetch, "web_fetch", &details);
    let session = "proceed_always: Allow every web_fetch in this session";
    assert_eq!(offered_labels(&policy, &PolicyRequest { workspace_trusted: false, ..fetch }), [ONCE, session, CANCEL]);
    assert_eq!(offered_labels(&policy, &PolicyRequest { protected: Some(".git"), ..fetch }), [ONCE, CANCEL]);
    assert_eq!(
        offered_labels(&policy, &PolicyRequest { secret: Some("`.env` is protected"), ..fetch }),
        [ONCE, CANCEL]
    );
    assert_eq!(offered_labels(&policy, &PolicyRequest { mode: ApprovalMode::Plan, ..fetch }), [ONCE, session, CANCEL]);
    assert_eq!(offered_labels(&policy, &request(ToolKind::Converse, "ask_user", &details)), [ONCE, CANCEL]);
}

#[test]
fn an_agent_is_allowed_as_it_is_and_a_workspaces_own_for_the_session_only() {
    let policy = Policy::default();
    let details = AskDetails::generic("send to the agent far at https://a.example");
    let agent = |digest: &str, is_workspaces| InvokedAgent { name: "far".into(), digest: digest.into(), is_workspaces };
    let (own, theirs, changed) = (agent("1", false), agent("1", true), agent("2", false));
    let job = PolicyRequest { agent: Some(&own), ..request(ToolKind::Fetch, "invoke_agent", &details) };
    let offers = lasting_labels("every job for the agent far (as it is now)");
    let expected: Vec<String> =
        [vec![ONCE.to_owned()], offers.clone(), vec![CANCEL.to_owned()]].into_iter().flatten().collect();
    assert_eq!(offered_labels(&policy, &job), expected);
    assert_eq!(offered_labels(&policy, &PolicyRequest { agent: Some(&theirs), ..job }), [ONCE, &offers[0], CANCEL]);
    let verdict = |agent, grant: Grant| {
        let grants = [(grant, EntryAuthor::Agent)];
        policy.judge(&PolicyRequest { agent: Some(agent), grants: &grants, ..job }).verdict
    };
    let grant = || Grant::Agent { agent: "far".into(), digest: "1".into() };
    assert_eq!((verdict(&own, grant()), verdict(&changed, grant())), (PolicyDecision::Allow, PolicyDecision::Ask));
    // A name alone says nothing of which agents there will be.
    assert_eq!(verdict(&own, Grant::Tool { tool: "invoke_agent".into() }), PolicyDecision::Ask);
}

#[test]
fn a_directory_outside_the_workspace_is_offered_for_the_session_at_most() {
    let policy = Policy::default();
    let details = AskDetails::generic("Read /deps/a.rs");
    let read = PolicyRequest { outside: Some(Path::new("/deps")), ..request(ToolKind::Read, "read_file", &details) };
    let session = "proceed_always: Allow reading in /deps in this session".to_owned();
    assert_eq!(offered_labels(&policy, &read), [ONCE, &session, CANCEL]);
    assert_eq!(offered_labels(&policy, &PolicyRequest { subagent: Some("reviewer"), ..read }), [ONCE, CANCEL]);
    let secret = Some("`.env` is protected");
    assert_eq!(offered_labels(&policy, &PolicyRequest { secret, ..read }), [ONCE, CANCEL]);
}
