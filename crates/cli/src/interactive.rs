//! A session at the terminal, shared on a port when one is named; and the next one, when the person goes on with another.

use crate::around::Around;
use crate::config::Config;
use crate::console::{self, Console, LineStyle};
use crate::door::Doorkeeper;
use crate::endpoint::{self, InFront};
use crate::equip::{Engines, Equipped, commands_to_come, config_for, equip_terminal, terminal};
use crate::front::{Front, Next, Sitting};
use crate::greeting::{Greeting, door_lines};
use crate::place::{Begin, Place, usable};
use crate::settings::{Basics, Interactive, Keep, Usage};
use crate::{kept, named_by_flags, system_prompt, trust, way_back};
use pollux_agent::ServerStartup;
use pollux_host::Board;
use pollux_session::{
    Command, CommandId, Context, Event, Opening, Overrides, Roster, Seat, SendError, Seq, Setting, Target,
};
use std::io::{IsTerminal, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Where terminals keep their sessions, in the data directory.
const SESSIONS: &str = "sessions";
/// A script should not take the demo for a model.
const NO_MODEL: &str = "no API key found, so there is no model to answer the prompt: set GEMINI_API_KEY, \
                        ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a model that needs none, such as -m ollama:NAME or \
                        -m demo (offline, not an AI)";

pub(crate) async fn run(mut basics: Basics, mut settings: Interactive) -> anyhow::Result<ExitCode> {
    basics.system_prompt = system_prompt::read(&basics, &settings.workspace)?;
    let (basics, board) = (Arc::new(basics), Board::default());
    let console = console::start(basics.detail, LineStyle::Sentences, Some(board.clone()));
    loop {
        let came = one_session(&basics, &settings, &board, &console).await;
        console.release();
        match came? {
            Next::Exit(code) => return Ok(code),
            Next::Session(id) => {
                settings.keep = Keep::Named(id.to_string());
                // It was for the first one.
                settings.prompt = None;
            }
        }
    }
}

async fn one_session(
    basics: &Arc<Basics>,
    settings: &Interactive,
    board: &Board,
    console: &Console,
) -> anyhow::Result<Next> {
    let earlier = match &settings.keep {
        Keep::Nothing | Keep::New => None,
        Keep::Newest => Some(kept::newest(&basics.data_dir, &usable(&settings.workspace)?)?),
        Keep::Named(name) => Some(kept::find(&basics.data_dir, name)?),
    };
    let workspace = match &earlier {
        Some(earlier) => earlier.workspace.clone(),
        None => usable(&settings.workspace)?,
    };
    let front = Front::choose(settings)?;
    // At the screen, /a2a open shares the session as these flags say.
    if let Some(flag) = settings.sharing_flag.filter(|_| settings.a2a_port.is_none() && !matches!(front, Front::Screen))
    {
        return Err(Usage(format!("{flag} has no effect without --a2a-port")).into());
    }
    if matches!(front, Front::Screen) && std::io::stderr().is_terminal() {
        console.hold();
    }
    let mut config = config_for(basics, &workspace);
    // A session that keeps nothing keeps no workspace either.
    config.preferences.checkpointing &= !matches!(settings.keep, Keep::Nothing);
    // At the screen, a dialog asks.
    if let Some(hint) = trust::hint(basics, Path::new(&workspace)).filter(|_| !matches!(front, Front::Screen)) {
        tracing::warn!("{hint}");
    }
    let engines = Engines::choose(basics, &config)?;
    named_by_flags::check(basics, &config, Path::new(&workspace), &engines.chosen.model)?;
    if let Front::Prompt { prompt, .. } = &front
        && prompt.piped_len == 0
        && prompt.text.starts_with('/')
    {
        let commands = commands_to_come(basics, &config, engines.clone(), &workspace)?;
        if let Some(sentence) = commands.missing(&prompt.text).await {
            return Err(Usage(sentence).into());
        }
    }
    if let (Front::Prompt { .. }, Some(_)) = (&front, &engines.chosen.note) {
        return Err(Usage(NO_MODEL.into()).into());
    }
    let bound = match settings.a2a_port {
        Some(port) => {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            Some(endpoint::bind(basics, address, InFront::default(), settings.door.clone()).await?)
        }
        None => None,
    };
    let address = bound.as_ref().map(|bound| bound.address);
    let is_first_start = matches!(settings.keep, Keep::New) && !basics.data_dir.join(SESSIONS).exists();
    let (place, begin) = Place::for_terminal(basics, &settings.keep, earlier, &workspace, address)?;
    let Place { log, blobs, lock } = place;
    let startup = if front.is_person() { ServerStartup::InBackground } else { ServerStartup::Awaited };
    let equipped = equip_terminal(basics, &config, &workspace, engines, (log, blobs), board.clone(), startup);
    let equipped = Arc::new(equipped);
    check_server_tools(basics, &equipped, &front).await?;
    let seat = sit(basics, &config, &equipped, begin, &workspace).await?;

    let shutdown = CancellationToken::new();
    let door = bound.as_ref().map(|bound| door_lines(basics, bound)).unwrap_or_default();
    let tips = if is_first_start { front.tips() } else { &[] };
    let greeting = Greeting { workspace: workspace.clone(), door, note: equipped.note.clone(), tips };
    let (id, flags) = (seat.session(), settings.door.clone());
    let keeper = Doorkeeper::new(basics.clone(), equipped.clone(), id, workspace.clone(), flags, lock);
    let keeper = Arc::new(keeper);
    if let Some(bound) = bound {
        keeper.answer(bound).await?;
    }
    let around = Around::new(basics.clone(), equipped.clone(), id, &workspace, keeper.clone());
    let around = match settings.keep {
        Keep::Nothing => around.keeping_nothing(),
        Keep::New | Keep::Newest | Keep::Named(_) => around,
    };
    let around = Arc::new(around);
    let first_prompt = settings.prompt.as_ref().map(|prompt| prompt.text().to_owned());
    let sitting = Sitting { seat: seat.clone(), basics, equipped: &equipped, greeting, first_prompt, console, around };
    let next = front.run(sitting, &shutdown).await;
    shutdown.cancel();
    if keeper.info().is_some() {
        keeper.close().await.map_err(anyhow::Error::msg)?;
    }
    let is_worth_resuming = !matches!(settings.keep, Keep::Nothing) && holds_prompt(&*seat).await;
    equipped.host.stop().await;
    if front.is_person() && is_worth_resuming && !matches!(next, Ok(Next::Session(_))) {
        // A person who has closed the terminal does not read it, and that is no fault.
        let _ = writeln!(std::io::stderr(), "{}", way_back::line(id, basics));
    }
    next
}

/// Whether anything was said in a session. `--continue` passes over one in which nothing was.
async fn holds_prompt(seat: &dyn Seat) -> bool {
    // What is set when a session is opened comes before the first prompt, and is less than this.
    let first = seat.read(Seq::START, 1024).await.unwrap_or_default();
    first.iter().any(|entry| matches!(entry.event, Event::Prompted { .. }))
}

/// Check what `--allowed-tools` says of MCP servers' tools: before a prompt that nobody watches, else beside the session.
async fn check_server_tools(basics: &Basics, equipped: &Equipped, front: &Front) -> anyhow::Result<()> {
    let Some(servers) = equipped.agent.servers() else { return Ok(()) };
    match front {
        Front::Prompt { .. } => {
            let unknown = named_by_flags::find_unknown_server_tool(&basics.named, servers).await;
            unknown.map_or(Ok(()), |sentence| Err(Usage(sentence).into()))
        }
        Front::Screen | Front::Lines(_) | Front::PortOnly => {
            named_by_flags::warn_of_unknown_server_tool(basics.named.clone(), servers.clone());
            Ok(())
        }
    }
}

/// Open the session or go on with it.
async fn sit(
    basics: &Basics,
    config: &Config,
    equipped: &Equipped,
    begin: Begin,
    workspace: &str,
) -> anyhow::Result<Arc<dyn Seat>> {
    let who = terminal();
    let id = match begin {
        Begin::New(id) => {
            let context = Context::new(&id.to_string()).ok_or_else(|| Usage("the session id is no label".into()))?;
            let workspace = workspace.to_owned();
            let opening = Opening {
                id,
                context,
                workspace,
                overrides: Overrides::default(),
                once: None,
                edge: serde_json::Value::Null,
            };
            return Ok(equipped.host.open(&who, opening).await?);
        }
        Begin::Resumed(id) => id,
    };
    let found = equipped.host.find(&who, &Target::Id(id.0)).await?;
    let seat = found.ok_or_else(|| Usage(format!("session {id} belongs to somebody else")))?.seat;
    // What it was left with does not hold here: nothing runs unasked because somebody said so in an earlier start.
    seat.send(fresh_id(), Command::Set { setting: Setting::Mode(config.preferences.mode) }).await?;
    if let Some(model) = basics.model.as_ref().filter(|model| !model.starts_with("script:")) {
        let set = seat.send(fresh_id(), Command::Set { setting: Setting::Model(model.clone()) }).await;
        set.map_err(|error| match error {
            SendError::Refused(refusal) => anyhow::Error::from(Usage(refusal.to_string())),
            lost @ SendError::Lost(_) => lost.into(),
        })?;
    }
    equipped.host.wake(id);
    Ok(seat)
}

fn fresh_id() -> CommandId {
    CommandId::from(Uuid::now_v7())
}
