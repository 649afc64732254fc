use super::*;
use pollux_tools::McpSamplingMessage;
use pretty_assertions::assert_eq;

#[test]
fn a_person_is_shown_all_that_the_model_is_told() {
    let message = |role, text: &str| McpSamplingMessage { role, text: text.into() };
    let request = McpSamplingRequest {
        server: "desk".into(),
        system: "Be brief.".into(),
        messages: vec![
            message(McpSamplingRole::User, "Sum up."),
            message(McpSamplingRole::Assistant, "What?"),
            message(McpSamplingRole::User, "This."),
        ],
        max_tokens: 100,
        calls: 2,
    };
    assert_eq!(
        describe_request(&request),
        "The MCP server desk wants an answer of your model, of at most 100 tokens. The model is told only this, at your \
         expense, and the server gets its answer. It runs 2 calls and does not say which of them asks.\n\nInstructions:\n\
         Be brief.\n\nUser:\nSum up.\n\nModel:\nWhat?\n\nUser:\nThis."
    );
}

#[test]
fn an_answer_is_cut_where_the_server_wanted_no_more() {
    assert_eq!(cut_text("four".into(), 1), ("four".to_owned(), false));
    assert_eq!(cut_text("thrée and more".into(), 1), ("thr".to_owned(), true));
}
