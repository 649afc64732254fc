//! Calls: may this one run, and running it.

use pollux_host::{Gone, Reporter};
use pollux_policy::Judgement;
use pollux_session::{Ask, By, Call, Grant, Mode, Pending, Report, ToolKind, Verdict};
use pollux_tools::{Output, Preview, Ran, Toolbox};
use std::path::Path;

/// Ask the tool what it would do and policy whether it may.
pub(crate) async fn vet(
    toolbox: &Toolbox,
    workspace: &str,
    call: &Call,
    mode: Mode,
    grants: &[(Grant, By)],
    reporter: &Reporter,
) -> Result<(), Gone> {
    let (kind, verdict) = match toolbox.preview(Path::new(workspace), &call.tool, &call.args).await {
        Err(outcome) => (ToolKind::default(), Verdict::Fail { outcome }),
        Ok(preview) => {
            let Preview { kind, details, grant, protected, .. } = preview;
            let verdict = match pollux_policy::judge(mode, grants, kind, &call.tool, &grant, protected.as_deref()) {
                Judgement::Allow { why } => Verdict::Allow { why },
                Judgement::Deny { why } => Verdict::Deny { why },
                Judgement::Ask => Verdict::Ask(Ask::new(details, pollux_policy::options(&grant, protected.as_deref()))),
            };
            (kind, verdict)
        }
    };
    reporter.report(Report::Vetted { kind, verdict }).await
}

/// Run a call. It starts only after the log says that it does.
pub(crate) async fn run(toolbox: &Toolbox, workspace: &str, call: &Call, reporter: &Reporter) -> Result<(), Gone> {
    reporter.report(Report::Starting).await?;
    let mut output = LiveOutput { reporter };
    match toolbox.run(Path::new(workspace), call, &mut output).await {
        Ran::Done(outcome) => reporter.report(Report::Done { outcome }).await,
        Ran::Stale => reporter.report(Report::Stale).await,
    }
}

struct LiveOutput<'a> {
    reporter: &'a Reporter,
}

impl Output for LiveOutput<'_> {
    fn send<'b>(&'b mut self, text: String, skipped: u64) -> Pending<'b, ()> {
        Box::pin(async move {
            // When the call is no longer owed, this future is dropped with the tool; until then nothing is lost.
            let _ = self.reporter.report(Report::Output { text, skipped }).await;
        })
    }
}
