//! `gemini`: Pollux under the name its users' scripts know.

fn main() -> std::process::ExitCode {
    pollux_cli::main()
}
