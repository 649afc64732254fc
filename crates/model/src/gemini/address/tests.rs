use super::*;
use pretty_assertions::assert_eq;

fn project(location: &str) -> GoogleService {
    GoogleService::project("my-project".into(), location.into()).unwrap()
}

#[test]
fn every_place_has_its_own_names() {
    assert_eq!(GoogleService::Gemini.model("m"), "models/m");
    assert_eq!(GoogleService::Express.model("m"), "publishers/google/models/m");
    assert_eq!(project("us-east1").model("m"), "projects/my-project/locations/us-east1/publishers/google/models/m");
    assert_eq!(GoogleService::Gemini.caches(), "cachedContents");
    assert_eq!(project("global").caches(), "projects/my-project/locations/global/cachedContents");
    assert_eq!((GoogleService::Gemini.models(), project("eu").models()), ("models", "publishers/google/models"));
}

#[test]
fn regions_have_their_own_hosts() {
    let host = |location: &str| project(location).vertex_address();
    assert_eq!(host("global"), "https://aiplatform.googleapis.com");
    assert_eq!(host("us"), "https://aiplatform.us.rep.googleapis.com");
    assert_eq!(host("eu"), "https://aiplatform.eu.rep.googleapis.com");
    assert_eq!(host("europe-west4"), "https://europe-west4-aiplatform.googleapis.com");
    assert_eq!(GoogleService::Express.vertex_address(), "https://aiplatform.googleapis.com");
}

#[test]
fn words_that_would_change_the_url_are_refused_by_name() {
    for (name, location) in [("a/b", "us"), ("a?b", "us"), ("..", "us")] {
        let error = GoogleService::project(name.into(), location.into()).unwrap_err();
        assert_eq!(error, SettingsError::Place { variable: "GOOGLE_CLOUD_PROJECT", value: name.into() });
    }
    for location in ["evil.example/", "us.east", "a@b"] {
        let error = GoogleService::project("p".into(), location.into()).unwrap_err();
        assert_eq!(error, SettingsError::Place { variable: "GOOGLE_CLOUD_LOCATION", value: location.into() });
    }
}
