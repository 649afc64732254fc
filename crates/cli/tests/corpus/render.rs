//! The log as lines a person reads: pieces of a text are one line, calls are c1, c2, prompts p1, p2, and what happens to
//! calls side by side is told call by call, so that every run tells it the same way.

use pollux_session::{
    AnswerEdit, Ask, AskDetails, CallId, CallOutcome, CallResult, Entry, EntryAuthor, Event, GrantScope, ItemKind,
    ModelUsage, PromptId, SITUATION_ATTACHMENT, Seq, SessionSetting, ToolKind, TurnOutcome, WorkspaceCheckpoint,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The longest text that is shown whole, in characters.
const SHOWN: usize = 600;

/// Every entry that says something, as `tidy` leaves it.
pub(crate) fn lines(entries: &[Arc<Entry>], tidy: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut page = RenderedLog {
        lines: Vec::new(),
        stretch: 0,
        answered: 0,
        step_over: false,
        calls: Vec::new(),
        parents: BTreeMap::new(),
        prompts: Vec::new(),
        last: 0,
        tidy,
    };
    for entry in entries {
        page.add(entry);
    }
    page.lines.sort_by_key(|line| (line.stretch, line.order));
    page.lines.into_iter().map(|line| line.mark.to_owned() + &line.text.replace('\n', "\\n") + &line.tail).collect()
}

struct RenderedLine {
    /// Lines change places within a stretch only.
    stretch: usize,
    /// 0 for the model, the number of the outermost call otherwise.
    order: usize,
    mark: &'static str,
    text: String,
    /// The text behind one that may still grow.
    tail: String,
    /// The item, or the call whose output this is.
    grows: Option<Seq>,
    /// The text that grows, before it is shown.
    said: String,
}

struct RenderedLog<'a> {
    lines: Vec<RenderedLine>,
    stretch: usize,
    /// The stretch of the newest answer.
    answered: usize,
    /// True if the model has said the last word of its step.
    step_over: bool,
    calls: Vec<CallId>,
    parents: BTreeMap<CallId, CallId>,
    prompts: Vec<PromptId>,
    /// The order of the newest line.
    last: usize,
    tidy: &'a dyn Fn(&str) -> String,
}

