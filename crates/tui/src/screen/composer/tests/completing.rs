//! What is offered, in which order, and what comes of taking it.

use super::{composer, offer_commands, offer_files, press, shown};
use crate::screen::composer::{ArgumentValue, CompletionCandidates, CompletionRequest, Composer, ComposerOutcome};
use pollux_session::CommandInfo;
use pretty_assertions::assert_eq;
use std::sync::Arc;

fn rows(composer: &Composer) -> Vec<String> {
    composer.completion.menu().map_or_else(Vec::new, |menu| menu.rows.iter().map(|row| row.name.clone()).collect())
}

fn with_files(spelled: &str) -> Composer {
    let mut composer = composer();
    press(&mut composer, "@");
    offer_files(&mut composer);
    press(&mut composer, spelled);
    composer
}

fn with_commands(spelled: &str) -> Composer {
    let mut composer = composer();
    press(&mut composer, "/");
    offer_commands(&mut composer);
    press(&mut composer, spelled);
    composer
}

#[test]
fn when_something_is_wanted() {
    for (spelled, wants) in [
        ("", None),
        ("@", Some(CompletionRequest::Files)),
        ("look at @sr", Some(CompletionRequest::Files)),
        ("(@sr", Some(CompletionRequest::Files)),
        ("a@b", None),
        ("@src ", None),
        ("@a\\ b", Some(CompletionRequest::Files)),
        ("@\"a b", Some(CompletionRequest::Files)),
        ("@\"a b\"", None),
        ("/", Some(CompletionRequest::Commands)),
        ("/me", Some(CompletionRequest::Commands)),
        ("/memory sh", Some(CompletionRequest::Commands)),
        ("/memory @x", Some(CompletionRequest::Files)),
        (" /me", None),
        ("a /me", None),
        ("/etc/hosts", None),
        ("/me<C-j>", None),
        ("!ls @", None),
        ("!/bin", None),
    ] {
        let mut composer = composer();
        press(&mut composer, spelled);
        assert_eq!(composer.completion_request(), wants, "{spelled}");
    }
}

#[test]
fn files_are_asked_for_again_for_the_next_name() {
    let mut composer = with_files("no");
    assert_eq!(composer.completion_request(), None);
    press(&mut composer, "<Tab>");
    assert_eq!((shown(&composer).as_str(), composer.completion_request()), ("@notes.txt |", None));
    press(&mut composer, "@");
    assert_eq!(composer.completion_request(), Some(CompletionRequest::Files));
}

#[test]
fn the_best_path_comes_first() {
    for (typed, first) in [
        ("no", &["notes.txt", "src/screen/composer/notes.rs"][..]),
        ("src/m", &["src/main.rs"]),
        ("comp", &["src/screen/composer/", "src/screen/composer.rs"]),
        ("slr", &["src/lib.rs"]),
        ("read", &["README.md"]),
        ("src/", &["src/lib.rs", "src/main.rs", "src/screen/"]),
    ] {
        let found = rows(&with_files(typed));
        assert_eq!(found.iter().take(first.len()).collect::<Vec<_>>(), first.iter().collect::<Vec<_>>(), "{typed}");
    }
    assert_eq!(rows(&with_files("zzz")), Vec::<String>::new());
    assert_eq!(rows(&with_files(""))[..4], ["Cargo.toml", "README.md", "my notes (old).md", "notes.txt"]);
}

#[test]
fn taking_a_file() {
    for (spelled, wanted) in [
        ("no<Tab>", "@notes.txt |"),
        ("no<Enter>", "@notes.txt |"),
        ("no<Down><Enter>", "@src/screen/composer/notes.rs |"),
        ("no<Down><Up><Enter>", "@notes.txt |"),
        ("old<Tab>", "@my\\ notes\\ (old\\).md |"),
        ("\"old<Tab>", "@\"my notes (old).md\" |"),
        ("'my no<Tab>", "@'my notes (old).md' |"),
        ("\"src<Tab>ma<Tab>", "@\"src/main.rs\" |"),
        ("src<Tab>", "@src/|"),
        ("src<Tab>scr<Tab>comp<Tab>", "@src/screen/composer/|"),
        ("src<Tab>m<Tab>", "@src/main.rs |"),
        ("no<Esc><Tab><Tab>", "@notes.txt |"),
        ("no<Left><Left>", "@|no"),
    ] {
        assert_eq!(shown(&with_files(spelled)), wanted, "{spelled}");
    }
    let mut composer = composer();
    press(&mut composer, "see  there<C-Left><Left>@");
    offer_files(&mut composer);
    press(&mut composer, "read<Tab>");
    assert_eq!(shown(&composer), "see @README.md| there", "no second blank");
    assert_eq!(rows(&composer), Vec::<String>::new());
    let mut composer = super::composer();
    press(&mut composer, "@\"my\"<Left><Tab>");
    offer_files(&mut composer);
    press(&mut composer, "<Tab>");
    assert_eq!(shown(&composer), "@\"my notes (old).md\" |", "a quote that is closed already is not closed twice");
}

#[test]
fn enter_sends_what_is_named_already() {
    assert_eq!(press(&mut with_files("notes.txt"), "<Enter>"), ComposerOutcome::Submit("@notes.txt".into()));
    assert_eq!(press(&mut with_files("zzz"), "<Enter>"), ComposerOutcome::Submit("@zzz".into()));
    assert_eq!(press(&mut with_files("no<Esc>"), "<Enter>"), ComposerOutcome::Submit("@no".into()));
    assert_eq!(press(&mut with_commands("copy"), "<Enter>"), ComposerOutcome::Submit("/copy".into()));
    assert_eq!(press(&mut with_commands("chat"), "<Enter>"), ComposerOutcome::Submit("/chat".into()));
    assert_eq!(press(&mut with_commands("chat "), "<Enter>"), ComposerOutcome::Submit("/chat".into()));
    assert_eq!(press(&mut with_commands("unknown"), "<Enter>"), ComposerOutcome::Submit("/unknown".into()));
}

