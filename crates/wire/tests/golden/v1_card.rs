//! The card of 1.0, and what becomes of it for clients of 0.3.

use crate::golden::{check, check_both};
use expect_test::expect;
use pollux_wire::a2a::{self, Metadata};
use pollux_wire::v1::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface, AgentProvider, AgentSkill,
    HybridCard, OAuthFlow, OAuthFlows, SecurityRequirement, SecurityScheme, StringList,
};
use pollux_wire::v03_proto;
use pretty_assertions::assert_eq;
use serde_json::json;

fn interface(url: &str, protocol_binding: &str, protocol_version: &str) -> AgentInterface {
    AgentInterface {
        url: url.into(),
        protocol_binding: protocol_binding.into(),
        tenant: String::new(),
        protocol_version: protocol_version.into(),
    }
}

fn card() -> AgentCard {
    let scheme = SecurityScheme::HttpAuthSecurityScheme {
        description: String::new(),
        scheme: "Bearer".into(),
        bearer_format: String::new(),
    };
    let needed = SecurityRequirement { schemes: [("bearer".to_owned(), StringList { list: vec![] })].into() };
    AgentCard {
        name: "Pollux".into(),
        description: "d".into(),
        supported_interfaces: vec![
            interface("http://localhost:41242/", "JSONRPC", "1.0"),
            interface("http://localhost:41242/a2a/v1", "HTTP+JSON", "1.0"),
            interface("http://localhost:41242/", "JSONRPC", "0.3"),
            interface("localhost:41243", "GRPC", "0.3"),
        ],
        provider: Some(AgentProvider { url: "https://example.com".into(), organization: "o".into() }),
        version: "0.1.0".into(),
        documentation_url: Some("https://example.com/docs".into()),
        capabilities: AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(false),
            extensions: vec![AgentExtension {
                uri: "urn:x".into(),
                description: "d".into(),
                required: false,
                params: Metadata::from_iter([("a".to_owned(), json!(1))]),
            }],
            extended_agent_card: Some(true),
        },
        security_schemes: [("bearer".to_owned(), scheme)].into(),
        security_requirements: vec![needed.clone()],
        default_input_modes: vec!["text/plain".into()],
        default_output_modes: vec!["text/plain".into()],
        skills: vec![AgentSkill {
            id: "code_generation".into(),
            name: "Code generation".into(),
            description: "d".into(),
            tags: vec!["code".into()],
            examples: vec!["e".into()],
            input_modes: vec!["text/markdown".into()],
            output_modes: vec![],
            security_requirements: vec![needed],
        }],
        signatures: vec![AgentCardSignature {
            protected: "eyJ9".into(),
            signature: "c2ln".into(),
            header: Metadata::from_iter([("kid".to_owned(), json!("k"))]),
        }],
        icon_url: Some("https://example.com/icon.png".into()),
    }
}

#[test]
fn the_card() {
    check_both(
        &card(),
        &expect![[r#"
        {
          "name": "Pollux",
          "description": "d",
          "supportedInterfaces": [
            {
              "url": "http://localhost:41242/",
              "protocolBinding": "JSONRPC",
              "protocolVersion": "1.0"
            },
            {
              "url": "http://localhost:41242/a2a/v1",
              "protocolBinding": "HTTP+JSON",
              "protocolVersion": "1.0"
            },
            {
              "url": "http://localhost:41242/",
              "protocolBinding": "JSONRPC",
              "protocolVersion": "0.3"
            },
            {
              "url": "localhost:41243",
              "protocolBinding": "GRPC",
              "protocolVersion": "0.3"
            }
          ],
          "provider": {
            "url": "https://example.com",
            "organization": "o"
          },
          "version": "0.1.0",
          "documentationUrl": "https://example.com/docs",
          "capabilities": {
            "streaming": true,
            "pushNotifications": false,
            "extensions": [
              {
                "uri": "urn:x",
                "description": "d",
                "required": false,
                "params": {
                  "a": 1
                }
              }
            ],
            "extendedAgentCard": true
          },
          "securitySchemes": {
            "bearer": {
              "httpAuthSecurityScheme": {
                "scheme": "Bearer"
              }
            }
          },
          "securityRequirements": [
            {
              "schemes": {
                "bearer": {
                  "list": []
                }
              }
            }
          ],
          "defaultInputModes": [
            "text/plain"
          ],
          "defaultOutputModes": [
            "text/plain"
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
              ],
              "inputModes": [
                "text/markdown"
              ],
              "securityRequirements": [
                {
                  "schemes": {
                    "bearer": {
                      "list": []
                    }
                  }
                }
              ]
            }
          ],
          "signatures": [
            {
              "protected": "eyJ9",
              "signature": "c2ln",
              "header": {
                "kid": "k"
              }
            }
          ],
          "iconUrl": "https://example.com/icon.png"
        }"#]],
    );
}

