//! From the ids of a message to a place at a session.

mod options;
mod settings;

use crate::errors::Fault;
use crate::feed::Feeds;
use crate::inbound::{Inbound, Says, check_id};
use crate::scene::View;
use crate::workspace;
use pollux_session::{
    Command, Context, Event, Fingerprint, Opened, Opening, PromptTarget, Receipt, Refusal, Right, Roster, Seat, Seq,
    SessionId, Target, TaskId, TaskKind, Who,
};
use pollux_wire::devtool::AgentSettings;
use pollux_wire::jsonrpc;
use std::sync::Arc;
use uuid::Uuid;

/// Which sessions the server admits others to.
#[derive(Clone)]
pub enum Rooms {
    /// `--a2a-port`: one session that everybody shares. A message without ids, or with the session's id, joins it;
    /// frames carry the session's id as their task id; a cancel ends the turn only.
    Shared {
        /// The process's sessions.
        roster: Arc<dyn Roster>,
        /// The one that is shared.
        session: SessionId,
        /// Its workspace; a different one is refused.
        workspace: String,
    },
    /// `serve`: many sessions.
    Many {
        /// The process's sessions.
        roster: Arc<dyn Roster>,
        /// The workspace of sessions that name none.
        workspace: String,
    },
}

/// A place at a session, and what is looked at there.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) seat: Arc<dyn Seat>,
    pub(crate) view: View,
}

/// A message that was accepted.
pub(crate) struct Admitted {
    pub(crate) place: Place,
    pub(crate) receipt: Receipt,
}

impl Rooms {
    /// The place of a task, by its id or its session's.
    pub(crate) async fn find(&self, who: &Who, id: &str) -> Result<Place, Fault> {
        check_id("taskId", id)?;
        let unknown = || Fault::unknown_task(id);
        let uuid = Uuid::parse_str(id).map_err(|_| unknown())?;
        let found = self.roster().find(who, &Target::Id(uuid)).await?.ok_or_else(unknown)?;
        if let Rooms::Shared { session, .. } = self
            && found.seat.session() != *session
        {
            return Err(unknown());
        }
        let view = found.task.map_or(View::Session(found.seat.session()), View::Task);
        Ok(Place { view, seat: found.seat })
    }

    /// The process's sessions.
    pub(crate) fn roster(&self) -> &dyn Roster {
        match self {
            Rooms::Shared { roster, .. } | Rooms::Many { roster, .. } => roster.as_ref(),
        }
    }

    /// The place that needs no naming: the shared session, if there is one.
    pub(crate) async fn only(&self, who: &Who) -> Result<Option<Place>, Fault> {
        match self {
            Rooms::Shared { roster, session, .. } => join(&**roster, *session, who).await.map(Some),
            Rooms::Many { .. } => Ok(None),
        }
    }

    /// Open a session for a client that says nothing yet.
    pub(crate) async fn open(
        &self,
        feeds: &Feeds,
        who: &Who,
        settings: &AgentSettings,
        context: Option<Context>,
    ) -> Result<(Place, Opened), Fault> {
        let place = match self {
            Rooms::Shared { roster, session, .. } => {
                let place = join(&**roster, *session, who).await?;
                fits(&place, settings, context.as_ref()).await?;
                settings::choose_model(feeds, &*place.seat, settings, None).await?;
                place
            }
            Rooms::Many { roster, workspace } => {
                may_prompt(who)?;
                let opening = opening(workspace, who, settings, context, None).await?;
                let seat = roster.open(who, opening).await?;
                Place { view: View::Session(seat.session()), seat }
            }
        };
        let opened = opened(&*place.seat).await?;
        Ok((place, opened))
    }

    /// Send what `inbound` says to where it belongs, or to `here` when it names no place. A task that it begins is of
    /// `kind`.
    pub(crate) async fn admit(
        &self,
        feeds: &Feeds,
        who: &Who,
        inbound: &Inbound,
        here: Option<&Place>,
        kind: TaskKind,
    ) -> Result<Admitted, Fault> {
        let named = match (&inbound.task, here) {
            (Some(task), _) => Some(self.find(who, task).await?),
            (None, Some(here)) => Some(here.clone()),
            (None, None) => self.only(who).await?,
        };
        match (named, self) {
            (Some(place), _) => {
                fits(&place, &inbound.settings, inbound.context.as_ref()).await?;
                let target = match kind {
                    // Who wants a task that ends gets one of their own in the session that all share.
                    TaskKind::Once if inbound.task.is_none() => {
                        PromptTarget::New { task: TaskId(Uuid::now_v7()), kind }
                    }
                    TaskKind::Once | TaskKind::OpenEnded => PromptTarget::Existing { task: place.view.task() },
                };
                let receipt = deliver(feeds, &*place.seat, inbound, inbound.says.command(target)).await?;
                let view = match (target, receipt.about) {
                    (PromptTarget::New { .. }, Some((task, _))) => View::Task(task),
                    _ => place.view,
                };
                Ok(Admitted { place: Place { view, ..place }, receipt })
            }
            (None, Rooms::Many { roster, workspace }) => begin(feeds, &**roster, workspace, who, inbound, kind).await,
            (None, Rooms::Shared { session, .. }) => Err(Fault::unknown_task(&session.to_string())),
        }
    }
}

