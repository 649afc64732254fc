use super::*;
use pretty_assertions::assert_eq;
use rmcp::model::Resource;
use serde_json::json;

fn text(result: &CallToolResult) -> String {
    joined(&McpContentBuilder::new("peer", None).with_call_result(result).parts)
}

fn content_text(content: Vec<ContentBlock>) -> String {
    text(&CallToolResult::success(content))
}

#[test]
fn text_is_text_and_the_rest_is_described() {
    let content = vec![
        ContentBlock::text("one\ntwo \u{1b}[2J"),
        ContentBlock::image("AAECAw==", "image/png"),
        ContentBlock::audio("AAEC", "audio/wav"),
        ContentBlock::embedded_text("note://1", "a note"),
        ContentBlock::resource(ResourceContents::blob("AAEC", "file:///x")),
        ContentBlock::ResourceLink(Resource::new("file:///y", "why")),
    ];
    assert_eq!(
        content_text(content),
        "one\ntwo [2J\n\
         [One image (image/png) of 4 bytes, which cannot be shown here.]\n\
         [One sound (audio/wav) of 3 bytes, which cannot be shown here.]\n\
         [note://1]\na note\n\
         [file:///x]\n[One file of 3 bytes, which cannot be shown here.]\n\
         [The resource why, to be read at file:///y.]"
    );
}

#[test]
fn structured_content_stands_in_for_no_content() {
    let mut result = CallToolResult::success(vec![]);
    assert_eq!(text(&result), "(no content)");
    result.structured_content = Some(json!({ "answer": 42 }));
    assert_eq!(text(&result), r#"{"answer":42}"#);
}

#[test]
fn structured_content_is_told_unless_the_text_holds_it() {
    let mut result = CallToolResult::success(vec![ContentBlock::text("It is 42.")]);
    result.structured_content = Some(json!({ "answer": 42, "unit": "m" }));
    assert_eq!(text(&result), "It is 42.\n{\"answer\":42,\"unit\":\"m\"}");
    result.content = vec![ContentBlock::text("{ \"unit\": \"m\", \"answer\": 42 }")];
    assert_eq!(text(&result), "{ \"unit\": \"m\", \"answer\": 42 }");
}

#[test]
fn long_text_is_left_to_the_toolbox_and_cut_for_a_prompt() {
    let text = content_text(vec![ContentBlock::text("x".repeat(30_000)), ContentBlock::text("y".repeat(30_000))]);
    assert_eq!(text.len(), 60_001);
    let content = McpContent { text, media: Vec::new() }.excerpt();
    let cut = "\n[... 20001 characters left out ...]\n";
    assert_eq!(content.text, "x".repeat(8_000) + cut + &"x".repeat(1_999) + "\n" + &"y".repeat(30_000));
}
