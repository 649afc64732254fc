//! The one file that a call can change. All others that are different later are not its doing.

use pollux_session::{BuiltInTool, CallState};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// The file that `call` changes, relative to the workspace, if it is a tool for one file. Where links may lead is not
/// followed: then nothing is known.
pub(super) fn find(call: &CallState, workspace: &Path) -> Option<String> {
    BuiltInTool::from_name(&call.tool).filter(|tool| tool.changes_file())?;
    let named = Path::new(call.args.get("file_path").and_then(Value::as_str)?);
    let inside = named.strip_prefix(workspace).unwrap_or(named);
    let mut relative = PathBuf::new();
    for part in inside.components() {
        match part {
            Component::Normal(name) => relative.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
        let is_link = workspace.join(&relative).symlink_metadata().is_ok_and(|found| found.is_symlink());
        if is_link {
            return None;
        }
    }
    relative.to_str().filter(|path| !path.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pollux_session::{CallId, CallPhase, Seq, TaskId, ToolKind};
    use pretty_assertions::assert_eq;
    use serde_json::json;

    #[test]
    fn only_tools_for_one_file_inside_the_workspace_have_one() {
        let workspace = tempfile::tempdir().unwrap();
        let at = workspace.path().canonicalize().unwrap();
        std::os::unix::fs::symlink("/tmp", at.join("link")).unwrap();
        let file = |tool: &str, path: &str| {
            let call = CallState {
                id: CallId(Seq(7)),
                task: TaskId(uuid::Uuid::nil()),
                parent: None,
                place: CallId(Seq(7)),
                tool: tool.into(),
                args: json!({ "file_path": path }),
                kind: ToolKind::Edit,
                ask: None,
                chosen: None,
                edit: None,
                plan: None,
                phase: CallPhase::Ready,
                response: None,
            };
            find(&call, &at)
        };
        assert_eq!(file("write_file", "./deep/a.txt").as_deref(), Some("deep/a.txt"));
        assert_eq!(file("replace", at.join("a.txt").to_str().unwrap()).as_deref(), Some("a.txt"));
        for path in ["../a.txt", "deep/../a.txt", "/etc/passwd", "link/a.txt", ""] {
            assert_eq!(file("write_file", path), None, "{path}");
        }
        assert_eq!(file("run_shell_command", "a.txt"), None);
    }
}
