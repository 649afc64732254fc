//! Compaction: for the model, the older part of a long conversation becomes a summary. It is visible, it can be taken
//! back, and it never separates a call from its result.

use crate::history::{text_contents, verbatim_lines};
use crate::model_call_context::ModelCallContext;
use futures_util::StreamExt;
use pollux_model::{GO_ON, Model, ModelChunk, ModelMessage, ModelRequest, PartData, ToolChoice, ToolDeclaration};
use pollux_session::{ModelUsage, OPEN_WORK_ATTACHMENT, Report, SITUATION_ATTACHMENT, Seq, Transcript, TranscriptLine};

/// The share of the newest text that stays as it is.
const UNCOMPACTED_SHARE: f64 = 0.3;
/// Shorter conversations are not worth a summary, in bytes.
const MIN_CONVERSATION_BYTES: usize = 4 * 1024;
/// The least that a summary stands for, in bytes: in place of a lone prompt it would only make the request longer.
const MIN_SUMMARIZED_BYTES: usize = 1024;
/// The longest summary that is taken, in bytes.
const SUMMARY_BYTES: usize = 64 * 1024;

/// Asks for the summary. It is the only thing the model will know of the part it stands for.
const SUMMARY_REQUEST: &str = "\
Stop here and write a summary of our conversation so far. It will replace it: later you will know only this summary and \
what comes after. Write for yourself, in short plain sentences under these headings:\n\
Goal: what I want, in my words where they matter.\n\
Facts: files, names, commands, decisions and constraints that were found out, with exact paths.\n\
Done: what was changed or run, and how it ended.\n\
Open: what is still to do, in order, and what you were about to do next.\n\
Leave out greetings, repetition and file contents. Do not call tools.";

/// Make a summary of the older part of `transcript`. The request begins as those of the conversation do.
pub(crate) async fn compact_conversation(call_context: &ModelCallContext, transcript: &Transcript) -> Report {
    let (system, tools) = (call_context.system_prompt(transcript).await, call_context.tool_declarations());
    compact(call_context.model.as_ref(), system, tools, transcript).await
}

async fn compact(model: &dyn Model, system: String, tools: Vec<ToolDeclaration>, transcript: &Transcript) -> Report {
    let before = match boundary(transcript) {
        Ok(before) => before,
        Err(why) => return Report::NotCompacted { why },
    };
    let older = transcript.until(before);
    let mut asked = text_contents(&older, "");
    // What asks an unfinished answer to go on would only be in the way of the wish.
    asked.pop_if(|last| *last == ModelMessage::user(GO_ON));
    asked.push(ModelMessage::user(SUMMARY_REQUEST));
    let request = ModelRequest { system, contents: asked, tools, tool_choice: ToolChoice::None };
    match request_summary(model, request).await {
        Ok((summary, _)) if summary.trim().is_empty() => {
            Report::NotCompacted { why: "the model gave an empty summary".into() }
        }
        Ok((summary, usage)) => Report::Compacted { before, summary: summary.trim().to_owned(), usage },
        Err(why) => Report::NotCompacted { why },
    }
}

/// The text of an answer. A call in it is ignored.
async fn request_summary(model: &dyn Model, request: ModelRequest) -> Result<(String, ModelUsage), String> {
    let mut stream = model.generate(request);
    let mut text = String::new();
    let mut usage = ModelUsage::default();
    while let Some(chunk) = stream.next().await {
        match chunk.map_err(|error| error.to_string())? {
            ModelChunk::Parts(parts) => {
                for part in parts.into_iter().filter(|part| !part.thought) {
                    if let PartData::Text(more) = part.data
                        && text.len() + more.len() <= SUMMARY_BYTES
                    {
                        text.push_str(&more);
                    }
                }
            }
            ModelChunk::Usage(cost) => usage = cost,
            ModelChunk::Response { .. }
            | ModelChunk::Citations(_)
            | ModelChunk::Retrying { .. }
            | ModelChunk::Finish { .. } => {}
        }
    }
    Ok((text, usage))
}

