//! The lines of `transcripts/lines.rs`, shorter: the two servers are years apart in which members they send, so only kinds,
//! states, the statuses of calls and texts are left.

/// Each line without its members.
pub(crate) fn lines(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| brief(line)).collect()
}

fn brief(line: &str) -> String {
    let mut words = line.split(' ');
    let first: Vec<&str> = words.by_ref().take(2).collect();
    match first[..] {
        // The state is what counts; how much of the history is kept is a test of its own.
        ["task", state] => format!("task {state}"),
        // Where the output is cut is a matter of time.
        ["prints", _] => "prints".to_owned(),
        [state, kind] if kind.starts_with("tool-call-") => {
            let call: Vec<&str> = words.take(2).collect();
            format!("{state} {kind} {}", call.join(" "))
        }
        [_, kind] if ["state-change", "text-content", "thought"].contains(&kind) => {
            let rest = words.filter(|word| !word.starts_with('+'));
            first.into_iter().chain(rest).collect::<Vec<_>>().join(" ")
        }
        _ => line.to_owned(),
    }
}
