use super::*;
use pretty_assertions::assert_eq;

fn read(text: &str, tier: RuleTier) -> ParsedRules {
    parse(text, &RuleSource::File("p.toml".into()), tier, Some(Path::new("/ws")))
}

fn problems(text: &str) -> Vec<String> {
    read(text, RuleTier::User).problems.iter().map(|problem| format!("{:?} {problem}", problem.severity)).collect()
}

#[test]
fn a_rule_with_every_key_is_read() {
    let text = r#"
[[rule]]
name = "n"
description = "d"
toolName = ["run_shell_command", "mcp_*"]
mcpName = "s"
kind = "execute"
argsPattern = '"a":1'
commandPrefix = ["git push", "gh"]
withArgs = ["-a"]
withoutArgs = ["-b"]
decision = "ask_user"
priority = 999
modes = ["default", "autoEdit", "auto_edit", "plan", "yolo"]
denyMessage = "no"
interactive = true
allowRedirection = true
trustedOnly = true
firm = true
workspace = "/ws"
"#;
    let parsed = read(text, RuleTier::Admin);
    assert_eq!(parsed.problems, []);
    let [rule] = parsed.rules.as_slice() else { panic!("{:?}", parsed.rules) };
    assert_eq!(rule.rank(), 5999);
    assert_eq!(rule.origin.to_string(), "p.toml:2");
    let command = rule.command.as_ref().unwrap();
    assert_eq!(command.prefixes, [vec!["git".to_owned(), "push".to_owned()], vec!["gh".to_owned()]]);
    assert_eq!(
        (rule.firmness, rule.trust, rule.redirection),
        (RuleFirmness::Firm, TrustNeed::TrustedWorkspace, RedirectionPolicy::Allowed)
    );
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let rule = |rest: &str| format!("\n[[rule]]\ndecision = \"allow\"\npriority = 1\n{rest}\n");
    for (text, expected) in [
        ("[[rule]\n".to_owned(), "Error p.toml:1: "),
        ("x = 1\ny = = 2".to_owned(), "Error p.toml:2: "),
        ("[rule]\na = 1".to_owned(), "Error p.toml:1: write each rule as `[[rule]]`"),
        ("[[rule]]\npriority = 1".to_owned(), "Error p.toml:1: the rule has no `decision`: allow, ask_user or deny"),
        ("[[rule]]\ndecision = \"deny\"".to_owned(), "Error p.toml:1: the rule has no `priority`: 0 to 999"),
        (
            "[[rule]]\npriority = 1\ndecision = \"maybe\"".to_owned(),
            "Error p.toml:3: `decision`: \"maybe\" is no decision: allow, ask_user or deny",
        ),
        (
            "[[rule]]\ndecision = \"deny\"\npriority = 1000".to_owned(),
            "Error p.toml:3: `priority`: this must be a whole number from 0 to 999",
        ),
        (rule("modes = [\"fast\"]"), "Error p.toml:5: `modes`: \"fast\" is no mode: default, autoEdit, plan or yolo"),
        (rule("toolName = []"), "Error p.toml:5: `toolName`: the list is empty; leave the key out, or fill it"),
        (rule("toolName = 3"), "Error p.toml:5: `toolName`: this must be a text or a list of texts"),
        (rule("commandRegex = '('"), "Error p.toml:5: `commandRegex`: \"(\" is no pattern: "),
        (
            rule("commandPrefix = 'ls | wc'"),
            "Error p.toml:5: `commandPrefix`: \"ls | wc\" is more than words; use `commandRegex` or `command`",
        ),
        (rule("commandPrefix = ' '"), "Error p.toml:5: `commandPrefix`: a prefix needs at least one word"),
        (rule("withArgs = ['-x']"), "Error p.toml:2: options of which command? add `commandPrefix` or `commandRegex`"),
        (
            rule("command = 'a'\ncommandRegex = 'a'"),
            "Error p.toml:2: use one of `command`, `commandPrefix` and `commandRegex`",
        ),
        (rule("firm = 'yes'"), "Error p.toml:5: `firm`: this must be true or false"),
    ] {
        let problems = problems(&text);
        assert!(problems.len() == 1 && problems[0].starts_with(expected), "{text}\n{problems:?}\n{expected}");
    }
}

#[test]
fn an_unknown_condition_makes_a_rule_stricter() {
    let text = "[[rule]]\ndecision = \"allow\"\npriority = 1\ncommandPrefx = \"ls\"\n\n\
                [[rule]]\ndecision = \"deny\"\npriority = 1\ntoolAnnotations = \"x\"\n\n\
                [[rule]]\ndecision = \"allow\"\npriority = 1\ninteractive = false\n\n\
                [[safety_checker]]\npriority = 1\n";
    assert_eq!(
        problems(text),
        [
            "Warning p.toml:4: `commandPrefx` is not known here, so that this rule, which allows something, is not used",
            "Warning p.toml:9: `toolAnnotations` is not known here, and this rule holds without it",
            "Warning p.toml:14: `interactive = false` is not known here, so that this rule, which allows something, is not used",
            "Error p.toml:16: safety checkers are not run here: what this one forbids is not known; remove it to go on without it",
        ]
    );
    let used: Vec<PolicyDecision> = read(text, RuleTier::User).rules.iter().map(|rule| rule.decision).collect();
    assert_eq!(used, [PolicyDecision::Deny]);
}

#[test]
fn a_workspace_can_only_narrow() {
    let text = "[[rule]]\ndecision = \"allow\"\npriority = 1\n[[rule]]\ndecision = \"deny\"\npriority = 1\n";
    let parsed = read(text, RuleTier::Workspace);
    let used: Vec<PolicyDecision> = parsed.rules.iter().map(|rule| rule.decision).collect();
    assert_eq!(used, [PolicyDecision::Deny]);
    let said: Vec<String> = parsed.problems.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["p.toml:1: rules of a workspace or an extension can only ask or deny; this one is not used"]);
}

#[test]
fn a_rule_for_another_workspace_is_left_out() {
    let text = "[[rule]]\ndecision = \"deny\"\npriority = 1\nworkspace = \"/other\"\n";
    let parsed = read(text, RuleTier::User);
    assert_eq!((parsed.rules.len(), parsed.problems), (0, vec![]));
}
