//! A client that is cut off loses nothing: the original aborts the turn and forgets what was said meanwhile.

use crate::faults::fault_server::{FaultServer, rest, result, streamed_text, task_of, text};
use anyhow::{Context as _, Result};
use pollux_testkit::http::{self, ReceivedEvent};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// A turn whose first client hangs up in the middle: what it heard, and the task.
async fn cut(stage: &FaultServer) -> Result<(Vec<ReceivedEvent>, String)> {
    let mut stream = stage.stream(&stage.begin(&text("count"))?).await?;
    let mut heard: Vec<ReceivedEvent> = Vec::new();
    loop {
        heard.push(stream.event().await?.context("the stream ended")?);
        let told: Vec<Value> = heard.iter().cloned().map(result).collect();
        if streamed_text(&told) == "one two " {
            drop(stream);
            let task = task_of(&told)?;
            return Ok((heard, task));
        }
    }
}

/// A turn of four words, held back behind the second.
fn counting() -> [Value; 1] {
    [json!({"says": ["one ", "two ", "three ", "four"], "hold": 2})]
}

#[tokio::test]
async fn whoever_comes_back_at_once_hears_the_rest() -> Result<()> {
    let stage = FaultServer::open(&counting()).await?;
    let (_, task) = cut(&stage).await?;
    let again = http::rpc_stream(&stage.server.address, "tasks/resubscribe", &json!({"id": task}), None).await?;
    stage.upstream.release_answer();
    let told: Vec<Value> = again.events().await?.into_iter().map(result).collect();
    // What was said before is in the task that comes first, the rest follows, and between them nothing is missing.
    let history = told[0]["history"].as_array().context("the task has no history")?;
    let before: String = history.iter().skip(1).filter_map(|message| message["parts"][0]["text"].as_str()).collect();
    assert_eq!(format!("{before}{}", streamed_text(&told)), "one two three four");
    assert_eq!(rest(&told), Some("input-required"));
    assert_eq!(stage.upstream.requests().len(), 1, "the turn went on; nobody had to begin it again");
    Ok(())
}

#[tokio::test]
async fn whoever_comes_back_later_hears_everything_behind_the_last_event() -> Result<()> {
    let stage = FaultServer::open(&counting()).await?;
    let (heard, task) = cut(&stage).await?;
    let watcher = http::rpc_stream(&stage.server.address, "tasks/resubscribe", &json!({"id": task}), None).await?;
    stage.upstream.release_answer();
    watcher.events().await?;
    // The turn is over. From each event that was heard, all that came behind it is told again, in its order.
    let mut whole: Option<Vec<Value>> = None;
    for (number, event) in heard.iter().enumerate() {
        let cursor = event.id.as_deref().context("an event without an id cannot be gone on from")?;
        let params = json!({"id": task});
        let again = http::rpc_stream(&stage.server.address, "tasks/resubscribe", &params, Some(cursor)).await?;
        let mut later: Vec<Value> = again.events().await?.into_iter().map(result).collect();
        // How the task stands now comes first, whoever asks; the events behind the cursor tell how it came to that.
        assert_eq!((&later[0]["kind"], &later[0]["status"]["state"]), (&json!("task"), &json!("input-required")));
        later.remove(0);
        let told: Vec<Value> = heard[..=number].iter().cloned().map(result).chain(later).collect();
        assert_eq!(streamed_text(&told), "one two three four", "after event {number}");
        assert_eq!(rest(&told), Some("input-required"), "after event {number}");
        let whole = whole.get_or_insert_with(|| told.clone());
        assert_eq!(&told, whole, "after event {number}");
    }
    Ok(())
}
