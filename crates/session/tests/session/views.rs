//! The view is the same, whichever way a person comes to see it: in one go, in pages, entry by entry, after a restart.

use crate::harness::SessionHarness;
use crate::laws::moves::moves;
use crate::laws::{MOVES, config, played};
use expect_test::expect;
use pollux_session::{
    CallProgress, Entry, EntryAuthor, EntryOrigin, Event, ItemContent, ItemKind, NoteTone, Seq, SessionView,
    ViewChanges, ViewItem, ViewItemId, ViewLimits,
};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;
use std::sync::Arc;

const NO_LIMITS: ViewLimits = ViewLimits {
    items: usize::MAX,
    bytes: usize::MAX,
    changes: usize::MAX,
    page_entries: 1_000_000,
    pages: 1,
    ..TIGHT
};
const TIGHT: ViewLimits =
    ViewLimits { items: 4, bytes: 2_000, text_bytes: 30, output_bytes: 20, changes: 6, page_entries: 3, pages: 5 };

type Items = BTreeMap<ViewItemId, Arc<ViewItem>>;

fn reader() -> EntryAuthor {
    EntryAuthor::Client { principal: "local".into(), label: "seat 0".into() }
}

fn with_origin(entry: &Entry) -> (&Entry, EntryOrigin) {
    let origin = if entry.by == reader() { EntryOrigin::Earlier } else { EntryOrigin::Other };
    (entry, origin)
}

fn fold(log: &[Entry], limits: ViewLimits) -> SessionView {
    let mut view = SessionView::with_limits(reader(), limits);
    for (entry, origin) in log.iter().map(with_origin) {
        view.apply(entry, origin);
    }
    view
}

fn all_items(view: &SessionView) -> Items {
    view.items().map(|item| (item.id, item.clone())).collect()
}

/// Everything there is to see, page by page from the end.
fn turn_pages(view: &SessionView, log: &[Entry]) -> Items {
    let mut items = Items::new();
    let mut before = ViewItemId { seq: view.state().head.next(), part: 0 };
    while let Some(page) = view.page_before(before) {
        assert!(page.first() < before, "each page is before the last one");
        before = page.first();
        let entries = log.iter().filter(|entry| page.after < entry.seq && entry.seq <= page.until);
        items.extend(view.fold_page(&page, entries.map(with_origin)).into_iter().map(|item| (item.id, item)));
    }
    items
}

/// A reader who draws what changed since they looked last.
#[derive(Default)]
struct Follower {
    seen: Seq,
    items: Items,
}

impl Follower {
    fn look(&mut self, view: &SessionView) {
        match view.changes_since(self.seen) {
            ViewChanges::Since { items, removed } => {
                self.items.extend(items.into_iter().map(|item| (item.id, item)));
                removed.iter().for_each(|id| drop(self.items.remove(id)));
            }
            ViewChanges::Gap => self.items = all_items(view),
        }
        self.seen = view.state().head;
    }
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn pages_hold_what_one_fold_holds(moves in prop::collection::vec(moves(), 0..MOVES)) {
        let SessionHarness { log, .. } = played(moves);
        let whole = all_items(&fold(&log, NO_LIMITS));
        let view = fold(&log, TIGHT);
        assert_eq!(turn_pages(&view, &log), whole);
        for item in view.items() {
            assert_eq!(whole.get(&item.id), Some(item));
        }
        let settled = view.items().filter(|item| item.settled).count();
        assert!(settled <= TIGHT.items, "{settled} settled items are kept");
    }

    #[test]
    fn whoever_draws_the_changes_sees_what_there_is(
        moves in prop::collection::vec(moves(), 0..MOVES),
        looks in prop::collection::vec((any::<Index>(), any::<bool>()), 0..12),
    ) {
        let SessionHarness { log, .. } = played(moves);
        for limits in [NO_LIMITS, TIGHT] {
            let mut stops: Vec<(usize, bool)> = looks.iter().map(|(at, fresh)| (at.index(log.len() + 1), *fresh)).collect();
            stops.push((log.len(), false));
            stops.sort_unstable();
            let (mut follower, mut view, mut folded) = (Follower::default(), fold(&[], limits), 0);
            for (stop, is_restarted) in stops {
                if is_restarted {
                    view = fold(&log[..stop], limits);
                } else {
                    log[folded..stop].iter().map(with_origin).for_each(|(entry, origin)| view.apply(entry, origin));
                }
                folded = stop;
                follower.look(&view);
                let whole = all_items(&fold(&log[..stop], NO_LIMITS));
                for item in view.items() {
                    assert_eq!(follower.items.get(&item.id), Some(item), "what is in sight is drawn");
                }
                for item in follower.items.values() {
                    assert_eq!(whole.get(&item.id), Some(item), "what is drawn is true");
                }
                if limits == NO_LIMITS {
                    assert_eq!(follower.items.len(), whole.len());
                }
            }
        }
    }

    #[test]
    fn what_is_settled_never_changes(moves in prop::collection::vec(moves(), 0..MOVES)) {
        let SessionHarness { log, .. } = played(moves);
        let mut view = fold(&[], NO_LIMITS);
        let mut settled = Items::new();
        for (entry, origin) in log.iter().map(with_origin) {
            view.apply(entry, origin);
            for (id, item) in &settled {
                assert_eq!(view.item(*id), Some(item));
            }
            settled.extend(view.items().filter(|item| item.settled).map(|item| (item.id, item.clone())));
        }
        if view.state().turn.is_none() {
            assert_eq!(view.items().find(|item| !item.settled), None);
        }
    }
}

