use super::*;
use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::json;

fn tools() -> Vec<ToolDeclaration> {
    vec![ToolDeclaration {
        name: "read_file".into(),
        description: "Reads a file. It may be long.".into(),
        parameters: json!({"type": "object", "required": ["file_path"], "properties": {
            "file_path": {"type": "string"}, "limit": {"type": ["integer", "null"]}, "how": {}}})
        .into(),
    }]
}

fn conversation() -> Vec<ModelMessage> {
    let call =
        PartData::FunctionCall { id: Some("1".into()), name: "read_file".into(), args: json!({"file_path": "a"}) };
    vec![
        ModelMessage::user("look at a"),
        ModelMessage::model(vec![MessagePart::thought("hm"), MessagePart::text("I look. "), call.into()]),
        ModelMessage {
            role: MessageRole::User,
            parts: vec![MessagePart::response("1", "read_file", json!({"error": "no such file"}))],
        },
        ModelMessage::model(vec![MessagePart::text("There is none.")]),
        ModelMessage::user("ok"),
    ]
}

fn told(tools: Vec<ToolDeclaration>) -> String {
    let request =
        ModelRequest { system: "You are small.\n".into(), contents: conversation(), tools, ..ModelRequest::default() };
    messages(request).iter().map(|message| format!("<{}> {}\n", message.role, message.text)).collect()
}

#[test]
fn with_tools_everything_has_the_form_of_an_answer() {
    expect![[r#"
        <system> You are small.

        Answer with one JSON object and nothing else.
        To use a tool: {"tool": "NAME", "args": {}}
        When all of the work is done, or to ask the person something: {"say": "TEXT"}

        Tools
        - read_file {"file_path": string, "limit"?: integer, "how"?: value}: Reads a file
        <user> look at a
        <assistant> {"tool": "read_file", "args": {"file_path": "a"}}
        <user> [error of read_file]
        no such file

        This did not work. Try it in another way, or say what is wrong.
        <assistant> {"say": "There is none."}
        <user> ok
    "#]]
    .assert_eq(&told(tools()));
}

#[test]
fn what_does_something_comes_first_and_a_result_leads_on() {
    let named = |name: &str| ToolDeclaration { name: name.into(), ..tools().remove(0) };
    let response = MessagePart::response("1", "read_file", json!({"output": "text"}));
    let mut contents = conversation();
    contents.truncate(2);
    contents.push(ModelMessage { role: MessageRole::User, parts: vec![response] });
    let tools = vec![named("list_directory"), named("other"), named("read_file"), named("write_file")];
    let said = messages(ModelRequest { contents, tools, ..ModelRequest::default() });
    let listed = said[0].text.lines().filter_map(|line| line.strip_prefix("- ")?.split(' ').next());
    assert_eq!(listed.collect::<Vec<_>>(), ["write_file", "read_file", "list_directory", "other"]);
    assert_eq!(said.last().unwrap().text, format!("[result of read_file]\ntext\n\n{GOES_ON}"));
}

#[test]
fn without_tools_it_is_plain_text() {
    expect![[r#"
        <system> You are small.
        <user> look at a
        <assistant> I look. 
        {"tool": "read_file", "args": {"file_path": "a"}}
        <user> [error of read_file]
        no such file
        <assistant> There is none.
        <user> ok
    "#]]
    .assert_eq(&told(Vec::new()));
}

#[test]
fn a_picture_is_named_and_an_empty_system_prompt_is_left_out() {
    let picture = json!({"inlineData": {"mimeType": "image/png", "data": "AA=="}});
    let part: MessagePart = serde_json::from_value(picture).unwrap();
    let contents = vec![ModelMessage { role: MessageRole::User, parts: vec![part] }];
    let said = messages(ModelRequest { contents, ..ModelRequest::default() });
    let text = "[image/png left out: this model does not take it]".to_owned();
    assert_eq!(said, [Message { role: "user", text }]);
}
