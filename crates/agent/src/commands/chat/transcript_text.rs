//! A conversation as text, for a model that takes it up later.

use crate::history::{TurnPrompt, TurnPromptReader};
use pollux_session::{CallOutcome, ItemKind, NOTE_ATTACHMENTS, SITUATION_ATTACHMENT, Seq, Transcript, TranscriptLine};

/// The most of a conversation that is kept, in bytes: its newest part.
const MAX_TEXT: usize = 128 * 1024;
/// The most of what is wanted of one turn: the text of a command can hold whole files.
const MAX_PROMPT: usize = 32 * 1024;
/// The most of one thing that was attached or came of a call.
const MAX_RESULT: usize = 4 * 1024;
/// The most of a call's arguments.
const MAX_ARGS: usize = 1024;

/// What the model knows of the conversation, its newest part when it is long.
pub(super) fn render_transcript(transcript: &Transcript) -> String {
    render_parts(transcript, "What came first, summed up:", |line, wish| match wish {
        Some(wish) => render_prompt(wish),
        None => render_line(line),
    })
}

/// The conversation as the model knows it. `render` gets each line, and with it the prompt if the line begins a turn.
pub(super) fn render_parts(
    transcript: &Transcript,
    summary_heading: &str,
    render: impl Fn(&TranscriptLine, Option<TurnPrompt<'_>>) -> Option<String>,
) -> String {
    let mut wishes = TurnPromptReader::default();
    let mut parts: Vec<String> = Vec::new();
    let start = transcript.summary().map_or(Seq::START, |(before, summary)| {
        parts.push(format!("{summary_heading}\n{summary}"));
        before
    });
    for line in transcript.told() {
        let wish = wishes.read_line(line);
        if line.seq().is_some_and(|seq| seq >= start) {
            parts.extend(render(line, wish));
        }
    }
    let mut room = MAX_TEXT;
    let fits = |part: &&String| {
        let left = room.checked_sub(part.len() + 2);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let newest: Vec<&String> = parts.iter().rev().take_while(fits).collect();
    let cut = if newest.len() < parts.len() { "[Older parts are left out.]\n\n" } else { "" };
    let newest: Vec<&str> = newest.into_iter().rev().map(String::as_str).collect();
    format!("{cut}{}", newest.join("\n\n"))
}

/// What the person wants; of files that came with it, the names.
fn render_prompt(wish: TurnPrompt<'_>) -> Option<String> {
    let names = wish.media.iter().map(|media| format!("[{} came with it]", media.name));
    let words: Vec<String> = wish.text.map(|text| cut(text, MAX_PROMPT)).into_iter().chain(names).collect();
    (!words.is_empty()).then(|| format!("The person: {}", words.join("\n")))
}

/// What else a line says.
fn render_line(line: &TranscriptLine) -> Option<String> {
    match line {
        // Where the conversation is taken up, the situation may be another one, and is told anew.
        TranscriptLine::Attachment { name, .. } if name == SITUATION_ATTACHMENT => None,
        TranscriptLine::Attachment { name, text, .. } if NOTE_ATTACHMENTS.iter().any(|note| name.starts_with(note)) => {
            Some(cut(text, MAX_RESULT))
        }
        TranscriptLine::Attachment { name, text, .. } => {
            Some(format!("Attached was {name}:\n{}", cut(text, MAX_RESULT)))
        }
        TranscriptLine::Item { kind: ItemKind::Text, text, .. } if !text.is_empty() => Some(format!("You: {text}")),
        TranscriptLine::Call { parent: None, tool, args, outcome: Some(outcome), .. }
            if *outcome != CallOutcome::Superseded =>
        {
            let came = match outcome {
                CallOutcome::Succeeded { result } => cut(&result.text, MAX_RESULT),
                CallOutcome::Failed { error, .. } => format!("It failed: {}", cut(&error.message, MAX_RESULT)),
                CallOutcome::Denied { why } => format!("It was denied: {why}"),
                CallOutcome::Declined => "The person declined it.".to_owned(),
                CallOutcome::Cancelled | CallOutcome::Interrupted | CallOutcome::Superseded => {
                    "It did not come to an end.".to_owned()
                }
            };
            Some(format!("You called {tool} with {}:\n{came}", cut(&args.to_string(), MAX_ARGS)))
        }
        _ => None,
    }
}

fn cut(text: &str, most: usize) -> String {
    let kept = &text[..text.floor_char_boundary(most)];
    if kept.len() < text.len() { format!("{kept} […]") } else { kept.to_owned() }
}
