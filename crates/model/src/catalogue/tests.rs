use super::*;
use crate::prices::MicroDollars;
use pretty_assertions::assert_eq;

fn built_in() -> ModelCatalogue {
    ModelCatalogue::load(None).unwrap()
}

#[track_caller]
fn refused(text: &str) -> String {
    built_in().extend("mine.toml", text).unwrap_err().to_string()
}

#[test]
fn the_built_in_catalogue_is_sound() {
    let catalogue = built_in();
    for entry in catalogue.entries() {
        assert_eq!(catalogue.find(&entry.id), Some(entry), "two models are called {}", entry.id);
        assert_eq!(entry.name(), entry.id, "a listed model is found without its provider's word");
        for alias in &entry.aliases {
            assert_eq!(catalogue.find(alias), Some(entry), "{alias} means two models");
        }
        if let Some(prices) = entry.prices {
            assert!(prices.usual.cached <= prices.usual.input && prices.usual.input < prices.usual.output, "{entry:?}");
            assert!(prices.long.is_none_or(|long| long.rates.input > prices.usual.input), "{entry:?}");
        }
        assert!(entry.output_limit < entry.context_window, "{entry:?}");
    }
    for provider in [Provider::Gemini, Provider::Anthropic, Provider::OpenAi] {
        let defaults = catalogue.entries().iter().filter(|entry| entry.provider == provider && entry.is_default);
        assert_eq!(defaults.count(), 1, "{provider:?}");
    }
}

#[test]
fn a_fallback_is_cheaper_and_leads_to_an_end() {
    let catalogue = built_in();
    for entry in catalogue.entries() {
        let mut seen = vec![entry.id.clone()];
        let mut at = entry.clone();
        while let Some(next) = &at.fallback {
            let known = catalogue.entries().iter().find(|other| other.provider == entry.provider && other.id == *next);
            let known = known.unwrap_or_else(|| panic!("{} falls back to {next}, which is not listed", at.id));
            assert!(!seen.contains(next), "{seen:?} goes round");
            if let (Some(from), Some(to)) = (at.prices, known.prices) {
                assert!(to.usual.input <= from.usual.input, "{} costs less than {next}", at.id);
            }
            seen.push(next.clone());
            at = known.clone();
        }
        assert_eq!(entry.cache_minutes, None, "keeping costs money: {}", entry.id);
    }
}

#[test]
fn on_vertex_a_model_is_what_it_is_elsewhere() {
    let mut catalogue = built_in();
    let gemini = catalogue.entry(Provider::Gemini, "gemini-2.5-pro");
    let expected = CatalogueEntry { provider: Provider::Vertex, ..gemini };
    assert_eq!(catalogue.entry(Provider::Vertex, "gemini-2.5-pro"), expected);
    let stranger =
        CatalogueEntry { provider: Provider::Vertex, ..CatalogueEntry::unknown(Provider::Gemini, "gemini-x") };
    assert_eq!(catalogue.entry(Provider::Vertex, "gemini-x"), stranger);
    let file = "[[model]]\nid = \"gemini-2.5-pro\"\nprovider = \"vertex\"\nfallback = \"\"\ncache_minutes = 5";
    catalogue.extend("mine.toml", file).unwrap();
    let amended = CatalogueEntry { fallback: None, cache_minutes: Some(5), ..expected };
    assert_eq!(catalogue.entry(Provider::Vertex, "gemini-2.5-pro"), amended);
    assert_eq!(amended.name(), "vertex:gemini-2.5-pro");
}

#[test]
fn a_file_corrects_what_it_names_and_adds_the_rest() {
    let mut catalogue = built_in();
    let before = catalogue.entry(Provider::OpenAi, "gpt-5");
    catalogue
        .extend(
            "mine.toml",
            r#"
            [[model]]
            id = "gpt-5"
            provider = "openai"
            prices = { input = 1.5, output = 12 }
            default = true

            [[model]]
            id = "qwen3-coder:30b"
            provider = "ollama"
            aliases = ["coder"]
            context_window = 32_768
            profile = "full"
            "#,
        )
        .unwrap();
    let price = MicroDollars(1_500_000);
    let usual = TokenRates { input: price, output: MicroDollars(12_000_000), cached: price };
    let expected = CatalogueEntry { prices: Some(ModelPrices { usual, long: None }), is_default: true, ..before };
    assert_eq!(catalogue.entry(Provider::OpenAi, "gpt-5"), expected);
    assert_eq!(catalogue.default_of(Provider::OpenAi), Some(&expected));

    let added = catalogue.find("coder").unwrap();
    let stranger = CatalogueEntry::unknown(Provider::Ollama, "qwen3-coder:30b");
    assert_eq!(
        *added,
        CatalogueEntry {
            aliases: vec!["coder".into()],
            context_window: Some(32_768),
            profile: InstructionProfile::Full,
            ..stranger
        }
    );
    assert_eq!(added.name(), "ollama:qwen3-coder:30b");
}

#[test]
fn a_dated_name_is_the_model_it_is_a_date_of() {
    let catalogue = built_in();
    for (provider, id, dated) in [
        (Provider::OpenAi, "gpt-5", "gpt-5-2025-08-07"),
        (Provider::Anthropic, "claude-opus-4-5", "claude-opus-4-5-20251101"),
    ] {
        let expected = CatalogueEntry { id: dated.to_owned(), ..catalogue.entry(provider, id) };
        assert!(expected.prices.is_some());
        assert_eq!(catalogue.entry(provider, dated), expected);
    }
    for stranger in ["gpt-9-2025-08-07", "8", "gpt-5-pro", "größe-ß2025-1-1"] {
        assert_eq!(catalogue.entry(Provider::OpenAi, stranger), CatalogueEntry::unknown(Provider::OpenAi, stranger));
    }
}

#[test]
fn a_stranger_on_ones_own_machine_gets_the_short_prompt() {
    assert_eq!(CatalogueEntry::unknown(Provider::Ollama, "x").profile, InstructionProfile::Short);
    assert_eq!(CatalogueEntry::unknown(Provider::OpenRouter, "x").profile, InstructionProfile::Full);
}

#[test]
fn a_file_that_makes_no_sense_is_named_with_its_fault() {
    let row = "[[model]]\nid = \"x\"\nprovider = \"openai\"\n";
    assert!(refused("[[model]]\nid = \"x\"").contains("missing field `provider`"));
    assert!(refused("[[model]]\nid = \"x\"\nprovider = \"acme\"").contains("unknown variant `acme`"));
    assert!(refused(&format!("{row}price = 1")).contains("unknown field `price`"));
    assert!(refused(&format!("{row}prices = {{ input = -1, output = 1 }}")).contains("-1 is not a price"));
    assert!(refused(&format!("{row}long_over = 1")).ends_with("x: long_prices and long_over belong together"));
    let long = "long_over = 1\nlong_prices = { input = 1, output = 1 }";
    assert!(refused(&format!("{row}{long}")).ends_with("x: long_prices need prices"));
    assert!(refused("no toml").starts_with("the model catalogue mine.toml is wrong: "));
}

#[test]
fn a_file_that_is_not_there_adds_nothing_and_one_that_cannot_be_read_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(ModelCatalogue::load(Some(&dir.path().join("none.toml"))).unwrap(), built_in());
    let error = ModelCatalogue::load(Some(dir.path())).unwrap_err();
    assert!(matches!(error, CatalogueError::Read { .. }), "{error}");
}
