//! The judgement of one call: its parts are held against the rules, then against what was granted, and the strictest
//! finding is the verdict.

mod grants;

#[cfg(test)]
mod tests;

use crate::origin::Problem;
use crate::request::{Decision, Finding, Judgement, Request};
use crate::rule::{Hold, Match, Redirection, Rule, Simple, Subject, Tier};
use crate::shell::{self, Doubt, Script};
use crate::stable_json::stable;
use pollux_session::{Details, Mode, ToolKind};

/// One call before the rules that are in force.
pub(crate) struct Bench<'a> {
    /// Highest first.
    rules: Vec<&'a Rule>,
    /// A file that could not be read: what it forbids is not known.
    broken: Option<&'a Problem>,
    request: &'a Request<'a>,
    args: String,
}

/// A finding on its way.
pub(crate) struct Opinion {
    pub(crate) finding: Finding,
    /// Whether what was granted may turn asking into allowing.
    pub(crate) yields: Yields,
}

/// Whether an opinion yields to a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Yields {
    No,
    /// To a grant of the tool or of the whole command.
    ToWhole,
    /// To a grant of commands that begin like it, too.
    ToPrefix,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(rules: Vec<&'a Rule>, broken: Option<&'a Problem>, request: &'a Request<'a>) -> Bench<'a> {
        Bench { rules, broken, request, args: stable(request.args) }
    }

    pub(crate) fn judge(&self) -> Judgement {
        let mut opinions = match self.request.details {
            Details::Execute { command, .. } => self.shell(command),
            Details::Edit(_) | Details::Generic { .. } | Details::Mcp { .. } => vec![self.tool()],
        };
        for opinion in &mut opinions {
            self.beware(opinion);
        }
        summary(opinions.into_iter().map(|opinion| opinion.finding).collect())
    }

    /// A call that is no shell command.
    fn tool(&self) -> Opinion {
        let (mut opinion, _) = self.decide(self.request.tool, None, None);
        if opinion.yields != Yields::No {
            grants::lift(&mut opinion, self.request, None);
        }
        opinion
    }

    /// A shell command: each command in it, and each doubt about it.
    fn shell(&self, command: &str) -> Vec<Opinion> {
        let Script { commands, doubts } = shell::read(command);
        let (fallback, fallback_rule) = self.decide(self.request.tool, Some(command), None);
        let mut opinions: Vec<Opinion> = Vec::new();
        for part in &commands {
            let (mut opinion, rule) = self.decide(&part.text, Some(command), Some(part));
            if !part.redirects.is_empty() {
                restrain(&mut opinion, part, rule, &fallback, fallback_rule);
            }
            grants::lift(&mut opinion, self.request, Some(part));
            opinions.push(opinion);
        }
        for doubt in &doubts {
            let mut opinion = self.doubt(doubt, &fallback, fallback_rule);
            grants::lift(&mut opinion, self.request, None);
            opinions.push(opinion);
        }
        opinions
    }

    /// What the rules say, and the one that said it.
    fn decide(&self, shown: &str, whole: Option<&str>, part: Option<&Simple>) -> (Opinion, Option<&'a Rule>) {
        let request = self.request;
        let mcp = match request.details {
            Details::Mcp { server, tool } => Some((server.as_str(), tool.as_str())),
            Details::Execute { .. } | Details::Edit(_) | Details::Generic { .. } => None,
        };
        let Request { tool, kind, subagent, .. } = *request;
        let subject = Subject { tool, mcp, kind, subagent, args: &self.args, whole, part };
        let (mut winner, mut suspect, mut firm) = (None, None, None);
        for rule in &self.rules {
            let held = rule.speaks_of(&subject);
            if held == Match::No {
                continue;
            }
            if rule.hold == Hold::Firm && rule.decision != Decision::Allow {
                firm = firm.or(Some((*rule, held)));
            }
            match (rule.decision, held) {
                // It may be what is forbidden; only running it would tell.
                (Decision::Deny, Match::Maybe) if winner.is_none() => suspect = suspect.or(Some(*rule)),
                (Decision::Deny, Match::Maybe) | (_, Match::No) => {}
                (Decision::Allow | Decision::Ask, Match::Maybe) | (_, Match::Yes) => winner = winner.or(Some(*rule)),
            }
        }
        let mut opinion = match winner {
            Some(rule) => opinion(shown, rule.decision, rule.reason(request.tool), rule, Yields::ToPrefix),
            None => Opinion {
                finding: Finding {
                    part: shown.to_owned(),
                    decision: Decision::Ask,
                    why: "no rule speaks of it".into(),
                    rule: None,
                },
                yields: Yields::ToPrefix,
            },
        };
        let mut said_by = winner;
        if let Some(rule) = suspect
            && opinion.finding.decision == Decision::Allow
        {
            let why = format!("it may be what {} denies; that is known only when it runs", rule.origin);
            opinion = self::opinion(shown, Decision::Ask, why, rule, Yields::No);
            said_by = Some(rule);
        }
        if let Some((rule, held)) = firm {
            let decision = if held == Match::Maybe { Decision::Ask } else { rule.decision };
            if opinion.finding.decision <= decision {
                opinion = self::opinion(shown, decision, rule.reason(request.tool), rule, Yields::No);
                said_by = Some(rule);
            }
        }
        if said_by.is_some_and(|rule| rule.tier == Tier::Admin) || opinion.finding.decision == Decision::Deny {
            opinion.yields = Yields::No;
        }
        (opinion, said_by)
    }

    /// What cannot be read is asked about, unless this very command is allowed, or everything is and no rule of a
    /// person's own limits a command: then this cannot be the one.
    fn doubt(&self, doubt: &Doubt, fallback: &Opinion, fallback_rule: Option<&Rule>) -> Opinion {
        let everything = fallback_rule.is_some_and(allows_everything);
        let limits = self
            .rules
            .iter()
            .find(|rule| rule.command.is_some() && rule.decision != Decision::Allow && rule.tier != Tier::Default);
        let mut finding = Finding { part: doubt.text.clone(), ..fallback.finding.clone() };
        let exact = fallback_rule.is_some_and(|rule| rule.decision == Decision::Allow && rule.is_exact());
        match (everything, limits) {
            _ if exact => Opinion { finding, yields: Yields::No },
            (true, None) => Opinion { finding, yields: Yields::No },
            (true, Some(limit)) => {
                finding.why = format!("{}; it may hold what {} speaks of", doubt.why, limit.origin);
                finding.rule = Some(limit.origin.clone());
                finding.decision = Decision::Ask;
                Opinion { finding, yields: Yields::No }
            }
            (false, _) => {
                finding.why.clone_from(&doubt.why);
                finding.rule = None;
                let mut opinion = Opinion { finding, yields: fallback.yields };
                at_least_ask(&mut opinion, fallback);
                opinion
            }
        }
    }

    /// What holds whatever the rules allow: secrets and protected places ask, and so does everything while a file of
    /// rules is broken.
    fn beware(&self, opinion: &mut Opinion) {
        let finding = &mut opinion.finding;
        if finding.decision != Decision::Allow {
            return;
        }
        if let Some(secret) = self.request.secret
            && self.request.mode != Mode::Yolo
        {
            finding.decision = Decision::Ask;
            finding.why = secret.to_owned();
            finding.rule = None;
        }
        if self.request.kind == ToolKind::Read {
            return;
        }
        if let Some(broken) = self.broken {
            finding.decision = Decision::Ask;
            finding.why = format!("everything asks until this is repaired: {broken}");
            finding.rule = Some(broken.at.clone());
        } else if let Some(place) = self.request.protected
            && self.request.mode != Mode::Yolo
        {
            finding.decision = Decision::Ask;
            finding.why = format!("{place} is protected: changing it always asks");
            finding.rule = None;
        }
    }
}

