use super::*;
use pollux_session::Seq;
use pretty_assertions::assert_eq;

const SESSION: SessionId = SessionId(Uuid::from_u128(0x019a_8f00_0000_7000_8000_0000_0000_fbfe));
const CALL: CallId = CallId(Seq(8));

#[test]
fn an_id_is_read_as_it_was_written() {
    let written = WireCallId::new(SESSION, CALL).to_string();
    assert_eq!(written, "AZqPAAAAcACAAAAAAAD7_g-call-8");
    assert_eq!(written.parse(), Ok(WireCallId::new(SESSION, CALL)));
    assert_eq!("call-8".parse(), Ok(WireCallId::from(CALL)));
}

#[test]
fn a_model_api_takes_it() {
    let longest = WireCallId::new(SESSION, CallId(Seq(9_999_999_999))).to_string();
    assert_eq!((longest.len(), longest.chars().all(|it| it.is_ascii_alphanumeric() || "-_".contains(it))), (38, true));
}

/// A session whose id reads like the beginning of a call is told from it.
#[test]
fn letters_of_a_session_are_not_taken_for_a_call() {
    let bytes = URL_SAFE_NO_PAD.decode("AAAAAA-call-AAAAAAAAAA").unwrap();
    let odd = WireCallId::new(SessionId(Uuid::from_slice(&bytes).unwrap()), CALL);
    assert_eq!(odd.to_string().parse(), Ok(odd));
}

#[test]
fn anything_else_is_no_id() {
    for text in ["", "call-", "call-08", "-call-8", "8", "x-call-8", "AZqPAAAAcACAAAAAAAD7_g-call-", "tool-8"] {
        assert_eq!(text.parse::<WireCallId>(), Err(()), "{text:?}");
    }
}

#[test]
fn a_call_of_another_session_is_refused() {
    let id = WireCallId::new(SESSION, CALL);
    assert_eq!(id.within(SESSION).unwrap(), CALL);
    assert_eq!(WireCallId::from(CALL).within(SESSION).unwrap(), CALL);
    let other = SessionId(Uuid::from_u128(1));
    let refused = id.within(other).unwrap_err().message;
    assert!(refused.contains(&SESSION.to_string()) && refused.contains("`taskId`"), "{refused}");
}
