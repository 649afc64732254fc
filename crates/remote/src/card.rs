//! An agent's card: what it is called, and the way of speaking to it that suits both sides.

use crate::address::Address;
use pollux_wire::devtool;
use reqwest::Url;
use serde_json::Value;

/// What is taken from a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Card {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) line: Line,
    pub(crate) streaming: bool,
    /// Whether it offers the `development-tool` extension.
    pub(crate) devtool: bool,
}

/// A way to speak to an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) version: Version,
    pub(crate) binding: Binding,
    pub(crate) url: Url,
    /// To be said with every request, if the card has one.
    pub(crate) tenant: Option<String>,
}

/// A line of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    Zero3,
    One,
}

/// How requests are written; what is tried first comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding {
    JsonRpc,
    HttpJson,
    Grpc,
}

impl Line {
    /// Whether its JSON is that of the `.proto` of 0.3, which has other names than that version's text.
    pub(crate) fn speaks_proto_of_0_3(&self) -> bool {
        self.version == Version::Zero3 && matches!(self.binding, Binding::HttpJson | Binding::Grpc)
    }
}

impl Card {
    /// Read a card of either version; else why it cannot be used.
    pub(crate) fn read(card: &Value, address: &Address) -> Result<Card, String> {
        let text = |name: &str| card.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let capabilities = card.get("capabilities").unwrap_or(&Value::Null);
        let extensions = capabilities.get("extensions").and_then(Value::as_array);
        let offers = |uri: &str| extensions.into_iter().flatten().any(|offered| offered["uri"] == uri);
        let required = extensions.into_iter().flatten().find(|offered| offered["required"] == true);
        if let Some(uri) = required.and_then(|offered| offered["uri"].as_str()).filter(|uri| *uri != devtool::URI) {
            return Err(format!("it demands the extension {uri}, which is not known here"));
        }
        Ok(Card {
            name: text("name"),
            description: text("description"),
            line: choose(card, address)?,
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
fn choose(card: &Value, address: &Address) -> Result<Line, String> {
    let (mut found, mut passed) = (Vec::new(), Vec::new());
    for offer in offers(card) {
        match offer.line(address) {
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
struct Offer<'a> {
    url: &'a str,
    binding: &'a str,
    version: &'a str,
    tenant: Option<&'a str>,
}

/// The ways a card offers, the most preferred first: those of 1.0 if it has any, else those of 0.3.
fn offers(card: &Value) -> Vec<Offer<'_>> {
    let list = |name: &str| card.get(name).and_then(Value::as_array).into_iter().flatten();
    let new: Vec<Offer<'_>> = list("supportedInterfaces")
        .filter_map(|offer| {
            Some(Offer {
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
        Offer { url, binding, version, tenant: None }
    });
    let others = list("additionalInterfaces").filter_map(|offer| {
        let (url, binding) = (offer.get("url")?.as_str()?, offer.get("transport")?.as_str()?);
        Some(Offer { url, binding, version, tenant: None })
    });
    main.into_iter().chain(others).collect()
}

impl Offer<'_> {
    fn line(&self, address: &Address) -> Result<Line, String> {
        let version = match self.version.split('.').next() {
            Some("0") => Version::Zero3,
            Some("1") => Version::One,
            _ => return Err(format!("version {} of A2A is not spoken here", self.version)),
        };
        let (binding, url) = match self.binding {
            "JSONRPC" => (Binding::JsonRpc, address.beside(self.url)?),
            "HTTP+JSON" => (Binding::HttpJson, address.beside(self.url)?),
            "GRPC" => (Binding::Grpc, address.target(self.url)?),
            other => return Err(format!("{other} of version {} is not spoken here", self.version)),
        };
        Ok(Line { version, binding, url, tenant: self.tenant.map(str::to_owned) })
    }
}

#[cfg(test)]
mod tests;
