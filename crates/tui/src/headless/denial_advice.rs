//! Advice when nobody is there to be asked: what was denied, and how to allow it next time.

use pollux_session::{ApprovalMode, AskDetails, CallState, Grant, ToolKind};

/// The way to have `call` done without a person, in a session of this mode.
pub(super) fn how_to_allow(call: &CallState, mode: ApprovalMode) -> String {
    let is_question =
        call.ask.as_ref().is_some_and(|ask| matches!(ask.details, AskDetails::Generic { schema: Some(_), .. }));
    // No mode and no flag answers for a person.
    let is_for_person = call.kind == ToolKind::Converse;
    if mode == ApprovalMode::Yolo && !is_question && !is_for_person {
        return "yolo mode is on, so this asks because of your policy: change the rule, repair the policy file that was \
                reported at the start, or run it where a person can answer"
            .into();
    }
    // Whatever no choice allows from now on is protected, and so no mode short of that for everything allows it.
    let is_protected = || call.ask.as_ref().is_some_and(|ask| ask.options.iter().all(|option| option.grant.is_none()));
    match call.ask.as_ref().map(|ask| &ask.details) {
        Some(AskDetails::Edit(_) | AskDetails::Patch { .. }) if is_protected() => {
            "it changes a protected file: run it where a person can answer, or again with --yolo to allow everything"
                .into()
        }
        Some(AskDetails::Generic { schema: None, .. }) if call.kind == ToolKind::Read && is_protected() => {
            "it reads a protected file, or much outside the workspace: run it where a person can answer, or again with --yolo to allow everything"
                .into()
        }
        Some(AskDetails::Generic { .. }) if outside_directory(call).is_some() => {
            let directory = outside_directory(call).and_then(shell_path).unwrap_or("DIRECTORY");
            format!(
                "it reads outside the workspace: run again with --include-directories {directory}, or with --yolo to \
                 allow everything"
            )
        }
        Some(AskDetails::Edit(_) | AskDetails::Patch { .. }) => {
            "run again with --approval-mode auto_edit to allow file changes, or with --yolo to allow everything".into()
        }
        Some(AskDetails::Generic { schema: Some(_), .. }) => {
            "it has a question: put the answer into the prompt, or run it where a person can answer".into()
        }
        Some(AskDetails::Generic { schema: None, .. }) if is_for_person => {
            "only a person can answer it: run it where one can".into()
        }
        Some(AskDetails::Execute { .. } | AskDetails::Mcp { .. } | AskDetails::Generic { schema: None, .. }) | None => {
            match (shell_word(&call.tool), beginning_of_command(call)) {
                (Some(tool), Some(words)) => format!(
                    "run again with --allowed-tools '{tool}({words})' to allow this command, or with --yolo to allow everything"
                ),
                (Some(tool), None) => format!(
                    "run again with --allowed-tools {tool} to allow this tool, or with --yolo to allow everything"
                ),
                (None, _) => "run again with --yolo to allow everything".into(),
            }
        }
    }
}

/// The longest beginning of a command that is named, in characters.
const BEGINNING_CHARS: usize = 80;

/// The words of a shell command that a rule for it needs: those that one of the choices allows, or else all of it. `None` where it is
/// more than plain words, because a rule for its beginning might not cover the rest.
fn beginning_of_command(call: &CallState) -> Option<String> {
    let ask = call.ask.as_ref()?;
    let AskDetails::Execute { command, .. } = &ask.details else { return None };
    let is_plain =
        |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, ' ' | '_' | '.' | '/' | '-' | '=' | ':' | '@' | '+');
    let fits = |words: &String| !words.is_empty() && words.len() <= BEGINNING_CHARS && words.chars().all(is_plain);
    let prefix = ask.options.iter().find_map(|option| match &option.grant {
        Some(Grant::Prefix { words, options, .. }) if options.is_empty() => Some(words.join(" ")),
        _ => None,
    });
    let whole = || command.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_one_command = command.chars().all(is_plain);
    is_one_command.then(|| prefix.unwrap_or_else(whole)).filter(fits)
}

/// The directory outside the workspace that one of the choices allows to read in.
fn outside_directory(call: &CallState) -> Option<&str> {
    let options = call.ask.as_ref()?.options.iter();
    options.filter_map(|option| option.grant.as_ref()).find_map(|grant| match grant {
        Grant::ReadDirectory { directory } => Some(directory.as_str()),
        _ => None,
    })
}

/// A path that a shell takes as it is.
fn shell_path(path: &str) -> Option<&str> {
    let plain = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '/' | '_' | '.' | '-');
    path.chars().all(plain).then_some(path)
}

/// A tool's name comes from a model or a server: only one that a shell takes as it is gets into advice.
fn shell_word(tool: &str) -> Option<&str> {
    let plain = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '_' | '.');
    (!tool.is_empty() && tool.len() <= 128 && tool.chars().all(plain)).then_some(tool)
}
