//! Actions of a model and its tools in the tests, one report at a time.

use super::ScriptedSession;
use pollux_session::{
    Ask, AskDetails, CallOutcome, CallResult, Effect, FileDiff, ItemKind, ModelFragment, ModelUsage, NewCall,
    PolicyVerdict, Report, ResultDisplay, RuntimeDescription, SessionInput, ToolKind, TurnFailure, cancel_choice,
    once_choice,
};
use serde_json::{Value, json};

/// The file every test writes.
pub(crate) fn diff() -> FileDiff {
    FileDiff {
        name: "hello.txt".into(),
        path: "/w/hello.txt".into(),
        old: None,
        new: "hello\n".into(),
        patch: "+hello\n".into(),
    }
}

/// The diff on the wire.
pub(crate) fn diff_json() -> Value {
    json!({"file_name": "hello.txt", "file_path": "/w/hello.txt", "new_content": "hello\n", "formatted_diff": "+hello\n"})
}

/// The options every ask offers, on the wire.
pub(crate) fn options_json() -> Value {
    json!([
        {
            "id": "proceed_once", "name": "Allow once",
            "description": "This call runs. The next one like it asks again.",
        },
        {"id": "cancel", "name": "Cancel", "description": "This call does not run."},
    ])
}

pub(crate) fn thinks(effect: &Effect) -> bool {
    matches!(effect, Effect::Think { .. })
}

pub(crate) fn vets(effect: &Effect) -> bool {
    matches!(effect, Effect::Vet { .. })
}

pub(crate) fn runs(effect: &Effect) -> bool {
    matches!(effect, Effect::Run { .. })
}

/// The provider's name for every answer of the script.
pub(crate) const RESPONSE: &str = "response-1";

/// The name, for a report.
pub(crate) fn response() -> Option<String> {
    Some(RESPONSE.to_owned())
}

fn fragment(kind: ItemKind, text: &str) -> ModelFragment {
    ModelFragment { kind, text: text.into(), end: None }
}

impl ScriptedSession {
    /// A command answers the turn: it says `text`, and is done.
    pub(crate) fn obeys(&self, name: &str, text: &str) {
        self.report(thinks, Report::Commanded { name: name.into() });
        self.step_done(text, &[]);
    }

    /// Another process holds the session from here on, which knows the plan of the person.
    pub(crate) fn wakes_with_tier(&self, tier: &str) {
        let equipment = RuntimeDescription {
            model: "script".into(),
            user_tier: Some(tier.into()),
            ..RuntimeDescription::default()
        };
        self.input(&SessionInput::Woken(equipment)).expect("waking is never refused");
    }

    /// The turn cannot go on.
    pub(crate) fn fails(&self, kind: &str, message: &str) {
        let failure = TurnFailure { kind: kind.into(), message: message.into() };
        self.report(thinks, Report::StepFailed { failure });
    }

    /// The model says a piece of text.
    pub(crate) fn says(&self, text: &str) {
        self.report(thinks, Report::Said { fragments: vec![fragment(ItemKind::Text, text)], response: response() });
    }

    /// The model thinks a piece of a thought.
    pub(crate) fn muses(&self, text: &str) {
        self.report(thinks, Report::Said { fragments: vec![fragment(ItemKind::Thought, text)], response: response() });
    }

    /// The model is done with its step, and wants these calls.
    pub(crate) fn step_done(&self, text: &str, calls: &[(&str, Value)]) {
        let fragments = if text.is_empty() { Vec::new() } else { vec![fragment(ItemKind::Text, text)] };
        let call =
            |(tool, args): &(&str, Value)| NewCall { tool: (*tool).to_owned(), args: args.clone(), meta: Value::Null };
        let calls = calls.iter().map(call).collect();
        let (finish, usage, citations) = ("STOP".into(), ModelUsage::default(), Vec::new());
        self.report(thinks, Report::StepDone { fragments, calls, finish, usage, citations, response: response() });
    }

    /// The model wants to write the file, and policy asks.
    pub(crate) fn asks_to_write(&self) {
        self.step_done("", &[("write_file", json!({"file_path": "hello.txt"}))]);
        let ask = Ask::new(AskDetails::Edit(diff()), vec![once_choice(), cancel_choice()]);
        self.report(vets, Report::Vetted { kind: ToolKind::Edit, verdict: PolicyVerdict::Ask(ask) });
    }

    /// The model wants to run a command, and policy asks.
    pub(crate) fn asks_to_run(&self, command: &str) {
        self.asks_to_run_all(&[command]);
    }

    /// The model wants to run these commands, and policy asks about each.
    pub(crate) fn asks_to_run_all(&self, commands: &[&str]) {
        let call = |command: &&str| ("run_shell_command", json!({"command": command}));
        self.step_done("", &commands.iter().map(call).collect::<Vec<_>>());
        for command in commands {
            let details = AskDetails::Execute { command: (*command).into(), directory: "/w".into() };
            let ask = Ask::new(details, vec![once_choice(), cancel_choice()]);
            self.report(vets, Report::Vetted { kind: ToolKind::Execute, verdict: PolicyVerdict::Ask(ask) });
        }
    }

    /// The allowed call starts.
    pub(crate) fn starts(&self) {
        self.report(runs, Report::Starting);
    }

    /// The running call prints something.
    pub(crate) fn prints(&self, text: &str) {
        self.report(runs, Report::Output { text: text.into(), skipped: 0 });
    }

    /// The running call has written the file.
    pub(crate) fn has_written(&self) {
        let result =
            CallResult { text: "written".into(), display: Some(ResultDisplay::Diff(diff())), ..Default::default() };
        self.report(runs, Report::Done { outcome: CallOutcome::Succeeded { result } });
    }

    /// The running call is over.
    pub(crate) fn ends(&self, outcome: CallOutcome) {
        self.report(runs, Report::Done { outcome });
    }
}
