//! Gemini on Vertex AI over a real socket: keys, projects, and every way to sign in.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use futures_util::StreamExt;
use pollux_model::{
    MessagePart, Model, ModelCatalogue, ModelChunk, ModelError, ModelMessage, ModelRegistry, ModelRequest, Provider,
};
use pollux_testkit::gemini::FakeGemini;
use pretty_assertions::assert_eq;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// The example key of RFC 7515, appendix A.2: it is printed there for everybody to test with.
const N: &str = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd\
    2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2Cap\
    Hg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWy\
    uXpoQ";
const D: &str = "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW\
    _GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2\
    QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOo\
    pznQ";
const P: &str = "4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ou\
    Z2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc";
const Q: &str = "uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmp\
    e_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc";
const DP: &str = "BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3v\
    mAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0";
const DQ: &str = "h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9\
    cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU";
const QI: &str = "IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIBi87w93IKLEdfn\
    bJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U";
const E: [u8; 3] = [1, 0, 1];

fn decode(text: &str) -> Vec<u8> {
    BASE64_URL_SAFE_NO_PAD.decode(text).unwrap()
}

/// DER: a tag, a length, the content.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let length: Vec<u8> = length.into_iter().skip_while(|byte| *byte == 0).collect();
    let mut out = vec![tag];
    if content.len() < 128 {
        out.push(u8::try_from(content.len()).unwrap());
    } else {
        out.push(0x80 | u8::try_from(length.len()).unwrap());
        out.extend(length);
    }
    out.extend_from_slice(content);
    out
}

fn integer(bytes: &[u8]) -> Vec<u8> {
    let sign: &[u8] = if bytes[0] >= 0x80 { &[0] } else { &[] };
    der(2, &[sign, bytes].concat())
}

/// The key as a key file holds it: PKCS#8 in PEM.
fn private_key() -> String {
    let numbers = [decode(N), E.to_vec(), decode(D), decode(P), decode(Q), decode(DP), decode(DQ), decode(QI)];
    let numbers: Vec<u8> = numbers.iter().flat_map(|number| integer(number)).collect();
    let pkcs1 = der(0x30, &[integer(&[0]), numbers].concat());
    let rsa_encryption = [0x30, 13, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 1, 5, 0];
    let pkcs8 = der(0x30, &[integer(&[0]), rsa_encryption.to_vec(), der(4, &pkcs1)].concat());
    let dashes = "-".repeat(5);
    let text = BASE64_STANDARD.encode(pkcs8);
    format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{text}\n{dashes}END PRIVATE KEY{dashes}\n")
}

struct VertexFixture {
    google: FakeGemini,
    dir: TempDir,
}

impl VertexFixture {
    async fn new() -> VertexFixture {
        let answer = json!({"method": "generateContentStream", "repeat": true, "response": [
            {"candidates": [{"content": {"parts": [{"text": "hello"}]}, "finishReason": "STOP"}]}]});
        let google = FakeGemini::start([answer]).await.unwrap();
        VertexFixture { google, dir: tempfile::tempdir().unwrap() }
    }

    fn write(&self, name: &str, content: &Value) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content.to_string()).unwrap();
        path
    }

    fn token_address(&self) -> String {
        format!("{}/token", self.google.base_url)
    }

    fn service_account(&self) -> PathBuf {
        let key = json!({"type": "service_account", "client_email": "robot@my-project.example",
            "private_key_id": "key-1", "private_key": private_key(), "token_uri": self.token_address()});
        self.write("key.json", &key)
    }

    /// A model, with `env` and everything that leads to the fake.
    fn model(&self, name: &str, env: &[(&str, &str)]) -> Arc<dyn Model> {
        let base = self.google.base_url.clone();
        let host = base.trim_start_matches("http://").to_owned();
        let home = self.dir.path().display().to_string();
        let usual = [("GOOGLE_VERTEX_BASE_URL", base), ("GCE_METADATA_HOST", host), ("HOME", home)];
        let usual = usual.map(|(name, value)| (name.to_owned(), value));
        let given = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let all: Vec<(String, String)> = given.chain(usual).collect();
        let read = move |name: &str| all.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        ModelRegistry::new(ModelCatalogue::load(None).unwrap(), read).with_attempts(1).resolve(name).unwrap()
    }

    fn in_project(&self, key_file: &Path) -> Arc<dyn Model> {
        let key_file = key_file.to_str().unwrap();
        let env = [("GOOGLE_CLOUD_PROJECT", "my-project"), ("GOOGLE_APPLICATION_CREDENTIALS", key_file)];
        self.model("vertex:gemini-2.5-flash", &env)
    }

    /// The paths asked for, queries aside.
    fn paths(&self) -> Vec<String> {
        let path = |target: String| target.split('?').next().unwrap().to_owned();
        self.google.requests().into_iter().map(|request| path(request.target)).collect()
    }

    /// The bearer tokens that requests to the model carried.
    fn bearers(&self) -> Vec<String> {
        let requests = self.google.requests().into_iter().filter(|request| request.target.contains("/models/"));
        requests.map(|request| request.headers["authorization"].to_str().unwrap().to_owned()).collect()
    }
}

