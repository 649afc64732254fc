//! The behaviour of every backend of the log. One function per behaviour, run on each backend; a new backend adds one
//! line to `backends!`. Duties of a file only are in `disk.rs`.

#![expect(clippy::unwrap_used, reason = "this is all test code, behaviours and fixtures included")]

mod disk;
mod fixture;
mod listing;

use crate::fixture::Backend;
use fixture::*;
use listing::*;
use pollux_session::{CommandFingerprint, Event, Seq, SessionId, SessionSummary, UnixMillis};
use pollux_store::{CreateOutcome, Epoch, LocatedTask, NewSession, SqliteLog, StoreError};
use pretty_assertions::assert_eq;
use std::sync::Arc;

/// Run every behaviour on every backend. A backend is an expression for an empty log and what keeps it alive.
macro_rules! backends {
    ($($backend:ident: $open:expr;)*) => { $(behaviours! { $backend, $open,
        entries_read_back_as_they_were_appended,
        a_page_starts_after_its_cursor_and_ends_at_its_limit,
        a_page_ends_early_when_it_is_large,
        an_unknown_session_has_nothing,
        a_claim_fences_the_writer_before_it,
        entries_that_do_not_follow_the_head_are_a_conflict,
        a_failed_batch_leaves_nothing_and_harms_no_other,
        a_session_begins_with_entry_one_and_only_once,
        the_same_message_opens_one_session_a_day,
        racing_retries_open_one_session,
        ids_are_found_by_their_owner_only,
        a_task_belongs_to_one_session,
        a_label_names_the_session_opened_last,
        the_list_is_newest_change_first,
        streamed_text_does_not_count_as_a_change,
        the_title_is_the_first_prompt_shortened,
        an_open_turn_is_unfinished,
        sixty_four_writers_keep_their_order,
        tasks_are_listed_by_their_newest_change_of_standing,
        a_list_of_tasks_is_narrowed_and_still_counts_right,
        a_list_of_tasks_comes_in_pages_without_a_gap,
        unprompted_sessions_are_listed_among_the_tasks,
        a_label_with_many_tasks_counts_right,
        push_targets_are_kept_moved_and_forgotten,
        an_adopted_session_is_as_if_it_had_been_written_here,
        a_session_is_adopted_whole_or_not_at_all,
    })* };
}

macro_rules! behaviours {
    ($backend:ident, $open:expr, $($behaviour:ident,)*) => {
        mod $backend {
            use super::*;
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $behaviour() {
                    let (log, _alive) = $open;
                    super::$behaviour(Arc::new(log)).await;
                }
            )*
        }
    };
}

backends! {
    sqlite_on_disk: {
        let dir = tempfile::tempdir().unwrap();
        (SqliteLog::open(&dir.path().join("log.db")).unwrap(), dir)
    };
    sqlite_in_memory: (SqliteLog::in_memory().unwrap(), ());
}

async fn entries_read_back_as_they_were_appended<L: Backend>(log: Arc<L>) {
    let epoch = create(&*log, opening(1)).await;
    let added = vec![prompted(2, task(1), 1, "hello"), said(3, "a"), piece(4, "ü\u{0}\n")];
    log.append(batch(session(1), epoch, added[..2].to_vec())).await.unwrap();
    log.append(batch(session(1), epoch, added[2..].to_vec())).await.unwrap();

    let expected: Vec<_> = first_entries(1).into_iter().chain(added).collect();
    assert_eq!(all(&*log, session(1)).await, expected);
    assert_eq!(log.head(session(1)).await, Ok(Some(Seq(4))));
}

async fn a_page_starts_after_its_cursor_and_ends_at_its_limit<L: Backend>(log: Arc<L>) {
    let epoch = create(&*log, opening(1)).await;
    log.append(batch(session(1), epoch, (2..=9).map(released))).await.unwrap();

    let page = |after, limit| {
        let log = Arc::clone(&log);
        async move {
            let page = log.read(session(1), Seq(after), limit).await.unwrap();
            page.iter().map(|entry| entry.seq.0).collect::<Vec<_>>()
        }
    };
    assert_eq!(page(0, 3).await, [1, 2, 3]);
    assert_eq!(page(3, 100).await, [4, 5, 6, 7, 8, 9]);
    assert_eq!(page(9, 100).await, [0; 0]);
    assert_eq!(page(1_000, 100).await, [0; 0]);
    assert_eq!(page(u64::MAX, 100).await, [0; 0]);
    assert_eq!(page(0, 0).await, [0; 0]);
}

