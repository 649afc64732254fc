//! A restore takes the conversation back to before a whole answer of the model, and the files to before one call of that answer.
//! What the answer did before that call is still done, and the model no longer knows: it is told once.

use pollux_session::{
    BuiltInTool, CallId, CallOutcome, KEPT_ATTACHMENT, Report, SavedCheckpoint, Seq, Transcript, TranscriptLine,
    code_span,
};
use std::collections::{BTreeSet, VecDeque};

/// The most calls that are named.
const MAX_NAMED: usize = 20;

/// The report of calls that are still done after the newest restore and that the model is not told of any more.
pub(crate) fn describe_kept_calls(transcript: &Transcript, checkpoints: &VecDeque<SavedCheckpoint>) -> Option<Report> {
    let mut restored: Option<(CallId, &str)> = None;
    let mut told_until = None;
    for line in transcript.lines() {
        match line {
            TranscriptLine::Call { id, tool, args, outcome: Some(CallOutcome::Succeeded { .. }), .. }
                if *tool == BuiltInTool::RestoreCheckpoint.name() =>
            {
                restored = args.get("checkpoint").and_then(serde_json::Value::as_str).map(|name| (*id, name));
                told_until = None;
            }
            // The conversation may go back further than the restore alone would take it.
            TranscriptLine::Rewound { to } => told_until = Some(told_until.map_or(*to, |known: Seq| known.min(*to))),
            TranscriptLine::Attachment { name, .. } if name.starts_with(KEPT_ATTACHMENT) => restored = None,
            _ => {}
        }
    }
    let ((restore, name), to) = (restored?, told_until.filter(|to| *to > Seq::START)?);
    let wanted = checkpoints.iter().rev().find(|kept| kept.checkpoint.name == name)?;
    let known = known_calls(&transcript.until(restore.0));
    let is_kept = |kept: &&SavedCheckpoint| {
        let call = kept.checkpoint.call;
        call.0 > to && call < wanted.checkpoint.call && known.contains(&call)
    };
    let kept: Vec<&str> = checkpoints.iter().filter(is_kept).map(|kept| kept.call_title.as_str()).collect();
    let newest = &kept[kept.len().saturating_sub(MAX_NAMED)..];
    if newest.is_empty() {
        return None;
    }
    let listed: String = newest.iter().map(|title| format!("- {}\n", code_span(title))).collect();
    let text = format!(
        "[The person has gone back to just before a later call of yours. These calls came before it and are still done, \
         although you no longer see them:\n{listed}Read the files again before you rely on what you know of them.]"
    );
    Some(Report::Attached {
        name: format!("{KEPT_ATTACHMENT}{}", newest.join(", ")),
        text,
        media: Vec::new(),
        seen: Vec::new(),
    })
}

/// The calls that the model is told of.
fn known_calls(transcript: &Transcript) -> BTreeSet<CallId> {
    let call = |line: &TranscriptLine| match line {
        TranscriptLine::Call { id, .. } => Some(*id),
        _ => None,
    };
    transcript.told().into_iter().filter_map(call).collect()
}
