//! The server over a scripted agent that does what the public conformance kits of A2A ask for; docs/CONFORMANCE.md says
//! how to run them. Everything but the script is what Pollux serves: gate, bindings, operations, sessions and log.

mod options;
mod runner;
mod trigger;
mod trigger_roster;

use options::ConformanceOptions;
use pollux_host::{Host, NoticeBoard};
use pollux_server::gate::{AuthenticationPolicy, DescendantPolicy, Gate, GateSettings};
use pollux_server::listen::{self, ListenerLimits};
use pollux_server::{
    CardConfig, CardExtension, CardForm, CardSecurity, DirectResponder, ExtendedCard, PushSettings, RouterOptions,
    SessionAccess, SkillCatalogue, WorkspaceRoots, router_with,
};
use pollux_session::{Owner, SessionOverrides};
use pollux_store::SessionStore;
use runner::ConformanceRunner;
use std::error::Error;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use trigger::{ConformanceKit, MESSAGE, PromptActions};
use trigger_roster::TriggerRoster;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = ConformanceOptions::read(std::env::args().skip(1))?;
    let http = bind(options.port).await?;
    let grpc = match options.grpc_port {
        Some(port) => Some(bind(port).await?),
        None => None,
    };
    let url = format!("http://localhost:{}/", http.local_addr()?.port());
    let grpc_url = grpc.as_ref().map(|listener| listener.local_addr()).transpose()?;
    let scheme = match options.kit {
        // It reads every address in a card as a URL.
        ConformanceKit::Old => "http://",
        ConformanceKit::New => "",
    };
    let card_config =
        card_config(&options, &url, grpc_url.map(|address| format!("{scheme}localhost:{}", address.port())));

    let triggers = Arc::new(PromptActions::default());
    let (short, long) = match options.kit {
        // Long enough for the old kit to find the task at work.
        ConformanceKit::Old => (Duration::from_secs(3), Duration::from_secs(10)),
        ConformanceKit::New => (Duration::ZERO, Duration::from_secs(5)),
    };
    let script = ConformanceRunner { triggers: Arc::clone(&triggers), long, short };
    let store = SessionStore::in_memory()?;
    let host = Host::new(
        store,
        Arc::new(script),
        NoticeBoard::default(),
        SessionOverrides::default(),
        env!("CARGO_PKG_VERSION"),
    );
    let stage = TriggerRoster { roster: Arc::new(host.clone()), kit: options.kit, triggers };
    let workspace = std::env::current_dir()?.to_string_lossy().into_owned();
    let roots = WorkspaceRoots::new([workspace.clone().into()]);
    let session_access = SessionAccess::Many { roster: Arc::new(stage), workspace, roots };

    let shutdown = CancellationToken::new();
    let push = options.push.then(|| push_settings(&host));
    let extras = RouterOptions { push, direct: Some(Arc::new(GreetingResponder)), ..RouterOptions::default() };
    let app = router_with(session_access, card_config, extras, shutdown.clone());
    writeln!(std::io::stderr(), "listening on {url}")?;
    let mut listeners = vec![tokio::spawn({
        let gate = gate(http.local_addr()?);
        listen::run(http, gate, ListenerLimits::default(), app.clone(), shutdown.clone())
    })];
    if let Some(grpc) = grpc {
        let gate = gate(grpc.local_addr()?);
        listeners.push(tokio::spawn(listen::run_grpc(grpc, gate, ListenerLimits::default(), app, shutdown.clone())));
    }
    tokio::signal::ctrl_c().await?;
    shutdown.cancel();
    for listener in listeners {
        listener.await??;
    }
    host.stop().await;
    Ok(())
}

async fn bind(port: u16) -> std::io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await
}

fn gate(bound: SocketAddr) -> Arc<Gate> {
    let settings = GateSettings {
        token: None,
        authentication: AuthenticationPolicy::LocalUser,
        hosts: Vec::new(),
        origins: Vec::new(),
        owner: Owner("kit".into()),
        descendants: DescendantPolicy::refused(),
    };
    Arc::new(Gate::new(settings, bound))
}

fn card_config(options: &ConformanceOptions, url: &str, grpc_url: Option<String>) -> CardConfig {
    let required = options.required_extension.iter().map(|uri| CardExtension {
        uri: uri.clone(),
        description: "What a kit asks for.".into(),
        required: true,
    });
    CardConfig {
        name: "Conformance Agent".into(),
        model: "script".into(),
        url: url.to_owned(),
        grpc_url,
        streaming: options.streaming,
        extended: if options.extended_card {
            ExtendedCard::Listing(Arc::new(SkillCatalogue::default))
        } else {
            ExtendedCard::NotOffered
        },
        extensions: required.collect(),
        security: CardSecurity::Undeclared,
        // The kit of 1.0 asks for the card without a version and wants nothing in it that 1.0 does not know.
        without_version: match options.kit {
            ConformanceKit::Old => CardForm::Hybrid,
            ConformanceKit::New => CardForm::Pure,
        },
        ..CardConfig::default()
    }
}

/// The kits listen for news on this machine, at a port of their own.
fn push_settings(host: &Host) -> PushSettings {
    let allowed_hosts = ["localhost", "127.0.0.1", "example.com"].map(str::to_owned).into();
    PushSettings { allowed_hosts, ..PushSettings::new(Arc::new(host.clone())) }
}

/// Answers the one message that wants no task.
struct GreetingResponder;

impl DirectResponder for GreetingResponder {
    fn answer(&self, message_id: &str, text: &str) -> Option<String> {
        let is_wanted = message_id.starts_with(MESSAGE) || text.starts_with(MESSAGE);
        is_wanted.then(|| "Direct message response".to_owned())
    }
}
