use super::*;
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn token(access: &str) -> StoredToken {
    StoredToken {
        url: "https://a.b/mcp".into(),
        token_url: "https://c.d/token".into(),
        resource: "https://a.b/mcp".into(),
        client: OauthClient { id: "us".into(), secret: Some(OauthSecret::new("hush")), basic: true },
        access: OauthSecret::new(access),
        refresh: Some(OauthSecret::new("again")),
        expires_at: Some(7),
    }
}

#[tokio::test]
async fn a_sign_in_is_kept_for_its_server_alone() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("pollux/mcp-tokens.json");
    let tokens = McpTokenStore::at(path.clone());
    assert!(tokens.load("one", "https://a.b/mcp").await.is_none());
    assert_eq!(tokens.forget("one").await, Ok(false));
    tokens.save("one", token("a")).await.unwrap();
    tokens.save("two", token("b")).await.unwrap();
    assert!(tokens.load("one", "https://a.b/mcp").await == Some(token("a")));
    // The entry now leads elsewhere.
    assert!(tokens.load("one", "https://evil.example/mcp").await.is_none());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(tokens.forget("one").await, Ok(true));
    assert!(tokens.load("one", "https://a.b/mcp").await.is_none());
    assert!(tokens.load("two", "https://a.b/mcp").await == Some(token("b")));
}

#[tokio::test]
async fn a_damaged_file_is_not_overwritten() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("mcp-tokens.json");
    fs::write(&path, "{ \"servers\": \"hush").unwrap();
    let tokens = McpTokenStore::at(path.clone());
    assert!(tokens.load("one", "https://a.b/mcp").await.is_none());
    let why = "it is not a JSON object; move it away and log in again".to_owned();
    assert_eq!(tokens.save("one", token("a")).await, Err(SignInError::Keep { path: path.display().to_string(), why }));
    assert_eq!(fs::read_to_string(&path).unwrap(), "{ \"servers\": \"hush");
}
