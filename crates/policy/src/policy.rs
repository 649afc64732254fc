//! All the rules there are for one workspace, in order.

use crate::ask_options;
use crate::built_in;
use crate::judge::PolicyEvaluation;
use crate::policy_request::{PolicyDecision, PolicyJudgement, PolicyRequest};
use crate::rule::{PolicyRule, RuleTier};
use crate::rule_file::{self, RuleSource};
use crate::rule_origin::{PolicyProblem, ProblemSeverity};
use crate::tool_permissions::ToolPermissions;
use pollux_session::{ApprovalMode, AskOption, BuiltInTool, ToolKind};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// The rules of one workspace.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The highest rank first; where ranks are equal, the strictest first.
    rules: Vec<PolicyRule>,
    problems: Vec<PolicyProblem>,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy::new(&[], None, &ToolPermissions::default())
    }
}

impl Policy {
    /// The built-in rules with those in `files`, each a path, its tier and its text, or why it cannot be read.
    ///
    /// `workspace` is the canonical path of the session's workspace: rules for another one are left out.
    pub fn new(
        files: &[(PathBuf, RuleTier, Result<String, String>)],
        workspace: Option<&Path>,
        settings: &ToolPermissions,
    ) -> Policy {
        let mut policy = Policy { rules: built_in::rules().to_vec(), problems: built_in::problems().to_vec() };
        policy.rules.extend(settings.rules());
        for (path, tier, text) in files {
            let place = RuleSource::File(path.clone());
            match text {
                Ok(text) => {
                    let parsed = rule_file::parse(text, &place, *tier, workspace);
                    policy.rules.extend(parsed.rules);
                    policy.problems.extend(parsed.problems);
                }
                Err(why) => policy.problems.push(PolicyProblem {
                    severity: ProblemSeverity::Error,
                    at: place.origin_at(1),
                    message: format!("the file cannot be read: {why}"),
                }),
            }
        }
        policy.rules.sort_by_key(sort_key);
        policy
    }

    /// What is wrong with the rules.
    pub fn problems(&self) -> &[PolicyProblem] {
        &self.problems
    }

    /// May the call run?
    pub fn judge(&self, request: &PolicyRequest<'_>) -> PolicyJudgement {
        self.judge_with(request, None)
    }

    /// Whether the call asks about an MCP tool that was allowed before, and that its server has changed since.
    pub fn asks_because_tool_changed(&self, request: &PolicyRequest<'_>) -> bool {
        self.evaluation(request, None).describe_changed_mcp_tool().is_some()
    }

    /// Whether a rule of a person, or of whoever runs the machine, may allow changes of files in this mode without a question.
    /// Which files, it does not say.
    pub fn may_allow_file_changes(&self, mode: ApprovalMode, trusted: bool) -> bool {
        let changes_files = |rule: &PolicyRule| {
            BuiltInTool::ALL.iter().any(|tool| tool.changes_file() && rule.names_tool(tool.name(), None))
        };
        self.rules.iter().any(|rule| {
            rule.tier != RuleTier::Default
                && rule.decision == PolicyDecision::Allow
                && rule.is_in_force(mode, trusted)
                && changes_files(rule)
        })
    }

    /// Whether every change of a file is denied in this mode: no rule of a person's, or of whoever runs the machine, has it
    /// otherwise.
    pub fn forbids_file_changes(&self, mode: ApprovalMode, trusted: bool) -> bool {
        let changes_files = |rule: &PolicyRule| {
            BuiltInTool::ALL.iter().any(|tool| tool.kind() == ToolKind::Edit && rule.names_tool(tool.name(), None))
        };
        let is_exception = |rule: &PolicyRule| {
            rule.tier != RuleTier::Default
                && rule.decision != PolicyDecision::Deny
                && rule.is_in_force(mode, trusted)
                && changes_files(rule)
        };
        mode == ApprovalMode::Plan && !self.rules.iter().any(is_exception)
    }

    /// What a person may choose when it asks. Each label says exactly what is granted, and nothing is offered that
    /// would not keep the same call from asking again.
    pub fn options(&self, request: &PolicyRequest<'_>) -> Vec<AskOption> {
        ask_options::ask_options(self, request)
    }

    /// Judge as if there were one more rule.
    pub(crate) fn judge_with(&self, request: &PolicyRequest<'_>, extra: Option<&PolicyRule>) -> PolicyJudgement {
        self.evaluation(request, extra).judge()
    }

    fn evaluation<'a>(&'a self, request: &'a PolicyRequest<'a>, extra: Option<&'a PolicyRule>) -> PolicyEvaluation<'a> {
        let mut rules: Vec<&PolicyRule> = self
            .rules
            .iter()
            .chain(extra)
            .filter(|rule| rule.is_in_force(request.mode, request.workspace_trusted))
            .collect();
        if extra.is_some() {
            rules.sort_by_key(|rule| sort_key(rule));
        }
        let broken = self.problems.iter().find(|problem| problem.severity == ProblemSeverity::Error);
        PolicyEvaluation::new(rules, broken, request)
    }
}

fn sort_key(rule: &PolicyRule) -> impl Ord + use<> {
    (Reverse(rule.rank()), Reverse(rule.decision))
}
