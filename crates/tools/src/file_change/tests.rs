use super::*;
use pretty_assertions::assert_eq;

#[test]
fn a_change_nobody_waits_for_any_more_is_not_made() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("a.txt"), "old").unwrap();
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let (root_path, reach) = (root.path().to_owned(), Arc::default());
    let target = ChangeTarget { root: root_path, access: reach, file_path: "a.txt".into(), limit: 100 };
    let (shown, judged, edit) = (None, None, None);
    let change =
        ApprovedChange { target, shown, judged, edit, scope: ShownScope::WholeFile, is_none: false, cancelled };
    assert!(matches!(change.apply(|_| Ok("new".into())), Err(ToolError::Broken(_))));
    assert_eq!(std::fs::read_to_string(root.path().join("a.txt")).unwrap(), "old");
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1);
}
