use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

/// The frames that `bytes` decode to when they come in pieces of `size`.
async fn decode(bytes: &[u8], size: usize) -> Vec<Result<Value, ModelError>> {
    let pieces: Vec<_> = bytes.chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    frames(stream::iter(pieces)).collect().await
}

/// However the bytes are cut, the frames are the same: pieces of every size, and two pieces cut at every byte.
async fn check(text: &str, expected: &[Value]) {
    let expected: Vec<_> = expected.iter().cloned().map(Ok).collect();
    let bytes = text.as_bytes();
    for size in 1..=bytes.len() {
        assert_eq!(decode(bytes, size).await, expected, "pieces of {size} bytes");
    }
    for at in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(at);
        let pieces = [head, tail].map(|piece| Ok(Bytes::copy_from_slice(piece)));
        let found: Vec<_> = frames(stream::iter(pieces)).collect().await;
        assert_eq!(found, expected, "cut at byte {at}");
    }
}

#[tokio::test]
async fn frames_may_be_cut_anywhere() {
    let frames = [json!({"a": "grüße 🦀"}), json!({"b": 2})];
    check("data: {\"a\": \"grüße 🦀\"}\n\ndata: {\"b\": 2}\n\n", &frames).await;
    check("data: {\"a\": \"grüße 🦀\"}\r\n\r\ndata: {\"b\": 2}\r\n\r\n", &frames).await;
    check("data: {\"a\": \"grüße 🦀\"}\r\rdata: {\"b\": 2}\r\r", &frames).await;
    check(": hello\r\ndata:{\"a\":\ndata: \"grüße 🦀\"}\r\n\n\nid: 7\ndata: {\"b\": 2}\n\n", &frames).await;
}

#[tokio::test]
async fn a_last_frame_without_its_empty_line_counts() {
    check("data: {\"a\": 1}\n\ndata: {\"b\": 2}", &[json!({"a": 1}), json!({"b": 2})]).await;
}

#[tokio::test]
async fn a_bare_body_is_a_frame_wherever_it_comes() {
    let error = json!({"error": {"code": 503, "status": "UNAVAILABLE"}});
    let pretty = serde_json::to_string_pretty(&error).unwrap();
    check(&error.to_string(), std::slice::from_ref(&error)).await;
    check(&format!("{pretty}\n"), std::slice::from_ref(&error)).await;
    check(&format!("[{pretty}\n]\n"), &[json!([error])]).await;
    let spaced = pretty.replace('\n', "\r\n\r\n");
    check(&format!("data: {{\"a\": 1}}\r\n\r\n{spaced}\r\n"), &[json!({"a": 1}), error]).await;
}

#[tokio::test]
async fn nothing_is_read_behind_done() {
    check("data: {\"a\": 1}\n\ndata: [DONE]\n\ndata: {\"b\": 2}\n\n", &[json!({"a": 1})]).await;
    check("data: {\"a\": \"[DONE]\"}\n\ndata: [DONE]", &[json!({"a": "[DONE]"})]).await;
}

#[tokio::test]
async fn event_names_comments_and_empty_events_are_passed_over() {
    check(": KEEP ALIVE\n\nevent: ping\n\nevent: x\ndata: {\"a\": 1}\n\n", &[json!({"a": 1})]).await;
}

/// Other people's gateways send them, and the standard says to pass them over.
#[tokio::test]
async fn lines_that_mean_nothing_are_passed_over() {
    let text = "proxy: 7\nword\nretry: soon\nid: 1\nid: 2\nevent: x\nevent: y\ndata: {\"a\": 1}\n\n";
    check(text, &[json!({"a": 1})]).await;
}

#[tokio::test]
async fn a_byte_order_mark_is_passed_over() {
    check("\u{feff}data: {\"a\": \"\u{feff}\"}\n\n", &[json!({"a": "\u{feff}"})]).await;
    check("\u{feff}", &[]).await;
}

#[tokio::test]
async fn half_a_frame_is_an_error_and_not_silence() {
    let found = decode(b"data: {\"a\": 1}\n\ndata: {\"b\": ", 7).await;
    assert_eq!(found.first(), Some(&Ok(json!({"a": 1}))));
    assert!(
        matches!(found.get(1), Some(Err(ModelError::Malformed { flaw: AnswerFlaw::BadFrame { .. } }))),
        "{found:?}"
    );
    assert_eq!(found.len(), 2);
}

#[tokio::test]
async fn bytes_that_are_not_utf8_are_an_error() {
    let found = decode(b"data: {\"a\": \"\xff\"}\n\n", 64).await;
    assert!(matches!(found.first(), Some(Err(ModelError::Malformed { .. }))), "{found:?}");
}

#[tokio::test]
async fn a_broken_connection_is_a_cut() {
    let pieces = [Ok(Bytes::from_static(b"data: {\"a\": 1}\n\nda")), Err("reset".to_owned())];
    let found: Vec<_> = frames(stream::iter(pieces)).take(2).collect().await;
    assert_eq!(found, [Ok(json!({"a": 1})), Err(ModelError::Cut { message: "reset".into() })]);
}

#[tokio::test]
async fn a_frame_without_end_is_refused() {
    let piece = Bytes::from(vec![b'x'; 1024 * 1024]);
    let pieces = std::iter::repeat_n(Ok(piece), 64);
    let mut found = Box::pin(frames(stream::iter(pieces)));
    let first = found.next().await;
    assert!(matches!(first, Some(Err(ModelError::Malformed { flaw: AnswerFlaw::BadFrame { .. } }))), "{first:?}");
}
