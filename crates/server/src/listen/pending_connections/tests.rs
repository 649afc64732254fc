use super::*;
use pretty_assertions::assert_eq;

#[test]
fn who_waits_has_the_files_that_are_left() {
    assert_eq!(most_pending(usize::MAX, 1024), MOST_PENDING);
    assert_eq!(most_pending(OTHER_FILES + 2 * 1024 + 2_000, 1024), 1_000);
    assert_eq!((most_pending(0, 1024), most_pending(1024, usize::MAX)), (LEAST_PENDING, LEAST_PENDING));
    assert!(open_files_limit() > 0);
}
