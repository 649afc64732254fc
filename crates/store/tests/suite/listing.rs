//! Lists of tasks, and where their news goes.

use crate::fixture::Backend;
use crate::fixture::*;
use pollux_session::{
    CallId, Event, PushTarget, Seq, TaskId, TaskKind, TaskMark, TaskPage, TaskQuery, TaskRow, UnixMillis,
    UnpromptedTasks, WorkspaceCheckpoint,
};
use pollux_store::{EntryBatch, NewSession, StoreError, TaskUpdate};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::sync::Arc;

fn everything() -> TaskQuery {
    TaskQuery {
        context: None,
        marks: vec![],
        since: None,
        unprompted: UnpromptedTasks::LeftOut,
        after: None,
        limit: 100,
    }
}

/// A label with so many tasks that they are kept count of, before and after that begins.
pub(crate) async fn a_label_with_many_tasks_counts_right<L: Backend>(log: Arc<L>) {
    use TaskMark::{Completed, Failed, Working};
    let total = async |marks: &[TaskMark]| {
        let query = TaskQuery { context: Some(context("c")), marks: marks.to_vec(), ..everything() };
        list(&*log, query).await.1
    };
    let epoch = with_many_tasks(&*log, 1..=1001).await;
    assert_eq!((total(&[]).await, total(&[Completed]).await), (1001, 1001));
    let add = async |seq: u64, task: TaskId, mark: TaskMark| {
        let entry = prompted(seq, task, seq, "go");
        let marks = vec![standing(task, mark)];
        log.append(EntryBatch { marks, ..batch(session(1), epoch, [entry]) }).await.unwrap();
    };
    // From the id that ends with a zero byte on, the label is kept count of.
    add(1003, task(5 << 8), Working).await;
    assert_eq!((total(&[]).await, total(&[Completed]).await), (1002, 1001));
    add(1004, task(5 << 8), Completed).await;
    assert_eq!((total(&[]).await, total(&[Completed]).await), (1002, 1002));
    add(1005, task((1 << 8) | 1), Failed).await;
    add(1006, task(7), Working).await;
    add(1007, task(6 << 8), Completed).await;
    assert_eq!((total(&[]).await, total(&[Completed]).await), (1004, 1002));
    assert_eq!((total(&[Failed]).await, total(&[Failed, Working]).await), (1, 2));
    add(1008, task(7), Failed).await;
    add(1009, task((1 << 8) | 1), Working).await;
    assert_eq!((total(&[Failed]).await, total(&[Working]).await, total(&[]).await), (1, 1, 1004));
    assert_eq!(list(&*log, TaskQuery { context: Some(context("d")), ..everything() }).await.1, 0);
}

/// A session with one prompted task for each mark, the first one oldest.
async fn marked<L: Backend>(log: &L, number: u128, marks: &[TaskMark]) -> Vec<TaskId> {
    let opening = opening(number);
    let (session, mut seq) = (opening.id, opening.entries.last().unwrap().seq);
    let epoch = create(log, opening).await;
    let mut tasks = Vec::new();
    for (place, mark) in marks.iter().enumerate() {
        let task = task(number * 100 + place as u128);
        seq = seq.next();
        let mut entry = prompted(seq.0, task, 1, "go");
        entry.at = UnixMillis(1_000 * number as u64 + place as u64);
        let marks = vec![TaskUpdate { task, kind: TaskKind::Once, mark: *mark }];
        log.append(EntryBatch { marks, ..batch(session, epoch, [entry]) }).await.unwrap();
        tasks.push(task);
    }
    tasks
}

async fn list<L: Backend>(log: &L, query: TaskQuery) -> (Vec<TaskId>, u64) {
    let TaskPage { rows, total, .. } = log.tasks(&ann(), query).await.unwrap();
    (rows.into_iter().map(|row| row.task).collect(), total)
}

