//! Lasting grants: each becomes a rule in the person's own `auto-saved.toml`.

use crate::policy_request::PolicyDecision;
use crate::rule::{
    CommandTest, McpDigest, PolicyRule, RedirectionPolicy, RuleFirmness, RuleTier, ToolPattern, TrustNeed,
};
use crate::rule_origin::RuleOrigin;
use pollux_session::{ApprovalMode, BuiltInTool, Grant, GrantScope, WORKSPACE_DIRECTORY, describe_reach};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use thiserror::Error;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

#[cfg(test)]
mod tests;

/// The file in the person's policy directory.
const FILE: &str = "auto-saved.toml";
/// The longest such file.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The tool that runs shell commands.
const SHELL: &str = BuiltInTool::RunShellCommand.name();
/// The tool that hands work to agents.
const INVOKE_AGENT: &str = BuiltInTool::InvokeAgent.name();
/// The tool that reads files.
const READ_FILE: &str = BuiltInTool::ReadFile.name();
/// The tools that change one file.
const FILE_TOOLS: [&str; 3] =
    [BuiltInTool::WriteFile.name(), BuiltInTool::Replace.name(), BuiltInTool::ApplyPatch.name()];
/// The lowest: whatever the person wrote themselves about the same thing wins.
const PRIORITY: u16 = 0;
/// A grant given while things may be changed says nothing about plan mode.
const MODES: [(&str, ApprovalMode); 3] =
    [("default", ApprovalMode::Default), ("autoEdit", ApprovalMode::AutoEdit), ("yolo", ApprovalMode::Yolo)];

/// Why a grant could not be kept.
#[derive(Debug, Error)]
pub enum SaveGrantError {
    /// It ends with the session.
    #[error("{0} was granted for one session; there is nothing to keep")]
    NotLasting(Grant),
    /// The file is there and is no TOML; it is left as it is.
    #[error("{} is broken: {why}; repair it, then grant again", .file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It cannot be read or written.
    #[error("{} cannot be written: {source}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Write `grant` into the person's own policy file. `workspace` is the canonical path of the workspace; it counts for
/// [`GrantScope::Workspace`] only. A grant that is there already is not written twice.
pub fn save_grant(
    grant: &Grant,
    reach: GrantScope,
    workspace: &Path,
    user_policy_dir: &Path,
) -> Result<(), SaveGrantError> {
    let workspace = match reach {
        _ if !grant.can_last() => return Err(SaveGrantError::NotLasting(grant.clone())),
        GrantScope::Session => return Err(SaveGrantError::NotLasting(grant.clone())),
        GrantScope::Workspace => Some(workspace),
        GrantScope::Always => None,
    };
    let file = user_policy_dir.join(FILE);
    let io = |source: io::Error| SaveGrantError::Io { file: file.clone(), source };
    fs::DirBuilder::new().recursive(true).mode(0o700).create(user_policy_dir).map_err(io)?;
    // Many terminals may grant at once; each must see what the others wrote.
    let lock = lock(&user_policy_dir.join("auto-saved.lock")).map_err(io)?;
    let (head, text) = match pollux_files::read_text(&file, MAX_BYTES) {
        Ok(text) => ("", text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (HEAD, String::new()),
        Err(error) => return Err(io(error)),
    };
    let broken = |why: String| SaveGrantError::Broken { file: file.clone(), why };
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| broken(error.message().to_owned()))?;
    let rules = document.entry("rule").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let rules = rules.as_array_of_tables_mut().ok_or_else(|| broken("`rule` is no list of tables".into()))?;
    let rule = grant_table(grant, workspace);
    if !rules.iter().any(|there| is_same_rule(there, &rule)) {
        rules.push(rule);
        write(&file, &format!("{head}{document}")).map_err(io)?;
    }
    drop(lock);
    Ok(())
}

/// What the person has allowed for longer than a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedGrants {
    /// The file that it is in; it need not exist.
    pub file: PathBuf,
    /// What is allowed and where, in words; the oldest first.
    pub allowed: Vec<String>,
}