impl RenderedLog<'_> {
    fn add(&mut self, entry: &Entry) {
        let is_client = matches!(entry.by, EntryAuthor::Client { .. });
        match &entry.event {
            Event::TurnStarted { .. } | Event::TurnEnded { .. } => self.stretch += 1,
            Event::Said { .. } | Event::Retrying { .. } | Event::StepEnded { .. } if self.step_over => {
                self.stretch += 1;
                self.step_over = false;
            }
            _ if is_client => self.stretch += 1,
            _ => {}
        }
        match &entry.event {
            Event::Said { kind, text, .. } => {
                let verb = if *kind == ItemKind::Text { "says" } else { "thinks" };
                self.grow(entry.seq, 0, verb, text);
            }
            // It has the date in it.
            Event::Attached { name, .. } if name == SITUATION_ATTACHMENT => {}
            Event::Piece { item, text, .. } => self.go_on(item.0, text),
            Event::ItemEnded { item, cut, meta, .. } => {
                let cut = if *cut { ", cut off" } else { "" };
                let meta = attached(meta);
                if let Some(line) = self.growing(item.0) {
                    line.tail = format!("{cut}{meta}");
                }
            }
            Event::Output { call, text, .. } => {
                let (call, name) = (*call, self.call(*call));
                let stretch = self.stretch;
                match self.growing(call.0).is_some_and(|line| line.stretch == stretch) {
                    true => self.go_on(call.0, text),
                    false => {
                        let order = self.order(call);
                        self.grow(call.0, order, &format!("{name} prints"), text);
                    }
                }
            }
            event => {
                let Some((order, text)) = self.describe_entry(entry, event) else { return };
                let (stretch, order) = match event {
                    // It is kept while the call that it was given for goes on, and told with the answer that gave it.
                    Event::Kept { .. } => (self.answered, usize::MAX),
                    _ => {
                        self.last = order;
                        (self.stretch, order)
                    }
                };
                if matches!(event, Event::Answered { .. }) {
                    self.answered = stretch;
                }
                let mark = if is_client { "> " } else { "  " };
                self.push(RenderedLine {
                    stretch,
                    order,
                    mark,
                    text,
                    tail: String::new(),
                    grows: None,
                    said: String::new(),
                });
            }
        }
        if matches!(entry.event, Event::StepEnded { .. }) {
            self.step_over = true;
        }
        if is_client || matches!(entry.event, Event::TurnStarted { .. }) {
            self.stretch += 1;
        }
    }

    /// The description of an entry, and whose line it is.
    fn describe_entry(&mut self, entry: &Entry, event: &Event) -> Option<(usize, String)> {
        let text = match event {
            Event::Opened(_) => "opened".to_owned(),
            // Tools of servers come when they come.
            Event::Equipped(_) => return None,
            Event::Set { setting } => {
                let what = match setting {
                    SessionSetting::Mode(mode) => format!("mode {}", mode.name()),
                    SessionSetting::Model(model) => format!("model {model}"),
                    SessionSetting::EditsAsk => "file changes ask again".into(),
                    SessionSetting::WithoutGrant(grant) => format!("without {grant}"),
                };
                // A tool may set something while it runs.
                return Some((if matches!(entry.by, EntryAuthor::Agent) { self.last } else { 0 }, what));
            }
            Event::TaskOpened { .. } => "a task is opened".to_owned(),
            Event::Prompted { text, .. } => {
                self.prompts.push(PromptId(entry.seq));
                format!("p{} prompted {}", self.prompts.len(), self.quoted(text))
            }
            Event::Unqueued { prompt } => format!("{} unqueued", self.prompt(*prompt)),
            Event::Requeued { prompt, text } => format!("{} requeued {}", self.prompt(*prompt), self.quoted(text)),
            Event::Released => "released".to_owned(),
            Event::TurnStarted { prompt, model, mode, .. } => {
                format!("turn starts on {} with {model}, {}", self.prompt(*prompt), mode.name())
            }
            Event::Commanded { name } => format!("is answered by the command {name}"),
            Event::Rewound { to } => format!("rewinds to {}", to.0),
            Event::Checkpointed(WorkspaceCheckpoint { saved, .. }) => match saved {
                Ok(_) => "saves a checkpoint".to_owned(),
                Err(why) => format!("saves no checkpoint: {}", (self.tidy)(why)),
            },
            Event::Attached { name, text, media, .. } => {
                let media: String =
                    media.iter().map(|media| format!(" and {} ({} bytes)", media.blob.media, media.blob.len)).collect();
                format!("attaches {name} {}{media}", self.quoted(text))
            }
            Event::Retrying { reason, attempt, .. } => format!("retries, attempt {attempt}: {}", (self.tidy)(reason)),
            Event::FellBack { from, to, why } => format!("falls back from {from} to {to}: {}", (self.tidy)(why)),
            Event::StepEnded { finish, usage, citations, .. } => {
                let cites =
                    if citations.is_empty() { String::new() } else { format!(", cites {}", citations.join(", ")) };
                format!("step ends {finish}, {}{cites}", tokens(*usage))
            }
            Event::Called { tool, args, meta, replaces, parent } => {
                let call = CallId(entry.seq);
                self.calls.push(call);
                if let Some(parent) = parent.or(*replaces) {
                    self.parents.insert(call, parent);
                }
                let stands = replaces.map_or(String::new(), |old| format!(", instead of {}", self.call(old)));
                let within = parent.map_or(String::new(), |parent| format!(", for {}", self.call(parent)));
                let meta = attached(meta);
                let text = format!(
                    "{} calls {tool} {}{meta}{stands}{within}",
                    self.call(call),
                    (self.tidy)(&args.to_string())
                );
                // The model's own calls stand where it made them.
                let order = if self.parents.contains_key(&call) { self.order(call) } else { 0 };
                return Some((order, text));
            }
            Event::Allowed { call, kind, why, .. } => {
                return self.call_line(*call, format!("allowed ({}): {}", word(*kind), (self.tidy)(why)));
            }
            Event::Asked { call, kind, ask, .. } => return self.call_line(*call, self.asks(*kind, ask)),
            // It is recorded only where the call is looked at before those before it are over.
            Event::Deferred { .. } => return None,
            Event::AskKept { call, .. } => return self.call_line(*call, "still asks"),
            Event::Answered { call, choice, edit, grant, reach, .. } => {
                let edit = match edit {
                    Some(AnswerEdit::Content { new }) => format!(", edited to {}", self.quoted(new)),
                    Some(AnswerEdit::Answers { answers }) => format!(", with {answers}"),
                    Some(AnswerEdit::Files { files }) => {
                        let files =
                            files.iter().map(|file| format!("{} {}", (self.tidy)(&file.path), self.quoted(&file.new)));
                        format!(", edited to {}", files.collect::<Vec<_>>().join(", "))
                    }
                    None => String::new(),
                };
                let grant = grant.as_ref().map(|grant| (self.tidy)(&grant.to_string()));
                let grant = match (grant, reach) {
                    (None, _) => String::new(),
                    (Some(grant), GrantScope::Session) => format!(", grants {grant} in this session"),
                    (Some(grant), GrantScope::Workspace) => format!(", grants {grant} in this workspace"),
                    (Some(grant), GrantScope::Always) => format!(", grants {grant} for good"),
                };
                return self.call_line(*call, format!("answered {choice}{edit}{grant}"));
            }
            Event::Kept { grant, failure, .. } => match failure {
                None => format!("kept: {grant}"),
                Some(why) => format!("not kept: {grant}: {}", (self.tidy)(why)),
            },
            Event::CompactWanted => "wants it compacted".to_owned(),
            Event::Compacted { summary, usage, .. } => {
                format!("compacted to {}, {}", self.quoted(summary), tokens(*usage))
            }
            Event::NotCompacted { why } => format!("not compacted: {why}"),
            Event::Uncompacted => "uncompacted".to_owned(),
            Event::CallStarted { call } => return self.call_line(*call, "starts"),
            Event::Spent { call, model, usage } => {
                return self.call_line(*call, format!("spends {} of {model}", tokens(*usage)));
            }
            Event::CallEnded { call, outcome } => return self.call_line(*call, self.ends(outcome)),
            Event::TurnEnded { outcome } => match outcome {
                TurnOutcome::Rested => "turn rests".to_owned(),
                TurnOutcome::Cancelled => "turn cancelled".to_owned(),
                TurnOutcome::Failed { failure } => {
                    format!("turn failed, {}: {}", failure.kind, (self.tidy)(&failure.message))
                }
            },
            Event::TaskClosed { closing, .. } => format!("task closed {}", closing.name()),
            // Told where the text grows.
            Event::Said { .. } | Event::Piece { .. } | Event::ItemEnded { .. } | Event::Output { .. } => return None,
        };
        Some((0, text))
    }

    fn call_line(&self, call: CallId, text: impl AsRef<str>) -> Option<(usize, String)> {
        Some((self.order(call), format!("{} {}", self.call(call), text.as_ref())))
    }

    fn asks(&self, kind: ToolKind, ask: &Ask) -> String {
        let what = match &ask.details {
            AskDetails::Execute { command, directory } => {
                format!("run {} in {}", self.quoted(command), (self.tidy)(directory))
            }
            AskDetails::Edit(change) => format!("edit {} {}", (self.tidy)(&change.name), self.quoted(&change.patch)),
            AskDetails::Patch { files } => {
                let files = files
                    .iter()
                    .map(|file| format!("{} {}", (self.tidy)(&file.title()), self.quoted(&file.diff.patch)));
                format!("patch {}", files.collect::<Vec<_>>().join(", "))
            }
            AskDetails::Generic { description, schema } => {
                let schema = if schema.is_some() { ", wants answers" } else { "" };
                format!("{}{schema}", self.quoted(description))
            }
            AskDetails::Mcp { server, tool, .. } => format!("call {tool} of {server}"),
        };
        let options: Vec<&str> = ask.options.iter().map(|choice| choice.id.as_str()).collect();
        format!("asks ({}): {what} [{}]", word(kind), options.join(" "))
    }

    fn ends(&self, outcome: &CallOutcome) -> String {
        match outcome {
            CallOutcome::Succeeded { result } => format!("succeeds {}", self.result(result)),
            CallOutcome::Failed { error, result } => {
                let result = result.as_ref().map_or(String::new(), |result| format!(" and {}", self.result(result)));
                format!("fails, {}: {}{result}", error.kind, (self.tidy)(&error.message))
            }
            CallOutcome::Declined => "declined".to_owned(),
            CallOutcome::Denied { why } => format!("denied: {}", (self.tidy)(why)),
            CallOutcome::Cancelled => "cancelled".to_owned(),
            CallOutcome::Interrupted => "interrupted".to_owned(),
            CallOutcome::Superseded => "superseded".to_owned(),
        }
    }

    fn result(&self, result: &CallResult) -> String {
        let mut text = self.quoted(&result.text);
        if let Some(code) = result.exit_code {
            text.push_str(&format!(", exit code {code}"));
        }
        if let Some(whole) = &result.whole {
            text.push_str(&format!(", {} bytes kept", whole.len));
        }
        for media in &result.media {
            text.push_str(&format!(", shows {} ({}, {} bytes)", media.name, media.blob.media, media.blob.len));
        }
        text
    }

    fn quoted(&self, text: &str) -> String {
        shown(&(self.tidy)(text))
    }

    fn push(&mut self, line: RenderedLine) {
        self.lines.push(line);
    }

    fn grow(&mut self, id: Seq, order: usize, verb: &str, said: &str) {
        let (stretch, text) = (self.stretch, format!("{verb} {}", self.quoted(said)));
        self.push(RenderedLine {
            stretch,
            order,
            mark: "  ",
            text,
            tail: String::new(),
            grows: Some(id),
            said: said.to_owned(),
        });
    }

    fn growing(&mut self, id: Seq) -> Option<&mut RenderedLine> {
        self.lines.iter_mut().rev().find(|line| line.grows == Some(id))
    }

    fn go_on(&mut self, id: Seq, more: &str) {
        let Some(line) = self.growing(id) else { return };
        let before = line.said.clone();
        let whole = before.clone() + more;
        let verb = line.text.split(" \"").next().unwrap_or_default().to_owned();
        let text = format!("{verb} {}", self.quoted(&whole));
        if let Some(line) = self.growing(id) {
            line.said = whole;
            line.text = text;
        }
    }

    fn call(&self, call: CallId) -> String {
        let at = self.calls.iter().position(|known| *known == call);
        at.map_or_else(|| call.to_string(), |at| format!("c{}", at + 1))
    }

    fn prompt(&self, prompt: PromptId) -> String {
        let at = self.prompts.iter().position(|known| *known == prompt);
        at.map_or_else(|| prompt.to_string(), |at| format!("p{}", at + 1))
    }

    /// The number of the call that everything about this one is told with.
    fn order(&self, call: CallId) -> usize {
        let mut outermost = call;
        while let Some(parent) = self.parents.get(&outermost) {
            outermost = *parent;
        }
        self.calls.iter().position(|known| *known == outermost).map_or(0, |at| at + 1)
    }
}

