//! The MCP side: what is said about this server, and where its requests go.
#![expect(deprecated, reason = "a later protocol drops log messages; the clients of today show them")]

use super::request_client::McpRequestClient;
use super::server_state::McpServerState;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult, LoggingLevel,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, SetLevelRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use std::borrow::Cow;
use std::sync::Arc;
use tokio::sync::watch;

/// The newest protocol in which a server may ask its client something in the middle of a call.
const NEWEST: ProtocolVersion = ProtocolVersion::V_2025_11_25;

const INSTRUCTIONS: &str = "Pollux works on the files of one workspace. Its tools read, search and change them and run \
                            commands; run_task hands a whole piece of work to its agent. What is not allowed yet asks \
                            the person at this client.";

/// Answers one client.
pub(super) struct McpRequestHandler {
    state: Arc<McpServerState>,
    /// From which level on log messages are sent.
    level: watch::Sender<LoggingLevel>,
}

impl McpRequestHandler {
    pub(super) fn new(state: Arc<McpServerState>) -> McpRequestHandler {
        McpRequestHandler { state, level: watch::Sender::new(LoggingLevel::Info) }
    }
}

impl ServerHandler for McpRequestHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_logging().build();
        ServerConfig::new(capabilities)
            .with_protocol_version(NEWEST)
            .with_server_info(Implementation::new("pollux", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&NEWEST))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.state.tools().to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = McpRequestClient::new(
            &context,
            self.state.owner.clone(),
            self.level.subscribe(),
            self.state.closing.clone(),
        );
        let args = request.arguments.unwrap_or_default();
        match self.state.call(&request.name, args, client).await {
            Some(result) => Ok(result.into()),
            None => {
                let offered = self.state.tools().iter().map(|tool| tool.name.as_ref());
                let offered = offered.collect::<Vec<_>>().join(", ");
                Err(ErrorData::invalid_params(
                    format!("there is no tool {:?}; there are {offered}", request.name),
                    None,
                ))
            }
        }
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.level.send_replace(request.level);
        Ok(())
    }
}
