//! Preparation of a prompt before the model is asked: mentioned files, and texts of MCP servers, are attached, commands that
//! ended with an earlier process and calls that a restore has kept are reported, a conversation that has grown too long is
//! compacted, the situation, what is open and rules of directories are told where nothing tells of them. All of it is entries, so that everybody sees what the model was told.

use crate::commands::{PromptAttachment, TurnSession};
use crate::compact;
use crate::directory_rules::describe_directory_rules;
use crate::ended_commands::describe_ended_commands;
use crate::kept_calls::describe_kept_calls;
use crate::model_call_context::ModelCallContext;
use crate::open_work::describe_open_work;
use crate::server_resources;
use crate::situation::describe_situation;
use crate::workspace_agent::WorkspaceAgent;
use pollux_host::{NotOwed, Reporter};
use pollux_session::{
    Mention, Report, SessionId, Transcript, TranscriptLine, ends_path, find_mentions, plural, spell_mention,
    without_model_advice,
};
use pollux_tools::{InjectedFiles, McpContent, ToolError};
use std::path::Path;

/// The most mentions that are followed in one prompt.
const MAX_MENTIONS: usize = 20;

/// The conversation of a session as the model is to be told it. `handed` is what a command wants it told.
pub(crate) async fn prepare(
    agent: &WorkspaceAgent,
    call_context: &ModelCallContext,
    facts: &TurnSession,
    transcript: Transcript,
    handed: Option<PromptAttachment>,
    reporter: &Reporter,
) -> Result<Transcript, NotOwed> {
    let mut transcript = attach(call_context, transcript, handed, reporter).await?;
    if let Some(ended) = describe_ended_commands(&transcript, call_context.toolbox.first_background_call(facts.session))
    {
        transcript.apply_all(&reporter.report_for_entries(ended).await?);
    }
    if let Some(kept) = describe_kept_calls(&transcript, &facts.checkpoints) {
        transcript.apply_all(&reporter.report_for_entries(kept).await?);
    }
    let mut transcript = compact_if_due(call_context, transcript, reporter).await?;
    tell_missing_notes(agent, call_context, facts.session, &mut transcript, reporter).await?;
    Ok(transcript)
}

/// Tell the model where it works, what is open behind a summary, and the rules of directories whose files it has seen, unless it
/// knows.
pub(crate) async fn tell_missing_notes(
    agent: &WorkspaceAgent,
    call_context: &ModelCallContext,
    session: SessionId,
    transcript: &mut Transcript,
    reporter: &Reporter,
) -> Result<(), NotOwed> {
    if let Some(situation) = describe_situation(agent, call_context, session, transcript).await {
        transcript.apply_all(&reporter.report_for_entries(situation).await?);
    }
    let open = describe_open_work(transcript);
    for note in open.into_iter().chain(describe_directory_rules(call_context, transcript).await) {
        transcript.apply_all(&reporter.report_for_entries(note).await?);
    }
    Ok(())
}

/// Read what a new prompt mentions, after what it stands for.
async fn attach(
    call_context: &ModelCallContext,
    mut transcript: Transcript,
    handed: Option<PromptAttachment>,
    reporter: &Reporter,
) -> Result<Transcript, NotOwed> {
    let prompt = match &handed {
        Some(_) => running_prompt(&transcript),
        None => new_prompt(&transcript),
    };
    let Some(mut paths) = prompt.map(mentioned_paths) else { return Ok(transcript) };
    let code_words = prompt.map(find_code_words).unwrap_or_default();
    let left_out = paths.split_off(paths.len().min(MAX_MENTIONS));
    let resources = attach_resources(call_context, &mut paths).await;
    for attachment in handed.into_iter().chain(resources) {
        let PromptAttachment { name, content: McpContent { text, media }, seen } = attachment;
        transcript.apply_all(&reporter.report_for_entries(Report::Attached { name, text, media, seen }).await?);
    }
    if paths.is_empty() {
        return Ok(transcript);
    }
    let mut injected = call_context.toolbox.inject(Path::new(&call_context.workspace), &paths).await;
    injected.notes.retain(|note| !code_words.iter().any(|word| *note == missing_note(word)));
    injected.notes.extend(describe_left_out(&left_out));
    let notes = injected.notes.iter().map(|note| format!("\n[{note}]"));
    let text: String = std::iter::once(injected.text.clone()).chain(notes).collect();
    if !text.trim().is_empty() {
        let name = describe_injected(&injected);
        let InjectedFiles { media, seen, .. } = injected;
        transcript.apply_all(&reporter.report_for_entries(Report::Attached { name, text, media, seen }).await?);
    }
    Ok(transcript)
}

/// The paths that a prompt mentions, in order, each once.
fn mentioned_paths(prompt: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for mention in find_mentions(prompt) {
        if !paths.contains(&mention.path) {
            paths.push(mention.path);
        }
    }
    paths
}

/// The words of a prompt that are spelled like mentions and are code, unless there is such a file: a decorator at the
/// beginning of a line (`@property`), and the head of a hunk (`@@ -1,3`).
fn find_code_words(prompt: &str) -> Vec<String> {
    let is_code = |mention: &Mention| {
        let line = &prompt[prompt[..mention.range.start].rfind('\n').map_or(0, |at| at + 1)..mention.range.start];
        let begins_line = prompt.trim().contains('\n') && line.trim().is_empty();
        mention.quote.is_none() && (mention.path.starts_with('@') || begins_line && is_decorator(&mention.path))
    };
    find_mentions(prompt).into_iter().filter(is_code).map(|mention| mention.path).collect()
}

