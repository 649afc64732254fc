//! A server's answer, for a model: text, and media that can be shown besides.

use crate::excerpt::ExcerptBuilder;
use crate::mcp::media::MediaCollector;
use crate::mcp::plain_text::{to_plain, to_plain_line};
use crate::output::OutputStore;
use pollux_session::MediaContent;
use rmcp::model::{CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult, ResourceContents};
use serde_json::Value;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The most characters of a media type or an address.
const MAX_LABEL: usize = 512;

/// Text from a server, with what goes along with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpContent {
    /// The text. What is not text is described in it.
    pub text: String,
    /// Pictures, sounds and documents.
    pub media: Vec<MediaContent>,
}

impl McpContent {
    /// As much of it as a prompt may bring along. What a call returns is cut by the toolbox, and only there: two cuts would
    /// count wrongly what is left out.
    pub(super) fn excerpt(self) -> McpContent {
        McpContent { text: ExcerptBuilder::excerpt_of(&self.text), ..self }
    }
}

/// An answer on its way to becoming [`McpContent`].
pub(super) struct McpContentBuilder {
    parts: Vec<String>,
    media_collector: MediaCollector,
}

impl McpContentBuilder {
    /// For what `source` returns. Without a keeper it is text alone.
    pub(super) fn new(source: &str, keeper: Option<&Arc<dyn OutputStore>>) -> McpContentBuilder {
        let media_collector = if keeper.is_some() { MediaCollector::new(source) } else { MediaCollector::closed() };
        McpContentBuilder { parts: Vec::new(), media_collector }
    }

    /// Add the result of a call.
    pub(super) fn with_call_result(mut self, result: &CallToolResult) -> McpContentBuilder {
        result.content.iter().for_each(|block| self.block(block));
        if let Some(structured) = &result.structured_content
            && !self.holds(structured)
        {
            self.parts.push(structured.to_string());
        }
        self
    }

    /// True if every value in `structured` stands in the text already. Many servers send a result twice, as text and as
    /// `{"result": …}`.
    fn holds(&self, structured: &Value) -> bool {
        let in_text = |text: &str| self.parts.iter().any(|part| part.contains(text));
        match structured {
            Value::Null => true,
            Value::Bool(_) | Value::Number(_) => in_text(&structured.to_string()),
            // In JSON that was sent as text, a string is written with its escapes.
            Value::String(text) => in_text(text) || in_text(structured.to_string().trim_matches('"')),
            Value::Array(values) => values.iter().all(|value| self.holds(value)),
            Value::Object(fields) => fields.values().all(|value| self.holds(value)),
        }
    }

    /// Add the content of a resource.
    pub(super) fn with_resource(mut self, result: &ReadResourceResult) -> McpContentBuilder {
        result.contents.iter().for_each(|contents| self.resource(contents));
        self
    }

    /// Add the messages of a prompt.
    pub(super) fn with_prompt(mut self, prompt: &GetPromptResult) -> McpContentBuilder {
        prompt.messages.iter().for_each(|message| self.block(&message.content));
        self
    }

    /// All of it, with everything durable that is not text.
    pub(super) async fn finish(mut self, keeper: Option<&Arc<dyn OutputStore>>) -> McpContent {
        let media = self.media_collector.store(keeper).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "what an MCP server returned could not be kept");
            self.parts.push("[What is not text could not be kept, so it is not shown after all.]".into());
            Vec::new()
        });
        McpContent { text: joined(&self.parts), media }
    }

    fn block(&mut self, block: &ContentBlock) {
        let words = match block {
            ContentBlock::Text(text) => text.text.clone(),
            ContentBlock::Image(image) => self.describe_media("image", Some(&image.mime_type), &image.data),
            ContentBlock::Audio(audio) => self.describe_media("sound", Some(&audio.mime_type), &audio.data),
            ContentBlock::Resource(embedded) => return self.resource(&embedded.resource),
            ContentBlock::ResourceLink(link) => {
                let (name, uri) = (to_plain_line(&link.name, MAX_LABEL), to_plain_line(&link.uri, MAX_LABEL));
                format!("[The resource {name}, to be read at {uri}.]")
            }
            _ => "[Content of a kind that is not known here.]".into(),
        };
        self.parts.push(words);
    }

    fn resource(&mut self, contents: &ResourceContents) {
        let words = match contents {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                format!("[{}]\n{text}", to_plain_line(uri, MAX_LABEL))
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let shown = self.describe_media("file", mime_type.as_deref(), blob);
                format!("[{}]\n{shown}", to_plain_line(uri, MAX_LABEL))
            }
            _ => "[A resource of a kind that is not known here.]".into(),
        };
        self.parts.push(words);
    }

    /// A sentence for what is not text.
    fn describe_media(&mut self, what: &str, claimed: Option<&str>, base64: &str) -> String {
        let padding = base64.bytes().rev().take_while(|byte| *byte == b'=').count();
        let bytes = (base64.len() / 4 * 3).saturating_sub(padding);
        match self.media_collector.take(base64) {
            Ok(media) => format!("[One {what} ({media}) of {bytes} bytes, which is shown with this.]"),
            Err(why) => {
                let media = claimed.map(|media| format!(" ({})", to_plain_line(media, MAX_LABEL))).unwrap_or_default();
                format!("[One {what}{media} of {bytes} bytes, {why}.]")
            }
        }
    }
}

fn joined(parts: &[String]) -> String {
    if parts.is_empty() {
        return "(no content)".into();
    }
    to_plain(&parts.join("\n"), usize::MAX)
}
