//! The hosts that an operator allows, as they are written and as they are compared.

use reqwest::Url;
use std::net::Ipv6Addr;

#[cfg(test)]
mod tests;

/// Read a host that news may be pushed to, with its port or without: the form in which [`PushSettings::allowed_hosts`]
/// holds it, or what is wrong with it.
///
/// [`PushSettings::allowed_hosts`]: super::PushSettings::allowed_hosts
pub fn read_push_host(text: &str) -> Result<String, String> {
    let no_host = || format!("{text:?} is no host; write example.com or example.com:8080");
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if text.parse::<Ipv6Addr>().is_err() && !text.ends_with(']') => {
            let known = port.parse::<u16>().ok().filter(|known| *known > 0 && known.to_string() == port);
            (host, Some(known.ok_or_else(no_host)?))
        }
        Some(_) | None => (text, None),
    };
    let is_bare_v6 = host.parse::<Ipv6Addr>().is_ok();
    let written = if is_bare_v6 { format!("[{host}]") } else { host.to_owned() };
    let url = Url::parse(&format!("http://{written}/")).map_err(|_| no_host())?;
    let known = url.host_str().unwrap_or_default();
    // Whatever is more than a host makes a longer address; nobody's host has a star in it.
    if url.as_str() != format!("http://{known}/") || known.contains('*') || (is_bare_v6 && port.is_some()) {
        return Err(no_host());
    }
    if !known.eq_ignore_ascii_case(&written) {
        return Err(format!("{text:?} is an unusual way to write a host; write {known}"));
    }
    Ok(match port {
        Some(port) => format!("{known}:{port}"),
        None => known.trim_start_matches('[').trim_end_matches(']').to_owned(),
    })
}
