use crate::console::{HeldNotices, ScreenLayer};
use pollux_session::{Notice, NoticeLevel};
use pretty_assertions::assert_eq;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::sync::broadcast;
use tracing::field::{Empty, display};
use tracing_subscriber::layer::SubscriberExt;

#[test]
fn a_line_that_a_screen_draws_says_what_it_is_about() {
    let (sender, mut lines) = broadcast::channel(8);
    let drawn =
        ScreenLayer { taken: Arc::new(AtomicBool::new(true)), sender, shared: false, held: HeldNotices::default() };
    tracing::subscriber::with_default(tracing_subscriber::registry().with(drawn), || {
        let request = tracing::debug_span!("request", id = 7, task = Empty);
        request.record("task", display("t-1"));
        request.in_scope(|| {
            tracing::debug!("accepted");
            tracing::warn!("the disk is nearly full");
        });
        tracing::debug!("on its own");
    });
    let mut said = |level, text: &str| assert_eq!(lines.try_recv().ok(), Some(Notice { level, text: text.into() }));
    said(NoticeLevel::Debug, "accepted request{id=7 task=t-1}");
    said(NoticeLevel::Warn, "the disk is nearly full");
    said(NoticeLevel::Debug, "on its own");
}
