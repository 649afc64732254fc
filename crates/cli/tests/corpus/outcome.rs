//! The outcome of a conversation, compared with what its file expects.

use crate::corpus::play::PlaybackMode;
use pollux_testkit::conversation::ScriptedConversation;
use pretty_assertions::StrComparison;
use std::collections::BTreeMap;

/// The outcome of a conversation.
pub(crate) struct ConversationOutcome {
    /// The log, a line an entry.
    pub(crate) entries: String,
    /// The requests to the provider.
    pub(crate) requests: String,
    /// The refusals, a line each.
    pub(crate) refusals: String,
    /// Files of the workspace that are new or changed.
    pub(crate) after: BTreeMap<String, Vec<u8>>,
    /// Files of the workspace that are gone, a line each.
    pub(crate) gone: String,
    /// The person's own files.
    pub(crate) own_files: BTreeMap<String, Vec<u8>>,
    /// The number of the provider's answers that were never wanted.
    pub(crate) unused: usize,
    /// Content that the requests should have had and did not.
    pub(crate) unmet: Vec<String>,
    pub(crate) way: PlaybackMode,
}

impl ConversationOutcome {
    /// The difference from what is expected, in words.
    pub(crate) fn complaint(&self, conversation: &ScriptedConversation) -> Option<String> {
        let mut complaints = self.unmet.clone();
        if self.unused > 0 {
            complaints.push(format!("{} answers of the section upstream were never asked for", self.unused));
        }
        for (title, found) in self.texts() {
            // A dialect may have words of its own for a refusal.
            let own =
                conversation.section(&format!("{title} over the wire")).filter(|_| self.way == PlaybackMode::Wire);
            let expected = own.or_else(|| conversation.section(title)).unwrap_or_default();
            if expected != found {
                complaints.push(format!("section {title} (expected, found):\n{}", StrComparison::new(expected, found)));
            }
        }
        for (title, found) in [("after", &self.after), ("kept", &self.own_files)] {
            match conversation.files(title) {
                Err(error) => complaints.push(format!("{error:#}")),
                Ok(expected) if expected == *found => {}
                Ok(expected) => {
                    let comparison = format!("{}", StrComparison::new(&render_files(&expected), &render_files(found)));
                    complaints.push(format!("files {title} (expected, found):\n{comparison}"));
                }
            }
        }
        (!complaints.is_empty()).then(|| complaints.join("\n"))
    }

    /// Make this what the file expects.
    pub(crate) fn write_into(&self, conversation: &mut ScriptedConversation) {
        for (title, found) in self.texts() {
            conversation.put(title, found);
        }
        conversation.put_files("after", &self.after);
        conversation.put_files("kept", &self.own_files);
    }

    fn texts(&self) -> [(&'static str, &str); 4] {
        [("entries", &self.entries), ("requests", &self.requests), ("refusals", &self.refusals), ("gone", &self.gone)]
    }
}

fn render_files(files: &BTreeMap<String, Vec<u8>>) -> String {
    files.iter().map(|(path, bytes)| format!("{path}: {:?}\n", String::from_utf8_lossy(bytes))).collect()
}