/// A log of events of the agent, one after the other.
fn log_of(events: Vec<Event>) -> Vec<Entry> {
    let entry = |(at, event): (usize, Event)| {
        let seq = Seq(at as u64 + 1);
        Entry { seq, at: pollux_session::UnixMillis(seq.0 * 10), by: EntryAuthor::Agent, task: None, event }
    };
    events.into_iter().enumerate().map(entry).collect()
}

fn said(kind: ItemKind, text: &str) -> Event {
    Event::Said { kind, text: text.into(), response: None }
}

fn ended(item: u64) -> Event {
    Event::ItemEnded { item: pollux_session::ItemId(Seq(item)), len: 0, cut: false, meta: serde_json::Value::Null }
}

/// An item on a line: its id, its revision, a `+` while it may still change, and what there is to see.
fn item_line(item: &ViewItem) -> String {
    let content = match &item.content {
        ItemContent::Prompt { by, text, .. } => format!("prompt of {}: {text}", by.as_deref().unwrap_or("the reader")),
        ItemContent::Text { text, cut } => format!("text{}: {}", if *cut { " (cut)" } else { "" }, text.text),
        ItemContent::Thought { subjects, .. } => format!("thought: {subjects:?}"),
        ItemContent::Call(call) => {
            let output: String = call.output.pieces.iter().map(|piece| piece.text.as_str()).collect();
            let remarks: Vec<&str> = call.remarks.iter().map(|remark| remark.text.as_str()).collect();
            format!("call {}: {:?}, printed {output:?}, {remarks:?}", call.title(), call.progress)
        }
        ItemContent::Note { topic, tone, text } => format!("{topic:?}, {tone:?}: {text}"),
        ItemContent::Attachment { text } => format!("attachment: {text}"),
        ItemContent::Summary { heading, text } => format!("summary: {heading} {text}"),
    };
    let (id, open) = (item.id, if item.settled { "" } else { "+" });
    format!("{}.{} @{}{open} {content}\n", id.seq.0, id.part, item.revision.0)
}

#[test]
fn a_conversation_as_items() {
    let lines = |harness: &SessionHarness| -> String {
        fold(&harness.log, NO_LIMITS).items().map(|item| item_line(item)).collect()
    };
    let mut harness = SessionHarness::new();
    harness.prompt("seat 0", "look around");
    harness.thought("**Looking**\nfirst");
    harness.text("I will ");
    harness.text("look.");
    harness.step(&["run ls"]);
    harness.ask("run ls");
    expect![[r#"
        4.0 @4 prompt of the reader: look around
        5.0 @6 thought: ["Looking"]
        7.0 @9 text: I will look.
        11.0 @12+ call run {"about":"ls"}: Asking, printed "", []
    "#]]
    .assert_eq(&lines(&harness));
    harness.answer("bob", "run ls", "proceed_once");
    harness.start("run ls");
    harness.output("run ls", "a.rs\n", 0);
    harness.done("run ls");
    harness.prompt("bob", "and then?");
    harness.cancel("bob");
    expect![[r#"
        4.0 @4 prompt of the reader: look around
        5.0 @6 thought: ["Looking"]
        7.0 @9 text: I will look.
        11.0 @16 call run {"about":"ls"}: Ended, printed "a.rs\n", ["A2A bob allowed it once"]
        18.0 @18 TurnEnd, Info: cancelled by A2A bob
        18.1 @18 NextStep, Info: held in the queue: 1 prompt; /queue go continues, /queue drop N takes one out
    "#]]
    .assert_eq(&lines(&harness));
}

#[test]
fn a_thought_that_says_nothing_is_removed() {
    let log =
        log_of(vec![said(ItemKind::Thought, "  "), ended(1), said(ItemKind::Thought, "**Why**\nBecause."), ended(3)]);
    let mut follower = Follower::default();
    follower.look(&fold(&log[..1], NO_LIMITS));
    assert_eq!(follower.items.len(), 1);
    let view = fold(&log, NO_LIMITS);
    follower.look(&view);
    assert_eq!(follower.items, all_items(&view));
    let subjects = view.items().map(|item| match &item.content {
        ItemContent::Thought { subjects, .. } => subjects.clone(),
        other => panic!("{other:?}"),
    });
    assert_eq!(subjects.collect::<Vec<_>>(), [["Why"]]);
}

#[test]
fn whoever_is_too_far_behind_begins_again() {
    let notes = (0..10).map(|number| Event::NotCompacted { why: number.to_string() }).collect();
    let view = fold(&log_of(notes), TIGHT);
    assert_eq!(view.changes_since(Seq(2)), ViewChanges::Gap);
    let texts: Vec<String> = view
        .items()
        .map(|item| match &item.content {
            ItemContent::Note { tone: NoteTone::Warn, text, .. } => text.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(texts, [6, 7, 8, 9].map(|number| format!("no summary was made: {number}")));
    let ViewChanges::Since { items, removed } = view.changes_since(Seq(8)) else { panic!("there is no gap") };
    assert_eq!((items.iter().map(|item| item.id.seq.0).collect::<Vec<_>>(), removed), (vec![9, 10], vec![]));
}

#[test]
fn a_call_that_the_log_leaves_open_is_over_with_its_turn() {
    let called = Event::Called {
        tool: "run".into(),
        args: serde_json::json!({ "command": "make" }),
        meta: serde_json::Value::Null,
        replaces: None,
        parent: None,
    };
    let outcome = pollux_session::TurnOutcome::Rested;
    let view = fold(&log_of(vec![called, Event::TurnEnded { outcome }]), NO_LIMITS);
    let call = view.call_view(pollux_session::CallId(Seq(1))).unwrap();
    assert_eq!((call.progress, &call.outcome, call.title().as_str()), (CallProgress::Ended, &None, "run make"));
}
