//! A server with one session that can be killed and started again on the same port, and a runner that does what the
//! prompt says: `ask` makes a call that asks, anything else is answered at once.

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use pollux_host::{EffectJob, EffectWork, Host, NoticeBoard, Reporter, Runner};
use pollux_remote::{RemoteSeat, SeatAddress, SeatLinkState};
use pollux_server::{CardConfig, Presence, RouterOptions, SessionAccess, router_with};
use pollux_session::{
    Ask, AskDetails, BoxFuture, CallOutcome, CallResult, CheckpointLocation, Command, CommandId, CommandInfo,
    CommandReceipt, ContextId, Entry, FoundSession, ItemKind, ModelFragment, ModelUsage, NewCall, NoticeFeed,
    OpenSessionRequest, Owner, PolicyVerdict, PromptTarget, ReadError, Report, Right, Rights, Roster, RosterError,
    RuntimeDescription, Seat, SendError, Seq, SessionId, SessionLookup, SessionOverrides, SessionSummary, TaskPage,
    TaskQuery, ToolKind, TranscriptLine, Who, cancel_choice, once_choice,
};
use pollux_store::SessionStore;
use serde_json::json;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// A fixed id, so that every life of the server has the same session.
pub(crate) const SESSION: SessionId = SessionId(Uuid::from_u128(0x0199_f3a0_0000_7000_8000_0000_0000_0001));

pub(crate) fn who(label: &str) -> Who {
    Who { owner: Owner("me".into()), principal: "local".into(), label: label.into(), rights: Rights::all() }
}

pub(crate) fn prompt(text: &str) -> Command {
    Command::prompt(PromptTarget::Existing { task: SESSION.main_task() }, text)
}

pub(crate) fn id(text: &str) -> CommandId {
    CommandId(text.into())
}

struct PromptEchoRunner;

impl Runner for PromptEchoRunner {
    fn equipment(&self) -> RuntimeDescription {
        RuntimeDescription { model: "parrot".into(), tools: vec!["pull".into()], ..RuntimeDescription::default() }
    }

    fn run(&self, job: EffectJob, reporter: Reporter) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let report = match job.work {
                EffectWork::Think { transcript, .. } => {
                    let is_news = |line: &&TranscriptLine| {
                        matches!(line, TranscriptLine::Prompt { .. } | TranscriptLine::Call { outcome: Some(_), .. })
                    };
                    think(transcript.lines().rev().find(is_news))
                }
                EffectWork::Vet { .. } => {
                    let ask = Ask::new(AskDetails::generic("pull"), vec![once_choice(), cancel_choice()]);
                    Report::Vetted { kind: ToolKind::Execute, verdict: PolicyVerdict::Ask(ask) }
                }
                EffectWork::Run { .. } => {
                    if reporter.report(Report::Starting).await.is_err() {
                        return;
                    }
                    let result = CallResult { text: "pulled".into(), ..CallResult::default() };
                    Report::Done { outcome: CallOutcome::Succeeded { result } }
                }
                EffectWork::Compact { .. } | EffectWork::Keep { .. } => return,
            };
            // The session may have gone.
            let _ = reporter.report(report).await;
        })
    }
}

fn think(last: Option<&TranscriptLine>) -> Report {
    let (said, calls) = match last {
        Some(TranscriptLine::Prompt { text, .. }) if text == "ask" => {
            (String::new(), vec![NewCall { tool: "pull".into(), args: json!({}), meta: json!(null) }])
        }
        Some(TranscriptLine::Prompt { text, .. }) => (format!("you said {text}"), Vec::new()),
        _ => ("done".to_owned(), Vec::new()),
    };
    let fragments =
        if said.is_empty() { Vec::new() } else { vec![ModelFragment { kind: ItemKind::Text, text: said, end: None }] };
    Report::StepDone {
        fragments,
        calls,
        finish: "STOP".into(),
        usage: ModelUsage::default(),
        citations: Vec::new(),
        response: None,
    }
}

