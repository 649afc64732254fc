//! The agents that come with Pollux.

use super::definition::{DefinitionSource, LocalSubagent, SubagentDefinition, SubagentKind, TIME, TURNS};
use pollux_session::BuiltInTool;

/// They are overruled by files of the same name.
pub(crate) fn built_in_agents() -> Vec<SubagentDefinition> {
    let local = |prompt: &str, tools: Option<&[BuiltInTool]>| {
        let tools = tools.map(|tools| tools.iter().map(|tool| tool.name().to_owned()).collect());
        SubagentKind::Local(LocalSubagent { prompt: prompt.to_owned(), tools, model: None, turns: TURNS, time: TIME })
    };
    vec![
        SubagentDefinition {
            name: "codebase_investigator".into(),
            description: "Reads its way through the code base and reports how something works: which files and \
                          symbols matter, how they depend on each other, where a change belongs. Changes nothing. Use \
                          it before a change that touches code you have not seen, or for a vague bug report."
                .into(),
            source: DefinitionSource::BuiltIn,
            kind: local(INVESTIGATOR, Some(&READ_TOOLS)),
        },
        SubagentDefinition {
            name: "generalist".into(),
            description: "Does a whole job by itself, with the same tools as you: many similar edits, a command with \
                          long output, a search through many files. Use it to keep such work out of this conversation."
                .into(),
            source: DefinitionSource::BuiltIn,
            kind: local(GENERALIST, None),
        },
    ]
}

/// The investigator's tools.
const READ_TOOLS: [BuiltInTool; 4] =
    [BuiltInTool::Glob, BuiltInTool::GrepSearch, BuiltInTool::ListDirectory, BuiltInTool::ReadFile];

const INVESTIGATOR: &str = "\
You investigate a code base for another agent, which will act on your report and has not seen what you see.
- Begin with what the task names; follow imports, callers and definitions from there until you understand the cause, not
  only the symptom.
- Search before you read, and read only the parts that matter.
- You cannot change anything and you cannot run anything.
Your report says: the answer; the files and symbols that matter, each with its path and why; how they work together;
what to watch out for. Leave out what you looked at in vain.";

const GENERALIST: &str = "\
You do one job for another agent, with the tools you have.
- Look before you change anything, and keep to the style you find.
- Do what was asked and nothing else. Check your work the way the project does: its tests, its build, its linter.
- A tool result that reports an error or a refusal is information. Do not repeat a declined call.
Your report says what you did, file by file, what you found out, and what you could not do.";

#[cfg(test)]
mod tests {
    #[test]
    fn they_have_names_that_files_could_have() {
        for agent in super::built_in_agents() {
            assert!(agent.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", agent.name);
            assert!(!agent.description.contains("  "), "{}", agent.description);
        }
    }
}
