//! The card of 0.3.

use crate::golden::check_both;
use expect_test::expect;
use pollux_wire::a2a::{
    AgentCapabilities, AgentCard, AgentExtension, AgentSkill, Metadata, OAuthFlow, OAuthFlows, SecurityScheme,
};
use pollux_wire::devtool::URI;

#[test]
fn the_card() {
    check_both(
        &AgentCard {
            protocol_version: "0.3.0".into(),
            name: "Gemini CLI Agent".into(),
            description: "d".into(),
            url: "http://localhost:41242/".into(),
            preferred_transport: "JSONRPC".into(),
            version: "0.1.0".into(),
            capabilities: AgentCapabilities {
                streaming: true,
                push_notifications: false,
                state_transition_history: true,
                extensions: vec![AgentExtension {
                    uri: URI.into(),
                    description: "d".into(),
                    required: false,
                    params: Metadata::new(),
                }],
            },
            default_input_modes: vec!["text".into()],
            default_output_modes: vec!["text".into()],
            skills: vec![AgentSkill {
                id: "code_generation".into(),
                name: "Code generation".into(),
                description: "d".into(),
                tags: vec!["code".into()],
                examples: vec!["e".into()],
                ..AgentSkill::default()
            }],
            ..AgentCard::default()
        },
        &expect![[r#"
            {
              "protocolVersion": "0.3.0",
              "name": "Gemini CLI Agent",
              "description": "d",
              "url": "http://localhost:41242/",
              "preferredTransport": "JSONRPC",
              "version": "0.1.0",
              "capabilities": {
                "streaming": true,
                "pushNotifications": false,
                "stateTransitionHistory": true,
                "extensions": [
                  {
                    "uri": "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md",
                    "description": "d",
                    "required": false
                  }
                ]
              },
              "defaultInputModes": [
                "text"
              ],
              "defaultOutputModes": [
                "text"
              ],
              "skills": [
                {
                  "id": "code_generation",
                  "name": "Code generation",
                  "description": "d",
                  "tags": [
                    "code"
                  ],
                  "examples": [
                    "e"
                  ]
                }
              ]
            }"#]],
    );
}

#[test]
fn every_way_to_sign_in() {
    let flow = OAuthFlow {
        authorization_url: Some("https://example.com/authorize".into()),
        token_url: Some("https://example.com/token".into()),
        refresh_url: None,
        scopes: [("read".to_owned(), "look".to_owned())].into(),
    };
    let flows = Box::new(OAuthFlows { authorization_code: Some(flow), ..OAuthFlows::default() });
    check_both(
        &[
            SecurityScheme::ApiKey { description: None, location: "header".into(), name: "X-Key".into() },
            SecurityScheme::Http {
                description: Some("d".into()),
                scheme: "Bearer".into(),
                bearer_format: Some("JWT".into()),
            },
            SecurityScheme::Oauth2 {
                description: None,
                flows,
                oauth2_metadata_url: Some("https://example.com/metadata".into()),
            },
            SecurityScheme::OpenIdConnect {
                description: None,
                open_id_connect_url: "https://example.com/.well-known/openid-configuration".into(),
            },
            SecurityScheme::MutualTls { description: None },
        ],
        &expect![[r#"
            [
              {
                "type": "apiKey",
                "in": "header",
                "name": "X-Key"
              },
              {
                "type": "http",
                "description": "d",
                "scheme": "Bearer",
                "bearerFormat": "JWT"
              },
              {
                "type": "oauth2",
                "flows": {
                  "authorizationCode": {
                    "authorizationUrl": "https://example.com/authorize",
                    "tokenUrl": "https://example.com/token",
                    "scopes": {
                      "read": "look"
                    }
                  }
                },
                "oauth2MetadataUrl": "https://example.com/metadata"
              },
              {
                "type": "openIdConnect",
                "openIdConnectUrl": "https://example.com/.well-known/openid-configuration"
              },
              {
                "type": "mutualTLS"
              }
            ]"#]],
    );
}
