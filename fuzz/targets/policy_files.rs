//! Files of rules: whatever one holds, it is read without a panic, only a rule that says so can allow, a broken file makes
//! everything ask, and nothing in it overrules the machine's administrator or a rule that is firm.

#![no_main]

#[path = "judging.rs"]
mod judging;

use judging::{WORKSPACE, judge, judge_as};
use pollux_policy::{Policy, PolicyDecision, ProblemSeverity, RuleTier, ToolPermissions};
use pollux_session::ApprovalMode;
use std::path::Path;
use toml_edit::{DocumentMut, Item, Table};

/// What a rule may say and still speak of no other command than those its prefix names.
const UNDERSTOOD: [&str; 5] = ["commandPrefix", "decision", "description", "priority", "toolName"];

/// Every condition that is understood. A rule with another one allows nothing.
#[rustfmt::skip]
const CONDITIONS: [&str; 22] = [
    "allowRedirection", "allow_redirection", "argsPattern", "command", "commandRegex", "denyMessage", "deny_message",
    "directory", "firm", "interactive", "kind", "leadingArgs", "modes", "name", "onlyArgs", "options", "programs",
    "subagent", "trustedOnly", "withArgs", "withoutArgs", "workspace",
];

const ADMIN: &str =
    "[[rule]]\ntoolName = 'run_shell_command'\ncommandPrefix = 'touch'\ndecision = 'deny'\npriority = 0\n";

/// Commands that touch something, whatever they look like.
const TOUCHING: [&str; 6] =
    ["touch x", "/bin/touch x", "t''ouch x", "sh -c 'touch x'", "ls && touch x", "a=1; touch x | $a"];
/// Commands that ask by firm rules of Pollux's own.
const FIRM: [&str; 2] = ["rm -rf x", "git push -f"];
const OTHERS: [&str; 3] = ["cargo test", "ls > x", "ls"];

fn policy(files: &[(RuleTier, &str)]) -> Policy {
    let files: Vec<_> = files.iter().map(|(tier, text)| ("rules.toml".into(), *tier, Ok((*text).to_owned()))).collect();
    Policy::new(&files, Some(Path::new(WORKSPACE)), &ToolPermissions::default())
}

libfuzzer_sys::fuzz_target!(|text: &str| {
    let own = policy(&[(RuleTier::User, text)]);
    let theirs = policy(&[(RuleTier::Workspace, text)]);
    let below_admin = policy(&[(RuleTier::User, text), (RuleTier::Admin, ADMIN)]);
    let document = text.parse::<DocumentMut>().ok();
    let is_broken = own.problems().iter().any(|problem| problem.severity == ProblemSeverity::Error);
    assert!(document.is_some() || is_broken, "{text:?}");
    let rules: Vec<&Table> =
        document.iter().filter_map(|document| document.get("rule")?.as_array_of_tables()).flatten().collect();
    let says = |rule: &Table, decision: &str| rule.get("decision").and_then(Item::as_str) == Some(decision);
    for command in TOUCHING.into_iter().chain(FIRM).chain(OTHERS) {
        let built_in = judge(command, ApprovalMode::Default, true).verdict;
        let judged = |policy: &Policy| judge_as(policy, command, WORKSPACE, |request| request).verdict;
        let verdict = judged(&own);
        assert!(!is_broken || verdict != PolicyDecision::Allow, "{command}: {text:?}");
        // Whom a rule that allows can be speaking of.
        let can_allow = |rule: &&Table| {
            let is_plain = rule.iter().all(|(key, _)| UNDERSTOOD.contains(&key));
            let prefix = rule.get("commandPrefix").and_then(Item::as_str).filter(|_| is_plain);
            let is_simple = !command.contains(['\'', ';', '&']);
            let begins = |prefix: &str| {
                let mut words = prefix.split_whitespace().zip(command.split(' '));
                if is_simple {
                    words.all(|(wanted, word)| wanted == word)
                } else {
                    words.all(|(wanted, _)| command.replace("''", "").contains(wanted))
                }
            };
            let is_understood = rule.iter().all(|(key, _)| UNDERSTOOD.contains(&key) || CONDITIONS.contains(&key));
            says(rule, "allow") && is_understood && prefix.is_none_or(begins)
        };
        let is_allowed = rules.iter().any(can_allow);
        assert!(verdict >= built_in || is_allowed, "{command}: {text:?}");
        let can_deny = rules.iter().any(|rule| says(rule, "deny") || says(rule, "ask_user")) || is_broken;
        assert!(verdict <= built_in || can_deny, "{command}: {text:?}");
        if FIRM.contains(&command) {
            assert_ne!(verdict, PolicyDecision::Allow, "{command}: {text:?}");
        }
        assert!(judged(&theirs) >= built_in, "a workspace's rules allow {command}: {text:?}");
        if command == "touch x" {
            assert_eq!(judged(&below_admin), PolicyDecision::Deny, "{text:?}");
        }
        if TOUCHING.contains(&command) {
            assert_ne!(judged(&below_admin), PolicyDecision::Allow, "{command}: {text:?}");
        }
    }
});
