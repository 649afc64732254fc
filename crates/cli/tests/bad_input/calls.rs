//! Bad JSON, bad JSON-RPC and bad parameters on `POST /`.

use super::case::{RefusedRequest, json_post, params, raw, rpc};
use super::task_server::{TaskServer, message};
use pollux_testkit::program::ServerMode;
use serde_json::{Value, json};

const PARSE: i64 = -32700;
const REQUEST: i64 = -32600;
const METHOD: i64 = -32601;
const PARAMS: i64 = -32602;
const NOT_FOUND: i64 = -32001;
const CONTENT: i64 = -32005;
const URI: &str = "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

/// Bodies that are no JSON.
pub(crate) fn not_json(room: &TaskServer) -> Vec<RefusedRequest> {
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    let deep_call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"message/send","params":{deep}}}"#);
    let with_text = |text: &str| {
        let parts = format!(r#"{{"message":{{"role": "user", "messageId":"m","parts":[{{"text":{text}}}]}}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"message/send","params":{parts}}}"#).into_bytes()
    };
    let cases: [(&str, Vec<u8>); 15] = [
        ("blank", b"  \r\n ".to_vec()),
        ("a word", b"hello".to_vec()),
        ("half an object", br#"{"jsonrpc": "2.0", "#.to_vec()),
        ("two objects", b"{}{}".to_vec()),
        ("a byte order mark", b"\xef\xbb\xbf{}".to_vec()),
        ("a comment", b"// hello\n{}".to_vec()),
        ("single quotes", b"{'jsonrpc': '2.0'}".to_vec()),
        ("no UTF-8", b"{\"jsonrpc\": \"\xff\xfe\"}".to_vec()),
        ("a raw NUL", b"{\"jsonrpc\": \"\0\"}".to_vec()),
        ("ten thousand levels", deep.into_bytes()),
        ("ten thousand levels of parameters", deep_call.into_bytes()),
        ("half a surrogate pair", with_text(r#""\ud800""#)),
        ("surrogates the wrong way round", with_text(r#""\udc00\ud800""#)),
        ("a number beyond all numbers", with_text("1e400")),
        ("not a number", with_text("NaN")),
    ];
    let case = |(name, body): (&str, Vec<u8>)| {
        raw(name, json_post(room, "/", &body), 400, PARSE, &["the body is not valid JSON"])
    };
    cases.into_iter().map(case).collect()
}

/// JSON that is no request.
pub(crate) fn not_a_request(room: &TaskServer) -> Vec<RefusedRequest> {
    let call = |changes: Value| {
        let mut call = json!({"jsonrpc": "2.0", "id": 7, "method": "tasks/get", "params": {"id": room.task}});
        for (name, value) in changes.as_object().into_iter().flatten() {
            match value {
                Value::Null => call.as_object_mut().and_then(|call| call.remove(name)),
                value => call.as_object_mut().and_then(|call| call.insert(name.clone(), value.clone())),
            };
        }
        call
    };
    let one = &["one JSON object", "batches"][..];
    let (version, method, id) = (&["`jsonrpc` must be \"2.0\""][..], &["`method`"][..], &["`id` must be"][..]);
    let mut cases = vec![
        rpc(room, "null", &json!(null), REQUEST, one),
        rpc(room, "a number", &json!(1), REQUEST, one),
        rpc(room, "text", &json!("tasks/get"), REQUEST, one),
        rpc(room, "an empty batch", &json!([]), REQUEST, &["1 to 64"]),
        rpc(room, "a long batch", &Value::Array(vec![call(json!({})); 65]), REQUEST, &["1 to 64"]),
        rpc(room, "an empty object", &json!({}), REQUEST, version),
        rpc(room, "no version", &call(json!({"jsonrpc": null})), REQUEST, version),
        rpc(room, "an old version", &call(json!({"jsonrpc": "1.0"})), REQUEST, version),
        rpc(room, "a version as a number", &call(json!({"jsonrpc": 2.0})), REQUEST, version),
        rpc(room, "no method", &call(json!({"method": null})), REQUEST, method),
        rpc(room, "an empty method", &call(json!({"method": ""})), REQUEST, method),
        rpc(room, "a method as a list", &call(json!({"method": ["tasks/get"]})), REQUEST, method),
    ];
    for wrong in [json!(true), json!([1]), json!({"a": 1})] {
        let body = call(json!({"id": wrong})).to_string();
        cases.push(raw("an id of another kind", json_post(room, "/", body.as_bytes()), 200, REQUEST, id));
    }
    for wrong in ["tasks/got", "Tasks/get", "tasks/get ", "__proto__", "message/send\0", &"m".repeat(200)] {
        let words = ["no method", "message/send, message/stream, tasks/get, tasks/cancel, tasks/resubscribe"];
        cases.push(rpc(room, "an unknown method", &call(json!({"method": wrong})), METHOD, &words));
    }
    let push = call(json!({"method": "tasks/pushNotificationConfig/set"}));
    cases.push(rpc(room, "push notifications to nowhere", &push, PARAMS, &["`params.taskId` is missing"]));
    cases
}

/// Messages that cannot be sent.
pub(crate) fn bad_messages(room: &TaskServer) -> Vec<RefusedRequest> {
    let parts = |parts: Value| message("m", &parts);
    let with = |name: &str, value: Value| {
        let mut params = parts(json!([{"text": "x"}]));
        params["message"][name] = value;
        params
    };
    let (no_message, no_object) = (&["`params.message` is missing"][..], &["`params.message` must be an object"][..]);
    let (no_text, empty) = (&["neither text nor a tool call confirmation"][..], &["the prompt is empty"][..]);
    let (no_picture, wrong_id) = (&["are those of no picture, PDF, sound or video"][..], &["1 to 128"][..]);
    let address = &["the file's address must begin with https://, http:// or gs://"][..];
    let pictured = |bytes: &str| json!({"kind": "file", "file": {"mimeType": "image/png", "bytes": bytes}});
    let long_id = "m".repeat(257);
    let table: Vec<(&str, Value, i64, &[&str])> = vec![
        ("no parameters", Value::Null, PARAMS, no_message),
        ("parameters as a list", json!([1]), PARAMS, &["`params` must be an object"]),
        ("parameters as text", json!("x"), PARAMS, &["`params` must be an object"]),
        ("no message", json!({}), PARAMS, no_message),
        ("a message as null", json!({"message": null}), PARAMS, no_object),
        ("a message as text", json!({"message": "x"}), PARAMS, no_object),
        ("a message as a list", json!({"message": [{"text": "x"}]}), PARAMS, no_object),
        ("no message id", with("messageId", Value::Null), PARAMS, &["messageId` is missing", "an id of its own"]),
        ("a message id as a number", with("messageId", json!(1)), PARAMS, &["messageId` must be text"]),
        ("an empty message id", with("messageId", json!("")), PARAMS, wrong_id),
        ("a long message id", with("messageId", json!(long_id)), PARAMS, wrong_id),
        ("no parts", with("parts", Value::Null), PARAMS, no_text),
        ("no role", with("role", Value::Null), PARAMS, &["`params.message.role` is missing"]),
        ("the agent's role", with("role", json!("agent")), PARAMS, &["`params.message.role`", "send \"user\""]),
        ("an empty list of parts", parts(json!([])), PARAMS, no_text),
        ("parts as a number", parts(json!(5)), PARAMS, &["`params.message.parts` must be an object"]),
        ("a part that is null", parts(json!([null])), PARAMS, &["`params.message.parts[0]", "must be an object"]),
        (
            "a part with nothing in it",
            parts(json!([{}])),
            PARAMS,
            &["`params.message.parts[0]", "neither `text` nor `data`"],
        ),
        (
            "text as a number",
            parts(json!([{"kind": "text", "text": 5}])),
            PARAMS,
            &["`params.message.parts[0]", ".text` must be text"],
        ),
        (
            "data as text",
            parts(json!([{"kind": "data", "data": "x"}])),
            PARAMS,
            &["`params.message.parts[0]", ".data` must be an object"],
        ),
        ("a second part that is wrong", parts(json!([{"text": "x"}, 5])), PARAMS, &["`params.message.parts[1]`"]),
        ("no text", parts(json!([{"text": ""}])), PARAMS, empty),
        ("blank text", parts(json!([{"text": " \n\t\u{3000}"}])), PARAMS, empty),
        ("a picture", parts(json!([{"kind": "image", "data": "x"}])), CONTENT, &["image parts are not taken"]),
        ("a file of bytes", parts(json!([{"kind": "file", "file": {"bytes": "AP8="}}])), CONTENT, no_picture),
        ("a picture that is none", parts(json!([pictured("AP8=")])), CONTENT, no_picture),
        ("a picture that is a text", parts(json!([pictured("eA==")])), CONTENT, no_picture),
        ("a file that is no base64", parts(json!([pictured("not base64")])), PARAMS, &["the file is not base64"]),
        ("a file of this machine", parts(json!([{"file": {"uri": "file:///etc/passwd"}}])), CONTENT, address),
        ("a file that is an address", parts(json!([{"file": {"uri": "data:,x"}}])), CONTENT, address),
        ("a file beside text", parts(json!([{"text": "x"}, {"kind": "file"}])), PARAMS, &["neither bytes nor"]),
        ("many pictures", parts(json!(vec![pictured("AP8="); 17])), PARAMS, &["more than 16 files"]),
        ("a task id as a number", with("taskId", json!(5)), PARAMS, &["taskId` must be text"]),
        (
            "an unknown task",
            with("taskId", json!(UNKNOWN)),
            NOT_FOUND,
            &["task not found", UNKNOWN, "leave the task id out"],
        ),
        ("a task id that is none", with("taskId", json!("../../etc/passwd")), NOT_FOUND, &["task not found"]),
        ("a task id with a NUL", with("taskId", json!("a\0b")), PARAMS, &["NUL"]),
        ("a long task id", with("taskId", json!("t".repeat(200))), PARAMS, &["128"]),
        ("a context as a number", with("contextId", json!(5)), PARAMS, &["contextId` must be text"]),
        ("a long context", with("contextId", json!("c".repeat(200))), PARAMS, &["`contextId` must have 1 to 128"]),
        ("an empty context", with("contextId", json!("")), PARAMS, &["`contextId` must have 1 to 128"]),
        ("a context with a NUL", with("contextId", json!("a\0b")), PARAMS, &["NUL"]),
    ];
    let mut cases = Vec::new();
    for method in ["message/send", "message/stream"] {
        for (name, value, code, words) in &table {
            cases.push(params(room, name, method, value, *code, words));
        }
    }
    cases
}

/// Configurations and settings that make no sense, and workspaces that cannot be used.
pub(crate) fn bad_settings(room: &TaskServer) -> Vec<RefusedRequest> {
    let configured = |configuration: Value| {
        let mut params = message("m", &json!([{"text": "x"}]));
        params["configuration"] = configuration;
        params
    };
    let set = |settings: Value| {
        let mut params = message("m", &json!([{"text": "x"}]));
        params["message"]["metadata"] = json!({URI: settings});
        params
    };
    let beside = |settings: Value| {
        let mut params = message("m", &json!([{"text": "x"}]));
        params["metadata"] = json!({URI: settings});
        params
    };
    let file = room.outside_path("script.jsonl").display().to_string();
    let missing = room.outside_path("missing").display().to_string();
    let (metadata, outside) = (&["metadata["][..], room.outside_path_words());
    let table: Vec<(&str, Value, &[&str])> = vec![
        ("a configuration as text", configured(json!("x")), &["`params.configuration`"]),
        ("blocking as text", configured(json!({"blocking": "yes"})), &["`params.configuration.blocking`"]),
        ("a negative history", configured(json!({"historyLength": -1})), &["`params.configuration.historyLength`"]),
        ("modes as text", configured(json!({"acceptedOutputModes": "text"})), &["acceptedOutputModes`"]),
        ("settings as text", set(json!("x")), metadata),
        ("settings as a list", set(json!([1, 2, 3])), metadata),
        ("settings beside the message", beside(json!(5)), &["`params.metadata["]),
        ("a workspace as a number", set(json!({"workspace_path": 5})), &["workspace_path`"]),
        ("trust as text", set(json!({"isTrusted": "yes"})), &["isTrusted`"]),
        ("a workspace that does not exist", set(json!({"workspace_path": missing})), outside),
        ("the same in the other spelling", set(json!({"workspacePath": missing})), outside),
        ("a relative workspace", set(json!({"workspace_path": "here"})), &["is not absolute", "from the root"]),
        ("an empty workspace", set(json!({"workspace_path": ""})), &["is not absolute"]),
        ("a file as the workspace", set(json!({"workspace_path": file})), outside),
        ("a workspace with a NUL", set(json!({"workspace_path": "/tmp\0"})), &["NUL"]),
    ];
    let mut cases = Vec::new();
    for method in ["message/send", "message/stream"] {
        for (name, value, words) in &table {
            cases.push(params(room, name, method, value, PARAMS, words));
        }
    }
    let mut other_workspace = set(json!({"workspace_path": "/"}));
    other_workspace["message"]["taskId"] = json!(room.task);
    let not_this = ["\"/\" is not this session's workspace; it is", "or leave it out"];
    cases.push(params(room, "another workspace", "message/send", &other_workspace, PARAMS, &not_this));
    let mut other_context = message("m", &json!([{"text": "x"}]));
    other_context["message"]["taskId"] = json!(room.task);
    other_context["message"]["contextId"] = json!("another");
    let not_this = ["\"another\" is not this task's context; it is", "or leave it out"];
    cases.push(params(room, "another context", "message/send", &other_context, PARAMS, &not_this));
    if room.mode == ServerMode::Share {
        let words = ["is not this session's workspace"];
        cases.push(params(
            room,
            "another workspace, no id",
            "message/send",
            &set(json!({"workspacePath": "/"})),
            PARAMS,
            &words,
        ));
    }
    cases
}

/// Calls about tasks that are not there, or that name none.
pub(crate) fn bad_tasks(room: &TaskServer) -> Vec<RefusedRequest> {
    let mut cases = Vec::new();
    for method in ["tasks/get", "tasks/cancel", "tasks/resubscribe"] {
        let table: [(&str, Value, i64, &[&str]); 11] = [
            ("no parameters", Value::Null, PARAMS, &["`params.id` is missing"]),
            ("parameters as a list", json!([]), PARAMS, &["`params`"]),
            ("no id", json!({}), PARAMS, &["`params.id` is missing"]),
            ("an id as a number", json!({"id": 5}), PARAMS, &["`params.id`"]),
            ("metadata as text", json!({"id": room.task, "metadata": "x"}), PARAMS, &["`params.metadata`"]),
            ("an unknown id", json!({"id": UNKNOWN}), NOT_FOUND, &["task not found", UNKNOWN]),
            ("an empty id", json!({"id": ""}), PARAMS, &["1 to 128"]),
            ("an id that is none", json!({"id": "'; drop table entry; --"}), NOT_FOUND, &["task not found"]),
            ("an id with a NUL", json!({"id": "a\0b"}), NOT_FOUND, &["task not found"]),
            ("a long id", json!({"id": "t".repeat(200)}), PARAMS, &["128"]),
            ("half an id", json!({"id": &room.task[..18]}), NOT_FOUND, &["task not found"]),
        ];
        for (name, value, code, words) in table {
            cases.push(params(room, name, method, &value, code, words));
        }
    }
    for length in [json!(-1), json!("all"), json!(1.5), json!(1e12)] {
        let wrong = json!({"id": room.task, "historyLength": length});
        cases.push(params(
            room,
            "a history that is no length",
            "tasks/get",
            &wrong,
            PARAMS,
            &["`params.historyLength`"],
        ));
    }
    cases
}

/// An id that nothing has.
pub(crate) const UNKNOWN: &str = "0198c0de-0000-7000-8000-000000000000";
