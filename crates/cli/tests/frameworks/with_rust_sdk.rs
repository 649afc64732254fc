//! The Rust SDK of the A2A project: a client that keeps the context, and the task while it waits for an answer.

use a2a::{Message, Part, Role, SendMessageRequest, StreamResponse, TaskState};
use a2a_client::A2AClientFactory;
use a2a_client::agent_card::AgentCardResolver;
use futures::StreamExt;
use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("run with URL PROMPT…")?;
    let card = AgentCardResolver::new(None).resolve(&url).await?;
    let client = A2AClientFactory::builder().build().create_from_card(&card).await?;
    let (mut context, mut waiting) = (None, None);
    for said in arguments {
        let mut message = Message::new(Role::User, vec![Part::text(&said)]);
        (message.context_id, message.task_id) = (context.clone(), waiting.take());
        let request = SendMessageRequest { message, configuration: None, metadata: None, tenant: None };
        let mut events = client.send_streaming_message(&request).await?;
        let mut shown = Vec::new();
        while let Some(event) = events.next().await {
            let parts = match event? {
                StreamResponse::Task(task) => {
                    context = Some(task.context_id);
                    Vec::new()
                }
                StreamResponse::StatusUpdate(update) => {
                    waiting = (update.status.state == TaskState::InputRequired).then_some(update.task_id);
                    update.status.message.map(|message| message.parts).unwrap_or_default()
                }
                StreamResponse::ArtifactUpdate(update) => update.artifact.parts,
                StreamResponse::Message(message) => message.parts,
            };
            shown.extend(parts.iter().filter_map(Part::as_text).filter(|text| !text.is_empty()).map(str::to_owned));
        }
        println!("{}", serde_json::json!({"said": said, "shown": shown}));
    }
    Ok(())
}
