use super::*;
use crate::config::fake_machine::FakeMachine;
use crate::flags::CliFlags;
use crate::program_environment::ProgramEnvironment;
use crate::subcommand::CliCommand;
use clap::Parser;
use pollux_tools::McpStatus;
use pretty_assertions::assert_eq;

fn workspaces(machine: &FakeMachine) -> WorkspaceAgents {
    let words = CliFlags::try_parse_from(["pollux", "serve", "-m", "demo"]).unwrap();
    let Some(CliCommand::Serve(flags)) = words.command else { panic!("it is no server") };
    let (global_settings, _) = flags.resolve(&ProgramEnvironment::new(machine.environment()).unwrap()).unwrap();
    let model_selection = ModelSelection::choose(&global_settings, &global_settings.config).unwrap();
    WorkspaceAgents::new(
        Arc::new(global_settings),
        model_selection,
        BlobStore::ephemeral().unwrap(),
        NoticeBoard::default(),
    )
}

fn trust(machine: FakeMachine, folders: &[&str]) -> FakeMachine {
    let trusted = folders.iter().map(|folder| (machine.path(folder).display().to_string(), "TRUST_FOLDER".into()));
    let file = serde_json::Value::Object(trusted.collect()).to_string();
    machine.file("home/.gemini/trustedFolders.json", &file)
}

fn tools(workspaces: &WorkspaceAgents, workspace: &Path) -> Vec<String> {
    workspaces.agent(workspace).tools_offered().into_iter().map(|(name, _)| name).collect()
}