/// Keeps the answer to one command from its sender: the command is done, and nobody hears of it.
#[derive(Default)]
pub(crate) struct ReplyStall {
    armed: AtomicBool,
    stalled: Notify,
}

impl ReplyStall {
    pub(crate) fn arm(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }

    pub(crate) async fn stalled(&self) {
        self.stalled.notified().await;
    }
}

struct StallingRoster {
    host: Host,
    stall: Arc<ReplyStall>,
}

struct StallingSeat {
    seat: Arc<dyn Seat>,
    stall: Arc<ReplyStall>,
}

impl Roster for StallingRoster {
    fn open<'a>(
        &'a self,
        who: &'a Who,
        opening: OpenSessionRequest,
    ) -> BoxFuture<'a, Result<Arc<dyn Seat>, RosterError>> {
        self.host.open(who, opening)
    }

    fn find<'a>(
        &'a self,
        who: &'a Who,
        target: &'a SessionLookup,
    ) -> BoxFuture<'a, Result<Option<FoundSession>, RosterError>> {
        Box::pin(async move {
            let found = self.host.find(who, target).await?;
            let stall = Arc::clone(&self.stall);
            Ok(found
                .map(|FoundSession { seat, task }| FoundSession { seat: Arc::new(StallingSeat { seat, stall }), task }))
        })
    }

    fn list<'a>(&'a self, who: &'a Who, limit: usize) -> BoxFuture<'a, Result<Vec<SessionSummary>, RosterError>> {
        self.host.list(who, limit)
    }

    fn tasks<'a>(&'a self, who: &'a Who, query: TaskQuery) -> BoxFuture<'a, Result<TaskPage, RosterError>> {
        self.host.tasks(who, query)
    }

    fn checkpoints<'a>(
        &'a self,
        who: &'a Who,
        workspace: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<CheckpointLocation>, RosterError>> {
        self.host.checkpoints(who, workspace, limit)
    }
}

impl Seat for StallingSeat {
    fn session(&self) -> SessionId {
        self.seat.session()
    }

    fn who(&self) -> &Who {
        self.seat.who()
    }

    fn incarnation(&self) -> u32 {
        self.seat.incarnation()
    }

    fn send(&self, id: CommandId, command: Command) -> BoxFuture<'_, Result<CommandReceipt, SendError>> {
        Box::pin(async move {
            let receipt = self.seat.send(id, command).await;
            if self.stall.armed.swap(false, Ordering::SeqCst) {
                self.stall.stalled.notify_one();
                std::future::pending::<()>().await;
            }
            receipt
        })
    }

    fn read(&self, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, ReadError>> {
        self.seat.read(after, limit)
    }

    fn changed(&self, after: Seq) -> BoxFuture<'_, Result<Seq, ReadError>> {
        self.seat.changed(after)
    }

    fn notices(&self) -> Box<dyn NoticeFeed> {
        self.seat.notices()
    }
}

/// One life of the server.
pub(crate) struct RestartableServer {
    runtime: Runtime,
    pub(crate) address: SocketAddr,
    /// The seat of the terminal beside it.
    pub(crate) seat: Arc<dyn Seat>,
    pub(crate) presence: Presence,
    pub(crate) stall: Arc<ReplyStall>,
    closing: CancellationToken,
}

impl RestartableServer {
    /// Serve `session` of the log at `path`, on `port` or any.
    pub(crate) async fn start(path: &Path, session: SessionId, port: u16) -> RestartableServer {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (stall, presence) = (Arc::new(ReplyStall::default()), Presence::default());
        let closing = CancellationToken::new();
        let (path, their_stall, their_presence) = (path.to_owned(), Arc::clone(&stall), presence.clone());
        let closes = closing.clone();
        let started =
            runtime.spawn(async move { serve(path, session, port, their_stall, their_presence, closes).await });
        let (address, seat) = started.await.unwrap();
        RestartableServer { runtime, address, seat, presence, stall, closing }
    }

    /// Say goodbye to everybody, as a program does that ends.
    pub(crate) fn close(&self) {
        self.closing.cancel();
    }

