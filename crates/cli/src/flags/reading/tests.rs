use super::*;
use pretty_assertions::assert_eq;

/// The setting of checkpoints, and the prompt's words.
fn read(words: &[&str]) -> (Option<bool>, Vec<String>) {
    let flags = CliFlags::read([&["pollux"], words].concat()).unwrap();
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

#[test]
fn a_mistyped_mode_never_suggests_yolo() {
    let error = |mode: &str| CliFlags::read(["pollux", "--approval-mode", mode]).unwrap_err().to_string();
    for mode in ["foo", "yol", "yollo", "yo"] {
        let said = error(mode);
        assert!(said.contains("[possible values: default, auto_edit, plan, yolo]"), "{said}");
        assert!(!said.contains("tip:"), "{said}");
    }
    assert!(error("plann").contains("'plan'"), "other modes are suggested");
}

#[test]
fn help_for_a_misspelt_command_suggests_it() {
    let error = |word: &str| CliFlags::read(["pollux", "help", word]).unwrap_err().to_string();
    assert!(error("serv").contains("'serve'"), "{}", error("serv"));
    assert!(!error("elephant").contains("tip:"), "{}", error("elephant"));
}

#[test]
fn a_flag_of_gemini_cli_that_is_not_here_is_answered_with_what_to_do_instead() {
    let first_line = |words: &[&str]| {
        let error = CliFlags::read([&["pollux"], words].concat()).unwrap_err().to_string();
        error.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(
        first_line(&["--list-sessions"]),
        "error: there is no --list-sessions here: `pollux sessions` lists them"
    );
    let unconfined = "Pollux has no sandbox yet: to confine commands, start Pollux in a container or a virtual machine";
    assert_eq!(first_line(&["-s", "-p", "hi"]), format!("error: there is no -s here: {unconfined}"));
    assert_eq!(first_line(&["--sandbox=true"]), format!("error: there is no --sandbox here: {unconfined}"));
    assert_eq!(first_line(&["--nonsense"]), "error: unexpected argument '--nonsense' found");
    // None of them is a flag that Pollux has.
    for (flags, way_out) in ABSENT {
        for flag in *flags {
            assert_eq!(first_line(&[flag]), format!("error: there is no {flag} here: {way_out}"));
        }
    }
}