async fn ask(model: &dyn Model) -> Vec<Result<ModelChunk, ModelError>> {
    model.generate(ModelRequest { contents: vec![ModelMessage::user("hi")], ..ModelRequest::default() }).collect().await
}

fn hello() -> Vec<Result<ModelChunk, ModelError>> {
    vec![Ok(ModelChunk::Parts(vec![MessagePart::text("hello")])), Ok(ModelChunk::Finish { reason: "STOP".into() })]
}

const STREAM: &str =
    "/v1beta1/projects/my-project/locations/global/publishers/google/models/gemini-2.5-flash:streamGenerateContent";

#[tokio::test]
async fn a_key_is_enough_in_express_mode() {
    let scene = VertexFixture::new().await;
    let env = [("GOOGLE_GENAI_USE_VERTEXAI", "true"), ("GOOGLE_API_KEY", "the-key"), ("GOOGLE_CLOUD_PROJECT", "p")];
    let model = scene.model("flash", &env);
    assert_eq!(ask(&*model).await, hello());
    let request = scene.google.requests().remove(0);
    let path = "/v1beta1/publishers/google/models/gemini-3.8-flash:streamGenerateContent?alt=sse";
    assert_eq!(request.target, path);
    assert_eq!(request.headers["x-goog-api-key"], "the-key");
    assert!(!request.headers.contains_key("authorization"));
    assert_eq!(model.info().id, "gemini-3.8-flash");
}

#[tokio::test]
async fn a_service_account_signs_for_a_token_once() {
    let scene = VertexFixture::new().await;
    let model = scene.in_project(&scene.service_account());
    assert_eq!(model.info().id, "vertex:gemini-2.5-flash");
    assert_eq!((ask(&*model).await, ask(&*model).await), (hello(), hello()));
    assert_eq!(scene.paths(), ["/token", STREAM, STREAM]);
    assert_eq!(scene.bearers(), ["Bearer token-1", "Bearer token-1"]);

    let form = scene.google.requests().remove(0).body;
    assert_eq!(form["grant_type"], "urn:ietf:params:oauth:grant-type:jwt-bearer");
    let assertion = form["assertion"].as_str().unwrap();
    let (message, signature) = assertion.rsplit_once('.').unwrap();
    let public = RsaPublicKeyComponents { n: decode(N), e: E.to_vec() };
    public.verify(&RSA_PKCS1_2048_8192_SHA256, message.as_bytes(), &decode(signature)).unwrap();
    let (header, claims) = message.split_once('.').unwrap();
    let read = |text: &str| serde_json::from_slice::<Value>(&decode(text)).unwrap();
    assert_eq!(read(header), json!({"alg": "RS256", "typ": "JWT", "kid": "key-1"}));
    let claims = read(claims);
    assert_eq!(claims["iss"], "robot@my-project.example");
    assert_eq!(claims["aud"], scene.token_address());
    assert_eq!(claims["scope"], "https://www.googleapis.com/auth/cloud-platform");
    assert_eq!(claims["exp"].as_u64().unwrap() - claims["iat"].as_u64().unwrap(), 3600);
}

#[tokio::test]
async fn a_persons_login_is_found_where_gcloud_leaves_it() {
    let scene = VertexFixture::new().await;
    let login = json!({"type": "authorized_user", "client_id": "c", "client_secret": "s&=", "refresh_token": "r",
        "quota_project_id": "charged", "token_uri": scene.token_address()});
    scene.write(".config/gcloud/application_default_credentials.json", &login);
    let model = scene.model("vertex:gemini-2.5-flash", &[("GOOGLE_CLOUD_PROJECT", "my-project")]);
    assert_eq!(ask(&*model).await, hello());
    let requests = scene.google.requests();
    let form = json!({"grant_type": "refresh_token", "client_id": "c", "client_secret": "s&=", "refresh_token": "r"});
    assert_eq!(requests[0].body, form);
    assert_eq!(requests[1].headers["x-goog-user-project"], "charged");
}

#[tokio::test]
async fn without_a_file_the_metadata_server_is_asked() {
    let scene = VertexFixture::new().await;
    let env = [("GOOGLE_CLOUD_PROJECT", "my-project"), ("GOOGLE_CLOUD_LOCATION", "us-east1")];
    assert_eq!(ask(&*scene.model("vertex:gemini-2.5-flash", &env)).await, hello());
    let paths = scene.paths();
    assert_eq!(paths[0], "/computeMetadata/v1/instance/service-accounts/default/token");
    assert_eq!(paths[1], STREAM.replace("global", "us-east1"));
}

