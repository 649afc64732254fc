use super::*;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

#[track_caller]
fn check(paths: &[&str], expect: Option<&str>) {
    for path in paths {
        assert_eq!(secret_name(Path::new(path)), expect, "{path}");
        match expect {
            // No path of a repository begins at the root of the file system.
            Some(KERNEL_FILES) => {}
            Some(_) => assert!(is_covered(path), "git would print {path}"),
            None => assert!(!is_covered(path) || COVERED_TOO.contains(path), "git would leave out {path}"),
        }
    }
}

/// Those of the cases below that are no secrets, and that git leaves out all the same.
const COVERED_TOO: [&str; 29] = [
    // Templates.
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    "example.env",
    ".env.local.example",
    "server.key.example",
    // Source files that are named after a key.
    "api.key.ts",
    "read.pem.rs",
    "rsa_private_key.py",
    "a.key.md",
    // What is public.
    "id_rsa.pub",
    "id_rsa2.pub",
    "public.pem",
    "ca-certificates.pem",
    "cacert.pem",
    "fullchain.pem",
    "dhparam.pem",
    // `auth.json` where it is source or a translation.
    "locales/en/auth.json",
    "src/schemas/auth.json",
    "tests/fixtures/auth.json",
    "a2a-notes.json",
    "a2a-.json",
    // Copies of ordinary files.
    "notes.txt~",
    "notes.bak",
    "main.c.orig",
    "main.rs.old",
    "data.save",
    ".main.rs.swp",
];

/// True if one of the patterns for git stands for `path`.
fn is_covered(path: &str) -> bool {
    static PATTERNS: std::sync::LazyLock<GlobSet> = std::sync::LazyLock::new(|| {
        let mut set = GlobSetBuilder::new();
        for pattern in secret_patterns() {
            let pattern = format!("**/{pattern}");
            let mut glob = GlobBuilder::new(&pattern);
            set.add(glob.literal_separator(true).case_insensitive(true).build().unwrap());
        }
        set.build().unwrap()
    });
    PATTERNS.is_match(path.trim_start_matches('/'))
}

#[test]
fn git_leaves_out_every_protected_name_and_little_else() {
    let files = FILES.into_iter().map(|(name, _)| name.to_owned());
    let endings = ENDINGS.into_iter().map(|(ending, _)| format!("x{ending}"));
    let patterns = PATTERNS.into_iter().map(|(start, end, _)| format!("{start}-x{end}"));
    let keys = SSH_KEYS.into_iter().flat_map(|key| [key.to_owned(), format!("{key}_sk"), format!("{key}.txt")]);
    let directories = DIRECTORIES.into_iter().flat_map(|(parts, _)| {
        let directory = parts.join("/");
        [format!("{directory}/x"), format!("{directory}/x/y"), directory]
    });
    let stores = [".hg/hgrc", ".svn/wc.db", ".jj/repo/store/x", ".bzr/branch/x"].map(str::to_owned);
    let by_directory: Vec<String> = directories.chain(stores).chain(["run/user/1000/pollux/x".to_owned()]).collect();
    let others = [
        "auth.json",
        "my-firebase-adminsdk-x.json",
        "my-private.asc",
        "secret.pgp",
        "the-secret-one.gpg",
        "server.key.txt",
        "server.pem.1",
        "rsa_private_key",
        "rsa_private_key_old",
        "x.tfstate.123",
        "x.tfstate.",
        ".env.prod",
        ".env-prod",
        ".env_prod",
        "a2a-12.json",
        "x.git/config",
        "x.git/modules/y/config.worktree",
        "x.git/credentials",
    ];
    let by_file: Vec<String> =
        files.chain(endings).chain(patterns).chain(keys).chain(others.map(str::to_owned)).collect();
    for path in by_directory.iter().chain(&by_file) {
        for path in [path.clone(), path.to_ascii_uppercase(), format!("a/b/{path}")] {
            assert!(secret_name(Path::new(&path)).is_some(), "{path}");
            assert!(is_covered(&path), "{path}");
        }
    }
    for (path, ending) in by_file.iter().flat_map(|path| COPY_ENDINGS.map(|ending| (path, ending))) {
        for copy in [format!("a/{path}{ending}"), format!("{path}.old{ending}"), format!("{path}{ending}~")] {
            assert!(secret_name(Path::new(&copy)).is_some(), "{copy}");
            assert!(is_covered(&copy), "{copy}");
        }
    }
    check(
        &["main.rs", "src/token.swift", "docs/secrets.md", "tests/keys/mod.rs", "token.older.rs", "a.tfstate.d"],
        None,
    );
    for path in COVERED_TOO {
        check(&[path], None);
        assert!(is_covered(path), "{path}");
    }
}

#[test]
fn some_directories_hide_the_secrets_in_them() {
    for hides in ["/home/me/.config", "/home/me/.CONFIG/gh", "/home/me/.local/state", "/home/me/.aws/x", "/run"] {
        assert!(hides_secret_names(Path::new(hides)), "{hides}");
    }
    for plain in ["/home/me/work", "/home/me/.config/nvim", "/home/me/token", "/home/me/state", "/home/me/gh", "/"] {
        assert!(!hides_secret_names(Path::new(plain)), "{plain}");
    }
}

