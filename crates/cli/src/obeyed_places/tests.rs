use super::*;
use crate::config::fake_machine::FakeMachine;
use crate::flags::{AgentFlags, BasicFlags, DataFlags, EndpointFlags, RuleFlags, TokenFlags};
use crate::program_environment::ProgramEnvironment;
use crate::runtime::config_for;
use pretty_assertions::assert_eq;

#[test]
fn every_file_that_pollux_obeys_is_named_by_its_loader() {
    let machine = FakeMachine::new()
        .file("home/.config/pollux/settings.json", r#"{"policyPaths": ["~/pol"]}"#)
        .file("home/.gemini/trustedFolders.json", "{}")
        .file("ws/a.txt", "")
        .file("given.toml", "")
        .var("GEMINI_SYSTEM_MD", "~/prompt.md")
        .var("PATH", "relative:/usr/bin");
    let rules = RuleFlags { admin_policy: vec![machine.path("given.toml")], ..RuleFlags::default() };
    let flags = BasicFlags {
        agent: AgentFlags { rules, ..AgentFlags::default() },
        data: DataFlags { data_dir: Some(machine.path("data")) },
        endpoint: EndpointFlags {
            token: TokenFlags { token_file: Some(machine.path("token")) },
            ..EndpointFlags::default()
        },
        ..BasicFlags::default()
    };
    let global_settings = ProgramEnvironment::new(machine.environment()).unwrap().settings(flags).unwrap();
    let workspace = machine.path("ws");
    let config = config_for(&global_settings, workspace.to_str().unwrap());
    let places = obeyed_places(&global_settings, &config, &workspace);
    let texts = |paths: &[PathBuf]| -> Vec<String> {
        paths.iter().map(|path| machine.strip_directory(&path.display().to_string())).collect()
    };
    let files = [
        "home/.config/pollux",
        "home/.gemini",
        "home/.gemini/trustedFolders.json",
        "token",
        "home/prompt.md",
        "etc/defaults.json",
        "etc/settings.json",
        "home/.config/gemini-cli/config.yaml",
        "home/.gemini/config.yaml",
        "home/.gemini/settings.json",
        "home/.config/pollux/settings.json",
        "home/.gemini/.env",
        "home/.env",
        "home/.config/pollux/extension-consents.json",
        "home/.gemini/extensions/extension-enablement.json",
    ];
    assert_eq!(texts(&places.files), files);
    let rules =
        ["/etc/gemini-cli/policies", "home/.config/pollux/policies", "home/.gemini/policies", "home/pol", "given.toml"];
    assert_eq!(texts(&places.rules), rules);
    assert_eq!(texts(&places.storage)[..2], ["data", "home/.local/state/pollux"]);
    assert_eq!(places.home, Some(machine.path("home")));
    assert_eq!(places.config_home, Some(machine.path("home/.config")));
    assert_eq!(places.programs, [PathBuf::from("/usr/bin")]);
}