/// Sit down at the shared session.
async fn join(roster: &dyn Roster, session: SessionId, who: &Who) -> Result<Place, Fault> {
    let found = roster.find(who, &Target::Id(session.0)).await?;
    let found = found.ok_or_else(|| Fault::unknown_task(&session.to_string()))?;
    Ok(Place { seat: found.seat, view: View::Session(session) })
}

/// A message that names no task: a new task in the newest session with its label, or in a new one.
async fn begin(
    feeds: &Feeds,
    roster: &dyn Roster,
    workspace: &str,
    who: &Who,
    inbound: &Inbound,
    kind: TaskKind,
) -> Result<Admitted, Fault> {
    let task = TaskId(Uuid::now_v7());
    let command = inbound.says.command(PromptTarget::New { task, kind });
    let known = match &inbound.context {
        Some(context) => roster.find(who, &Target::Context(context.clone())).await?,
        None => None,
    };
    let (seat, receipt) = match (known, &inbound.says) {
        (Some(found), _) => {
            let place = Place { view: View::Session(found.seat.session()), seat: found.seat };
            fits(&place, &inbound.settings, None).await?;
            let receipt = deliver(feeds, &*place.seat, inbound, command).await?;
            (place.seat, receipt)
        }
        (None, Says::Answer { .. }) => {
            return Err(Fault::params("`message.taskId` is missing: say which task's tool call this answers"));
        }
        (None, Says::Prompt(text)) => {
            // What the session would refuse is refused before there is one, so that nothing is created.
            may_prompt(who)?;
            if text.trim().is_empty() {
                return Err(Refusal::EmptyPrompt.into());
            }
            let once = inbound.given_id.as_ref().map(|id| Fingerprint::of(id, &command));
            let opening = opening(workspace, who, &inbound.settings, inbound.context.clone(), once).await?;
            let seat = roster.open(who, opening).await?;
            let receipt = seat.send(inbound.command_id(), command).await?;
            (seat, receipt)
        }
    };
    // A retry is answered with the task that its first copy began.
    let view = receipt.about.map_or(View::Session(seat.session()), |(task, _)| View::Task(task));
    Ok(Admitted { place: Place { seat, view }, receipt })
}

/// Send a command to a session that was there before, with what the message sets and in the words the session offers.
async fn deliver(feeds: &Feeds, seat: &dyn Seat, inbound: &Inbound, command: Command) -> Result<Receipt, Fault> {
    let id = inbound.command_id();
    let command = options::as_offered(seat, command).await?;
    // A prompt that is refused sets nothing.
    if let Command::Prompt { text, .. } = &command
        && !text.trim().is_empty()
    {
        let fingerprint = Fingerprint::of(&id, &command);
        settings::choose_model(feeds, seat, &inbound.settings, Some(&fingerprint)).await?;
    }
    Ok(seat.send(id, command).await?)
}

fn may_prompt(who: &Who) -> Result<(), Fault> {
    let right = Right::Prompt;
    if who.rights.allow(right) { Ok(()) } else { Err(Refusal::NotAllowed { right }.into()) }
}

async fn opening(
    default: &str,
    who: &Who,
    settings: &AgentSettings,
    context: Option<Context>,
    once: Option<Fingerprint>,
) -> Result<Opening, Fault> {
    let workspace = match &settings.workspace_path {
        Some(path) => workspace::usable(path).await?,
        None => default.to_owned(),
    };
    let context = match context {
        Some(context) => context,
        None => fresh_context()?,
    };
    let id = SessionId(Uuid::now_v7());
    Ok(Opening { id, context, workspace, overrides: settings::overrides(who, settings)?, once })
}

/// Whether a message that asks for this workspace and this context may go to `place`.
async fn fits(place: &Place, settings: &AgentSettings, context: Option<&Context>) -> Result<(), Fault> {
    if settings.workspace_path.is_none() && context.is_none() {
        return Ok(());
    }
    let opened = opened(&*place.seat).await?;
    if let Some(context) = context.filter(|context| **context != opened.context) {
        return Err(Fault::params(format!(
            "`contextId` {:?} is not this task's context; it is {:?}, or leave it out",
            context.as_str(),
            opened.context.as_str()
        )));
    }
    if let Some(path) = &settings.workspace_path {
        workspace::usable(path).await?;
        if !workspace::same(path, &opened.workspace).await {
            return Err(Fault::params(format!(
                "`workspace_path` {path:?} is not this session's workspace; it is {:?}, or leave it out",
                opened.workspace
            )));
        }
    }
    Ok(())
}

/// How a session began.
pub(crate) async fn opened(seat: &dyn Seat) -> Result<Opened, Fault> {
    let first = seat.read(Seq::START, 1).await?;
    match first.first().map(|entry| &entry.event) {
        Some(Event::Opened(opened)) => Ok(opened.clone()),
        _ => Err(Fault::new(jsonrpc::INTERNAL_ERROR, "the session's log does not begin with its opening")),
    }
}

fn fresh_context() -> Result<Context, Fault> {
    let label = Uuid::now_v7().to_string();
    Context::new(&label).ok_or_else(|| Fault::new(jsonrpc::INTERNAL_ERROR, "no context could be made"))
}

impl Says {
    /// The command it is, for a task.
    fn command(&self, target: PromptTarget) -> Command {
        match self {
            Says::Prompt(text) => Command::Prompt { target, text: text.clone() },
            Says::Answer { call, option, edit } => {
                Command::Answer { call: *call, option: option.clone(), edit: edit.clone() }
            }
        }
    }
}
