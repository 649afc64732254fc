use super::*;

#[test]
fn the_document_shows_the_kinds_of_input_that_the_card_lists() {
    let own = ["text/plain", "application/json"];
    let all: Vec<String> = own.iter().chain(&FILES_SHOWN).map(|mode| format!("{mode:?}")).collect();
    let shown = format!("\"defaultInputModes\":[{}]", all.join(","));
    let protocol = include_str!("../../../../docs/PROTOCOL.md");
    assert!(protocol.contains(&shown), "docs/PROTOCOL.md does not show {shown}");
    assert!(protocol.contains(&format!("\"name\":{:?}", CardConfig::default().name)));
}