async fn a_page_ends_early_when_it_is_large<L: Backend>(log: Arc<L>) {
    let epoch = create(&*log, opening(1)).await;
    let megabyte = "x".repeat(1024 * 1024);
    log.append(batch(session(1), epoch, (2..=9).map(|seq| piece(seq, &megabyte)))).await.unwrap();

    let first = log.read(session(1), Seq::START, 100).await.unwrap();
    assert!((2..9).contains(&first.len()), "a page of {} entries", first.len());
    let mut seqs = Vec::new();
    let mut cursor = Seq::START;
    loop {
        let page = log.read(session(1), cursor, 100).await.unwrap();
        let Some(last) = page.last() else { break };
        cursor = last.seq;
        seqs.extend(page.iter().map(|entry| entry.seq.0));
    }
    assert_eq!(seqs, (1..=9).collect::<Vec<_>>());
}

async fn an_unknown_session_has_nothing<L: Backend>(log: Arc<L>) {
    assert_eq!(log.head(session(9)).await, Ok(None));
    assert_eq!(log.claim(session(9)).await, Ok(None));
    assert_eq!(log.read(session(9), Seq::START, 10).await, Ok(vec![]));
    let append = log.append(batch(session(9), Epoch(1), [released(1)])).await;
    assert_eq!(append, Err(StoreError::NotFound(session(9))));
}

async fn a_claim_fences_the_writer_before_it<L: Backend>(log: Arc<L>) {
    let first = create(&*log, opening(1)).await;
    let second = log.claim(session(1)).await.unwrap().unwrap();
    let third = log.claim(session(1)).await.unwrap().unwrap();
    assert!(first < second && second < third);

    for old in [first, second, Epoch(third.0 + 1)] {
        let append = log.append(batch(session(1), old, [released(2)])).await;
        assert_eq!(append, Err(StoreError::Fenced(session(1))));
    }
    assert_eq!(log.append(batch(session(1), first, [])).await, Err(StoreError::Fenced(session(1))));
    assert_eq!(log.append(batch(session(1), third, [])).await, Ok(()));
    assert_eq!(log.append(batch(session(1), third, [released(2)])).await, Ok(()));
    assert_eq!(log.head(session(1)).await, Ok(Some(Seq(2))));
}

async fn entries_that_do_not_follow_the_head_are_a_conflict<L: Backend>(log: Arc<L>) {
    let epoch = create(&*log, opening(1)).await;
    let conflict =
        |expected, found| Err(StoreError::Conflict { session: session(1), expected: Seq(expected), found: Seq(found) });
    assert_eq!(log.append(batch(session(1), epoch, [released(1)])).await, conflict(2, 1));
    assert_eq!(log.append(batch(session(1), epoch, [released(3)])).await, conflict(2, 3));
    assert_eq!(log.append(batch(session(1), epoch, [released(2), released(4)])).await, conflict(3, 4));
    assert_eq!(log.append(batch(session(1), epoch, [released(2), released(2)])).await, conflict(3, 2));
    assert_eq!(all(&*log, session(1)).await, first_entries(1));
}

async fn a_failed_batch_leaves_nothing_and_harms_no_other<L: Backend>(log: Arc<L>) {
    let (one, two) = (create(&*log, opening(1)).await, create(&*log, opening(2)).await);
    let taken = [prompted(2, task(70), 1, "mine")];
    log.append(batch(session(2), two, taken.clone())).await.unwrap();

    // Sent together, so that they may share a transaction. The second fails after it has written one of its tasks.
    let (before, failed, after) = tokio::join!(
        log.append(batch(session(1), one, [released(2)])),
        log.append(batch(session(1), one, [prompted(3, task(80), 1, "new"), prompted(4, task(70), 1, "stolen")])),
        log.append(batch(session(2), two, [released(3)])),
    );
    assert_eq!((before, failed, after), (Ok(()), Err(StoreError::TaskTaken(task(70))), Ok(())));
    assert_eq!(all(&*log, session(1)).await, [first_entries(1), vec![released(2)]].concat());
    assert_eq!(all(&*log, session(2)).await, [first_entries(2), taken.to_vec(), vec![released(3)]].concat());
    assert_eq!(log.locate(&ann(), task(80).0).await, Ok(None));
    log.append(batch(session(1), one, [released(3)])).await.unwrap();
}

