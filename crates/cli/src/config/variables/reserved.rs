//! Variables that a workspace's `.env` never sets, however far the folder is trusted: they decide where prompts and keys
//! go, who is trusted, and where Pollux finds its own files. A repository that could set them would decide it instead.

/// Everything that begins like this is Pollux's, a provider's or the system's.
pub(crate) const RESERVED_PREFIXES: &[&str] = &[
    "A2A_",
    "ANTHROPIC_",
    "AWS_",
    "AZURE_",
    "CLOUDSDK_",
    "CODER_AGENT_",
    "DYLD_",
    "GCS_",
    "GEMINI_",
    "GIT_",
    "GOOGLE_",
    "LD_",
    "LLAMACPP_",
    "LLAMA_",
    "LMSTUDIO_",
    "LM_STUDIO_",
    "MCP_",
    "OLLAMA_",
    "OPENAI_",
    "OPENROUTER_",
    "OTEL_",
    "POLLUX_",
    "SSL_",
    "VLLM_",
    "XDG_",
];

/// And these, in upper or lower case.
pub(crate) const RESERVED_NAMES: &[&str] = &[
    "ALL_PROXY",
    "BASH_ENV",
    "CURL_CA_BUNDLE",
    "ENV",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LOG_LEVEL",
    "NODE_OPTIONS",
    "NO_PROXY",
    "PATH",
    "PORT",
    "PYTHONPATH",
    "REQUESTS_CA_BUNDLE",
    "SHELL",
    "TMPDIR",
    "USER",
];

/// True if only the person may set `name`.
pub(crate) fn is_reserved(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    RESERVED_NAMES.contains(&name.as_str()) || RESERVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
