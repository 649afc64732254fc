//! The messages, a line for each event: without ids, times, versions and prose. Pieces of one text are one line, and so
//! is all that a call prints: where they are cut is a matter of time, and so is the order of calls that go on at once.

use serde_json::Value;

/// The ids that were heard, in the order they were.
#[derive(Default)]
pub(crate) struct SeenIds {
    pub(crate) tasks: Vec<String>,
    pub(crate) calls: Vec<String>,
    /// The newest checkpoint that was listed.
    pub(crate) checkpoint: String,
}

/// Members that the original repeats of a tool with each event of each call, two or three kilobytes of them, and Pollux
/// leaves out: `GET /tasks/:id/metadata` tells them once. docs/COMPATIBILITY.md says so.
const LEFT_OUT: [&str; 3] = ["description", "schema", "parameterSchema"];

/// Longer texts than this are not told but measured.
const LONG: usize = 400;

impl SeenIds {
    fn number(known: &mut Vec<String>, id: &str) -> usize {
        known.iter().position(|other| other == id).unwrap_or_else(|| {
            known.push(id.to_owned());
            known.len() - 1
        })
    }

    /// Lines for these results.
    pub(crate) fn lines(&mut self, results: &[Value]) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for result in results {
            let line = self.line(result);
            match lines.last_mut() {
                Some(last) => match joined(last, &line) {
                    Some(both) => *last = both,
                    None => lines.push(line),
                },
                None => lines.push(line),
            }
        }
        // Which of two calls of one step comes first is a matter of time.
        for calls in lines.chunk_by_mut(|one, other| call_in(one).is_some() && call_in(other).is_some()) {
            calls.sort_by_key(|line| call_in(line));
        }
        lines
    }

    fn line(&mut self, answer: &Value) -> String {
        if let Some(error) = answer.get("error") {
            return format!("error {}", error["code"]);
        }
        let event = &answer["result"];
        match event["kind"].as_str() {
            Some("task") => self.task(event),
            Some("artifact-update") => {
                let text = text(&event["artifact"]["parts"][0]["text"]);
                match is_answer(event) {
                    true => format!("answers {text:?}"),
                    false => format!("prints {} {text:?}", keys(event)),
                }
            }
            Some("status-update") => self.update(event),
            _ => format!("other {}", keys(event)),
        }
    }

    fn task(&mut self, task: &Value) -> String {
        SeenIds::number(&mut self.tasks, task["id"].as_str().unwrap_or_default());
        let history = task["history"].as_array().into_iter().flatten();
        let told: Vec<String> = history.map(|message| self.describe_part(&message["parts"][0])).collect();
        let artifacts = task["artifacts"].as_array().map_or(0, Vec::len);
        let persisted = &task["metadata"]["__persistedState"];
        let (state, kept) = (text(&task["status"]["state"]), text(&persisted["_taskState"]));
        let settings = keys(&persisted["_agentSettings"]);
        let says = self.describe_part(&task["status"]["message"]["parts"][0]);
        let says = match says.chars().next() {
            None => says,
            Some('"') => " says (words)".to_owned(),
            Some(_) => format!(" says {says}"),
        };
        format!("task {state}{says} {} kept {kept} {settings} artifacts {artifacts} [{}]", keys(task), told.join(" | "))
    }

    fn update(&mut self, event: &Value) -> String {
        let (state, kind) = (text(&event["status"]["state"]), text(&event["metadata"]["coderAgent"]["kind"]));
        let end = if event["final"] == true { " FINAL" } else { "" };
        let meta = event["metadata"].as_object().into_iter().flatten();
        let meta = meta.filter(|(name, _)| !["coderAgent", "model"].contains(&name.as_str()));
        let meta: Vec<_> = meta.map(|(name, value)| traced(name, value)).collect();
        let meta = if meta.is_empty() { String::new() } else { format!(" +{}", meta.join("+")) };
        let said = self.describe_part(&event["status"]["message"]["parts"][0]);
        // What is said of a state is prose.
        let said = if kind == "state-change" && !said.is_empty() { "(words)".to_owned() } else { said };
        let said = if said.is_empty() { said } else { format!(" {said}") };
        format!("{state} {kind}{end}{meta}{said}")
    }

    fn describe_part(&mut self, part: &Value) -> String {
        match (part["kind"].as_str(), &part["data"]["request"]) {
            (Some("text"), _) if text(&part["text"]).len() > LONG => {
                format!("(about {} KiB)", (text(&part["text"]).len() + 512) / 1024)
            }
            (Some("text"), _) => part["text"].to_string(),
            (Some("data"), Value::Null) => keys(&part["data"]),
            (Some("data"), request) => self.call(&part["data"], request),
            _ => String::new(),
        }
    }

    fn call(&mut self, call: &Value, request: &Value) -> String {
        let number = SeenIds::number(&mut self.calls, request["callId"].as_str().unwrap_or_default());
        let outcome = call["outcome"].as_str().map(|outcome| format!(" {outcome}")).unwrap_or_default();
        let members = call.as_object().into_iter().flatten().map(|(name, value)| match name.as_str() {
            "confirmationDetails" => format!("{name}:{}{}", text(&value["type"]), keys(value)),
            "request" | "response" => format!("{name}{{{}}}", members(value)),
            "tool" => {
                let told =
                    value.as_object().into_iter().flatten().filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()));
                format!("{name}{{{}}}", joined_names(told))
            }
            _ => name.clone(),
        });
        let members: Vec<String> = members.collect();
        format!("#{number} {}{outcome} {}", text(&call["status"]), members.join(","))
    }
}

