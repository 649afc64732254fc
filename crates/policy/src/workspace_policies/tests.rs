use super::*;
use crate::rule_origin::ProblemSeverity;
use pretty_assertions::assert_eq;

const DENY: &str = "[[rule]]\ntoolName = \"x\"\ndecision = \"deny\"\npriority = 1\n";
const ODD: &str = "[[rule]]\ntoolName = \"x\"\ndecision = \"deny\"\npriority = 1\ncolour = 3\n";

fn new_problem_texts(policies: &WorkspacePolicies) -> Vec<String> {
    policies.take_new_problems().iter().map(ToString::to_string).collect()
}

#[test]
fn a_policy_is_read_again_only_when_a_file_changes() {
    let user = tempfile::tempdir().unwrap();
    let policies =
        WorkspacePolicies::new(PolicySources { user_dir: Some(user.path().into()), ..PolicySources::default() });
    let ws = Path::new("/ws");
    let first = policies.for_workspace(ws, false);
    assert!(Arc::ptr_eq(&first, &policies.for_workspace(ws, false)));
    fs::write(user.path().join("a.toml"), DENY).unwrap();
    fs::write(user.path().join("a.txt"), "no rules").unwrap();
    let second = policies.for_workspace(ws, false);
    assert!(!Arc::ptr_eq(&first, &second));
    assert!(Arc::ptr_eq(&second, &policies.for_workspace(ws, false)));
    fs::remove_file(user.path().join("a.toml")).unwrap();
    assert!(!Arc::ptr_eq(&second, &policies.for_workspace(ws, false)));
}

#[test]
fn each_problem_is_told_once() {
    let user = tempfile::tempdir().unwrap();
    let policies =
        WorkspacePolicies::new(PolicySources { user_dir: Some(user.path().into()), ..PolicySources::default() });
    let file = user.path().join("a.toml");
    fs::write(&file, ODD).unwrap();
    policies.for_workspace(Path::new("/one"), false);
    policies.for_workspace(Path::new("/two"), false);
    assert_eq!(
        new_problem_texts(&policies),
        [format!("{}:5: `colour` is not known here, and this rule holds without it", file.display())]
    );
    fs::write(&file, format!("{ODD}\n")).unwrap();
    policies.for_workspace(Path::new("/one"), false);
    assert_eq!(new_problem_texts(&policies), Vec::<String>::new());
}

#[test]
fn a_workspace_speaks_only_when_it_is_trusted_and_the_machine_always() {
    let (ws, admin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir_all(ws.path().join(IN_WORKSPACE)).unwrap();
    let (own, machine) = (ws.path().join(IN_WORKSPACE).join("w.toml"), admin.path().join("m.toml"));
    fs::write(&own, ODD).unwrap();
    fs::write(&machine, ODD).unwrap();
    let policies =
        WorkspacePolicies::new(PolicySources { admin_dir: Some(admin.path().into()), ..PolicySources::default() });
    let files = |trusted: bool| -> Vec<String> {
        policies.for_workspace(ws.path(), trusted).problems().iter().map(|problem| problem.at.to_string()).collect()
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
    let policies =
        WorkspacePolicies::new(PolicySources { user_dir: Some(user.path().into()), ..PolicySources::default() });
    let policy = policies.for_workspace(Path::new("/ws"), false);
    let severities: Vec<_> = policy.problems().iter().map(|problem| problem.severity).collect();
    assert_eq!(severities, [crate::rule_origin::ProblemSeverity::Error; 3]);
    let file = WorkspacePolicies::new(PolicySources {
        user_dir: Some(user.path().join("latin.toml")),
        ..PolicySources::default()
    });
    assert_eq!(file.for_workspace(Path::new("/ws"), false).problems().len(), 1);
}

#[test]
fn paths_that_the_person_names_count_and_one_that_is_missing_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    fs::create_dir(at("many")).unwrap();
    for name in ["one.toml", "many/two.toml", "admin.toml"] {
        fs::write(at(name), ODD).unwrap();
    }
    let named = |user: &[&str], admin: &[&str], more: &[&str]| {
        let paths = |names: &[&str]| names.iter().map(|name| at(name)).collect();
        let (user_paths, admin_paths, more_user_dirs) = (paths(user), paths(admin), paths(more));
        let policies = WorkspacePolicies::new(PolicySources {
            user_paths,
            admin_paths,
            more_user_dirs,
            ..PolicySources::default()
        });
        let policy = policies.for_workspace(Path::new("/ws"), false);
        let found = policy.problems().iter().map(|problem| (problem.at.to_string(), problem.severity));
        found.collect::<Vec<_>>()
    };
    let odd = |name: &str| (format!("{}:5", at(name).display()), ProblemSeverity::Warning);
    assert_eq!(
        named(&["one.toml", "many"], &["admin.toml"], &[]),
        ["one.toml", "many/two.toml", "admin.toml"].map(odd)
    );
    assert_eq!(named(&[], &[], &["many", "gone"]), ["many/two.toml"].map(odd));
    let missing = |name: &str| (format!("{}:1", at(name).display()), ProblemSeverity::Error);
    assert_eq!(named(&["gone.toml"], &["gone"], &[]), ["gone.toml", "gone"].map(missing));
    let relative =
        WorkspacePolicies::new(PolicySources { user_paths: vec!["Cargo.toml".into()], ..PolicySources::default() });
    let problems = relative.for_workspace(Path::new("/ws"), false).problems().to_vec();
    assert_eq!(
        problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["Cargo.toml:1: the file cannot be read: write the whole path, or begin it with ~/"]
    );
}

#[test]
fn directories_that_narrow_cannot_allow() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a.toml"), "[[rule]]\ntoolName = \"x\"\ndecision = \"allow\"\npriority = 1\n").unwrap();
    let policies =
        WorkspacePolicies::new(PolicySources { narrowing_dirs: vec![place.path().into()], ..PolicySources::default() });
    policies.for_workspace(Path::new("/ws"), false);
    let told = new_problem_texts(&policies);
    assert!(told.len() == 1 && told[0].contains("can only ask or deny"), "{told:?}");
}