    /// End it as a kill does: nothing that runs gets to its end.
    pub(crate) async fn kill(self) -> SocketAddr {
        let RestartableServer { runtime, address, seat, .. } = self;
        drop(seat);
        let stop = move || runtime.shutdown_timeout(Duration::from_secs(10));
        tokio::task::spawn_blocking(stop).await.unwrap();
        address
    }

    /// A seat at it from elsewhere.
    pub(crate) async fn join(&self) -> Arc<RemoteSeat> {
        RemoteSeat::join(self.address()).await.unwrap()
    }

    /// Where it is.
    pub(crate) fn address(&self) -> SeatAddress {
        SeatAddress::new(&format!("http://{}", self.address), "far").unwrap()
    }
}

async fn serve(
    path: PathBuf,
    session: SessionId,
    port: u16,
    stall: Arc<ReplyStall>,
    presence: Presence,
    closing: CancellationToken,
) -> (SocketAddr, Arc<dyn Seat>) {
    let store = SessionStore::open(&path).unwrap();
    let host =
        Host::new(store, Arc::new(PromptEchoRunner), NoticeBoard::default(), SessionOverrides::default(), "test");
    let me = who("terminal");
    let seat = match host.find(&me, &SessionLookup::Id(session.0)).await.unwrap() {
        Some(found) => found.seat,
        None => {
            let opening = OpenSessionRequest {
                id: session,
                context: ContextId::new("c").unwrap(),
                workspace: "/".into(),
                overrides: SessionOverrides::default(),
                edge: json!(null),
                once: None,
            };
            host.open(&me, opening).await.unwrap()
        }
    };
    let rooms =
        SessionAccess::Shared { roster: Arc::new(StallingRoster { host, stall }), session, workspace: "/".into() };
    let commands = |_: &str| {
        let info = CommandInfo { name: "memory".into(), ..CommandInfo::default() };
        Box::pin(async move { vec![info] }) as BoxFuture<'static, _>
    };
    let extras = RouterOptions { presence, commands: Some(Arc::new(commands)), ..RouterOptions::default() };
    let app = router_with(rooms, CardConfig::default(), extras, closing).layer(from_fn(admit));
    let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    (address, seat)
}

/// The gate: who calls itself `watcher` may only look.
async fn admit(mut request: Request, next: Next) -> Response {
    let watches = request.headers().get("X-Client-Name").is_some_and(|name| name == "watcher");
    let who = match watches {
        true => Who { rights: Rights::of([Right::Observe]), ..who("A2A watcher") },
        false => who("A2A far"),
    };
    request.extensions_mut().insert(who);
    next.run(request).await
}

/// Every entry of a seat up to the first that `fits`, as somebody who watches reads them.
pub(crate) async fn follow(seat: &dyn Seat, entries: &mut Vec<Arc<Entry>>, fits: impl Fn(&Entry) -> bool) {
    loop {
        let cursor = entries.last().map_or(Seq::START, |entry| entry.seq);
        let page = seat.read(cursor, 4).await.unwrap();
        if page.is_empty() {
            seat.changed(cursor).await.unwrap();
            continue;
        }
        for entry in page {
            let found = fits(&entry);
            entries.push(entry);
            if found {
                return;
            }
        }
    }
}

/// The whole log.
pub(crate) async fn read_log(seat: &dyn Seat) -> Vec<Arc<Entry>> {
    let mut entries: Vec<Arc<Entry>> = Vec::new();
    loop {
        let page = seat.read(entries.last().map_or(Seq::START, |entry| entry.seq), 100).await.unwrap();
        if page.is_empty() {
            return entries;
        }
        entries.extend(page);
    }
}

/// Wait until the link is as `fits` wants it.
pub(crate) async fn link_is(
    link: &mut watch::Receiver<SeatLinkState>,
    fits: impl Fn(&SeatLinkState) -> bool,
) -> SeatLinkState {
    link.wait_for(fits).await.unwrap().clone()
}