async fn a_session_begins_with_entry_one_and_only_once<L: Backend>(log: Arc<L>) {
    let mut empty = opening(1);
    empty.entries.clear();
    assert_eq!(log.create(empty).await, Err(StoreError::Unopened(session(1))));
    let mut late = opening(1);
    Arc::make_mut(&mut late.entries[0]).seq = Seq(2);
    let conflict = StoreError::Conflict { session: session(1), expected: Seq(1), found: Seq(2) };
    assert_eq!(log.create(late).await, Err(conflict));
    assert_eq!(log.head(session(1)).await, Ok(None));

    create(&*log, opening(1)).await;
    assert_eq!(log.create(opening(1)).await, Err(StoreError::Exists(session(1))));
}

async fn the_same_message_opens_one_session_a_day<L: Backend>(log: Arc<L>) {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    let retry = |number, opened| {
        let once = Some(CommandFingerprint("message".into()));
        NewSession { once, opened: UnixMillis(opened), ..opening(number) }
    };
    create(&*log, retry(1, 1_000)).await;
    assert_eq!(log.create(retry(2, 1_000)).await, Ok(CreateOutcome::Existing(session(1))));
    assert_eq!(log.create(retry(2, 1_000 + DAY - 1)).await, Ok(CreateOutcome::Existing(session(1))));
    assert_eq!(log.create(retry(2, 10)).await, Ok(CreateOutcome::Existing(session(1))));
    assert_eq!(log.head(session(2)).await, Ok(None));

    create(&*log, NewSession { owner: bob(), ..retry(3, 1_000) }).await;
    create(&*log, NewSession { once: Some(CommandFingerprint("other".into())), ..retry(4, 1_000) }).await;
    create(&*log, retry(5, 1_000 + DAY)).await;
    assert_eq!(log.create(retry(6, 1_001 + DAY)).await, Ok(CreateOutcome::Existing(session(5))));
}

async fn racing_retries_open_one_session<L: Backend>(log: Arc<L>) {
    let racers: Vec<_> = (1..=16)
        .map(|number| {
            let log = Arc::clone(&log);
            let once = Some(CommandFingerprint("message".into()));
            let session = NewSession { once, ..opening(number) };
            tokio::spawn(async move { (session.id, log.create(session).await.unwrap()) })
        })
        .collect();
    let (mut won, mut told) = (Vec::new(), Vec::new());
    for racer in racers {
        match racer.await.unwrap() {
            (id, CreateOutcome::New(_)) => won.push(id),
            (_, CreateOutcome::Existing(id)) => told.push(id),
        }
    }
    assert_eq!((won.len(), told), (1, vec![won[0]; 15]));
}

async fn ids_are_found_by_their_owner_only<L: Backend>(log: Arc<L>) {
    let epoch = create(&*log, opening(1)).await;
    let prompts = [prompted(2, session(1).main_task(), 1, "a"), prompted(3, task(70), 1, "b")];
    log.append(batch(session(1), epoch, prompts)).await.unwrap();

    let whole = LocatedTask { session: session(1), task: None };
    let part = LocatedTask { session: session(1), task: Some(task(70)) };
    assert_eq!(log.locate(&ann(), session(1).0).await, Ok(Some(whole)));
    assert_eq!(log.locate(&ann(), task(70).0).await, Ok(Some(part)));
    assert_eq!(log.locate(&ann(), task(71).0).await, Ok(None));
    assert_eq!(log.locate(&bob(), session(1).0).await, Ok(None));
    assert_eq!(log.locate(&bob(), task(70).0).await, Ok(None));
    assert_eq!(log.newest(&bob(), &context("c")).await, Ok(None));
    assert_eq!(log.list(&bob(), 10).await, Ok(vec![]));
}

async fn a_task_belongs_to_one_session<L: Backend>(log: Arc<L>) {
    let (one, two) = (create(&*log, opening(1)).await, create(&*log, opening(2)).await);
    log.append(batch(session(1), one, [prompted(2, task(70), 1, "a")])).await.unwrap();
    let stolen = log.append(batch(session(2), two, [prompted(2, task(70), 1, "b")])).await;
    assert_eq!(stolen, Err(StoreError::TaskTaken(task(70))));
    assert_eq!(all(&*log, session(2)).await, first_entries(2));
}

async fn a_label_names_the_session_opened_last<L: Backend>(log: Arc<L>) {
    let opened =
        |number, label: &str, at| NewSession { context: context(label), opened: UnixMillis(at), ..opening(number) };
    for session in [opened(1, "c", 10), opened(2, "c", 30), opened(3, "c", 20), opened(4, "d", 40)] {
        create(&*log, session).await;
    }
    assert_eq!(log.newest(&ann(), &context("c")).await, Ok(Some(session(2))));
    create(&*log, opened(5, "c", 30)).await;
    assert_eq!(log.newest(&ann(), &context("c")).await, Ok(Some(session(5))));
    assert_eq!(log.newest(&ann(), &context("e")).await, Ok(None));
}

