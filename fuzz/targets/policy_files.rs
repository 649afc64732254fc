//! Files of rules: whatever one holds, it is read without a panic, and only the word "allow" can allow.

#![no_main]

use pollux_policy::{Decision, Policy, Request, Tier, ToolSettings};
use pollux_session::{Details, Mode, ToolKind};
use std::path::Path;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let files = [("rules.toml".into(), Tier::User, Ok(text.to_owned()))];
    let policy = Policy::new(&files, Some(Path::new("/ws")), &ToolSettings::default());
    for command in ["touch x", "cargo test", "ls > x"] {
        let details = Details::Execute { command: command.into(), directory: "/ws".into() };
        let judgement = policy.judge(&Request {
            mode: Mode::Default,
            kind: ToolKind::Execute,
            tool: "run_shell_command",
            args: &serde_json::json!({ "command": command }),
            details: &details,
            grants: &[],
            protected: None,
            secret: None,
            workspace_trusted: true,
            subagent: None,
            workspace: Path::new("/ws"),
            objection: None,
        });
        let can_allow = text.contains("allow") || text.contains('\\');
        assert!(judgement.verdict != Decision::Allow || can_allow, "{command}: {text:?}");
    }
});
