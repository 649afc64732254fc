//! Google's a2a-server from npm and `pollux serve`, over the same fake Gemini API and the same requests: event kinds,
//! states and their order must be the same, but for the differences that are meant. Every file in
//! `drop_in/conversations` is one conversation, written as `transcripts/README.md` says but with shorter lines
//! (`drop_in/brief.rs`): a line with `-` is said by npm's server only, one with `+` by Pollux only, and both are held
//! to it, so that a difference nobody listed and one that is no more fail alike. Skipped when the peer is not installed.

mod brief;
mod original;
mod reasons;

use crate::transcripts::golden::{GoldenRecording, LineSource};
use crate::transcripts::play;
use anyhow::Result;
use original::OriginalServer;
use pretty_assertions::assert_eq;
use std::collections::BTreeSet;
use std::path::Path;

fn conversations() -> Result<Vec<GoldenRecording>> {
    GoldenRecording::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drop_in/conversations"))
}

/// Where what was heard is not what the conversation has.
fn complaints(golden: &GoldenRecording, by: LineSource, heard: &Result<Vec<Vec<String>>>) -> Vec<String> {
    let who = if by == LineSource::Pollux { "Pollux" } else { "the original" };
    let name = &golden.name;
    let heard = match heard {
        Ok(heard) => heard,
        Err(error) => return vec![format!("{name}, {who}: {error:#}")],
    };
    let steps = golden.steps.iter().zip(heard).map(|(step, heard)| (step, brief::lines(heard)));
    let differs = steps.filter(|(step, heard)| step.lines_of(by) != *heard);
    let told = differs.map(|(step, heard)| {
        let (request, expected) = (&step.request, step.lines_of(by).join("\n  "));
        format!("{name}, {who}: {request}\nexpected:\n  {expected}\nheard:\n  {}", heard.join("\n  "))
    });
    told.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_original_and_pollux_answer_the_same() -> Result<()> {
    let Some(mut original) = OriginalServer::start().await? else { return Ok(()) };
    let wanted = std::env::var("CONVERSATION").unwrap_or_default();
    let mut found = Vec::new();
    for golden in conversations()?.into_iter().filter(|golden| golden.name.contains(&wanted)) {
        let (theirs, ours) = tokio::join!(original.play(&golden), play::on_pollux(&golden));
        if let Some(directory) = std::env::var_os("CONVERSATIONS_HEARD") {
            let brief = |heard: &Result<Vec<Vec<String>>>| match heard {
                Ok(heard) => heard.iter().map(|lines| brief::lines(lines)).collect(),
                Err(error) => vec![vec![format!("{error:#}")]],
            };
            let heard = serde_json::to_string(&[brief(&theirs), brief(&ours)])?;
            std::fs::write(Path::new(&directory).join(&golden.name), heard)?;
        }
        found.extend(complaints(&golden, LineSource::Original, &theirs));
        found.extend(complaints(&golden, LineSource::Pollux, &ours));
    }
    assert!(found.is_empty(), "{}", found.join("\n\n"));
    Ok(())
}

#[test]
fn every_difference_has_a_reason_and_every_reason_a_difference() -> Result<()> {
    let conversations = conversations()?;
    assert!(conversations.len() >= 12, "only {} conversations are compared", conversations.len());
    let used: BTreeSet<String> = conversations.iter().flat_map(GoldenRecording::reasons).collect();
    let known: BTreeSet<String> = reasons::REASONS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(used, known);
    Ok(())
}