/// Data that the provider attached, unless it is only an id that we made because it gave none.
fn attached(meta: &Value) -> String {
    let made = meta["id"].as_str().is_some_and(|id| id.starts_with("made-"));
    let extra = meta["extra"].as_object().is_some_and(|extra| !extra.is_empty());
    match (meta.is_null() || (made && !extra), made) {
        (true, _) => String::new(),
        (false, true) => format!(" with {}", meta["extra"]),
        (false, false) => format!(" with {meta}"),
    }
}

fn word(kind: ToolKind) -> String {
    serde_json::to_value(kind).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

fn tokens(usage: ModelUsage) -> String {
    let mut text = format!("{}+{} tokens", usage.prompt, usage.output);
    if usage.cached > 0 {
        text.push_str(&format!(", {} cached", usage.cached));
    }
    if usage.thoughts > 0 {
        text.push_str(&format!(", {} thought", usage.thoughts));
    }
    text
}

/// A text in quotes, on one line; the middle of a long one is left out.
pub(crate) fn shown(text: &str) -> String {
    let text = strip_process_ids(text);
    let count = text.chars().count();
    if count <= SHOWN {
        return Value::from(text).to_string();
    }
    let head: String = text.chars().take(SHOWN / 2).collect();
    let tail: String = text.chars().skip(count - SHOWN / 2).collect();
    format!("{} … {} characters … {}", Value::from(head), count - SHOWN / 2 * 2, Value::from(tail))
}

/// The number of a process is another one in every run: `PID 4711`, `process 4711`, `kill -- -4711`.
fn strip_process_ids(text: &str) -> String {
    let mut tidy = text.to_owned();
    for word in ["PID", "process", "kill --"] {
        let parts: Vec<&str> = tidy.split(word).collect();
        let numbered = parts.iter().skip(1).map(|after| {
            let lead = after.find(|c: char| !matches!(c, ':' | ' ' | '`' | '-')).unwrap_or(after.len());
            let digits = after[lead..].find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len() - lead);
            let number = if digits > 0 { "N" } else { "" };
            format!("{word}{}{number}{}", &after[..lead], &after[lead + digits..])
        });
        tidy = parts.first().map(|first| (*first).to_owned()).into_iter().chain(numbered).collect();
    }
    tidy
}