fn hybrid() -> HybridCard {
    HybridCard::new(card()).unwrap()
}

#[test]
fn the_hybrid_card() {
    check(
        &hybrid(),
        &expect![[r#"
        {
          "protocolVersion": "0.3.0",
          "name": "Pollux",
          "description": "d",
          "url": "http://localhost:41242/",
          "preferredTransport": "JSONRPC",
          "additionalInterfaces": [
            {
              "url": "http://localhost:41242/",
              "transport": "JSONRPC"
            },
            {
              "url": "localhost:41243",
              "transport": "GRPC"
            }
          ],
          "supportedInterfaces": [
            {
              "url": "http://localhost:41242/",
              "protocolBinding": "JSONRPC",
              "protocolVersion": "1.0"
            },
            {
              "url": "http://localhost:41242/a2a/v1",
              "protocolBinding": "HTTP+JSON",
              "protocolVersion": "1.0"
            },
            {
              "url": "http://localhost:41242/",
              "protocolBinding": "JSONRPC",
              "protocolVersion": "0.3"
            },
            {
              "url": "localhost:41243",
              "protocolBinding": "GRPC",
              "protocolVersion": "0.3"
            }
          ],
          "provider": {
            "url": "https://example.com",
            "organization": "o"
          },
          "version": "0.1.0",
          "documentationUrl": "https://example.com/docs",
          "iconUrl": "https://example.com/icon.png",
          "capabilities": {
            "streaming": true,
            "pushNotifications": false,
            "stateTransitionHistory": true,
            "extensions": [
              {
                "uri": "urn:x",
                "description": "d",
                "required": false,
                "params": {
                  "a": 1
                }
              }
            ],
            "extendedAgentCard": true
          },
          "securitySchemes": {
            "bearer": {
              "type": "http",
              "scheme": "Bearer",
              "httpAuthSecurityScheme": {
                "scheme": "Bearer"
              }
            }
          },
          "security": [
            {
              "bearer": []
            }
          ],
          "defaultInputModes": [
            "text/plain"
          ],
          "defaultOutputModes": [
            "text/plain"
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
              ],
              "inputModes": [
                "text/markdown"
              ],
              "security": [
                {
                  "bearer": []
                }
              ],
              "securityRequirements": [
                {
                  "schemes": {
                    "bearer": {
                      "list": []
                    }
                  }
                }
              ]
            }
          ],
          "supportsAuthenticatedExtendedCard": true,
          "signatures": [
            {
              "protected": "eyJ9",
              "signature": "c2ln",
              "header": {
                "kid": "k"
              }
            }
          ],
          "securityRequirements": [
            {
              "schemes": {
                "bearer": {
                  "list": []
                }
              }
            }
          ]
        }"#]],
    );
    let mut only_new = card();
    only_new.supported_interfaces.truncate(2);
    assert_eq!(HybridCard::new(only_new), None);
}

#[test]
fn each_version_reads_its_own_card_in_the_hybrid_one() {
    let text = serde_json::to_value(hybrid()).unwrap();
    assert_eq!(serde_json::from_value::<AgentCard>(text.clone()).unwrap(), card());
    assert_eq!(serde_json::from_value::<a2a::AgentCard>(text.clone()).unwrap(), hybrid().into_v03());
    // Over HTTP+JSON some clients of 0.3 read the card by its `.proto`, which has the schemes of 1.0.
    let by_proto = serde_json::from_value::<v03_proto::AgentCard>(text).unwrap();
    assert_eq!(by_proto.security_schemes, card().security_schemes);
}

#[test]
fn the_card_comes_back_from_the_one_of_0_3() {
    let expected = AgentCard { signatures: vec![], ..card() };
    assert_eq!(AgentCard::from(card().to_v03().unwrap()), expected);
}

#[test]
fn interfaces_are_made_for_a_plain_old_card() {
    let mut old = card().to_v03().unwrap();
    old.supported_interfaces.clear();
    let expected =
        [interface("http://localhost:41242/", "JSONRPC", "0.3.0"), interface("localhost:41243", "GRPC", "0.3.0")];
    assert_eq!(AgentCard::from(old).supported_interfaces, expected);
}

