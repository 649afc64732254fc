//! Google's "application default credentials": where they are looked for, and tokens made from them.

mod grant;
mod key_file;
mod signed;
mod tokens;

pub(super) use signed::Signed;
pub(super) use tokens::Tokens;

use crate::settings::{EnvLookup, given};
use std::path::PathBuf;

/// The address that a machine in Google's cloud asks for its own credentials.
const METADATA_HOST: &str = "169.254.169.254";

/// Where credentials are looked for, in this order. Nothing is read before a token is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Adc {
    /// The file that `GOOGLE_APPLICATION_CREDENTIALS` names. It must be there then.
    pub(super) named: Option<PathBuf>,
    /// The file that `gcloud auth application-default login` writes.
    pub(super) usual: Option<PathBuf>,
    /// Host and port of the metadata server.
    pub(super) metadata: String,
    /// The project that is charged, if it is not that of the credentials.
    pub(super) charged: Option<String>,
}

impl Adc {
    /// The places that the environment says.
    pub(super) fn from_env(env: EnvLookup<'_>) -> Adc {
        let gcloud = given(env, "CLOUDSDK_CONFIG").map(PathBuf::from);
        let gcloud = gcloud.or_else(|| Some(PathBuf::from(given(env, "HOME")?).join(".config/gcloud")));
        Adc {
            named: given(env, "GOOGLE_APPLICATION_CREDENTIALS").map(PathBuf::from),
            usual: gcloud.map(|dir| dir.join("application_default_credentials.json")),
            metadata: given(env, "GCE_METADATA_HOST").unwrap_or_else(|| METADATA_HOST.to_owned()),
            charged: given(env, "GOOGLE_CLOUD_QUOTA_PROJECT"),
        }
    }
}
