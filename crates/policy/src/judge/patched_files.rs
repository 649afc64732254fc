//! Rules that limit the tools for one file limit a patch as well: what may not be written, and what asks, is the same whichever tool
//! a model takes.

use super::{PolicyEvaluation, ProvisionalFinding, grants};
use crate::policy_request::PolicyRequest;
use crate::policy_request::{PolicyDecision, PolicyFinding};
use crate::rule::RuleTier;
use pollux_session::{BuiltInTool, PatchedFile};
use serde_json::json;

/// The tools that write one file, and name it in `file_path`.
const ONE_FILE_TOOLS: [BuiltInTool; 2] = [BuiltInTool::WriteFile, BuiltInTool::Replace];

impl PolicyEvaluation<'_> {
    /// What a person's own rules deny or ask of the files of a patch, had each been written by itself.
    pub(super) fn judge_patched_files(&self, files: &[PatchedFile]) -> Vec<PolicyFinding> {
        let mut findings = Vec::new();
        for path in files.iter().flat_map(PatchedFile::paths) {
            let path = std::path::Path::new(path);
            let relative = path.strip_prefix(self.request.workspace).unwrap_or(path);
            // Limits hold however a path is written.
            let named = json!({ "file_path": relative.to_string_lossy() });
            let absolute = json!({ "file_path": path.to_string_lossy() });
            for tool in ONE_FILE_TOOLS {
                let request =
                    PolicyRequest { tool: tool.name(), args: &absolute, obeyed_args: &named, ..*self.request };
                let alone = PolicyEvaluation::new(self.rules.clone(), self.broken, &request);
                findings.extend(alone.limiting_finding(self.request.tool, &relative.to_string_lossy()));
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
