mod chains;
mod sentences;

use super::*;
use serde_json::json;

/// One answer, taken apart.
#[derive(Debug, PartialEq)]
struct Heard {
    thought: String,
    text: String,
    call: Option<(String, Value)>,
}

/// Ask the engine, and check what every answer has.
async fn hear(contents: &[ModelMessage]) -> Heard {
    let request = ModelRequest { contents: contents.to_vec(), ..ModelRequest::default() };
    let chunks: Vec<ModelChunk> = DemoModel::new().generate(request).map(Result::unwrap).collect().await;
    let [parts @ .., ModelChunk::Usage(usage), ModelChunk::Finish { reason }] = chunks.as_slice() else {
        panic!("{chunks:?}")
    };
    assert_eq!(reason, "STOP");
    assert!(usage.thoughts > 0, "{usage:?}");
    let mut heard = Heard { thought: String::new(), text: String::new(), call: None };
    for chunk in parts {
        let ModelChunk::Parts(parts) = chunk else { panic!("{chunk:?}") };
        for part in parts {
            match &part.data {
                PartData::Text(text) if part.thought => heard.thought.push_str(text),
                PartData::Text(text) => heard.text.push_str(text),
                PartData::FunctionCall { id, name, args } => {
                    assert!(id.is_some(), "{part:?}");
                    assert_eq!(part.extra.get("thoughtSignature"), Some(&json!("offline-demo")));
                    assert_eq!(heard.call.replace((name.clone(), args.clone())), None);
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(heard.thought.starts_with("**"), "{heard:?}");
    heard
}

#[tokio::test]
async fn it_says_what_it_is() {
    let info = DemoModel::new().info();
    assert_eq!((info.id.as_str(), info.nature), ("demo-offline-not-an-ai", ModelNature::Demo));
    assert!(info.label.contains("not an AI"));
}

#[tokio::test]
async fn only_the_first_answer_begins_with_the_banner() {
    let mut contents = vec![ModelMessage::user("help")];
    let first = hear(&contents).await;
    assert!(first.text.starts_with("I am the offline demo, not an AI model.\n\n"), "{}", first.text);
    contents.extend([ModelMessage::model(vec![MessagePart::text(&first.text)]), ModelMessage::user("help")]);
    let second = hear(&contents).await;
    assert!(second.text.starts_with("I match fixed sentences"), "{}", second.text);
    assert!(second.text.contains("set GEMINI_API_KEY"));
}

#[tokio::test]
async fn what_it_does_not_understand_it_says_and_does_not_do() {
    for prompt in [
        "write me a compiler",
        "fix the bug in main.rs",
        "why?",
        "create a.txt with hi\nand make it nice",
        "create a.txt",
        "replace x in y",
        "read a.txt and b.txt",
        "read",
        "run",
        "```\nls\n```",
        "list\n```\nx\n```",
    ] {
        let heard = hear(&[ModelMessage::user(prompt)]).await;
        assert_eq!(heard.call, None, "{prompt}");
        assert!(heard.text.contains("I did not understand"), "{prompt}: {}", heard.text);
        assert_eq!(heard.text.matches("not an AI").count(), 1, "it says who it is once: {}", heard.text);
        for key in ["GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"] {
            assert!(heard.text.contains(key), "{}", heard.text);
        }
        assert!(heard.thought.starts_with("**No rule matched**"), "{}", heard.thought);
    }
}

#[tokio::test]
async fn an_answer_that_broke_off_goes_on_where_it_stopped() {
    let prompt = ModelMessage::user("list src");
    let whole = hear(std::slice::from_ref(&prompt)).await;
    for at in 1..=whole.text.len() {
        let (said, rest) = whole.text.split_at(at);
        let contents = [prompt.clone(), ModelMessage::model(vec![MessagePart::text(said)]), ModelMessage::user(GO_ON)];
        let heard = hear(&contents).await;
        assert_eq!((heard.text.as_str(), &heard.call), (rest, &whole.call));
    }
}
