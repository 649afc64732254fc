use super::*;
use crate::info::ModelNature;
use pretty_assertions::assert_eq;

#[track_caller]
fn chosen(spec: Option<&str>, env: &[(&str, &str)]) -> (String, ModelNature, Option<String>) {
    let chosen = pick(spec, env).unwrap();
    let info = chosen.model.info();
    (info.id, info.nature, chosen.note)
}

fn pick(spec: Option<&str>, env: &[(&str, &str)]) -> Result<ChosenModel, ChooseError> {
    choose(spec, &|name| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
}

#[track_caller]
fn refused(spec: Option<&str>, env: &[(&str, &str)]) -> String {
    match pick(spec, env) {
        Ok(chosen) => panic!("picked {:?}", chosen.model.info()),
        Err(error) => error.to_string(),
    }
}

const KEY: (&str, &str) = ("GEMINI_API_KEY", "k");

#[test]
fn nothing_configured_is_the_demo_with_the_way_out() {
    let (id, nature, note) = chosen(None, &[]);
    assert_eq!((id.as_str(), nature), ("demo-offline-not-an-ai", ModelNature::Demo));
    assert!(note.unwrap().contains("Set GEMINI_API_KEY"));
    assert_eq!(chosen(None, &[("GEMINI_API_KEY", " ")]).1, ModelNature::Demo);
    assert_eq!(chosen(None, &[("GEMINI_MODEL", "pro")]).1, ModelNature::Demo);
}

#[test]
fn the_demo_on_request_needs_no_note() {
    assert_eq!(chosen(Some("demo"), &[KEY]), ("demo-offline-not-an-ai".into(), ModelNature::Demo, None));
    assert_eq!(chosen(None, &[KEY, ("GEMINI_MODEL", "demo")]).1, ModelNature::Demo);
}

#[test]
fn a_key_or_an_address_is_gemini() {
    let real = |id: &str| (id.to_owned(), ModelNature::Real, None);
    assert_eq!(chosen(None, &[KEY]), real("gemini-3.8-flash"));
    assert_eq!(chosen(None, &[("GOOGLE_API_KEY", "k")]), real("gemini-3.8-flash"));
    assert_eq!(chosen(None, &[("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")]), real("gemini-3.8-flash"));
    assert_eq!(chosen(None, &[KEY, ("GEMINI_MODEL", "gemini-2.5-pro")]), real("gemini-2.5-pro"));
    assert_eq!(chosen(Some("flash-lite"), &[KEY, ("GEMINI_MODEL", "pro")]), real("gemini-3.5-flash-lite"));
    assert_eq!(chosen(Some("auto"), &[KEY]), real("gemini-3.8-flash"));
    assert_eq!(chosen(Some("pro"), &[KEY]), real("gemini-3.1-pro-preview"));
    assert_eq!(chosen(Some("flash"), &[KEY]), real("gemini-3.8-flash"));
    assert_eq!(chosen(Some("models/gemini-2.5-flash"), &[KEY]), real("gemini-2.5-flash"));
}

#[test]
fn a_model_asked_for_by_name_without_a_key_is_refused() {
    assert_eq!(
        refused(Some("pro"), &[]),
        "model pro needs a key: set GEMINI_API_KEY (or GOOGLE_GEMINI_BASE_URL for a gateway), or use -m demo"
    );
}

#[test]
fn a_script_is_loaded_or_refused_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let good = dir.path().join("good.responses");
    std::fs::write(&good, r#"{"method":"generateContentStream","response":[]}"#).unwrap();
    let spec = format!("script:{}", good.display());
    assert_eq!(chosen(Some(&spec), &[]), ("script:good.responses".into(), ModelNature::Script, None));

    let bad = dir.path().join("bad.responses");
    std::fs::write(&bad, "\n{\"method\":\"generateContentStream\",\"respnse\":[]}").unwrap();
    let message = refused(Some(&format!("script:{}", bad.display())), &[]);
    assert!(message.contains("bad.responses: line 2: unknown field `respnse`"), "{message}");
    assert!(refused(Some("script:/nowhere/at/all"), &[]).starts_with("cannot use script /nowhere/at/all: cannot read"));
}

#[test]
fn a_name_that_would_change_the_url_is_refused() {
    for name in ["a/b", "a?key=1", "../x", "a b", "a#b", "", "a%2fb"] {
        assert!(refused(Some(name), &[KEY]).contains("cannot be a model's name"), "{name}");
    }
}