/// The members of a request or a response: the id of the model's answer with its value, what is shown with its members.
fn members(value: &Value) -> String {
    let members = value.as_object().into_iter().flatten().map(|(name, value)| match name.as_str() {
        "args" => format!("{name}({})", names_in(value)),
        "display" | "resultDisplay" if value.is_object() => format!("{name}{}", keys(value)),
        _ => traced(name, value),
    });
    Vec::from_iter(members).join(",")
}

/// The name of a member. What the model's answer is called is told, too: it is not ours to choose.
fn traced(name: &str, value: &Value) -> String {
    if name == "traceId" { format!("{name}:{}", text(value)) } else { name.to_owned() }
}

/// True if an artifact is a piece of a turn's answer, not what a call prints.
fn is_answer(event: &Value) -> bool {
    text(&event["artifact"]["artifactId"]).starts_with("answer-")
}

/// The number of the call that a line is about.
fn call_in(line: &str) -> Option<usize> {
    let (_, rest) = line.split_once(" tool-call-")?;
    rest.split_once(" #")?.1.split_once(' ')?.0.parse().ok()
}

/// Two lines as one, when they are pieces of one text or outputs of one call.
pub(crate) fn joined(first: &str, second: &str) -> Option<String> {
    if first.starts_with("prints ") && second.starts_with("prints ") {
        return Some(second.to_owned());
    }
    if let (Some(first), Some(second)) = (first.strip_prefix("answers \""), second.strip_prefix("answers \"")) {
        return Some(format!("answers \"{}{second}", first.strip_suffix('"')?));
    }
    let ((head, first), (other, second)) = (first.split_once(" text-content")?, second.split_once(" text-content")?);
    let ((meta, one), (more, two)) = (first.split_once(" \"")?, second.split_once(" \"")?);
    let text = format!("{}{two}", one.strip_suffix('"')?);
    (head == other && meta == more).then(|| format!("{head} text-content{meta} \"{text}"))
}

fn keys(value: &Value) -> String {
    format!("{{{}}}", names_in(value))
}

fn names_in(value: &Value) -> String {
    joined_names(value.as_object().into_iter().flatten())
}

fn joined_names<'a>(members: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    Vec::from_iter(members.map(|(name, _)| name.as_str())).join(",")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
