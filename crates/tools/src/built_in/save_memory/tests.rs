use super::*;
use pretty_assertions::assert_eq;

#[test]
fn facts_are_listed_under_their_heading() {
    let cases = [
        ("", "## Gemini Added Memories\n\n- x\n"),
        ("# Me\nhi", "# Me\nhi\n\n## Gemini Added Memories\n\n- x\n"),
        ("# Me\nhi\n", "# Me\nhi\n\n## Gemini Added Memories\n\n- x\n"),
        ("## Gemini Added Memories\n", "## Gemini Added Memories\n\n- x\n"),
        ("## Gemini Added Memories\n\n- a\n", "## Gemini Added Memories\n\n- a\n- x\n"),
        ("## Gemini Added Memories\n- a\n\n## More\nb\n", "## Gemini Added Memories\n- a\n- x\n\n## More\nb\n"),
        ("## Gemini Added Memories\r\n- a\r\n", "## Gemini Added Memories\r\n- a\r\n- x\r\n"),
    ];
    for (file, expected) in cases {
        assert_eq!(with_fact(file, "x"), expected, "{file:?}");
    }
}

#[test]
fn a_fact_is_one_line() {
    let fact = |text: &str| parse_fact(&serde_json::json!({ "fact": text })).map_err(|error| error.to_string());
    assert_eq!(fact("- likes\n## tea \r\n and cake").as_deref(), Ok("likes ## tea and cake"));
    assert_eq!(fact(" - \n"), Err("argument `fact`: it is empty".into()));
    assert_eq!(
        fact(&"x".repeat(2_001)),
        Err("argument `fact`: it has more than 2000 characters; remember less".into())
    );
}