#[test]
fn the_card_in_the_proto_of_0_3() {
    check_both(
        &v03_proto::AgentCard::from(card().to_v03().unwrap()),
        &expect![[r#"
        {
          "protocolVersion": "0.3.0",
          "name": "Pollux",
          "description": "d",
          "url": "http://localhost:41242/",
          "preferredTransport": "JSONRPC",
          "additionalInterfaces": [
            {
              "url": "http://localhost:41242/",
              "transport": "JSONRPC"
            },
            {
              "url": "localhost:41243",
              "transport": "GRPC"
            }
          ],
          "provider": {
            "url": "https://example.com",
            "organization": "o"
          },
          "version": "0.1.0",
          "documentationUrl": "https://example.com/docs",
          "capabilities": {
            "streaming": true,
            "pushNotifications": false,
            "extensions": [
              {
                "uri": "urn:x",
                "description": "d",
                "required": false,
                "params": {
                  "a": 1
                }
              }
            ]
          },
          "securitySchemes": {
            "bearer": {
              "httpAuthSecurityScheme": {
                "scheme": "Bearer"
              }
            }
          },
          "security": [
            {
              "schemes": {
                "bearer": {
                  "list": []
                }
              }
            }
          ],
          "defaultInputModes": [
            "text/plain"
          ],
          "defaultOutputModes": [
            "text/plain"
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
              ],
              "inputModes": [
                "text/markdown"
              ],
              "security": [
                {
                  "schemes": {
                    "bearer": {
                      "list": []
                    }
                  }
                }
              ]
            }
          ],
          "supportsAuthenticatedExtendedCard": true,
          "iconUrl": "https://example.com/icon.png"
        }"#]],
    );
}

#[test]
fn every_way_to_sign_in() {
    let flow = OAuthFlow {
        token_url: "https://example.com/token".into(),
        scopes: [("read".to_owned(), "look".to_owned())].into(),
        ..OAuthFlow::default()
    };
    let code = OAuthFlow {
        authorization_url: "https://example.com/authorize".into(),
        refresh_url: "https://example.com/refresh".into(),
        pkce_required: true,
        ..flow.clone()
    };
    let page = OAuthFlow { token_url: String::new(), pkce_required: false, ..code.clone() };
    let device = OAuthFlow { device_authorization_url: "https://example.com/device".into(), ..flow.clone() };
    check(
        &[
            OAuthFlows::AuthorizationCode(code.clone()),
            OAuthFlows::ClientCredentials(flow.clone()),
            OAuthFlows::Implicit(page),
            OAuthFlows::Password(flow),
            OAuthFlows::DeviceCode(device),
        ],
        &expect![[r#"
            [
              {
                "authorizationCode": {
                  "authorizationUrl": "https://example.com/authorize",
                  "tokenUrl": "https://example.com/token",
                  "refreshUrl": "https://example.com/refresh",
                  "scopes": {
                    "read": "look"
                  },
                  "pkceRequired": true
                }
              },
              {
                "clientCredentials": {
                  "tokenUrl": "https://example.com/token",
                  "scopes": {
                    "read": "look"
                  }
                }
              },
              {
                "implicit": {
                  "authorizationUrl": "https://example.com/authorize",
                  "refreshUrl": "https://example.com/refresh",
                  "scopes": {
                    "read": "look"
                  }
                }
              },
              {
                "password": {
                  "tokenUrl": "https://example.com/token",
                  "scopes": {
                    "read": "look"
                  }
                }
              },
              {
                "deviceCode": {
                  "deviceAuthorizationUrl": "https://example.com/device",
                  "tokenUrl": "https://example.com/token",
                  "scopes": {
                    "read": "look"
                  }
                }
              }
            ]"#]],
    );
    check_both(
        &[
            SecurityScheme::ApiKeySecurityScheme {
                description: String::new(),
                location: "header".into(),
                name: "X-Key".into(),
            },
            SecurityScheme::HttpAuthSecurityScheme {
                description: "d".into(),
                scheme: "Bearer".into(),
                bearer_format: "JWT".into(),
            },
            SecurityScheme::Oauth2SecurityScheme {
                description: String::new(),
                flows: OAuthFlows::AuthorizationCode(code),
                oauth2_metadata_url: "https://example.com/metadata".into(),
            },
            SecurityScheme::OpenIdConnectSecurityScheme {
                description: String::new(),
                open_id_connect_url: "https://example.com/.well-known/openid-configuration".into(),
            },
            SecurityScheme::MtlsSecurityScheme { description: String::new() },
        ],
        &expect![[r#"
            [
              {
                "apiKeySecurityScheme": {
                  "location": "header",
                  "name": "X-Key"
                }
              },
              {
                "httpAuthSecurityScheme": {
                  "description": "d",
                  "scheme": "Bearer",
                  "bearerFormat": "JWT"
                }
              },
              {
                "oauth2SecurityScheme": {
                  "flows": {
                    "authorizationCode": {
                      "authorizationUrl": "https://example.com/authorize",
                      "tokenUrl": "https://example.com/token",
                      "refreshUrl": "https://example.com/refresh",
                      "scopes": {
                        "read": "look"
                      },
                      "pkceRequired": true
                    }
                  },
                  "oauth2MetadataUrl": "https://example.com/metadata"
                }
              },
              {
                "openIdConnectSecurityScheme": {
                  "openIdConnectUrl": "https://example.com/.well-known/openid-configuration"
                }
              },
              {
                "mtlsSecurityScheme": {}
              }
            ]"#]],
    );
}
