//! Programs that are of use by themselves and also run others: `env`. A rule for one is none for whatever it runs.

use super::{AllowedScope, PolicyEvaluation, ShellCommand, ShellPart};
use crate::built_in;
use crate::policy_request::PolicyDecision;
use crate::rule::{PolicyRule, SimpleCommand};
use crate::shell::{self, ShellWord};
use pollux_session::{PlanAuthority, PlannedWord};

/// Programs that do something also without another one.
const USEFUL_ALONE: [&str; 2] = ["command", "env"];

/// How often one may run another.
const MAX_DEPTH: usize = 10;

impl PolicyEvaluation<'_> {
    /// Why `rule`, which allows `part`, does not allow the program that `part` runs. That one needs a rule of a person's own: what is
    /// allowed because it only looks is checked and confined, and another program would start it without that.
    pub(super) fn object_to_inner(
        &self,
        command: ShellCommand<'_>,
        part: &SimpleCommand,
        rule: Option<&PolicyRule>,
        depth: usize,
    ) -> Option<String> {
        let name = part.name().map(|path| path.rsplit('/').next().unwrap_or(path))?;
        let inner = USEFUL_ALONE.contains(&name).then(|| shell::find_inner_command(&part.words)).flatten()?;
        let own = &part.words[1..inner.start];
        // The prefix that names the program, and no other one of the same rule.
        let names_inner = |prefix: &Vec<String>| {
            let mut words = prefix.iter().zip(&part.words);
            prefix.len() > inner.start && words.all(|(wanted, word)| word.literal() == Some(wanted.as_str()))
        };
        let is_named =
            |rule: &PolicyRule| rule.command.as_ref().is_some_and(|test| test.prefixes.iter().any(names_inner));
        if rule.is_some_and(is_named) {
            return None;
        }
        if own.iter().any(sets_unknown_variable) {
            return Some(format!("`{name}` sets a variable that may change what runs"));
        }
        let words = &part.words[inner];
        let planned: Option<Vec<PlannedWord>> =
            words.iter().map(|word| word.literal().map(PlannedWord::text)).collect();
        let inner = SimpleCommand::from_words(words.to_vec());
        let shell_part = ShellPart { command: &inner, planned: planned.as_deref(), is_only: false };
        if depth == MAX_DEPTH {
            return Some(format!("`{name}` runs itself more than {MAX_DEPTH} times"));
        }
        let (opinion, rule) = self.decide(&inner.text, Some(command), Some(shell_part));
        let by_person = opinion.scope != AllowedScope::Part(PlanAuthority::BuiltIn);
        let is_allowed = !words.is_empty() && opinion.finding.decision == PolicyDecision::Allow && by_person;
        if !is_allowed {
            return Some(format!("`{name}` runs another program, which no rule of yours allows"));
        }
        self.object_to_inner(command, &inner, rule, depth + 1)
    }

    /// What of a command the rule that allows it in part does not cover.
    pub(super) fn describe_words_beyond_rule(&self, command: ShellCommand<'_>, part: ShellPart<'_>) -> Option<String> {
        let subject = self.build_subject(Some(command), Some(part), (None, None));
        let mut allowing = self.rules.iter().filter(|rule| rule.decision == PolicyDecision::Allow);
        let (origin, task, words) = allowing.find_map(|rule| {
            let (task, words) = rule.command.as_ref()?.find_words_beyond(&subject)?;
            Some((&rule.origin, task, words))
        })?;
        let words = words.first()?;
        Some(format!("{origin} allows `{task}` with harmless options and operands in the workspace, and not `{words}`"))
    }
}

fn sets_unknown_variable(word: &ShellWord) -> bool {
    let name = word.literal().and_then(|text| text.split_once('=')).map(|(name, _)| name);
    name.is_some_and(|name| !name.starts_with('-') && !built_in::facts().is_safe_variable(name))
}
