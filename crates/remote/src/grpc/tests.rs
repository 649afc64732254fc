use super::*;
use pretty_assertions::assert_eq;

#[test]
fn messages_are_taken_once_they_are_whole() {
    let mut buffer = BytesMut::new();
    let framed = [frame(b"one"), frame(b""), frame(b"two")].concat();
    let mut taken = Vec::new();
    for byte in framed {
        buffer.put_u8(byte);
        taken.extend(take_message(&mut buffer).unwrap());
    }
    assert_eq!(taken, [&b"one"[..], b"", b"two"]);
    let mut compressed = BytesMut::from(&[1, 0, 0, 0, 0][..]);
    assert!(matches!(take_message(&mut compressed), Err(RemoteError::Garbled { .. })));
    let mut long = BytesMut::from(&[0, 255, 0, 0, 0][..]);
    assert_eq!(take_message(&mut long), Err(RemoteError::TooMuch { limit: ANSWER_BYTES }));
}

#[test]
fn a_status_is_read_with_its_words() {
    let status = |fields: &[(&'static str, &'static str)]| {
        read_status(&fields.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect())
    };
    assert_eq!(status(&[]), None);
    assert_eq!(status(&[("grpc-status", "0")]), Some(Ok(())));
    let refused = RemoteError::Refused { code: 5, message: "no tásk 100%".into() };
    assert_eq!(status(&[("grpc-status", "5"), ("grpc-message", "no t%C3%A1sk 100%")]), Some(Err(refused)));
}

#[test]
fn requests_and_answers_pass_through_protobuf() {
    for (name, value) in [
        (
            "lf.a2a.v1.SendMessageRequest",
            json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "a"}]}}),
        ),
        (
            "a2a.v1.SendMessageRequest",
            json!({"message": {"messageId": "m", "role": "ROLE_USER", "content": [{"text": "a"}]}}),
        ),
        ("a2a.v1.GetTaskRequest", with_resource_name(InterfaceVersion::V03, &json!({"id": "t"}))),
        ("lf.a2a.v1.GetTaskRequest", with_resource_name(InterfaceVersion::V10, &json!({"id": "t"}))),
    ] {
        assert_eq!(decode(name, encode(name, &value).unwrap().into()), Ok(value));
    }
}