#[test]
fn files_that_hold_variables() {
    let secret =
        [".env", ".ENV", "a/b/.env", ".env.local", ".env.production", ".env-prod", ".env_dev", ".envrc", "prod.env"];
    check(&secret, Some(VARIABLES));
    check(&[".env~", ".env.bak", ".env.example.local", "..env.swp", ".env.local.old"], Some(VARIABLES));
    check(&[".env.example", ".env.sample", ".env.template", ".env.dist", "example.env", ".env.local.example"], None);
    let tools = [".flaskenv", ".dev.vars", "env.local", "web.env.local", ".envs/.production/.django"];
    check(&tools, Some(VARIABLES));
    check(
        &["env", "environment.rs", "env.local.ts", "envs/main.rs", "dev.vars", ".environment", "env.rs", ".envoy.yaml"],
        None,
    );
}

#[test]
fn keys_and_key_stores() {
    let keys = ["id_rsa", "id_ed25519", "id_ed25519_sk", "id_rsa.bak", "deploy/id_ecdsa-work", "server.key", "a.PEM"];
    check(&keys, Some(PRIVATE_KEY));
    check(&["cert.pem", "AuthKey_1.p8", "a.ppk", "secring.gpg", "my-private.asc"], Some(PRIVATE_KEY));
    check(&["a.p12", "a.pfx", "release.keystore", "a.jks"], Some(KEY_STORE));
    check(&["a.kdbx", ".pgpass", ".htpasswd", "/etc/shadow"], Some(PASSWORDS));
    let copies = ["key.pem.txt", "server.key.1", "a.key.json", "tls.PEM.gz", "rsa_private_key", "rsa_private_key.old"];
    check(&copies, Some(PRIVATE_KEY));
    check(&["http.keytab", "krb5.keytab"], Some(KEY_STORE));
    check(&["htpasswd", ".vault_pass", ".svn/auth/svn.simple/1f"], Some(PASSWORDS));
    check(&["api.key.ts", "read.pem.rs", "rsa_private_key.py", "server.key.example", "a.key.md", "keytab.c"], None);
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
fn credentials_of_package_managers_and_tools() {
    let files = [".yarnrc.yml", "pip.conf", "NuGet.Config", ".databrickscfg", ".sentryclirc", "local.settings.json"];
    check(&files, Some(CREDENTIALS));
    check(&["/home/me/.m2/settings.xml", ".bundle/config", "shop-firebase-adminsdk-x1.json"], Some(CREDENTIALS));
    check(&["prod.tfvars.json", "terraform.tfstate.1699999999.backup"], Some(SECRETS));
    check(&["auth.json", "/home/me/.composer/auth.json", "api/auth.json.bak"], Some(CREDENTIALS));
    let ordinary = ["locales/en/auth.json", "src/schemas/auth.json", "tests/fixtures/auth.json", "auth.js"];
    check(&ordinary, None);
    check(&["settings.xml", "bundle/config", "pip.config.md", ".terraform.tfstate.lock.info", ".yarnrc.ts"], None);
}

#[test]
fn configurations_of_repositories() {
    let files = [".git/config", "/w/.git/config.worktree", ".git/modules/lib/config", "bare.git/config"];
    check(&files, Some(REPOSITORY));
    check(&[".git/credentials", ".git/config.bak"], Some(REPOSITORY));
    let kept = [
        ".git/COMMIT_EDITMSG",
        ".git/rebase-merge/patch",
        ".git/rebase-apply/patch",
        ".git/rr-cache/1a/preimage",
        ".git/lost-found/other/x",
        ".git/worktrees/w/COMMIT_EDITMSG",
        ".git/logs/HEAD",
        ".git/FETCH_HEAD",
        ".git/index",
        ".git/made-by-a-later-version",
        ".git/modules/lib/HEAD",
        ".GIT/Objects/x",
        "lib/.git/objects/pack/a",
    ];
    for kept in kept {
        assert_eq!(secret_name(Path::new(kept)), Some("committed files, also those with protected names"), "{kept}");
    }
    for kept in [".bzr/repository/packs/x", ".hg/hgrc", ".bzr/branch/branch.conf", ".svn/wc.db", ".jj/repo/store/x"] {
        assert_eq!(secret_name(Path::new(kept)), Some("committed files, also those with protected names"), "{kept}");
    }
    check(
        &["x.git/COMMIT_EDITMSG", "x.git/logs/HEAD", "x.git/rr-cache/1a/preimage"],
        Some("committed files, also those with protected names"),
    );
    let plain = [
        ".git",
        ".git/packed-refs",
        ".git/refs/heads/main",
        ".git/info/exclude",
        ".git/hooks/x",
        ".git/hooks",
        "x.git/main/logs/a.rs",
        ".hg",
    ];
    check(&plain, None);
    check(&[".git/HEAD", "git/config", ".github/config", ".gitmodules", ".gitconfig.md", "config"], None);
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
