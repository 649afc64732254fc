//! A seat over a socket, at a real server that comes and goes.

mod restartable_server;

use pollux_remote::{DisconnectReason, RemoteSeat, SeatAddress, SeatError, SeatLinkState};
use pollux_session::{Command, Entry, EntryAuthor, Event, Refusal, Seat, SendError, Seq, SessionId};
use pretty_assertions::assert_eq;
use restartable_server::{RestartableServer, SESSION, follow, id, link_is, prompt, read_log};
use std::sync::Arc;
use uuid::Uuid;

fn is_rest(entry: &Entry) -> bool {
    matches!(entry.event, Event::TurnEnded { .. })
}

fn prompts(entries: &[Arc<Entry>]) -> Vec<&str> {
    let said = entries.iter().filter_map(|entry| match &entry.event {
        Event::Prompted { text, .. } => Some(text.as_str()),
        _ => None,
    });
    said.collect()
}

#[tokio::test]
async fn a_seat_elsewhere_reads_sends_and_looks_up_as_one_beside_the_session() {
    let dir = tempfile::tempdir().unwrap();
    let server = RestartableServer::start(&dir.path().join("log.db"), SESSION, 0).await;
    let far = server.join().await;
    assert_eq!((far.session(), far.incarnation()), (SESSION, server.seat.incarnation()));
    assert_eq!((far.who().label.as_str(), far.welcome().workspace.as_str()), ("A2A far", "/"));
    let mut seen = Vec::new();
    follow(&*far, &mut seen, |_| true).await;
    let receipt = far.send(id("one"), prompt("hello")).await.unwrap();
    follow(&*far, &mut seen, is_rest).await;
    assert_eq!(seen, read_log(&*server.seat).await);
    assert_eq!(prompts(&seen), ["hello"]);
    assert_eq!(seen[usize::try_from(receipt.seq.0 - 1).unwrap()].by, EntryAuthor::from(far.who()));
    assert_eq!(far.commands().await.unwrap()[0].name, "memory");
    assert_eq!(far.models().await.unwrap(), Vec::<String>::new());
    assert_eq!(far.sessions().await.unwrap()[0].id, SESSION);
    let refused = far.send(id("two"), prompt(" ")).await;
    assert_eq!(refused, Err(SendError::Refused(Refusal::EmptyPrompt)));
    server.kill().await;
}

#[tokio::test]
async fn an_ask_is_answered_from_the_other_side_and_the_loser_learns_who_won() {
    let dir = tempfile::tempdir().unwrap();
    let server = RestartableServer::start(&dir.path().join("log.db"), SESSION, 0).await;
    let far = server.join().await;
    far.send(id("one"), prompt("ask")).await.unwrap();
    let mut seen = Vec::new();
    follow(&*far, &mut seen, |entry| matches!(entry.event, Event::Asked { .. })).await;
    let Event::Asked { call, .. } = seen.last().unwrap().event else { panic!("it asks") };
    let answer = |option: &str| Command::Answer { call, option: option.into(), edit: None };
    server.seat.send(id("mine"), answer("proceed_once")).await.unwrap();
    let late = far.send(id("yours"), answer("cancel")).await;
    let by = EntryAuthor::from(server.seat.who());
    assert_eq!(
        late,
        Err(SendError::Refused(Refusal::AlreadyDecided { call, choice: "proceed_once".into(), by: by.clone() }))
    );
    follow(&*far, &mut seen, is_rest).await;
    let answered = seen.iter().find(|entry| matches!(entry.event, Event::Answered { .. })).unwrap();
    assert_eq!(answered.by, by);
    server.kill().await;
}

