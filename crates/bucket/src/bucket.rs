//! A bucket: objects by key, the same for every provider.

use crate::address::{BucketAddress, BucketProvider};
use crate::error::BucketError;
use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ClientOptions, Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, RetryConfig};
use pollux_session::describe_error_chain;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;

/// Looks up a variable, so that nobody depends on the process's environment.
pub type VariableLookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The time limit of one request.
const REQUEST: Duration = Duration::from_secs(60);
/// The time limit of connecting.
const CONNECT: Duration = Duration::from_secs(5);
/// The number of times that a request is tried again right away. The replicator has more patience than that.
const RETRIES: usize = 2;
/// For how long.
const RETRY: Duration = Duration::from_secs(20);
/// The most that is read of one object.
const OBJECT_BYTES: u64 = 256 * 1024 * 1024;

/// The variables that the usual tools read for Amazon's buckets and whatever speaks like them.
const AMAZON: &[&str] = &[
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_DEFAULT_REGION",
    "AWS_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
];

/// And for Azure's.
const AZURE: &[&str] = &[
    "AZURE_STORAGE_ACCOUNT_NAME",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_SAS_KEY",
    "AZURE_STORAGE_TOKEN",
    "AZURE_STORAGE_CLIENT_ID",
    "AZURE_STORAGE_CLIENT_SECRET",
    "AZURE_STORAGE_TENANT_ID",
    "AZURE_STORAGE_ENDPOINT",
    "AZURE_STORAGE_USE_EMULATOR",
    "AZURE_FEDERATED_TOKEN_FILE",
];

/// Whoever stands in for Google asks nobody who we are. Without this the client would ask the machine's metadata address.
const NOBODY: &str = r#"{"disable_oauth": true, "client_email": "", "private_key": "", "private_key_id": ""}"#;

/// Objects by key. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Bucket {
    objects: Arc<dyn ObjectStore>,
}

impl Bucket {
    /// Open the bucket at `address` with the credentials that `variables` name. Nothing is asked of it yet.
    pub fn open(address: &BucketAddress, variables: &VariableLookup) -> Result<Bucket, BucketError> {
        // Whoever was first has installed the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let failed = |error: Error| BucketError::Open(said(&error));
        let objects: Arc<dyn ObjectStore> = match &address.place {
            BucketProvider::Google(name) => Arc::new(google(name, variables).map_err(failed)?),
            BucketProvider::Amazon(name) => Arc::new(amazon(name, variables).map_err(failed)?),
            BucketProvider::Azure(name) => Arc::new(azure(name, variables).map_err(failed)?),
            BucketProvider::Directory(path) => {
                std::fs::create_dir_all(path).map_err(|error| BucketError::Open(error.to_string()))?;
                let directory = LocalFileSystem::new_with_prefix(path).map_err(failed)?;
                Arc::new(directory.with_fsync(true))
            }
        };
        Ok(Bucket::over(objects, &address.prefix))
    }

    /// A bucket over any store of objects.
    pub(crate) fn over(objects: Arc<dyn ObjectStore>, prefix: &str) -> Bucket {
        match prefix {
            "" => Bucket { objects },
            prefix => Bucket { objects: Arc::new(PrefixStore::new(objects, Path::from(prefix))) },
        }
    }

    /// All bytes of an object; `None` when there is none.
    pub(crate) async fn get(&self, key: &str) -> Result<Option<Bytes>, BucketError> {
        let found = match self.objects.get(&Path::from(key)).await {
            Err(Error::NotFound { .. }) => return Ok(None),
            found => found.map_err(failed("read", key))?,
        };
        if found.meta.size > OBJECT_BYTES {
            let what = format!("{} bytes are more than an object of ours has", found.meta.size);
            return Err(BucketError::Damaged { key: key.to_owned(), what });
        }
        found.bytes().await.map(Some).map_err(failed("read", key))
    }

    /// An object as what it says; `None` when there is none.
    pub(crate) async fn get_json<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, BucketError> {
        let Some(bytes) = self.get(key).await? else { return Ok(None) };
        let damaged = |error: serde_json::Error| BucketError::Damaged { key: key.into(), what: error.to_string() };
        serde_json::from_slice(&bytes).map(Some).map_err(damaged)
    }

    /// True if there is such an object.
    pub(crate) async fn has(&self, key: &str) -> Result<bool, BucketError> {
        match self.objects.head(&Path::from(key)).await {
            Err(Error::NotFound { .. }) => Ok(false),
            found => found.map(|_| true).map_err(failed("look for", key)),
        }
    }

