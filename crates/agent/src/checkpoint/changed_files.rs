//! The only files that a call can change. All others that are different later are not its doing.

use pollux_session::{AskDetails, BuiltInTool, CallState, PatchedFile};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// The files that `call` changes, relative to the workspace, if it is a tool for files. Where links may lead is not followed: then
/// nothing is known, and there are none. `judged` is what policy allowed of a call that nobody was asked about.
pub(super) fn find(call: &CallState, judged: Option<&AskDetails>, workspace: &Path) -> Vec<String> {
    if !BuiltInTool::from_name(&call.tool).is_some_and(BuiltInTool::changes_file) {
        return Vec::new();
    }
    let shown = call.ask.as_ref().map(|ask| &ask.details).or(judged);
    if let Some(AskDetails::Patch { files }) = shown {
        // These paths are real.
        let root = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
        let inside = |path: &str| Some(Path::new(path).strip_prefix(&root).ok()?.to_str()?.to_owned());
        let found: Option<Vec<String>> = files.iter().flat_map(PatchedFile::paths).map(inside).collect();
        return found.unwrap_or_default();
    }
    named_file(call, workspace).into_iter().collect()
}

/// The file that `call` names.
fn named_file(call: &CallState, workspace: &Path) -> Option<String> {
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
    fn only_tools_for_files_inside_the_workspace_have_one() {
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
            find(&call, None, &at).pop()
        };
        assert_eq!(file("write_file", "./deep/a.txt").as_deref(), Some("deep/a.txt"));
        assert_eq!(file("replace", at.join("a.txt").to_str().unwrap()).as_deref(), Some("a.txt"));
        for path in ["../a.txt", "deep/../a.txt", "/etc/passwd", "link/a.txt", ""] {
            assert_eq!(file("write_file", path), None, "{path}");
        }
        assert_eq!(file("run_shell_command", "a.txt"), None);
    }
}
