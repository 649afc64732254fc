//! The ways to sign in.

use crate::proto::or_default;
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A way to sign in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SecurityScheme {
    /// An HTTP `Authorization` header.
    #[serde(alias = "http_auth_security_scheme")]
    HttpAuthSecurityScheme {
        #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
        description: String,
        /// `Bearer` or `Basic`.
        scheme: String,
        /// The form of a bearer token.
        #[serde(
            default,
            alias = "bearer_format",
            deserialize_with = "or_default",
            skip_serializing_if = "String::is_empty"
        )]
        bearer_format: String,
    },
    /// A key in a header, a query or a cookie.
    #[serde(alias = "api_key_security_scheme")]
    ApiKeySecurityScheme {
        #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
        description: String,
        /// `header`, `query` or `cookie`.
        location: String,
        /// Its name there.
        name: String,
    },
    /// OAuth 2.0.
    #[serde(alias = "oauth2_security_scheme")]
    Oauth2SecurityScheme {
        #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
        description: String,
        /// The way to a token.
        flows: OAuthFlows,
        /// Where the provider describes itself.
        #[serde(
            default,
            alias = "oauth2_metadata_url",
            deserialize_with = "or_default",
            skip_serializing_if = "String::is_empty"
        )]
        oauth2_metadata_url: String,
    },
    /// OpenID Connect.
    #[serde(alias = "open_id_connect_security_scheme")]
    OpenIdConnectSecurityScheme {
        #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
        description: String,
        /// Where the provider describes itself.
        #[serde(alias = "open_id_connect_url")]
        open_id_connect_url: String,
    },
    /// A client certificate.
    #[serde(alias = "mtls_security_scheme")]
    MtlsSecurityScheme {
        #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
        description: String,
    },
}

/// The ways to sign in, by name. Members beside the one that holds a scheme are ignored, as the hybrid card has them.
pub(crate) fn security_schemes<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, SecurityScheme>, D::Error> {
    let schemes = Option::<BTreeMap<String, Map<String, Value>>>::deserialize(deserializer)?.unwrap_or_default();
    let known = |name: &str| name.ends_with("SecurityScheme") || name.ends_with("_security_scheme");
    let read = |(name, mut members): (String, Map<String, Value>)| {
        members.retain(|member, _| known(member));
        let scheme = SecurityScheme::deserialize(Value::Object(members)).map_err(de::Error::custom)?;
        Ok((name, scheme))
    };
    schemes.into_iter().map(read).collect()
}

/// The way to a token of OAuth 2.0; a scheme has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OAuthFlows {
    /// By a code from the provider's page.
    #[serde(alias = "authorization_code")]
    AuthorizationCode(OAuthFlow),
    /// By the client's own credentials.
    #[serde(alias = "client_credentials")]
    ClientCredentials(OAuthFlow),
    /// From the provider's page itself; deprecated.
    Implicit(OAuthFlow),
    /// By the person's password; deprecated.
    Password(OAuthFlow),
    /// By a code that the person types elsewhere.
    #[serde(alias = "device_code")]
    DeviceCode(OAuthFlow),
}

/// One way to a token. Which of the addresses it has depends on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OAuthFlow {
    /// The provider's page.
    #[serde(alias = "authorization_url", deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub authorization_url: String,
    /// Where a device gets its code.
    #[serde(
        alias = "device_authorization_url",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub device_authorization_url: String,
    /// Where tokens come from.
    #[serde(alias = "token_url", deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub token_url: String,
    /// Where they are renewed.
    #[serde(alias = "refresh_url", deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub refresh_url: String,
    /// Each with its meaning.
    #[serde(deserialize_with = "or_default")]
    pub scopes: BTreeMap<String, String>,
    /// True if the code needs a proof (PKCE).
    #[serde(alias = "pkce_required", deserialize_with = "or_default", skip_serializing_if = "std::ops::Not::not")]
    pub pkce_required: bool,
}

/// Schemes that are needed together, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecurityRequirement {
    /// Each with the scopes it needs.
    #[serde(deserialize_with = "or_default")]
    pub schemes: BTreeMap<String, StringList>,
}

/// Several texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StringList {
    /// The texts.
    #[serde(deserialize_with = "or_default")]
    pub list: Vec<String>,
}