pub(crate) async fn tasks_are_listed_by_their_newest_change_of_standing<L: Backend>(log: Arc<L>) {
    let [one, two] = marked(&*log, 1, &[TaskMark::Working, TaskMark::Working]).await[..] else { panic!() };
    assert_eq!(list(&*log, everything()).await, (vec![two, one], 2));

    let epoch = log.claim(session(1)).await.unwrap().unwrap();
    let head = log.head(session(1)).await.unwrap().unwrap();
    let mark = |seq: Seq, at: u64, mark| {
        let mut entry = prompted(seq.0, one, 1 + seq.0, "more");
        entry.at = UnixMillis(at);
        EntryBatch {
            marks: vec![TaskUpdate { task: one, kind: TaskKind::Once, mark }],
            ..batch(session(1), epoch, [entry])
        }
    };
    // The same standing again is no change.
    log.append(mark(head.next(), 9_000, TaskMark::Working)).await.unwrap();
    assert_eq!(list(&*log, everything()).await, (vec![two, one], 2));
    log.append(mark(head.next().next(), 9_001, TaskMark::Completed)).await.unwrap();
    let page = log.tasks(&ann(), TaskQuery { limit: 1, ..everything() }).await.unwrap();
    let row = TaskRow {
        task: one,
        session: session(1),
        context: context("c"),
        kind: TaskKind::Once,
        mark: TaskMark::Completed,
        since: UnixMillis(9_001),
    };
    assert_eq!(page, TaskPage { next: Some(row.place()), rows: vec![row], total: 2 });
    assert_eq!(log.tasks(&bob(), everything()).await.unwrap(), TaskPage::default());
}

pub(crate) async fn a_list_of_tasks_is_narrowed_and_still_counts_right<L: Backend>(log: Arc<L>) {
    use TaskMark::{Completed, Failed, Working};
    let first = marked(&*log, 1, &[Working, Completed, Working]).await;
    let second = marked(&*log, 2, &[Failed, Completed]).await;
    let of = |marks: &[TaskMark]| TaskQuery { marks: marks.to_vec(), ..everything() };

    assert_eq!(list(&*log, of(&[Working])).await, (vec![first[2], first[0]], 2));
    assert_eq!(list(&*log, of(&[Completed, Failed, Completed])).await, (vec![second[1], second[0], first[1]], 3));
    let since = TaskQuery { since: Some(UnixMillis(2_000)), ..everything() };
    assert_eq!(list(&*log, since).await, (vec![second[1], second[0]], 2));
    let labelled = TaskQuery { context: Some(context("c")), ..of(&[Completed]) };
    assert_eq!(list(&*log, labelled).await, (vec![second[1], first[1]], 2));
    // Counts are kept by the hour: a moment within one, at its edge, and after the last.
    let third = marked(&*log, 4_000, &[Working]).await;
    for (since, tasks) in [
        (1_001, 5),
        (2_001, 2),
        (3_600_000, 1),
        (4_000_000, 1),
        (4_000_001, 0),
        (9_000_000, 0),
        (10_000, 1),
        (3_999_999, 1),
    ] {
        let found = list(&*log, TaskQuery { since: Some(UnixMillis(since)), ..everything() }).await;
        assert_eq!((found.0.len(), found.1), (tasks, tasks as u64), "since {since}");
    }
    assert_eq!(list(&*log, TaskQuery { since: Some(UnixMillis(3_000_000)), ..of(&[Working]) }).await, (third, 1));
    let elsewhere = TaskQuery { context: Some(context("nowhere")), ..everything() };
    assert_eq!(list(&*log, elsewhere).await, (vec![], 0));
}

