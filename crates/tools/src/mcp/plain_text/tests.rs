use super::*;
use pretty_assertions::assert_eq;

#[test]
fn what_cannot_be_seen_is_left_out() {
    let hidden = "a\u{1b}[31mb\u{7}\u{202e}c\u{200b}\u{e0041}d\u{feff}\ne\tf";
    assert_eq!(to_plain(hidden, 100), "a[31mbcd\ne\tf");
    assert_eq!(to_plain_line(hidden, 100), "a[31mbcd e f");
    assert!(!is_plain(hidden));
    assert!(is_plain("größe 東京 👍"));
}

#[test]
fn long_text_is_cut() {
    assert_eq!(to_plain("größe", 5), "größe");
    assert_eq!(to_plain("größer", 5), "größe [cut]");
}
