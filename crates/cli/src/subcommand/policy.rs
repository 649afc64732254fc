//! `pollux policy check 'CMD'`: what policy says of a shell command, part by part, and which rule says it.

use crate::console::{self, LineStyle};
use crate::flags::{AgentFlags, BasicFlags, DebugFlags, RuleFlags};
use crate::folder_trust::folder_trust;
use crate::named_by_flags;
use crate::obeyed_places::obeyed_places;
use crate::program_environment::ProgramEnvironment;
use crate::runtime::{config_for, file_filter, rule_sources};
use crate::session_storage::resolve_current_workspace;
use crate::settings::UsageError;
use clap::Subcommand;
use pollux_policy::{
    FolderTrust, PolicyJudgement, PolicyObjection, PolicyProblem, PolicyRequest, PolicySources, WorkspacePolicies,
};
use pollux_session::{ApprovalMode, AskDetails, BuiltInTool, ToolKind};
use pollux_tools::PlanFiles;
use pollux_tui::clean;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux policy check 'git push'             would this run, ask or be denied, and why?
  pollux policy check 'cargo test && ls'     the same for each part of a longer command";

/// What can be asked of policy.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicySubcommand {
    /// Check a command, part by part (exit code 0: it runs, 3: it asks, 4: it is denied)
    Check {
        /// The shell command, in quotes
        command: String,
        #[command(flatten)]
        rules: RuleFlags,
        #[command(flatten)]
        debug: DebugFlags,
    },
}

impl PolicySubcommand {
    /// Print what policy says.
    pub(crate) fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let PolicySubcommand::Check { command, rules, debug } = self;
        let agent = AgentFlags { rules, ..AgentFlags::default() };
        let global_settings = environment.settings(BasicFlags { agent, debug, ..BasicFlags::default() })?;
        if command.trim().is_empty() {
            return Err(UsageError(
                "there is no command to check; give one, as in pollux policy check 'git status'".into(),
            )
            .into());
        }
        console::start(global_settings.detail, LineStyle::Sentences, None);
        let workspace = resolve_current_workspace()?;
        let config = config_for(&global_settings, &workspace);
        named_by_flags::check_places(&global_settings, &config, Path::new(&workspace))?;
        let trust = folder_trust(&global_settings, Path::new(&workspace));
        let sources = rule_sources(&global_settings, &config);
        let files = PlanFiles {
            include: config.preferences.include_directories.clone(),
            filtering: file_filter(&config),
            obeyed: obeyed_places(&global_settings, &config, Path::new(&workspace)),
        };
        let (mode, workspace) = (config.preferences.mode, workspace.into());
        check(&PolicyCheck { command, mode, workspace, sources, files, trust })
    }
}

/// A command to check, and the rules.
struct PolicyCheck {
    /// The shell command.
    command: String,
    mode: ApprovalMode,
    workspace: PathBuf,
    sources: PolicySources,
    files: PlanFiles,
    trust: FolderTrust,
}

/// Print the verdict. Exit code 0: it runs; 3: it asks; 4: it is denied.
fn check(check: &PolicyCheck) -> anyhow::Result<ExitCode> {
    let workspace = check.workspace.canonicalize()?;
    let trusted = check.trust == FolderTrust::Trusted;
    let policies = WorkspacePolicies::new(check.sources.clone());
    let judgement = judge_with_disk(&policies, check, &workspace, trusted);
    let mut out = std::io::stdout().lock();
    write(&mut out, check.mode, trusted, &judgement, &policies.take_new_problems())?;
    Ok(ExitCode::from(match judgement.verdict {
        pollux_policy::PolicyDecision::Allow => 0,
        pollux_policy::PolicyDecision::Ask => 3,
        pollux_policy::PolicyDecision::Deny => 4,
    }))
}

/// What the rules say, and then what the disk says against what they allow.
fn judge_with_disk(
    policies: &WorkspacePolicies,
    check: &PolicyCheck,
    workspace: &Path,
    trusted: bool,
) -> PolicyJudgement {
    let judgement = judge(policies, check, workspace, trusted, None);
    let object = |plan| pollux_tools::object_to_plan(workspace, check.files.clone(), plan);
    match judgement.plan.as_ref().and_then(object) {
        None => judgement,
        Some(objection) => {
            let found = PolicyObjection { why: &objection.why, command: objection.command };
            judge(policies, check, workspace, trusted, Some(found))
        }
    }
}

fn judge(
    policies: &WorkspacePolicies,
    check: &PolicyCheck,
    workspace: &Path,
    workspace_trusted: bool,
    objection: Option<PolicyObjection<'_>>,
) -> PolicyJudgement {
    let args = serde_json::json!({ "command": check.command });
    let directory = workspace.display().to_string();
    let details = AskDetails::Execute { command: check.command.clone(), directory };
    policies.for_workspace(workspace, workspace_trusted).judge(&PolicyRequest {
        mode: check.mode,
        kind: ToolKind::Execute,
        tool: BuiltInTool::RunShellCommand.name(),
        args: &args,
        obeyed_args: &args,
        details: &details,
        grants: &[],
        protected: None,
        outside: None,
        secret: None,
        workspace_trusted,
        subagent: None,
        agent: None,
        workspace,
        objection,
    })
}

