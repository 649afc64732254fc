use super::limit_mode;
use pollux_session::ApprovalMode;

#[test]
fn a_request_may_narrow_the_mode_and_never_widen_it() {
    assert_eq!(limit_mode(ApprovalMode::Plan, ApprovalMode::Default).unwrap(), ApprovalMode::Plan);
    assert_eq!(limit_mode(ApprovalMode::Yolo, ApprovalMode::Yolo).unwrap(), ApprovalMode::Yolo);
    for (wanted, allowed) in [
        (ApprovalMode::Yolo, ApprovalMode::AutoEdit),
        (ApprovalMode::AutoEdit, ApprovalMode::Default),
        (ApprovalMode::Default, ApprovalMode::Plan),
    ] {
        let why = limit_mode(wanted, allowed).unwrap_err().to_string();
        assert!(why.contains(&format!("--approval-mode {}", wanted.name())), "{why}");
    }
}
