//! Rules as TOML. A condition that is not known here makes a rule stricter, never wider: an allow rule with one is not
//! used, the others hold without it.

use crate::policy_request::PolicyDecision;
use crate::rule::{
    CommandTest, McpDigest, PolicyRule, RedirectionPolicy, RuleFirmness, RuleTier, ToolPattern, TrustNeed,
};
use crate::rule_origin::{PolicyProblem, ProblemSeverity, RuleOrigin};
use pollux_session::{ApprovalMode, ToolKind};
use regex::{Regex, RegexBuilder};
use std::path::{Path, PathBuf};
use toml_edit::{Document, Item, Table};

#[cfg(test)]
mod tests;

/// The most a compiled pattern may take.
const MAX_PATTERN_BYTES: usize = 1 << 20;
/// The shell metacharacters a prefix cannot hold: it is words, not a command line.
const NOT_IN_PREFIX: &[char] = &['|', '&', ';', '<', '>', '(', ')', '$', '`', '"', '\'', '\\', '*', '?', '{', '}', '#'];

/// Which text is being read.
#[derive(Clone, Debug)]
pub(crate) enum RuleSource {
    BuiltIn,
    File(PathBuf),
}

impl RuleSource {
    pub(crate) fn origin_at(&self, line: usize) -> RuleOrigin {
        match self {
            RuleSource::BuiltIn => RuleOrigin::BuiltIn { line },
            RuleSource::File(path) => RuleOrigin::File { path: path.clone(), line },
        }
    }
}

/// What a text of rules holds.
#[derive(Debug, Default)]
pub(crate) struct ParsedRules {
    pub(crate) rules: Vec<PolicyRule>,
    pub(crate) problems: Vec<PolicyProblem>,
}

/// Read `text`. Rules for another workspace than `workspace` are left out.
pub(crate) fn parse(text: &str, place: &RuleSource, tier: RuleTier, workspace: Option<&Path>) -> ParsedRules {
    let mut parser = FileParser { text, source: place, tier, workspace, parsed: ParsedRules::default() };
    match Document::parse(text) {
        Ok(document) => parser.document(document.as_table()),
        Err(error) => {
            let at = parser.line(error.span().map_or(0, |span| span.start));
            parser.problem(ProblemSeverity::Error, at, error.message().trim().replace('\n', "; "));
        }
    }
    parser.parsed
}

struct FileParser<'a> {
    text: &'a str,
    source: &'a RuleSource,
    tier: RuleTier,
    workspace: Option<&'a Path>,
    parsed: ParsedRules,
}

/// Why a rule cannot be used: the offset in the text, and what is wrong there.
type Fault = (usize, String);

