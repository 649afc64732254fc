//! Resource names: `tasks/{task}` and `tasks/{task}/pushNotificationConfigs/{id}`.

const CONFIGS: &str = "pushNotificationConfigs";

/// The name of a task.
pub fn task_name(task: &str) -> String {
    format!("tasks/{task}")
}

/// The name of one of a task's push configurations.
pub fn push_name(task: &str, id: &str) -> String {
    format!("tasks/{task}/{CONFIGS}/{id}")
}

/// The task that a name means; `None` when it is no name of a task.
pub fn read_task_name(name: &str) -> Option<&str> {
    match read(name)? {
        (task, None) => Some(task),
        (_, Some(_)) => None,
    }
}

/// The task that a name means, and which of its push configurations; no id in the name of the whole list.
pub fn read_push_name(name: &str) -> Option<(&str, Option<&str>)> {
    let (task, rest) = read(name)?;
    match rest.map(|rest| rest.split_once('/').unwrap_or((rest, ""))) {
        None | Some((CONFIGS, "")) => Some((task, None)),
        Some((CONFIGS, id)) if !id.contains('/') => Some((task, Some(id))),
        Some(_) => None,
    }
}

/// 0.3.0 has a route with `task/` for `tasks/`, so both are read.
fn read(name: &str) -> Option<(&str, Option<&str>)> {
    let rest = name.strip_prefix("tasks/").or_else(|| name.strip_prefix("task/"))?;
    let (task, rest) = match rest.split_once('/') {
        Some((task, rest)) => (task, Some(rest)),
        None => (rest, None),
    };
    (!task.is_empty()).then_some((task, rest))
}
