use super::*;
use crate::config::RunOverrides;
use crate::config::fake_machine::FakeMachine;
use pretty_assertions::assert_eq;

fn written(checks: &[DoctorCheck]) -> (String, bool) {
    let mut out = Vec::new();
    let code = print_report(checks, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), code == ExitCode::SUCCESS)
}

#[test]
fn only_what_is_needed_fails_the_whole() {
    let good = DoctorCheck::good("one", "fine");
    let lacking = DoctorCheck::missing("longer", "gone", "get it");
    let broken = DoctorCheck::broken("two", "bust", "mend it");
    let text =
        "✓ one     fine\n! longer  gone: get it\n\nnothing that was checked is broken; lines with ! are worth a look\n";
    assert_eq!(written(&[good.clone(), lacking]), (text.into(), true));
    assert!(written(std::slice::from_ref(&good)).0.ends_with("\nnothing that was checked is broken\n"));
    let text = "✓ one  fine\n✗ two  bust: mend it\n\none thing is broken\n";
    assert_eq!(written(&[good, broken.clone()]), (text.into(), false));
    assert!(written(&[broken.clone(), broken]).0.ends_with("\n2 things are broken\n"));
}

#[test]
fn broken_settings_are_broken_and_odd_ones_are_told() {
    let machine = FakeMachine::new().file("home/.gemini/settings.json", "{");
    let (config, broken) = Config::load_past_broken(machine.environment(), RunOverrides::default()).unwrap();
    let check = broken_file(&broken[0]);
    assert!(matches!(check.finding, CheckStatus::Broken { .. }));
    let why = "home/.gemini/settings.json, line 1, column 1: a closing brace } is missing for this opening one; \
               correct it or move the file away";
    assert_eq!((machine.strip_directory(&check.message).as_str(), broken.len(), config.files.len()), (why, 1, 6));
    let machine = FakeMachine::new().file("home/.gemini/settings.json", "{\"modle\": 1}");
    let check = settings(&machine.load());
    assert_eq!(
        machine.strip_directory(&check.message),
        "home/.gemini/settings.json:1: there is no setting \"modle\"; did you mean model?"
    );
    let CheckStatus::Missing { remedy } = &check.finding else { panic!("{check:?}") };
    assert!(
        join_remedy(&check.message, remedy).ends_with("did you mean model? `pollux settings show` tells what holds")
    );
    let machine = FakeMachine::new().file("home/.gemini/settings.json", "{}");
    assert_eq!(settings(&machine.load()), DoctorCheck::good("settings", "2 of 6 files are there and read"));
}

#[test]
fn a_whole_examination_covers_everything_once() {
    let machine = FakeMachine::new().var("GEMINI_API_KEY", "k");
    let config = machine.load();
    let (data_dir, serve_dir) = (machine.path("data"), machine.path("data/serve"));
    let model = Ok(AnsweringModel { label: "m".into(), note: None });
    let workspace = machine.path("ws");
    let examination = DoctorContext {
        config: &config,
        broken_files: &[],
        model,
        local: Vec::new(),
        data_dir: &data_dir,
        serve_dir: &serve_dir,
        port: Ok(0),
        workspace: &workspace,
        trust: FolderTrust::Unknown,
    };
    let names: Vec<&str> = run_checks(&examination).iter().map(|check| check.name).collect();
    let wanted = [
        "settings", "key", "model", "local", "mcp", "trust", "data", "sessions", "server", "disk", "terminal", "shell",
        "sandbox", "git", "port",
    ];
    assert_eq!(names, wanted);
}
