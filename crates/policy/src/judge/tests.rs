mod attacks;

use crate::policy::Policy;
use crate::policy_request::{PolicyDecision, PolicyJudgement, PolicyObjection, PolicyRequest};
use crate::rule::RuleTier;
use crate::tool_permissions::ToolPermissions;
use pollux_session::{
    ApprovalMode, AskDetails, EntryAuthor, FileDiff, Grant, McpToolVersion, PatchedFile, PatchedFileChange, ToolKind,
};
use pretty_assertions::assert_eq;
use regex::Regex;
use serde_json::{Value, json};
use std::path::Path;

const MODES: [ApprovalMode; 4] =
    [ApprovalMode::Default, ApprovalMode::AutoEdit, ApprovalMode::Plan, ApprovalMode::Yolo];

/// A call with everything that a request borrows.
struct TestCall {
    kind: ToolKind,
    tool: &'static str,
    args: Value,
    /// If not all of them.
    obeyed_args: Option<Value>,
    details: AskDetails,
    grants: Vec<(Grant, EntryAuthor)>,
    protected: Option<&'static str>,
    outside: Option<&'static Path>,
    secret: Option<&'static str>,
    subagent: Option<&'static str>,
    objection: Option<PolicyObjection<'static>>,
    is_trusted: bool,
}

impl TestCall {
    fn new(kind: ToolKind, tool: &'static str, details: AskDetails) -> TestCall {
        let grants = Vec::new();
        let (protected, secret, subagent, objection) = (None, None, None, None);
        let (args, obeyed_args, is_trusted, outside) = (json!({}), None, true, None);
        TestCall {
            kind,
            tool,
            args,
            obeyed_args,
            details,
            grants,
            protected,
            outside,
            secret,
            subagent,
            objection,
            is_trusted,
        }
    }

    fn generic(kind: ToolKind, tool: &'static str) -> TestCall {
        TestCall::new(kind, tool, AskDetails::generic("x"))
    }

    fn shell(command: &str) -> TestCall {
        let details = AskDetails::Execute { command: command.into(), directory: "/ws".into() };
        TestCall {
            args: json!({ "command": command }),
            ..TestCall::new(ToolKind::Execute, "run_shell_command", details)
        }
    }

    fn patch(paths: &[&str]) -> TestCall {
        let file = |path: &&str| {
            let (name, path) = ((*path).to_owned(), format!("/ws/{path}"));
            let diff = FileDiff { name, path, old: None, new: String::new(), patch: String::new() };
            PatchedFile { change: PatchedFileChange::Edit, diff, written: vec![] }
        };
        let details = AskDetails::Patch { files: paths.iter().map(file).collect() };
        TestCall { args: json!({ "patch": "…" }), ..TestCall::new(ToolKind::Edit, "apply_patch", details) }
    }

    fn edit() -> TestCall {
        let diff =
            FileDiff { name: "a".into(), path: "/ws/a".into(), old: None, new: String::new(), patch: String::new() };
        TestCall {
            args: json!({ "file_path": "a" }),
            ..TestCall::new(ToolKind::Edit, "write_file", AskDetails::Edit(diff))
        }
    }

    fn mcp() -> TestCall {
        let version = McpToolVersion { tool_digest: "tool 1".into(), server_digest: "server 1".into(), changed: false };
        let details = AskDetails::Mcp { server: "s".into(), tool: "t".into(), version };
        TestCall::new(ToolKind::Fetch, "mcp_s_t", details)
    }

    fn granted(mut self, grant: Grant) -> TestCall {
        let by = EntryAuthor::Client { principal: "local".into(), label: "A2A zed".into() };
        self.grants.push((grant, by));
        self
    }

    fn judgement(&self, policy: &Policy, mode: ApprovalMode) -> PolicyJudgement {
        let TestCall {
            kind,
            tool,
            args,
            obeyed_args,
            details,
            grants,
            protected,
            outside,
            secret,
            subagent,
            objection,
            is_trusted,
        } = self;
        let (kind, protected, secret, subagent) = (*kind, *protected, *secret, *subagent);
        let request = PolicyRequest {
            mode,
            kind,
            tool,
            args,
            obeyed_args: obeyed_args.as_ref().unwrap_or(args),
            details,
            grants,
            protected,
            outside: *outside,
            secret,
            workspace_trusted: *is_trusted,
            subagent,
            agent: None,
            workspace: Path::new("/ws"),
            objection: *objection,
        };
        policy.judge(&request)
    }

    fn judged(&self, policy: &Policy, mode: ApprovalMode) -> (PolicyDecision, String) {
        let judgement = self.judgement(policy, mode);
        (judgement.verdict, judgement.why)
    }

    /// A word for each mode.
    fn row(&self, policy: &Policy) -> String {
        MODES.map(|mode| self.judged(policy, mode).0.name()).join(" ")
    }
}

fn user(text: &str) -> Policy {
    tier(RuleTier::User, text)
}

fn tier(tier: RuleTier, text: &str) -> Policy {
    Policy::new(&[("u.toml".into(), tier, Ok(text.into()))], None, &ToolPermissions::default())
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
    assert_eq!(TestCall::generic(ToolKind::Read, "read_file").row(&policy), "allow allow allow allow");
    assert_eq!(TestCall::edit().row(&policy), "ask allow deny allow");
    assert_eq!(TestCall::shell("cargo test").row(&policy), "ask ask deny allow");
    assert_eq!(TestCall::generic(ToolKind::Fetch, "web_fetch").row(&policy), "ask ask ask allow");
    assert_eq!(TestCall::mcp().row(&policy), "ask ask ask allow");
    assert_eq!(TestCall::generic(ToolKind::Converse, "ask_user").row(&policy), "ask ask ask ask");
    assert_eq!(TestCall::generic(ToolKind::Fetch, "google_web_search").row(&policy), "allow allow allow allow");
}

/// Whoever has limited the tools for one file has meant the files.
#[test]
fn what_limits_the_tools_for_one_file_limits_a_patch() {
    let all = TestCall::patch(&["src/a.rs", "keys/b.pem"]);
    let one = TestCall::patch(&["src/a.rs"]);
    let keys = r#"argsPattern = '"file_path":"[^"]*keys/'"#;
    for (text, all_row, one_row) in [
        (rule("deny", "toolName = \"replace\""), "deny deny deny deny", "deny deny deny deny"),
        (rule("ask_user", "toolName = \"write_file\""), "ask ask deny ask", "ask ask deny ask"),
        (rule("deny", &format!("toolName = \"write_file\"\n{keys}")), "deny deny deny deny", "ask allow deny allow"),
        (
            rule("deny", &format!("toolName = [\"write_file\", \"replace\", \"apply_patch\"]\n{keys}")),
            "deny deny deny deny",
            "ask allow deny allow",
        ),
        // What allows one of them allows no patch.
        (rule("allow", "toolName = \"replace\""), "ask allow deny allow", "ask allow deny allow"),
        (rule("allow", "toolName = \"apply_patch\""), "allow allow deny allow", "allow allow deny allow"),
        (rule("deny", "toolName = \"read_file\""), "ask allow deny allow", "ask allow deny allow"),
    ] {
        let policy = user(&text);
        assert_eq!((all.row(&policy).as_str(), one.row(&policy).as_str()), (all_row, one_row), "{text}");
    }
    let policy = user(&rule("deny", &format!("toolName = \"write_file\"\n{keys}")));
    let (_, why) = all.judged(&policy, ApprovalMode::Default);
    assert!(why.starts_with("`keys/b.pem`: "), "{why}");
}

