//! Files that come with a prompt: they wait with it, they make it what it is, and there is a bound.

use crate::harness::{SessionHarness, task};
use pollux_session::{
    BlobRef, Command, CommandFingerprint, CommandId, Event, MediaContent, PromptTarget, Refusal, TranscriptLine,
};
use pretty_assertions::{assert_eq, assert_ne};

/// A prompt in the main task with files of these lengths.
fn with_files(text: &str, lengths: &[u64]) -> Command {
    let file = |(n, len): (usize, &u64)| {
        let blob = BlobRef { sha256: format!("{n:064x}"), len: *len, media: "image/png".into() };
        MediaContent { name: format!("{n}.png"), blob }
    };
    let media = lengths.iter().enumerate().map(file).collect();
    Command::Prompt {
        target: PromptTarget::Existing { task: task(0) },
        text: text.into(),
        media,
        piped_len: 0,
        dialect: None,
        parts: vec![],
    }
}

#[test]
fn files_that_come_with_a_prompt_wait_with_it_and_are_told_with_it() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.send("bob", with_files("two", &[70, 80])).unwrap();
    let names = |media: &[MediaContent]| media.iter().map(|media| media.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&harness.state.queue[0].media), ["0.png", "1.png"]);
    harness.requeue("bob", "two", "zwei");
    let brought = harness.transcript.lines().find_map(|line| match line {
        TranscriptLine::Prompt { text, media, command, .. } if text == "zwei" => Some((names(media), command.clone())),
        _ => None,
    });
    let expected = (vec!["0.png".into(), "1.png".into()], Some(CommandId("command 2".into())));
    assert_eq!(brought, Some(expected));
}

#[test]
fn what_was_piped_in_never_becomes_the_senders_own_words() {
    let own_words = |harness: &SessionHarness| {
        let mut prompts = harness.transcript.lines().filter_map(|line| line.own_words());
        prompts.next_back().map(str::to_owned)
    };
    let waiting = || {
        let mut harness = SessionHarness::new();
        harness.prompt("ann", "one");
        let (target, text) = (PromptTarget::Existing { task: task(0) }, "log\n\nwhy?".to_owned());
        harness
            .send("bob", Command::Prompt { target, text, media: vec![], piped_len: 5, dialect: None, parts: vec![] })
            .unwrap();
        harness
    };
    let mut harness = waiting();
    assert_eq!(own_words(&harness).as_deref(), Some("why?"));
    harness.requeue("bob", "log\n\nwhy?", "log\n\nsince when?");
    assert_eq!(own_words(&harness).as_deref(), Some("since when?"));
    let mut harness = waiting();
    harness.requeue("bob", "log\n\nwhy?", "the log\n\nwhy?");
    assert_eq!(own_words(&harness).as_deref(), Some(""), "it cannot be told apart any more");
    let mut harness = SessionHarness::new();
    let (target, text) = (PromptTarget::Existing { task: task(0) }, "ä".to_owned());
    harness
        .send("bob", Command::Prompt { target, text, media: vec![], piped_len: 1, dialect: None, parts: vec![] })
        .unwrap();
    assert_eq!(own_words(&harness).as_deref(), Some(""), "half a character is nobody's word");
}

#[test]
fn files_without_words_are_a_prompt() {
    let mut harness = SessionHarness::new();
    assert!(harness.send("ann", with_files(" ", &[70])).is_ok());
    assert_eq!(harness.send("ann", with_files(" ", &[])), Err(Refusal::EmptyPrompt));
}

#[test]
fn files_are_part_of_what_makes_a_prompt_the_same() {
    let (id, one) = (CommandId("m".into()), with_files("look", &[70]));
    assert_eq!(CommandFingerprint::of(&id, &one), CommandFingerprint::of(&id, &with_files("look", &[70])));
    for other in [with_files("look", &[]), with_files("look", &[70, 70])] {
        assert_ne!(CommandFingerprint::of(&id, &one), CommandFingerprint::of(&id, &other));
    }
    let Command::Prompt { target, text, mut media, .. } = one.clone() else { panic!("it is a prompt") };
    media[0].blob.sha256 = "f".repeat(64);
    assert_ne!(
        CommandFingerprint::of(&id, &one),
        CommandFingerprint::of(
            &id,
            &Command::Prompt { target, text, media, piped_len: 0, dialect: None, parts: vec![] }
        )
    );
}

#[test]
fn too_many_files_and_too_large_ones_are_refused() {
    let mut harness = SessionHarness::new();
    let refused = harness.send("ann", with_files("look", &[1; 17])).unwrap_err();
    assert_eq!(refused.to_string(), "the prompt brings more than 16 files; send them with several prompts");
    assert!(harness.send("ann", with_files("look", &[1; 16])).is_ok());
    let refused = harness.send("ann", with_files("look", &[MediaContent::MOST_BYTES + 1])).unwrap_err();
    let why = "it has 10485761 bytes and at most 10485760 are taken; put it into the workspace and name it";
    assert_eq!(refused.to_string(), format!("the file \"0.png\" cannot come with a prompt: {why}"));
    assert!(harness.send("ann", with_files("look", &[MediaContent::MOST_BYTES])).is_ok());
    let Command::Prompt { target, text, mut media, .. } = with_files("look", &[1]) else { panic!("it is a prompt") };
    media[0].name = "x".repeat(201);
    let refused = harness
        .send("ann", Command::Prompt { target, text, media, piped_len: 0, dialect: None, parts: vec![] })
        .unwrap_err();
    assert!(refused.to_string().contains("its name has more than 200 characters"), "{refused}");
}

#[test]
fn an_id_that_is_too_long_is_not_kept() {
    let mut harness = SessionHarness::new();
    let target = PromptTarget::Existing { task: task(0) };
    for (id, kept) in [("i".repeat(128), true), ("i".repeat(129), false)] {
        let entries =
            harness.send_as(crate::harness::somebody("ann"), &id, Command::prompt(target.clone(), "hello")).unwrap();
        let is_kept = matches!(&entries[0].event, Event::Prompted { command: Some(command), .. } if command.0 == id);
        assert_eq!(is_kept, kept);
    }
}
