//! The examples below the help of each command.

pub(super) const POLLUX: &str = "\
Examples:
  pollux                                 work with the agent in this terminal
  pollux \"fix the failing test\"          the same, beginning with this prompt
  pollux -p \"explain src/main.rs\"        answer one prompt and exit
  git diff | pollux -p \"review this\"     the same, with what was piped before it
  pollux --continue                      go on with the newest session of this directory
  pollux --a2a-port 41243                let other clients join this session
  pollux -m ollama:qwen3                 use a model of this machine

Set GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY to use a real model; `pollux doctor` checks the set-up.
`pollux COMMAND --help` explains a command.";

pub(super) const SERVE: &str = "\
Examples:
  pollux serve                                       serve this directory on 127.0.0.1:41242
  pollux serve --port 8080 --workspace ~/project     serve another directory on another port
  pollux serve --workspace-root ~/projects           let clients name any directory below this one
  pollux serve --token-file token --host 0.0.0.0 --tls-in-front
                                                     serve other machines, behind a proxy that speaks TLS";

pub(super) const ATTACH: &str = "\
Examples:
  pollux attach                            join the only session that can be joined, or list them
  pollux attach 4711                       join the session of this process
  pollux attach 41243                      join the session on this port
  pollux attach http://127.0.0.1:41243     join by address";

pub(super) const MCP_SERVER: &str = "\
Examples:
  pollux mcp-server --workspace ~/project              offer the tools and run_task there
  pollux mcp-server --tools read_file,glob --no-tasks  offer two tools and nothing else";

pub(super) const COMPLETIONS: &str = "\
Examples:
  pollux completions bash > ~/.local/share/bash-completion/completions/pollux
  pollux completions zsh > ~/.zfunc/_pollux
  pollux completions fish > ~/.config/fish/completions/pollux.fish";

pub(super) const MCP: &str = "\
Examples:
  pollux mcp list             start every server of your settings and see what it offers
  pollux mcp login tickets    sign in to the server `tickets`
  pollux mcp logout tickets   forget that";

pub(super) const SESSIONS: &str = "\
Examples:
  pollux sessions                          list the sessions of this folder
  pollux sessions --all                    list those of every folder
  pollux --resume 01a1ec82-3f40            go on with the one whose id begins like this
  pollux sessions delete 01a1ec82-3f40     delete it for good";

pub(super) const POLICY: &str = "\
Examples:
  pollux policy check 'git push'             does this run, ask or get denied, and why?
  pollux policy check 'cargo test && ls'     the same for each part of a longer one";

pub(super) const SETTINGS: &str = "\
Examples:
  pollux settings show     every setting in force, with the file or variable it comes from";

pub(super) const EXTENSIONS: &str = "\
Examples:
  pollux extensions list                what there is in this folder, and whether it is on
  pollux extensions disable weather     switch one off";

pub(super) const DOCTOR: &str = "\
Examples:
  pollux doctor                     check keys, tools, settings and where sessions are kept
  pollux doctor -m ollama:qwen3     the same, for this model";

pub(super) const HEALTH: &str = "\
Examples:
  pollux health                            the server of this machine
  pollux health 8080                       another one of this machine";

pub(super) const TRUST: &str = "\
Examples:
  pollux trust               trust the current directory
  pollux trust ~/project     trust another one
  pollux trust --list        what is trusted and what is not";

pub(super) const MAN: &str = "\
Examples:
  pollux man | man -l -           read the manual
  pollux man serve | man -l -     the page of a command";
