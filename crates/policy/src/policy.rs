//! All the rules there are for one workspace, in order.

use crate::built_in;
use crate::judge::Bench;
use crate::options;
use crate::origin::{Problem, Severity};
use crate::request::{Judgement, Request};
use crate::rule::{Rule, Tier};
use crate::rule_file::{self, Place};
use crate::tool_settings::ToolSettings;
use pollux_session::Choice;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// The rules of one workspace.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The highest rank first; where ranks are equal, the strictest first.
    rules: Vec<Rule>,
    problems: Vec<Problem>,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy::new(&[], None, &ToolSettings::default())
    }
}

impl Policy {
    /// The built-in rules with those in `files`, each a path, its tier and its text, or why it cannot be read.
    ///
    /// `workspace` is the canonical path of the session's workspace: rules for another one are left out.
    pub fn new(
        files: &[(PathBuf, Tier, Result<String, String>)],
        workspace: Option<&Path>,
        settings: &ToolSettings,
    ) -> Policy {
        let mut policy = Policy { rules: built_in::rules().to_vec(), problems: built_in::problems().to_vec() };
        policy.rules.extend(settings.rules());
        for (path, tier, text) in files {
            let place = Place::File(path.clone());
            match text {
                Ok(text) => {
                    let parsed = rule_file::parse(text, &place, *tier, workspace);
                    policy.rules.extend(parsed.rules);
                    policy.problems.extend(parsed.problems);
                }
                Err(why) => policy.problems.push(Problem {
                    severity: Severity::Error,
                    at: place.at(1),
                    message: format!("the file cannot be read: {why}"),
                }),
            }
        }
        policy.rules.sort_by_key(order);
        policy
    }

    /// What is wrong with the rules.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// May the call run?
    pub fn judge(&self, request: &Request<'_>) -> Judgement {
        self.judge_with(request, None)
    }

    /// Whether the call asks about an MCP tool that was allowed before, and that its server has changed since.
    pub fn asks_because_tool_changed(&self, request: &Request<'_>) -> bool {
        self.bench(request, None).change_of_mcp_tool().is_some()
    }

    /// What a person may choose when it asks. Each label says exactly what is granted, and nothing is offered that
    /// would not keep the same call from asking again.
    pub fn options(&self, request: &Request<'_>) -> Vec<Choice> {
        options::options(self, request)
    }

    /// Judge as if there were one more rule.
    pub(crate) fn judge_with(&self, request: &Request<'_>, extra: Option<&Rule>) -> Judgement {
        self.bench(request, extra).judge()
    }

    fn bench<'a>(&'a self, request: &'a Request<'a>, extra: Option<&'a Rule>) -> Bench<'a> {
        let mut rules: Vec<&Rule> = self
            .rules
            .iter()
            .chain(extra)
            .filter(|rule| rule.in_force(request.mode, request.workspace_trusted))
            .collect();
        if extra.is_some() {
            rules.sort_by_key(|rule| order(rule));
        }
        let broken = self.problems.iter().find(|problem| problem.severity == Severity::Error);
        Bench::new(rules, broken, request)
    }
}

fn order(rule: &Rule) -> impl Ord + use<> {
    (Reverse(rule.rank()), Reverse(rule.decision))
}
