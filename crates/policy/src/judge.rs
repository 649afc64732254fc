//! The judgement of one call: its parts are held against the rules, then against what was granted, and the strictest
//! finding is the verdict.

mod changed_files;
mod grants;
mod inner_commands;
mod limits;
mod plan;

#[cfg(test)]
mod tests;

use crate::directory;
use crate::policy_request::{PolicyDecision, PolicyFinding, PolicyJudgement, PolicyRequest};
use crate::programs;
use crate::rule::{
    ArgumentTexts, McpDigest, PartArguments, PolicyRule, RedirectionPolicy, RuleFirmness, RuleMatch, RuleSubject,
    RuleTier, SimpleCommand,
};
use crate::rule_origin::PolicyProblem;
use crate::shell::{self, CommandDoubt, ShellScript};
use crate::silent::{self, NotSilent, SilentCommand, SilentScript};
use crate::stable_json::to_stable_json;
use limits::JudgedParts;
use pollux_session::{ApprovalMode, AskDetails, CommandPlan, Grant, PlanAuthority, PlannedWord, ToolKind};
use std::cell::OnceCell;

/// One call before the rules that are in force.
pub(crate) struct PolicyEvaluation<'a> {
    /// Highest first.
    rules: Vec<&'a PolicyRule>,
    /// A file that could not be read: what it forbids is not known.
    broken: Option<&'a PolicyProblem>,
    request: &'a PolicyRequest<'a>,
    args: ArgumentTexts,
}

/// A finding on its way.
pub(crate) struct ProvisionalFinding {
    pub(crate) finding: PolicyFinding,
    /// Whether what was granted may turn asking into allowing.
    pub(crate) grant_override: GrantOverride,
    /// What an allowed command may run as.
    pub(crate) scope: AllowedScope,
}

impl ProvisionalFinding {
    /// Whether a built-in rule allows it, because it does nothing but look.
    fn only_looks(&self) -> bool {
        let by_built_in_rule = self.scope == AllowedScope::Part(PlanAuthority::BuiltIn);
        self.finding.decision == PolicyDecision::Allow && by_built_in_rule
    }

    /// Whether the whole command may run, in a shell.
    fn allows_whole(&self) -> bool {
        self.finding.decision == PolicyDecision::Allow && self.scope == AllowedScope::Whole
    }
}

/// Whether an opinion yields to a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GrantOverride {
    No,
    /// Only to one of this very command, or of all commands.
    ToWholeGrants,
    Allowed,
}

/// How much of a command whoever allowed it has spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllowedScope {
    /// All of it, or all commands: it may run in a shell.
    Whole,
    /// This part, which must run as it was read.
    Part(PlanAuthority),
}

impl AllowedScope {
    fn from_rule(rule: &PolicyRule) -> AllowedScope {
        let speaks_of_all = rule.command.is_none() && rule.args.is_none();
        match rule.tier {
            _ if rule.is_exact() || speaks_of_all => AllowedScope::Whole,
            RuleTier::Default => AllowedScope::Part(PlanAuthority::BuiltIn),
            RuleTier::Workspace | RuleTier::User | RuleTier::Admin => AllowedScope::Part(PlanAuthority::Person),
        }
    }
}

/// A shell command before the rules: as it was read, and where it runs.
#[derive(Clone, Copy)]
struct ShellCommand<'a> {
    text: &'a str,
    /// Where the call starts it.
    directory: &'a str,
    silent: Result<&'a SilentScript, &'a NotSilent>,
}

/// A part of a shell command.
#[derive(Clone, Copy)]
struct ShellPart<'p> {
    command: &'p SimpleCommand,
    /// Its words, if it can run without a shell.
    planned: Option<&'p [PlannedWord]>,
    /// Whether the whole command has no other part.
    is_only: bool,
}

