//! Signing in: a server that wants a token, an authorization server that gives them out, and a browser that brings the
//! answer back.

mod oauth_servers;

use crate::mcp::mcp_client::{names, run, start, status, text, wait_until};
use oauth_servers::{OauthFlaw, TestOauthServers, browse, parse_query};
use pollux_session::CallOutcome;
use pollux_tools::{McpOauth, McpOptions, McpServerConfig, McpStatus, McpTokenStore, SignIn, SignInError};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

/// Longer than any of it takes.
const SIGN_IN_TIMEOUT: Duration = Duration::from_secs(60);

struct SignInFixture {
    servers: TestOauthServers,
    tokens: McpTokenStore,
    home: tempfile::TempDir,
}

impl SignInFixture {
    async fn new(flaw: OauthFlaw) -> SignInFixture {
        let home = tempfile::tempdir().unwrap();
        let tokens = McpTokenStore::at(home.path().join("mcp-tokens.json"));
        SignInFixture { servers: TestOauthServers::start(flaw).await, tokens, home }
    }

    fn config(&self) -> McpServerConfig {
        McpServerConfig { http_url: Some(self.servers.server()), ..McpServerConfig::default() }
    }

    fn options(&self) -> McpOptions {
        McpOptions { tokens: Some(self.tokens.clone()), ..McpOptions::default() }
    }

    async fn begin(&self) -> Result<SignIn, SignInError> {
        SignIn::begin("peer", &self.config(), &self.tokens).await
    }

    /// Sign in as a person who agrees.
    async fn sign_in(&self) {
        let sign_in = self.begin().await.unwrap();
        let answer = self.servers.agree(sign_in.url());
        let (finished, (status, _)) = tokio::join!(sign_in.finish(SIGN_IN_TIMEOUT), browse(&answer));
        assert_eq!((finished, status), (Ok(()), 200));
    }
}

fn wanted() -> McpStatus {
    McpStatus::NeedsSignIn { how: "run: pollux mcp login peer".into() }
}

