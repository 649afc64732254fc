use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn gather(fragments: &[Value]) -> Result<Vec<MessagePart>, ModelError> {
    let mut calls = Calls::default();
    for fragment in fragments {
        calls.take(fragment)?;
    }
    calls.finish(3)
}

fn call(id: &str, name: &str, args: Value) -> MessagePart {
    PartData::FunctionCall { id: Some(id.into()), name: name.into(), args }.into()
}

#[test]
fn fragments_go_to_the_call_with_their_index() {
    let fragments = [
        json!({"index": 0, "id": "a", "type": "function", "function": {"name": "ls", "arguments": ""}}),
        json!({"index": 1, "id": "b", "type": "function", "function": {"name": "cat", "arguments": "{\"pa"}}),
        json!({"index": 0, "function": {"arguments": "{\"dir\":"}}),
        json!({"index": 1, "function": {"arguments": "th\":\"ü\"}"}}),
        json!({"index": 0, "id": "", "function": {"name": "ls", "arguments": "\".\"}"}}),
    ];
    let expected = [call("a", "ls", json!({"dir": "."})), call("b", "cat", json!({"path": "ü"}))];
    assert_eq!(gather(&fragments).unwrap(), expected);
}

#[test]
fn servers_that_count_wrongly_are_understood() {
    // Every call is whole and says it is the first.
    let whole = |id: &str, dir: &str| json!({"index": 0, "id": id, "function": {"name": "ls", "arguments": json!({"dir": dir}).to_string()}});
    let expected = [call("a", "ls", json!({"dir": "x"})), call("b", "ls", json!({"dir": "y"}))];
    assert_eq!(gather(&[whole("a", "x"), whole("b", "y")]).unwrap(), expected);
    // No index at all.
    let fragments = [
        json!({"id": "a", "function": {"name": "ls", "arguments": "{\"dir\":"}}),
        json!({"function": {"arguments": "\"x\"}"}}),
        json!({"id": "b", "function": {"name": "ls", "arguments": {"dir": "y"}}}),
    ];
    assert_eq!(gather(&fragments).unwrap(), expected);
}

#[test]
fn a_call_may_come_without_id_and_arguments() {
    let fragments = [json!({"index": 0, "function": {"name": "now"}}), json!({"index": 1, "function": {"name": "up"}})];
    assert_eq!(gather(&fragments).unwrap(), [call("made-3-1", "now", json!({})), call("made-3-2", "up", json!({}))]);
}

#[test]
fn what_does_not_decode_is_the_models_mistake() {
    for arguments in ["{\"dir\": ", "[1]", "\"text\"", "{} {}", "```json\n{}\n```"] {
        let found = gather(&[json!({"index": 0, "id": "a", "function": {"name": "ls", "arguments": arguments}})]);
        let Err(error @ ModelError::Malformed { flaw: AnswerFlaw::BadArguments { .. } }) = found else {
            panic!("{arguments}: {found:?}")
        };
        assert_eq!(error.class(), crate::RetryClass::Retryable { after: None });
    }
    let found = gather(&[json!({"index": 0, "id": "a", "function": {"arguments": "{}"}})]);
    assert_eq!(
        found,
        Err(ModelError::Malformed { flaw: AnswerFlaw::BadCall { finish: "a call without a name".into() } })
    );
}

#[test]
fn an_answer_without_end_is_refused() {
    let mut calls = Calls::default();
    let fragment = json!({"index": 0, "id": "a", "function": {"name": "ls", "arguments": "x".repeat(1024 * 1024)}});
    let error = (0..17).find_map(|_| calls.take(&fragment).err());
    assert!(matches!(error, Some(ModelError::Malformed { flaw: AnswerFlaw::BadFrame { .. } })), "{error:?}");
    let mut calls = Calls::default();
    let error = (0..=MOST).find_map(|index| calls.take(&json!({"index": index, "id": index.to_string()})).err());
    assert!(matches!(error, Some(ModelError::Malformed { flaw: AnswerFlaw::BadFrame { .. } })), "{error:?}");
}