#[tokio::test]
async fn a_token_near_its_end_is_not_used_and_one_that_is_withdrawn_is_replaced_once() {
    let scene = VertexFixture::new().await;
    let model = scene.in_project(&scene.service_account());
    scene.google.set_token_lifetime(30);
    assert_eq!((ask(&*model).await, ask(&*model).await), (hello(), hello()));
    assert_eq!(scene.bearers(), ["Bearer token-1", "Bearer token-2"]);

    scene.google.set_token_lifetime(3600);
    assert_eq!(ask(&*model).await, hello());
    scene.google.revoke_tokens();
    assert_eq!(ask(&*model).await, hello());
    assert_eq!(scene.bearers()[2..], ["Bearer token-3", "Bearer token-3", "Bearer token-4"]);
}

#[tokio::test]
async fn many_requests_at_once_ask_for_one_token() {
    let scene = VertexFixture::new().await;
    let model = scene.in_project(&scene.service_account());
    let answers = futures_util::future::join_all((0..8).map(|_| ask(&*model))).await;
    assert_eq!(answers, vec![hello(); 8]);
    assert_eq!(scene.paths().iter().filter(|path| *path == "/token").count(), 1);
}

#[tokio::test]
async fn credentials_that_do_not_work_are_named_without_their_secrets() {
    let scene = VertexFixture::new().await;
    let sentence = async |file: &Path| {
        let found = ask(&*scene.in_project(file)).await;
        let [Err(error @ ModelError::Credentials { .. })] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(error.kind(), "model_key");
        error.to_string()
    };
    let gone = sentence(&scene.dir.path().join("gone.json")).await;
    assert!(gone.contains("gone.json cannot be used: No such file"), "{gone}");
    let strange = scene.write("strange.json", &json!({"type": "external_account"}));
    assert!(sentence(&strange).await.contains("type \"external_account\" are not supported"));
    let broken = json!({"type": "service_account", "client_email": "r@x", "private_key": "c2VjcmV0"});
    let broken = sentence(&scene.write("broken.json", &broken)).await;
    assert!(broken.contains("its private_key is not an RSA key in PEM") && !broken.contains("c2Vj"), "{broken}");
    let withdrawn = json!({"type": "authorized_user", "client_id": "c", "client_secret": "hush",
        "refresh_token": "withdrawn", "token_uri": scene.token_address()});
    let withdrawn = sentence(&scene.write("withdrawn.json", &withdrawn)).await;
    assert!(withdrawn.contains("127.0.0.1 answered 400 Token has been expired or revoked."), "{withdrawn}");
    assert!(withdrawn.contains("gcloud auth application-default login") && !withdrawn.contains("hush"), "{withdrawn}");
    let elsewhere = json!({"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r",
        "token_uri": "http://tokens.example/"});
    assert!(sentence(&scene.write("plain.json", &elsewhere)).await.contains("token_uri is plain http"));
}

#[tokio::test]
async fn counting_listing_and_reading_pages_work_there_too() {
    let scene = VertexFixture::new().await;
    let model = scene.in_project(&scene.service_account());
    model.read_urls("read https://a.example/").await.unwrap();
    // The fake knows no such methods; what matters is what it was asked.
    let _ = model.count_tokens(ModelRequest { system: "s".into(), ..ModelRequest::default() }).await;
    let _ = model.list_models().await;
    let requests = scene.google.requests();
    let targets: Vec<&str> = requests[1..].iter().map(|request| request.target.as_str()).collect();
    let method = |name: &str| STREAM.replace("streamGenerateContent", name);
    assert_eq!(
        targets,
        [&method("generateContent"), &method("countTokens"), "/v1beta1/publishers/google/models?pageSize=100"]
    );
    assert_eq!(requests[2].body["systemInstruction"]["parts"][0]["text"], "s");
}

#[test]
fn wanting_vertex_without_a_way_there_is_refused() {
    let refused = |name: &str, env: &'static [(&str, &str)]| {
        let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        ModelRegistry::new(ModelCatalogue::load(None).unwrap(), env).resolve(name).err().unwrap().to_string()
    };
    let flag = refused("pro", &[("GOOGLE_GENAI_USE_VERTEXAI", "true"), ("GEMINI_API_KEY", "k")]);
    assert!(flag.starts_with("GOOGLE_GENAI_USE_VERTEXAI is set, but neither GOOGLE_API_KEY"), "{flag}");
    assert!(refused("vertex:gemini-2.5-pro", &[]).contains("set GOOGLE_API_KEY, or GOOGLE_CLOUD_PROJECT"));
    assert_eq!(Provider::named("vertex"), Some(Provider::Vertex));
}
