//! Signing a card: a detached JSON Web Signature by a key of the operator's.

use super::canonical::{canonical, specified_text, without_empty};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use pollux_wire::v1::{AgentCard, AgentCardSignature};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair};
use serde_json::{Map, json};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The longest key file that is read.
const MAX_FILE_BYTES: u64 = 16 * 1024;
const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

/// A private key and the name that others know it by. It has no `Debug` and no `Serialize`.
pub struct SigningKey {
    kid: String,
    pair: Pair,
}

enum Pair {
    Ed25519(Ed25519KeyPair),
    P256(EcdsaKeyPair),
}

/// Why a key cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SigningKeyError {
    /// The file cannot be read.
    #[error("cannot read the signing key {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        source: io::Error,
    },
    /// Others can read the file.
    #[error("other users can read the signing key {path}: run chmod 600 on it")]
    Exposed {
        /// The file.
        path: PathBuf,
    },
    /// No name.
    #[error("a signing key needs a key id, by which clients find its public half")]
    Nameless,
    /// Not a key in the form that is read.
    #[error("the signing key is no PKCS#8 private key in PEM: make one with openssl genpkey -algorithm ed25519")]
    NotPem,
    /// A key of another kind.
    #[error("the signing key is neither ed25519 nor P-256: make one with openssl genpkey -algorithm ed25519")]
    Unsupported,
}

impl SigningKey {
    /// The key in a PEM text of PKCS#8, Ed25519 or P-256; `kid` is what the card calls it.
    pub fn from_pem(kid: &str, pem: &str) -> Result<SigningKey, SigningKeyError> {
        if kid.is_empty() {
            return Err(SigningKeyError::Nameless);
        }
        let (_, rest) = pem.split_once(BEGIN).ok_or(SigningKeyError::NotPem)?;
        let (body, _) = rest.split_once(END).ok_or(SigningKeyError::NotPem)?;
        let body: String = body.split_ascii_whitespace().collect();
        let der = STANDARD.decode(body).map_err(|_| SigningKeyError::NotPem)?;
        // OpenSSL leaves the public half out, which ring otherwise checks against the private one.
        let pair = match Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der) {
            Ok(pair) => Pair::Ed25519(pair),
            Err(_) => EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &SystemRandom::new())
                .map(Pair::P256)
                .map_err(|_| SigningKeyError::Unsupported)?,
        };
        Ok(SigningKey { kid: kid.to_owned(), pair })
    }

    /// The key in a file that only its owner can read.
    pub fn read_file(kid: &str, path: &Path) -> Result<SigningKey, SigningKeyError> {
        let failed = |source| SigningKeyError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        // The mode of the file that was opened, not of whatever the path names by now.
        if file.metadata().map_err(failed)?.mode() & 0o077 != 0 {
            return Err(SigningKeyError::Exposed { path: path.to_owned() });
        }
        let mut pem = String::new();
        file.take(MAX_FILE_BYTES).read_to_string(&mut pem).map_err(failed)?;
        SigningKey::from_pem(kid, &pem)
    }

    /// The signatures of a card: one over its text by the letter of the specification and, where that is another text,
    /// one over what the public kits make of it. A client needs only one that it can verify.
    pub(super) fn sign(&self, card: &AgentCard) -> Vec<AgentCardSignature> {
        let Some(card) = specified_text(card) else { return Vec::new() };
        let mut texts = vec![canonical(&card)];
        texts.extend(without_empty(card).map(|card| canonical(&card)));
        texts.dedup();
        texts.iter().filter_map(|text| self.sign_text(text)).collect()
    }

    fn sign_text(&self, text: &str) -> Option<AgentCardSignature> {
        let alg = match self.pair {
            Pair::Ed25519(_) => "EdDSA",
            Pair::P256(_) => "ES256",
        };
        let header = json!({ "alg": alg, "typ": "JOSE", "kid": self.kid }).to_string();
        let protected = URL_SAFE_NO_PAD.encode(header);
        let input = format!("{protected}.{}", URL_SAFE_NO_PAD.encode(text));
        let signature = match &self.pair {
            Pair::Ed25519(pair) => pair.sign(input.as_bytes()).as_ref().to_vec(),
            Pair::P256(pair) => match pair.sign(&SystemRandom::new(), input.as_bytes()) {
                Ok(signature) => signature.as_ref().to_vec(),
                Err(_) => {
                    tracing::warn!("the card goes out unsigned: the system has no randomness");
                    return None;
                }
            },
        };
        Some(AgentCardSignature { protected, signature: URL_SAFE_NO_PAD.encode(signature), header: Map::new() })
    }
}

#[cfg(test)]
mod tests;
