use super::*;
use pretty_assertions::assert_eq;

const MODES: [Mode; 4] = [Mode::Default, Mode::AutoEdit, Mode::Plan, Mode::Yolo];
const CALLS: [(ToolKind, &str); 3] =
    [(ToolKind::Read, "read_file"), (ToolKind::Edit, "write_file"), (ToolKind::Execute, "run_shell_command")];

fn tool(name: &str) -> Grant {
    Grant::Tool { tool: name.into() }
}

fn command(text: &str) -> Grant {
    Grant::Command { command: text.into() }
}

/// What a session grant for the sample call of each kind would be.
fn wanted(kind: ToolKind) -> Grant {
    match kind {
        ToolKind::Read => tool("read_file"),
        ToolKind::Edit => tool("write_file"),
        ToolKind::Execute => command("cargo test"),
    }
}

/// One line per mode, one word per kind: read, edit, execute.
fn table(grants: &[Grant], protected: Option<&str>) -> Vec<String> {
    let by = By::Client { principal: "local".into(), label: "terminal".into() };
    let grants: Vec<(Grant, By)> = grants.iter().map(|grant| (grant.clone(), by.clone())).collect();
    MODES
        .map(|mode| {
            let words = CALLS.map(|(kind, name)| match judge(mode, &grants, kind, name, &wanted(kind), protected) {
                Judgement::Allow { .. } => "allow",
                Judgement::Ask => "ask",
                Judgement::Deny { .. } => "deny",
            });
            format!("{}: {}", mode.name(), words.join(" "))
        })
        .to_vec()
}

#[test]
fn without_grants_the_mode_decides() {
    assert_eq!(
        table(&[], None),
        ["default: allow ask ask", "auto_edit: allow allow ask", "plan: allow deny deny", "yolo: allow allow allow"]
    );
}

#[test]
fn a_tool_grant_covers_that_tool_only() {
    assert_eq!(
        table(&[tool("write_file")], None),
        ["default: allow allow ask", "auto_edit: allow allow ask", "plan: allow deny deny", "yolo: allow allow allow"]
    );
    assert_eq!(
        table(&[tool("run_shell_command")], None),
        [
            "default: allow ask allow",
            "auto_edit: allow allow allow",
            "plan: allow deny deny",
            "yolo: allow allow allow"
        ]
    );
    assert_eq!(table(&[tool("replace")], None), table(&[], None));
}

#[test]
fn a_command_grant_covers_that_text_to_the_letter() {
    assert_eq!(
        table(&[command("cargo test")], None),
        [
            "default: allow ask allow",
            "auto_edit: allow allow allow",
            "plan: allow deny deny",
            "yolo: allow allow allow"
        ]
    );
    for other in ["cargo", "cargo test ", "cargo test && rm -rf .", "run_shell_command", ""] {
        assert_eq!(table(&[command(other)], None), table(&[], None), "{other:?}");
    }
}

#[test]
fn a_protected_place_asks_whatever_was_granted() {
    let everything = [tool("write_file"), tool("run_shell_command"), command("cargo test")];
    assert_eq!(
        table(&everything, Some(".git")),
        ["default: allow ask ask", "auto_edit: allow ask ask", "plan: allow deny deny", "yolo: allow allow allow"]
    );
}

#[test]
fn the_reason_names_who_granted_what() {
    let by = By::Client { principal: "local".into(), label: "A2A zed".into() };
    let held = [(tool("replace"), By::Agent), (command("cargo test"), by)];
    let judged = judge(Mode::Default, &held, ToolKind::Execute, "run_shell_command", &command("cargo test"), None);
    assert_eq!(judged, Judgement::Allow { why: "A2A zed allowed `cargo test` in this session".into() });
}

#[test]
fn a_denial_names_the_tool_and_the_way_out() {
    let judged = judge(Mode::Plan, &[], ToolKind::Edit, "write_file", &tool("write_file"), None);
    let why =
        "write_file is not allowed in plan mode, which only reads; describe the change instead, or leave plan mode";
    assert_eq!(judged, Judgement::Deny { why: why.into() });
}

#[test]
fn options_say_exactly_what_they_grant() {
    let summary = |wanted: Grant, protected| -> Vec<(String, String, bool, Option<Grant>)> {
        options(&wanted, protected).into_iter().map(|c| (c.id, c.name, c.allows, c.grant)).collect()
    };
    let once = || ("proceed_once".to_owned(), "Allow once".to_owned(), true, None);
    let cancel = || ("cancel".to_owned(), "Cancel".to_owned(), false, None);
    let always = |label: &str, grant| ("proceed_always".to_owned(), label.to_owned(), true, Some(grant));
    assert_eq!(
        summary(tool("write_file"), None),
        [once(), always("Allow every write_file in this session", tool("write_file")), cancel()]
    );
    assert_eq!(
        summary(command("make"), None),
        [once(), always("Allow `make` in this session", command("make")), cancel()]
    );
    assert_eq!(summary(tool("write_file"), Some(".git")), [once(), cancel()]);
}
