//! Rules that limit the tools for one file limit a patch as well: what may not be written, and what asks, is the same whichever tool
//! a model takes.

use super::{PolicyEvaluation, ProvisionalFinding, grants};
use crate::policy_request::PolicyRequest;
use crate::policy_request::{PolicyDecision, PolicyFinding};
use crate::rule::RuleTier;
use pollux_session::{BuiltInTool, PatchedFile};
use serde_json::{Value, json};

/// The tools that write one file, and name it in `file_path`.
const ONE_FILE_TOOLS: [BuiltInTool; 2] = [BuiltInTool::WriteFile, BuiltInTool::Replace];

impl PolicyEvaluation<'_> {
    /// What a person's own rules deny or ask of the files of a patch, had each been written by itself.
    pub(super) fn judge_patched_files(&self, files: &[PatchedFile]) -> Vec<PolicyFinding> {
        let mut findings = Vec::new();
        for (file, path) in files.iter().flat_map(|file| names_of(file).map(move |path| (file, path))) {
            // Limits hold however a path is written.
            let absolute = self.request.workspace.join(path);
            let relative = absolute.strip_prefix(self.request.workspace).unwrap_or(&absolute).to_string_lossy();
            for tool in ONE_FILE_TOOLS {
                let named = arguments_for(tool, &relative, file);
                let absolute = arguments_for(tool, &absolute.to_string_lossy(), file);
                let request =
                    PolicyRequest { tool: tool.name(), args: &absolute, obeyed_args: &named, ..*self.request };
                let alone = PolicyEvaluation::new(self.rules.clone(), self.broken, &request);
                findings.extend(alone.limiting_finding(self.request.tool, &relative));
            }
        }
        findings
    }

    /// What a rule that is not ours limits, unless it speaks of `patch_tool` as well: then that was judged by it.
    fn limiting_finding(&self, patch_tool: &str, shown: &str) -> Option<PolicyFinding> {
        let (mut opinion, rule): (ProvisionalFinding, _) = self.decide(shown, None, None);
        let rule = rule?;
        let is_judged = rule.names_tool(patch_tool, None) && rule.args.is_none();
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
        return json!({ "file_path": path, "content": file.diff.new });
    }
    let hunks = || file.diff.patch.lines().skip_while(|line| !line.starts_with("@@"));
    let signed = |sign: char| hunks().filter_map(|line| line.strip_prefix(sign)).collect::<Vec<_>>().join("\n");
    json!({ "file_path": path, "old_string": signed('-'), "new_string": signed('+') })
}
