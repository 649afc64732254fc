//! A credentials file: a service account's private key, or what a person's login left behind.

use super::Adc;
use crate::error::ModelError;
use crate::transport::ApiKey;
use ring::signature::RsaKeyPair;
use serde_json::Value;
use std::io;
use std::path::Path;
use tokio::io::AsyncReadExt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// Where tokens are asked for unless a file says otherwise.
const TOKEN_ADDRESS: &str = "https://oauth2.googleapis.com/token";
/// The longest file that is read.
const LONGEST: u64 = 64 * 1024;

/// The credentials in a file with which a token can be requested.
pub(super) enum KeyFile {
    /// The key of an account that no person is behind.
    ServiceAccount {
        /// The service account that signs.
        email: String,
        key: Box<RsaKeyPair>,
        key_id: Option<String>,
        /// Where tokens are asked for.
        token_address: String,
    },
    /// A person who logged in.
    Person {
        /// The program they logged in with.
        client_id: String,
        /// That program's secret.
        client_secret: ApiKey,
        refresh_token: ApiKey,
        /// Where tokens are asked for.
        token_address: String,
        /// The project that is charged.
        charged: Option<String>,
    },
}

impl KeyFile {
    /// The first file there is, or nothing when there is none.
    pub(super) async fn find(adc: &Adc) -> Result<Option<KeyFile>, ModelError> {
        if let Some(path) = &adc.named {
            let text = read(path).await.map_err(|error| wrong(path, &error.to_string()))?;
            return KeyFile::parse(&text).map(Some).map_err(|why| wrong(path, &why));
        }
        let Some(path) = &adc.usual else { return Ok(None) };
        match read(path).await {
            Ok(text) => KeyFile::parse(&text).map(Some).map_err(|why| wrong(path, &why)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(wrong(path, &error.to_string())),
        }
    }

    /// The credentials in the text of a file. An error repeats nothing of it but its kind.
    pub(super) fn parse(text: &str) -> Result<KeyFile, String> {
        let file: Value = serde_json::from_str(text).map_err(|_| "it is not JSON".to_owned())?;
        let word = |key: &str| file[key].as_str().filter(|word| !word.is_empty()).map(str::to_owned);
        let needed = |key: &str| word(key).ok_or_else(|| format!("it has no {key}"));
        let secret = |key: &str| ApiKey::new(&needed(key)?).ok_or_else(|| format!("it has no {key}"));
        let token_address = word("token_uri").unwrap_or_else(|| TOKEN_ADDRESS.to_owned());
        match needed("type")?.as_str() {
            "service_account" => Ok(KeyFile::ServiceAccount {
                email: needed("client_email")?,
                key: Box::new(read_key(&needed("private_key")?)?),
                key_id: word("private_key_id"),
                token_address,
            }),
            "authorized_user" => Ok(KeyFile::Person {
                client_id: needed("client_id")?,
                client_secret: secret("client_secret")?,
                refresh_token: secret("refresh_token")?,
                token_address,
                charged: word("quota_project_id"),
            }),
            other => Err(format!("credentials of type {other:?} are not supported; use a service account's key file")),
        }
    }
}

/// A private key in PEM, as PKCS#8 or PKCS#1.
fn read_key(pem: &str) -> Result<RsaKeyPair, String> {
    let unusable = "its private_key is not an RSA key in PEM";
    let encoded: String = pem.lines().map(str::trim).filter(|line| !line.starts_with("-----")).collect();
    let der = BASE64_STANDARD.decode(encoded).map_err(|_| unusable.to_owned())?;
    RsaKeyPair::from_pkcs8(&der).or_else(|_| RsaKeyPair::from_der(&der)).map_err(|_| unusable.to_owned())
}

async fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    tokio::fs::File::open(path).await?.take(LONGEST).read_to_string(&mut text).await?;
    Ok(text)
}

fn wrong(path: &Path, why: &str) -> ModelError {
    ModelError::Credentials { why: format!("{} cannot be used: {why}", path.display()) }
}