#[tokio::test]
async fn a_restart_is_seen_and_no_entry_is_missed_or_doubled() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let server = RestartableServer::start(&path, SESSION, 0).await;
    let far = server.join().await;
    let mut link = far.link();
    assert_eq!(*link.borrow(), SeatLinkState::Up);
    far.send(id("one"), prompt("first")).await.unwrap();
    let mut seen = Vec::new();
    follow(&*far, &mut seen, is_rest).await;

    let address = server.kill().await;
    link_is(&mut link, |link| matches!(link, SeatLinkState::Down { reason: DisconnectReason::Lost, .. })).await;
    // What is asked for while nobody is there waits.
    let (sender, text) = (Arc::clone(&far), prompt("second"));
    let sending = tokio::spawn(async move { sender.send(id("two"), text).await });
    link_is(&mut link, |link| matches!(link, SeatLinkState::Down { attempt: 2.., .. })).await;
    let server = RestartableServer::start(&path, SESSION, address.port()).await;
    link_is(&mut link, |link| *link == SeatLinkState::Up).await;
    sending.await.unwrap().unwrap();
    follow(&*far, &mut seen, is_rest).await;
    assert_eq!(seen, read_log(&*server.seat).await);
    assert_eq!(prompts(&seen), ["first", "second"]);
    server.kill().await;
}

#[tokio::test]
async fn a_prompt_in_flight_is_applied_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let server = RestartableServer::start(&path, SESSION, 0).await;
    let far = server.join().await;
    server.stall.arm();
    let sender = Arc::clone(&far);
    let sending = tokio::spawn(async move { sender.send(id("one"), prompt("only")).await });
    server.stall.stalled().await;
    let address = server.kill().await;
    let server = RestartableServer::start(&path, SESSION, address.port()).await;
    let receipt = sending.await.unwrap().unwrap();
    let entries = read_log(&*server.seat).await;
    assert_eq!(prompts(&entries), ["only"]);
    assert!(matches!(entries[usize::try_from(receipt.seq.0 - 1).unwrap()].event, Event::Prompted { .. }));
    server.kill().await;
}

#[tokio::test]
async fn what_would_mean_something_else_the_second_time_is_not_sent_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let server = RestartableServer::start(&path, SESSION, 0).await;
    let far = server.join().await;
    server.stall.arm();
    let sender = Arc::clone(&far);
    let sending = tokio::spawn(async move { sender.send(id("one"), Command::Compact).await });
    server.stall.stalled().await;
    let address = server.kill().await;
    let lost = sending.await.unwrap();
    assert!(matches!(&lost, Err(SendError::Lost(why)) if why.contains("nobody knows whether it was done")), "{lost:?}");
    let server = RestartableServer::start(&path, SESSION, address.port()).await;
    link_is(&mut far.link(), |link| *link == SeatLinkState::Up).await;
    let wanted = read_log(&*far).await.iter().filter(|entry| matches!(entry.event, Event::CompactWanted)).count();
    assert_eq!(wanted, 1);
    server.kill().await;
}

#[tokio::test]
async fn another_session_on_the_same_port_ends_the_link() {
    let dir = tempfile::tempdir().unwrap();
    let server = RestartableServer::start(&dir.path().join("log.db"), SESSION, 0).await;
    let far = server.join().await;
    let address = server.kill().await;
    let other = SessionId(Uuid::from_u128(7));
    let server = RestartableServer::start(&dir.path().join("other.db"), other, address.port()).await;
    let ended = link_is(&mut far.link(), |link| matches!(link, SeatLinkState::Ended(_))).await;
    let SeatLinkState::Ended(why) = ended else { panic!("it is over") };
    assert_eq!(why, "that session is no longer served there; `pollux sessions --all` lists what there is");
    assert_eq!(far.read(Seq::START, 1).await.unwrap_err().0, why);
    assert_eq!(far.changed(Seq(99)).await.unwrap_err().0, why);
    assert_eq!(far.send(id("x"), prompt("x")).await, Err(SendError::Lost(why)));
    server.kill().await;
}

#[tokio::test]
async fn a_log_restored_from_a_copy_ends_the_link() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let server = RestartableServer::start(&path, SESSION, 0).await;
    let far = server.join().await;
    let address = server.kill().await;
    let copy = dir.path().join("copy.db");
    std::fs::copy(&path, &copy).unwrap();
    let server = RestartableServer::start(&copy, SESSION, address.port()).await;
    let ended = link_is(&mut far.link(), |link| matches!(link, SeatLinkState::Ended(_))).await;
    assert!(matches!(&ended, SeatLinkState::Ended(why) if why.contains("was restored from a copy")), "{ended:?}");
    server.kill().await;
}

