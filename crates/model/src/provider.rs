//! The providers of models, and the settings that reach each.

use serde::Deserialize;

/// A provider of models.
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

pollux_session::all_variants! {
    /// All of them; those that can be used without naming a model come first.
    pub Provider:
        Gemini,
        Vertex,
        Anthropic,
        OpenAi,
        OpenRouter,
        Ollama,
        LmStudio,
        LlamaCpp,
        Vllm,
}

impl Provider {
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

    /// Whose model this is, where the name alone tells.
    pub(crate) fn from_model_name(model: &str) -> Option<Provider> {
        let is_open = OPEN_WEIGHTS.iter().any(|start| model.starts_with(start));
        let names = |provider: &Provider| {
            provider.facts().model_names.iter().any(|name| match name.strip_suffix('*') {
                Some(start) => model.starts_with(start),
                None => model == *name,
            })
        };
        Provider::ALL.into_iter().find(names).filter(|_| !is_open)
    }

    fn facts(self) -> &'static ProviderFacts {
        match self {
            Provider::Gemini => &ProviderFacts {
                word: "gemini",
                key: "GEMINI_API_KEY",
                address: "GOOGLE_GEMINI_BASE_URL",
                usual: "https://generativelanguage.googleapis.com",
                model_names: &["gemini-*", "gemma-*"],
            },
            Provider::Vertex => &ProviderFacts {
                word: "vertex",
                key: "GOOGLE_API_KEY",
                address: "GOOGLE_VERTEX_BASE_URL",
                usual: "https://aiplatform.googleapis.com",
                model_names: &[],
            },
            Provider::Anthropic => &ProviderFacts {
                word: "anthropic",
                key: "ANTHROPIC_API_KEY",
                address: "ANTHROPIC_BASE_URL",
                usual: "https://api.anthropic.com",
                model_names: &["claude-*"],
            },
            Provider::OpenAi => &ProviderFacts {
                word: "openai",
                key: "OPENAI_API_KEY",
                address: "OPENAI_BASE_URL",
                usual: "https://api.openai.com/v1",
                model_names: &["gpt-*", "chatgpt-*", "o1-*", "o3-*", "o4-*", "o1", "o3"],
            },
            Provider::OpenRouter => &ProviderFacts {
                word: "openrouter",
                key: "OPENROUTER_API_KEY",
                address: "OPENROUTER_BASE_URL",
                usual: "https://openrouter.ai/api/v1",
                model_names: &[],
            },
            Provider::Ollama => &ProviderFacts {
                word: "ollama",
                key: "OLLAMA_API_KEY",
                address: "OLLAMA_HOST",
                usual: "http://127.0.0.1:11434/v1",
                model_names: &[],
            },
            Provider::LmStudio => &ProviderFacts {
                word: "lmstudio",
                key: "LMSTUDIO_API_KEY",
                address: "LMSTUDIO_BASE_URL",
                usual: "http://127.0.0.1:1234/v1",
                model_names: &[],
            },
            Provider::LlamaCpp => &ProviderFacts {
                word: "llamacpp",
                key: "LLAMACPP_API_KEY",
                address: "LLAMACPP_BASE_URL",
                usual: "http://127.0.0.1:8080/v1",
                model_names: &[],
            },
            Provider::Vllm => &ProviderFacts {
                word: "vllm",
                key: "VLLM_API_KEY",
                address: "VLLM_BASE_URL",
                usual: "http://127.0.0.1:8000/v1",
                model_names: &[],
            },
        }
    }
}

/// Models that anyone may serve, although their names begin as those of one provider.
const OPEN_WEIGHTS: [&str; 1] = ["gpt-oss"];

/// One row of the table of providers.
struct ProviderFacts {
    word: &'static str,
    key: &'static str,
    address: &'static str,
    usual: &'static str,
    /// Model names that are this provider's without its word before them; `*` at the end stands for the rest.
    model_names: &'static [&'static str],
}
