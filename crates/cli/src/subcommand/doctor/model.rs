//! Can a model be reached?

use super::{AnsweringModel, DoctorCheck};
use crate::config::{Config, SettingOrigin};
use pollux_model::{LocalServer, Provider, ProviderSite};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// The time that a server on this machine may take to accept a connection.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The key or the address, and the model. Without settings there is nothing to look the key up in.
pub(super) fn checks(config: &Config, model: &Result<AnsweringModel, String>) -> Vec<DoctorCheck> {
    std::iter::once(access(config, model)).chain(addresses(config)).chain([resolved(config, model)]).collect()
}

fn access(config: &Config, model: &Result<AnsweringModel, String>) -> DoctorCheck {
    const NAME: &str = "key";
    match (set_variable(config), model) {
        (Some((name, origin)), _) => DoctorCheck::good(NAME, format!("{name} is set ({origin})")),
        (None, Ok(AnsweringModel { label, note: None })) => DoctorCheck::good(NAME, format!("{label} needs none")),
        // Nothing that was set up is broken: the demo answers until there is one.
        (None, _) => DoctorCheck::missing(
            NAME,
            "no key and no address of a model is configured",
            "set GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY, in the environment or in ~/.gemini/.env",
        ),
    }
}

/// The first variable with a key or an address of a provider that is set, and where.
fn set_variable(config: &Config) -> Option<(&'static str, SettingOrigin)> {
    let names = Provider::ALL.into_iter().flat_map(|provider| [provider.key_variable(), provider.address_variable()]);
    names.filter_map(|name| Some((name, config.variables.origin(name)?))).next()
}

/// The model servers on this machine. They are offered, never used unless they are chosen.
pub(super) fn local(servers: &[LocalServer]) -> DoctorCheck {
    const NAME: &str = "local";
    let found: Vec<String> = servers
        .iter()
        .map(|server| {
            let names: Vec<String> = server.models.iter().take(3).map(pollux_model::OfferedModel::name).collect();
            let more = if server.models.len() > 3 { ", …" } else { "" };
            format!("{} serves {}{more}", server.address, names.join(", "))
        })
        .collect();
    match found.first() {
        None => DoctorCheck::neutral(NAME, "no server of models runs on this machine"),
        Some(_) => DoctorCheck::good(NAME, format!("{}; -m NAME chooses one", found.join("; "))),
    }
}

fn addresses(config: &Config) -> impl Iterator<Item = DoctorCheck> {
    // Servers on this machine are looked for by themselves.
    let in_cloud = Provider::ALL.into_iter().filter(|provider| provider.site() == ProviderSite::Cloud);
    let names = in_cloud.map(Provider::address_variable);
    names.filter_map(|name| Some(address(name, &config.variables.get(name)?)))
}

fn address(name: &str, url: &str) -> DoctorCheck {
    const NAME: &str = "address";
    let Some(addresses) = on_this_machine(url) else {
        return DoctorCheck::good(NAME, format!("{name} is on another machine and was not tried"));
    };
    let reached = addresses.iter().any(|address| TcpStream::connect_timeout(address, CONNECT_TIMEOUT).is_ok());
    match addresses.first() {
        Some(address) if reached => DoctorCheck::good(NAME, format!("{name} answers on port {}", address.port())),
        Some(address) => DoctorCheck::broken(
            NAME,
            format!("{name} is on this machine and nothing listens on port {}", address.port()),
            "start that server, or unset the variable",
        ),
        None => DoctorCheck::broken(NAME, format!("{name} has no usable port"), "write it like http://127.0.0.1:8080"),
    }
}

fn resolved(config: &Config, model: &Result<AnsweringModel, String>) -> DoctorCheck {
    const NAME: &str = "model";
    match model {
        // A wrong key looks like a right one until it is sent, and this command sends nothing.
        Ok(AnsweringModel { label, note: None }) if set_variable(config).is_some() => {
            DoctorCheck::neutral(NAME, format!("{label} would be asked; whether it takes the key was not tried"))
        }
        Ok(AnsweringModel { label, note: None }) => DoctorCheck::good(NAME, format!("{label} would answer")),
        // How to get a real one is said where the key is missed.
        Ok(AnsweringModel { label, note: Some(_) }) => DoctorCheck::neutral(NAME, format!("{label}, would answer")),
        Err(why) => DoctorCheck::broken(NAME, "no model can be chosen", why),
    }
}

/// The addresses that `url` names when it is on this machine, none when its port makes no sense.
pub(super) fn on_this_machine(url: &str) -> Option<Vec<SocketAddr>> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()),
        _ => (authority, Some(if scheme == "https" { 443 } else { 80 })),
    };
    let hosts: Vec<IpAddr> = match host.trim_start_matches('[').trim_end_matches(']') {
        "localhost" => vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
        literal => vec![literal.parse::<IpAddr>().ok().filter(IpAddr::is_loopback)?],
    };
    Some(hosts.into_iter().filter_map(|host| Some(SocketAddr::new(host, port?))).collect())
}

#[cfg(test)]
mod tests;