/// What [`save_grant`] has written that counts in `workspace`, a canonical path.
pub fn list_saved_grants(user_policy_dir: &Path, workspace: &Path) -> Result<SavedGrants, SaveGrantError> {
    let file = user_policy_dir.join(FILE);
    let text = match pollux_files::read_text(&file, MAX_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(SaveGrantError::Io { file, source }),
    };
    let document: DocumentMut = match text.parse::<DocumentMut>() {
        Ok(document) => document,
        Err(error) => return Err(SaveGrantError::Broken { file, why: error.message().to_owned() }),
    };
    let rules = document.get("rule").and_then(Item::as_array_of_tables);
    let rules = rules.into_iter().flat_map(ArrayOfTables::iter);
    Ok(SavedGrants { file, allowed: rules.filter_map(|rule| describe_saved_rule(rule, workspace)).collect() })
}

/// A rule as the person was asked about it; `None` for one of another workspace.
fn describe_saved_rule(rule: &Table, workspace: &Path) -> Option<String> {
    let text = |key: &str| rule.get(key).and_then(Item::as_str);
    let reach = match text("workspace") {
        Some(there) if Path::new(there) == workspace => describe_reach(GrantScope::Workspace),
        Some(_) => return None,
        None => describe_reach(GrantScope::Always),
    };
    let tool = text("toolName").unwrap_or_default();
    let what = match (text("command"), text("commandPrefix"), text("mcpName"), text("agentDigest")) {
        (Some(command), ..) => format!("`{command}`"),
        (None, Some(prefix), ..) => format!("every command that begins with `{prefix}`"),
        (None, None, Some(server), _) => format!("every tool of the MCP server {server} (as they were then)"),
        (None, None, None, Some(_)) => "every job for one agent (as it was then)".to_owned(),
        (None, None, None, None) if tool.is_empty() => "every file write and edit".to_owned(),
        (None, None, None, None) => format!("every {tool}"),
    };
    let directory = text("directory").filter(|directory| *directory != WORKSPACE_DIRECTORY);
    let directory = directory.map(|directory| format!(" in {directory}")).unwrap_or_default();
    Some(format!("{what}{directory} {reach}"))
}

const HEAD: &str = "# What you allowed permanently when Pollux asked. Take a rule out to be asked again.\n\n";

fn lock(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
    file.lock()?;
    Ok(file)
}

/// Replace the file in one step. A temporary file is made readable by its owner alone.
fn write(file: &Path, text: &str) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    let mut draft = tempfile::NamedTempFile::new_in(directory)?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    draft.persist(file)?;
    File::open(directory)?.sync_all()
}

fn grant_table(grant: &Grant, workspace: Option<&Path>) -> Table {
    let mut table = Table::new();
    if *grant == Grant::FileChanges {
        table.insert("toolName", value(FILE_TOOLS.iter().copied().collect::<Array>()));
    }
    let mut put = |key: &str, text: &str| {
        table.insert(key, value(text));
    };
    match grant {
        Grant::FileChanges => {}
        // It is never written: a rule of this kind says nothing about a directory.
        Grant::ReadDirectory { .. } => put("toolName", READ_FILE),
        Grant::Tool { tool } => put("toolName", tool),
        Grant::Command { command, .. } => {
            put("toolName", SHELL);
            put("command", command);
        }
        Grant::Prefix { words, .. } => {
            put("toolName", SHELL);
            put("commandPrefix", &words.join(" "));
        }
        Grant::Server { server } => {
            put("toolName", "*");
            put("mcpName", server);
        }
        Grant::McpTool { tool, digest } => {
            put("toolName", tool);
            put("mcpToolDigest", digest);
        }
        Grant::McpServer { server, digest } => {
            put("toolName", "*");
            put("mcpName", server);
            put("mcpServerDigest", digest);
        }
        // The digest is of the name, too.
        Grant::Agent { digest, .. } => {
            put("toolName", INVOKE_AGENT);
            put("agentDigest", digest);
        }
    }
    if let Grant::Command { directory, .. } | Grant::Prefix { directory, .. } = grant {
        put("directory", directory.as_deref().unwrap_or(WORKSPACE_DIRECTORY));
    }
    let is_command = matches!(grant, Grant::Command { .. } | Grant::Prefix { .. });
    if let Some(workspace) = workspace {
        put("workspace", &workspace.to_string_lossy());
    }
    put("decision", "allow");
    if is_command {
        // It was given in a folder that the person trusts; what another folder makes of the command is another thing.
        table.insert("trustedOnly", value(true));
    }
    if let Grant::Prefix { options, .. } = grant {
        table.insert("options", value(options.iter().map(String::as_str).collect::<Array>()));
    }
    table.insert("priority", value(i64::from(PRIORITY)));
    table.insert("modes", value(MODES.iter().map(|(name, _)| *name).collect::<Array>()));
    table
}

