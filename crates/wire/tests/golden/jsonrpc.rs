//! The JSON-RPC envelope.

use crate::golden::check;
use expect_test::expect;
use pollux_wire::jsonrpc::{ErrorInfo, ErrorObject, Id, Malformed, Request, Response};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[test]
fn json_rpc() {
    check(
        &Response::result(Id::Text("a".into()), json!({"x": 1})),
        &expect![[r#"
        {
          "jsonrpc": "2.0",
          "id": "a",
          "result": {
            "x": 1
          }
        }"#]],
    );
    let info = ErrorInfo::new("ALREADY_DECIDED", [("decided_by", "phone".into())]);
    let error = ErrorObject { code: -32004, message: "decided".into(), data: vec![info] };
    check(
        &Response::<()>::error(Id::Null, error),
        &expect![[r#"
        {
          "jsonrpc": "2.0",
          "id": null,
          "error": {
            "code": -32004,
            "message": "decided",
            "data": [
              {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "ALREADY_DECIDED",
                "domain": "pollux.dev",
                "metadata": {
                  "decided_by": "phone"
                }
              }
            ]
          }
        }"#]],
    );
    let bare = ErrorObject { code: -32601, message: "no".into(), data: Vec::new() };
    check(
        &Response::<()>::error(Id::Number(7), bare),
        &expect![[r#"
        {
          "jsonrpc": "2.0",
          "id": 7,
          "error": {
            "code": -32601,
            "message": "no"
          }
        }"#]],
    );
}

#[test]
fn requests_are_read() {
    let read = |body: Value| Request::parse(body.to_string().as_bytes());
    let request = |id, params| Ok(Request { id, method: "m".into(), params });
    let wrong = |id, why| Err(Malformed::NotARequest { id, why });
    for (body, expected) in [
        (json!({"jsonrpc": "2.0", "method": "m"}), request(Id::Null, Value::Null)),
        (json!({"jsonrpc": "2.0", "id": null, "method": "m", "params": {}}), request(Id::Null, json!({}))),
        (json!({"jsonrpc": "2.0", "id": "x", "method": "m", "params": [1]}), request(Id::Text("x".into()), json!([1]))),
        (json!({"jsonrpc": "1.0", "id": 3, "method": "m"}), wrong(Id::Number(3), "`jsonrpc` must be \"2.0\"")),
        (json!({"jsonrpc": "2.0", "id": 3}), wrong(Id::Number(3), "`method` must be the name of a method")),
        (json!({"jsonrpc": "2.0", "id": {}, "method": "m"}), wrong(Id::Null, "`id` must be text, a number or null")),
        (json!([]), wrong(Id::Null, "a request is one JSON object; batches are taken at `/` only")),
    ] {
        assert_eq!(read(body.clone()), expected, "{body}");
    }
    assert_eq!(Request::parse(b"{").unwrap_err().code(), pollux_wire::jsonrpc::PARSE_ERROR);
    for (digits, id) in [
        ("-3", Id::Number(-3)),
        ("99999999999999999999", Id::Digits("99999999999999999999".into())),
        ("1.50", Id::Digits("1.50".into())),
    ] {
        let body = format!(r#"{{"method": "m", "id": {digits}, "jsonrpc": "2.0"}}"#);
        assert_eq!(Request::parse(body.as_bytes()), request(id.clone(), Value::Null));
        assert_eq!(serde_json::to_string(&id).unwrap(), digits);
    }
}