#[tokio::test]
async fn a_trusted_workspaces_settings_hold_in_it_and_nowhere_else() {
    let core = r#"{"tools": {"core": ["glob", "read_file"]}}"#;
    let machine = FakeMachine::new()
        .file("ws/.gemini/settings.json", core)
        .file("other/.gemini/settings.json", r#"{"tools": {"core": []}}"#)
        .file("yaml/.gemini/config.yaml", "tools:\n  core: [glob]\n");
    let machine = trust(machine, &["ws", "yaml"]);
    let workspaces = workspaces(&machine);
    let all = tools(&workspaces, &machine.path("home"));
    assert!(all.contains(&"write_file".to_owned()), "{all:?}");
    assert_eq!(tools(&workspaces, &machine.path("ws")), ["glob", "read_file"]);
    assert_eq!(tools(&workspaces, &machine.path("yaml")), ["glob"]);
    assert_eq!(tools(&workspaces, &machine.path("other")), all, "it is not trusted");
}

#[tokio::test]
async fn a_change_of_a_file_or_of_trust_counts_at_once() {
    let machine = FakeMachine::new().file("ws/.gemini/settings.json", r#"{"tools": {"core": ["glob"]}}"#);
    let machine = trust(machine, &["ws"]);
    let (workspaces, ws) = (workspaces(&machine), machine.path("ws"));
    assert_eq!(tools(&workspaces, &ws), ["glob"]);
    let machine = machine.file("ws/.gemini/settings.json", r#"{"tools": {"core": ["read_file", "glob"]}}"#);
    assert_eq!(tools(&workspaces, &ws), ["glob", "read_file"]);
    let machine = machine.file("ws/.gemini/settings.json", r#"{"tools": {"core": broken"#);
    assert!(tools(&workspaces, &ws).len() > 2, "a file that makes no sense is left out");
    let machine = machine.file("ws/.gemini/settings.json", r#"{"tools": {"core": ["glob"]}}"#);
    assert_eq!(tools(&workspaces, &ws), ["glob"]);
    let machine = trust(machine, &[]);
    assert!(tools(&workspaces, &ws).len() > 2, "it is trusted no more");
    drop(machine);
}

#[tokio::test]
async fn at_a_terminal_trust_counts_at_once_and_a_file_at_the_next_start() {
    let machine = FakeMachine::new().file("ws/.gemini/settings.json", r#"{"tools": {"core": ["glob"]}}"#);
    let ws = machine.path("ws");
    let workspaces = workspaces(&machine);
    let config = workspaces.basics.config.for_workspace(&ws, FolderTrust::Unknown);
    let workspaces = workspaces.at_terminal(&config);
    assert!(tools(&workspaces, &ws).len() > 2, "it is not trusted");
    let machine = trust(machine, &["ws"]);
    assert_eq!(tools(&workspaces, &ws), ["glob"]);
    let machine = machine.file("ws/.gemini/settings.json", r#"{"tools": {"core": ["read_file", "glob"]}}"#);
    assert_eq!(tools(&workspaces, &ws), ["glob"], "what its commands left running goes on");
    drop(machine);
}

#[tokio::test]
async fn no_more_agents_are_kept_than_there_is_room_for() {
    let machine = FakeMachine::new();
    let workspaces = workspaces(&machine);
    for at in 0..=MAX_CACHED_AGENTS.get() {
        workspaces.agent(&machine.path(&format!("w{at}")));
    }
    let shelf = workspaces.cache.lock();
    assert_eq!(shelf.agents.len(), MAX_CACHED_AGENTS.get());
    assert!(!shelf.agents.contains(&machine.path("w0")), "the one that was used least lately went");
}

fn with_server() -> FakeMachine {
    let server = r#"{"mcpServers": {"s": {"command": "cat"}}}"#;
    FakeMachine::new().file("home/.gemini/settings.json", server)
}

fn statuses(agent: &WorkspaceAgent) -> Vec<McpStatus> {
    agent.servers().unwrap().status().borrow().values().cloned().collect()
}

#[tokio::test]
async fn asking_what_there_is_starts_and_keeps_nothing() {
    let machine = with_server();
    let (workspaces, ws) = (workspaces(&machine), machine.path("ws"));
    let kept = |workspaces: &WorkspaceAgents| workspaces.cache.lock().agents.len();
    assert_eq!(statuses(&workspaces.agent_for_listing(&ws)), [McpStatus::Stopped]);
    assert_eq!(kept(&workspaces), 0);
    // Where a session works, its own servers are listed.
    let working = workspaces.agent(&ws);
    assert_ne!(statuses(&working), [McpStatus::Stopped]);
    let listed = workspaces.agent_for_listing(&ws);
    assert!(Arc::ptr_eq(listed.servers().unwrap(), working.servers().unwrap()));
    assert_eq!(kept(&workspaces), 1);
    let source = workspaces.into_source();
    assert_eq!(statuses(&source(&machine.path("other"), AgentUse::Listing)), [McpStatus::Stopped]);
    assert_ne!(statuses(&source(&machine.path("other"), AgentUse::Work)), [McpStatus::Stopped]);
}

#[tokio::test]
async fn few_workspaces_have_tool_servers_at_one_time() {
    let machine = with_server();
    let workspaces = workspaces(&machine);
    let place = |at: usize| machine.path(&format!("w{at}"));
    let first = Arc::downgrade(workspaces.agent(&place(0)).servers().unwrap());
    for at in 1..=MAX_RUNNING_SERVER_SETS {
        workspaces.agent(&place(at));
    }
    let running = || {
        let shelf = workspaces.cache.lock();
        shelf.agents.iter().filter(|(_, known)| known.processes.servers.is_some()).count()
    };
    assert_eq!(running(), MAX_RUNNING_SERVER_SETS);
    // They end, as soon as what tells of them has begun.
    while first.upgrade().is_some() {
        tokio::task::yield_now().await;
    }
    // It has work again.
    assert_ne!(statuses(&workspaces.agent(&place(0))), [McpStatus::Stopped]);
    assert_eq!(running(), MAX_RUNNING_SERVER_SETS);
    assert_eq!(workspaces.cache.lock().agents.len(), MAX_RUNNING_SERVER_SETS + 1, "all else is kept");
}
