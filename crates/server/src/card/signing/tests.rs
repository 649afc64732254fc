//! Signatures that others can verify, and keys that are none.

use super::{BEGIN, END, SigningKey, SigningKeyError};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use pollux_wire::v1::AgentCard;
use pretty_assertions::assert_eq;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, UnparsedPublicKey,
};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

/// The private key of the first test of RFC 8032, in the PKCS#8 that OpenSSL writes.
const RFC_8032_KEY: &str = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";

fn pem(body: &str) -> String {
    format!("a comment\n{BEGIN}\n{body}\n{END}\n")
}

fn card() -> AgentCard {
    AgentCard {
        name: "Agent".into(), description: "Zwölf € 😀".into(), version: "1".into(), ..AgentCard::default()
    }
}

/// The text of [`card`], by hand.
const LETTER: &str = "{\"capabilities\":{},\"defaultInputModes\":[],\"defaultOutputModes\":[],\
    \"description\":\"Zwölf € 😀\",\"name\":\"Agent\",\"skills\":[],\"supportedInterfaces\":[],\"version\":\"1\"}";
const WITHOUT_EMPTY: &str = "{\"description\":\"Zwölf € 😀\",\"name\":\"Agent\",\"version\":\"1\"}";

#[test]
fn a_signature_of_ed25519_is_the_one_that_others_make() {
    let key = SigningKey::from_pem("key-1", &pem(RFC_8032_KEY)).unwrap();
    let signatures = key.sign(&card());
    let made: Vec<(&str, &str)> = signatures.iter().map(|made| (&*made.protected, &*made.signature)).collect();
    // Made with Python's `cryptography` from the same key and the two texts above.
    let header = "eyJhbGciOiJFZERTQSIsInR5cCI6IkpPU0UiLCJraWQiOiJrZXktMSJ9";
    assert_eq!(
        made,
        [
            (header, "FA2ZQxF11uNwKRDGrtQ0J-G_62nvpY2nEJS7D8y06ZrcFLTueKUTMlQ6X6PP_ytusdQJbakBU050GMeC28vmDA"),
            (header, "SQ7v3vBvacj4oen2h5jiCDMcSVQ0Y8iPMpl1Z_CkVOKPovZjzv_R4ok76g7WzmCtNn4vzQOZYcH5PXo487Q6AA")
        ]
    );
}

#[test]
fn a_signature_of_p256_can_be_verified() {
    let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &SystemRandom::new()).unwrap();
    let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, pair.public_key().as_ref().to_vec());
    let key = SigningKey::from_pem("key-2", &pem(&STANDARD.encode(made.as_ref()))).unwrap();
    let signatures = key.sign(&card());
    assert_eq!(signatures.len(), 2);
    for (signature, text) in signatures.iter().zip([LETTER, WITHOUT_EMPTY]) {
        let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(&signature.protected).unwrap()).unwrap();
        assert_eq!(header, json!({"alg": "ES256", "typ": "JOSE", "kid": "key-2"}));
        let input = format!("{}.{}", signature.protected, URL_SAFE_NO_PAD.encode(text));
        let bytes = URL_SAFE_NO_PAD.decode(&signature.signature).unwrap();
        public.verify(input.as_bytes(), &bytes).unwrap();
        assert!(public.verify(format!("{input}x").as_bytes(), &bytes).is_err());
    }
}

#[test]
fn what_is_no_key_is_refused() {
    let refused = |kid: &str, pem: &str| SigningKey::from_pem(kid, pem).err().map(|error| error.to_string());
    let not_pem =
        "the signing key is no PKCS#8 private key in PEM: make one with openssl genpkey -algorithm ed25519".to_owned();
    let unsupported =
        "the signing key is neither ed25519 nor P-256: make one with openssl genpkey -algorithm ed25519".to_owned();
    assert_eq!(refused("k", ""), Some(not_pem.clone()));
    assert_eq!(refused("k", BEGIN), Some(not_pem.clone()));
    assert_eq!(refused("k", &pem("no base64!")), Some(not_pem));
    assert_eq!(refused("k", &pem("AAAA")), Some(unsupported.clone()));
    assert_eq!(refused("k", &pem("")), Some(unsupported));
    let nameless = "a signing key needs a key id, by which clients find its public half".to_owned();
    assert_eq!(refused("", &pem(RFC_8032_KEY)), Some(nameless));
}

#[test]
fn a_key_file_is_read_when_nobody_else_can() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("key.pem");
    fs::write(&path, pem(RFC_8032_KEY)).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    assert!(
        matches!(SigningKey::read_file("k", &path), Err(SigningKeyError::Exposed { path: named }) if named == path)
    );
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    assert!(SigningKey::read_file("k", &path).is_ok());
    let missing = directory.path().join("none");
    assert!(matches!(SigningKey::read_file("k", &missing), Err(SigningKeyError::Read { path, .. }) if path == missing));
}
