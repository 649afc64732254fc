use super::*;
use crate::testing::{EVIL, FakeSession, assert_harmless, hello_change};
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn conversation() -> Vec<Arc<Entry>> {
    let session = FakeSession::open();
    let (me, web) = (session.seat("terminal"), session.seat("web"));
    me.prompts("change `it`");
    session.says(ItemKind::Thought, "**secret** thought");
    session.says(ItemKind::Text, "On ");
    session.says(ItemKind::Text, "it.");
    let calls = session.calls(&[
        ("write_file", json!({ "file_path": "hello.py" })),
        ("run_shell_command", json!({ "command": "ls" })),
    ]);
    session.vets(calls[0], ToolKind::Edit, PolicyVerdict::allow("yes"));
    session.runs(calls[0], Report::Starting);
    let display = Some(ResultDisplay::Diff(hello_change()));
    session.ends_call(calls[0], CallResult { display, ..CallResult::default() });
    session.vets(calls[1], ToolKind::Execute, PolicyVerdict::Ask(crate::testing::run_ask("ls")));
    web.answers(calls[1], "cancel").unwrap();
    session.entries()
}

/// The seat that the conversation was held at.
fn me() -> EntryAuthor {
    EntryAuthor::from(FakeSession::open().seat("terminal").who())
}

#[test]
fn markdown_says_who_said_and_did_what() {
    let change = hello_change();
    assert_eq!(
        export_markdown(&conversation(), &me()),
        format!(
            "# Conversation in /ws\n\n## You\n\nchange `it`\n\n## Pollux\n\nOn it.\n\n- ✓ `write_file hello.py`\n\n\
             ```diff\n{}\n```\n\n- ✗ `run_shell_command ls`: declined by A2A web\n",
            change.patch.trim_end()
        )
    );
}

#[test]
fn what_the_person_declined_is_declined_by_you() {
    let web = EntryAuthor::from(FakeSession::open().seat("web").who());
    assert!(export_markdown(&conversation(), &web).contains("`run_shell_command ls`: declined by you\n"));
}

#[test]
fn each_turn_has_a_heading_for_both() {
    let session = FakeSession::open();
    for prompt in ["one", "two"] {
        session.seat("terminal").prompts(prompt);
        session.says(ItemKind::Text, "yes");
        session.rests();
    }
    let turn = |prompt: &str| format!("\n## You\n\n{prompt}\n\n## Pollux\n\nyes\n");
    let expected = format!("# Conversation in /ws\n{}{}", turn("one"), turn("two"));
    assert_eq!(export_markdown(&session.entries(), &me()), expected);
}

#[test]
fn a_fence_is_longer_than_what_it_holds() {
    let mut page = MarkdownExport::default();
    page.fenced("", "```\ncode\n```");
    assert_eq!(page.text, "\n````\n```\ncode\n```\n````\n");
    assert_eq!(code_span("a `b`"), "`` a `b` ``");
}

#[test]
fn json_is_the_entries() {
    let entries = conversation();
    let read: Vec<Entry> = serde_json::from_str(&export_json(&entries)).unwrap();
    assert_eq!(read, entries.iter().map(|entry| entry.as_ref().clone()).collect::<Vec<_>>());
    assert_eq!(serde_json::from_str::<Value>(&export_json(&[])).unwrap(), json!([]));
}

#[test]
fn a_file_is_as_harmless_as_the_screen() {
    let session = FakeSession::open_in(EVIL);
    session.seat("terminal").prompts(EVIL);
    session.says(ItemKind::Text, EVIL);
    let call = session.calls(&[("run_shell_command", json!({ "command": EVIL }))])[0];
    session.vets(call, ToolKind::Execute, PolicyVerdict::allow(EVIL));
    session.runs(call, Report::Starting);
    session.runs(call, Report::Output { text: EVIL.into(), skipped: 0 });
    session.ends_call(call, CallResult { text: EVIL.into(), ..CallResult::default() });
    assert_harmless(&export_markdown(&session.entries(), &me()));
}

#[test]
fn a_name_says_what_is_written() {
    let forms = ["a.md", "a.json", "notes"].map(|name| ExportForm::of_name(name).unwrap());
    assert_eq!(forms, [ExportForm::Markdown, ExportForm::Json, ExportForm::Markdown]);
    let refused = "no file ending in .pdf can be written: use .md for Markdown or .json for JSON";
    assert_eq!(ExportForm::of_name("a.pdf").unwrap_err(), refused);
}

#[test]
fn a_plan_is_exported_whole() {
    let session = FakeSession::open();
    let me = session.seat("terminal");
    me.prompts("plan");
    let plan = "# Two files\n\n1. write one\n2. write two";
    let call = session.calls(&[("exit_plan_mode", json!({ "plan": plan }))])[0];
    let ask = Ask::new(AskDetails::generic(plan), vec![once_choice(), cancel_choice()]);
    session.vets(call, ToolKind::Converse, PolicyVerdict::Ask(ask));
    me.answers(call, "proceed_once").unwrap();
    session.runs(call, Report::Starting);
    session.ends_call(call, CallResult::default());
    let exported = export_markdown(&session.entries(), &self::me());
    let expected = format!("- ✓ `exit_plan_mode Two files`\n\n```markdown\n{plan}\n```\n");
    assert!(exported.contains(&expected), "{exported}");
}