/// Allowing a command is not allowing it to write where a redirection points, unless the rule says so, or one that
/// allows everything does.
fn restrain(
    opinion: &mut Opinion,
    part: &Simple,
    rule: Option<&Rule>,
    fallback: &Opinion,
    fallback_rule: Option<&Rule>,
) {
    let allowed = rule.is_some_and(|rule| rule.redirection == Redirection::Allowed || rule.is_exact())
        || fallback_rule.is_some_and(allows_everything);
    match opinion.finding.decision {
        Decision::Allow if !allowed => {
            let by = rule.map(|rule| format!(" by {}", rule.origin)).unwrap_or_default();
            let redirects = part.redirects.join(" ");
            opinion.finding.why = format!("the command is allowed{by}, but not to write with `{redirects}`");
            at_least_ask(opinion, fallback);
        }
        Decision::Ask if opinion.yields == Yields::ToPrefix => opinion.yields = Yields::ToWhole,
        Decision::Allow | Decision::Ask | Decision::Deny => {}
    }
}

/// Ask, or deny where commands of which nothing is known are denied (plan mode).
fn at_least_ask(opinion: &mut Opinion, fallback: &Opinion) {
    opinion.finding.decision = Decision::Ask.max(fallback.finding.decision);
    if opinion.finding.decision == Decision::Deny {
        opinion.finding.why = format!("{}; {}", opinion.finding.why, fallback.finding.why);
        opinion.finding.rule.clone_from(&fallback.finding.rule);
        opinion.yields = Yields::No;
    } else if opinion.yields == Yields::ToPrefix {
        opinion.yields = Yields::ToWhole;
    }
}

fn allows_everything(rule: &Rule) -> bool {
    rule.decision == Decision::Allow && rule.redirection == Redirection::Allowed && rule.command.is_none()
}

fn opinion(part: &str, decision: Decision, why: String, rule: &Rule, yields: Yields) -> Opinion {
    let finding = Finding { part: part.to_owned(), decision, why, rule: Some(rule.origin.clone()) };
    Opinion { finding, yields }
}

/// The strictest finding decides; the first of those gives the reason.
fn summary(findings: Vec<Finding>) -> Judgement {
    let verdict = findings.iter().map(|finding| finding.decision).max().unwrap_or(Decision::Ask);
    let mut deciding = findings.iter().filter(|finding| finding.decision == verdict);
    let why = match (deciding.next(), deciding.next(), findings.len()) {
        (Some(only), None, 1) => only.why.clone(),
        (Some(first), Some(_), _) if verdict == Decision::Allow => {
            let same = findings.iter().all(|finding| finding.why == first.why);
            if same { first.why.clone() } else { each(&findings) }
        }
        (Some(first), _, _) => format!("`{}`: {}", first.part, first.why),
        (None, _, _) => "there is nothing to judge".into(),
    };
    Judgement { verdict, why, findings }
}

/// Every part with its reason.
fn each(findings: &[Finding]) -> String {
    let parts: Vec<String> = findings.iter().map(|finding| format!("`{}`: {}", finding.part, finding.why)).collect();
    parts.join("; ")
}