impl<'a> PolicyEvaluation<'a> {
    pub(crate) fn new(
        rules: Vec<&'a PolicyRule>,
        broken: Option<&'a PolicyProblem>,
        request: &'a PolicyRequest<'a>,
    ) -> PolicyEvaluation<'a> {
        let args = ArgumentTexts { given: to_stable_json(request.args), obeyed: to_stable_json(request.obeyed_args) };
        PolicyEvaluation { rules, broken, request, args }
    }

    pub(crate) fn judge(&self) -> PolicyJudgement {
        match self.request.details {
            AskDetails::Execute { command, directory } => {
                let silent = silent::read(command);
                self.judge_shell(ShellCommand { text: command, directory, silent: silent.as_ref() })
            }
            AskDetails::Edit(_) | AskDetails::Patch { .. } | AskDetails::Generic { .. } | AskDetails::Mcp { .. } => {
                let mut opinion = self.judge_tool();
                self.ask_for_outside(&mut opinion);
                self.ask_for_protected(&mut opinion);
                let limits = match self.request.details {
                    AskDetails::Patch { files } => self.judge_patched_files(files),
                    AskDetails::Edit(diff) => self.judge_written_file(diff, &opinion.finding),
                    AskDetails::Execute { .. } | AskDetails::Generic { .. } | AskDetails::Mcp { .. } => Vec::new(),
                };
                summarise_findings(std::iter::once(opinion.finding).chain(limits).collect(), None)
            }
        }
    }

    /// A call that is no shell command.
    fn judge_tool(&self) -> ProvisionalFinding {
        let (mut opinion, _) = self.decide(self.request.tool, None, None);
        grants::apply_grants(&mut opinion, self.request, None, None);
        if opinion.finding.decision == PolicyDecision::Ask
            && let Some(why) = self.describe_changed_mcp_tool()
        {
            opinion.finding.why = why;
        }
        opinion
    }

    /// That the MCP tool in question was allowed before, and that its server has changed it since.
    pub(crate) fn describe_changed_mcp_tool(&self) -> Option<String> {
        let subject = self.build_subject(None, None, (None, None));
        let (server, tool) = subject.mcp?;
        let outdated = grants::find_outdated(self.request)
            .map(|(grant, by)| (matches!(grant, Grant::McpTool { .. }), by.to_string()));
        let (one_tool, by) = outdated.or_else(|| {
            let rule = self.rules.iter().find(|rule| rule.is_outdated_for(&subject))?;
            Some((matches!(rule.mcp_digest, Some(McpDigest::Tool(_))), rule.origin.to_string()))
        })?;
        Some(match one_tool {
            true => format!("the MCP server {server} has changed its tool {tool} since {by} allowed it"),
            false => format!("the MCP server {server} has changed its tools since {by} allowed them"),
        })
    }

    fn build_subject<'b>(
        &'b self,
        command: Option<ShellCommand<'b>>,
        part: Option<ShellPart<'b>>,
        (directory, started_in): (Option<&'b str>, Option<&'b str>),
    ) -> RuleSubject<'b> {
        let PolicyRequest { tool, kind, subagent, agent, details, .. } = *self.request;
        let (mcp, mcp_version) = match details {
            AskDetails::Mcp { server, tool, version } => (Some((server.as_str(), tool.as_str())), Some(version)),
            AskDetails::Execute { .. }
            | AskDetails::Edit(_)
            | AskDetails::Patch { .. }
            | AskDetails::Generic { .. } => (None, None),
        };
        let part_args = part.and_then(|part| self.args_of_part(part));
        RuleSubject {
            tool,
            mcp,
            mcp_version,
            agent_digest: agent.map(|agent| agent.digest.as_str()),
            kind,
            subagent,
            args: &self.args,
            part_args,
            whole: command.map(|command| command.text),
            part: part.map(|part| part.command),
            planned: part.and_then(|part| part.planned),
            directory,
            started_in,
            workspace: self.request.workspace,
            spellings: OnceCell::new(),
        }
    }

    /// The arguments as they would be for a part of the command alone. `None` when no rule looks at arguments.
    fn args_of_part(&self, part: ShellPart<'_>) -> Option<PartArguments> {
        let is_asked_for = self.rules.iter().any(|rule| rule.args.is_some());
        let with_command = |text: String| {
            let mut args = self.request.obeyed_args.clone();
            if let Some(command) = args.get_mut("command") {
                *command = text.into();
            }
            to_stable_json(&args)
        };
        is_asked_for.then(|| PartArguments {
            written: with_command(part.command.text.clone()),
            spelled: part.command.spellings().map(with_command),
            is_only: part.is_only,
        })
    }

    /// A shell command: each command in it, and each doubt about it. What is allowed part by part runs as the plan that was
    /// read, or not without a question.
    fn judge_shell(&self, command: ShellCommand<'_>) -> PolicyJudgement {
        let fallback = self.decide(self.request.tool, Some(command), None);
        let mut opinions = match command.silent {
            Ok(script) => self.planned_parts(command, script, &fallback),
            Err(not_silent) => self.read_parts(command, not_silent, &fallback),
        };
        let is_allowed = |opinion: &ProvisionalFinding| opinion.finding.decision == PolicyDecision::Allow;
        let is_for_shell = fallback.0.allows_whole() || opinions.iter().any(ProvisionalFinding::allows_whole);
        let mut plan = None;
        if opinions.iter().all(is_allowed) && is_for_shell {
            if let Ok(script) = command.silent {
                let parts = script.commands().map(SilentCommand::to_simple_command_in_shell);
                opinions.extend(self.limits_on_run(command, parts, &JudgedParts::default(), &fallback));
            }
        } else if opinions.iter().all(is_allowed) {
            match (command.silent, self.request.objection) {
                (Ok(script), None) => {
                    let trusted = self.request.workspace_trusted;
                    let built = plan::build(script, command.directory, trusted, &opinions);
                    match plan::read_after_change(&built).and_then(|late| script.commands().nth(late)) {
                        Some(late) => {
                            let why = "what it reads is checked before a command that may change it".to_owned();
                            opinions.push(self.judge_doubt(&CommandDoubt { text: late.text.clone(), why }, &fallback));
                        }
                        None => plan = Some(built),
                    }
                }
                (Ok(script), Some(objection)) => {
                    // A part of which the disk says otherwise is not allowed, whatever was found before.
                    let part =
                        objection.command.and_then(|at| Some((script.commands().nth(at)?, opinions.get_mut(at)?)));
                    let text = part.as_ref().map_or(command.text, |(part, _)| part.text.as_str()).to_owned();
                    let opinion = self.judge_doubt(&CommandDoubt { text, why: objection.why.to_owned() }, &fallback);
                    match part {
                        Some((_, found)) => *found = opinion,
                        None => opinions.push(opinion),
                    }
                }
                (Err(NotSilent { text, why }), _) => {
                    let doubt = CommandDoubt { text: text.clone(), why: why.clone() };
                    opinions.push(self.judge_doubt(&doubt, &fallback));
                }
            }
        }
        for opinion in &mut opinions {
            self.ask_for_protected(opinion);
        }
        summarise_findings(opinions.into_iter().map(|opinion| opinion.finding).collect(), plan)
    }

    /// The commands of a plan.
    fn planned_parts(
        &self,
        command: ShellCommand<'_>,
        script: &SilentScript,
        fallback: &(ProvisionalFinding, Option<&PolicyRule>),
    ) -> Vec<ProvisionalFinding> {
        let is_only = script.commands().count() == 1;
        let (mut opinions, mut inner) = (Vec::new(), Vec::new());
        for part in script.commands() {
            let simple = part.to_simple_command();
            let shell_part = ShellPart { command: &simple, planned: Some(&part.words), is_only };
            let (mut opinion, rule) = self.decide(&part.text, Some(command), Some(shell_part));
            if opinion.finding.decision == PolicyDecision::Ask && is_usual_ask(rule) {
                let why = programs::reads_of(&part.words).and_then(Result::err);
                let why = why.or_else(|| self.describe_words_beyond_rule(command, shell_part));
                opinion.finding.why = why.unwrap_or(opinion.finding.why);
            }
            grants::apply_grants(&mut opinion, self.request, Some(&part.words), script.directory.as_deref());
            if opinion.finding.decision == PolicyDecision::Allow
                && opinion.scope == AllowedScope::Part(PlanAuthority::Person)
                && let Some(why) = plan::object_to_unread_program(&simple.words)
                    .or_else(|| self.object_to_inner(command, &simple, rule, 0))
            {
                inner.push(self.judge_doubt(&CommandDoubt { text: part.text.clone(), why }, fallback));
            }
            opinions.push(opinion);
        }
        let parts = script.commands().map(SilentCommand::to_simple_command);
        let judged = JudgedParts::new(parts.clone().zip(&opinions));
        opinions.extend(inner);
        opinions.extend(self.limits_on_run(command, parts, &judged, fallback));
        opinions
    }

    /// The commands that can be made out in a command that only a shell can run, and what is doubtful about it.
    fn read_parts(
        &self,
        command: ShellCommand<'_>,
        not_silent: &NotSilent,
        fallback: &(ProvisionalFinding, Option<&PolicyRule>),
    ) -> Vec<ProvisionalFinding> {
        let ShellScript { commands, doubts, unseen_scripts, .. } = shell::read(command.text);
        let mut opinions = Vec::new();
        for part in &commands {
            let shell_part = ShellPart { command: part, planned: None, is_only: false };
            let (mut opinion, rule) = self.decide(&part.text, Some(command), Some(shell_part));
            if opinion.finding.decision == PolicyDecision::Ask && is_usual_ask(rule) {
                opinion.finding.why.clone_from(&not_silent.why);
            }
            if !part.redirects.is_empty() {
                restrict_redirection(&mut opinion, part, rule, fallback);
            }
            grants::apply_grants(&mut opinion, self.request, None, None);
            opinions.push(opinion);
        }
        let mentioned = self.find_mentioned(&commands);
        for doubt in doubts.iter().chain(&unseen_scripts).chain(&mentioned) {
            opinions.push(self.judge_doubt(doubt, fallback));
        }
        opinions
    }

    /// What the rules say, and the one that said it.
    fn decide(
        &self,
        shown: &str,
        command: Option<ShellCommand<'_>>,
        part: Option<ShellPart<'_>>,
    ) -> (ProvisionalFinding, Option<&'a PolicyRule>) {
        let request = self.request;
        let named = |command: ShellCommand<'_>, cd: Option<&str>| {
            directory::in_workspace(request.workspace, &directory::after_cd(command.directory, cd))
        };
        let started_in = command.map(|command| named(command, None));
        let directory =
            command.map(|command| named(command, command.silent.ok().and_then(|script| script.directory.as_deref())));
        let places = (directory.as_deref(), started_in.as_deref());
        let subject = self.build_subject(command, part, places);
        let (mut winner, mut suspect, mut firm) = (None, None, None);
        for rule in &self.rules {
            let held = rule.matches(&subject);
            if held == RuleMatch::No {
                continue;
            }
            let is_firmer = |(before, _): (&PolicyRule, RuleMatch)| {
                before.firmness < rule.firmness && before.decision <= rule.decision
            };
            if rule.firmness != RuleFirmness::Ordinary
                && rule.decision != PolicyDecision::Allow
                && firm.is_none_or(is_firmer)
                && !self.is_lifted(rule, command, part)
            {
                firm = Some((*rule, held));
            }
            if rule.only_restricts_commands() {
                continue;
            }
            match (rule.decision, held) {
                // It may be what is forbidden; only running it would tell.
                (PolicyDecision::Deny, RuleMatch::Maybe) if winner.is_none() => suspect = suspect.or(Some(*rule)),
                (PolicyDecision::Deny, RuleMatch::Maybe) | (_, RuleMatch::No) => {}
                (PolicyDecision::Allow | PolicyDecision::Ask, RuleMatch::Maybe) | (_, RuleMatch::Yes) => {
                    winner = winner.or(Some(*rule));
                }
            }
        }
        let mut opinion = match winner {
            Some(rule) => {
                finding_of_rule(shown, rule.decision, rule.describe_reason(request.tool), rule, GrantOverride::Allowed)
            }
            None => ProvisionalFinding {
                finding: PolicyFinding {
                    part: shown.to_owned(),
                    decision: PolicyDecision::Ask,
                    why: "no rule speaks of it".into(),
                    rule: None,
                },
                grant_override: GrantOverride::Allowed,
                scope: AllowedScope::Part(PlanAuthority::Person),
            },
        };
        let mut said_by = winner;
        if let Some(rule) = suspect
            && opinion.finding.decision == PolicyDecision::Allow
        {
            let why = format!("it may be what {} denies; that is known only when it runs", rule.origin);
            opinion = self::finding_of_rule(shown, PolicyDecision::Ask, why, rule, GrantOverride::No);
            said_by = Some(rule);
        }
        if let Some((rule, held)) = firm {
            let decision = if held == RuleMatch::Maybe { PolicyDecision::Ask } else { rule.decision };
            if opinion.finding.decision <= decision {
                let yields =
                    if rule.firmness == RuleFirmness::Firm { GrantOverride::No } else { GrantOverride::ToWholeGrants };
                opinion = self::finding_of_rule(shown, decision, rule.describe_reason(request.tool), rule, yields);
                said_by = Some(rule);
            } else if is_usual_ask(said_by) {
                // Plan mode denies it already, and that is not all there is to say of it.
                said_by = Some(rule);
            }
        }
        if said_by.is_some_and(|rule| rule.tier == RuleTier::Admin) {
            opinion.grant_override = GrantOverride::No;
        }
        (opinion, said_by)
    }

    /// Whether all commands are allowed, and `rule` is one that yields to that.
    fn is_lifted(&self, rule: &PolicyRule, command: Option<ShellCommand<'_>>, part: Option<ShellPart<'_>>) -> bool {
        let allows_all = || self.decide(self.request.tool, command, None).0.allows_whole();
        rule.firmness == RuleFirmness::FirmForParts && part.is_some() && allows_all()
    }

    /// A rule of a person's own that some commands ask or are denied.
    fn limit_on_commands(&self) -> Option<&'a PolicyRule> {
        let speaks_of_commands = |rule: &PolicyRule| {
            rule.command.is_some() || (rule.args.is_some() && rule.names_tool(self.request.tool, None))
        };
        self.rules.iter().copied().find(|rule| is_limit(rule) && speaks_of_commands(rule))
    }

    /// What cannot be read is asked about, unless this very command is allowed, or everything is and no rule of a
    /// person's own limits a command: then this cannot be the one.
    fn judge_doubt(
        &self,
        doubt: &CommandDoubt,
        fallback: &(ProvisionalFinding, Option<&PolicyRule>),
    ) -> ProvisionalFinding {
        let (fallback, fallback_rule) = fallback;
        let everything = fallback_rule.is_some_and(allows_everything);
        let limits = self.limit_on_commands();
        let mut finding = PolicyFinding { part: doubt.text.clone(), ..fallback.finding.clone() };
        let exact = fallback_rule.is_some_and(|rule| rule.decision == PolicyDecision::Allow && rule.is_exact());
        let authority = fallback.scope;
        let mut opinion = match (everything, limits) {
            _ if exact => ProvisionalFinding { finding, grant_override: GrantOverride::No, scope: authority },
            (true, None) => ProvisionalFinding { finding, grant_override: GrantOverride::No, scope: authority },
            (true, Some(limit)) => {
                finding.why = format!("{}; it may hold what {} speaks of", doubt.why, limit.origin);
                finding.rule = Some(limit.origin.clone());
                finding.decision = PolicyDecision::Ask;
                ProvisionalFinding { finding, grant_override: GrantOverride::No, scope: authority }
            }
            (false, _) => {
                finding.why.clone_from(&doubt.why);
                finding.rule = None;
                let mut opinion =
                    ProvisionalFinding { finding, grant_override: fallback.grant_override, scope: authority };
                raise_to_ask(&mut opinion, fallback);
                opinion
            }
        };
        grants::apply_grants(&mut opinion, self.request, None, None);
        opinion
    }

    /// Looking outside the workspace asks, whatever the rules say of the tool, unless this directory was granted: rules were
    /// written for tools that stay inside.
    fn ask_for_outside(&self, opinion: &mut ProvisionalFinding) {
        let finding = &mut opinion.finding;
        let Some(directory) = self.request.outside else { return };
        if finding.decision != PolicyDecision::Allow || self.request.mode == ApprovalMode::Yolo {
            return;
        }
        finding.rule = None;
        match grants::find_directory_grant(self.request, directory) {
            Some((grant, by)) => finding.why = format!("{by} allowed {grant} in this session"),
            None => {
                finding.decision = PolicyDecision::Ask;
                finding.why = format!("{} is outside the workspace", directory.display());
            }
        }
    }

    /// What holds whatever the rules allow: secrets and protected places ask, and so does everything while a file of
    /// rules is broken.
    fn ask_for_protected(&self, opinion: &mut ProvisionalFinding) {
        let finding = &mut opinion.finding;
        if finding.decision != PolicyDecision::Allow {
            return;
        }
        if let Some(secret) = self.request.secret
            && self.request.mode != ApprovalMode::Yolo
        {
            finding.decision = PolicyDecision::Ask;
            finding.why = secret.to_owned();
            finding.rule = None;
        }
        if self.request.kind == ToolKind::Read {
            return;
        }
        if let Some(broken) = self.broken {
            finding.decision = PolicyDecision::Ask;
            finding.why = format!("everything asks until this is repaired: {broken}");
            finding.rule = Some(broken.at.clone());
        } else if let Some(place) = self.request.protected
            && self.request.mode != ApprovalMode::Yolo
        {
            finding.decision = PolicyDecision::Ask;
            finding.why = format!("{place} is protected: changing it always asks");
            finding.rule = None;
        }
    }
}

