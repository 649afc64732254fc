//! The door for others: a bound socket, its gate, its router and the file that tells local clients where it is.

use crate::equip::OWNER;
use crate::settings::{Basics, Usage};
use pollux_model::ModelInfo;
use pollux_server::discovery::{Discovery, Record};
use pollux_server::gate::{Gate, GateSettings, Identity, Token, bind_refusal};
use pollux_server::listen::{self, Limits};
use pollux_server::{Face, Rooms, router};
use pollux_session::Owner;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A socket that is bound but not yet answered.
pub(crate) struct Bound {
    listener: TcpListener,
    pub(crate) address: SocketAddr,
    token: Token,
    identity: Identity,
    allow_host: Vec<String>,
}

/// An endpoint that answers.
pub(crate) struct Endpoint {
    /// Removed when the endpoint goes.
    _discovery: Option<Discovery>,
    task: JoinHandle<std::io::Result<()>>,
}

/// What stands between clients and this endpoint.
#[derive(Default)]
pub(crate) struct InFront {
    /// Whether a proxy speaks TLS.
    pub(crate) tls: bool,
    /// The names that proxy is called by.
    pub(crate) allow_host: Vec<String>,
}

/// Bind before anything else is started, so that a busy port costs nothing.
pub(crate) async fn bind(basics: &Basics, address: SocketAddr, front: InFront) -> anyhow::Result<Bound> {
    if let Some(why) = bind_refusal(address, basics.token_file.is_some(), front.tls) {
        return Err(Usage(why).into());
    }
    let given = basics.token_file.as_deref().map(Token::read_file).transpose();
    let given = given.map_err(|error| Usage(error.to_string()))?;
    let identity =
        if given.is_some() || !cfg!(target_os = "linux") { Identity::TokenOnly } else { Identity::LocalUser };
    let token = match given {
        Some(token) => token,
        None => Token::generate()?,
    };
    let listener = TcpListener::bind(address).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            Usage(format!("port {} is taken by another program; choose another, or 0 for any", address.port()))
        }
        _ => Usage(format!("cannot listen on {address}: {error}")),
    })?;
    let address = listener.local_addr()?;
    Ok(Bound { listener, address, token, identity, allow_host: front.allow_host })
}

impl Bound {
    /// Where clients find it.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The token, where one has to be told to the person: off Linux nothing else proves who calls.
    pub(crate) fn token_to_print(&self, basics: &Basics) -> Option<&str> {
        (self.identity == Identity::TokenOnly && basics.token_file.is_none()).then(|| self.token.reveal())
    }

    /// Begin to answer.
    pub(crate) fn open(
        self,
        basics: &Basics,
        rooms: Rooms,
        model: &ModelInfo,
        shutdown: CancellationToken,
    ) -> anyhow::Result<Endpoint> {
        let face = Face {
            name: "Gemini CLI Agent".into(),
            model: model.label.clone(),
            url: format!("http://localhost:{}/", self.address.port()),
            version: env!("CARGO_PKG_VERSION").into(),
        };
        let (workspace, session) = match &rooms {
            Rooms::Shared { workspace, session, .. } => (workspace, Some(*session)),
            Rooms::Many { workspace, .. } => (workspace, None),
        };
        let record = Record::of_this_process(self.address.port(), workspace.into(), session, self.token.clone());
        let discovery = Discovery::write(&basics.runtime_dir, &record)
            .map_err(|error| tracing::warn!(%error, "local clients cannot find this endpoint by themselves"))
            .ok();
        let settings = GateSettings {
            token: Some(self.token),
            identity: self.identity,
            hosts: self.allow_host,
            origins: Vec::new(),
            owner: Owner(OWNER.into()),
        };
        let gate = Arc::new(Gate::new(settings, self.address));
        let limits = Limits { connections: basics.max_connections, ..Limits::default() };
        let app = router(rooms, face, shutdown.clone());
        tracing::debug!("[A2AService] listening on {}", self.address);
        let task = tokio::spawn(listen::run(self.listener, gate, limits, app, shutdown));
        Ok(Endpoint { _discovery: discovery, task })
    }
}

impl Endpoint {
    /// Wait until it has stopped answering.
    pub(crate) async fn closed(self) -> anyhow::Result<()> {
        Ok(self.task.await??)
    }
}
