//! Commands that only show something.

use crate::slash_commands::command_session::CommandTestSession;
use pollux_session::{CommandInfo, TurnOutcome};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[tokio::test]
async fn help_lists_every_command() {
    let stage = CommandTestSession::new().await;
    let said = stage.run_prompt("/help").await.expect_command("help");
    let commands = stage.agent.commands(&stage.dir.path().join("workspace")).await;
    let names: Vec<&str> = commands.iter().map(|command| command.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "about",
            "chat",
            "clear",
            "compress",
            "extensions",
            "help",
            "init",
            "list-extensions",
            "mcp",
            "memory",
            "model",
            "restore",
            "rewind",
            "settings",
            "shell",
            "stats",
            "tools"
        ]
    );
    for name in names {
        assert!(said.contains(&format!("/{name}")), "{name} is not in {said}");
    }
    assert!(said.contains("/memory add TEXT: "), "{said}");
    let add = CommandInfo::at(&commands, &["memory", "add"]).unwrap();
    assert!(add.arguments[0].required);
    assert_eq!(stage.model_inputs(), Vec::<String>::new(), "no model was asked");
}

#[tokio::test]
async fn wrong_arguments_fail_with_the_way_out() {
    let stage = CommandTestSession::new().await;
    for (line, why) in [
        ("/help me", "/help takes nothing after it, but `me` came; say /help"),
        ("/extensions install x", "/extensions has no sub-command `install`; say /extensions list"),
        ("/memory add", "/memory add needs text; say /memory show, /memory add TEXT, /memory refresh, /memory list"),
        ("/tools all", "/tools has no sub-command `all`; say /tools list, /tools desc"),
    ] {
        assert_eq!(stage.run_prompt(line).await.expect_failure(), why, "{line}");
    }
}

#[tokio::test]
async fn a_slip_is_said_and_other_words_are_for_the_model() {
    let stage = CommandTestSession::new().await;
    let why = "no command /hlep; did you mean /help? To send the line to the agent, put a space before the slash";
    assert_eq!(stage.run_prompt("/hlep").await.expect_failure(), why);
    for line in ["/etc/hosts is odd", "/unheard of", " /help", "what does /help do"] {
        let came = stage.run_prompt(line).await;
        assert_eq!((came.command, came.text.as_str(), came.outcome), (None, "ok", TurnOutcome::Rested), "{line}");
    }
}

#[tokio::test]
async fn commands_of_gemini_cli_that_are_not_here_are_explained_and_never_sent_to_the_model() {
    let stage = CommandTestSession::new().await;
    for (line, way_out) in [
        ("/auth", "set GEMINI_API_KEY"),
        ("/hooks list", "can deny a tool call"),
        ("/directory add src", "start Pollux with --include-directories DIR"),
        ("/theme", "works only at the full screen"),
    ] {
        let came = stage.run_prompt(line).await;
        let word = line.trim_start_matches('/').split(' ').next();
        assert_eq!((came.command.as_deref(), came.outcome), (word, TurnOutcome::Rested), "{line}");
        assert!(came.text.contains(way_out), "{line}: {}", came.text);
    }
    assert_eq!(stage.model_inputs(), Vec::<String>::new(), "no model was asked");
    let listed = stage.run_prompt("/help").await.expect_command("help");
    assert!(!listed.contains("/auth"), "{listed}");
}

#[tokio::test]
async fn about_tools_settings_mcp_and_extensions() {
    let stage = CommandTestSession::new().await;
    let workspace = stage.dir.path().join("workspace").display().to_string();
    let about = stage.run_prompt("/about").await.expect_command("about");
    for part in
        ["pollux 9.9.9", "model: listener, not an AI", "mode: default", &workspace, "not trusted", "sandbox: none"]
    {
        assert!(about.contains(part), "{part} is not in {about}");
    }
    let tools = stage.run_prompt("/tools").await.expect_command("tools list");
    assert!(tools.contains("- `read_file`\n") && !tools.contains("`read_file`:"), "{tools}");
    assert!(stage.run_prompt("/tools desc").await.expect_command("tools desc").contains("- `read_file`: "));
    let settings = stage.run_prompt("/settings").await.expect_command("settings list");
    assert_eq!(settings, format!("model.name = x ({workspace}, Set)"));
    let settings = stage.run_prompt("/settings all").await.expect_command("settings all");
    assert_eq!(settings, format!("model.name = x ({workspace}, All)"));
    let none = "No MCP server is set up. Servers are named under mcpServers in settings.json.";
    assert_eq!(stage.run_prompt("/mcp").await.expect_command("mcp list"), none);
    let listed = "- `cloud` 1.2.0 (enabled)\n- `idle` 0.1 (disabled)";
    assert_eq!(stage.run_prompt("/extensions").await.expect_command("extensions list"), listed);
    let data: Value =
        serde_json::from_str(&stage.run_prompt("/list-extensions").await.expect_command("list-extensions")).unwrap();
    let extension =
        |name: &str, version: &str, enabled: bool| json!({"name": name, "version": version, "enabled": enabled});
    assert_eq!(data, json!({"extensions": [extension("cloud", "1.2.0", true), extension("idle", "0.1", false)]}));
    assert_eq!(stage.model_inputs(), Vec::<String>::new());
}

#[tokio::test]
async fn stats_count_the_model_and_not_commands() {
    let stage = CommandTestSession::new().await;
    stage.run_prompt("/about").await.expect_command("about");
    stage.run_prompt("/shell pwd").await;
    stage.run_prompt("one").await;
    stage.run_prompt("two").await;
    let said = stage.run_prompt("/stats").await.expect_command("stats");
    assert_eq!(
        said,
        "turns: 2\nmodel calls: 2\ntokens: 14 in (0 from a cache), 2 out, 0 for thoughts\n\
         cost: not known for every model that was asked\ntool calls: 1, of which 1 succeeded"
    );
}

#[tokio::test]
async fn the_model_is_shown_and_set() {
    let stage = CommandTestSession::new().await;
    let said = stage.run_prompt("/model").await.expect_command("model");
    assert!(
        said.starts_with("model: listener, not an AI\n")
            && said.contains("\n- demo-offline-not-an-ai  (needs no key)\nNo API key found. For other models, set "),
        "{said}"
    );
    let why = stage.run_prompt("/model no-such-thing").await.expect_failure();
    assert!(why.ends_with("nothing has changed, and /model lists what can be had"), "{why}");
    assert_eq!(stage.state().model, None);
    assert!(stage.run_prompt("/model script:/etc/passwd").await.expect_failure().contains("--model only"));
    assert_eq!(stage.run_prompt("/model demo").await.expect_command("model"), "demo answers from the next turn on.");
    assert_eq!(stage.state().model.as_deref(), Some("demo"));
    let said = stage.run_prompt("/model").await.expect_command("model");
    assert!(said.contains("\n- demo-offline-not-an-ai  (needs no key) · in use\n"), "{said}");
    stage.run_prompt("hello").await;
    assert_eq!(stage.model_inputs(), Vec::<String>::new(), "the demo was asked, not the listener");
}
