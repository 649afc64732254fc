use super::*;
use pretty_assertions::assert_eq;

fn ready(tools: usize, left_out: &[&str]) -> McpStatus {
    McpStatus::Ready { tools, prompts: 1, resources: 0, left_out: left_out.iter().map(|&one| one.to_owned()).collect() }
}

/// The notices while a server goes through these states.
fn announcements(states: &[McpStatus]) -> Vec<String> {
    let before = std::iter::once(None).chain(states.iter().map(Some));
    let news = states.iter().zip(before).flat_map(|(now, before)| describe_status_change("x", before, now));
    news.map(|Notice { level, text }| format!("{level:?}: {text}")).collect()
}

#[test]
fn a_crash_and_a_return_are_told() {
    let failed = McpStatus::Failed { why: "it ended; it is started again in 1 seconds".into() };
    let told = announcements(&[McpStatus::Connecting, ready(2, &[]), failed, McpStatus::Connecting, ready(2, &[])]);
    assert_eq!(
        told,
        [
            "Debug: MCP server x is being connected",
            "Info: MCP server x is ready: 2 tools, 1 prompt",
            "Warn: MCP server x failed: it ended; it is started again in 1 seconds",
            "Debug: MCP server x is being connected",
            "Info: MCP server x is ready: 2 tools, 1 prompt",
        ]
    );
}

#[test]
fn what_changed_is_told_once() {
    let told =
        announcements(&[ready(1, &["the tool `a`: bad"]), ready(2, &["the tool `a`: bad", "the tool `b`: bad"])]);
    assert_eq!(
        told,
        [
            "Info: MCP server x is ready: 1 tool, 1 prompt",
            "Warn: MCP server x offers what cannot be used: the tool `a`: bad",
            "Info: MCP server x now offers 2 tools, 1 prompt",
            "Warn: MCP server x offers what cannot be used: the tool `b`: bad",
        ]
    );
    assert_eq!(announcements(&[McpStatus::Stopped, McpStatus::Stopped]), ["Info: MCP server x stopped"]);
}

#[test]
fn a_wanted_sign_in_says_how() {
    let wanted = McpStatus::NeedsSignIn { how: "run: pollux mcp login x".into() };
    assert_eq!(announcements(&[wanted]), ["Warn: MCP server x needs a login; run: pollux mcp login x"]);
}

#[test]
fn servers_that_fail_in_the_same_way_when_they_are_started_anew_are_told_once() {
    let board = NoticeBoard::default();
    let reporter = McpStatusReporter::new(board);
    let failed = |why: &str| reporter.clone().is_new_failure("x", why);
    assert_eq!([failed("it ended"), failed("it ended"), failed("it hangs")], [true, false, true]);
    let ready = ready(1, &[]);
    let notice = describe_status_change("x", None, &ready).remove(0);
    reporter.report("x", &ready, notice);
    assert!(failed("it hangs"), "it was there in between");
}