pub(crate) async fn a_list_of_tasks_comes_in_pages_without_a_gap<L: Backend>(log: Arc<L>) {
    let marks = [TaskMark::Completed, TaskMark::Working].repeat(6);
    let mut tasks = marked(&*log, 1, &marks).await;
    tasks.reverse();
    for wanted in [vec![], vec![TaskMark::Completed, TaskMark::Working]] {
        let mut query = TaskQuery { marks: wanted, limit: 5, ..everything() };
        let mut seen = Vec::new();
        loop {
            let page = log.tasks(&ann(), query.clone()).await.unwrap();
            assert_eq!(page.total, 12);
            seen.extend(page.rows.iter().map(|row| row.task));
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        assert_eq!(seen, tasks);
    }
}

/// A session that was opened and never prompted is a task among the others, once, until it is prompted or closed.
pub(crate) async fn unprompted_sessions_are_listed_among_the_tasks<L: Backend>(log: Arc<L>) {
    let with = |query: TaskQuery| TaskQuery { unprompted: UnpromptedTasks::Listed, ..query };
    let opened = |number: u128, at: u64| NewSession { opened: UnixMillis(at), ..opening(number) };
    for (number, at) in [(50, 1_000), (51, 2_000), (52, 2_000), (53, 3_000)] {
        create(&*log, opened(number, at)).await;
    }
    let [older, newer] = marked(&*log, 1, &[TaskMark::Completed, TaskMark::Working]).await[..] else { panic!() };
    let fresh = |number: u128| session(number).main_task();
    let all = vec![fresh(53), fresh(52), fresh(51), newer, older, fresh(50)];
    assert_eq!(list(&*log, with(everything())).await, (all.clone(), 2));
    assert_eq!(list(&*log, everything()).await, (vec![newer, older], 2));
    let row = log.tasks(&ann(), with(TaskQuery { limit: 1, ..everything() })).await.unwrap().rows.remove(0);
    let (kind, mark, since) = (TaskKind::OpenEnded, TaskMark::Submitted, UnixMillis(3_000));
    assert_eq!(row, TaskRow { task: fresh(53), session: session(53), context: context("c"), kind, mark, since });
    for limit in 1..=7 {
        let mut query = with(TaskQuery { limit, ..everything() });
        let mut seen = Vec::new();
        loop {
            let page = log.tasks(&ann(), query.clone()).await.unwrap();
            assert!(page.rows.len() <= limit);
            seen.extend(page.rows.iter().map(|row| row.task));
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        assert_eq!(seen, all, "{limit} at a time");
    }
    let narrowed = |query: TaskQuery| async { list(&*log, with(query)).await.0 };
    let of = |mark| TaskQuery { marks: vec![mark], ..everything() };
    assert_eq!(narrowed(of(TaskMark::Completed)).await, [older]);
    assert_eq!(narrowed(of(TaskMark::Submitted)).await, [fresh(53), fresh(52), fresh(51), fresh(50)]);
    assert_eq!(narrowed(TaskQuery { since: Some(UnixMillis(2_001)), ..everything() }).await, [fresh(53)]);
    assert_eq!(narrowed(TaskQuery { context: Some(context("d")), ..everything() }).await, []);

    // Prompted, in its main task or in another; or closed before anybody said a thing.
    for (number, prompted_task, mark) in
        [(53, fresh(53), TaskMark::Working), (52, task(9), TaskMark::Working), (51, fresh(51), TaskMark::Cancelled)]
    {
        let epoch = log.claim(session(number)).await.unwrap().unwrap();
        let mut entry = prompted(log.head(session(number)).await.unwrap().unwrap().0 + 1, prompted_task, 1, "");
        entry.at = UnixMillis(10_000 - u64::try_from(number).unwrap());
        let marks = vec![standing(prompted_task, mark)];
        log.append(EntryBatch { marks, ..batch(session(number), epoch, [entry]) }).await.unwrap();
    }
    let now = list(&*log, with(everything())).await;
    assert_eq!(now, (vec![fresh(51), task(9), fresh(53), newer, older, fresh(50)], 5));
}

pub(crate) async fn push_targets_are_kept_moved_and_forgotten<L: Backend>(log: Arc<L>) {
    let target = |task: TaskId, id: &str, cursor| PushTarget {
        owner: ann(),
        task: task.0,
        id: id.into(),
        form: json!({ "url": "https://example.com", "token": "s" }),
        cursor: Seq(cursor),
    };
    for (number, id) in [(1, "b"), (1, "a"), (2, "a")] {
        log.put_target(target(task(number), id, 0)).await.unwrap();
    }
    assert!(log.move_target(&ann(), task(1).0, "a", Seq(7)).await.unwrap());
    let of = (ann(), task(1).0);
    let kept = vec![target(task(1), "a", 7), target(task(1), "b", 0)];
    assert_eq!(log.targets(Some((&of.0, of.1))).await.unwrap(), kept);
    assert_eq!(log.targets(None).await.unwrap().len(), 3);

    log.put_target(target(task(1), "a", 3)).await.unwrap();
    assert_eq!(log.targets(Some((&of.0, of.1))).await.unwrap()[0].cursor, Seq(3));
    let other = bob();
    assert!(!log.remove_target(&other, task(1).0, "a").await.unwrap());
    assert!(log.remove_target(&ann(), task(1).0, "a").await.unwrap());
    assert!(!log.remove_target(&ann(), task(1).0, "a").await.unwrap());
    assert!(!log.move_target(&ann(), task(1).0, "a", Seq(9)).await.unwrap());
    assert_eq!(log.targets(Some((&other, task(1).0))).await.unwrap(), vec![]);
}

/// A session that was kept elsewhere.
pub(crate) async fn an_adopted_session_is_as_if_it_had_been_written_here<L: Backend>(log: Arc<L>) {
    let mut kept = opening(1);
    let next = kept.entries.last().unwrap().seq.next();
    kept.entries.push(Arc::new(prompted(next.0, task(7), 1, "go")));
    let saved = WorkspaceCheckpoint {
        call: CallId(next),
        name: "elsewhere".into(),
        saved: Ok("a".into()),
        file: None,
        files: vec![],
    };
    let next = next.next();
    kept.entries.push(Arc::new(entry(next.0, Some((task(7), 2)), Event::Checkpointed(saved))));
    let entries = kept.entries.clone();
    let mark = TaskUpdate { task: task(7), kind: TaskKind::Once, mark: TaskMark::Completed };
    log.adopt(kept.clone(), vec![(UnixMillis(77), mark)]).await.unwrap();
    assert_eq!(log.read(kept.id, Seq::START, 100).await.unwrap(), entries);
    let rows = log.tasks(&ann(), everything()).await.unwrap().rows;
    assert_eq!(
        rows.iter().map(|row| (row.task, row.mark, row.since)).collect::<Vec<_>>(),
        [(task(7), TaskMark::Completed, UnixMillis(77))]
    );
    let everyone = log.everyones().await.unwrap();
    assert_eq!(everyone.iter().map(|summary| (summary.id, summary.head)).collect::<Vec<_>>(), [(kept.id, next)]);
    assert!(log.claim(kept.id).await.unwrap().is_some());
    // What it saved stayed on the machine that saved it.
    assert_eq!(log.checkpoints(&ann(), &kept.workspace, 9).await.unwrap(), []);
}

/// One that cannot be taken in leaves nothing.
pub(crate) async fn a_session_is_adopted_whole_or_not_at_all<L: Backend>(log: Arc<L>) {
    let kept = opening(1);
    log.adopt(kept.clone(), Vec::new()).await.unwrap();
    assert_eq!(log.adopt(kept.clone(), Vec::new()).await, Err(StoreError::Exists(kept.id)));
    let mut gap = opening(2);
    let last = gap.entries.last().unwrap().seq;
    gap.entries.push(Arc::new(prompted(last.0 + 2, task(8), 1, "go")));
    log.adopt(gap.clone(), Vec::new()).await.unwrap_err();
    assert_eq!(log.head(gap.id).await.unwrap(), None);
}
