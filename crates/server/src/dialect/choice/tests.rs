use super::*;
use pollux_session::{Grant, cancel_choice, lasting_choice, session_choice};
use pretty_assertions::assert_eq;

#[test]
fn a_description_says_what_is_granted_and_for_how_long() {
    let grant = || Grant::Tool { tool: "write_file".into() };
    for (choice, description) in [
        (once_choice(), "This call runs. The next one like it asks again."),
        (session_choice(grant()), "This call runs, and every write_file runs without asking until this session ends."),
        (
            lasting_choice(grant(), GrantScope::Workspace),
            "This call runs, and every write_file runs without asking in every session of this workspace from now on.",
        ),
        (
            lasting_choice(grant(), GrantScope::Always),
            "This call runs, and every write_file runs without asking in every workspace from now on.",
        ),
        (cancel_choice(), "This call does not run."),
    ] {
        assert_eq!(describe_choice(&choice).as_deref(), Some(description));
    }
    let far = AskOption { id: "allow_for_good".into(), ..once_choice() };
    assert_eq!(describe_choice(&far), None);
}
