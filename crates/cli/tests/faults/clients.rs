//! Asks and prompts of several clients: the original hangs, or throws an answer away.

use crate::faults::fault_server::{FaultServer, choice, go_on, open_asks, rest, result, streamed_text, task_of, text};
use anyhow::{Context as _, Result};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// A step that writes these files, and the word that follows it.
fn writes(names: &[&str]) -> Vec<Value> {
    let calls = names.iter().map(|name| json!({"name": "write_file", "args": {"file_path": name, "content": "yes\n"}}));
    vec![json!({"calls": Vec::from_iter(calls)}), json!({"says": "Written."})]
}

#[tokio::test]
async fn hanging_on_an_unknown_outcome_or_call() -> Result<()> {
    let stage = FaultServer::open(&writes(&["a.txt"])).await?;
    let events = stage.say(&stage.begin(&text("write"))?).await?;
    let (task, calls) = (task_of(&events)?, open_asks(&events));
    let wrong =
        [(choice(&calls[0], "approve_it"), "UNKNOWN_OPTION"), (choice("call-99", "proceed_once"), "UNKNOWN_CALL")];
    for (answer, reason) in wrong {
        let refused = stage.ask("message/stream", &go_on(&task, "wrong", &json!([answer]))).await?;
        assert_eq!(refused["error"]["data"][1]["reason"], reason, "{refused}");
    }
    // The ask still stands.
    let events = stage.say(&go_on(&task, "right", &json!([choice(&calls[0], "proceed_once")]))).await?;
    assert_eq!((streamed_text(&events).as_str(), rest(&events)), ("Written.", Some("input-required")));
    Ok(())
}

#[tokio::test]
async fn hanging_on_two_asks_in_one_turn() -> Result<()> {
    for together in [true, false] {
        let stage = FaultServer::open(&writes(&["a.txt", "b.txt"])).await?;
        let events = stage.say(&stage.begin(&text("write"))?).await?;
        assert_eq!(rest(&events), Some("input-required"), "a client that waits for the end can answer");
        let (task, calls) = (task_of(&events)?, open_asks(&events));
        let answers: Vec<Value> = calls.iter().map(|call| choice(call, "proceed_once")).collect();
        assert_eq!(answers.len(), 2, "both calls ask");
        let events = if together {
            stage.say(&go_on(&task, "both", &json!(answers))).await?
        } else {
            let first = stage.say(&go_on(&task, "one", &json!([answers[0]]))).await?;
            assert_eq!(rest(&first), Some("input-required"), "{first:?}");
            stage.say(&go_on(&task, "other", &json!([answers[1]]))).await?
        };
        assert_eq!((streamed_text(&events).as_str(), rest(&events)), ("Written.", Some("input-required")));
        for name in ["a.txt", "b.txt"] {
            assert_eq!(std::fs::read_to_string(stage.home.workspace().join(name))?, "yes\n");
        }
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_thrown_away_when_two_clients_write() -> Result<()> {
    let lines = [json!({"says": ["One", " and a half."], "hold": 1}), json!({"says": "Two."})];
    let stage = FaultServer::open(&lines).await?;
    let mut first = stage.stream(&stage.begin(&text("one"))?).await?;
    let mut events = Vec::new();
    while streamed_text(&events) != "One" {
        events.push(result(first.event().await?.context("the stream ended")?));
    }
    // The second client writes while the first one's turn is under way.
    let second = stage.stream(&go_on(&task_of(&events)?, "two", &text("two"))).await?;
    stage.upstream.release_answer();
    events.extend(first.events().await?.into_iter().map(result));
    let second: Vec<Value> = second.events().await?.into_iter().map(result).collect();
    assert_eq!(streamed_text(&events), "One and a half.");
    // It hears what else goes on in the task, and then its own answer.
    assert_eq!(streamed_text(&second), " and a half.Two.");
    assert_eq!((rest(&events), rest(&second)), (Some("input-required"), Some("input-required")));
    // And the model has heard the one before the other.
    let asked = stage.upstream.requests().last().context("the model was asked")?.body.to_string();
    assert!(asked.contains("One and a half."), "{asked}");
    Ok(())
}
