use super::*;
use crate::info::{InstructionProfile, ModelInfo, ModelNature};
use pretty_assertions::assert_eq;

const KEYS: [(&str, &str); 4] =
    [("GEMINI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k"), ("OPENAI_API_KEY", "k"), ("OPENROUTER_API_KEY", "k")];

fn models(env: &'static [(&'static str, &'static str)]) -> ModelRegistry {
    let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    ModelRegistry::new(ModelCatalogue::load(None).unwrap(), env)
}

fn info(env: &'static [(&'static str, &'static str)], name: &str) -> ModelInfo {
    models(env).resolve(name).map(|model| model.info()).unwrap()
}

#[track_caller]
fn refused(env: &'static [(&'static str, &'static str)], name: &str) -> String {
    match models(env).resolve(name) {
        Ok(model) => panic!("picked {:?}", model.info()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_kind_of_name_finds_its_model() {
    let check = |name: &str, id: &str, label: &str| {
        let info = info(&KEYS, name);
        assert_eq!((info.id.as_str(), info.label.as_str(), info.nature), (id, label, ModelNature::Real), "{name}");
    };
    check("pro", "gemini-3.1-pro-preview", "gemini-3.1-pro-preview");
    check("gemini:gemini-2.5-pro", "gemini-2.5-pro", "gemini-2.5-pro");
    check("gemini-9-ultra", "gemini-9-ultra", "gemini-9-ultra");
    check("opus", "claude-opus-4-8", "claude-opus-4-8");
    check("anthropic:claude-next", "claude-next", "claude-next");
    check("gpt-5.4", "gpt-5.4", "gpt-5.4");
    check("openai:my-tune", "openai:my-tune", "openai:my-tune");
    check("openai:gpt-5", "gpt-5", "gpt-5");
    check("openrouter:z-ai/glm-5:free", "openrouter:z-ai/glm-5:free", "openrouter:z-ai/glm-5:free");
    check("ollama:gpt-oss:20b", "ollama:gpt-oss:20b", "ollama:gpt-oss:20b at 127.0.0.1");
    check("lmstudio:qwen/qwen3-8b", "lmstudio:qwen/qwen3-8b", "lmstudio:qwen/qwen3-8b at 127.0.0.1");
    check("llamacpp:any", "llamacpp:any", "llamacpp:any at 127.0.0.1");
    check("vllm:org/model", "vllm:org/model", "vllm:org/model at 127.0.0.1");
    assert_eq!(info(&[], "demo").nature, ModelNature::Demo);
}

#[test]
fn what_the_catalogue_knows_is_told() {
    let known = info(&KEYS, "claude-haiku-4-5");
    assert_eq!((known.context_window, known.profile), (Some(200_000), InstructionProfile::Full));
    let usage = pollux_session::ModelUsage { prompt: 1_000_000, ..Default::default() };
    assert_eq!(known.prices.unwrap().cost(&usage).to_string(), "$1.00");
    let stranger = info(&KEYS, "ollama:qwen3:4b");
    assert_eq!((stranger.context_window, stranger.prices, stranger.profile), (None, None, InstructionProfile::Short));
}

#[test]
fn a_name_found_once_is_the_same_engine_again() {
    let models = models(&KEYS);
    let one = models.resolve("pro").unwrap();
    assert!(Arc::ptr_eq(&one, &models.resolve("pro").unwrap()));
    for number in 0..KEPT.get() * 2 {
        models.resolve(&format!("ollama:m{number}")).unwrap();
    }
    assert!(models.made.0.lock().len() <= KEPT.get());
}

#[test]
fn auto_is_the_first_provider_that_is_configured() {
    assert_eq!(info(&[("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k")], "auto").id, "claude-sonnet-5");
    assert_eq!(info(&[("OPENAI_API_KEY", "k")], "auto").id, "gpt-5.4");
    assert_eq!(info(&[("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")], "auto").label, "gpt-5.4 at 127.0.0.1");
    let chosen = models(&[("ANTHROPIC_API_KEY", "k")]).choose(None).unwrap();
    assert_eq!((chosen.model.info().id.as_str(), chosen.note), ("claude-sonnet-5", None));
    // A server that runs nearby is never used without being named.
    let chosen = models(&[("OLLAMA_HOST", "127.0.0.1:11434")]).choose(None).unwrap();
    assert_eq!(chosen.model.info().nature, ModelNature::Demo);
}

#[test]
fn a_missing_key_is_named() {
    assert_eq!(
        refused(&[], "claude-sonnet-5"),
        "model claude-sonnet-5 needs a key: set ANTHROPIC_API_KEY (or ANTHROPIC_BASE_URL for a gateway), or use -m demo"
    );
    assert!(refused(&[], "gpt-5").contains("set OPENAI_API_KEY"));
    assert!(refused(&[], "openrouter:x/y").contains("set OPENROUTER_API_KEY"));
    assert!(refused(&[], "auto").contains("set GEMINI_API_KEY"));
    assert!(refused(&[("OPENAI_API_KEY", "se\ncret")], "gpt-5").ends_with("check OPENAI_API_KEY"));
}

#[test]
fn an_unknown_name_brings_near_ones_and_the_way_to_a_key() {
    let message = refused(&KEYS, "sonet");
    assert!(message.starts_with("no model is called \"sonet\"; did you mean claude-sonnet-5"), "{message}");
    assert!(message.contains("GEMINI_API_KEY, ANTHROPIC_API_KEY, OPENAI_API_KEY"), "{message}");
    for name in ["zzzz", "bogus"] {
        let message = refused(&KEYS, name);
        let wanted = format!("no model is called \"{name}\"; put a provider in front");
        assert!(message.starts_with(&wanted), "{message}");
    }
    assert!(matches!(models(&KEYS).resolve("gpt-oss"), Err(ChooseError::Unknown { .. })));
}

#[test]
fn what_cannot_be_a_name_is_refused_behind_a_provider_too() {
    for name in ["gemini:a/b", "openai:", "ollama:a b", "vllm:a\u{7f}", "anthropic:größe", "openrouter:\"x\""] {
        assert!(refused(&KEYS, name).contains("cannot be a model's name"), "{name}");
    }
    assert!(refused(&KEYS, &format!("ollama:{}", "x".repeat(201))).contains("cannot be a model's name"));
}

#[test]
fn readiness_is_a_key_an_address_or_a_local_server() {
    let models = models(&[("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")]);
    let ready: Vec<Provider> = Provider::ALL.into_iter().filter(|provider| models.is_ready(*provider)).collect();
    assert_eq!(ready, [Provider::OpenAi, Provider::Ollama, Provider::LmStudio, Provider::LlamaCpp, Provider::Vllm]);
}

#[test]
fn a_model_that_cannot_answer_has_another_of_its_provider() {
    let models = models(&KEYS);
    let other = |id: &str| models.fallback(id).map(|model| model.info().id);
    assert_eq!(other("gemini-2.5-pro").as_deref(), Some("gemini-2.5-flash"));
    assert_eq!(other("claude-opus-4-8").as_deref(), Some("claude-sonnet-5"));
    assert_eq!(other("gemini-2.5-flash-lite"), None);
    assert_eq!(other("gemini-9-ultra"), None, "a name nobody knows may be a slip");
    assert_eq!(other("ollama:qwen3"), None);
    assert_eq!(other("script:x"), None);
    let vertex = models_on_vertex().fallback("vertex:gemini-2.5-pro").map(|model| model.info().id);
    assert_eq!(vertex.as_deref(), Some("vertex:gemini-2.5-flash"));
}

fn models_on_vertex() -> ModelRegistry {
    models(&[("GOOGLE_CLOUD_PROJECT", "p"), ("GOOGLE_GENAI_USE_VERTEXAI", "TRUE")])
}

#[test]
fn vertex_is_chosen_by_name_or_by_the_environment() {
    let label = |name: &str| models_on_vertex().resolve(name).unwrap().info().label;
    assert_eq!(label("auto"), "gemini-3.8-flash at aiplatform.googleapis.com");
    assert_eq!(label("vertex:gemini-3.8-flash"), "vertex:gemini-3.8-flash");
    assert_eq!(info(&KEYS, "pro").label, "gemini-3.1-pro-preview");
    assert!(models_on_vertex().is_ready(Provider::Vertex));
    assert!(!models(&KEYS).is_ready(Provider::Vertex));
}

#[test]
fn another_one_to_try_is_of_a_provider_that_is_configured() {
    let models = models(&[("GEMINI_API_KEY", "k"), ("OPENAI_API_KEY", "k")]);
    let tried = |names: &[&str]| models.another(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    assert_eq!(tried(&["gemini-2.5-pro"]).as_deref(), Some("gemini-3.8-flash"));
    assert_eq!(tried(&["gemini-3.8-flash"]).as_deref(), Some("gpt-5.4"));
    assert_eq!(tried(&["gemini-3.8-flash", "gpt-5.4"]), None);
}

#[test]
fn a_name_that_nobody_described_is_told_unless_the_server_has_what_its_owner_put_there() {
    let told = |name: &str| models(&KEYS).explain_unknown_name(name).is_some();
    for unknown in ["gemini-99-ultra", "claude-99", "gpt-99", "vertex:gemini-99"] {
        assert!(told(unknown), "{unknown}");
    }
    for known in ["flash", "gemini-2.5-pro", "auto", "demo", "ollama:anything", "openrouter:a/b", "script:x"] {
        assert!(!told(known), "{known}");
    }
    let own_server = models(&[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")]);
    assert_eq!(own_server.explain_unknown_name("gpt-99"), None);
}
