use super::*;
use pretty_assertions::assert_eq;
use serde_json::Value;

fn parsed(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

#[test]
fn the_table_of_errors_of_1_0() {
    let rows = [
        (jsonrpc::PARSE_ERROR, 400, "INVALID_ARGUMENT"),
        (jsonrpc::INVALID_REQUEST, 400, "INVALID_ARGUMENT"),
        (jsonrpc::METHOD_NOT_FOUND, 404, "NOT_FOUND"),
        (jsonrpc::INVALID_PARAMS, 400, "INVALID_ARGUMENT"),
        (jsonrpc::INTERNAL_ERROR, 500, "INTERNAL"),
        (jsonrpc::BUSY, 429, "RESOURCE_EXHAUSTED"),
        (jsonrpc::TASK_NOT_FOUND, 404, "NOT_FOUND"),
        (jsonrpc::TASK_NOT_CANCELABLE, 400, "FAILED_PRECONDITION"),
        (jsonrpc::PUSH_NOT_SUPPORTED, 400, "FAILED_PRECONDITION"),
        (jsonrpc::UNSUPPORTED_OPERATION, 400, "FAILED_PRECONDITION"),
        (jsonrpc::CONTENT_TYPE_NOT_SUPPORTED, 400, "INVALID_ARGUMENT"),
        (jsonrpc::INVALID_AGENT_RESPONSE, 500, "INTERNAL"),
        (jsonrpc::EXTENDED_CARD_NOT_CONFIGURED, 400, "FAILED_PRECONDITION"),
        (jsonrpc::EXTENSION_SUPPORT_REQUIRED, 400, "FAILED_PRECONDITION"),
        (jsonrpc::VERSION_NOT_SUPPORTED, 400, "FAILED_PRECONDITION"),
    ];
    for (code, status, kind) in rows {
        let http = status_of(code, A2aVersion::V10);
        assert_eq!((http.as_u16(), canonical_code(code, http)), (status, kind), "{code}");
    }
}

#[test]
fn a_fault_in_a_stream_has_the_body_of_its_version() {
    let fault = RequestError::unknown_task("x");
    let message = "task not found: \"x\"; leave the task id out to start one";
    let info = json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org",
    });
    assert_eq!(
        parsed(&write_stream_error(fault.clone(), A2aVersion::V10)),
        json!({"error": {"code": 404, "status": "NOT_FOUND", "message": message, "details": [info]}})
    );
    assert_eq!(
        parsed(&write_stream_error(fault, A2aVersion::V03)),
        json!({"code": -32001, "message": message, "data": [info], "type": "TaskNotFoundError", "error": "io.a2a.spec.TaskNotFoundError"})
    );
}

#[test]
fn the_gate_speaks_as_the_address_does() {
    let said = |refusal, path| denial_body(refusal, path).map(|(_, body)| parsed(&body));
    assert_eq!(said(GateDenial::ContentType, "/"), None);
    assert_eq!(said(GateDenial::ContentType, "/tasks"), None);
    let message = GateDenial::ContentType.to_string();
    // What A2A calls `CONTENT_TYPE_NOT_SUPPORTED` is about the parts of a message, and is 400 in 1.0.
    let details = [json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "CONTENT_TYPE", "domain": "pollux.dev",
    })];
    assert_eq!(
        said(GateDenial::ContentType, "/a2a/v1/message:send"),
        Some(json!({"error": {"code": 415, "status": "INVALID_ARGUMENT", "message": message, "details": details}}))
    );
    assert_eq!(
        said(GateDenial::ContentType, "/v1/message:send"),
        Some(json!({
            "code": -32005, "message": message, "data": details, "type": "ContentTypeNotSupportedError",
            "error": "io.a2a.spec.ContentTypeNotSupportedError",
        }))
    );
    let kinds = [(GateDenial::Busy, "UNAVAILABLE"), (GateDenial::Origin, "PERMISSION_DENIED")];
    for (refusal, kind) in kinds {
        assert_eq!(said(refusal, "/a2a/v1/tasks").unwrap()["error"]["status"], kind);
    }
}
