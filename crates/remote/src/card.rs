//! An agent's card: what it is called, and the way of speaking to it that suits both sides.

use crate::agent_address::AgentAddress;
use pollux_wire::devtool;
use reqwest::Url;
use serde_json::Value;

/// The parts that are taken from a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentCardSummary {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) interface: ChosenInterface,
    pub(crate) streaming: bool,
    /// True if it offers the `development-tool` extension.
    pub(crate) devtool: bool,
}

/// A way to speak to an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChosenInterface {
    pub(crate) version: InterfaceVersion,
    pub(crate) binding: ProtocolBinding,
    pub(crate) url: Url,
    /// To be said with every request, if the card has one.
    pub(crate) tenant: Option<String>,
}

/// A line of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InterfaceVersion {
    V03,
    V10,
}

/// The format of requests; what is tried first comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ProtocolBinding {
    JsonRpc,
    HttpJson,
    Grpc,
}

impl ChosenInterface {
    /// True if its JSON is that of the `.proto` of 0.3, which has other names than that version's text.
    pub(crate) fn speaks_proto_of_0_3(&self) -> bool {
        self.version == InterfaceVersion::V03
            && matches!(self.binding, ProtocolBinding::HttpJson | ProtocolBinding::Grpc)
    }
}

impl AgentCardSummary {
    /// Read a card of either version; else why it cannot be used.
    pub(crate) fn read(card: &Value, address: &AgentAddress) -> Result<AgentCardSummary, String> {
        let text = |name: &str| card.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let capabilities = card.get("capabilities").unwrap_or(&Value::Null);
        let extensions = capabilities.get("extensions").and_then(Value::as_array);
        let offers = |uri: &str| extensions.into_iter().flatten().any(|offered| offered["uri"] == uri);
        let required = extensions.into_iter().flatten().find(|offered| offered["required"] == true);
        if let Some(uri) = required.and_then(|offered| offered["uri"].as_str()).filter(|uri| *uri != devtool::URI) {
            return Err(format!("it demands the extension {uri}, which is not known here"));
        }
        Ok(AgentCardSummary {
            name: text("name"),
            description: text("description"),
            interface: choose(card, address)?,
            streaming: capabilities.get("streaming").and_then(Value::as_bool).unwrap_or(false),
            devtool: offers(devtool::URI),
        })
    }
}

/// Every address that a card names, as it writes them, the most preferred first.
pub fn addresses_in_card(card: &Value) -> Vec<String> {
    offers(card).into_iter().map(|offer| offer.url.to_owned()).collect()
}

/// The first way the card prefers that is spoken here: JSON-RPC, and others only where there is nothing else.
fn choose(card: &Value, address: &AgentAddress) -> Result<ChosenInterface, String> {
    let (mut found, mut passed) = (Vec::new(), Vec::new());
    for offer in offers(card) {
        match offer.to_chosen(address) {
            Ok(line) => found.push(line),
            Err(why) => passed.push(why),
        }
    }
    // Of several that are as good, the first.
    match found.into_iter().min_by_key(|line| line.binding) {
        Some(line) => Ok(line),
        None if passed.is_empty() => Err("it names no address to send messages to".into()),
        None => Err(passed.join("; ")),
    }
}

/// One way a card offers.
struct OfferedInterface<'a> {
    url: &'a str,
    binding: &'a str,
    version: &'a str,
    tenant: Option<&'a str>,
}

/// The ways a card offers, the most preferred first: those of 1.0 if it has any, else those of 0.3.
fn offers(card: &Value) -> Vec<OfferedInterface<'_>> {
    let list = |name: &str| card.get(name).and_then(Value::as_array).into_iter().flatten();
    let new: Vec<OfferedInterface<'_>> = list("supportedInterfaces")
        .filter_map(|offer| {
            Some(OfferedInterface {
                url: offer.get("url")?.as_str()?,
                binding: offer.get("protocolBinding")?.as_str()?,
                version: offer.get("protocolVersion").and_then(Value::as_str).unwrap_or("1.0"),
                tenant: offer.get("tenant").and_then(Value::as_str).filter(|tenant| !tenant.is_empty()),
            })
        })
        .collect();
    if !new.is_empty() {
        return new;
    }
    let version = card.get("protocolVersion").and_then(Value::as_str).unwrap_or("0.3");
    let main = card.get("url").and_then(Value::as_str).map(|url| {
        let binding = card.get("preferredTransport").and_then(Value::as_str).unwrap_or("JSONRPC");
        OfferedInterface { url, binding, version, tenant: None }
    });
    let others = list("additionalInterfaces").filter_map(|offer| {
        let (url, binding) = (offer.get("url")?.as_str()?, offer.get("transport")?.as_str()?);
        Some(OfferedInterface { url, binding, version, tenant: None })
    });
    main.into_iter().chain(others).collect()
}

impl OfferedInterface<'_> {
    fn to_chosen(&self, address: &AgentAddress) -> Result<ChosenInterface, String> {
        let version = match self.version.split('.').next() {
            Some("0") => InterfaceVersion::V03,
            Some("1") => InterfaceVersion::V10,
            _ => return Err(format!("version {} of A2A is not spoken here", self.version)),
        };
        let (binding, url) = match self.binding {
            "JSONRPC" => (ProtocolBinding::JsonRpc, address.resolve_url(self.url)?),
            "HTTP+JSON" => (ProtocolBinding::HttpJson, address.resolve_url(self.url)?),
            "GRPC" => (ProtocolBinding::Grpc, address.target(self.url)?),
            other => return Err(format!("{other} of version {} is not spoken here", self.version)),
        };
        Ok(ChosenInterface { version, binding, url, tenant: self.tenant.map(str::to_owned) })
    }
}

#[cfg(test)]
mod tests;
