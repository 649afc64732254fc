//! A log written by hand, for what a transcript makes of it.

use crate::testing::run_ask;
use pollux_session::*;
use ratatui::text::Line;
use serde_json::Value;
use std::sync::Arc;
use uuid::Uuid;

const SESSION: SessionId = SessionId(Uuid::from_u128(7));

/// Entries, ten milliseconds apart.
#[derive(Default)]
pub(super) struct TestLog {
    pub(super) entries: Vec<Arc<Entry>>,
    pub(super) seq: u64,
    pub(super) at: u64,
}

pub(super) fn seat(label: &str) -> EntryAuthor {
    EntryAuthor::Client { principal: "local".into(), label: label.into() }
}

pub(super) fn me() -> EntryAuthor {
    seat("terminal")
}

pub(super) fn origin_of(entry: &Entry) -> EntryOrigin {
    if entry.by == me() { EntryOrigin::Earlier } else { EntryOrigin::Other }
}

pub(super) fn result(text: &str) -> CallResult {
    CallResult { text: text.into(), ..CallResult::default() }
}

pub(super) fn text_of(lines: &[Line<'static>]) -> String {
    let text = |line: &Line<'static>| line.spans.iter().map(|span| span.content.as_ref()).collect::<String>();
    lines.iter().map(text).collect::<Vec<_>>().join("\n")
}

impl TestLog {
    pub(super) fn add(&mut self, by: EntryAuthor, event: Event) -> Seq {
        self.seq += 1;
        self.at += 10;
        let entry = Entry { seq: Seq(self.seq), at: UnixMillis(self.at), by, task: None, event };
        self.entries.push(Arc::new(entry));
        Seq(self.seq)
    }

    pub(super) fn agent(&mut self, event: Event) -> Seq {
        self.add(EntryAuthor::Agent, event)
    }

    pub(super) fn open(&mut self, workspace: &str) {
        self.open_with(EntryAuthor::Agent, workspace, SessionOverrides::default());
    }

    pub(super) fn open_with(&mut self, by: EntryAuthor, workspace: &str, overrides: SessionOverrides) {
        let opened = SessionOpened {
            main_task: SESSION.main_task(),
            owner: Owner("me".into()),
            context: ContextId::new("test").unwrap(),
            workspace: workspace.into(),
            overrides,
            release: "test".into(),
            edge: Value::Null,
        };
        self.add(by, Event::Opened(opened));
    }

    /// The person at this terminal says something, and it is answered at once.
    pub(super) fn prompt(&mut self, text: &str) {
        self.prompt_by(me(), text);
    }

    pub(super) fn prompt_by(&mut self, by: EntryAuthor, text: &str) {
        let prompt = self.queue(by, text);
        self.begin(prompt);
    }

    pub(super) fn queue(&mut self, by: EntryAuthor, text: &str) -> PromptId {
        let fingerprint = CommandFingerprint(String::new());
        let task = SESSION.main_task();
        PromptId(self.add(
            by,
            Event::Prompted {
                fingerprint,
                task,
                kind: TaskKind::OpenEnded,
                text: text.into(),
                media: Vec::new(),
                piped_len: 0,
                dialect: None,
                parts: vec![],
                command: None,
            },
        ))
    }

    pub(super) fn begin(&mut self, prompt: PromptId) {
        let (task, mode) = (SESSION.main_task(), ApprovalMode::Default);
        self.agent(Event::TurnStarted { prompt, task, model: "demo".into(), mode, tools: vec![] });
    }

    /// The agent says something, in two pieces.
    pub(super) fn says(&mut self, text: &str) {
        self.item(ItemKind::Text, text, false);
    }

    pub(super) fn item(&mut self, kind: ItemKind, text: &str, cut: bool) {
        let half = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        let (first, rest) = text.split_at(half);
        let item = ItemId(self.agent(Event::Said { kind, text: first.into(), response: None }));
        self.agent(Event::Piece { item, offset: half as u64, text: rest.into() });
        self.agent(Event::ItemEnded { item, len: text.len() as u64, cut, meta: Value::Null });
    }

    pub(super) fn step_ended(&mut self) {
        let usage = ModelUsage { prompt: 12_345, cached: 8_000, output: 210, thoughts: 40 };
        self.agent(Event::StepEnded { finish: "STOP".into(), usage, citations: vec![], response: None });
    }

    pub(super) fn call(&mut self, tool: &str, args: Value, parent: Option<CallId>) -> CallId {
        let (meta, replaces) = (Value::Null, None);
        CallId(self.agent(Event::Called { tool: tool.into(), args, meta, replaces, parent }))
    }

    pub(super) fn asked(&mut self, call: CallId, command: &str) {
        self.agent(Event::Asked { call, kind: ToolKind::Execute, ask: run_ask(command), revision: 0 });
    }

    pub(super) fn answered(&mut self, by: EntryAuthor, call: CallId, choice: &AskOption, edit: Option<AnswerEdit>) {
        let fingerprint = CommandFingerprint(String::new());
        let (grant, reach) = (choice.grant.clone(), choice.reach);
        self.add(
            by,
            Event::Answered { fingerprint, call, choice: choice.id.clone(), allows: choice.allows, edit, grant, reach },
        );
    }

    /// A call that runs and ends.
    pub(super) fn ran(&mut self, tool: &str, args: Value, ms: u64, outcome: CallOutcome) -> CallId {
        let call = self.call(tool, args, None);
        self.agent(Event::CallStarted { call });
        self.at += ms;
        self.agent(Event::CallEnded { call, outcome });
        call
    }
}
