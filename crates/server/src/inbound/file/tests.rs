//! Files in every spelling, and those that are not taken.

use crate::inbound::{InboundContent, InboundFile, InboundMessage, MessageRules, PromptContent};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pollux_session::MediaContent;
use pollux_wire::a2a::{FileContent, Part};
use pollux_wire::jsonrpc::{CONTENT_TYPE_NOT_SUPPORTED, INVALID_PARAMS};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn read(parts: &Value) -> Result<InboundContent, crate::errors::RequestError> {
    InboundMessage::read(&json!({"message": {"parts": parts}}), MessageRules::Seeds).map(|inbound| inbound.content)
}

fn file(media: &str, bytes: &str) -> Value {
    json!({"kind": "file", "file": {"name": "a.md", "mimeType": media, "bytes": bytes}})
}

#[test]
fn a_text_is_told_to_the_agent() {
    let named = "read this\n[the file \"a.md\" came with this message]\n# A\n";
    let nameless = "read this\n[the file \"without a name\" came with this message]\n# A\n";
    for (part, told, name, media) in [
        (file("text/markdown", "IyBBCg=="), named, Some("a.md"), Some("text/markdown")),
        (file("image/svg+xml", "IyBBCg=="), named, Some("a.md"), Some("image/svg+xml")),
        (
            json!({"raw": "IyBBCg==", "filename": "a.md", "mediaType": "text/markdown"}),
            named,
            Some("a.md"),
            Some("text/markdown"),
        ),
        (file("application/octet-stream", "IyBBCg=="), named, Some("a.md"), Some("application/octet-stream")),
        (json!({"kind": "file", "file": {"bytes": "IyBBCg=="}}), nameless, None, None),
        (json!({"file": {"fileWithBytes": "IyBBCg==", "name": "\n", "mimeType": ""}}), nameless, Some("\n"), None),
    ] {
        let kept = FileContent {
            name: name.map(str::to_owned),
            mime_type: media.map(str::to_owned),
            bytes: Some("IyBBCg==".into()),
            uri: None,
        };
        let parts = vec![Part::text("read this"), Part::file(kept)];
        let told = InboundContent::Prompt(PromptContent { text: told.into(), files: vec![], parts });
        assert_eq!(read(&json!([{"text": "read this"}, part])), Ok(told), "{part}");
    }
}

#[test]
fn a_picture_is_for_the_model_to_look_at() {
    for (part, name, media) in [
        (file("image/png", "AP8="), "a.md", Some("image/png")),
        (json!({"raw": "AP8=", "filename": "a.png", "mediaType": "IMAGE/PNG"}), "a.png", Some("IMAGE/PNG")),
        (file("application/pdf", "AP8="), "a.md", Some("application/pdf")),
        (json!({"file": {"bytes": "AP8=", "mime_type": "audio/wav"}}), "without a name", Some("audio/wav")),
        (json!({"raw": "AP8="}), "without a name", None),
    ] {
        let (name, media, bytes) = (name.into(), media.map(str::to_owned), b"\0\xff".as_slice().into());
        let file = InboundFile { place: "params.message.parts[0]".into(), name, media, bytes };
        let says = InboundContent::Prompt(PromptContent { text: String::new(), files: vec![file], parts: vec![] });
        assert_eq!(read(&json!([part])), Ok(says), "{part}");
    }
}

#[test]
fn a_link_is_told_and_never_followed() {
    for (part, told) in [
        (
            json!({"kind": "file", "file": {"uri": "https://example.com/a.png", "name": "a.png", "mimeType": "image/png"}}),
            "[a link to the file \"a.png\" (image/png) came with this message; it was not fetched: \
             https://example.com/a.png]",
        ),
        (
            json!({"url": "gs://bucket/x"}),
            "[a link to the file \"without a name\" came with this message; it was not fetched: gs://bucket/x]",
        ),
    ] {
        let Ok(InboundContent::Prompt(words)) = read(&json!([part])) else { panic!("{part} is a prompt") };
        assert_eq!((words.text.as_str(), words.files.len()), (told, 0), "{part}");
        let [Part::File { file, .. }] = &words.parts[..] else { panic!("{part} is kept") };
        assert!(told.ends_with(&format!("{}]", file.uri.as_deref().unwrap_or("no address"))), "{file:?}");
    }
}

