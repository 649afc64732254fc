use super::*;

fn parsed(text: &str) -> ScriptedConversation {
    let (about, sections) = parse_sections(text).unwrap();
    ScriptedConversation { name: "x".into(), path: "x.conv".into(), about, sections }
}

#[test]
fn a_file_is_the_same_after_it_was_taken_apart() {
    let text = "# Shows something.\n\n--- commands ---\n{\"prompt\": \"hi\"}\n\n--- before a.txt ---\none\ntwo\n";
    let conversation = parsed(text);
    assert_eq!(conversation.text(), text);
    assert_eq!(conversation.files("before").unwrap()["a.txt"], b"one\ntwo\n");
}

#[test]
fn odd_files_come_back_as_they_were() {
    for bytes in [&b"no newline"[..], b"a\r\nb\r\n", b"\x00\xff", b"", b"--- x ---\n", b"two\n\n"] {
        let mut conversation = parsed("# x\n");
        conversation.put_files("after", &BTreeMap::from([("f".to_owned(), bytes.to_vec())]));
        let again = parsed(&conversation.text());
        assert_eq!(again.files("after").unwrap()["f"], bytes);
    }
}

#[test]
fn a_title_that_stands_twice_is_an_error() {
    assert!(parse_sections("--- entries ---\n--- entries ---\n").is_err());
}