async fn the_list_is_newest_change_first<L: Backend>(log: Arc<L>) {
    let mut epochs = Vec::new();
    for number in 1..=3 {
        epochs.push(create(&*log, opening(number)).await);
    }
    log.append(batch(session(2), epochs[1], [released(2), released(3)])).await.unwrap();
    log.append(batch(session(1), epochs[0], [released(2)])).await.unwrap();

    let listed = |limit| {
        let log = Arc::clone(&log);
        async move { log.list(&ann(), limit).await.unwrap().into_iter().map(|line| line.id).collect::<Vec<_>>() }
    };
    assert_eq!(listed(10).await, [session(2), session(1), session(3)]);
    assert_eq!(listed(2).await, [session(2), session(1)]);
    assert_eq!(listed(0).await, [] as [SessionId; 0]);
}

async fn streamed_text_does_not_count_as_a_change<L: Backend>(log: Arc<L>) {
    let epoch = create(&*log, opening(1)).await;
    let line = |changed, head| SessionSummary {
        id: session(1),
        owner: ann(),
        context: context("c"),
        workspace: "/ws".into(),
        title: String::new(),
        opened: UnixMillis(1000),
        changed: UnixMillis(changed),
        head: Seq(head),
    };
    assert_eq!(log.list(&ann(), 10).await, Ok(vec![line(1001, 1)]));
    let output = Event::Output { call: pollux_session::CallId(Seq(1)), offset: 0, text: "out".into() };
    let streamed = [said(2, "a"), piece(3, "b"), entry(4, None, output)];
    log.append(batch(session(1), epoch, streamed)).await.unwrap();
    assert_eq!(log.list(&ann(), 10).await, Ok(vec![line(1001, 4)]));
    log.append(batch(session(1), epoch, [released(5), piece(6, "c")])).await.unwrap();
    assert_eq!(log.list(&ann(), 10).await, Ok(vec![line(1005, 6)]));
}

async fn the_title_is_the_first_prompt_shortened<L: Backend>(log: Arc<L>) {
    let epoch = create(&*log, opening(1)).await;
    let title = || async { log.list(&ann(), 1).await.unwrap().remove(0).title };
    log.append(batch(session(1), epoch, [prompted(2, task(1), 1, " fix\n the\t bug ")])).await.unwrap();
    assert_eq!(title().await, "fix the bug");
    log.append(batch(session(1), epoch, [prompted(3, task(1), 2, "another")])).await.unwrap();
    assert_eq!(title().await, "fix the bug");
}

async fn an_open_turn_is_unfinished<L: Backend>(log: Arc<L>) {
    let (one, two) = (create(&*log, opening(1)).await, create(&*log, opening(2)).await);
    assert_eq!(log.unfinished().await, Ok(vec![]));
    log.append(batch(session(2), two, [prompted(2, task(2), 1, "x"), turn_started(3), said(4, "y")])).await.unwrap();
    log.append(batch(session(1), one, [prompted(2, task(1), 1, "x"), turn_started(3)])).await.unwrap();
    log.append(batch(session(1), one, [released(4), piece(5, "z")])).await.unwrap();
    assert_eq!(log.unfinished().await, Ok(vec![session(1), session(2)]));
    log.append(batch(session(2), two, [turn_ended(5)])).await.unwrap();
    log.append(batch(session(1), one, [turn_ended(6), turn_started(7)])).await.unwrap();
    assert_eq!(log.unfinished().await, Ok(vec![session(1)]));
}

async fn sixty_four_writers_keep_their_order<L: Backend>(log: Arc<L>) {
    const LAST: u64 = 40;
    let writers: Vec<_> = (1..=64)
        .map(|number| {
            let log = Arc::clone(&log);
            tokio::spawn(async move {
                let epoch = create(&*log, opening(number)).await;
                for seq in 2..=LAST {
                    let text = format!("{number}/{seq}");
                    log.append(batch(session(number), epoch, [piece(seq, &text)])).await.unwrap();
                    // What is acknowledged can be read.
                    if seq % 8 == 0 {
                        assert_eq!(log.head(session(number)).await, Ok(Some(Seq(seq))));
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    for number in 1..=64 {
        let pieces = (2..=LAST).map(|seq| piece(seq, &format!("{number}/{seq}")));
        let expected: Vec<_> = first_entries(number).into_iter().chain(pieces).collect();
        assert_eq!(all(&*log, session(number)).await, expected);
    }
}
