use super::*;
use crate::config::fake_machine::FakeMachine;
use crate::subcommand::doctor::CheckStatus;
use pretty_assertions::assert_eq;

fn findings(settings: &str) -> Vec<(String, bool)> {
    let machine = FakeMachine::new().file("home/.gemini/settings.json", settings);
    let env = |name: &str| (name == "PATH").then(|| "/usr/bin:/bin".to_owned());
    let checks = checks(&machine.load(), &env);
    checks.into_iter().map(|check| (check.message, matches!(check.finding, CheckStatus::Broken { .. }))).collect()
}

#[test]
fn a_server_that_cannot_be_started_or_reached_is_broken() {
    assert_eq!(findings("{}"), [("no MCP servers are configured".to_owned(), false)]);
    let told = findings(
        r#"{"mcpServers": {
            "a": {"command": "sh"},
            "b": {"command": "no-such-program"},
            "c": {"command": "./no-such-program", "cwd": "/"},
            "d": {"httpUrl": "http://127.0.0.1:1/mcp"},
            "e": {"httpUrl": "https://example.test/mcp"},
            "f": {"command": "no-such-program"}
        }, "mcp": {"excluded": ["f"]}}"#,
    );
    let broken: Vec<bool> = told.iter().map(|(_, broken)| *broken).collect();
    assert_eq!(broken, [false, true, true, true, false, false]);
    assert!(told[0].0.starts_with("a runs /") && told[0].0.ends_with("/sh"), "{}", told[0].0);
    assert_eq!(told[1].0, "b runs \"no-such-program\", and there is no such program");
    assert_eq!(told[3].0, "d is on this machine and nothing listens there");
    assert_eq!(told[4].0, "e is on another machine and was not tried");
    assert_eq!(told[5].0, "f is ruled out by mcp.allowed or mcp.excluded");
}

#[test]
fn a_server_on_this_machine_is_tried() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let told = findings(&format!(r#"{{"mcpServers": {{"s": {{"url": "http://localhost:{port}/sse"}}}}}}"#));
    assert_eq!(told, [(format!("s answers on port {port}"), false)]);
}
