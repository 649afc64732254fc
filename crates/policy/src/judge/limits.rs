//! What rules say against what a command runs besides itself: they limit a program also where another one starts it.

use super::{
    GrantOverride, PolicyEvaluation, ProvisionalFinding, ShellCommand, ShellPart, grants, is_limit, is_usual_ask,
};
use crate::policy_request::PolicyDecision;
use crate::rule::{CommandTest, PolicyRule, SimpleCommand};
use crate::shell::{self, CommandDoubt, ShellScript};
use std::collections::HashSet;

/// Parts of a command that are done with, each as plain text.
#[derive(Default)]
pub(super) struct JudgedParts {
    all: HashSet<String>,
    /// Those that were allowed because they do nothing but look.
    only_looking: HashSet<String>,
}

impl JudgedParts {
    pub(super) fn new<'o>(parts: impl Iterator<Item = (SimpleCommand, &'o ProvisionalFinding)>) -> JudgedParts {
        let mut judged = JudgedParts::default();
        for (part, opinion) in parts {
            let text = part.plain_text();
            if opinion.only_looks() {
                judged.only_looking.insert(text.clone());
            }
            judged.all.insert(text);
        }
        judged
    }
}

impl PolicyEvaluation<'_> {
    /// A program may run another one that its arguments name, and a rule may forbid that one: what the rules say of
    /// everything that `parts` run, and of what cannot be seen there. Those in `judged` are done with.
    pub(super) fn limits_on_run(
        &self,
        command: ShellCommand<'_>,
        parts: impl Iterator<Item = SimpleCommand>,
        judged: &JudgedParts,
        fallback: &(ProvisionalFinding, Option<&PolicyRule>),
    ) -> Vec<ProvisionalFinding> {
        let mut opinions = Vec::new();
        for part in parts {
            let ShellScript { mut commands, doubts, unseen_scripts, is_cut_short } = shell::read_command(part);
            commands.retain(|part| !judged.only_looking.contains(&part.plain_text()));
            // A person's rule allows the program, and not what stands in its arguments.
            let mentioned = self.find_mentioned(&commands);
            commands.retain(|part| !judged.all.contains(&part.plain_text()));
            opinions.extend(self.limits_on(command, &commands));
            if self.limit_on_commands().is_some() || is_cut_short {
                let unclear = doubts.iter().chain(&unseen_scripts).chain(&mentioned);
                opinions.extend(unclear.map(|doubt| self.judge_doubt(doubt, fallback)));
            }
        }
        opinions
    }

    /// Whether `rule` speaks of the tool and of whoever calls it.
    fn is_for_caller(&self, rule: &PolicyRule) -> bool {
        let is_caller = rule.subagent.is_none() || rule.subagent.as_deref() == self.request.subagent;
        is_caller && rule.names_tool(self.request.tool, None)
    }

    /// Commands that a person's own rule limits, and that stand in the arguments of `parts` where nothing says what becomes
    /// of them.
    pub(super) fn find_mentioned(&self, parts: &[SimpleCommand]) -> Vec<CommandDoubt> {
        let tests = self.rules.iter().filter(|rule| is_limit(rule) && self.is_for_caller(rule));
        let limits: Vec<(PolicyDecision, &CommandTest)> =
            tests.filter_map(|rule| Some((rule.decision, rule.command.as_ref()?))).collect();
        let doubt = |part: &SimpleCommand| {
            let why = match shell::find_mentions(part) {
                Some(mentions) => {
                    let mention = limits.iter().find_map(|(decision, test)| test.find_mention(*decision, &mentions))?;
                    format!("it may run `{}`", shell::excerpt(&mention))
                }
                None => "its arguments are too long to judge".to_owned(),
            };
            Some(CommandDoubt { text: part.text.clone(), why })
        };
        if limits.is_empty() { Vec::new() } else { parts.iter().filter_map(doubt).collect() }
    }

    /// What the rules say of `parts` beyond that commands ask.
    fn limits_on(&self, command: ShellCommand<'_>, parts: &[SimpleCommand]) -> Vec<ProvisionalFinding> {
        let mut opinions = Vec::new();
        for part in parts {
            let shell_part = ShellPart { command: part, planned: None, is_only: false };
            let (mut opinion, rule) = self.decide(&part.text, Some(command), Some(shell_part));
            if opinion.grant_override == GrantOverride::ToWholeGrants {
                grants::apply_grants(&mut opinion, self.request, None, None);
            }
            if opinion.finding.decision != PolicyDecision::Allow && !is_usual_ask(rule) {
                opinions.push(opinion);
            }
        }
        opinions
    }
}