/// Whether two rules say the same, however they are laid out.
fn is_same_rule(one: &Table, other: &Table) -> bool {
    let plain = |item: &Item| item.as_value().map(|value| value.clone().decorated("", "").to_string());
    one.len() == other.len()
        && one.iter().all(|(key, item)| other.get(key).is_some_and(|there| plain(there) == plain(item)))
}

/// The rule that a kept grant becomes when the file is read again.
pub(crate) fn rule_of_grant(grant: &Grant) -> PolicyRule {
    let (tools, command) = match grant {
        Grant::Tool { tool } | Grant::McpTool { tool, .. } => (vec![ToolPattern::new(tool)], None),
        Grant::FileChanges => (FILE_TOOLS.map(ToolPattern::new).into(), None),
        Grant::Agent { .. } => (vec![ToolPattern::new(INVOKE_AGENT)], None),
        Grant::ReadDirectory { .. } => (vec![ToolPattern::new(READ_FILE)], None),
        Grant::Command { command, directory } => {
            let (exact, directory) = (Some(command.clone()), directory.clone());
            (vec![ToolPattern::new(SHELL)], Some(CommandTest { exact, directory, ..CommandTest::default() }))
        }
        Grant::Prefix { words, options, directory } => {
            let test = CommandTest {
                prefixes: vec![words.clone()],
                shown_options: Some(options.clone()),
                directory: directory.clone(),
                ..CommandTest::default()
            };
            (vec![ToolPattern::new(SHELL)], Some(test))
        }
        Grant::Server { .. } | Grant::McpServer { .. } => (Vec::new(), None),
    };
    let (server, mcp_digest) = match grant {
        Grant::Server { server } => (Some(server.clone()), None),
        Grant::McpServer { server, digest } => (Some(server.clone()), Some(McpDigest::Server(digest.clone()))),
        Grant::McpTool { digest, .. } => (None, Some(McpDigest::Tool(digest.clone()))),
        Grant::Tool { .. }
        | Grant::FileChanges
        | Grant::Command { .. }
        | Grant::Prefix { .. }
        | Grant::Agent { .. }
        | Grant::ReadDirectory { .. } => (None, None),
    };
    let agent_digest = match grant {
        Grant::Agent { digest, .. } => Some(digest.clone()),
        _ => None,
    };
    PolicyRule {
        origin: RuleOrigin::File { path: FILE.into(), line: 1 },
        tier: RuleTier::User,
        priority: PRIORITY,
        decision: PolicyDecision::Allow,
        description: None,
        deny_message: None,
        tools,
        server,
        mcp_digest,
        agent_digest,
        kinds: Vec::new(),
        subagent: None,
        modes: Some(MODES.iter().map(|(_, mode)| *mode).collect()),
        args: None,
        command,
        redirection: RedirectionPolicy::Asks,
        trust: match grant {
            Grant::Command { .. } | Grant::Prefix { .. } => TrustNeed::TrustedWorkspace,
            _ => TrustNeed::Anywhere,
        },
        firmness: RuleFirmness::Ordinary,
    }
}
