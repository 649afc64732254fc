use super::*;
use crate::config::jsonc;
use pretty_assertions::assert_eq;

fn entry(json: &str) -> Result<(McpServerEntry, Vec<UnknownField>), String> {
    let fields = jsonc::parse(&format!("{{\"s\": {json}}}")).unwrap_or_default();
    read("s", &fields[0].value).map_err(|flaw| flaw.what)
}

/// A server in one line, secrets included: only a test may.
fn shown(server: &McpServerEntry) -> String {
    let secrets = |secrets: &BTreeMap<String, ConfigSecret>| {
        secrets.iter().map(|(name, secret)| format!("{name}={}", secret.reveal())).collect::<Vec<_>>().join(",")
    };
    let transport = match &server.transport {
        ConfiguredTransport::Stdio { command, args, env, cwd } => {
            format!("{command} {args:?} [{}] {cwd:?}", secrets(env))
        }
        ConfiguredTransport::Http { url, headers } => format!("http {url} [{}]", secrets(headers)),
        ConfiguredTransport::HttpOrSse { url, headers } => format!("sse {url} [{}]", secrets(headers)),
    };
    let oauth = server.oauth.as_ref().map(|oauth| {
        let OAuthSettings { client_id, client_secret, authorization_url, token_url, scopes, redirect_uri } = oauth;
        let client_secret = client_secret.as_ref().map(ConfigSecret::reveal);
        [
            client_id.as_deref(),
            client_secret,
            authorization_url.as_deref(),
            token_url.as_deref(),
            redirect_uri.as_deref(),
        ]
        .into_iter()
        .flatten()
        .chain(scopes.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join(" ")
    });
    let McpServerEntry { timeout, trust, description, include_tools, exclude_tools, .. } = server;
    format!("{transport} {timeout:?} {trust:?} {description:?} {include_tools:?} {exclude_tools:?} {oauth:?}")
}

fn read_as(json: &str) -> String {
    entry(json).map(|(server, _)| shown(&server)).unwrap_or_else(|what| format!("error: {what}"))
}

#[test]
fn the_transport_follows_from_what_is_there() {
    let rest = "None Asks None None [] None";
    assert_eq!(read_as(r#"{"command": "c"}"#), format!("c [] [] None {rest}"));
    assert_eq!(
        read_as(r#"{"command": "c", "args": ["-x", ""], "env": {"A": "1"}, "cwd": "/d"}"#),
        format!("c [\"-x\", \"\"] [A=1] Some(\"/d\") {rest}")
    );
    assert_eq!(read_as(r#"{"url": "http://h/sse"}"#), format!("sse http://h/sse [] {rest}"));
    assert_eq!(read_as(r#"{"url": "http://h", "type": "http"}"#), format!("http http://h [] {rest}"));
    assert_eq!(
        read_as(r#"{"command": "c", "url": "http://u", "httpUrl": "https://h", "headers": {"K": "v"}}"#),
        format!("http https://h [K=v] {rest}")
    );
    assert_eq!(read_as(r#"{"command": "c", "url": "http://u"}"#), format!("sse http://u [] {rest}"));
}

#[test]
fn everything_else_is_read() {
    let json = r#"{"command": "c", "timeout": 1500, "trust": true, "description": "d", "includeTools": ["a"],
        "excludeTools": ["b"], "oauth": {"enabled": true, "clientId": "i", "clientSecret": "s",
        "authorizationUrl": "https://a", "tokenUrl": "https://t", "scopes": ["x"], "redirectUri": "http://localhost:7777/cb"}}"#;
    let oauth = r#"Some("i s https://a https://t http://localhost:7777/cb x")"#;
    let expected = format!("c [] [] None Some(1.5s) Trusted Some(\"d\") Some([\"a\"]) [\"b\"] {oauth}");
    assert_eq!(read_as(json), expected);
    assert_eq!(read_as(r#"{"command": "c", "oauth": {"enabled": false}}"#), "c [] [] None None Asks None None [] None");
}

#[test]
fn unknown_fields_are_said() {
    let unknown = entry("{\"command\": \"c\",\n\"arg\": []}").map(|(_, unknown)| unknown);
    assert_eq!(unknown, Ok(vec![UnknownField { name: "arg".into(), at: TextPosition { line: 2, column: 1 } }]));
}

#[test]
fn bad_entries_are_refused_without_repeating_them() {
    let cases = [
        ("5", "mcpServers.s must be an object"),
        ("{}", "mcpServers.s needs command, url or httpUrl"),
        (r#"{"command": null}"#, "mcpServers.s needs command, url or httpUrl"),
        (r#"{"tcp": "h:1"}"#, "mcpServers.s has only tcp, which is not supported; give it command, url or httpUrl"),
        (r#"{"command": ""}"#, "mcpServers.s.command must be a non-empty string"),
        (r#"{"command": "c", "args": "x"}"#, "mcpServers.s.args must be a list of strings"),
        (r#"{"command": "c", "args": [1]}"#, "mcpServers.s.args must be a list of strings"),
        (r#"{"command": "c", "env": ["A=1"]}"#, "mcpServers.s.env must be an object of strings"),
        (r#"{"command": "c", "env": {"A": 1}}"#, "mcpServers.s.env must be an object of strings"),
        (r#"{"command": "c", "trust": "yes"}"#, "mcpServers.s.trust must be true or false"),
        (r#"{"command": "c", "timeout": 0}"#, "mcpServers.s.timeout must be a whole number from 1 to 86400000"),
        (r#"{"command": "c", "type": "tcp"}"#, "mcpServers.s.type must be one of stdio, sse, http"),
        (r#"{"command": "c", "includeTools": "a"}"#, "mcpServers.s.includeTools must be a list of non-empty strings"),
        (r#"{"url": "file:///etc/passwd"}"#, "mcpServers.s.url must be an http or https address"),
        (r#"{"httpUrl": "https://"}"#, "mcpServers.s.httpUrl must be an http or https address"),
        (r#"{"httpUrl": "https:///x"}"#, "mcpServers.s.httpUrl must be an http or https address"),
        (r#"{"httpUrl": "https://h\nx"}"#, "mcpServers.s.httpUrl must be an http or https address"),
        (r#"{"command": "c", "oauth": true}"#, "mcpServers.s.oauth must be an object"),
        (
            r#"{"command": "c", "oauth": {"tokenUrl": "x"}}"#,
            "mcpServers.s.oauth.tokenUrl must be an http or https address",
        ),
    ];
    for (json, what) in cases {
        assert_eq!(entry(json).map(|_| ()), Err(what.to_owned()), "{json}");
    }
}