fn write(
    out: &mut impl Write,
    mode: ApprovalMode,
    trusted: bool,
    judgement: &PolicyJudgement,
    problems: &[PolicyProblem],
) -> std::io::Result<()> {
    let folder = if trusted { "a trusted folder" } else { "a folder that is not trusted" };
    writeln!(out, "{}, in {} mode, in {folder}", judgement.verdict.name(), mode.name())?;
    for finding in &judgement.findings {
        // A command may hold anything, and this goes to a terminal.
        writeln!(out, "  {:5}  {}", finding.decision.name(), printable(&finding.part))?;
        writeln!(out, "         {}", printable(&finding.why))?;
    }
    if let Some(plan) = &judgement.plan {
        writeln!(out, "runs without a shell in {}:", printable(&plan.directory))?;
        for line in plan.to_string().lines() {
            writeln!(out, "  {}", printable(line))?;
        }
    } else if judgement.verdict == pollux_policy::PolicyDecision::Allow {
        writeln!(out, "runs in a shell")?;
    }
    for problem in problems {
        writeln!(out, "{}", printable(&problem.to_string()))?;
    }
    Ok(())
}

/// `text` with every character as an escape that acts on a terminal, that turns the direction of reading or that cannot
/// be seen: who checks a command must see all of it.
fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        let mut bytes = [0; 4];
        let alone: &str = char.encode_utf8(&mut bytes);
        match char.is_control() || clean(alone) != alone {
            true => shown.extend(char.escape_default()),
            false => shown.push(char),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// The output for `command` when the person's own rules are `rules`.
    fn printed(command: &str, rules: &str) -> String {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("mine.toml"), rules).unwrap();
        let check = PolicyCheck {
            command: command.into(),
            mode: ApprovalMode::Default,
            workspace: home.path().into(),
            sources: PolicySources { user_dir: Some(home.path().into()), ..PolicySources::default() },
            files: PlanFiles::default(),
            trust: FolderTrust::Unknown,
        };
        let policies = WorkspacePolicies::new(check.sources.clone());
        let judgement = judge_with_disk(&policies, &check, &home.path().canonicalize().unwrap(), false);
        let mut out = Vec::new();
        write(&mut out, check.mode, false, &judgement, &policies.take_new_problems()).unwrap();
        String::from_utf8(out).unwrap().replace(&home.path().display().to_string(), "~")
    }

    #[test]
    fn each_part_is_shown_with_the_rule_that_decided_it() {
        let rules = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"make\"\n\
                     decision = \"allow\"\npriority = 1\n\n[[rule]]\ndecision = \"deny\"\npriority = 1\n\
                     toolName = \"x\"\ncolour = 1\n";
        assert_eq!(
            printed("make all > log; $x \u{1b}[2K", rules),
            "ask, in default mode, in a folder that is not trusted\n  \
               ask    make all\n         the command is allowed by ~/mine.toml:1, but not to write with `> log`\n  \
               ask    make all > log; $x \\u{1b}[2K\n         \
               it holds the character U+001B, which is not what it looks like\n  \
               ask    $x \\u{1b}[2K\n         which program it runs is known only when it runs\n\
             ~/mine.toml:11: `colour` is not known here, and this rule holds without it\n"
        );
    }

    #[test]
    fn the_part_that_reads_a_secret_is_the_one_that_asks() {
        let rules = "[[rule]]\ncommandPrefix = [\"ls\", \"cat\"]\ndecision = \"allow\"\npriority = 1\n";
        let text = printed("ls && cat .env", rules);
        assert_eq!(
            text,
            "ask, in default mode, in a folder that is not trusted\n  \
               allow  ls\n         allowed by ~/mine.toml:1\n  \
               ask    cat .env\n         ~/.env is protected: it holds environment variables with secrets\n"
        );
    }

    #[test]
    fn nothing_that_hides_or_turns_text_around_is_printed_as_it_is() {
        let hiding = ('\u{200b}'..='\u{200f}')
            .chain('\u{202a}'..='\u{202e}')
            .chain('\u{2066}'..='\u{2069}')
            .chain('\u{e0000}'..='\u{e007f}')
            .chain([
                '\u{7}', '\u{1b}', '\u{7f}', '\u{9b}', '\u{ad}', '\u{61c}', '\u{2028}', '\u{2029}', '\u{feff}', '\r',
            ]);
        for char in hiding {
            let shown: String = char.escape_default().collect();
            assert_eq!(printable(&format!("a{char}b")), format!("a{shown}b"));
            let printed = printed(&format!("echo 'é{char}b' # \u{202e}"), "");
            assert!(
                !printed.contains(char) && !printed.contains('\u{202e}') && printed.contains(&shown),
                "{printed:?}"
            );
        }
        assert_eq!(printable("naïve 日本 🦀"), "naïve 日本 🦀");
    }

    #[test]
    fn an_allowed_command_names_its_rule() {
        let text = printed("make", "[[rule]]\ncommandPrefix = \"make\"\ndecision = \"allow\"\npriority = 1\n");
        assert_eq!(
            text,
            "allow, in default mode, in a folder that is not trusted\n  allow  make\n         allowed by ~/mine.toml:1\n\
             runs without a shell in ~:\n  make\n"
        );
    }
}
