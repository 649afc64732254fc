//! Errors as numbers, sentences and details.

use super::*;
use pretty_assertions::assert_eq;

fn number(code: i64, version: A2aVersion) -> i32 {
    GrpcCode::from_error_code(code, version) as i32
}

#[test]
fn every_fault_has_the_number_of_its_version() {
    // JSON-RPC's code, 1.0's number, 0.3's.
    let table = [
        (jsonrpc::PARSE_ERROR, 3, 3),
        (jsonrpc::INVALID_REQUEST, 3, 3),
        (jsonrpc::METHOD_NOT_FOUND, 12, 12),
        (jsonrpc::INVALID_PARAMS, 3, 3),
        (jsonrpc::INTERNAL_ERROR, 13, 13),
        (jsonrpc::BUSY, 8, 8),
        (jsonrpc::TASK_NOT_FOUND, 5, 5),
        (jsonrpc::TASK_NOT_CANCELABLE, 9, 9),
        (jsonrpc::PUSH_NOT_SUPPORTED, 9, 12),
        (jsonrpc::UNSUPPORTED_OPERATION, 9, 12),
        (jsonrpc::CONTENT_TYPE_NOT_SUPPORTED, 3, 3),
        (jsonrpc::INVALID_AGENT_RESPONSE, 13, 13),
        (jsonrpc::EXTENDED_CARD_NOT_CONFIGURED, 9, 12),
        (jsonrpc::EXTENSION_SUPPORT_REQUIRED, 9, 9),
        (jsonrpc::VERSION_NOT_SUPPORTED, 9, 9),
    ];
    for (code, v10, v03) in table {
        assert_eq!((number(code, A2aVersion::V10), number(code, A2aVersion::V03)), (v10, v03), "{code}");
    }
}

#[test]
fn what_a_header_cannot_hold_is_written_by_its_bytes() {
    assert_eq!(percent_encoded("100% ä\n~"), "100%25 %C3%A4%0A~");
}

#[test]
fn a_sentence_and_its_details_fit_into_headers() {
    let trailers = error_trailers(&RequestError::invalid_params("ä".repeat(100_000)), A2aVersion::V10);
    assert_eq!(trailers["grpc-status"], "3");
    assert_eq!(trailers["grpc-message"].len(), "%C3%A4".len() * MAX_MESSAGE_CHARS);
    let details = STANDARD_NO_PAD.decode(trailers["grpc-status-details-bin"].as_bytes()).unwrap();
    assert!(details.len() <= MAX_DETAILS);
}
