//! The ways to sign in, in the shape 0.3 took from OpenAPI. Those of 1.0 convert to and from them.

use crate::v1::{self, StringList};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Schemes that are needed together, by name, each with the scopes it needs.
pub type SecurityRequirement = BTreeMap<String, Vec<String>>;

/// A way to sign in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum SecurityScheme {
    /// A key in a header, a query or a cookie.
    #[serde(rename = "apiKey")]
    ApiKey {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// `header`, `query` or `cookie`.
        #[serde(rename = "in")]
        location: String,
        /// Its name there.
        name: String,
    },
    /// An HTTP `Authorization` header.
    #[serde(rename = "http")]
    Http {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// `Bearer` or `Basic`.
        scheme: String,
        /// The form of a bearer token.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bearer_format: Option<String>,
    },
    /// OAuth 2.0.
    #[serde(rename = "oauth2")]
    Oauth2 {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// The ways to a token.
        flows: Box<OAuthFlows>,
        /// Where the provider describes itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        oauth2_metadata_url: Option<String>,
    },
    /// OpenID Connect.
    #[serde(rename = "openIdConnect")]
    OpenIdConnect {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// Where the provider describes itself.
        open_id_connect_url: String,
    },
    /// A client certificate.
    #[serde(rename = "mutualTLS")]
    MutualTls {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
}

/// The ways to a token of OAuth 2.0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OAuthFlows {
    /// By a code from the provider's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_code: Option<OAuthFlow>,
    /// By the client's own credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_credentials: Option<OAuthFlow>,
    /// From the provider's page itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implicit: Option<OAuthFlow>,
    /// By the person's password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<OAuthFlow>,
}

/// One way to a token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OAuthFlow {
    /// The provider's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_url: Option<String>,
    /// Where tokens come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    /// Where they are renewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_url: Option<String>,
    /// Each with its meaning.
    pub scopes: BTreeMap<String, String>,
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

impl From<v1::SecurityScheme> for SecurityScheme {
    fn from(scheme: v1::SecurityScheme) -> SecurityScheme {
        use v1::SecurityScheme as V1;
        match scheme {
            V1::ApiKeySecurityScheme { description, location, name } => {
                SecurityScheme::ApiKey { description: some(description), location, name }
            }
            V1::HttpAuthSecurityScheme { description, scheme, bearer_format } => {
                SecurityScheme::Http { description: some(description), scheme, bearer_format: some(bearer_format) }
            }
            V1::Oauth2SecurityScheme { description, flows, oauth2_metadata_url } => SecurityScheme::Oauth2 {
                description: some(description),
                flows: Box::new(flows.into()),
                oauth2_metadata_url: some(oauth2_metadata_url),
            },
            V1::OpenIdConnectSecurityScheme { description, open_id_connect_url } => {
                SecurityScheme::OpenIdConnect { description: some(description), open_id_connect_url }
            }
            V1::MtlsSecurityScheme { description } => SecurityScheme::MutualTls { description: some(description) },
        }
    }
}

impl From<SecurityScheme> for v1::SecurityScheme {
    fn from(scheme: SecurityScheme) -> v1::SecurityScheme {
        use v1::SecurityScheme as V1;
        match scheme {
            SecurityScheme::ApiKey { description, location, name } => {
                V1::ApiKeySecurityScheme { description: description.unwrap_or_default(), location, name }
            }
            SecurityScheme::Http { description, scheme, bearer_format } => V1::HttpAuthSecurityScheme {
                description: description.unwrap_or_default(),
                scheme,
                bearer_format: bearer_format.unwrap_or_default(),
            },
            SecurityScheme::Oauth2 { description, flows, oauth2_metadata_url } => V1::Oauth2SecurityScheme {
                description: description.unwrap_or_default(),
                flows: (*flows).into(),
                oauth2_metadata_url: oauth2_metadata_url.unwrap_or_default(),
            },
            SecurityScheme::OpenIdConnect { description, open_id_connect_url } => {
                V1::OpenIdConnectSecurityScheme { description: description.unwrap_or_default(), open_id_connect_url }
            }
            SecurityScheme::MutualTls { description } => {
                V1::MtlsSecurityScheme { description: description.unwrap_or_default() }
            }
        }
    }
}

impl From<v1::OAuthFlows> for OAuthFlows {
    /// The flow by a device's code has no place in 0.3, nor has the demand for a proof of the code: they are left out.
    fn from(flows: v1::OAuthFlows) -> OAuthFlows {
        let to = |flow: v1::OAuthFlow| {
            Some(OAuthFlow {
                authorization_url: some(flow.authorization_url),
                token_url: some(flow.token_url),
                refresh_url: some(flow.refresh_url),
                scopes: flow.scopes,
            })
        };
        match flows {
            v1::OAuthFlows::AuthorizationCode(flow) => {
                OAuthFlows { authorization_code: to(flow), ..OAuthFlows::default() }
            }
            v1::OAuthFlows::ClientCredentials(flow) => {
                OAuthFlows { client_credentials: to(flow), ..OAuthFlows::default() }
            }
            v1::OAuthFlows::Implicit(flow) => OAuthFlows { implicit: to(flow), ..OAuthFlows::default() },
            v1::OAuthFlows::Password(flow) => OAuthFlows { password: to(flow), ..OAuthFlows::default() },
            v1::OAuthFlows::DeviceCode(_) => OAuthFlows::default(),
        }
    }
}

impl From<OAuthFlows> for v1::OAuthFlows {
    /// 1.0 has one way for a scheme: the first there is, the safest first.
    fn from(flows: OAuthFlows) -> v1::OAuthFlows {
        let to = |flow: OAuthFlow| v1::OAuthFlow {
            authorization_url: flow.authorization_url.unwrap_or_default(),
            token_url: flow.token_url.unwrap_or_default(),
            refresh_url: flow.refresh_url.unwrap_or_default(),
            scopes: flow.scopes,
            ..v1::OAuthFlow::default()
        };
        match (flows.authorization_code, flows.client_credentials, flows.implicit, flows.password) {
            (Some(flow), ..) => v1::OAuthFlows::AuthorizationCode(to(flow)),
            (None, Some(flow), ..) => v1::OAuthFlows::ClientCredentials(to(flow)),
            (None, None, Some(flow), _) => v1::OAuthFlows::Implicit(to(flow)),
            (None, None, None, flow) => v1::OAuthFlows::Password(to(flow.unwrap_or_default())),
        }
    }
}

impl From<v1::SecurityRequirement> for SecurityRequirement {
    fn from(requirement: v1::SecurityRequirement) -> SecurityRequirement {
        requirement.schemes.into_iter().map(|(name, scopes)| (name, scopes.list)).collect()
    }
}

impl From<SecurityRequirement> for v1::SecurityRequirement {
    fn from(requirement: SecurityRequirement) -> v1::SecurityRequirement {
        let schemes = requirement.into_iter().map(|(name, list)| (name, StringList { list })).collect();
        v1::SecurityRequirement { schemes }
    }
}
