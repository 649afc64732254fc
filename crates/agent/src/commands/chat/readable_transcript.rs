//! A conversation as Markdown, for a person who takes it up later: prompts as quotes, answers as they were, a line for each call.

use super::transcript_text::render_parts;
use crate::commands::shell::OUTPUT_HEADING;
use crate::history::TurnPrompt;
use pollux_session::{
    CallOutcome, ENDED_ATTACHMENT, ItemKind, KEPT_ATTACHMENT, LOOP_ATTACHMENT, OPEN_WORK_ATTACHMENT,
    REFUSED_ATTACHMENT, RULES_ATTACHMENT, SHELL_ATTACHMENT, SITUATION_ATTACHMENT, Transcript, TranscriptLine,
    call_title, code_span, describe_change,
};
use std::path::Path;

/// The conversation that the model knows, for people.
pub(super) fn render_transcript(transcript: &Transcript, workspace: &Path) -> String {
    let workspace = workspace.to_string_lossy();
    render_parts(transcript, "What came first, summed up:\n", |line, wish| match (line, wish) {
        (TranscriptLine::Attachment { name, text, .. }, _) if name.starts_with(SHELL_ATTACHMENT) => {
            Some(render_own_command(name, text))
        }
        (_, Some(wish)) => render_prompt(wish),
        (line, None) => render_line(line, &workspace),
    })
}

/// A command of the person's own, with what it printed.
fn render_own_command(name: &str, text: &str) -> String {
    let printed = text.split_once(OUTPUT_HEADING).map_or("", |(_, printed)| printed.trim_matches('\n'));
    let printed = printed.lines().map(|line| format!("    {line}\n"));
    format!("> {}\n\n{}", name.replace('\n', "\n> "), printed.collect::<String>()).trim_end().to_owned()
}

fn render_prompt(wish: TurnPrompt<'_>) -> Option<String> {
    let names = wish.media.iter().map(|media| format!("@{}", media.name));
    let words: Vec<String> = wish.text.map(str::to_owned).into_iter().chain(names).collect();
    let quoted = words.iter().flat_map(|text| text.lines()).map(|line| format!("> {line}"));
    (!words.is_empty()).then(|| quoted.collect::<Vec<_>>().join("\n"))
}

fn render_attachment(name: &str) -> String {
    let notes = [
        (ENDED_ATTACHMENT, "ended when Pollux was restarted"),
        (KEPT_ATTACHMENT, "still done"),
        (LOOP_ATTACHMENT, "the same calls over and over"),
        (REFUSED_ATTACHMENT, "refused by the provider, and left out"),
        (RULES_ATTACHMENT, "rules were read"),
    ];
    let note = notes.iter().find_map(|(note, words)| Some((words, name.strip_prefix(note)?)));
    let (words, what) = note.unwrap_or((&"read", name));
    format!("- {words}: {}", code_span(what))
}

fn render_line(line: &TranscriptLine, workspace: &str) -> Option<String> {
    match line {
        TranscriptLine::Attachment { name, .. }
            if [OPEN_WORK_ATTACHMENT, SITUATION_ATTACHMENT].contains(&name.as_str()) =>
        {
            None
        }
        TranscriptLine::Attachment { name, .. } => Some(render_attachment(name)),
        TranscriptLine::Item { kind: ItemKind::Text, text, .. } if !text.is_empty() => Some(text.clone()),
        TranscriptLine::Call { parent: None, tool, args, outcome: Some(outcome), .. }
            if *outcome != CallOutcome::Superseded =>
        {
            let title = code_span(&call_title(tool, args, workspace));
            let facts = [title, describe_change(outcome)];
            let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
            Some(format!("- {}", facts.join(" · ")))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{SITUATION_ATTACHMENT, render_line, render_own_command};
    use crate::commands::shell::OUTPUT_HEADING;
    use pollux_session::{Seq, TaskId, TranscriptLine};
    use pretty_assertions::assert_eq;

    #[test]
    fn a_command_of_the_persons_own_is_shown_as_it_was_typed() {
        let told = format!("I ran this command myself:\nls\n\n{OUTPUT_HEADING}\na\n  ``` b\n");
        assert_eq!(render_own_command("! ls", &told), "> ! ls\n\n    a\n      ``` b");
        assert_eq!(render_own_command("! true\nls", ""), "> ! true\n> ls");
    }

    #[test]
    fn a_note_of_ours_is_not_taken_for_a_file() {
        let shown = |name: &str| {
            let (id, task) = (Seq(9), TaskId(uuid::Uuid::nil()));
            let line =
                TranscriptLine::Attachment { id, task, name: name.into(), text: "[note]".into(), media: Vec::new() };
            render_line(&line, "/ws")
        };
        assert_eq!(
            shown("& python3 -m http.server").as_deref(),
            Some("- ended when Pollux was restarted: `python3 -m http.server`")
        );
        assert_eq!(shown("< replace a.rs").as_deref(), Some("- still done: `replace a.rs`"));
        assert_eq!(shown(SITUATION_ATTACHMENT), None);
        assert_eq!(shown("@a.rs").as_deref(), Some("- read: `@a.rs`"));
    }
}
