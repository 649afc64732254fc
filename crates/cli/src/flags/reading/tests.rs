use super::*;
use pretty_assertions::assert_eq;

/// Whether checkpoints are kept, and the prompt's words.
fn read(words: &[&str]) -> (Option<bool>, Vec<String>) {
    let flags = Flags::read([&["pollux"], words].concat()).unwrap();
    (flags.session.agent.checkpointing, flags.session.words)
}

#[test]
fn a_word_after_checkpointing_is_a_prompt_unless_it_is_true_or_false() {
    let prompt = |text: &str| vec![text.to_owned()];
    assert_eq!(read(&["--checkpointing", "false"]), (Some(false), Vec::new()));
    assert_eq!(read(&["--checkpointing", "true", "fix it"]), (Some(true), prompt("fix it")));
    assert_eq!(read(&["--checkpointing=false", "true"]), (Some(false), prompt("true")));
    assert_eq!(read(&["--checkpointing", "fix it"]), (Some(true), prompt("fix it")));
    assert_eq!(
        read(&["--", "--checkpointing", "false"]),
        (None, ["--checkpointing", "false"].map(Into::into).to_vec())
    );
}
