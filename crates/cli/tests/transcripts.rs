//! Golden replay: what Google's a2a-server was recorded saying, and what the real `pollux serve` says to the same
//! requests with the same model behind it.
//!
//! Every file in `transcripts/golden` is one recording, reduced to a line for each event: states, kinds, the names of
//! members in their order, never the original's prose. A line that begins with a space is said by both, one with `-` by
//! the original only, one with `+` by Pollux only; the word behind `;` names the reason, which
//! [`reasons::REASONS`] gives. `transcripts/README.md` says how lines are written and how to add a recording.

pub(crate) mod golden;
pub(crate) mod http_requests;
pub(crate) mod lines;
pub(crate) mod play;
mod reasons;
mod recorded;
pub(crate) mod request;

use anyhow::{Context as _, Result};
use futures_util::{StreamExt, stream};
use golden::{GoldenRecording, LineSource};
use pretty_assertions::assert_eq;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The number of recordings that are replayed at once.
const SIDE_BY_SIDE: usize = 4;

fn recordings() -> Result<Vec<GoldenRecording>> {
    GoldenRecording::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/golden"))
}

#[tokio::test(flavor = "multi_thread")]
async fn pollux_answers_as_recorded_but_for_the_differences_that_are_meant() -> Result<()> {
    let wanted = std::env::var("TRANSCRIPT").unwrap_or_default();
    let wanted = recordings()?.into_iter().filter(|golden| golden.name.contains(&wanted));
    let played = stream::iter(wanted.map(|golden| async move { (play::on_pollux(&golden).await, golden) }));
    let played: Vec<_> = played.buffer_unordered(SIDE_BY_SIDE).collect().await;
    let mut complaints = Vec::new();
    for (heard, golden) in played {
        match heard {
            Err(error) => complaints.push(format!("{}: {error:#}", golden.name)),
            Ok(heard) => {
                if let Some(directory) = std::env::var_os("TRANSCRIPTS_HEARD") {
                    std::fs::write(Path::new(&directory).join(&golden.name), serde_json::to_string(&heard)?)?;
                }
                for (step, heard) in golden.steps.iter().zip(&heard) {
                    if step.lines_of(LineSource::Pollux) != *heard {
                        complaints.push(format!(
                            "{}: {}\nexpected:\n  {}\nheard:\n  {}",
                            golden.name,
                            step.request,
                            step.lines_of(LineSource::Pollux).join("\n  "),
                            heard.join("\n  ")
                        ));
                    }
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
    Ok(())
}

#[test]
fn every_difference_has_a_reason_and_every_reason_a_difference() -> Result<()> {
    let recordings = recordings()?;
    let used: BTreeSet<String> = recordings.iter().flat_map(GoldenRecording::reasons).collect();
    let known: BTreeSet<String> = reasons::REASONS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(used, known);
    Ok(())
}

#[test]
fn the_document_gives_every_reason() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/COMPATIBILITY.md");
    let document = std::fs::read_to_string(path)?;
    let (_, kept) = document.split_once("### What the golden replay keeps").context("no such heading")?;
    let listed: Vec<&str> = kept.lines().filter(|line| line.starts_with("| `")).collect();
    let given: Vec<String> = reasons::REASONS.iter().map(|(name, why)| format!("| `{name}` | {why} |")).collect();
    assert_eq!(listed, given);
    Ok(())
}

#[test]
fn every_recording_is_replayed() -> Result<()> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let list = std::fs::read_to_string(tests.join("recordings.txt"))?;
    let listed: BTreeSet<String> = list.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    let replayed: BTreeMap<String, GoldenRecording> =
        recordings()?.into_iter().map(|golden| (golden.name.clone(), golden)).collect();
    let names = listed.iter().map(|name| name.replace('/', "-"));
    assert_eq!(names.collect::<BTreeSet<_>>(), replayed.keys().cloned().collect());
    // The recordings themselves are too large to be kept here; where they are at hand, all is held to them.
    let Some(directory) = std::env::var_os("TRANSCRIPTS_RECORDED") else { return Ok(()) };
    let mut complaints = Vec::new();
    let mut recorded = BTreeSet::new();
    for folder in std::fs::read_dir(directory)? {
        let folder = folder?;
        if !folder.path().is_dir() {
            continue;
        }
        for file in std::fs::read_dir(folder.path())? {
            let file = file?;
            let name = file.file_name();
            let Some(name) = name.to_str().and_then(|name| name.strip_suffix(".txt")) else { continue };
            let name = format!("{}/{name}", folder.file_name().display());
            complaints.extend(match replayed.get(&name.replace('/', "-")) {
                Some(golden) => {
                    let recording = std::fs::read_to_string(file.path())?;
                    recorded::complaints(golden, &recording).unwrap_or_else(|error| vec![format!("{error:#}")])
                }
                None => Vec::new(),
            });
            recorded.insert(name);
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
    assert_eq!(listed, recorded);
    Ok(())
}
