use super::has_visible_text;

#[test]
fn text_hidden_in_comments_is_not_visible_and_text_after_them_is() {
    assert!(!has_visible_text("<!-- a --> <!-- b"));
    assert!(has_visible_text("<!-- a -->x<!-- b -->"));
    assert!(!has_visible_text("\u{feff}\u{200d} \n"));
}