#[test]
fn a_rule_about_one_file_knows_a_patched_one_by_its_written_name_and_its_content() {
    let mut linked = TestCall::patch(&["data/a"]);
    let mut changed = TestCall::patch(&["src/a.js"]);
    for call in [&mut linked, &mut changed] {
        let AskDetails::Patch { files } = &mut call.details else { panic!("no patch") };
        files[0].written = if files[0].diff.name == "data/a" { vec!["keys/a".into()] } else { vec![] };
        files[0].diff.new = "before()\neval(x)\n".into();
        files[0].diff.patch = "--- src/a.js\n+++ src/a.js\n@@ -1 +1 @@\n before()\n-one()\n+eval(x)\n".into();
    }
    for (pattern, tool, linked_row, changed_row) in [
        (r#""file_path":"keys/"#, "write_file", "deny deny deny deny", "ask allow deny allow"),
        (r#""file_path":"keys/"#, "replace", "deny deny deny deny", "ask allow deny allow"),
        (r#""file_path":"/ws/keys/"#, "replace", "deny deny deny deny", "ask allow deny allow"),
        (r"eval\(", "write_file", "deny deny deny deny", "deny deny deny deny"),
        (r"eval\(", "replace", "deny deny deny deny", "deny deny deny deny"),
        (r"before\(", "replace", "ask allow deny allow", "ask allow deny allow"),
    ] {
        let policy = user(&rule("deny", &format!("toolName = \"{tool}\"\nargsPattern = '{pattern}'")));
        assert_eq!(
            (linked.row(&policy).as_str(), changed.row(&policy).as_str()),
            (linked_row, changed_row),
            "{pattern}"
        );
    }
}

#[test]
fn a_rule_about_a_path_knows_a_written_file_by_where_it_really_is() {
    let written = |asked: &str| {
        let mut call = TestCall { args: json!({ "file_path": asked, "content": "x" }), ..TestCall::edit() };
        let AskDetails::Edit(diff) = &mut call.details else { panic!("no edit") };
        (diff.name, diff.path) = ("migrations/x.sql".into(), "/ws/migrations/x.sql".into());
        call
    };
    for (decision, pattern, row) in [
        ("deny", r#""file_path":"migrations/"#, "deny deny deny deny"),
        ("deny", r#""file_path":"/ws/migrations/"#, "deny deny deny deny"),
        ("deny", r#""file_path":"mig/"#, "deny deny deny deny"),
        ("ask_user", r#""file_path":"migrations/"#, "ask ask deny ask"),
        // What is allowed in the one place is not allowed by a link to it.
        ("allow", r#""file_path":"migrations/"#, "ask allow deny allow"),
        ("deny", r#""file_path":"other/"#, "ask allow deny allow"),
    ] {
        let policy = user(&rule(decision, &format!("toolName = \"write_file\"\nargsPattern = '{pattern}'")));
        assert_eq!(written("mig/x.sql").row(&policy), row, "{decision} {pattern}");
        let replaced = TestCall { tool: "replace", ..written("mig/x.sql") };
        assert_eq!(replaced.row(&policy), "ask allow deny allow", "{decision} {pattern}");
    }
    let policy = user(&rule("deny", "toolName = \"write_file\"\nargsPattern = 'migrations/'"));
    let (_, why) = written("mig/x.sql").judged(&policy, ApprovalMode::Default);
    assert!(why.starts_with("`migrations/x.sql`: "), "{why}");
}

#[test]
fn grants_cover_what_they_say() {
    let policy = Policy::default();
    for (call, grant, row) in [
        (TestCall::edit(), tool("write_file"), "allow allow deny allow"),
        (TestCall::edit(), tool("replace"), "ask allow deny allow"),
        (TestCall::edit(), Grant::FileChanges, "allow allow deny allow"),
        (TestCall { tool: "replace", ..TestCall::edit() }, Grant::FileChanges, "allow allow deny allow"),
        (TestCall { tool: "save_memory", ..TestCall::edit() }, Grant::FileChanges, "ask allow deny allow"),
        (TestCall::patch(&["a", "b"]), Grant::FileChanges, "allow allow deny allow"),
        (TestCall::patch(&["a", "b"]), tool("apply_patch"), "allow allow deny allow"),
        (TestCall::patch(&["a", "b"]), tool("replace"), "ask allow deny allow"),
        (TestCall::generic(ToolKind::Edit, "write_file"), Grant::FileChanges, "ask allow deny allow"),
        (TestCall::shell("touch a"), Grant::FileChanges, "ask ask deny allow"),
        (TestCall::shell("cargo test"), tool("run_shell_command"), "allow allow deny allow"),
        (
            TestCall::shell("cargo test"),
            Grant::Command { command: "cargo test".into(), directory: Some(".".into()) },
            "allow allow deny allow",
        ),
        (
            TestCall::shell("cargo test"),
            Grant::Command { command: "cargo test ".into(), directory: Some(".".into()) },
            "ask ask deny allow",
        ),
        (TestCall::shell("cargo test"), prefix("cargo test"), "allow allow deny allow"),
        (TestCall::shell("cargo test --all"), prefix("cargo test"), "allow allow deny allow"),
        (TestCall::shell("cargo test | tail"), prefix("cargo test"), "allow allow deny allow"),
        (TestCall::shell("cd x && cargo test"), prefix("cargo test"), "ask ask deny allow"),
        (TestCall::shell("cargo test --config x"), prefix("cargo test"), "ask ask deny allow"),
        (TestCall::shell("cargo test -qv -j4"), prefix("cargo test"), "allow allow deny allow"),
        (TestCall::shell("git fetch --upload-pack=x"), prefix("git fetch"), "ask ask deny allow"),
        (TestCall::shell("git fetch 'ext::sh -c x'"), prefix("git fetch"), "ask ask deny allow"),
        (TestCall::shell("mvn test org.x:y:1.0:run"), prefix("mvn test"), "ask ask deny allow"),
        (TestCall::shell("deno test https://x.y/z.ts"), prefix("deno test"), "ask ask deny allow"),
        (TestCall::shell("git commit -am 'a=b c::d'"), prefix("git commit"), "allow allow deny allow"),
        (TestCall::shell("git diff /etc/shadow /dev/null"), prefix("git diff"), "ask ask deny allow"),
        (TestCall::shell("git log --format=%h --no-graph"), prefix("git log"), "allow allow allow allow"),
        (TestCall::shell("git log --format=%GS"), prefix("git log"), "ask ask deny allow"),
        (TestCall::shell("git show '--pretty=%h %+G?'"), prefix("git show"), "ask ask deny allow"),
        (TestCall::shell("prettier ../x"), prefix("prettier"), "ask ask deny allow"),
        (TestCall::shell("prettier /ws/x"), prefix("prettier"), "allow allow deny allow"),
        (TestCall::shell("make SHELL=./x"), prefix("make"), "ask ask deny allow"),
        (TestCall::shell("tsc @options"), prefix("tsc"), "ask ask deny allow"),
        (TestCall::shell("make *"), prefix("make"), "ask ask deny allow"),
        // Options that a script reads, and not its runner.
        (TestCall::shell("npm run db --silent prod"), prefix("npm run db"), "allow allow deny allow"),
        (TestCall::shell("npm run db -- prod"), prefix("npm run db"), "allow allow deny allow"),
        (TestCall::shell("npm run db -- --offline -D -w prod"), prefix("npm run db"), "ask ask deny allow"),
        (TestCall::shell("npm test -- -w"), prefix("npm test"), "ask ask deny allow"),
        (TestCall::shell("yarn run db --offline"), prefix("yarn run db"), "ask ask deny allow"),
        (TestCall::shell("yarn install --offline"), prefix("yarn install"), "allow allow deny allow"),
        (TestCall::shell("yarn test -s"), prefix("yarn test"), "ask ask deny allow"),
        (TestCall::shell("pnpm run db -w"), prefix("pnpm run db"), "ask ask deny allow"),
        (TestCall::shell("bun run db -t"), prefix("bun run db"), "ask ask deny allow"),
        (TestCall::shell("bun run test -t"), prefix("bun run test"), "ask ask deny allow"),
        (TestCall::shell("deno task db -q"), prefix("deno task db"), "ask ask deny allow"),
        (TestCall::shell("cargo run --release -p x"), prefix("cargo run"), "allow allow deny allow"),
        (TestCall::shell("cargo run -- --all"), prefix("cargo run"), "ask ask deny allow"),
        (TestCall::shell("cargo run x --all"), prefix("cargo run"), "ask ask deny allow"),
        (TestCall::shell("cargo xtask --all"), prefix("cargo xtask"), "ask ask deny allow"),
        (TestCall::shell("cargo test -- --nocapture"), prefix("cargo test"), "allow allow deny allow"),
        // Paths inside packages, addresses and options.
        (TestCall::shell("pip install x"), prefix("pip install"), "allow allow deny allow"),
        (TestCall::shell("pip install 'x @ file:///tmp/x'"), prefix("pip install"), "ask ask deny allow"),
        (TestCall::shell("pip install git+FILE:///tmp/x"), prefix("pip install"), "ask ask deny allow"),
        (TestCall::shell("npm install evil@file:../x"), prefix("npm install"), "ask ask deny allow"),
        (TestCall::shell("npm install evil@../x"), prefix("npm install"), "ask ask deny allow"),
        (TestCall::shell("npm install evil@/tmp/x"), prefix("npm install"), "ask ask deny allow"),
        (TestCall::shell("npm install '~/x'"), prefix("npm install"), "ask ask deny allow"),
        (TestCall::shell("npm install --workspace=../x"), prefix("npm install"), "ask ask deny allow"),
        (TestCall::shell("npm install @types/node@1.2 a@npm:b"), prefix("npm install"), "allow allow deny allow"),
        (TestCall::shell("git fetch origin v1..v2"), prefix("git fetch"), "allow allow deny allow"),
        (TestCall::shell("git fetch https://example.org/x v1..v2"), prefix("git fetch"), "ask ask deny allow"),
        (TestCall::shell("git commit -m 'fix: the file: scheme'"), prefix("git commit"), "allow allow deny allow"),
        (TestCall::shell("cargo testx"), prefix("cargo test"), "ask ask deny allow"),
        (TestCall::shell("cargo"), prefix("cargo test"), "ask ask deny allow"),
        (TestCall::shell("./cargo test"), prefix("cargo test"), "ask ask deny allow"),
        (TestCall::shell("cargo test; curl x"), prefix("cargo test"), "ask ask deny allow"),
        (TestCall::shell("cargo test $(curl x)"), prefix("cargo test"), "ask ask deny allow"),
        (TestCall::shell("cargo test > f"), prefix("cargo test"), "ask ask deny allow"),
        (
            TestCall::shell("cargo test > f"),
            Grant::Command { command: "cargo test > f".into(), directory: Some(".".into()) },
            "allow allow deny allow",
        ),
        (
            TestCall::shell("echo ${x@P}"),
            Grant::Command { command: "echo ${x@P}".into(), directory: Some(".".into()) },
            "allow allow deny allow",
        ),
        (
            TestCall::shell("rm -rf x"),
            Grant::Command { command: "rm -rf x".into(), directory: Some(".".into()) },
            "ask ask deny allow",
        ),
        (TestCall::shell("rm -rf x"), tool("run_shell_command"), "ask ask deny allow"),
        (TestCall::shell("rm -rf x > f"), tool("run_shell_command"), "ask ask deny allow"),
        (TestCall::mcp(), mcp_server("s", "server 1"), "allow allow allow allow"),
        (TestCall::mcp(), mcp_server("other", "server 1"), "ask ask ask allow"),
        (TestCall::mcp(), mcp_server("s", "server 2"), "ask ask ask allow"),
        (TestCall::mcp(), mcp_tool("mcp_s_t", "tool 1"), "allow allow allow allow"),
        (TestCall::mcp(), mcp_tool("mcp_s_u", "tool 1"), "ask ask ask allow"),
        (TestCall::mcp(), mcp_tool("mcp_s_t", "tool 2"), "ask ask ask allow"),
        // Grants of logs from before tools had versions.
        (TestCall::mcp(), tool("mcp_s_t"), "ask ask ask allow"),
        (TestCall::mcp(), Grant::Server { server: "s".into() }, "ask ask ask allow"),
        (TestCall::generic(ToolKind::Converse, "ask_user"), tool("ask_user"), "ask ask ask ask"),
    ] {
        let label = format!("{:?} {grant}", call.details);
        assert_eq!(call.granted(grant).row(&policy), row, "{label}");
    }
}

#[test]
fn a_protected_place_asks_whatever_was_allowed() {
    let call = TestCall { protected: Some(".git"), ..TestCall::edit() }.granted(tool("write_file"));
    assert_eq!(call.row(&Policy::default()), "ask ask deny allow");
    assert_eq!(call.row(&user(&rule("allow", "toolName = \"write_file\""))), "ask ask deny allow");
    let call = TestCall { protected: Some(".git"), ..TestCall::edit() }.granted(Grant::FileChanges);
    assert_eq!(call.row(&Policy::default()), "ask ask deny allow");
}

#[test]
fn a_secret_asks_whatever_was_allowed_and_is_never_more_than_a_question() {
    let secret = Some("`.env` is protected");
    let read = TestCall { secret, ..TestCall::generic(ToolKind::Read, "read_file") }.granted(tool("read_file"));
    assert_eq!(read.row(&Policy::default()), "ask ask ask allow");
    assert_eq!(read.row(&user(&rule("allow", "toolName = \"read_file\""))), "ask ask ask allow");
    assert_eq!(read.row(&user(&rule("deny", "toolName = \"read_file\""))), "deny deny deny deny");
    assert_eq!(read.judged(&Policy::default(), ApprovalMode::Default).1, "`.env` is protected");
    let edit = TestCall { secret, ..TestCall::edit() }.granted(tool("write_file"));
    assert_eq!(edit.row(&Policy::default()), "ask ask deny allow");
}

#[test]
fn looking_outside_the_workspace_asks_unless_that_directory_was_granted() {
    let outside = Some(Path::new("/deps/serde/src"));
    let call = || TestCall { outside, ..TestCall::generic(ToolKind::Read, "read_file") };
    let granted = |directory: &str| call().granted(Grant::ReadDirectory { directory: directory.into() });
    let policy = Policy::default();
    assert_eq!(call().row(&policy), "ask ask ask allow");
    assert_eq!(call().judged(&policy, ApprovalMode::Default).1, "/deps/serde/src is outside the workspace");
    assert_eq!(call().granted(tool("read_file")).row(&policy), "ask ask ask allow", "a grant of before");
    assert_eq!(call().row(&user(&rule("allow", "toolName = \"read_file\""))), "ask ask ask allow");
    assert_eq!(call().row(&user(&rule("deny", "toolName = \"read_file\""))), "deny deny deny deny");
    for (directory, row) in [
        ("/deps/serde/src", "allow allow allow allow"),
        ("/deps/serde", "allow allow allow allow"),
        ("/deps/serde/src/de", "ask ask ask allow"),
        ("/deps/ser", "ask ask ask allow"),
    ] {
        assert_eq!(granted(directory).row(&policy), row, "{directory}");
    }
    let secret = TestCall { secret: Some("`.env` is protected"), ..granted("/deps") };
    assert_eq!(secret.row(&policy), "ask ask ask allow", "one by one");
    let of_agent = TestCall { subagent: Some("reviewer"), ..granted("/deps") };
    assert_eq!(of_agent.row(&policy), "ask ask ask allow", "sub-agents do not inherit");
    assert_eq!(granted("/deps").row(&user(&rule("deny", "toolName = \"read_file\""))), "deny deny deny deny");
    let write = TestCall { outside: None, ..TestCall::edit() }.granted(Grant::ReadDirectory { directory: "/".into() });
    assert_eq!(write.row(&policy), "ask allow deny allow");
}

#[test]
fn the_higher_tier_wins_then_the_higher_priority_then_the_stricter() {
    let file = |tier, decision: &str, priority: u16| {
        let text = format!("[[rule]]\ndecision = \"{decision}\"\npriority = {priority}\ntoolName = \"web_fetch\"\n");
        (format!("{tier:?}.toml").into(), tier, Ok(text))
    };
    let call = TestCall::generic(ToolKind::Fetch, "web_fetch");
    for (files, expected) in [
        (vec![file(RuleTier::User, "allow", 0)], PolicyDecision::Allow),
        (vec![file(RuleTier::Workspace, "deny", 999), file(RuleTier::User, "allow", 0)], PolicyDecision::Allow),
        (vec![file(RuleTier::User, "allow", 999), file(RuleTier::Admin, "deny", 0)], PolicyDecision::Deny),
        (vec![file(RuleTier::User, "allow", 10), file(RuleTier::User, "deny", 9)], PolicyDecision::Allow),
        (vec![file(RuleTier::User, "allow", 10), file(RuleTier::User, "deny", 10)], PolicyDecision::Deny),
        (vec![file(RuleTier::User, "ask_user", 10), file(RuleTier::User, "allow", 10)], PolicyDecision::Ask),
    ] {
        let policy = Policy::new(&files, None, &ToolPermissions::default());
        assert_eq!(call.judged(&policy, ApprovalMode::Default).0, expected, "{files:?}");
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
        assert_eq!(TestCall::shell(command).row(&policy), row, "{command}");
    }
}

/// Why `command` is judged as it is, without the lines that built-in rules stand in.
fn reason(command: &str, policy: &Policy, mode: ApprovalMode) -> String {
    let why = TestCall::shell(command).judged(policy, mode).1;
    Regex::new(r" \(built-in rules:\d+\)").unwrap().replace_all(&why, "").into_owned()
}

#[test]
fn what_asks_says_what_is_in_its_way_unless_a_rule_has_its_own_reason() {
    let shell = "toolName = \"run_shell_command\"";
    let (plain, asking) =
        (Policy::default(), user(&rule("ask_user", &format!("{shell}\ncommandPrefix = [\"tail\", \"cargo\"]"))));
    let option = "`tail -f` is not among the options that run without a question";
    let dollar = "`$` is expanded by a shell; only `$?` is known without one";
    let planning = "this is not allowed in plan mode, which only reads; describe the change in the plan instead";
    for (policy, command, mode, why) in [
        (&plain, "tail -f log", ApprovalMode::Default, option),
        (&plain, "tail -f log", ApprovalMode::Plan, planning),
        (&asking, "tail -f log", ApprovalMode::Default, "u.toml:1 says to ask"),
        (&plain, "echo $HOME", ApprovalMode::Default, dollar),
        (&plain, "echo $HOME", ApprovalMode::Plan, planning),
        (&asking, "cargo $HOME", ApprovalMode::Default, "u.toml:1 says to ask"),
    ] {
        assert_eq!(reason(command, policy, mode), why, "{command} {mode:?}");
    }
}

/// `cargo` is allowed with a higher priority than anything else is said of it.
fn cargo_allowed_above(text: &str) -> Policy {
    let allow =
        "[[rule]]\ndecision = \"allow\"\npriority = 200\ntoolName = \"run_shell_command\"\ncommandPrefix = \"cargo\"\n";
    user(&format!("{allow}{text}"))
}

#[test]
fn what_may_be_denied_asks_unless_a_higher_rule_has_allowed_it() {
    let deny = rule("deny", "toolName = \"run_shell_command\"\ncommandPrefix = \"cargo publish\"");
    let policy = cargo_allowed_above(&deny);
    assert_eq!(TestCall::shell("cargo --quiet publish").row(&policy), "allow allow deny allow");
    assert_eq!(TestCall::shell("cargo publish").row(&policy), "allow allow deny allow");
    let policy = cargo_allowed_above(&format!("{deny}firm = true\n"));
    assert_eq!(TestCall::shell("cargo --quiet publish").row(&policy), "ask ask deny ask");
    assert_eq!(TestCall::shell("cargo publish").row(&policy), "deny deny deny deny");
}

#[test]
fn of_firm_rules_the_firmest_holds_and_of_equals_the_highest() {
    let cargo = "toolName = \"run_shell_command\"\ncommandPrefix = \"cargo\"";
    let higher = |firmness: &str| rule("ask_user", &format!("{cargo}\n{firmness} = true")).replace("= 100", "= 300");
    let lower = rule("ask_user", &format!("{cargo}\nfirm = true"));
    let granted =
        TestCall { grants: vec![(tool("run_shell_command"), EntryAuthor::Agent)], ..TestCall::shell("cargo x") };
    let judged = |text: String| granted.judged(&user(&text), ApprovalMode::Default);
    assert_eq!(judged(higher("firmForParts")).0, PolicyDecision::Allow);
    assert_eq!(judged(higher("firmForParts") + &lower).0, PolicyDecision::Ask);
    assert_eq!(judged(higher("firm") + &lower).1, "u.toml:1 says to ask");
}

#[test]
fn only_what_a_rule_limits_is_looked_for_in_arguments() {
    let shell = "toolName = \"run_shell_command\"";
    let policy = user(&format!(
        "{}{}{}",
        rule("allow", &format!("{shell}\nallowRedirection = true")),
        rule("allow", &format!("{shell}\ncommandPrefix = \"cargo\"")),
        rule("deny", &format!("{shell}\ncommandPrefix = \"rm\"")).replace("= 100", "= 200"),
    ));
    for (command, decision) in [("conda run rm x", PolicyDecision::Ask), ("conda run cargo x", PolicyDecision::Allow)] {
        assert_eq!(TestCall::shell(command).judged(&policy, ApprovalMode::Default).0, decision, "{command}");
    }
}

#[test]
fn a_rule_allows_only_without_the_options_that_it_rules_out() {
    let policy = user(&rule(
        "allow",
        "toolName = \"run_shell_command\"\ncommandPrefix = \"terraform\"\nwithoutArgs = [\"-auto-approve\", \"--target\"]",
    ));
    for (command, row) in [
        ("terraform plan", "allow allow deny allow"),
        ("terraform apply -auto-approve", "ask ask deny allow"),
        ("terraform plan --targ=x", "ask ask deny allow"),
    ] {
        assert_eq!(TestCall::shell(command).row(&policy), row, "{command}");
    }
}

#[test]
fn what_cannot_be_read_is_allowed_only_where_everything_is() {
    let shell = "toolName = \"run_shell_command\"";
    let everything = rule("allow", &format!("{shell}\nallowRedirection = true"));
    let some = |decision: &str| rule(decision, &format!("{shell}\ncommandPrefix = \"make\""));
    for (text, row) in [
        (everything.clone(), "allow allow deny allow"),
        (format!("{everything}{}", some("allow")), "allow allow deny allow"),
        (format!("{everything}{}", some("ask_user")), "ask ask deny ask"),
        (rule("allow", shell), "ask ask deny ask"),
        (rule("allow", &format!("{shell}\nargsPattern = 'echo'\nallowRedirection = true")), "ask ask deny ask"),
        (rule("ask_user", &format!("{shell}\nallowRedirection = true")), "ask ask ask ask"),
    ] {
        let policy = user(&text);
        assert_eq!(TestCall::shell("echo ${x@P}").row(&policy), row, "{text}");
    }
    let policy = user(&format!("{everything}{}", some("deny")));
    let why = "`${x@P}`: an operator in an expansion can run commands; it may hold what u.toml:6 speaks of";
    assert_eq!(TestCall::shell("echo ${x@P}").judged(&policy, ApprovalMode::Default).1, why);
}

/// A grant for what begins so covers no way to delete branches, to run other packages' scripts, to see protected files or to
/// start an editor.
#[test]
fn a_grant_covers_no_more_than_its_operands_and_harmless_options() {
    let policy = Policy::default();
    for (command, words, row) in [
        ("git fetch -p origin", "git fetch", "allow allow deny allow"),
        ("git fetch -p origin main", "git fetch", "allow allow deny allow"),
        ("git fetch -p origin 'refs/nope/*:refs/heads/*'", "git fetch", "ask ask deny allow"),
        ("git fetch origin main:main", "git fetch", "ask ask deny allow"),
        ("git pull origin main:main", "git pull", "ask ask deny allow"),
        ("git pull https://example.org/x main", "git pull", "ask ask deny allow"),
        ("git pull host:x main", "git pull", "ask ask deny allow"),
        ("git pull --rebase", "git pull", "allow allow deny allow"),
        ("git pull --rebase=merges", "git pull", "allow allow deny allow"),
        ("git pull --rebase=interactive", "git pull", "ask ask deny allow"),
        ("git pull --rebase=i", "git pull", "ask ask deny allow"),
        ("git fetch --depth=1", "git fetch", "allow allow deny allow"),
        ("git add -A", "git add", "allow allow deny allow"),
        ("git add -p", "git add", "ask ask deny allow"),
        ("git add --patch x", "git add", "ask ask deny allow"),
        ("npm run t --silent", "npm run t", "allow allow deny allow"),
        ("npm run t -w packages/evil", "npm run t", "ask ask deny allow"),
        ("npm run t --workspaces", "npm run t", "ask ask deny allow"),
        // The name of the script may be any.
        ("pnpm run t", "pnpm run", "allow allow deny allow"),
        ("npm run -s t", "npm run", "allow allow deny allow"),
        ("pnpm run --dir ../y t", "pnpm run", "ask ask deny allow"),
        ("pnpm run t --script-shell=./y", "pnpm run", "ask ask deny allow"),
        ("yarn run t --cwd=../y", "yarn run", "ask ask deny allow"),
        ("go mod tidy", "go mod", "allow allow deny allow"),
        ("go mod edit -replace=x=../y", "go mod", "ask ask deny allow"),
        ("pnpm install --filter evil", "pnpm install", "ask ask deny allow"),
    ] {
        assert_eq!(TestCall::shell(command).granted(prefix(words)).row(&policy), row, "{command}");
    }
}

/// Some commands of git's ask although all of git is allowed.
#[test]
fn git_throws_nothing_away_and_runs_nothing_without_a_question() {
    let shell = "toolName = \"run_shell_command\"";
    let git = user(&rule("allow", &format!("{shell}\ncommandPrefix = \"git\"")));
    for command in [
        "git remote add evil ./vendor/repo",
        "git -C . remote set-url --push origin ./vendor/repo",
        "git push origin +main",
        "git push origin :main",
        "git push --prune origin",
        "git branch -M a b",
        "git branch -C a b",
        "git switch -f x",
        "git switch --discard-changes x",
        "git switch -C x",
        "git restore .",
        "git restore --staged --worktree a",
        "git checkout -- .",
        "git checkout .",
        "git checkout ./a",
        "git checkout -B x",
        "git checkout '*'",
        "git checkout --pathspec-from-file=x",
        "git fetch . +main:other",
        "git fetch -f . main:other",
        "git fetch --all --force",
        "git pull origin +main:other",
        "git submodule deinit -f x",
        "git submodule -q deinit --force x",
        "git mv -f a b",
        "git stash clear",
        "git stash drop",
        "git reflog expire --all",
        "git tag -d v1",
        "git rm -f a",
        "git rebase -x 'touch p' HEAD~1",
        "git rebase -i HEAD~1",
        "git grep -Osh x",
        "git grep --open-files-in-pager=sh x",
        "git difftool -x sh",
        "git mergetool",
        "git cherry-pick --strategy=x/y HEAD~3",
        "git cherry-pick --strat x/y HEAD~3",
        "git bisect run sh",
        "git bisect view git -c alias.z='!touch M;:' z",
        "git bisect visualize push",
        "git submodule foreach sh",
        "git clone -u sh a b",
        "git clone -c core.pager=sh a b",
        "git clone --template=x a b",
        "git config alias.x '!sh'",
        "git config core.hooksPath x -l",
        "git config alias.x '!sh' --get",
        "git config --comment --get core.fsmonitor 'touch M'",
        "git config -fx/l core.fsmonitor 'touch M'",
        "git config --get --no-get alias.x '!touch M'",
        "git config --list --no-li alias.x '!touch M'",
        "git restore --pathspec-from-file -S",
        "git restore --staged --no-staged a",
        "git filter-branch --tree-filter sh",
        "git x",
        "git -C sub x",
        "git --git-dir sub x",
    ] {
        assert_eq!(TestCall::shell(command).row(&git), "ask ask deny allow", "{command}");
    }
    for command in [
        "git push origin main",
        "git branch -m a b",
        "git switch x",
        "git switch -c x",
        "git restore --staged a",
        "git checkout x",
        "git checkout -b x",
        "git fetch --prune origin",
        "git pull --rebase",
        "git mv a b",
        "git submodule deinit x",
        "git stash",
        "git stash pop",
        "git tag v1",
        "git rm a",
        "git rebase main",
        "git merge --strategy-option=ours x",
        "git grep x",
        "git bisect good",
        "git submodule update --init",
        "git clone a b",
        "git config --get user.name",
        "git config -l",
        "git -C sub config --get user.name",
        "git -C sub commit -m x",
        "git --version",
        "git",
    ] {
        assert_eq!(TestCall::shell(command).judged(&git, ApprovalMode::Default).0, PolicyDecision::Allow, "{command}");
    }
}

/// A rule for a program is none for whatever its options have it run.
#[test]
fn a_program_that_is_told_what_to_run_asks_although_it_is_allowed() {
    let programs = [
        "awk", "cargo", "curl", "fd", "gawk", "go", "make", "man", "npm", "npx", "rsync", "scp", "sed", "sftp", "sort",
        "split", "ssh", "tar", "wget", "zip",
    ];
    let policy = user(&rule("allow", &format!("toolName = \"run_shell_command\"\ncommandPrefix = {programs:?}")));
    for command in [
        "tar --checkpoint=1 --checkpoint-action=exec='touch M' -cf /dev/null a",
        "tar -cf /dev/null -I 'touch M' a",
        "tar cIf 'touch M' /dev/null a",
        "tar -xf a --to-command='touch M'",
        "tar -cf -- -I 'touch M' a",
        "sort -o -- --compress-program=./s.sh a",
        "tar -cf - -T list",
        "sort --files0-from=list",
        "awk -W exec x.awk",
        "zip x.zip a -T -TT 'touch M;'",
        "npm exec ---call='touch M'",
        "npm run build --script-shell=./x.sh",
        "make 'X:=$(shell touch M)'",
        "curl -sK cfg",
        "curl --engine ./e.so http://h/",
        "curl --proto-default file /x",
        "wget --use-askpass=./x.sh http://h/",
        "tar --use-compress-program='touch M' -cf a b",
        "tar --info-script='touch M' -cMf a b",
        "tar -F 'touch M' -cMf a b",
        "tar --rsh-command=touch -cf h:x a",
        "sed '1e touch M' a",
        "sed 's/.*/touch M/e' a",
        "sed 'r id_rsa' a",
        "sed rid_rsa a",
        "sed 'w x' a",
        "sed -f x a",
        "make --eval='x:;touch M' x",
        "make SHELL='touch M'",
        "make -f /tmp/x",
        "make -kf../x",
        "make --file=/tmp/x",
        "make -C ~/x",
        "make -I /tmp/x",
        "make -f -",
        "make -sf -",
        "make --file=-",
        "make -f \"it's/../../x.mk\"",
        "npm test --prefix \"it's/../../x\"",
        "npm test -prefix /tmp/x",
        "npm test -prefix=/tmp/x",
        "npm test --C /tmp/x",
        "npm test -node-options --require=/usr/x.js",
        "npm test -node-options=--require=/usr/x.js",
        "npm test -script-shell ./x",
        "npm exec -call 'touch M'",
        "cargo test --manifest-path \"it's/../../x/Cargo.toml\"",
        "zip o.zip a -T -X-TT 'touch M'",
        "sed ':x{a e touch M' a",
        "sed ':x}a e touch M' a",
        "make -kI../x all",
        "make --include-dir=/tmp/x",
        "awk 'BEGIN{system(\"touch M\")}'",
        "/usr/bin/gawk 'BEGIN{print | \"sh\"}'",
        "awk 'BEGIN{\"touch M\" | getline}'",
        "awk 'BEGIN{f=\"sys\" \"tem\"; @f(\"x\")}'",
        "awk -f x a",
        "ssh -o ProxyCommand='touch M' h",
        "ssh -oLocalCommand=x h",
        "ssh -F x h",
        "scp -S ./x a h:",
        "sftp -o ProxyCommand=x h",
        "rsync -e 'touch M' a h:",
        "rsync --rsh='touch M' a h:",
        "npm exec -c 'touch M'",
        "npx -c 'touch M'",
        "split --filter='touch M' a",
        "sort --compress-program=x a",
        "make 'X!=touch M'",
        "make all 'X != touch M'",
        "make ' SHELL=/x'",
        "make '\t.SHELLFLAGS = x'",
        "make --fil=/tmp/x",
        "make --dir=/tmp",
        "make --make /tmp/x",
        "make '--file=/tmp/a b'",
        "make -f 'a b/../../x'",
        "make 'X=a\nb' -f /tmp/x",
        "make 'X=a\nb' -C ..",
        "zip -TqTT 'touch M' x.zip f",
        "zip -qTT 'touch M' -T x.zip f",
        "tar cfT x.tar list",
        "tar 'cvTf' list x.tar",
        "npm --userconfig=/tmp/x test",
        "npm test --globalconfig /tmp/x",
        "npm test ---script-shell=./x.sh",
        "npm test ---userc=x",
        "npm --prefix /tmp/x test",
        "npm --prefix=../x test",
        "npm -C /tmp/x test",
        "npm -C../x test",
        "cargo --config 'build.rustc-wrapper=\"./x\"' build",
        "cargo test --config=x.toml",
        "cargo test --manifest-path /tmp/x/Cargo.toml",
        "cargo test --manifest-path=../x/Cargo.toml",
        "go test -exec ./x",
        "go test --exec=./x ./...",
        "go build -toolexec=./x",
        "go vet --vettool ./x",
        "go build '-ldflags=-linkmode=external -extld=./x'",
        "man -H'touch M' ls",
        "fd a -x touch",
        "fd -HX touch",
        "man --html='touch M' ls",
        "man -C x ls",
    ] {
        assert_eq!(TestCall::shell(command).row(&policy), "ask ask deny allow", "{command}");
    }
    for command in [
        "tar xzf a.tar.gz",
        "tar -cf a.tar b",
        "sed -i 's/a/b/g' a",
        "sed -n '/a/,/b/p' a",
        "make -j4 all",
        "make -f sub/x.mk CC=gcc",
        "make -C sub",
        "make -I sub/include",
        "npm run -s build",
        "npm run build -- --x",
        "sed ':a;N;$!ba;s/\\n/ /g' a",
        "sed '/x/{s/a/b/;ta}' a",
        "make -ki all /dev/null",
        "awk '{print $1}' a",
        "awk -F: 'NR>1{print $2}' a",
        "awk -F'|' '{print $2}' a",
        "sed 's/[^/]*$//' a",
        "sed -i '5i\\    indented' a",
        "ssh h uptime",
        "scp a h:b",
        "rsync -av a h:",
        "npm run build",
        "npx eslint -c x",
        "sort -u a",
        "make --dry-run all",
        "make test ARGS='a b'",
        "zip -rT x.zip f",
        "tar cf Test.tar list",
        "tar xzvf T.tar.gz",
        "npm --prefix frontend run build",
        "npm -C frontend test",
        "npm test --prefer-offline",
        "cargo test --manifest-path crates/x/Cargo.toml",
        "cargo build --color always",
        "go test -run TestExec ./...",
        "go vet ./...",
        "man ls",
    ] {
        assert_eq!(
            TestCall::shell(command).judged(&policy, ApprovalMode::Default).0,
            PolicyDecision::Allow,
            "{command}"
        );
    }
}

/// Options between the words of a prefix do not hide it from a rule that limits, and widen none that allows.
#[test]
fn options_between_the_words_of_a_prefix_hide_nothing() {
    let shell = "toolName = \"run_shell_command\"";
    let git = user(&rule("allow", &format!("{shell}\ncommandPrefix = \"git\"")));
    for command in [
        "git submodule --quiet foreach 'touch M'",
        "git submodule -q foreach 'touch M'",
        "git submodule --cached foreach 'touch M'",
        "git -C x submodule -q foreach 'touch M'",
        "git stash -q drop",
        "git -C x config core.hooksPath y",
    ] {
        assert_eq!(TestCall::shell(command).row(&git), "ask ask deny allow", "{command}");
    }
    for (command, limit) in [
        ("npm run -s deploy", "npm run deploy"),
        ("git remote -v add x y", "git remote add"),
        ("cargo +nightly publish", "cargo publish"),
        ("docker compose -f x down", "docker compose down"),
        ("docker --context c compose -f x down", "docker compose down"),
    ] {
        let program = limit.split(' ').next().unwrap();
        let allow = rule("allow", &format!("{shell}\ncommandPrefix = \"{program}\""));
        let deny = rule("deny", &format!("{shell}\ncommandPrefix = \"{limit}\"")).replace("= 100", "= 500");
        let policy = user(&(allow + &deny));
        assert_eq!(TestCall::shell(command).row(&policy), "ask ask deny ask", "{command}");
        assert_eq!(TestCall::shell(limit).row(&policy), "deny deny deny deny", "{limit}");
        // Another word than an option ends it.
        let other = command.replace(" -", " other -").replace(" +", " other +");
        assert_eq!(TestCall::shell(&other).judged(&policy, ApprovalMode::Default).0, PolicyDecision::Allow, "{other}");
        let narrow = user(&rule("allow", &format!("{shell}\ncommandPrefix = \"{limit}\"")));
        assert_eq!(TestCall::shell(command).judged(&narrow, ApprovalMode::Default).0, PolicyDecision::Ask, "{command}");
    }
}

/// A rule for commands that begin with `git` is no trust in a repository: whatever lies there, git obeys it.
#[test]
fn git_in_a_folder_that_is_not_trusted_is_allowed_only_whole() {
    let shell = |command: &str| TestCall { is_trusted: false, ..TestCall::shell(command) };
    let ask = |call: TestCall, policy: &Policy| {
        let (decision, why) = call.judged(policy, ApprovalMode::Default);
        assert_eq!(decision, PolicyDecision::Ask, "{why}");
        assert!(why.contains("do not trust this folder"), "{why}");
    };
    let settings = |allowed: &[&str]| {
        let allowed = allowed.iter().map(|entry| (*entry).to_owned()).collect();
        Policy::new(&[], None, &ToolPermissions { allowed, ..ToolPermissions::default() })
    };
    let by_prefix =
        user(&rule("allow", "toolName = \"run_shell_command\"\ncommandPrefix = [\"git\", \"nice\", \"make\"]"));
    let by_regex = user(&rule("allow", "toolName = \"run_shell_command\"\ncommandRegex = \".*git .*\""));
    let by_arguments = user(&rule("allow", "toolName = \"run_shell_command\"\nargsPattern = \"git\""));
    let by_setting = settings(&["run_shell_command(git)"]);
    for policy in [&by_prefix, &by_regex, &by_arguments, &by_setting] {
        for command in ["git status", "git add -A", "git commit -m x", "git --version", "git add a && git commit -m x"]
        {
            ask(shell(command), policy);
            assert_eq!(
                TestCall::shell(command).judged(policy, ApprovalMode::Default).0,
                PolicyDecision::Allow,
                "{command}"
            );
        }
    }
    ask(shell("nice git status"), &by_prefix);
    assert_eq!(shell("make git").judged(&by_prefix, ApprovalMode::Default).0, PolicyDecision::Allow);
    let asks = |call: TestCall| call.judged(&Policy::default(), ApprovalMode::Default).0 == PolicyDecision::Ask;
    assert!(asks(shell("git add a").granted(prefix("git add"))));
    assert!(!asks(TestCall::shell("git add a").granted(prefix("git add"))));
    // Who allows all of a command, or all commands, has it run in a shell.
    let exact = || Grant::Command { command: "git add a".into(), directory: Some(".".into()) };
    let kept = user(&rule("allow", "toolName = \"run_shell_command\"\ncommand = \"git add a\""));
    let all = user(&rule("allow", "toolName = \"run_shell_command\""));
    let whole = [
        shell("git add a").granted(exact()).judgement(&by_prefix, ApprovalMode::Default),
        shell("git add a").granted(tool("run_shell_command")).judgement(&by_prefix, ApprovalMode::Default),
        shell("git add a").judgement(&kept, ApprovalMode::Default),
        shell("git add a").judgement(&all, ApprovalMode::Default),
        shell("git add a").judgement(&settings(&["run_shell_command"]), ApprovalMode::Default),
        shell("git add a").judgement(&by_prefix, ApprovalMode::Yolo),
    ];
    assert_eq!(
        whole.map(|judgement| (judgement.verdict, judgement.plan)),
        [const { (PolicyDecision::Allow, None) }; 6]
    );
}

/// A repository's configuration may have another name for the command that a rule speaks of.
#[test]
fn a_command_of_git_that_is_not_known_may_be_the_one_that_is_denied() {
    let shell = "toolName = \"run_shell_command\"";
    let deny = user(&rule("deny", &format!("{shell}\ncommandPrefix = \"git push\"")));
    let verdict = |command: &str| TestCall::shell(command).judged(&deny, ApprovalMode::Yolo).0;
    for command in [
        "git -c alias.p=push p",
        "git -c core.fsmonitor=x status",
        "git p",
        "/usr/bin/git p",
        "git -C x $y",
        "git \"$x\"",
    ] {
        assert_eq!(verdict(command), PolicyDecision::Ask, "{command}");
    }
    for command in ["git status", "git -c user.name=c status", "git commit -m p", "git", "git --version"] {
        assert_eq!(verdict(command), PolicyDecision::Allow, "{command}");
    }
    assert_eq!(verdict("git push"), PolicyDecision::Deny);
}

/// What the model adds to the arguments, and the tool never looks at, allows nothing. It may well be what is denied.
#[test]
fn arguments_that_the_tool_does_not_obey_allow_nothing() {
    let shell = "toolName = \"run_shell_command\"";
    let with_remark = |command: &str, remark: &str| TestCall {
        args: json!({ "command": command, "description": remark, "zzz": { "command": remark } }),
        obeyed_args: Some(json!({ "command": command })),
        ..TestCall::shell(command)
    };
    for pattern in ["\"command\":\"npm test\"", "npm test"] {
        let allow = user(&rule("allow", &format!("{shell}\nargsPattern = '{pattern}'")));
        assert_eq!(with_remark("npm test", "npm test").row(&allow), "allow allow deny allow", "{pattern}");
        for command in ["touch p", "touch p; touch q", "touch p > q"] {
            assert_eq!(with_remark(command, "npm test").row(&allow), "ask ask deny allow", "{pattern}: {command}");
        }
        let deny = user(&rule("deny", &format!("{shell}\nargsPattern = '{pattern}'")));
        assert_eq!(with_remark("touch p", "npm test").row(&deny), "deny deny deny deny", "{pattern}");
    }
    let docs = user(&rule("allow", "toolName = \"write_file\"\nargsPattern = '\"file_path\":\"docs/'"));
    let edit = |path: &str| TestCall {
        args: json!({ "file_path": path, "zzz": { "file_path": "docs/x.md" } }),
        obeyed_args: Some(json!({ "file_path": path })),
        ..TestCall::edit()
    };
    assert_eq!(edit("docs/a.md").row(&docs), "allow allow deny allow");
    assert_eq!(edit("src.sh").row(&docs), "ask allow deny allow");
}

/// However a command is written and whatever stands around it, a rule that limits it holds.
#[test]
fn a_limit_holds_for_every_spelling_of_a_command() {
    let shell = "toolName = \"run_shell_command\"";
    let everything = rule("allow", &format!("{shell}\ncommandPrefix = [\"touch\", \"/usr/bin/touch\"]"));
    let deny = |test: &str| {
        user(&format!(
            "{everything}{}",
            rule("deny", &format!("{shell}\n{test}\npriority = 500")).replacen("priority = 100\n", "", 1)
        ))
    };
    let policies = [deny("argsPattern = '\"command\":\"touch secret'"), deny("commandRegex = 'touch secret'")];
    for policy in &policies {
        for command in [
            "touch secret",
            "cd . && touch secret1",
            "timeout 5 touch secret2",
            "NO_COLOR=1 touch secret",
            ">/dev/null touch secret",
            "touch  secret",
            "touch \"secret\"",
            "'touch' secret",
            "/usr/bin/touch secret",
            "(touch secret)",
            "{ touch secret; }",
            "! touch secret",
            "time touch secret",
            "echo $(touch secret)",
        ] {
            assert_eq!(
                TestCall::shell(command).judged(policy, ApprovalMode::Yolo).0,
                PolicyDecision::Deny,
                "{command}"
            );
        }
        assert_eq!(TestCall::shell("touch other").row(policy), "allow allow deny allow");
    }
    // What nobody can see may be the command in question.
    assert_eq!(
        TestCall::shell("bash <<< 'touch secret'").judged(&policies[0], ApprovalMode::Yolo).0,
        PolicyDecision::Ask
    );
    let elsewhere = user(&rule("deny", "toolName = \"write_file\"\nargsPattern = 'x'"));
    assert_eq!(
        TestCall::shell("bash <<< 'touch secret'").judged(&elsewhere, ApprovalMode::Yolo).0,
        PolicyDecision::Allow
    );
}

/// A pattern for the arguments allows the command it fits and no other on the line; what denies is found anywhere.
#[test]
fn a_pattern_of_arguments_allows_only_the_part_that_it_fits() {
    let shell = "toolName = \"run_shell_command\"";
    let allow = user(&rule("allow", &format!("{shell}\nargsPattern = '\"command\":\"npm test'")));
    let anywhere = user(&rule("allow", &format!("{shell}\nargsPattern = 'npm test'")));
    for policy in [&allow, &anywhere] {
        assert_eq!(TestCall::shell("npm test").row(policy), "allow allow deny allow");
        assert_eq!(TestCall::shell("npm test --silent | tail -5").row(policy), "allow allow deny allow");
        assert_eq!(TestCall::shell("npm test; npm test x").row(policy), "allow allow deny allow");
        for command in ["npm test; node evil.js", "npm test && node evil.js", "npm test | node evil.js"] {
            assert_eq!(TestCall::shell(command).row(policy), "ask ask deny allow", "{command}");
        }
    }
    // With one part the whole text counts, too.
    assert_eq!(TestCall::shell("timeout 5 npm test").row(&anywhere), "allow allow deny allow");
    assert_eq!(TestCall::shell("timeout 5 npm test").row(&allow), "ask ask deny allow");
    assert_eq!(TestCall::shell("cd 'npm test' && node evil.js").row(&anywhere), "ask ask deny allow");
    for decision in ["deny", "ask_user"] {
        let word = if decision == "deny" { "deny" } else { "ask" };
        let row = [word; 4].join(" ");
        let of_part = user(&rule(decision, &format!("{shell}\nargsPattern = '\"command\":\"node'")));
        assert_eq!(TestCall::shell("ls; node x").judged(&of_part, ApprovalMode::Yolo).0.name(), word);
        let of_whole = user(&rule(decision, &format!("{shell}\nargsPattern = 'ls; node'")));
        assert_eq!(TestCall::shell("ls; node x").row(&of_whole), row);
        assert_eq!(TestCall::shell("ls; pwd").judged(&of_whole, ApprovalMode::Yolo).0, PolicyDecision::Allow);
    }
}

/// One word is not two, even if they look alike once they are joined.
#[test]
fn an_option_that_was_shown_is_compared_word_by_word() {
    let policy = Policy::default();
    let shown = |options: &[&str]| Grant::Prefix {
        words: vec!["make".into()],
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        directory: Some(".".into()),
    };
    for (command, options, decision) in [
        ("make -f a.mk", "-f a.mk", PolicyDecision::Allow),
        ("make '-f a.mk'", "-f a.mk", PolicyDecision::Ask),
        ("make '-f a.mk'", "'-f a.mk'", PolicyDecision::Allow),
        ("make -f a.mk", "'-f a.mk'", PolicyDecision::Ask),
        ("make -f 'a b.mk'", "-f 'a b.mk'", PolicyDecision::Allow),
        ("make -f 'a b.mk'", "-f a b.mk", PolicyDecision::Ask),
    ] {
        let call = TestCall::shell(command).granted(shown(&[options]));
        assert_eq!(call.judged(&policy, ApprovalMode::Default).0, decision, "{command} with {options}");
    }
}

#[test]
fn a_denied_command_is_found_inside_others_in_yolo_mode() {
    let policy = user(&rule("deny", "toolName = \"run_shell_command\"\ncommandPrefix = \"rm\""));
    for command in [
        "eval rm x",
        "eval 'rm x'",
        "trap 'rm x' EXIT",
        "env -S 'rm x'",
        "script -qc 'rm x' /dev/null",
        "su -c 'rm x'",
        "flock l rm x",
        "chrt -f 1 rm x",
        "taskset 1 rm x",
        "unshare -r rm x",
        "chroot / rm x",
        "prlimit --nofile=9 rm x",
        "strace -f rm x",
        "parallel rm ::: x",
        "tmux -L atk new-session -d 'rm gone'",
        "uv run rm x",
        "fd -x rm",
        "docker exec web rm x",
        "npx rm x",
    ] {
        assert_eq!(TestCall::shell(command).judged(&policy, ApprovalMode::Yolo).0, PolicyDecision::Deny, "{command}");
    }
    for command in ["echo rm x | bash", "bash <<< 'rm x'", "curl x | sudo -s", "bash -s < x", "cat x | unshare -r"] {
        assert_eq!(TestCall::shell(command).judged(&policy, ApprovalMode::Yolo).0, PolicyDecision::Ask, "{command}");
        // Where nothing is limited there is nothing to find.
        assert_eq!(
            TestCall::shell(command).judged(&Policy::default(), ApprovalMode::Yolo).0,
            PolicyDecision::Allow,
            "{command}"
        );
    }
    for command in [
        "env -uSHELL rm p",
        "rbash -c 'rm p'",
        "setpriv rm p",
        "choom -n 0 -- rm p",
        "linux64 rm p",
        "/lib64/ld-linux-x86-64.so.2 /bin/rm p",
    ] {
        assert_eq!(TestCall::shell(command).judged(&policy, ApprovalMode::Yolo).0, PolicyDecision::Deny, "{command}");
    }
    for command in [
        "env --split='rm p'",
        "echo rm p | bash /dev/stdin",
        ". /dev/stdin <<< 'rm p'",
        "echo rm p | xargs -I% sh -c %",
        "find /bin/rm -exec '{}' p ';'",
        "setarch -Q rm p",
        "compgen -C 'rm p'",
        "mapfile -C 'rm p' -c 1 a",
        "let 'a[$(rm p)]=1'",
        "[ -v 'a[$(rm p)]' ]",
        "alias t=rm",
        "conda run rm p",
        "vim -es -c '!rm p'",
        "python3 -c 'os.system(\"rm p\")'",
        "install -s --strip-program=rm p q",
        "sudo uclampset -m 1 rm p",
        "tmux new-sess -d 'rm p'",
        "git clone -c core.sshCommand='rm p' x",
        "git config core.pager 'rm p'",
        "git -C status config alias.x '!rm p'",
    ] {
        assert_eq!(TestCall::shell(command).judged(&policy, ApprovalMode::Yolo).0, PolicyDecision::Ask, "{command}");
    }
    for command in [
        "ls | sort",
        "bash x.sh",
        "command -v rm",
        "env A=b ls",
        "cd a && git status",
        "git rm p",
        "git commit -m 'rm p'",
        "sudo grep rm p",
        "cargo test rm_p",
    ] {
        assert_eq!(TestCall::shell(command).judged(&policy, ApprovalMode::Yolo).0, PolicyDecision::Allow, "{command}");
    }
}

/// The parser takes the second of two exclamation marks for a program, and any word of the grammar behind `time`.
#[test]
fn a_word_of_the_grammar_hides_no_command() {
    let shell = "toolName = \"run_shell_command\"";
    let commands = [
        "! ! touch p",
        "! ! ! touch p",
        "! ! ! ! touch p",
        "time ! touch p",
        "time -p ! touch p",
        "! time ! touch p",
        "! ! time ! touch p",
        "! ! bash -c 'touch p'",
        "bash -c '! ! touch p'",
        "{ ! ! touch p; }",
        "if ! ! touch p; then ls; fi",
        "while ! ! touch p; do ls; done",
        "ls && ! ! touch p",
        "echo $(! ! touch p)",
        "time { touch p; }",
        "time if touch p; then ls; fi",
        "time while touch p; do ls; done",
        "time until touch p; do ls; done",
        "time if true; then touch p; fi",
        "! ! if touch p; then ls; fi",
    ];
    for limit in ["commandPrefix = \"touch\"", "commandRegex = 'touch'", "commandRegex = 'touch p'"] {
        let deny = user(&rule("deny", &format!("{shell}\n{limit}")));
        for command in commands {
            assert_eq!(
                TestCall::shell(command).judged(&deny, ApprovalMode::Yolo).0,
                PolicyDecision::Deny,
                "{limit}: {command}"
            );
        }
    }
    // What stands behind these is not understood, but it is never passed by.
    let deny = user(&rule("deny", &format!("{shell}\ncommandPrefix = \"touch\"")));
    for command in [
        "time for x in a; do touch p; done",
        "time case a in a) touch p;; esac",
        "time select x in a; do touch p; done",
        "time function f { touch p; }",
        "time (touch p)",
        "coproc N { touch p; }",
        "coproc if touch p; then ls; fi",
        "! ! case a in a) touch p;; esac",
    ] {
        assert_ne!(TestCall::shell(command).judged(&deny, ApprovalMode::Yolo).0, PolicyDecision::Allow, "{command}");
    }
    // The same where what always asks is hidden, and a rule allows all commands.
    let all = user(&rule("allow", shell));
    for command in ["! ! rm -rf victim", "time ! rm -rf victim", "time { rm -rf victim; }"] {
        let (decision, why) = TestCall::shell(command).judged(&all, ApprovalMode::Default);
        assert_eq!((decision, why.contains("always asks")), (PolicyDecision::Ask, true), "{command}: {why}");
    }
    // One is understood.
    for command in ["! ls", "time ls", "! time ls", "! [[ -d x ]]", "[[ ! -d x ]]", "if ! ls; then ls; fi"] {
        assert_eq!(TestCall::shell(command).judged(&deny, ApprovalMode::Yolo).0, PolicyDecision::Allow, "{command}");
    }
}

/// A pattern that allows is held against the command as it is written, and against its words alone.
#[test]
fn a_pattern_allows_a_command_in_either_spelling() {
    let allow =
        |pattern: &str| user(&rule("allow", &format!("toolName = \"run_shell_command\"\ncommandRegex = '{pattern}'")));
    for (pattern, command, decision) in [
        ("npm test", "npm  test", PolicyDecision::Allow),
        ("npm  test", "npm  test", PolicyDecision::Allow),
        ("npm \"test\"", "npm \"test\"", PolicyDecision::Allow),
        ("npm \"test\"", "npm test", PolicyDecision::Ask),
    ] {
        let verdict = TestCall::shell(command).judged(&allow(pattern), ApprovalMode::Default).0;
        assert_eq!(verdict, decision, "{pattern}: {command}");
    }
}

/// A rule may allow a shell by its name; what that shell reads may still be what another rule denies.
#[test]
fn what_a_planned_command_runs_unseen_asks_while_something_is_denied() {
    let shell = "toolName = \"run_shell_command\"";
    let allow = rule("allow", &format!("{shell}\ncommandPrefix = [\"bash\", \"xargs\", \"nice\"]"));
    let deny = rule("deny", &format!("{shell}\ncommandPrefix = \"touch\""));
    let both = user(&format!("{allow}{deny}"));
    let only_allowed = user(&allow);
    for command in ["echo touch q | bash", "bash /dev/stdin", "echo touch q | xargs -I% sh -c %"] {
        assert_eq!(TestCall::shell(command).row(&both), "ask ask deny ask", "{command}");
        assert_eq!(TestCall::shell(command).row(&only_allowed), "allow allow deny allow", "{command}");
    }
    assert_eq!(TestCall::shell("bash x.sh").row(&both), "allow allow deny allow");
    // What is not read to its end may hold what always asks.
    for command in [format!("bash -c '{}rm -rf x'", "a;".repeat(100)), format!("{}rm -rf x", "nice ".repeat(11))] {
        assert_eq!(TestCall::shell(&command).row(&only_allowed), "ask ask deny allow", "{command}");
    }
}

/// In a plan a pattern never stands for an option; a shell may make one of it.
#[test]
fn a_pattern_is_no_option_where_a_plan_runs() {
    for command in ["git diff -- *.txt", "git log -- *.rs", "rg foo *.rs", "git diff -- ?.txt"] {
        let judgement = TestCall::shell(command).judgement(&Policy::default(), ApprovalMode::Default);
        assert_eq!(
            (judgement.verdict, judgement.plan.is_some()),
            (PolicyDecision::Allow, true),
            "{command}: {}",
            judgement.why
        );
    }
    let exact = Grant::Command { command: "git diff *; wait".into(), directory: Some(".".into()) };
    let held = TestCall::shell("git diff *; wait").granted(exact);
    assert_eq!(held.judged(&Policy::default(), ApprovalMode::Default).0, PolicyDecision::Ask);
    let deny =
        rule("deny", "toolName = \"run_shell_command\"\ncommandPrefix = \"git diff\"\nwithArgs = [\"--output\"]");
    let policy = user(&deny);
    assert_eq!(TestCall::shell("git diff *").judged(&policy, ApprovalMode::Yolo).0, PolicyDecision::Ask);
    assert_eq!(TestCall::shell("git diff -*").judged(&policy, ApprovalMode::Default).0, PolicyDecision::Ask);
    assert_eq!(TestCall::shell("git diff x*").judged(&policy, ApprovalMode::Yolo).0, PolicyDecision::Allow);
}

/// A brace behind other text makes no option of it, so these ask as other commands that need a shell.
#[test]
fn a_brace_inside_a_word_is_no_option() {
    for command in ["git show HEAD^{tree}", "git stash show stash@{0}"] {
        let call = TestCall::shell(command);
        let why = call.judged(&Policy::default(), ApprovalMode::Default).1;
        assert!(!why.contains("always asks"), "{command}: {why}");
        let exact = Grant::Command { command: command.into(), directory: Some(".".into()) };
        assert_eq!(
            call.granted(exact).judged(&Policy::default(), ApprovalMode::Default).0,
            PolicyDecision::Allow,
            "{command}"
        );
    }
    for command in ["git show {--output=x,y}", "git show -{a,b}", "git show a$x", "git show a{b,$x}"] {
        let why = TestCall::shell(command).judged(&Policy::default(), ApprovalMode::Default).1;
        assert!(why.contains("always asks"), "{command}: {why}");
    }
}

#[test]
fn the_parts_that_decide_give_the_reason() {
    let cargo = user(&rule("allow", "toolName = \"run_shell_command\"\ncommandPrefix = \"cargo\""));
    let only_reads = "a command that only reads";
    for (command, why) in [
        ("ls", only_reads.to_owned()),
        ("ls; pwd", only_reads.to_owned()),
        ("ls; cargo test", format!("`ls`: {only_reads}; `cargo test`: allowed by u.toml:1")),
        ("ls; npm test", "`npm test`: running commands asks".to_owned()),
        ("npm test; npm ci", "`npm test`: running commands asks".to_owned()),
    ] {
        assert_eq!(reason(command, &cargo, ApprovalMode::Default), why, "{command}");
    }
}

#[test]
fn only_what_is_allowed_part_by_part_runs_as_a_plan() {
    let shell = "toolName = \"run_shell_command\"";
    let cargo = user(&rule("allow", &format!("{shell}\ncommandPrefix = \"cargo\"")));
    let exact = user(&rule("allow", &format!("{shell}\ncommand = \"cargo test\"")));
    let all = user(&rule("allow", shell));
    let is_planned = |call: &TestCall, policy: &Policy, mode| call.judgement(policy, mode).plan.is_some();
    for (call, policy, mode, planned) in [
        (TestCall::shell("ls"), &cargo, ApprovalMode::Default, true),
        (TestCall::shell("ls; cargo test"), &cargo, ApprovalMode::Default, true),
        (TestCall::shell("cargo test").granted(prefix("cargo test")), &Policy::default(), ApprovalMode::Default, true),
        (TestCall::shell("cargo test"), &Policy::default(), ApprovalMode::Default, false),
        (TestCall::shell("cargo test"), &exact, ApprovalMode::Default, false),
        (TestCall::shell("cargo test"), &all, ApprovalMode::Default, false),
        (TestCall::shell("ls"), &all, ApprovalMode::Default, false),
        (TestCall::shell("ls"), &cargo, ApprovalMode::Yolo, false),
        (
            TestCall::shell("cargo test").granted(tool("run_shell_command")),
            &Policy::default(),
            ApprovalMode::Default,
            false,
        ),
        (
            TestCall { secret: Some("`.env` is protected"), ..TestCall::shell("ls") },
            &cargo,
            ApprovalMode::Default,
            false,
        ),
        (TestCall { objection: Some(NOT_THERE), ..TestCall::shell("cat a") }, &cargo, ApprovalMode::Default, false),
    ] {
        assert_eq!(is_planned(&call, policy, mode), planned, "{:?} {mode:?}", call.details);
    }
    let objected = TestCall { objection: Some(NOT_THERE), ..TestCall::shell("cat a") };
    assert_eq!(
        objected.judged(&cargo, ApprovalMode::Default),
        (PolicyDecision::Ask, "`cat a`: `a` is not there".into())
    );
}

const NOT_THERE: PolicyObjection<'static> = PolicyObjection { why: "`a` is not there", command: None };

#[test]
fn the_part_that_the_disk_speaks_of_is_the_one_that_asks() {
    let found = |command: &str, at| {
        let objection = Some(PolicyObjection { command: at, ..NOT_THERE });
        let call = TestCall { objection, ..TestCall::shell(command) };
        let found = call.judgement(&Policy::default(), ApprovalMode::Default).findings;
        found.into_iter().map(|finding| (finding.part, finding.decision)).collect::<Vec<_>>()
    };
    let part = |text: &str, decision| (text.to_owned(), decision);
    use PolicyDecision::{Allow, Ask};
    assert_eq!(found("cat a", Some(0)), [part("cat a", Ask)]);
    assert_eq!(
        found("ls && cat a | head -1", Some(1)),
        [part("ls", Allow), part("cat a", Ask), part("head -1", Allow)]
    );
    // It is about several: all of it asks.
    assert_eq!(found("ls; cat a", None), [part("ls", Allow), part("cat a", Allow), part("ls; cat a", Ask)]);
}

/// `git switch evil && cat notes.txt`: the other branch may have made a link to a secret of the file.
#[test]
fn what_is_read_behind_a_command_that_may_change_it_asks() {
    let policy = user(&rule("allow", "toolName = \"run_shell_command\"\ncommandPrefix = [\"git switch\", \"cargo\"]"));
    for (command, late) in [
        ("git switch evil && cat notes.txt", "cat notes.txt"),
        ("git switch evil; cat < notes.txt", "cat"),
        ("git switch evil || head -5 *.txt", "head -5 *.txt"),
        ("git switch evil\npwd\ngrep -r x .", "grep -r x ."),
        ("git switch evil | cat notes.txt", "cat notes.txt"),
        ("cargo test && git diff", "git diff"),
        ("cargo test | tail -5 && rg x", "rg x"),
        // The commands of a pipeline run at the same time.
        ("seq 1 9 | grep -h x - notes.txt | cargo run", "grep -h x - notes.txt"),
        ("cat notes.txt | cargo run", "cat notes.txt"),
    ] {
        let (decision, why) = TestCall::shell(command).judged(&policy, ApprovalMode::Default);
        let reason = format!("`{late}`: what it reads is checked before a command that may change it");
        assert_eq!((decision, why), (PolicyDecision::Ask, reason), "{command}");
        let exact = Grant::Command { command: command.into(), directory: Some(".".into()) };
        assert_eq!(
            TestCall::shell(command).granted(exact).judged(&policy, ApprovalMode::Default).0,
            PolicyDecision::Allow,
            "{command}"
        );
    }
    for command in [
        "cargo test | tail -5",
        "cargo test 2>&1 | grep FAILED | head -3",
        "cat notes.txt && cargo test",
        "cargo build && ls target && echo done",
        "cargo build && cargo test",
    ] {
        assert_eq!(
            TestCall::shell(command).judged(&policy, ApprovalMode::Default).0,
            PolicyDecision::Allow,
            "{command}"
        );
    }
}

#[test]
fn a_plan_has_the_directory_the_readings_and_whoever_allowed_each_part() {
    let cargo = user(&rule("allow", "toolName = \"run_shell_command\"\ncommandPrefix = \"cargo\""));
    let plan = |command: &str| {
        let plan = TestCall::shell(command).judgement(&cargo, ApprovalMode::Default).plan.unwrap();
        let commands = plan.pipelines.iter().flat_map(|pipeline| &pipeline.commands).map(|command| {
            let reads: Vec<String> =
                command.reads.iter().map(|read| format!("{:?} {}", read.kind, read.path.unquoted())).collect();
            format!("{} by {:?} reads [{}]", command.words[0].unquoted(), command.authority, reads.join(", "))
        });
        (plan.directory, commands.collect::<Vec<_>>())
    };
    let of = |directory: &str, commands: &[&str]| {
        (directory.to_owned(), commands.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(
        plan("cd a/./b && cat c < d && cargo test e && ls f"),
        of(
            "/ws/a/b",
            &["cat by BuiltIn reads [File c, File d]", "cargo by Person reads []", "ls by BuiltIn reads [Entry f]"]
        )
    );
    assert_eq!(plan("cat < /dev/null"), of("/ws", &["cat by BuiltIn reads []"]));
    assert_eq!(plan("cargo test < a"), of("/ws", &["cargo by Person reads [File a]"]));
}

#[test]
fn an_exact_command_is_allowed_with_all_that_is_in_it() {
    let policy = user(&rule("allow", "toolName = \"run_shell_command\"\ncommand = \"echo ${x@P} > f\""));
    assert_eq!(TestCall::shell("echo ${x@P} > f").judged(&policy, ApprovalMode::Default).0, PolicyDecision::Allow);
    assert_eq!(TestCall::shell("echo ${x@P} > g").judged(&policy, ApprovalMode::Default).0, PolicyDecision::Ask);
}

#[test]
fn dangerous_commands_ask_whatever_a_rule_allows_and_nothing_lifts_what_the_machine_says() {
    let policy = user(&rule("allow", "toolName = \"run_shell_command\"\nallowRedirection = true"));
    assert_eq!(TestCall::shell("rm -rf x").row(&policy), "ask ask deny allow");
    assert_eq!(TestCall::shell("make ${x:-y} > f").row(&policy), "allow allow deny allow");
    let policy = tier(RuleTier::Admin, &rule("ask_user", "toolName = \"write_file\""));
    assert_eq!(TestCall::edit().granted(tool("write_file")).row(&policy), "ask ask ask ask");
    let policy = user(&rule("ask_user", "toolName = \"write_file\""));
    assert_eq!(TestCall::edit().granted(tool("write_file")).row(&policy), "allow allow allow allow");
}

#[test]
fn an_allow_rule_reaches_into_plan_mode_only_if_it_says_so() {
    let call = TestCall::shell("cargo test");
    let plain = "toolName = \"run_shell_command\"\ncommandPrefix = \"cargo\"";
    assert_eq!(call.row(&user(&rule("allow", plain))), "allow allow deny allow");
    let with_plan = format!("{plain}\nmodes = [\"plan\"]");
    assert_eq!(call.row(&user(&rule("allow", &with_plan))), "ask ask allow allow");
}

/// A rule for plan mode covers no more than one for the others, and what asks there is what would otherwise be allowed.
#[test]
fn what_is_firm_holds_in_plan_mode_and_lifts_no_denial() {
    let allowed = |modes: &str| {
        let programs = ["git", "make", "nice", "rm", "sed", "xargs"];
        let prefix = format!("toolName = \"run_shell_command\"\ncommandPrefix = {programs:?}\nmodes = {modes}");
        user(&rule("allow", &prefix))
    };
    let in_plan = allowed("[\"default\", \"autoEdit\", \"plan\"]");
    for (command, verdict) in [
        ("sed -n '1e touch M' f", "ask"),
        ("git fetch --upload-pack='touch M' .", "ask"),
        ("git push --force", "ask"),
        ("rm -rf junk", "ask"),
        ("make SHELL=./x", "ask"),
        ("rm junk", "allow"),
        ("git fetch", "allow"),
    ] {
        assert_eq!(TestCall::shell(command).judged(&in_plan, ApprovalMode::Plan).0.name(), verdict, "{command}");
        for policy in [Policy::default(), allowed("[\"default\"]")] {
            let judged = TestCall::shell(command).judged(&policy, ApprovalMode::Plan);
            assert_eq!(judged.0, PolicyDecision::Deny, "{command}: {}", judged.1);
        }
    }
    // Nobody has allowed what these run.
    for command in ["xargs sudo ls", "nice rm -rf junk"] {
        assert_ne!(TestCall::shell(command).judged(&in_plan, ApprovalMode::Plan).0, PolicyDecision::Allow, "{command}");
    }
    let untrusted = |command: &str| TestCall { is_trusted: false, ..TestCall::shell(command) }.row(&Policy::default());
    assert_eq!(untrusted("git status"), "ask ask ask allow");
    assert_eq!(untrusted("git push"), "ask ask deny allow");
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
    assert_eq!(TestCall::edit().judged(&policy, ApprovalMode::Default).0, PolicyDecision::Allow);
    let other = TestCall { args: json!({ "file_path": "b", "content": "\"file_path\":\"a\"" }), ..TestCall::edit() };
    assert_eq!(other.judged(&policy, ApprovalMode::Default).0, PolicyDecision::Ask);
    assert_eq!(TestCall::mcp().judged(&policy, ApprovalMode::Default).0, PolicyDecision::Allow);
    let details = AskDetails::Mcp { server: "s_t".into(), tool: "u".into(), version: McpToolVersion::default() };
    let stranger = TestCall::new(ToolKind::Fetch, "mcp_s_t_u", details);
    assert_eq!(stranger.judged(&policy, ApprovalMode::Default).0, PolicyDecision::Ask);
}

#[test]
fn an_mcp_tool_that_changed_since_it_was_allowed_asks_and_says_so() {
    let judged = |call: TestCall, policy: &Policy| call.judged(policy, ApprovalMode::Default);
    let changed = |what: &str| (PolicyDecision::Ask, format!("the MCP server s has changed {what}"));
    let plain = Policy::default();
    let once = judged(TestCall::mcp().granted(mcp_tool("mcp_s_t", "tool 0")), &plain);
    assert_eq!(once, changed("its tool t since A2A zed allowed it"));
    let once = judged(TestCall::mcp().granted(mcp_server("s", "server 0")), &plain);
    assert_eq!(once, changed("its tools since A2A zed allowed them"));
    for grant in [mcp_tool("mcp_s_u", "tool 0"), mcp_server("other", "server 0")] {
        let unrelated = judged(TestCall::mcp().granted(grant), &plain);
        assert!(!unrelated.1.contains("changed"), "{unrelated:?}");
    }

    let kept = |digest: &str| user(&rule("allow", &format!("toolName = \"mcp_s_t\"\nmcpToolDigest = \"{digest}\"")));
    assert_eq!(judged(TestCall::mcp(), &kept("tool 1")).0, PolicyDecision::Allow);
    assert_eq!(judged(TestCall::mcp(), &kept("tool 0")), changed("its tool t since u.toml:1 allowed it"));
    let of_server = "toolName = \"*\"\nmcpName = \"s\"\nmcpServerDigest = \"server 0\"";
    assert_eq!(
        judged(TestCall::mcp(), &user(&rule("allow", of_server))),
        changed("its tools since u.toml:1 allowed them")
    );
    // A digest is of an MCP tool, so a rule that has one speaks of nothing else.
    let other = TestCall::generic(ToolKind::Fetch, "web_fetch");
    assert_eq!(judged(other, &user(&rule("allow", "toolName = \"*\"\nmcpToolDigest = \"\""))).0, PolicyDecision::Ask);
}

#[test]
fn a_resource_is_read_without_asking_only_where_its_server_lists_it() {
    let policy = Policy::default();
    assert_eq!(TestCall::generic(ToolKind::Read, "read_mcp_resource").row(&policy), "allow allow allow allow");
    assert_eq!(TestCall::generic(ToolKind::Fetch, "read_mcp_resource").row(&policy), "ask ask ask allow");
}

#[test]
fn a_broken_file_makes_everything_ask_that_is_not_reading() {
    let policy = user("[[rule]]\ndecision = \"allow\"\n");
    let why = "everything asks until this is repaired: u.toml:1: the rule has no `priority`: 0 to 999";
    assert_eq!(TestCall::shell("ls").judged(&policy, ApprovalMode::Default), (PolicyDecision::Ask, why.into()));
    assert_eq!(TestCall::edit().row(&policy), "ask ask deny ask");
    assert_eq!(TestCall::generic(ToolKind::Read, "read_file").row(&policy), "allow allow allow allow");
}

#[test]
fn the_reason_names_the_rule_and_its_place() {
    let policy = user(&rule("deny", "toolName = \"web_fetch\"\ndenyMessage = \"no network today\""));
    let fetch = TestCall::generic(ToolKind::Fetch, "web_fetch");
    assert_eq!(
        fetch.judged(&policy, ApprovalMode::Default),
        (PolicyDecision::Deny, "no network today (u.toml:1)".into())
    );
    let policy = user(&rule("allow", "toolName = \"run_shell_command\"\ncommandPrefix = \"make\""));
    assert_eq!(TestCall::shell("make").judged(&policy, ApprovalMode::Default).1, "allowed by u.toml:1");
    assert_eq!(
        TestCall::shell("make > f").judged(&policy, ApprovalMode::Default).1,
        "the command is allowed by u.toml:1, but not to write with `> f`"
    );
    let held = TestCall::shell("cargo test").granted(prefix("cargo test"));
    assert_eq!(
        held.judged(&policy, ApprovalMode::Default).1,
        "A2A zed allowed every command that begins with `cargo test` (with another option it asks) in this session"
    );
}

#[test]
fn a_rule_may_speak_of_one_sub_agents_calls_only() {
    let policy = user(&rule("deny", "toolName = \"run_shell_command\"\nsubagent = \"scout\""));
    let by = |subagent| TestCall { subagent, ..TestCall::shell("ls") }.judged(&policy, ApprovalMode::Default).0;
    assert_eq!(
        [by(Some("scout")), by(Some("other")), by(None)],
        [PolicyDecision::Deny, PolicyDecision::Allow, PolicyDecision::Allow]
    );
}

#[test]
fn handing_work_to_an_agent_of_our_own_does_not_ask_and_to_a_remote_one_does() {
    let policy = Policy::default();
    assert_eq!(TestCall::generic(ToolKind::Delegate, "invoke_agent").row(&policy), "allow allow allow allow");
    assert_eq!(TestCall::generic(ToolKind::Fetch, "invoke_agent").row(&policy), "ask ask ask allow");
}
