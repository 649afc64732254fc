use super::*;
use pretty_assertions::assert_eq;

#[test]
fn a_change_nobody_waits_for_any_more_is_not_made() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("a.txt"), "old").unwrap();
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let (root_path, access, scope) = (root.path().to_owned(), Arc::default(), ChangeScope::FoundLines);
    let target = ChangeTarget { root: root_path, access, file_path: "a.txt".into(), limit: 100, scope };
    let (shown, judged, edit, seen) = (None, None, None, PlannedFiles::default());
    let change = ApprovedChange { target, shown, judged, edit, seen, is_none: false, cancelled };
    assert!(matches!(change.apply(|_| Ok("new".into())), Err(ToolError::Broken(_))));
    assert_eq!(std::fs::read_to_string(root.path().join("a.txt")).unwrap(), "old");
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1);
}

#[test]
fn a_persons_edit_keeps_the_line_ends_of_a_file_that_has_both() {
    let mixed = Some("one\r\ntwo\r\nthree\n");
    assert_eq!(edit_in_style_of(mixed, "1\r\ntwo\r\nthree\n"), "1\r\ntwo\r\nthree\n");
    // A client whose text fields know one kind of line end only.
    assert_eq!(edit_in_style_of(mixed, "1\ntwo\nthree\n"), "1\r\ntwo\r\nthree\n");
    // A line that was typed into a file in which all lines end alike ends so, too.
    assert_eq!(edit_in_style_of(Some("one\r\n"), "one\r\ntyped\n"), "one\r\ntyped\r\n");
    assert_eq!(edit_in_style_of(Some("one\n"), "1\n"), "1\n");
    assert_eq!(edit_in_style_of(Some("one\r\n"), "\u{feff}1\n"), "1\r\n");
}