/// Allowing a command is not allowing it to write where a redirection points, unless the rule says so, or one that
/// allows everything does.
fn restrict_redirection(
    opinion: &mut ProvisionalFinding,
    part: &SimpleCommand,
    rule: Option<&PolicyRule>,
    fallback: &(ProvisionalFinding, Option<&PolicyRule>),
) {
    let (fallback, fallback_rule) = fallback;
    let allowed = rule.is_some_and(|rule| rule.redirection == RedirectionPolicy::Allowed || rule.is_exact())
        || fallback_rule.is_some_and(allows_everything);
    if opinion.finding.decision == PolicyDecision::Allow && !allowed {
        let by = rule.map(|rule| format!(" by {}", rule.origin)).unwrap_or_default();
        let redirects = part.redirects.join(" ");
        opinion.finding.why = format!("the command is allowed{by}, but not to write with `{redirects}`");
        raise_to_ask(opinion, fallback);
    }
}

/// Ask, or deny where commands of which nothing is known are denied (plan mode).
fn raise_to_ask(opinion: &mut ProvisionalFinding, fallback: &ProvisionalFinding) {
    opinion.finding.decision = PolicyDecision::Ask.max(fallback.finding.decision);
    if opinion.finding.decision == PolicyDecision::Deny {
        opinion.finding.why = format!("{}; {}", opinion.finding.why, fallback.finding.why);
        opinion.finding.rule.clone_from(&fallback.finding.rule);
    }
}