    /// Write an object, over an older one if there is one.
    pub(crate) async fn put(&self, key: &str, bytes: impl Into<Bytes>) -> Result<(), BucketError> {
        self.objects.put(&Path::from(key), bytes.into().into()).await.map(drop).map_err(failed("write", key))
    }

    /// Write an object as JSON that people can read.
    pub(crate) async fn put_json(&self, key: &str, value: &impl Serialize) -> Result<(), BucketError> {
        self.put(key, json(value)).await
    }

    /// Write an object unless there is one; whether it was written. Of two who try, one does.
    pub(crate) async fn create(&self, key: &str, bytes: impl Into<Bytes>) -> Result<bool, BucketError> {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.objects.put_opts(&Path::from(key), bytes.into().into(), options).await {
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
            written => written.map(|_| true).map_err(failed("write", key)),
        }
    }

    /// Forget an object.
    pub(crate) async fn delete(&self, key: &str) -> Result<(), BucketError> {
        match self.objects.delete(&Path::from(key)).await {
            Err(Error::NotFound { .. }) => Ok(()),
            deleted => deleted.map_err(failed("delete", key)),
        }
    }

    /// The keys under a directory, sorted.
    pub(crate) async fn list(&self, under: &str) -> Result<Vec<String>, BucketError> {
        let listed = self.objects.list(Some(&Path::from(under))).map_ok(|object| object.location.to_string());
        let mut keys: Vec<String> = listed.try_collect().await.map_err(failed("list", under))?;
        keys.sort_unstable();
        Ok(keys)
    }
}

fn google(name: &str, variables: &VariableLookup) -> object_store::Result<impl ObjectStore> {
    let builder = GoogleCloudStorageBuilder::new().with_bucket_name(name).with_retry(patience());
    match (variables("STORAGE_EMULATOR_HOST"), variables("GOOGLE_APPLICATION_CREDENTIALS")) {
        (Some(host), _) => {
            let url = if host.contains("://") { host } else { format!("http://{host}") };
            let options = options().with_allow_http(true);
            builder.with_base_url(&url).with_service_account_key(NOBODY).with_client_options(options).build()
        }
        (None, Some(file)) => builder.with_application_credentials(file).with_client_options(options()).build(),
        (None, None) => builder.with_client_options(options()).build(),
    }
}

fn amazon(name: &str, variables: &VariableLookup) -> object_store::Result<impl ObjectStore> {
    let mut builder = AmazonS3Builder::new().with_bucket_name(name).with_retry(patience());
    let mut plain = false;
    for (name, value) in AMAZON.iter().filter_map(|name| Some((name, variables(name)?))) {
        plain |= name.starts_with("AWS_ENDPOINT_URL") && value.starts_with("http://");
        builder = builder.with_config(name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>()?, value);
    }
    builder.with_client_options(options().with_allow_http(plain)).build()
}

fn azure(name: &str, variables: &VariableLookup) -> object_store::Result<impl ObjectStore> {
    let mut builder = MicrosoftAzureBuilder::new().with_container_name(name).with_retry(patience());
    let mut plain = false;
    for (name, value) in AZURE.iter().filter_map(|name| Some((name, variables(name)?))) {
        plain |= *name == "AZURE_STORAGE_USE_EMULATOR" || value.starts_with("http://");
        builder = builder.with_config(name.to_ascii_lowercase().parse::<AzureConfigKey>()?, value);
    }
    builder.with_client_options(options().with_allow_http(plain)).build()
}

fn options() -> ClientOptions {
    ClientOptions::new().with_timeout(REQUEST).with_connect_timeout(CONNECT)
}

fn patience() -> RetryConfig {
    RetryConfig { max_retries: RETRIES, retry_timeout: RETRY, ..RetryConfig::default() }
}

fn failed(verb: &str, key: &str) -> impl FnOnce(Error) -> BucketError {
    let doing = format!("{verb} {key}");
    move |error| BucketError::Failed { doing, why: said(&error) }
}

/// An error and its causes in one line; the outer ones of this crate say little by themselves.
fn said(error: &(dyn std::error::Error + 'static)) -> String {
    const CHARS: usize = 500;
    let line: String = describe_error_chain(error).split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(CHARS).collect()
}

/// A value as JSON that people can read.
pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    // Everything written here has string keys and no failing serializer.
    let mut text = serde_json::to_vec_pretty(value).unwrap_or_default();
    text.push(b'\n');
    text
}

/// A digest in lower-case hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}