/// True if the newest answer used more than `share` of the model's window.
pub(crate) fn is_due(transcript: &Transcript, window: u64, share: f64) -> bool {
    let used = transcript.told().into_iter().rev().find_map(|line| match line {
        // Right after a summary the old figure says nothing any more.
        // One that could not be made is not tried again at every step.
        TranscriptLine::Summary { .. } | TranscriptLine::NoSummary { .. } => Some(0),
        TranscriptLine::Step { usage, .. } => Some(usage.prompt + usage.output),
        _ => None,
    });
    #[expect(clippy::cast_precision_loss, reason = "a share of a window needs no more than 53 bits")]
    used.is_some_and(|used| used as f64 >= window as f64 * share)
}

/// Where the part that stays begins: at a turn, or at a step of the running one, so that about [`UNCOMPACTED_SHARE`] of the
/// text stays. Else why too little would be summarised.
fn boundary(transcript: &Transcript) -> Result<Seq, String> {
    let lines = verbatim_lines(transcript);
    let total: usize = lines.iter().map(|line| weight(line)).sum();
    if total < MIN_CONVERSATION_BYTES {
        let what = match transcript.summary() {
            Some(_) => "what came after the newest summary",
            None => "the conversation",
        };
        return Err(format!(
            "{what} is still short ({total} of at least {MIN_CONVERSATION_BYTES} bytes), so the model goes on knowing all \
             of it word for word"
        ));
    }
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size")]
    let keep = (total as f64 * UNCOMPACTED_SHARE) as usize;
    let mut kept = 0;
    let mut best = None;
    for (at, line) in lines.iter().enumerate().rev() {
        kept += weight(line);
        if is_boundary(&lines, at) && total - kept >= MIN_SUMMARIZED_BYTES {
            // One line may be most of a conversation. Rather too little is kept than nearly all of it.
            if best.is_some() && 2 * kept > total {
                break;
            }
            best = line.seq();
            if kept >= keep {
                break;
            }
        }
    }
    best.ok_or_else(|| {
        format!(
            "nearly all of the conversation is its newest turn, which stays as it is; the rest is too short for a summary \
             (less than {MIN_SUMMARIZED_BYTES} bytes)"
        )
    })
}

/// True if a turn begins at this line, or a step of a turn.
fn is_boundary(lines: &[&TranscriptLine], at: usize) -> bool {
    let step = |line: &TranscriptLine| match line {
        TranscriptLine::Item { step, .. } | TranscriptLine::Call { step, .. } => Some(*step),
        _ => None,
    };
    match lines[at] {
        TranscriptLine::Turn { .. } => true,
        line @ (TranscriptLine::Item { .. } | TranscriptLine::Call { .. }) => {
            at.checked_sub(1).and_then(|before| step(lines[before])).is_some_and(|before| Some(before) != step(line))
        }
        _ => false,
    }
}

fn weight(line: &TranscriptLine) -> usize {
    match line {
        // They are told again behind a summary.
        TranscriptLine::Attachment { name, .. }
            if [OPEN_WORK_ATTACHMENT, SITUATION_ATTACHMENT].contains(&name.as_str()) =>
        {
            0
        }
        TranscriptLine::Prompt { text, .. }
        | TranscriptLine::Attachment { text, .. }
        | TranscriptLine::Item { text, .. } => text.len(),
        TranscriptLine::Call { parent: Some(_), .. } => 0,
        TranscriptLine::Call { args, outcome, .. } => {
            let told = outcome.as_ref().and_then(|outcome| outcome.result()).map_or(0, |result| result.text.len());
            args.to_string().len() + told
        }
        TranscriptLine::Turn { .. }
        | TranscriptLine::Retry { .. }
        | TranscriptLine::FellBack { .. }
        | TranscriptLine::Rewound { .. }
        | TranscriptLine::Step { .. }
        | TranscriptLine::Spent { .. }
        | TranscriptLine::Summary { .. }
        | TranscriptLine::NoSummary { .. }
        | TranscriptLine::End { .. } => 0,
    }
}

#[cfg(test)]
mod tests;