#[tokio::test]
async fn whoever_signs_in_gets_in() {
    let room = SignInFixture::new(OauthFlaw::None).await;
    assert_eq!(status(&start(room.config(), room.options()).await), wanted());
    let sign_in = room.begin().await.unwrap();
    let asked = parse_query(sign_in.url());
    let expected = [
        ("response_type", "code"),
        ("client_id", "registered-1"),
        ("code_challenge_method", "S256"),
        ("resource", &room.servers.server()),
        ("scope", "tools offline_access"),
    ];
    for (name, value) in expected {
        assert_eq!(asked.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert!(asked["redirect_uri"].starts_with("http://127.0.0.1:"));
    let answer = room.servers.agree(sign_in.url());
    let (finished, _) = tokio::join!(sign_in.finish(SIGN_IN_TIMEOUT), browse(&answer));
    assert_eq!(finished, Ok(()));
    let servers = start(room.config(), room.options()).await;
    assert_eq!(names(&servers), ["mcp_peer_say"]);
    assert_eq!(text(&servers, "mcp_peer_say", json!({})).await, "Bearer access-1");
    // Another server of the same name gets nothing of it.
    let elsewhere = TestOauthServers::start(OauthFlaw::None).await;
    let config = McpServerConfig { http_url: Some(elsewhere.server()), ..McpServerConfig::default() };
    assert_eq!(status(&start(config, room.options()).await), wanted());
    assert_eq!(elsewhere.shown_tokens(), [None::<String>; 1]);
}

#[tokio::test]
async fn an_answer_with_another_state_changes_nothing() {
    let room = SignInFixture::new(OauthFlaw::None).await;
    let sign_in = room.begin().await.unwrap();
    let answer = room.servers.agree(sign_in.url());
    let state = &parse_query(sign_in.url())["state"];
    let forged = answer.replace(state.as_str(), "guessed");
    let nowhere = answer.replace("/oauth/callback", "/elsewhere");
    let strangers = async {
        assert_eq!(browse(&forged).await.0, 400);
        assert_eq!(browse(&nowhere).await.0, 400);
        browse(&answer).await
    };
    let (finished, (status, page)) = tokio::join!(sign_in.finish(SIGN_IN_TIMEOUT), strangers);
    assert_eq!((finished, status), (Ok(()), 200));
    assert!(page.contains("go back to the terminal"), "{page}");
}

#[tokio::test]
async fn a_person_who_refuses_is_not_signed_in() {
    let room = SignInFixture::new(OauthFlaw::None).await;
    let sign_in = room.begin().await.unwrap();
    let asked = parse_query(sign_in.url());
    let refusal = "error=access_denied&error_description=not%20today";
    let answer = format!("{}?{refusal}&state={}", asked["redirect_uri"], asked["state"]);
    let (finished, _) = tokio::join!(sign_in.finish(SIGN_IN_TIMEOUT), browse(&answer));
    assert_eq!(finished, Err(SignInError::Denied { why: "access_denied: not today".into() }));
    assert_eq!(status(&start(room.config(), room.options()).await), wanted());
}

#[tokio::test]
async fn a_code_that_is_not_good_is_refused() {
    let room = SignInFixture::new(OauthFlaw::None).await;
    let sign_in = room.begin().await.unwrap();
    let asked = parse_query(sign_in.url());
    let answer = format!("{}?code=stolen&state={}", asked["redirect_uri"], asked["state"]);
    let (finished, _) = tokio::join!(sign_in.finish(SIGN_IN_TIMEOUT), browse(&answer));
    assert_eq!(finished, Err(SignInError::Refused { why: "invalid_grant: no such code".into() }));
}

#[tokio::test]
async fn nobody_waits_for_ever() {
    let room = SignInFixture::new(OauthFlaw::None).await;
    let patience = Duration::from_millis(1);
    let finished = room.begin().await.unwrap().finish(patience).await;
    assert_eq!(finished, Err(SignInError::TimedOut(patience)));
}

#[tokio::test]
async fn a_token_that_runs_out_is_renewed() {
    let room = SignInFixture::new(OauthFlaw::ShortTokens).await;
    room.sign_in().await;
    let servers = start(room.config(), room.options()).await;
    // The first one lasted no time at all, so every request brings a new one.
    let shown = text(&servers, "mcp_peer_say", json!({})).await;
    assert!(shown.starts_with("Bearer access-") && shown != "Bearer access-1", "{shown}");
    assert!(room.servers.shown_tokens().iter().all(|shown| shown.as_deref() != Some("Bearer access-1")));
}

#[tokio::test]
async fn a_token_that_is_no_longer_taken_is_renewed_once() {
    let room = SignInFixture::new(OauthFlaw::None).await;
    room.sign_in().await;
    let servers = start(room.config(), room.options()).await;
    room.servers.revoke_access();
    assert_eq!(text(&servers, "mcp_peer_say", json!({})).await, "Bearer access-2");
    // It is kept: the next one to come needs no renewal.
    assert_eq!(text(&start(room.config(), room.options()).await, "mcp_peer_say", json!({})).await, "Bearer access-2");
}

#[tokio::test]
async fn when_a_renewal_is_refused_the_person_signs_in_again() {
    let room = SignInFixture::new(OauthFlaw::None).await;
    room.sign_in().await;
    let servers = start(room.config(), room.options()).await;
    room.servers.revoke_everything();
    let outcome = run(&servers, "mcp_peer_say", json!({})).await;
    let CallOutcome::Failed { error, .. } = &outcome else { panic!("{outcome:?}") };
    assert!(!error.message.contains("access-1"), "{error:?}");
    wait_until(&servers, |status| *status == wanted()).await;
    // The file no longer holds what is worth nothing.
    let kept = std::fs::read_to_string(room.home.path().join("mcp-tokens.json")).unwrap();
    assert!(!kept.contains("access-1") && !kept.contains("refresh-1"), "{kept}");
    // Whoever signs in elsewhere meanwhile is noticed here.
    room.sign_in().await;
    wait_until(&servers, |status| matches!(status, McpStatus::Ready { .. })).await;
    assert_eq!(text(&servers, "mcp_peer_say", json!({})).await, "Bearer access-2");
}

#[tokio::test]
async fn whoever_is_known_already_needs_no_registration() {
    let room = SignInFixture::new(OauthFlaw::NoRegistration).await;
    let refused = room.begin().await.err();
    assert_eq!(refused, Some(SignInError::NoRegistration));
    let oauth = McpOauth {
        client_id: Some("known".into()),
        client_secret: Some("hush hush".into()),
        scopes: vec!["mine".into()],
        ..McpOauth::default()
    };
    let config = McpServerConfig { oauth: Some(oauth), ..room.config() };
    let sign_in = SignIn::begin("peer", &config, &room.tokens).await.unwrap();
    let asked = parse_query(sign_in.url());
    assert_eq!((asked["client_id"].as_str(), asked["scope"].as_str()), ("known", "mine offline_access"));
    let answer = room.servers.agree(sign_in.url());
    let (finished, _) = tokio::join!(sign_in.finish(SIGN_IN_TIMEOUT), browse(&answer));
    assert_eq!(finished, Ok(()));
    assert_eq!(room.servers.login().as_deref(), Some("known:hush+hush"));
}

#[tokio::test]
async fn settings_stand_in_for_what_a_server_does_not_say() {
    let room = SignInFixture::new(OauthFlaw::Mute).await;
    assert_eq!(room.begin().await.err(), Some(SignInError::NoProvider));
    let oauth = McpOauth {
        client_id: Some("known".into()),
        authorization_url: Some(format!("{}/authorize", room.servers.provider())),
        token_url: Some(format!("{}/token", room.servers.provider())),
        redirect_uri: Some("http://example.org:7777/cb".into()),
        ..McpOauth::default()
    };
    let config = McpServerConfig { oauth: Some(oauth.clone()), ..room.config() };
    let refused = SignIn::begin("peer", &config, &room.tokens).await.err();
    assert_eq!(refused, Some(SignInError::Redirect { uri: "http://example.org:7777/cb".into() }));
    let oauth = McpOauth { redirect_uri: None, ..oauth };
    let config = McpServerConfig { oauth: Some(oauth), ..room.config() };
    let sign_in = SignIn::begin("peer", &config, &room.tokens).await.unwrap();
    let answer = room.servers.agree(sign_in.url());
    let (finished, _) = tokio::join!(sign_in.finish(SIGN_IN_TIMEOUT), browse(&answer));
    assert_eq!(finished, Ok(()));
    assert_eq!(text(&start(config, room.options()).await, "mcp_peer_say", json!({})).await, "Bearer access-1");
}

#[tokio::test]
async fn nobody_is_signed_in_by_a_liar() {
    let room = SignInFixture::new(OauthFlaw::NoPkce).await;
    assert_eq!(room.begin().await.err(), Some(SignInError::NoPkce));
    let room = SignInFixture::new(OauthFlaw::WrongIssuer).await;
    let (expected, claimed) = (room.servers.provider(), "https://bank.example".to_owned());
    assert_eq!(room.begin().await.err(), Some(SignInError::WrongIssuer { expected, claimed }));
    let room = SignInFixture::new(OauthFlaw::WrongResource).await;
    let claimed = "https://bank.example/mcp".to_owned();
    assert_eq!(room.begin().await.err(), Some(SignInError::WrongResource { claimed }));
    let command = McpServerConfig { command: Some("true".into()), ..McpServerConfig::default() };
    assert_eq!(SignIn::begin("peer", &command, &room.tokens).await.err(), Some(SignInError::NoAddress));
}

#[tokio::test]
async fn whoever_signs_out_is_out() {
    let room = SignInFixture::new(OauthFlaw::None).await;
    room.sign_in().await;
    assert_eq!(room.tokens.forget("peer").await, Ok(true));
    assert_eq!(status(&start(room.config(), room.options()).await), wanted());
    // A token of the entry's own goes before any sign-in.
    room.sign_in().await;
    let headers = BTreeMap::from([("Authorization".to_owned(), "Bearer access-2".to_owned())]);
    let config = McpServerConfig { headers, ..room.config() };
    assert_eq!(text(&start(config, room.options()).await, "mcp_peer_say", json!({})).await, "Bearer access-2");
}
