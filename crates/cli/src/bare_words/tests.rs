use super::*;
use pretty_assertions::assert_eq;

fn read(words: &[&str]) -> Result<Option<String>, String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    read_prompt(&words).map_err(|usage| usage.0)
}

#[test]
fn words_are_a_prompt() {
    for (words, prompt) in [
        (&[][..], None),
        (&["fix the bug"][..], Some("fix the bug")),
        (&["fix", "the", "bug"][..], Some("fix the bug")),
        (&["hello"][..], Some("hello")),
        (&["served cold"][..], Some("served cold")),
    ] {
        assert_eq!(read(words), Ok(prompt.map(str::to_owned)), "{words:?}");
    }
}

#[test]
fn a_misspelt_command_is_no_prompt() {
    for (words, part) in [
        (&["serv"][..], "did you mean `pollux serve`? to send it as a prompt, use -i or -p \"serv\""),
        (&["serve"][..], "comes before its flags: pollux serve …"),
        (&["sesions"][..], "`pollux sessions`"),
        (&["skills", "list"][..], "there is no command `pollux skills`"),
        (&[" "][..], "the prompt is empty"),
    ] {
        assert!(read(words).is_err_and(|told| told.contains(part)), "{words:?}");
    }
}
