//! The situation of a conversation, told to the model once, before the first prompt: the date, the directory, the state of git,
//! the mode. None of it is in the instructions, so these stay the same and a provider can keep them. It is told again where a
//! summary or a rewind has taken it away.

use crate::agent_settings::Attendance;
use crate::history::verbatim_lines;
use crate::memory;
use crate::model_call_context::ModelCallContext;
use crate::tool_calls::read_command_output;
use crate::workspace_agent::WorkspaceAgent;
use jiff::Zoned;
use pollux_model::{InstructionProfile, ModelNature};
use pollux_session::{
    ApprovalMode, Report, SITUATION_ATTACHMENT, SessionId, Transcript, TranscriptLine, one_line, plural,
};
use pollux_tools::run_file_work;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::timeout;

/// The most bytes of names at the top of the workspace, and of the names of rules files.
const MAX_NAMES: usize = 400;
/// The most characters of one name.
const NAME_CHARS: usize = 60;
/// The most characters of a branch's name.
const BRANCH_CHARS: usize = 100;
/// The wait for git: a prompt does not wait longer for a count.
const GIT_TIMEOUT: Duration = Duration::from_millis(500);
/// What git is asked. The first line of its answer is about the branch, each other line about one file.
const GIT_STATUS: &str = "git status --porcelain --branch";

/// The report of where the model works, unless it has been told.
pub(crate) async fn describe_situation(
    agent: &WorkspaceAgent,
    call_context: &ModelCallContext,
    session: SessionId,
    transcript: &Transcript,
) -> Option<Report> {
    let model = call_context.model.info();
    let is_wanted = call_context.settings.describe_situation
        && model.profile == InstructionProfile::Full
        && model.nature != ModelNature::Demo
        && !is_told(transcript);
    if !is_wanted {
        return None;
    }
    let workspace = Path::new(&call_context.workspace);
    let (top, git, rules) = tokio::join!(
        call_context.toolbox.top_names(workspace),
        describe_git(agent, session),
        list_rules_files(call_context),
    );
    let situation = Situation {
        date: Zoned::now().strftime("%A, %Y-%m-%d").to_string(),
        workspace: &call_context.workspace,
        top,
        git,
        mode: call_context.mode,
        attendance: call_context.attendance,
        rules,
    };
    Some(Report::Attached {
        name: SITUATION_ATTACHMENT.to_owned(),
        text: situation.render(),
        media: Vec::new(),
        seen: Vec::new(),
    })
}

/// Whether the model still knows it.
fn is_told(transcript: &Transcript) -> bool {
    let is_situation = |line: &&TranscriptLine| matches!(line, TranscriptLine::Attachment { name, .. } if name == SITUATION_ATTACHMENT);
    verbatim_lines(transcript).iter().any(is_situation)
}

/// The branch and the number of changed files, if git may be asked without a question: in a folder that the person trusts.
async fn describe_git(agent: &WorkspaceAgent, session: SessionId) -> Option<String> {
    if !agent.root.join(".git").exists() {
        return None;
    }
    let status = timeout(GIT_TIMEOUT, read_command_output(agent, session, GIT_STATUS)).await.ok().flatten();
    let Some(status) = status else { return Some("a repository".to_owned()) };
    Some(render_git_status(&status))
}

/// `branch main, 3 changed files` for what `git status --porcelain --branch` prints.
fn render_git_status(status: &str) -> String {
    let mut lines = status.lines();
    let head = lines.next().unwrap_or_default().trim_start_matches("## ");
    let changed = lines.filter(|line| line.len() > 3 && !line.starts_with('[')).count();
    let branch = match head.strip_prefix("No commits yet on ") {
        Some(branch) => format!("branch {}, no commits yet", one_line(branch, BRANCH_CHARS)),
        None if head.starts_with("HEAD (no branch)") => "no branch (detached)".to_owned(),
        None => {
            let branch = head.split("...").next().unwrap_or(head);
            format!("branch {}", one_line(branch, BRANCH_CHARS))
        }
    };
    let changed = if changed == 0 { "nothing changed".to_owned() } else { plural(changed, "changed or new file") };
    format!("{branch}, {changed}")
}

/// The rules files whose text is in the instructions.
async fn list_rules_files(call_context: &ModelCallContext) -> Vec<String> {
    let (workspace, settings) = (PathBuf::from(&call_context.workspace), call_context.settings.clone());
    let added = call_context.toolbox.include_directories().to_vec();
    let listed = run_file_work(move || {
        let files = memory::memory_paths(&workspace, &added, &settings.memory);
        let shown = |file: &PathBuf| file.strip_prefix(&workspace).unwrap_or(file).display().to_string();
        files.iter().map(shown).collect::<Vec<_>>()
    });
    listed.await.unwrap_or_default()
}

struct Situation<'a> {
    date: String,
    workspace: &'a str,
    /// The names at the top of the workspace.
    top: Vec<String>,
    git: Option<String>,
    mode: ApprovalMode,
    attendance: Attendance,
    /// The rules files that were read.
    rules: Vec<String>,
}