#[test]
fn commands_and_those_below_them() {
    for (spelled, wanted) in [
        ("cop<Tab>", "/copy|"),
        ("cmprs<Tab>", "/compress|"),
        ("ch<Tab>", "/chat |"),
        ("ch<Tab><Tab>", "/chat list|"),
        ("ch<Tab>s<Tab>", "/chat save |"),
        ("chat <Down><Down><Enter>", "/chat save |"),
        ("chat <Up><Enter>", "/chat save |"),
        ("ch<Enter>", "/chat |"),
        ("<Up><Tab>", "/theme|"),
    ] {
        assert_eq!(shown(&with_commands(spelled)), wanted, "{spelled}");
    }
    assert_eq!(rows(&with_commands("c"))[..4], ["/chat", "/clear", "/compress", "/copy"].map(str::to_owned));
    assert_eq!(rows(&with_commands("chat ")), ["list", "save TAG"]);
    assert_eq!(rows(&with_commands("clear ")), Vec::<String>::new());
}

#[test]
fn enter_runs_the_only_command_that_is_meant() {
    let runs = |spelled: &str, text: &str| {
        assert_eq!(press(&mut with_commands(spelled), "<Enter>"), ComposerOutcome::Submit(text.into()), "{spelled}");
    };
    runs("cop", "/copy");
    runs("COP", "/copy");
    // Another one has these letters too, but does not begin with them.
    runs("co<Down>", "/copy");
    runs("<Up>", "/theme");
    runs("chat li", "/chat list");
    // Several begin so, or none does, or it takes something: it is only completed.
    for (spelled, wanted) in
        [("c", "/chat |"), ("co", "/compress|"), ("cmprs", "/compress|"), ("chat s", "/chat save |")]
    {
        let mut composer = with_commands(spelled);
        assert_eq!(press(&mut composer, "<Enter>"), ComposerOutcome::Changed, "{spelled}");
        assert_eq!(shown(&composer), wanted, "{spelled}");
    }
}

#[test]
fn what_an_argument_can_be_is_offered_by_its_number_its_name_or_what_is_said_of_it() {
    let value = |number: &str, name: &str, about: &str| ArgumentValue {
        after: &["restore"],
        value: number.into(),
        name: name.into(),
        about: about.into(),
    };
    let values = [
        value("41", "2026-a.txt-write_file", "just now · write_file a.txt · +1 -0"),
        value("7", "2026-run_shell_command", "2 min ago · run_shell_command make · exit 2"),
    ];
    let command = |name: &str| CommandInfo { name: name.into(), ..CommandInfo::default() };
    let restore = CommandInfo { subcommands: vec![command("list")], ..command("restore") };
    let typed = |spelled: &str| {
        let mut composer = composer();
        press(&mut composer, "/");
        composer.offer(CompletionCandidates::Commands(vec![restore.clone(), command("stats")], values.to_vec()));
        press(&mut composer, spelled);
        composer
    };
    assert_eq!(rows(&typed("restore ")), ["41", "7", "list"]);
    assert_eq!(rows(&typed("restore make")), ["7"]);
    assert_eq!(rows(&typed("restore l")), ["list", "41", "7"], "both tools have the letter");
    assert_eq!(rows(&typed("stats ")), Vec::<String>::new());
    for (spelled, wanted) in [
        ("restore 4<Tab>", "/restore 41|"),
        ("restore 2026-a<Tab>", "/restore 2026-a.txt-write_file|"),
        ("restore a.txt<Tab>", "/restore 41|"),
    ] {
        assert_eq!(shown(&typed(spelled)), wanted, "{spelled}");
    }
    assert_eq!(
        press(&mut typed("restore "), "<Enter>"),
        ComposerOutcome::Submit("/restore".into()),
        "nothing was begun"
    );
    for (keys, number) in [("<Down>", "41"), ("<Down><Down>", "7")] {
        let sent = press(&mut typed(&format!("restore {keys}")), "<Enter>");
        assert_eq!(sent, ComposerOutcome::Submit(format!("/restore {number}")), "{keys}");
    }
}

#[test]
fn what_comes_from_elsewhere_opens_nothing() {
    let mut composer = composer();
    composer.remember("/chat list @x");
    press(&mut composer, "<Up>");
    assert_eq!(composer.completion_request(), None);
    press(&mut composer, "<Up>");
    assert_eq!(shown(&composer), "explain\nthis|");
    composer.set_text(String::new());
    composer.paste("/chat".into());
    assert_eq!(composer.completion_request(), None);
    press(&mut composer, "<Tab>");
    assert_eq!(composer.completion_request(), Some(CompletionRequest::Commands), "Tab asks for it");
}

#[test]
fn a_path_with_anything_in_it_is_spelled_so_that_all_of_it_is_read() {
    let mut composer = composer();
    press(&mut composer, "@");
    composer
        .offer(CompletionCandidates::Files(Arc::new(vec!["a\u{1b}]0;x\u{7}\u{202e}, \"b\"`\\\u{100000}.md".into()])));
    press(&mut composer, "<Tab>");
    assert_eq!(composer.text(), "@a\u{1b}]0\\;x\u{7}\u{202e}\\,\\ \\\"b\\\"\\`\\\\\u{100000}.md ");
}
