//! `pollux`: one coding-agent session, shared.

fn main() -> std::process::ExitCode {
    // A call's supervisor is this program, started anew. It must not do anything else before.
    pollux_tools::run_supervisor_if_asked();
    pollux_cli::main()
}