impl FileParser<'_> {
    fn line(&self, offset: usize) -> usize {
        self.text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
    }

    fn problem(&mut self, severity: ProblemSeverity, line: usize, message: String) {
        self.parsed.problems.push(PolicyProblem { severity, at: self.source.origin_at(line), message });
    }

    fn document(&mut self, document: &Table) {
        for (key, item) in document {
            let at = key_offset(document, key);
            match (key, item) {
                ("rule", Item::ArrayOfTables(tables)) => {
                    for table in tables {
                        self.rule(table);
                    }
                }
                ("rule", _) => {
                    let line = self.line(at);
                    self.problem(ProblemSeverity::Error, line, "write each rule as `[[rule]]`".into());
                }
                ("shell", _) if matches!(self.source, RuleSource::BuiltIn) => {}
                // It may forbid things, and what is not known here cannot be followed.
                ("safety_checker", _) => {
                    let line = self.line(at);
                    let message =
                        "safety checkers are not run here: what this one forbids is not known; remove it to go on \
                                   without it"
                            .into();
                    self.problem(ProblemSeverity::Error, line, message);
                }
                (other, _) => {
                    let line = self.line(at);
                    let message =
                        format!("`{other}` is not known here and has no effect; rules are written as `[[rule]]`");
                    self.problem(ProblemSeverity::Warning, line, message);
                }
            }
        }
    }

    fn rule(&mut self, table: &Table) {
        let start = table.span().map_or(0, |span| span.start);
        let line = self.line(start);
        match self.read_rule(table, start, line) {
            Ok(Some(rule)) => self.parsed.rules.push(rule),
            Ok(None) => {}
            Err((at, message)) => {
                let line = self.line(at);
                self.problem(ProblemSeverity::Error, line, message);
            }
        }
    }

    fn read_rule(&mut self, table: &Table, start: usize, line: usize) -> Result<Option<PolicyRule>, Fault> {
        let fields = Fields { table, start };
        let decision = match fields.string("decision")? {
            Some("allow") => PolicyDecision::Allow,
            Some("ask_user") => PolicyDecision::Ask,
            Some("deny") => PolicyDecision::Deny,
            Some(other) => {
                return Err(fields.fault("decision", &format!("{other:?} is no decision: allow, ask_user or deny")));
            }
            None => return Err((start, "the rule has no `decision`: allow, ask_user or deny".into())),
        };
        let priority = fields.priority()?;
        let modes = match fields.strings("modes")? {
            Some(names) => Some(names.iter().map(|name| fields.mode(name)).collect::<Result<Vec<_>, _>>()?),
            None => None,
        };
        let kinds = fields.strings("kind")?.unwrap_or_default();
        let kinds = kinds.iter().map(|name| fields.kind(name)).collect::<Result<Vec<_>, _>>()?;
        let rule = PolicyRule {
            origin: self.source.origin_at(line),
            tier: self.tier,
            priority,
            decision,
            description: fields.string("description")?.map(str::to_owned),
            deny_message: fields.string("denyMessage")?.or(fields.string("deny_message")?).map(str::to_owned),
            tools: fields.strings("toolName")?.unwrap_or_default().iter().map(|name| ToolPattern::new(name)).collect(),
            server: fields.string("mcpName")?.map(str::to_owned),
            mcp_digest: fields.mcp_digest()?,
            agent_digest: fields.string("agentDigest")?.map(str::to_owned),
            kinds,
            subagent: fields.string("subagent")?.map(str::to_owned),
            modes,
            args: fields.pattern("argsPattern", "")?,
            command: fields.command()?,
            redirection: match fields.flag("allowRedirection")?.or(fields.flag("allow_redirection")?) {
                Some(true) => RedirectionPolicy::Allowed,
                Some(false) | None => RedirectionPolicy::Asks,
            },
            trust: match (fields.flag("trustedOnly")?, fields.flag("untrustedOnly")?) {
                (Some(true), _) => TrustNeed::TrustedWorkspace,
                (_, Some(true)) => TrustNeed::UntrustedWorkspace,
                (Some(false) | None, Some(false) | None) => TrustNeed::Anywhere,
            },
            firmness: match (fields.flag("firm")?, fields.flag("firmForParts")?) {
                (Some(true), _) => RuleFirmness::Firm,
                (_, Some(true)) => RuleFirmness::FirmForParts,
                (Some(false) | None, Some(false) | None) => RuleFirmness::Ordinary,
            },
        };
        let interactive = fields.flag("interactive")?;
        let for_another = fields.string("workspace")?.is_some_and(|wanted| self.workspace != Some(Path::new(wanted)));
        let strange = self.warn_unknown_keys(table, decision, interactive);
        if self.tier == RuleTier::Workspace && decision == PolicyDecision::Allow {
            let message = "rules of a workspace or an extension can only ask or deny; this one is not used".to_owned();
            self.problem(ProblemSeverity::Warning, line, message);
            return Ok(None);
        }
        let unsure = strange && decision == PolicyDecision::Allow;
        Ok((!for_another && !unsure).then_some(rule))
    }

    /// Warn about keys that have no meaning here. Returns whether there are any that may be conditions.
    fn warn_unknown_keys(&mut self, table: &Table, decision: PolicyDecision, interactive: Option<bool>) -> bool {
        let mut strange = false;
        for (key, _) in table {
            if KNOWN.contains(&key) && !(key == "interactive" && interactive == Some(false)) {
                continue;
            }
            strange = true;
            let line = self.line(key_offset(table, key));
            let outcome = match decision {
                PolicyDecision::Allow => "so that this rule, which allows something, is not used",
                PolicyDecision::Ask | PolicyDecision::Deny => "and this rule holds without it",
            };
            let value = if key == "interactive" { "`interactive = false`".to_owned() } else { format!("`{key}`") };
            self.problem(ProblemSeverity::Warning, line, format!("{value} is not known here, {outcome}"));
        }
        strange
    }
}

