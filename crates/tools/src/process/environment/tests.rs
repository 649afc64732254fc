use super::*;
use pretty_assertions::assert_eq;

fn built(ours: &[(&str, &str)]) -> Vec<String> {
    let ours = ours.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let line = |(name, value): (OsString, OsString)| format!("{}={}", name.display(), value.display());
    build(ours).into_iter().map(line).collect()
}

#[test]
fn only_what_is_listed_is_passed_on() {
    let ours = [
        ("PATH", "/bin"),
        ("HOME", "/home/ada"),
        ("LC_ALL", "C.UTF-8"),
        ("TERM", "xterm"),
        ("PAGER", "less"),
        ("GEMINI_API_KEY", "secret"),
        ("LD_PRELOAD", "evil.so"),
        ("BASH_ENV", "evil.sh"),
        ("PROMPT_COMMAND", "evil"),
        ("SSH_AUTH_SOCK", "/tmp/agent"),
    ];
    assert_eq!(
        built(&ours),
        [
            "GEMINI_CLI=1",
            "GIT_PAGER=cat",
            "GIT_TERMINAL_PROMPT=0",
            "HOME=/home/ada",
            "LC_ALL=C.UTF-8",
            "MANPAGER=cat",
            "PAGER=cat",
            "PATH=/bin",
            "POLLUX=1",
            "SYSTEMD_PAGER=cat",
            "TERM=dumb",
        ]
    );
}

#[test]
fn there_is_always_a_path() {
    assert!(built(&[]).contains(&format!("PATH={DEFAULT_PATH}")));
}
