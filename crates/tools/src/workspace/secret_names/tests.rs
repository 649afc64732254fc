use super::*;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

#[track_caller]
fn check(paths: &[&str], expect: Option<&str>) {
    for path in paths {
        assert_eq!(secret_name(Path::new(path)), expect, "{path}");
    }
}

#[test]
fn files_that_hold_variables() {
    let secret =
        [".env", ".ENV", "a/b/.env", ".env.local", ".env.production", ".env-prod", ".env_dev", ".envrc", "prod.env"];
    check(&secret, Some(VARIABLES));
    check(&[".env~", ".env.bak", ".env.example.local", "..env.swp", ".env.local.old"], Some(VARIABLES));
    check(&[".env.example", ".env.sample", ".env.template", ".env.dist", "example.env", ".env.local.example"], None);
    check(&["env", "environment.rs", ".environment", "env.rs", ".envoy.yaml"], None);
}

#[test]
fn keys_and_key_stores() {
    let keys = ["id_rsa", "id_ed25519", "id_ed25519_sk", "id_rsa.bak", "deploy/id_ecdsa-work", "server.key", "a.PEM"];
    check(&keys, Some(PRIVATE_KEY));
    check(&["cert.pem", "AuthKey_1.p8", "a.ppk", "secring.gpg", "my-private.asc"], Some(PRIVATE_KEY));
    check(&["a.p12", "a.pfx", "release.keystore", "a.jks"], Some(KEY_STORE));
    check(&["a.kdbx", ".pgpass", ".htpasswd", "/etc/shadow"], Some(PASSWORDS));
    check(&["id_rsa.pub", "id_map.rs", "id_generator.py", "id_rsa2.pub", "monkey", "keys.rs", "public.pem"], None);
    check(&["ca-certificates.pem", "cacert.pem", "fullchain.pem", "dhparam.pem", "release.asc", "book.asc"], None);
}

#[test]
fn credentials_of_services() {
    let secret = [".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".vault-token", "credentials.json"];
    check(&secret, Some(CREDENTIALS));
    let below =
        ["/home/me/.aws/config", ".kube/config", ".docker/config.json", "/home/me/.config/gcloud/access_tokens.db"];
    check(&below, Some(CREDENTIALS));
    check(
        &["service-account-prod.json", "client_secret_1.json", "token", "api.token", "oauth_creds.json"],
        Some(CREDENTIALS),
    );
    check(&["mcp-oauth-tokens-v2.json", "gcloud/application_default_credentials.json"], Some(CREDENTIALS));
    check(&["terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", "secrets.yml"], Some(SECRETS));
    check(&["/run/secrets/db", "/var/run/secrets/kubernetes.io/serviceaccount/namespace"], Some(SECRETS));
    check(
        &["config.json", "docker/config.json", "service-account.rs", "token.rs", "secrets.rs", "secrets/main.rs"],
        None,
    );
    check(&["credentials.rs", "credentials/mod.rs", "terraform.tfvars.example", "package.json"], None);
}

#[test]
fn directories_of_secrets() {
    check(&["/home/me/.ssh/known_hosts", ".SSH/config", "a/.gnupg/pubring.kbx"], Some(PRIVATE_KEY));
    check(&["/proc/self/environ", "/sys/class", "/dev/mem", "/proc", "/tmp/../proc/1/environ"], Some(KERNEL_FILES));
    check(&["/dev/shm/work/main.rs", "proc/main.rs", "src/dev/tool.rs", "a/proc/x", "/home/dev/x.rs"], None);
    check(&["/home/me/.local/state/pollux/log.db", "/home/me/.config/pollux/mcp-tokens.json"], Some(OWN_FILES));
    check(&["/run/user/1000/pollux/a2a-12.json", "a2a-12.json", "/home/me/.pollux/x"], Some(OWN_FILES));
    check(&["a2a-notes.json", "a2a-.json", "src/pollux/main.rs", "/home/me/pollux/README.md"], None);
    check(&["/home/me/.bash_history", ".psql_history"], Some(HISTORY));
}

#[test]
fn what_is_no_text_has_a_name_too() {
    assert_eq!(secret_name(Path::new(OsStr::from_bytes(b"\xff\xfe.env"))), Some(VARIABLES));
    assert_eq!(secret_name(Path::new(OsStr::from_bytes(b"/\xff/.ssh/\xfe"))), Some(PRIVATE_KEY));
    check(&["", "/", ".", ".."], None);
}