#[tokio::test]
async fn a_client_that_is_removed_does_not_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let server = RestartableServer::start(&dir.path().join("log.db"), SESSION, 0).await;
    let far = server.join().await;
    let client = server.presence.list(SESSION).remove(0);
    assert!(server.presence.remove(client.id));
    let ended = link_is(&mut far.link(), |link| matches!(link, SeatLinkState::Ended(_))).await;
    assert!(matches!(&ended, SeatLinkState::Ended(why) if why.contains("was removed from the session")), "{ended:?}");
    server.kill().await;
}

#[tokio::test]
async fn who_is_there_is_listed_and_removed_by_whoever_may_approve() {
    let dir = tempfile::tempdir().unwrap();
    let server = RestartableServer::start(&dir.path().join("log.db"), SESSION, 0).await;
    let far = server.join().await;
    let address = SeatAddress::new(&format!("http://{}", server.address), "watcher").unwrap();
    let watcher = RemoteSeat::join(address).await.unwrap();
    let guests = watcher.clients().await.unwrap();
    let labels: Vec<&str> = guests.iter().map(|guest| guest.who.label.as_str()).collect();
    assert_eq!(labels, ["A2A far", "A2A watcher"]);
    assert!(guests.iter().all(|guest| guest.how == "terminal"), "{guests:?}");
    let refused = watcher.remove(guests[0].id).await.unwrap_err();
    assert!(refused.0.contains("only who may approve can remove a client"), "{refused}");
    far.remove(guests[1].id).await.unwrap();
    let ended = link_is(&mut watcher.link(), |link| matches!(link, SeatLinkState::Ended(_))).await;
    assert!(matches!(&ended, SeatLinkState::Ended(why) if why.contains("was removed from the session")), "{ended:?}");
    let mut changes = server.presence.changed();
    while server.presence.list(SESSION).len() > 1 {
        changes.changed().await.unwrap();
    }
    let gone = far.remove(guests[1].id).await.unwrap_err();
    assert_eq!(gone.0, "that client has left already");
    server.kill().await;
}

#[tokio::test]
async fn a_session_that_was_closed_and_stays_closed_is_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let server = RestartableServer::start(&dir.path().join("log.db"), SESSION, 0).await;
    let far = server.join().await;
    let mut link = far.link();
    server.close();
    link_is(&mut link, |link| matches!(link, SeatLinkState::Down { reason: DisconnectReason::Goodbye, .. })).await;
    server.kill().await;
    tokio::time::pause();
    let sent = far.send(id("one"), prompt("is anybody there?")).await;
    let why = SeatError::Closed.to_string();
    assert_eq!(sent, Err(SendError::Lost(why.clone())));
    assert_eq!(*link.borrow(), SeatLinkState::Ended(why));
}

#[tokio::test]
async fn a_seat_that_is_dropped_leaves() {
    let dir = tempfile::tempdir().unwrap();
    let server = RestartableServer::start(&dir.path().join("log.db"), SESSION, 0).await;
    let far = server.join().await;
    let mut changes = server.presence.changed();
    drop(far);
    while !server.presence.list(SESSION).is_empty() {
        changes.changed().await.unwrap();
    }
    server.kill().await;
}

#[tokio::test]
async fn joining_says_why_it_cannot() {
    let dir = tempfile::tempdir().unwrap();
    let server = RestartableServer::start(&dir.path().join("log.db"), SESSION, 0).await;
    let unknown = RemoteSeat::join(server.address().at_session(SessionId(Uuid::from_u128(7)))).await.err();
    assert_eq!(unknown, Some(SeatError::Gone));
    let address = server.kill().await;
    let nobody = RemoteSeat::join(SeatAddress::new(&format!("ws://{address}"), "far").unwrap()).await.err();
    assert!(matches!(&nobody, Some(SeatError::Unreachable { .. })), "{nobody:?}");
}
