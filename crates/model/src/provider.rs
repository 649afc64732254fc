//! Who serves models, and what a person sets to reach each.

use serde::Deserialize;

/// Who serves a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// Google's Gemini API, or a gateway that speaks it.
    Gemini,
    /// Gemini on Google's Vertex AI.
    Vertex,
    /// Anthropic's messages API, or a gateway that speaks it.
    Anthropic,
    /// OpenAI's chat API, or any server that speaks it.
    OpenAi,
    /// OpenRouter.
    OpenRouter,
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// llama.cpp's server.
    LlamaCpp,
    /// vLLM.
    Vllm,
}

/// Where a provider's servers usually are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderSite {
    /// On the internet, behind a key.
    Cloud,
    /// On a person's own machine; a key is the exception.
    Local,
}

impl Provider {
    /// All of them; those that can be used without naming a model come first.
    pub const ALL: [Provider; 9] = [
        Provider::Gemini,
        Provider::Vertex,
        Provider::Anthropic,
        Provider::OpenAi,
        Provider::OpenRouter,
        Provider::Ollama,
        Provider::LmStudio,
        Provider::LlamaCpp,
        Provider::Vllm,
    ];

    /// The word before the colon in a model's name (`ollama:qwen3`).
    pub fn word(self) -> &'static str {
        self.facts().word
    }

    /// The provider a word stands for.
    pub fn named(word: &str) -> Option<Provider> {
        Provider::ALL.into_iter().find(|provider| provider.word() == word)
    }

    /// The environment variable that holds its key.
    pub fn key_variable(self) -> &'static str {
        self.facts().key
    }

    /// The environment variable that says where it is.
    pub fn address_variable(self) -> &'static str {
        self.facts().address
    }

    /// Where its servers usually are.
    pub fn site(self) -> ProviderSite {
        match self {
            Provider::Gemini | Provider::Vertex | Provider::Anthropic | Provider::OpenAi | Provider::OpenRouter => {
                ProviderSite::Cloud
            }
            Provider::Ollama | Provider::LmStudio | Provider::LlamaCpp | Provider::Vllm => ProviderSite::Local,
        }
    }

    /// Where it is unless told otherwise, down to the path below which its methods are.
    pub(crate) fn usual_address(self) -> &'static str {
        self.facts().usual
    }

    fn facts(self) -> Facts {
        let (word, key, address, usual) = match self {
            Provider::Gemini => {
                ("gemini", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com")
            }
            Provider::Vertex => {
                ("vertex", "GOOGLE_API_KEY", "GOOGLE_VERTEX_BASE_URL", "https://aiplatform.googleapis.com")
            }
            Provider::Anthropic => {
                ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com")
            }
            Provider::OpenAi => ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1"),
            Provider::OpenRouter => {
                ("openrouter", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "https://openrouter.ai/api/v1")
            }
            Provider::Ollama => ("ollama", "OLLAMA_API_KEY", "OLLAMA_HOST", "http://127.0.0.1:11434/v1"),
            Provider::LmStudio => ("lmstudio", "LMSTUDIO_API_KEY", "LMSTUDIO_BASE_URL", "http://127.0.0.1:1234/v1"),
            Provider::LlamaCpp => ("llamacpp", "LLAMACPP_API_KEY", "LLAMACPP_BASE_URL", "http://127.0.0.1:8080/v1"),
            Provider::Vllm => ("vllm", "VLLM_API_KEY", "VLLM_BASE_URL", "http://127.0.0.1:8000/v1"),
        };
        Facts { word, key, address, usual }
    }
}

struct Facts {
    word: &'static str,
    key: &'static str,
    address: &'static str,
    usual: &'static str,
}
