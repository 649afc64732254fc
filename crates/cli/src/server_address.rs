//! Names of a server for people: a port of this machine, HOST:PORT, or a URL.

/// The URL that `text` means; `None` if it is none of the three.
pub(crate) fn server_url(text: &str) -> Option<String> {
    if text.contains("://") {
        return Some(text.to_owned());
    }
    if let Ok(port) = text.parse::<u16>() {
        return Some(format!("http://127.0.0.1:{port}"));
    }
    let (host, port) = text.split(['/', '?', '#']).next()?.rsplit_once(':')?;
    (!host.is_empty() && port.parse::<u16>().is_ok()).then(|| format!("http://{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_port_a_host_with_a_port_and_a_url_name_a_server() {
        for (text, url) in [
            ("41243", Some("http://127.0.0.1:41243")),
            ("localhost:41243", Some("http://localhost:41243")),
            ("[::1]:41243/", Some("http://[::1]:41243/")),
            ("https://example.com", Some("https://example.com")),
            ("70000", None),
            (":41243", None),
            ("where", None),
            ("0199f3a0-0000-7000", None),
        ] {
            assert_eq!(server_url(text).as_deref(), url, "{text}");
        }
    }
}