/// Whether a word may be the name of a decorator, with what it is called with. Endings of files are short.
fn is_decorator(word: &str) -> bool {
    let (name, arguments) = word.split_once('(').map_or((word, None), |(name, rest)| (name, Some(rest)));
    let is_identifier = |part: &str| {
        part.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let is_long = name.rsplit_once('.').is_none_or(|(_, last)| last.len() > 5);
    name.split('.').all(is_identifier) && (arguments.is_some() || is_long)
}

/// What is noted of a path that is not there.
fn missing_note(path: &str) -> String {
    ToolError::NotFound { path: path.to_owned() }.to_string()
}

/// The note about mentions beyond the limit.
fn describe_left_out(left_out: &[String]) -> Option<String> {
    let first = left_out.first()?;
    let more = match left_out.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("`{first}`{more}: not read, because a prompt can mention {}", plural(MAX_MENTIONS, "file")))
}

/// The resources of MCP servers that a prompt mentions. They are taken out of `paths`.
async fn attach_resources(call_context: &ModelCallContext, paths: &mut Vec<String>) -> Vec<PromptAttachment> {
    let Some(servers) = &call_context.servers else { return Vec::new() };
    let (mut attachments, mut files) = (Vec::new(), Vec::new());
    for path in paths.drain(..) {
        match server_resources::find_resource(servers, &path) {
            Some((server, uri)) => attachments.push(server_resources::read_resource(servers, &server, &uri).await),
            None => files.push(path),
        }
    }
    *paths = files;
    attachments
}

/// The result of reading, for people: the files, and why others were not read.
fn describe_injected(injected: &InjectedFiles) -> String {
    let files = match injected.files.as_slice() {
        [] => "nothing".to_owned(),
        files => files.iter().map(|file| spell_file(file)).collect::<Vec<_>>().join(" "),
    };
    match injected.notes.as_slice() {
        [] => files,
        notes => {
            // Without Markdown.
            let for_people = |note: &String| {
                without_model_advice(note)
                    .replace('`', "")
                    .replace(", so it is not for you to read", ", so it was not read")
            };
            format!("{files} ({})", notes.iter().map(for_people).collect::<Vec<_>>().join("; "))
        }
    }
}

/// A file as a person mentions it: in quotes where that is easier to read.
fn spell_file(file: &str) -> String {
    let is_plain = !file.chars().any(ends_path);
    spell_mention(file, (!is_plain).then_some('"'), false)
}

/// The prompt of the running turn, while nothing has come of it yet.
fn new_prompt(transcript: &Transcript) -> Option<&str> {
    // Prompts that came after it wait for their own turn.
    let mut newest = transcript.lines().rev().skip_while(|line| matches!(line, TranscriptLine::Prompt { .. }));
    matches!(newest.next(), Some(TranscriptLine::Turn { .. })).then(|| running_prompt(transcript)).flatten()
}

/// The part of the running turn's prompt that its sender has written themselves.
fn running_prompt(transcript: &Transcript) -> Option<&str> {
    let turn = transcript.lines().rev().find(|line| matches!(line, TranscriptLine::Turn { .. }))?;
    let TranscriptLine::Turn { prompt, .. } = turn else { return None };
    transcript.lines().find_map(|line| match line {
        TranscriptLine::Prompt { id, .. } if id == prompt => line.own_words(),
        _ => None,
    })
}

/// Compact the conversation when it has come near the end of the model's window.
async fn compact_if_due(
    call_context: &ModelCallContext,
    mut transcript: Transcript,
    reporter: &Reporter,
) -> Result<Transcript, NotOwed> {
    let window = call_context.model.info().context_window;
    if !window.is_some_and(|window| compact::is_due(&transcript, window, call_context.settings.compact_at)) {
        return Ok(transcript);
    }
    let report = compact::compact_conversation(call_context, &transcript).await;
    transcript.apply_all(&reporter.report_for_entries(report).await?);
    Ok(transcript)
}

#[cfg(test)]
mod tests {
    use super::{describe_injected, describe_left_out, find_code_words, mentioned_paths};
    use pollux_tools::InjectedFiles;
    use pretty_assertions::assert_eq;

    #[test]
    fn each_path_is_mentioned_once_and_those_that_are_too_many_are_named() {
        assert_eq!(mentioned_paths("@a @\"b c\" @b\\ c @a"), ["a", "b c"]);
        assert_eq!(describe_left_out(&[]), None);
        let left_out = ["u".to_owned(), "v".to_owned()];
        let told = "`u` and 1 more: not read, because a prompt can mention 20 files";
        assert_eq!(describe_left_out(&left_out).as_deref(), Some(told));
        assert!(describe_left_out(&left_out[..1]).is_some_and(|told| told.starts_with("`u`: not read")));
    }

    #[test]
    fn pasted_code_mentions_no_files() {
        let code = "look:\n@property\n  @pytest.fixture\n@app.route(\"/x\")\n@@ -1,3 +1,4 @@\n@calc.py and @Makefile";
        assert_eq!(find_code_words(code), ["property", "pytest.fixture", "app.route(", "@", "@"]);
        assert_eq!(find_code_words("@nosuch please"), Vec::<String>::new());
        let injected = InjectedFiles { files: vec!["a.rs".into(), "my notes.md".into()], ..InjectedFiles::default() };
        assert_eq!(describe_injected(&injected), "@a.rs @\"my notes.md\"");
    }

    #[test]
    fn people_are_told_what_was_not_read_without_advice_for_the_model() {
        let notes = [
            "`a.rs` does not exist in the workspace; list_directory shows what does",
            "`big` holds more files than can be looked at; name the ones you mean",
        ];
        let injected = InjectedFiles { notes: notes.map(str::to_owned).into(), ..InjectedFiles::default() };
        let told = "nothing (a.rs does not exist in the workspace; big holds more files than can be looked at; name the \
                    ones you mean)";
        assert_eq!(describe_injected(&injected), told);
    }
}
