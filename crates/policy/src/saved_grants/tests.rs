use super::*;
use crate::policy_request::PolicyRequest;
use crate::workspace_policies::{PolicySources, WorkspacePolicies};
use pollux_session::{AskDetails, InvokedAgent, ToolKind};
use pretty_assertions::assert_eq;
use std::os::unix::fs::PermissionsExt;

fn prefix(words: &[&str]) -> Grant {
    Grant::Prefix {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        options: Vec::new(),
        directory: Some(".".into()),
    }
}

#[test]
fn grants_become_rules_in_one_file_of_the_persons_own() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("deep/policies");
    let ws = Path::new("/ws");
    let words = vec!["npm".into(), "test".into()];
    let with_option = Grant::Prefix { words, options: vec!["--fast".into()], directory: Some(".".into()) };
    save_grant(&with_option, GrantScope::Always, ws, &dir).unwrap();
    save_grant(
        &Grant::Command { command: "echo \"a\" > 'b'\nls".into(), directory: Some("sub".into()) },
        GrantScope::Workspace,
        ws,
        &dir,
    )
    .unwrap();
    save_grant(&Grant::McpServer { server: "s".into(), digest: "d1".into() }, GrantScope::Always, ws, &dir).unwrap();
    save_grant(&Grant::McpTool { tool: "mcp_s_t".into(), digest: "d2".into() }, GrantScope::Workspace, ws, &dir)
        .unwrap();
    save_grant(&Grant::Agent { agent: "far".into(), digest: "d3".into() }, GrantScope::Always, ws, &dir).unwrap();
    save_grant(&Grant::Tool { tool: "web_fetch".into() }, GrantScope::Always, ws, &dir).unwrap();
    save_grant(&Grant::FileChanges, GrantScope::Workspace, ws, &dir).unwrap();
    save_grant(&Grant::FileChanges, GrantScope::Workspace, ws, &dir).unwrap();
    save_grant(&with_option, GrantScope::Always, ws, &dir).unwrap();
    let file = dir.join(FILE);
    let after = "priority = 0\nmodes = [\"default\", \"autoEdit\", \"yolo\"]\n";
    let rest = format!("decision = \"allow\"\n{after}");
    let expected = format!(
        "{HEAD}[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"npm test\"\ndirectory = \".\"\n\
         decision = \"allow\"\ntrustedOnly = true\noptions = [\"--fast\"]\n{after}\n\
         [[rule]]\ntoolName = \"run_shell_command\"\ncommand = \"\"\"\necho \"a\" > 'b'\nls\"\"\"\ndirectory = \"sub\"\nworkspace = \"/ws\"\ndecision = \"allow\"\ntrustedOnly = true\n{after}\n\
         [[rule]]\ntoolName = \"*\"\nmcpName = \"s\"\nmcpServerDigest = \"d1\"\n{rest}\n\
         [[rule]]\ntoolName = \"mcp_s_t\"\nmcpToolDigest = \"d2\"\nworkspace = \"/ws\"\n{rest}\n\
         [[rule]]\ntoolName = \"invoke_agent\"\nagentDigest = \"d3\"\n{rest}\n\
         [[rule]]\ntoolName = \"web_fetch\"\n{rest}\n\
         [[rule]]\ntoolName = [\"write_file\", \"replace\", \"apply_patch\"]\nworkspace = \"/ws\"\n{rest}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    let listed = |workspace: &str| list_saved_grants(&dir, Path::new(workspace)).unwrap();
    let here = [
        "every command that begins with `npm test` everywhere from now on",
        "`echo \"a\" > 'b'\nls` in sub in this workspace from now on",
        "every tool of the MCP server s (as they were then) everywhere from now on",
        "every mcp_s_t in this workspace from now on",
        "every job for one agent (as it was then) everywhere from now on",
        "every web_fetch everywhere from now on",
        "every file write and edit in this workspace from now on",
    ];
    assert_eq!(listed("/ws"), SavedGrants { file: file.clone(), allowed: here.map(str::to_owned).into() });
    assert_eq!(listed("/other").allowed.len(), 4);
    assert_eq!(list_saved_grants(&home.path().join("none"), ws).unwrap().allowed.len(), 0);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn what_was_kept_is_allowed_where_it_was_kept_for() {
    let home = tempfile::tempdir().unwrap();
    let policies =
        WorkspacePolicies::new(PolicySources { user_dir: Some(home.path().into()), ..PolicySources::default() });
    let verdict_in = |workspace: &str, directory: &str, command: &str| {
        let details = AskDetails::Execute { command: command.into(), directory: directory.into() };
        let request = PolicyRequest {
            mode: ApprovalMode::Default,
            kind: ToolKind::Execute,
            tool: SHELL,
            args: &serde_json::json!({ "command": command }),
            obeyed_args: &serde_json::json!({ "command": command }),
            details: &details,
            grants: &[],
            protected: None,
            outside: None,
            secret: None,
            workspace_trusted: true,
            subagent: None,
            agent: None,
            workspace: Path::new(workspace),
            objection: None,
        };
        policies.for_workspace(Path::new(workspace), true).judge(&request).verdict
    };
    let verdict = |workspace: &str, command: &str| verdict_in(workspace, workspace, command);
    let odd = "printf 'a\tb' > \"$f\"\nmake";
    assert_eq!(verdict("/one", "npm test"), PolicyDecision::Ask);
    save_grant(&prefix(&["npm", "test"]), GrantScope::Workspace, Path::new("/one"), home.path()).unwrap();
    save_grant(
        &Grant::Command { command: odd.into(), directory: Some(".".into()) },
        GrantScope::Always,
        Path::new("/one"),
        home.path(),
    )
    .unwrap();
    assert_eq!(verdict("/one", "npm test"), PolicyDecision::Allow);
    assert_eq!(verdict("/two", "npm test"), PolicyDecision::Ask);
    assert_eq!(verdict("/two", odd), PolicyDecision::Allow);
    // Where it was shown, and nowhere else.
    assert_eq!(verdict_in("/two", "/two/sub", odd), PolicyDecision::Ask);
    assert_eq!(verdict_in("/one", "/one/sub", "npm test"), PolicyDecision::Ask);
    assert_eq!(verdict("/one", "cd sub && npm test"), PolicyDecision::Ask);
    assert_eq!(verdict("/one", "npm test --script-shell ./x"), PolicyDecision::Ask);
    assert_eq!(verdict("/one", "npm test --silent unit"), PolicyDecision::Allow);
    assert_eq!(policies.take_new_problems(), []);
}

#[test]
fn what_the_person_wrote_stays() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(FILE);
    let mine = "# mine\n[[rule]] # deny it\ntoolName = 'x'\ndecision = 'deny'\npriority = 3\n";
    fs::write(&file, mine).unwrap();
    save_grant(&Grant::Tool { tool: "y".into() }, GrantScope::Always, Path::new("/ws"), home.path()).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with(mine) && text.matches("[[rule]]").count() == 2, "{text}");
}