impl Situation<'_> {
    fn render(&self) -> String {
        let mut text = "[The situation, as it is now. None of this is a request.\n".to_owned();
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        text.push_str(&format!("- Date: {}. Platform: {os}, {arch}.\n", self.date));
        text.push_str(&format!("- Directory: {}. In it: {}.\n", self.workspace, join_names(&self.top)));
        if let Some(git) = &self.git {
            text.push_str(&format!("- Git: {git}.\n"));
        }
        text.push_str(&format!("- Mode: {}. {}\n", self.mode.name(), self.permissions()));
        if !self.rules.is_empty() {
            text.push_str(&format!("- Rules files, which you have read: {}.\n", join_names(&self.rules)));
        }
        text.pop();
        text.push(']');
        text
    }

    /// What runs at once, and what becomes of the rest.
    fn permissions(&self) -> String {
        let at_once = match self.mode {
            ApprovalMode::Yolo => return "Every call runs at once.".to_owned(),
            ApprovalMode::Plan => {
                return "Calls that read, and commands that are known to only read, run at once. Nothing can be changed."
                    .to_owned();
            }
            ApprovalMode::AutoEdit => {
                "Calls that read, changes of files in the workspace, and commands that are known to only read run at once."
            }
            ApprovalMode::Default => "Calls that read, and commands that are known to only read, run at once.",
        };
        let rest = match self.attendance {
            Attendance::Attended => "Everything else waits until the person allows it.",
            Attendance::Unattended => "Everything else is denied, because nobody is there to allow it.",
        };
        format!("{at_once} {rest}")
    }
}

/// Names with commas between them, as many as fit.
fn join_names(names: &[String]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let mut text = String::new();
    for (at, name) in names.iter().enumerate() {
        let name = one_line(name, NAME_CHARS);
        if text.len() + name.len() > MAX_NAMES {
            text.push_str(&format!(" and {} more", names.len() - at));
            break;
        }
        if at > 0 {
            text.push_str(", ");
        }
        text.push_str(&name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn situation(mode: ApprovalMode, attendance: Attendance) -> Situation<'static> {
        Situation {
            date: "Thursday, 2026-11-19".into(),
            workspace: "/home/someone/app",
            top: vec!["src/".into(), "README.md".into()],
            git: Some("branch main, nothing changed".into()),
            mode,
            attendance,
            rules: vec!["GEMINI.md".into()],
        }
    }

    #[test]
    fn the_model_is_told_where_it_works_and_what_runs_at_once() {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let told = situation(ApprovalMode::Default, Attendance::Attended).render();
        assert_eq!(
            told,
            format!(
                "[The situation, as it is now. None of this is a request.\n\
                 - Date: Thursday, 2026-11-19. Platform: {os}, {arch}.\n\
                 - Directory: /home/someone/app. In it: src/, README.md.\n\
                 - Git: branch main, nothing changed.\n\
                 - Mode: default. Calls that read, and commands that are known to only read, run at once. Everything else \
                 waits until the person allows it.\n\
                 - Rules files, which you have read: GEMINI.md.]"
            )
        );
        let bare = Situation {
            top: vec![],
            git: None,
            rules: vec![],
            ..situation(ApprovalMode::AutoEdit, Attendance::Unattended)
        };
        let told = bare.render();
        assert!(told.contains("In it: nothing.\n- Mode: auto_edit."), "{told}");
        assert!(told.ends_with("is denied, because nobody is there to allow it.]"), "{told}");
        assert!(situation(ApprovalMode::Plan, Attendance::Attended).render().contains("Nothing can be changed."));
        assert!(situation(ApprovalMode::Yolo, Attendance::Attended).render().contains("Every call runs at once."));
    }

    #[test]
    fn it_stays_small_whatever_the_workspace_holds() {
        let names = Vec::from_iter((0..10_000).map(|at| format!("{at}-{}\n", "n".repeat(500))));
        let large =
            Situation { rules: names.clone(), top: names, ..situation(ApprovalMode::Default, Attendance::Attended) };
        let told = large.render();
        assert!(told.len() < 1_500, "{} bytes", told.len());
        assert!(told.contains(" and 9994 more"), "{told}");
        assert_eq!(told.lines().count(), 6, "a name cannot begin a line: {told}");
    }

    #[test]
    fn what_git_says_in_words() {
        let told = [
            ("## main", "branch main, nothing changed"),
            ("## main...origin/main [ahead 1]\n M a.rs\n?? b c.rs\n", "branch main, 2 changed or new files"),
            ("## No commits yet on trunk\n?? a\n", "branch trunk, no commits yet, 1 changed or new file"),
            ("## HEAD (no branch)", "no branch (detached), nothing changed"),
        ];
        for (status, words) in told {
            assert_eq!(render_git_status(status), words);
        }
    }
}
