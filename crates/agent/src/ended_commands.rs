//! Commands in the background end with the process of ours that started them. When the conversation goes on in another process,
//! the model and the person are told which.

use pollux_session::{
    BuiltInTool, CallId, CallOutcome, ENDED_ATTACHMENT, Report, Transcript, TranscriptLine, one_line,
};

/// The most commands that are named.
const MAX_NAMED: usize = 20;
/// How many characters of each.
const COMMAND_CHARS: usize = 200;

/// The report of commands that have ended and were not reported yet. Those of `first_own` and later calls are this process's own.
pub(crate) fn describe_ended_commands(transcript: &Transcript, first_own: Option<CallId>) -> Option<Report> {
    let mut commands = Vec::new();
    for line in transcript.lines() {
        match line {
            // All that had ended by then was told.
            TranscriptLine::Attachment { name, .. } if name.starts_with(ENDED_ATTACHMENT) => commands.clear(),
            TranscriptLine::Call { id, .. } if first_own.is_none_or(|first| *id < first) => {
                commands.extend(left_in_background(line));
            }
            _ => {}
        }
    }
    let newest = &commands[commands.len().saturating_sub(MAX_NAMED)..];
    if newest.is_empty() {
        return None;
    }
    let listed: String = newest.iter().map(|command| format!("- `{command}`\n")).collect();
    let text = format!(
        "[Pollux was restarted, and what ran in the background has ended with it:\n{listed}Start again what is still \
         needed.]"
    );
    Some(Report::Attached {
        name: format!("{ENDED_ATTACHMENT}{}", newest.join(", ")),
        text,
        media: Vec::new(),
        seen: Vec::new(),
    })
}

/// The command that a call has left in the background, on one line.
fn left_in_background(line: &TranscriptLine) -> Option<String> {
    let TranscriptLine::Call { tool, args, outcome: Some(CallOutcome::Succeeded { result }), .. } = line else {
        return None;
    };
    let is_left = *tool == BuiltInTool::RunShellCommand.name()
        && args.get("is_background").and_then(serde_json::Value::as_bool) == Some(true)
        && result.exit_code.is_none();
    let command = args.get("command").and_then(serde_json::Value::as_str).filter(|_| is_left)?;
    Some(one_line(command, COMMAND_CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pollux_session::{CallResult, Entry, EntryAuthor, Event, PromptId, Seq, SessionId, ToolKind, UnixMillis};
    use pretty_assertions::assert_eq;
    use serde_json::{Value, json};

    /// A turn with a call for each of `commands`: its arguments, and its exit code if it has ended.
    fn after(commands: &[(Value, Option<i32>)], attached: &[&str]) -> Transcript {
        let task = "01890000-0000-7000-8000-000000000001".parse::<SessionId>().unwrap().main_task();
        let mut events = vec![Event::TurnStarted {
            prompt: PromptId(Seq(1)),
            task,
            model: "m".into(),
            mode: pollux_session::ApprovalMode::Default,
            tools: vec![],
        }];
        for (args, exit_code) in commands {
            let (tool, args) = (BuiltInTool::RunShellCommand.name().to_owned(), args.clone());
            let call = CallId(Seq(events.len() as u64 + 1));
            let result = CallResult { exit_code: *exit_code, ..CallResult::default() };
            let why = String::new();
            events.push(Event::Called { tool, args, meta: Value::Null, replaces: None, parent: None });
            events.push(Event::Allowed { call, kind: ToolKind::Execute, why, plan: None });
            events.push(Event::CallEnded { call, outcome: CallOutcome::Succeeded { result } });
        }
        let attachment = |name: &&str| Event::Attached {
            name: (*name).into(),
            text: String::new(),
            media: vec![],
            seen: Vec::new(),
        };
        events.extend(attached.iter().map(attachment));
        let entry =
            |(event, seq)| Entry { seq: Seq(seq), at: UnixMillis(0), by: EntryAuthor::Agent, task: None, event };
        Transcript::fold(&events.into_iter().zip(1..).map(entry).collect::<Vec<_>>())
    }

    fn told(transcript: &Transcript, first_own: Option<CallId>) -> Option<(String, String)> {
        describe_ended_commands(transcript, first_own).map(|report| match report {
            Report::Attached { name, text, .. } => (name, text),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn commands_of_an_earlier_process_are_told_once() {
        let left = (json!({"command": "npm run dev", "is_background": true}), None);
        let ended = (json!({"command": "make", "is_background": true}), Some(0));
        let ordinary = (json!({"command": "ls"}), None);
        let commands = [left.clone(), ended, ordinary];
        let (name, text) = told(&after(&commands, &[]), None).unwrap();
        assert_eq!(name, "& npm run dev");
        assert_eq!(
            text,
            "[Pollux was restarted, and what ran in the background has ended with it:\n- `npm run dev`\nStart again what is \
             still needed.]"
        );
        assert_eq!(told(&after(&commands, &["@a.rs"]), Some(CallId(Seq(2)))), None);
        assert_eq!(told(&after(&commands, &["@a.rs"]), Some(CallId(Seq(3)))).unwrap().0, "& npm run dev");
        assert_eq!(told(&after(&commands, &["& npm run dev"]), None), None);
        assert_eq!(told(&after(&[], &[]), None), None);
        let many = vec![left; 30];
        assert_eq!(told(&after(&many, &[]), None).unwrap().0.matches("npm").count(), MAX_NAMED);
        let long = [(json!({"command": format!("x\n{}", "y".repeat(100_000)), "is_background": true}), None)];
        let (name, text) = told(&after(&long, &[]), None).unwrap();
        assert!(name.len() < 300 && text.len() < 400 && name.starts_with("& x⏎yyy"), "{name}");
    }
}