#[test]
fn a_name_is_one_short_line() {
    let long = json!([{"raw": "AP8=", "filename": format!(" a\nb\u{1b}{}", "x".repeat(300))}]);
    let Ok(InboundContent::Prompt(PromptContent { files, .. })) = read(&long) else { panic!("it is taken") };
    assert_eq!(files[0].name, format!("ab{}", "x".repeat(MediaContent::MOST_NAME_CHARS - 2)));
}

#[test]
fn what_is_not_taken_is_refused_in_words() {
    let long_text = STANDARD.encode("x".repeat(256 * 1024 + 1));
    let long = STANDARD.encode(vec![0; usize::try_from(MediaContent::MOST_BYTES).expect("it fits") + 1]);
    for (part, code, why) in [
        (file("application/zip", "AP8="), CONTENT_TYPE_NOT_SUPPORTED, "application/zip parts are not taken"),
        (file("image/", "AP8="), CONTENT_TYPE_NOT_SUPPORTED, "image/ parts are not taken"),
        (file("image/png", "not base64"), INVALID_PARAMS, "`params.message.parts[0]`: the file is not base64"),
        (file("image/png", &long), INVALID_PARAMS, "has 10485761 bytes and at most 10485760 are taken along"),
        (file("text/plain", "/w=="), INVALID_PARAMS, "`params.message.parts[0]`: the file is not UTF-8"),
        (file("text/plain", "AA=="), INVALID_PARAMS, "`params.message.parts[0]`: the file holds a NUL"),
        (file("text/plain", &long_text), INVALID_PARAMS, "at most 262144 are taken along; put it into the workspace"),
        (json!({"kind": "file"}), INVALID_PARAMS, "neither bytes nor an address"),
        (json!({"kind": "file", "file": 5}), INVALID_PARAMS, "`file` must be an object"),
        (json!({"file": {"bytes": "eA==", "uri": "https://a/"}}), INVALID_PARAMS, "send one of them"),
        (json!({"url": "file:///etc/passwd"}), CONTENT_TYPE_NOT_SUPPORTED, "must begin with https://"),
        (json!({"url": "https://"}), CONTENT_TYPE_NOT_SUPPORTED, "must begin with https://"),
        (json!({"url": "data:text/plain,x"}), CONTENT_TYPE_NOT_SUPPORTED, "or send its bytes"),
        (json!({"url": "https://a/ [now do this]"}), INVALID_PARAMS, "neither blanks nor control"),
        (json!({"url": format!("https://a/{}", "x".repeat(2048))}), INVALID_PARAMS, "at most 2048 characters"),
    ] {
        let refused = read(&json!([part])).expect_err("it is refused");
        assert!(refused.code == code && refused.message.contains(why), "{why}: {refused:?}");
    }
}

#[test]
fn so_many_files_and_no_more() {
    let picture = file("image/png", "AP8=");
    let Ok(InboundContent::Prompt(PromptContent { files, .. })) = read(&json!(vec![picture.clone(); 16])) else {
        panic!("they are taken")
    };
    assert_eq!(files.len(), 16);
    let refused = read(&json!(vec![picture; 17])).expect_err("it is refused");
    assert_eq!(refused.message, "the prompt brings more than 16 files; send them with several prompts");
}

#[test]
fn a_file_beside_an_answer_is_shown_after_it() {
    let answer = json!({"data": {"callId": "call-9", "outcome": "cancel"}});
    let Ok(InboundContent::Answers { answers, then: Some(words) }) = read(&json!([answer, file("image/png", "AP8=")]))
    else {
        panic!("both are taken")
    };
    assert_eq!((answers.len(), words.text.as_str(), words.files.len()), (1, "", 1));
}
