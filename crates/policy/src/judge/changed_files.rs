//! Rules that limit the tools for one file limit the file, however it is reached: by a patch, or by a link. What may not be written, and
//! what asks, is the same whichever tool and whichever name a model takes.

use super::{PolicyEvaluation, ProvisionalFinding, grants};
use crate::policy_request::PolicyRequest;
use crate::policy_request::{PolicyDecision, PolicyFinding};
use crate::rule::RuleTier;
use pollux_session::{BuiltInTool, FileDiff, PatchedFile};
use serde_json::{Value, json};

/// The argument in which the tools that write one file name it.
const FILE_PATH: &str = "file_path";
/// The tools that write one file.
const ONE_FILE_TOOLS: [BuiltInTool; 2] = [BuiltInTool::WriteFile, BuiltInTool::Replace];

impl PolicyEvaluation<'_> {
    /// What a person's own rules deny or ask of the files of a patch, had each been written by itself.
    pub(super) fn judge_patched_files(&self, files: &[PatchedFile]) -> Vec<PolicyFinding> {
        let names = files.iter().flat_map(|file| names_of(file).map(move |path| (file, path)));
        let alone = |(file, path)| {
            ONE_FILE_TOOLS.map(|tool| self.judge_as_named(tool.name(), path, |name| arguments_for(tool, name, file)))
        };
        names.flat_map(alone).flatten().collect()
    }

    /// What a person's own rules deny or ask of the file that a tool for one file changes, had it been named by where it really is.
    /// What `judged`, the finding about the call as it was made, has said is not said again.
    pub(super) fn judge_written_file(&self, diff: &FileDiff, judged: &PolicyFinding) -> Vec<PolicyFinding> {
        let named = self.request.obeyed_args;
        if named.get(FILE_PATH).is_none() {
            return Vec::new();
        }
        let arguments = |name: &str| {
            let mut arguments = named.clone();
            arguments[FILE_PATH] = name.into();
            arguments
        };
        let found = self.judge_as_named(self.request.tool, &diff.path, arguments);
        let is_new = |found: &PolicyFinding| found.rule != judged.rule || found.decision != judged.decision;
        found.into_iter().filter(is_new).collect()
    }

    /// What limits `tool` when it is told of the file at `path`. Limits hold however a path is written.
    fn judge_as_named(&self, tool: &str, path: &str, arguments: impl Fn(&str) -> Value) -> Option<PolicyFinding> {
        let absolute = self.request.workspace.join(path);
        let relative = absolute.strip_prefix(self.request.workspace).unwrap_or(&absolute).to_string_lossy();
        let (given, obeyed) = (arguments(&absolute.to_string_lossy()), arguments(&relative));
        let request = PolicyRequest { tool, args: &given, obeyed_args: &obeyed, ..*self.request };
        let alone = PolicyEvaluation::new(self.rules.clone(), self.broken, &request);
        alone.limiting_finding(self.request.tool, &relative)
    }

    /// What a rule that is not ours limits, unless it speaks of all calls of `called` as well: then the call was judged by it.
    fn limiting_finding(&self, called: &str, shown: &str) -> Option<PolicyFinding> {
        let (mut opinion, rule): (ProvisionalFinding, _) = self.decide(shown, None, None);
        let rule = rule?;
        let is_judged = rule.names_tool(called, None) && rule.args.is_none();
        if rule.tier == RuleTier::Default || rule.decision == PolicyDecision::Allow || is_judged {
            return None;
        }
        grants::apply_grants(&mut opinion, self.request, None, None);
        (opinion.finding.decision != PolicyDecision::Allow).then_some(opinion.finding)
    }
}

/// Every path by which rules may know a file: where it is, and how the patch calls it.
fn names_of(file: &PatchedFile) -> impl Iterator<Item = &str> {
    file.paths().chain(file.written.iter().map(String::as_str))
}

/// The arguments with which `tool` would make the change of `file`, which it is told of as `path`.
fn arguments_for(tool: BuiltInTool, path: &str, file: &PatchedFile) -> Value {
    if tool == BuiltInTool::WriteFile {
        return json!({ FILE_PATH: path, "content": file.diff.new });
    }
    let hunks = || file.diff.patch.lines().skip_while(|line| !line.starts_with("@@"));
    let signed = |sign: char| hunks().filter_map(|line| line.strip_prefix(sign)).collect::<Vec<_>>().join("\n");
    json!({ FILE_PATH: path, "old_string": signed('-'), "new_string": signed('+') })
}
