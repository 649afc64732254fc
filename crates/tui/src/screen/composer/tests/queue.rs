//! What the queue above the composer looks like.

use super::pictures::at_widths;
use crate::screen::composer::queue_lines;
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::dark;
use pollux_session::{EntryAuthor, PromptId, QueuedPrompt, Seq, TaskId};
use std::collections::VecDeque;
use uuid::Uuid;

fn by(label: &str) -> EntryAuthor {
    EntryAuthor::Client { principal: "local".into(), label: label.into() }
}

fn look(prompts: &[(&str, &str)], held: bool) -> String {
    let waiting: VecDeque<QueuedPrompt> = prompts
        .iter()
        .zip(1..)
        .map(|((label, text), id)| QueuedPrompt {
            id: PromptId(Seq(id)),
            task: TaskId(Uuid::from_u128(1)),
            by: by(label),
            text: (*text).into(),
            media: Vec::new(),
            held,
        })
        .collect();
    at_widths(|width| RenderedLines::without_cursor(queue_lines(&waiting, width, &dark(), &by("terminal"))))
}

const PROMPTS: [(&str, &str); 6] = [
    ("terminal", "run the tests again"),
    ("zed", "and then\nexplain what went wrong in a way that somebody who has never seen the code understands at once"),
    ("\u{1b}[2J[web]", "evil \u{1b}[2J\u{202e}text"),
    ("terminal", "漢字かな漢字かな漢字かな漢字かな漢字かな漢字かな"),
    ("terminal", "five"),
    ("terminal", "six"),
];

#[test]
fn waiting() {
    let none = look(&[], false);
    assert!(none.lines().all(|line| line.starts_with('─')), "nothing is said of an empty queue: {none}");
    insta::assert_snapshot!([look(&PROMPTS[..1], false), look(&PROMPTS, false)].join("\n"));
}

#[test]
fn held() {
    insta::assert_snapshot!(look(&PROMPTS[..2], true));
}

#[test]
fn going_back_names_no_number() {
    let seen = look(&[("terminal", "/rewind 11"), ("terminal", "/rewind 7 x.txt"), ("terminal", "/rewind it")], true);
    assert!(!seen.contains("/rewind 11") && seen.contains("1. go back to an earlier prompt"), "{seen}");
    assert!(!seen.contains("/rewind 7") && seen.contains("2. go back to an earlier prompt"), "{seen}");
    assert!(seen.contains("3. /rewind it"), "{seen}");
    let one = look(&PROMPTS[..1], true);
    assert!(one.contains("1 prompt held · /queue go sends it ·"), "{one}");
}
