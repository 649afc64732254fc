//! The beginning of a session: its first entries, and its first command if it comes with one, in one commit.

use crate::actor::{self, ActorStart, now};
use crate::host::{Host, store_failed};
use pollux_session::{
    BegunSession, Command, CommandEnvelope, CommandId, CommandReceipt, Entry, EntryAuthor, Event, OpenSessionRequest,
    RosterError, Seat, SendError, Seq, SessionInput, SessionOpened, SessionOverrides, SessionState, Transcript, Who,
    take,
};
use pollux_store::{CreateOutcome, NewSession, StoreError};
use std::sync::Arc;

impl Host {
    pub(crate) async fn open_session(
        &self,
        who: &Who,
        opening: OpenSessionRequest,
    ) -> Result<Arc<dyn Seat>, RosterError> {
        let draft = self.draft(who, &opening)?;
        let (seat, _) = self.begin(who, opening, draft).await?;
        Ok(seat)
    }

    pub(crate) async fn open_session_with(
        &self,
        who: &Who,
        opening: OpenSessionRequest,
        id: CommandId,
        command: Command,
    ) -> Result<BegunSession, RosterError> {
        let mut draft = self.draft(who, &opening)?;
        let sent = match self.shared.check(opening.id, &command) {
            Ok(()) => draft.take(who, &id, &command),
            Err(error) => Err(error),
        };
        Ok(match self.begin(who, opening, draft).await? {
            (seat, Origin::New) => BegunSession { seat, sent },
            // The session is there already, and knows the message.
            (seat, Origin::Earlier) => BegunSession { sent: seat.send(id, command).await, seat },
        })
    }

    /// The session before anybody knows of it.
    fn draft(&self, who: &Who, opening: &OpenSessionRequest) -> Result<Draft, RosterError> {
        let workspace = usable_workspace(&opening.workspace)?;
        if let Some(names) = &opening.overrides.only_tools {
            self.shared.runner.has_tools(&workspace, names).map_err(RosterError::Tools)?;
        }
        let opened = SessionOpened {
            main_task: opening.id.main_task(),
            owner: who.owner.clone(),
            context: opening.context.clone(),
            workspace,
            overrides: with_defaults(opening.overrides.clone(), &self.shared.defaults),
            release: self.shared.release.clone(),
            edge: opening.edge.clone(),
        };
        let (mut state, first) = SessionState::open(opened, EntryAuthor::from(who), now());
        let mut entries = vec![first];
        // Waking is never refused.
        entries.extend(
            take(&mut state, &SessionInput::Woken(self.shared.runner.equipment_of(opening.id)), now())
                .unwrap_or_default(),
        );
        Ok(Draft { state, entries })
    }

    /// Make the session durable and start its actor, unless the same message has opened one before.
    async fn begin(
        &self,
        who: &Who,
        opening: OpenSessionRequest,
        draft: Draft,
    ) -> Result<(Arc<dyn Seat>, Origin), RosterError> {
        let Draft { state, entries } = draft;
        let (id, transcript) = (opening.id, Transcript::fold(&entries));
        let marks = actor::marks(&state, entries.iter()).collect();
        let entries = Vec::from_iter(entries.into_iter().map(Arc::new));
        let new = NewSession {
            id,
            owner: who.owner.clone(),
            context: opening.context,
            workspace: state.opened.as_ref().map(|opened| opened.workspace.clone()).unwrap_or_default(),
            opened: entries.first().map(|entry| entry.at).unwrap_or_default(),
            once: opening.once,
            entries: entries.clone(),
            marks,
        };
        let created = self.shared.journal.store.log.create(new).await.map_err(|error| store_failed(&error))?;
        match created {
            CreateOutcome::New(epoch) => {
                let tail = self.shared.journal.begin(id, &entries);
                self.shared.start(id, ActorStart::Fresh { state: Box::new(state), transcript, epoch });
                Ok((self.sit(id, who, tail), Origin::New))
            }
            CreateOutcome::Existing(earlier) => {
                let found = self.find_session(earlier, who).await?;
                let seat = found.ok_or_else(|| store_failed(&StoreError::NotFound(earlier)))?;
                check_same_settings(&*seat, state.opened.as_ref()).await?;
                Ok((seat, Origin::Earlier))
            }
        }
    }
}

/// A retry gets the session that its first copy opened. A message with the same id that wants another workspace, mode, model or
/// other tools is no retry, and must not find itself in that session.
async fn check_same_settings(seat: &dyn Seat, wanted: Option<&SessionOpened>) -> Result<(), RosterError> {
    let first = seat.read(Seq::START, 1).await.map_err(|error| RosterError::Store(error.to_string()))?;
    match (first.first().map(|entry| &entry.event), wanted) {
        (Some(Event::Opened(opened)), Some(wanted))
            if (&opened.workspace, &opened.overrides, &opened.edge)
                == (&wanted.workspace, &wanted.overrides, &wanted.edge) =>
        {
            Ok(())
        }
        _ => Err(RosterError::UsedId),
    }
}

/// Where a session comes from.
enum Origin {
    /// It was opened just now.
    New,
    /// A message that is sent again opened it earlier.
    Earlier,
}

/// A session that is not in the log yet.
struct Draft {
    state: SessionState,
    entries: Vec<Entry>,
}

impl Draft {
    /// Decide and apply the session's first command.
    fn take(&mut self, who: &Who, id: &CommandId, command: &Command) -> Result<CommandReceipt, SendError> {
        let envelope = CommandEnvelope { id: id.clone(), who: who.clone(), at: now(), command: command.clone() };
        let caused = take(&mut self.state, &SessionInput::Command(envelope), now())?;
        let first = caused.first().map(|entry| entry.seq);
        self.entries.extend(caused);
        Ok(actor::receipt(&self.state, id, command, first))
    }
}

/// The opener's settings, and the process's defaults where they set nothing.
fn with_defaults(said: SessionOverrides, defaults: &SessionOverrides) -> SessionOverrides {
    SessionOverrides {
        mode: said.mode.or(defaults.mode),
        model: said.model.or_else(|| defaults.model.clone()),
        only_tools: said.only_tools.or_else(|| defaults.only_tools.clone()),
        grants: said.grants,
        lent: said.lent,
    }
}

/// The workspace's canonical path, or why it cannot be used.
fn usable_workspace(path: &str) -> Result<String, RosterError> {
    let refuse = |why: String| Err(RosterError::Workspace(format!("workspace {path:?} cannot be used: {why}")));
    if !std::path::Path::new(path).is_absolute() {
        return refuse("it must be an absolute path".into());
    }
    match std::fs::canonicalize(path) {
        Err(error) => refuse(error.to_string()),
        Ok(real) if !real.is_dir() => refuse("it is not a directory".into()),
        Ok(real) => match real.to_str() {
            Some(real) => Ok(real.to_owned()),
            None => refuse("its name is not valid UTF-8".into()),
        },
    }
}