fn allows_everything(rule: &PolicyRule) -> bool {
    let speaks_of_all = rule.command.is_none() && rule.args.is_none();
    rule.decision == PolicyDecision::Allow && rule.redirection == RedirectionPolicy::Allowed && speaks_of_all
}

/// Whether it is a person's, and makes something ask or denies it.
fn is_limit(rule: &PolicyRule) -> bool {
    rule.decision != PolicyDecision::Allow && rule.tier != RuleTier::Default
}

/// Whether nobody has said anything about a command but that commands ask, or are denied in plan mode.
fn is_usual_ask(rule: Option<&PolicyRule>) -> bool {
    rule.is_none_or(|rule| rule.tier == RuleTier::Default && rule.firmness == RuleFirmness::Ordinary)
}

fn finding_of_rule(
    part: &str,
    decision: PolicyDecision,
    why: String,
    rule: &PolicyRule,
    yields: GrantOverride,
) -> ProvisionalFinding {
    let finding = PolicyFinding { part: part.to_owned(), decision, why, rule: Some(rule.origin.clone()) };
    ProvisionalFinding { finding, grant_override: yields, scope: AllowedScope::from_rule(rule) }
}

/// The strictest finding decides; the first of those gives the reason.
fn summarise_findings(findings: Vec<PolicyFinding>, plan: Option<CommandPlan>) -> PolicyJudgement {
    let verdict = findings.iter().map(|finding| finding.decision).max().unwrap_or(PolicyDecision::Ask);
    let mut deciding = findings.iter().filter(|finding| finding.decision == verdict);
    let why = match (deciding.next(), deciding.next(), findings.len()) {
        (Some(only), None, 1) => only.why.clone(),
        (Some(first), Some(_), _) if verdict == PolicyDecision::Allow => {
            let same = findings.iter().all(|finding| finding.why == first.why);
            if same { first.why.clone() } else { describe_findings(&findings) }
        }
        (Some(first), _, _) => format!("`{}`: {}", first.part, first.why),
        (None, _, _) => "there is nothing to judge".into(),
    };
    let plan = plan.filter(|_| verdict == PolicyDecision::Allow);
    PolicyJudgement { verdict, why, findings, plan }
}

/// Every part with its reason.
fn describe_findings(findings: &[PolicyFinding]) -> String {
    let parts: Vec<String> = findings.iter().map(|finding| format!("`{}`: {}", finding.part, finding.why)).collect();
    parts.join("; ")
}
