//! `pollux`: one coding-agent session, shared.

fn main() -> std::process::ExitCode {
    pollux_cli::main()
}
