//! A screen whose session breaks with a panic, for the test of how the terminal is left: `cargo test -p pollux-tui`.

use pollux_session::{
    BoxFuture, Command, CommandId, CommandReceipt, Entry, NoticeFeed, Owner, ReadError, Rights, Seat, SendError, Seq,
    SessionId, Who,
};
use pollux_tui::{AgentCommands, ColourMode, EmptyEnvironment, ModelOffers, ScreenSettings, TerminalError, run_screen};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// A seat that says there is something to read, and panics when it is read.
struct PanickingSeat(Who);

impl Seat for PanickingSeat {
    fn session(&self) -> SessionId {
        SessionId(Uuid::from_u128(7))
    }

    fn who(&self) -> &Who {
        &self.0
    }

    fn incarnation(&self) -> u32 {
        1
    }

    fn send(&self, _: CommandId, _: Command) -> BoxFuture<'_, Result<CommandReceipt, SendError>> {
        Box::pin(std::future::pending())
    }

    fn read(&self, _: Seq, _: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, ReadError>> {
        Box::pin(async { panic!("the first line of the report\nthe second line of the report") })
    }

    fn changed(&self, _: Seq) -> BoxFuture<'_, Result<Seq, ReadError>> {
        Box::pin(async { Ok(Seq(1)) })
    }

    fn notices(&self) -> Box<dyn NoticeFeed> {
        Box::new(NoNotices)
    }
}

struct NoNotices;

impl NoticeFeed for NoNotices {
    fn next(&mut self) -> BoxFuture<'_, Option<pollux_session::Notice>> {
        Box::pin(async { None })
    }
}

fn settings() -> ScreenSettings {
    ScreenSettings {
        notice_feed: Box::new(NoNotices),
        model_line: "no model".into(),
        greeting: vec!["a screen that panics".into()],
        workspace: "/".into(),
        is_attached: false,
        colour: ColourMode::Always,
        theme: None,
        vim: false,
        keys: None,
        history: Vec::new(),
        console: None,
        notifications: None,
        notices: pollux_session::NoticeLevel::Warn,
        models: ModelOffers::new(|| Box::pin(async { Vec::new() })),
        commands: AgentCommands::new(|| Box::pin(async { Vec::new() })),
        first_prompt: None,
        prices: None,
        environment: Arc::new(EmptyEnvironment),
    }
}

fn main() -> Result<(), TerminalError> {
    let report = std::panic::take_hook();
    // As in a program that aborts: nothing is dropped after the report, so nothing but the hook can mend the terminal.
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        std::process::exit(101);
    }));
    let (owner, rights) = (Owner("me".into()), Rights::all());
    let who = Who { owner, principal: "local".into(), label: "terminal".into(), rights };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(TerminalError::Input)?;
    runtime.block_on(run_screen(Arc::new(PanickingSeat(who)), settings(), CancellationToken::new())).map(drop)
}
