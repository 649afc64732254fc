//! Gemini CLI and Pollux, both headless, play the same conversations of the corpus over the same fake API: what they ask
//! the model and the files they leave behind must be the same, but for the differences that are meant, which
//! `differential/differences.toml` lists with their reasons. Skipped when Gemini CLI is not installed.

mod compared_program;
mod differences;
pub(crate) mod gemini_settings;
mod result_summary;
mod trace;

use anyhow::Result;
use compared_program::ComparedProgram;
use differences::{ExpectedDifferences, ProgramDifference};
use futures_util::{StreamExt, stream};
use pollux_testkit::conversation::ScriptedConversation;
use std::path::{Path, PathBuf};

/// The number of Gemini CLI's starts that are under way at once.
const SIDE_BY_SIDE: usize = 2;

/// Gemini CLI, or a word on why the test is skipped.
fn gemini() -> Option<PathBuf> {
    let Some(peers) = std::env::var_os("POLLUX_PEERS") else {
        eprintln!("skipped: POLLUX_PEERS is not set; `cargo xtask test` sets the peers up");
        return None;
    };
    let program = Path::new(&peers).join("node/node_modules/.bin/gemini");
    assert!(program.exists(), "POLLUX_PEERS is set, but {} is not there", program.display());
    Some(program)
}

/// The differences between the two in one conversation.
async fn compare(conversation: &ScriptedConversation, gemini: &Path) -> Result<Vec<ProgramDifference>> {
    let (gemini, pollux) = (ComparedProgram::Gemini(gemini), ComparedProgram::Pollux);
    let (theirs, ours) = tokio::try_join!(gemini.play(conversation), pollux.play(conversation))?;
    Ok(differences::compare_traces(&conversation.name, &theirs, &ours))
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_cli_and_pollux_do_the_same() -> Result<()> {
    let Some(gemini) = gemini() else { return Ok(()) };
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let expected = ExpectedDifferences::load(&tests.join("differential/differences.toml"))?;
    let wanted = std::env::var("CORPUS").unwrap_or_default();
    let names: Vec<&String> = expected.conversations.iter().filter(|name| name.contains(&wanted)).collect();
    let compared = stream::iter(names.iter().map(|name| {
        let path = tests.join("corpus/conversations").join(name).with_extension("conv");
        let gemini = &gemini;
        async move { (name.to_string(), async { compare(&ScriptedConversation::load(&path)?, gemini).await }.await) }
    }));
    let mut compared: Vec<_> = compared.buffer_unordered(SIDE_BY_SIDE).collect().await;
    compared.sort_by(|one, other| one.0.cmp(&other.0));

    let mut complaints = Vec::new();
    let mut found = Vec::new();
    for (name, differences) in compared {
        match differences {
            Ok(differences) => found.extend(differences),
            Err(error) => complaints.push(format!("{name}: {error:#}")),
        }
    }
    complaints.extend(expected.complaints(&found, |name| names.contains(&name)));
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
    Ok(())
}

#[test]
fn at_least_twenty_conversations_are_compared_and_every_difference_has_a_reason() -> Result<()> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let expected = ExpectedDifferences::load(&tests.join("differential/differences.toml"))?;
    assert!(expected.conversations.len() >= 20, "only {} are compared", expected.conversations.len());
    for difference in &expected.differences {
        assert!(difference.reason.len() > 20, "{:?} has no reason", difference.ours);
    }
    Ok(())
}