/// Every key that a rule may have.
const KNOWN: &[&str] = &[
    "agentDigest",
    "allowRedirection",
    "allow_redirection",
    "anyDashes",
    "argsPattern",
    "command",
    "commandPrefix",
    "commandRegex",
    "decision",
    "denyMessage",
    "deny_message",
    "description",
    "directory",
    "firm",
    "firmForParts",
    "interactive",
    "kind",
    "leadingArgs",
    "mcpName",
    "mcpServerDigest",
    "mcpToolDigest",
    "modes",
    "name",
    "options",
    "outsideValue",
    "priority",
    "programs",
    "runsOptionText",
    "subagent",
    "toolName",
    "trustedOnly",
    "unclearAwkScript",
    "unclearSedScript",
    "unlistedGitCommand",
    "untrustedOnly",
    "withArgs",
    "withoutArgs",
    "workspace",
];

/// The keys of one rule.
struct Fields<'a> {
    table: &'a Table,
    start: usize,
}

impl<'a> Fields<'a> {
    fn fault(&self, key: &str, message: &str) -> Fault {
        let at = self.table.get(key).and_then(Item::span).map_or(self.start, |span| span.start);
        (at, format!("`{key}`: {message}"))
    }

    fn string(&self, key: &str) -> Result<Option<&'a str>, Fault> {
        match self.table.get(key) {
            None => Ok(None),
            Some(item) => item.as_str().map(Some).ok_or_else(|| self.fault(key, "this must be a text")),
        }
    }

    fn flag(&self, key: &str) -> Result<Option<bool>, Fault> {
        match self.table.get(key) {
            None => Ok(None),
            Some(item) => item.as_bool().map(Some).ok_or_else(|| self.fault(key, "this must be true or false")),
        }
    }

    /// One text or a list of them.
    fn strings(&self, key: &str) -> Result<Option<Vec<&'a str>>, Fault> {
        let Some(item) = self.table.get(key) else { return Ok(None) };
        let list = match (item.as_str(), item.as_array()) {
            (Some(text), _) => Some(vec![text]),
            (None, Some(array)) => array.iter().map(|value| value.as_str()).collect(),
            (None, None) => None,
        };
        match list {
            // An empty list would mean "all" where somebody meant "none".
            Some(list) if list.is_empty() => Err(self.fault(key, "the list is empty; leave the key out, or fill it")),
            Some(list) => Ok(Some(list)),
            None => Err(self.fault(key, "this must be a text or a list of texts")),
        }
    }

    /// A list of texts that may be empty.
    fn list(&self, key: &str) -> Result<Option<Vec<String>>, Fault> {
        let Some(item) = self.table.get(key) else { return Ok(None) };
        let texts =
            item.as_array().and_then(|array| array.iter().map(|value| value.as_str()).collect::<Option<Vec<_>>>());
        match texts {
            Some(texts) => Ok(Some(texts.into_iter().map(str::to_owned).collect())),
            None => Err(self.fault(key, "this must be a list of texts")),
        }
    }

    fn owned(&self, key: &str) -> Result<Option<Vec<String>>, Fault> {
        Ok(self.strings(key)?.map(|list| list.into_iter().map(str::to_owned).collect()))
    }

    fn priority(&self) -> Result<u16, Fault> {
        let Some(item) = self.table.get("priority") else {
            return Err((self.start, "the rule has no `priority`: 0 to 999".into()));
        };
        let priority = item.as_integer().and_then(|number| u16::try_from(number).ok()).filter(|number| *number <= 999);
        priority.ok_or_else(|| self.fault("priority", "this must be a whole number from 0 to 999"))
    }

    fn mode(&self, name: &str) -> Result<ApprovalMode, Fault> {
        match name {
            "default" => Ok(ApprovalMode::Default),
            "autoEdit" | "auto_edit" => Ok(ApprovalMode::AutoEdit),
            "plan" => Ok(ApprovalMode::Plan),
            "yolo" => Ok(ApprovalMode::Yolo),
            _ => Err(self.fault("modes", &format!("{name:?} is no mode: default, autoEdit, plan or yolo"))),
        }
    }

    fn kind(&self, name: &str) -> Result<ToolKind, Fault> {
        match name {
            "read" => Ok(ToolKind::Read),
            "edit" => Ok(ToolKind::Edit),
            "execute" => Ok(ToolKind::Execute),
            "fetch" => Ok(ToolKind::Fetch),
            "converse" => Ok(ToolKind::Converse),
            "delegate" => Ok(ToolKind::Delegate),
            _ => {
                Err(self
                    .fault("kind", &format!("{name:?} is no kind: read, edit, execute, fetch, converse or delegate")))
            }
        }
    }

    fn mcp_digest(&self) -> Result<Option<McpDigest>, Fault> {
        match (self.string("mcpToolDigest")?, self.string("mcpServerDigest")?) {
            (None, None) => Ok(None),
            (Some(digest), None) => Ok(Some(McpDigest::Tool(digest.to_owned()))),
            (None, Some(digest)) => Ok(Some(McpDigest::Server(digest.to_owned()))),
            (Some(_), Some(_)) => Err((self.start, "use one of `mcpToolDigest` and `mcpServerDigest`".into())),
        }
    }

    fn pattern(&self, key: &str, anchor: &str) -> Result<Option<Regex>, Fault> {
        let Some(text) = self.string(key)? else { return Ok(None) };
        // It need not be said twice, and must not be said where something else stands before it.
        let text = if anchor.is_empty() { text } else { text.trim_start_matches('^') };
        let built = RegexBuilder::new(&format!("{anchor}(?:{text})")).size_limit(MAX_PATTERN_BYTES).build();
        built.map(Some).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            self.fault(key, &format!("{text:?} is no pattern: {reason}"))
        })
    }

    fn command(&self) -> Result<Option<CommandTest>, Fault> {
        let prefixes = match self.strings("commandPrefix")? {
            Some(list) => list.into_iter().map(|text| self.prefix(text)).collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        let test = CommandTest {
            exact: self.string("command")?.map(str::to_owned),
            prefixes,
            regex: self.pattern("commandRegex", "^")?,
            mentioned: self.pattern("commandRegex", "(?:^|[^A-Za-z0-9_])")?,
            with: self.owned("withArgs")?.unwrap_or_default(),
            outside: self.owned("outsideValue")?.unwrap_or_default(),
            any_dashes: self.flag("anyDashes")?.unwrap_or_default(),
            leading: self.owned("leadingArgs")?.unwrap_or_default(),
            without: self.owned("withoutArgs")?.unwrap_or_default(),
            unlisted_git_command: self.flag("unlistedGitCommand")?.unwrap_or_default(),
            unclear_awk_script: self.flag("unclearAwkScript")?.unwrap_or_default(),
            unclear_sed_script: self.flag("unclearSedScript")?.unwrap_or_default(),
            runs_option_text: self.flag("runsOptionText")?.unwrap_or_default(),
            programs: self.owned("programs")?.unwrap_or_default(),
            shown_options: self.list("options")?,
            directory: self.string("directory")?.map(str::to_owned),
        };
        if test.shown_options.is_some() && test.prefixes.is_empty() {
            return Err(self.fault("options", "they narrow a `commandPrefix`, and there is none"));
        }
        let ways = [
            test.exact.is_some(),
            !test.prefixes.is_empty(),
            test.regex.is_some(),
            !test.programs.is_empty(),
            test.runs_option_text,
        ];
        let narrowed = !test.with.is_empty()
            || !test.leading.is_empty()
            || !test.outside.is_empty()
            || test.any_dashes
            || !test.without.is_empty()
            || test.unlisted_git_command
            || test.unclear_awk_script
            || test.unclear_sed_script
            || test.directory.is_some();
        match ways.iter().filter(|way| **way).count() {
            0 if narrowed => {
                Err((self.start, "options of which command? add `commandPrefix` or `commandRegex`".into()))
            }
            0 => Ok(None),
            1 => Ok(Some(test)),
            _ => Err((self.start, "use one of `command`, `commandPrefix` and `commandRegex`".into())),
        }
    }

    fn prefix(&self, text: &str) -> Result<Vec<String>, Fault> {
        if text.contains(NOT_IN_PREFIX) {
            return Err(
                self.fault("commandPrefix", &format!("{text:?} is more than words; use `commandRegex` or `command`"))
            );
        }
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() { Err(self.fault("commandPrefix", "a prefix needs at least one word")) } else { Ok(words) }
    }
}

fn key_offset(table: &Table, key: &str) -> usize {
    table.key(key).and_then(|key| key.span()).map_or(0, |span| span.start)
}
