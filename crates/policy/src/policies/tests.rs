use super::*;
use pretty_assertions::assert_eq;

const DENY: &str = "[[rule]]\ntoolName = \"x\"\ndecision = \"deny\"\npriority = 1\n";
const ODD: &str = "[[rule]]\ntoolName = \"x\"\ndecision = \"deny\"\npriority = 1\ncolour = 3\n";

fn said(policies: &Policies) -> Vec<String> {
    policies.take_news().iter().map(ToString::to_string).collect()
}

#[test]
fn a_policy_is_read_again_only_when_a_file_changes() {
    let user = tempfile::tempdir().unwrap();
    let policies = Policies::new(Sources { user_dir: Some(user.path().into()), ..Sources::default() });
    let ws = Path::new("/ws");
    let first = policies.of(ws, false);
    assert!(Arc::ptr_eq(&first, &policies.of(ws, false)));
    fs::write(user.path().join("a.toml"), DENY).unwrap();
    fs::write(user.path().join("a.txt"), "no rules").unwrap();
    let second = policies.of(ws, false);
    assert!(!Arc::ptr_eq(&first, &second));
    assert!(Arc::ptr_eq(&second, &policies.of(ws, false)));
    fs::remove_file(user.path().join("a.toml")).unwrap();
    assert!(!Arc::ptr_eq(&second, &policies.of(ws, false)));
}

#[test]
fn each_problem_is_told_once() {
    let user = tempfile::tempdir().unwrap();
    let policies = Policies::new(Sources { user_dir: Some(user.path().into()), ..Sources::default() });
    let file = user.path().join("a.toml");
    fs::write(&file, ODD).unwrap();
    policies.of(Path::new("/one"), false);
    policies.of(Path::new("/two"), false);
    assert_eq!(
        said(&policies),
        [format!("{}:5: `colour` is not known here, and this rule holds without it", file.display())]
    );
    fs::write(&file, format!("{ODD}\n")).unwrap();
    policies.of(Path::new("/one"), false);
    assert_eq!(said(&policies), Vec::<String>::new());
}

#[test]
fn a_workspace_speaks_only_when_it_is_trusted_and_the_machine_always() {
    let (ws, admin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir_all(ws.path().join(IN_WORKSPACE)).unwrap();
    let (own, machine) = (ws.path().join(IN_WORKSPACE).join("w.toml"), admin.path().join("m.toml"));
    fs::write(&own, ODD).unwrap();
    fs::write(&machine, ODD).unwrap();
    let policies = Policies::new(Sources { admin_dir: Some(admin.path().into()), ..Sources::default() });
    let files = |trusted: bool| -> Vec<String> {
        policies.of(ws.path(), trusted).problems().iter().map(|problem| problem.at.to_string()).collect()
    };
    assert_eq!(files(false), [format!("{}:5", machine.display())]);
    assert_eq!(files(true), [format!("{}:5", own.display()), format!("{}:5", machine.display())]);
}

#[test]
fn what_cannot_be_read_is_an_error_and_not_silence() {
    let user = tempfile::tempdir().unwrap();
    fs::create_dir(user.path().join("folder.toml")).unwrap();
    fs::write(user.path().join("latin.toml"), [0xff, 0xfe]).unwrap();
    fs::write(user.path().join("long.toml"), "#".repeat(usize::try_from(MAX_BYTES).unwrap() + 1)).unwrap();
    let policies = Policies::new(Sources { user_dir: Some(user.path().into()), ..Sources::default() });
    let policy = policies.of(Path::new("/ws"), false);
    let severities: Vec<_> = policy.problems().iter().map(|problem| problem.severity).collect();
    assert_eq!(severities, [crate::origin::Severity::Error; 3]);
    let file = Policies::new(Sources { user_dir: Some(user.path().join("latin.toml")), ..Sources::default() });
    assert_eq!(file.of(Path::new("/ws"), false).problems().len(), 1);
}