#[test]
fn a_broken_file_is_not_touched_and_a_session_grant_is_not_kept() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(FILE);
    let grant = Grant::Tool { tool: "y".into() };
    for broken in ["[[rule", "rule = 3\n"] {
        fs::write(&file, broken).unwrap();
        let error = save_grant(&grant, GrantScope::Always, Path::new("/ws"), home.path()).unwrap_err();
        assert!(matches!(error, SaveGrantError::Broken { .. }), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), broken);
    }
    let error = save_grant(&grant, GrantScope::Session, Path::new("/ws"), home.path()).unwrap_err();
    assert_eq!(error.to_string(), "every y was granted for one session; there is nothing to keep");
}

#[test]
fn many_terminals_may_grant_at_once() {
    let home = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let dir = home.path();
            scope.spawn(move || {
                let grant = Grant::Tool { tool: format!("tool{number}") };
                save_grant(&grant, GrantScope::Always, Path::new("/ws"), dir).unwrap();
            });
        }
    });
    let text = fs::read_to_string(home.path().join(FILE)).unwrap();
    let mut kept: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("toolName = ")).collect();
    kept.sort_unstable();
    let expected: Vec<String> = (0..8).map(|number| format!("\"tool{number}\"")).collect();
    assert_eq!(kept, expected);
}

#[test]
fn what_was_kept_for_an_agent_holds_until_its_file_changes() {
    let home = tempfile::tempdir().unwrap();
    let policies =
        WorkspacePolicies::new(PolicySources { user_dir: Some(home.path().into()), ..PolicySources::default() });
    let ws = Path::new("/ws");
    let verdict = |name: &str, digest: &str| {
        let agent = InvokedAgent { name: name.into(), digest: digest.into(), is_workspaces: false };
        let request = PolicyRequest {
            mode: ApprovalMode::Default,
            kind: ToolKind::Fetch,
            tool: INVOKE_AGENT,
            args: &serde_json::json!({}),
            obeyed_args: &serde_json::json!({}),
            details: &AskDetails::generic("send to the agent"),
            grants: &[],
            protected: None,
            outside: None,
            secret: None,
            workspace_trusted: true,
            subagent: None,
            agent: Some(&agent),
            workspace: ws,
            objection: None,
        };
        policies.for_workspace(ws, true).judge(&request).verdict
    };
    assert_eq!(verdict("far", "d"), PolicyDecision::Ask);
    save_grant(&Grant::Agent { agent: "far".into(), digest: "d".into() }, GrantScope::Workspace, ws, home.path())
        .unwrap();
    assert_eq!(verdict("far", "d"), PolicyDecision::Allow);
    assert_eq!((verdict("far", "other"), verdict("fresh", "e")), (PolicyDecision::Ask, PolicyDecision::Ask));
}
