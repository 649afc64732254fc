//! The replay corpus: every file in `corpus/conversations` is played in this process and against the real
//! `pollux serve`, and both must come to what the file says. `corpus/README.md` says how to add one.

mod fixture;
mod in_process;
mod moves;
mod outcome;
mod play;
mod render;
mod requests;
mod wire;

use anyhow::Result;
use futures_util::{StreamExt, stream};
use outcome::ConversationOutcome;
use play::PlaybackMode;
use pollux_testkit::conversation::ScriptedConversation;
use std::path::Path;

/// The number of conversations that are under way at once: most of their time is waiting.
const SIDE_BY_SIDE: usize = 8;

fn conversations() -> Result<Vec<ScriptedConversation>> {
    let all = ScriptedConversation::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/conversations"))?;
    let wanted = std::env::var("CORPUS").unwrap_or_default();
    Ok(all.into_iter().filter(|conversation| conversation.name.contains(&wanted)).collect())
}

fn is_update() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value != "0")
}

/// Play all of them; what each came to, by name.
async fn play_all(
    conversations: Vec<ScriptedConversation>,
    way: PlaybackMode,
) -> Vec<(ScriptedConversation, Result<ConversationOutcome>)> {
    let play = |conversation: ScriptedConversation| async move {
        let playing = conversation.clone();
        // Each on its own, so that one that panics takes no other with it.
        let played = tokio::spawn(async move { play::play(&playing, way).await }).await;
        (conversation, played.unwrap_or_else(|panicked| Err(panicked.into())))
    };
    let mut played: Vec<_> = stream::iter(conversations).map(play).buffer_unordered(SIDE_BY_SIDE).collect().await;
    played.sort_by(|one, other| one.0.name.cmp(&other.0.name));
    played
}

fn judge(played: Vec<(ScriptedConversation, Result<ConversationOutcome>)>) {
    let mut failures = Vec::new();
    let count = played.len();
    for (conversation, outcome) in played {
        let complaint = match outcome {
            Ok(outcome) => outcome.complaint(&conversation),
            Err(error) => Some(format!("{error:#}")),
        };
        match complaint {
            None => eprintln!("ok      {}", conversation.name),
            Some(why) => {
                eprintln!("FAILED  {}\n{why}", conversation.name);
                failures.push(conversation.name);
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count} conversations failed: {}", failures.len(), failures.join(", "));
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_in_process() -> Result<()> {
    let mut played = play_all(conversations()?, PlaybackMode::InProcess).await;
    if is_update() {
        for (conversation, outcome) in &mut played {
            if let Ok(outcome) = outcome {
                outcome.write_into(conversation);
                conversation.save()?;
            }
        }
    }
    judge(played);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_over_the_wire() -> Result<()> {
    if is_update() {
        eprintln!("skipped: what is expected is written by the run in process; run again without UPDATE_EXPECT");
        return Ok(());
    }
    let (playable, others): (Vec<_>, Vec<_>) = conversations()?.into_iter().partition(wire::can_play_over_wire);
    for conversation in others {
        eprintln!("not here {}: the wire has no word for one of its commands", conversation.name);
    }
    judge(play_all(playable, PlaybackMode::Wire).await);
    Ok(())
}

#[test]
fn the_corpus_is_large_and_every_file_says_what_it_shows() -> Result<()> {
    let all = ScriptedConversation::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/conversations"))?;
    assert!(all.len() >= 60, "only {} conversations are left", all.len());
    let carried = all.iter().filter(|conversation| wire::can_play_over_wire(conversation)).count();
    assert!(carried >= 60, "only {carried} conversations go over the wire");
    for conversation in &all {
        assert!(conversation.about.starts_with("# "), "{} does not say what it shows", conversation.name);
        for section in ["commands", "entries"] {
            assert!(conversation.section(section).is_some(), "{} has no section {section}", conversation.name);
        }
    }
    Ok(())
}
