//! The definition of an agent: read from a file whose head says how it works and whose text is its system prompt.

use super::front_matter::{self, FrontMatter, FrontMatterFault, FrontMatterField, FrontMatterHead, FrontMatterValue};
use pollux_remote::{AgentAddress, AgentCredential, addresses_in_card};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::time::Duration;

/// An agent that work can be handed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SubagentDefinition {
    pub(crate) name: String,
    /// Its purpose: the model chooses by it.
    pub(crate) description: String,
    pub(crate) source: DefinitionSource,
    pub(crate) kind: SubagentKind,
}

/// The author of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefinitionSource {
    /// Pollux.
    BuiltIn,
    /// The person, in a file of their own.
    Person,
    /// Whoever wrote into the workspace: perhaps the person, perhaps somebody whose repository it is, perhaps a model.
    Workspace,
}

impl SubagentDefinition {
    /// SHA-256, in hex, of everything that decides who gets the work and with what: files change, and what was said about
    /// an agent holds only for the one that it was said about.
    pub(crate) fn digest(&self) -> String {
        let SubagentDefinition { name, description: _, source, kind } = self;
        let whole = format!("{name:?} {source:?} {kind:?}");
        Sha256::digest(whole.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Where an agent works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SubagentKind {
    Local(LocalSubagent),
    Remote(RemoteSubagent),
}

/// An agent that works here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalSubagent {
    pub(crate) prompt: String,
    /// The tools it has; without them, all that do not speak for the session.
    pub(crate) tools: Option<Vec<String>>,
    /// The model it asks; without it, the session's.
    pub(crate) model: Option<String>,
    pub(crate) turns: u32,
    pub(crate) time: Duration,
}

/// An agent that works elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteSubagent {
    pub(crate) card: AgentCardSource,
    /// Other addresses that its card may name. Without them a card stays where it came from.
    pub(crate) others: Vec<String>,
    pub(crate) auth: Option<RemoteAgentAuth>,
    pub(crate) time: Duration,
}

/// Where the card of an agent elsewhere comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AgentCardSource {
    /// It is fetched from here.
    Address(String),
    /// The file holds it, as JSON; the agent is at the address that it names.
    Inline { json: String, address: String },
}

impl AgentCardSource {
    /// Where the agent is, for people.
    pub(crate) fn address(&self) -> &str {
        match self {
            AgentCardSource::Address(address) | AgentCardSource::Inline { address, .. } => address,
        }
    }
}

/// Our credentials for an agent elsewhere. The file names a variable; the secret itself is never in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RemoteAgentAuth {
    Bearer { variable: String },
    Key { header: String, variable: String },
}

/// The most answers of its model that an agent may use up, unless its file says otherwise.
pub(crate) const TURNS: u32 = 30;
/// The time limit of its model for all of them.
pub(crate) const TIME: Duration = Duration::from_secs(10 * 60);
/// The time limit of an agent elsewhere.
const REMOTE_TIME: Duration = Duration::from_secs(30 * 60);
/// More than any file means.
const MOST_TURNS: u32 = 1000;
const MOST_MINUTES: u64 = 24 * 60;

impl RemoteAgentAuth {
    /// The variable that holds the secret.
    pub(crate) fn variable(&self) -> &str {
        let (RemoteAgentAuth::Bearer { variable } | RemoteAgentAuth::Key { variable, .. }) = self;
        variable
    }

    /// The credential to send, with the secret that `env` holds for a file of this `source`.
    pub(crate) fn credential(
        &self,
        source: DefinitionSource,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<AgentCredential, String> {
        let variable = self.variable();
        let secret = env(variable).filter(|secret| !secret.trim().is_empty());
        let secret = secret.ok_or_else(|| match source {
            DefinitionSource::BuiltIn | DefinitionSource::Person => {
                format!("the variable {variable} is not set; it must hold the agent's secret")
            }
            DefinitionSource::Workspace => format!(
                "the workspace's own .env does not set {variable}, and an agent of a workspace gets none of your \
                 variables; to use one, put the agent's file into ~/.gemini/agents"
            ),
        })?;
        let credential = match self {
            RemoteAgentAuth::Bearer { .. } => AgentCredential::bearer(&secret),
            RemoteAgentAuth::Key { header, .. } => AgentCredential::key(header, &secret),
        };
        credential.map_err(|error| error.to_string())
    }
}

/// Read a file: one agent, or a list of agents elsewhere. Beside each come things its author should know, with their
/// lines.
pub(crate) fn read(
    text: &str,
    source: DefinitionSource,
) -> Result<Vec<(SubagentDefinition, Vec<FrontMatterFault>)>, FrontMatterFault> {
    let FrontMatter { head, body } = front_matter::parse(text)?;
    match head {
        FrontMatterHead::Table(fields) => Ok(vec![read_agent(&Fields { fields }, body, source)?]),
        FrontMatterHead::Tables(tables) => {
            tables.into_iter().map(|fields| read_listed(&Fields { fields }, source)).collect()
        }
    }
}

/// An agent of a list. The text of the file would be the prompt of only one, so those that need it have files of their own.
fn read_listed(
    fields: &Fields,
    source: DefinitionSource,
) -> Result<(SubagentDefinition, Vec<FrontMatterFault>), FrontMatterFault> {
    match fields.text("kind")?.as_deref() {
        Some("remote") => read_agent(fields, String::new(), source),
        _ => fields.fault("kind", "in a list every agent must be remote; give a local one a file of its own"),
    }
}

fn read_agent(
    fields: &Fields,
    body: String,
    source: DefinitionSource,
) -> Result<(SubagentDefinition, Vec<FrontMatterFault>), FrontMatterFault> {
    let name = fields.needed("name")?;
    if name.len() > 64 || !name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
    {
        return fields.fault("name", "use small letters, digits, `-` and `_`, at most 64");
    }
    let mut warnings = Vec::new();
    let kind = match fields.text("kind")?.as_deref() {
        None | Some("local") => SubagentKind::Local(local(fields, body)?),
        Some("remote") => SubagentKind::Remote(remote(fields)?),
        Some(other) => return fields.fault("kind", &format!("{other:?} is neither local nor remote")),
    };
    let description = match (&kind, fields.text("description")?.filter(|text| !text.is_empty())) {
        (_, Some(description)) => description,
        (SubagentKind::Local(_), None) => fields.needed("description")?,
        (SubagentKind::Remote(remote), None) => default_description(&remote.card),
    };
    let known: &[&str] = match &kind {
        SubagentKind::Local(_) => &["tools", "model", "max_turns", "timeout_mins"],
        SubagentKind::Remote(_) => &["agent_card_url", "agent_card_json", "other_addresses", "auth", "timeout_mins"],
    };
    for field in &fields.fields {
        let key = field.key.as_str();
        let why = match key {
            "name" | "description" | "kind" | "display_name" => continue,
            "temperature" => "`temperature` has no effect: models are asked with their own".to_owned(),
            key if known.contains(&key) => continue,
            key => format!("`{key}` is not known here and has no effect"),
        };
        warnings.push(FrontMatterFault { line: field.line, why });
    }
    Ok((SubagentDefinition { name, description, source, kind }, warnings))
}

fn local(fields: &Fields, prompt: String) -> Result<LocalSubagent, FrontMatterFault> {
    if prompt.is_empty() {
        return Err(FrontMatterFault {
            line: 1,
            why: "there is no text behind the head: it is the agent's system prompt".into(),
        });
    }
    let model = fields.text("model")?.filter(|model| model != "inherit" && !model.is_empty());
    Ok(LocalSubagent {
        prompt,
        tools: fields.list("tools")?,
        model,
        turns: fields
            .number("max_turns", u64::from(MOST_TURNS))?
            .map_or(TURNS, |turns| u32::try_from(turns).unwrap_or(TURNS)),
        time: fields.minutes()?.unwrap_or(TIME),
    })
}

fn remote(fields: &Fields) -> Result<RemoteSubagent, FrontMatterFault> {
    let mut others = fields.list("other_addresses")?.unwrap_or_default();
    let card = match fields.text("agent_card_json")?.filter(|text| !text.is_empty()) {
        Some(json) => {
            let (card, further) = inline_card(fields, json)?;
            others.extend(further);
            card
        }
        None => {
            let address = fields.needed("agent_card_url")?;
            check_address(fields, "agent_card_url", &address, &[])?;
            AgentCardSource::Address(address)
        }
    };
    check_address(fields, "other_addresses", card.address(), &others)?;
    Ok(RemoteSubagent { card, others, auth: auth(fields)?, time: fields.minutes()?.unwrap_or(REMOTE_TIME) })
}

/// The card in the file, and what it names besides its first address: the file names it with the card.
fn inline_card(fields: &Fields, json: String) -> Result<(AgentCardSource, Vec<String>), FrontMatterFault> {
    let key = "agent_card_json";
    let card: serde_json::Value = match serde_json::from_str(&json) {
        Ok(card) => card,
        Err(error) => return fields.fault(key, &format!("this is not JSON ({error})")),
    };
    let mut named = addresses_in_card(&card).into_iter();
    let Some(address) = named.next().map(with_scheme) else {
        return fields.fault(key, "the card names no address: it needs `url` or `supportedInterfaces`");
    };
    check_address(fields, key, &address, &[])?;
    // A path alone is a place of the first address.
    let others = named.filter(|other| *other != address && !other.starts_with('/')).collect();
    Ok((AgentCardSource::Inline { json, address }, others))
}

/// gRPC is often named by a host and port alone. Nothing says there whether it has TLS: only this machine is spoken to without.
fn with_scheme(address: String) -> String {
    if address.contains("://") || address.starts_with('/') {
        return address;
    }
    let host = address.rsplit_once(':').map_or(address.as_str(), |(host, _)| host).trim_matches(['[', ']']);
    let is_this_machine = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    format!("{}://{address}", if is_this_machine { "http" } else { "https" })
}

fn check_address(fields: &Fields, key: &str, address: &str, others: &[String]) -> Result<(), FrontMatterFault> {
    match AgentAddress::new(address, None).and_then(|address| address.with_others(others)) {
        Ok(_) => Ok(()),
        Err(error) => fields.fault(key, &error.to_string()),
    }
}

/// The description for a model of an agent whose file does not describe it. Its card is fetched only when somebody
/// agrees that it is called, so its content is not known yet.
fn default_description(card: &AgentCardSource) -> String {
    let told = match card {
        AgentCardSource::Address(_) => None,
        AgentCardSource::Inline { json, .. } => serde_json::from_str::<serde_json::Value>(json).ok(),
    };
    let told = told.as_ref().and_then(|card| card.get("description")?.as_str()).filter(|text| !text.is_empty());
    told.map_or_else(|| format!("An agent at {}.", card.address()), str::to_owned)
}

/// `type: http` with a bearer `token`, or `type: apiKey` with a `key` in the header `name`.
fn auth(fields: &Fields) -> Result<Option<RemoteAgentAuth>, FrontMatterFault> {
    let Some(field) = fields.find("auth") else { return Ok(None) };
    let FrontMatterValue::Table(inner) = &field.value else {
        return fields.fault("auth", "write its keys below it: `type`, and `token` or `key`");
    };
    let inner = Fields { fields: inner.clone() };
    match inner.needed("type")?.as_str() {
        "http" => {
            if let Some(scheme) = inner.text("scheme")?.filter(|scheme| !scheme.eq_ignore_ascii_case("bearer")) {
                return inner.fault("scheme", &format!("{scheme:?} is not sent here; only Bearer is"));
            }
            Ok(Some(RemoteAgentAuth::Bearer { variable: inner.variable("token")? }))
        }
        "apiKey" => {
            let header = inner.text("name")?.unwrap_or_else(|| "X-API-Key".to_owned());
            Ok(Some(RemoteAgentAuth::Key { header, variable: inner.variable("key")? }))
        }
        other => inner.fault("type", &format!("{other:?} is not known here: http or apiKey")),
    }
}

struct Fields {
    fields: Vec<FrontMatterField>,
}

impl Fields {
    fn find(&self, key: &str) -> Option<&FrontMatterField> {
        self.fields.iter().find(|field| field.key == key)
    }

    fn fault<T>(&self, key: &str, why: &str) -> Result<T, FrontMatterFault> {
        let line = self.find(key).or(self.fields.first()).map_or(1, |field| field.line);
        Err(FrontMatterFault { line, why: format!("`{key}`: {why}") })
    }

    fn text(&self, key: &str) -> Result<Option<String>, FrontMatterFault> {
        match self.find(key).map(|field| &field.value) {
            None => Ok(None),
            Some(FrontMatterValue::Text(text)) => Ok(Some(text.clone())),
            Some(FrontMatterValue::List(_) | FrontMatterValue::Table(_)) => self.fault(key, "this must be one text"),
        }
    }

    fn needed(&self, key: &str) -> Result<String, FrontMatterFault> {
        match self.text(key)?.filter(|text| !text.is_empty()) {
            Some(text) => Ok(text),
            None => self.fault(key, "it is missing"),
        }
    }

    fn list(&self, key: &str) -> Result<Option<Vec<String>>, FrontMatterFault> {
        match self.find(key).map(|field| &field.value) {
            None => Ok(None),
            Some(FrontMatterValue::List(items)) => Ok(Some(items.clone())),
            Some(FrontMatterValue::Text(text)) => {
                Ok(Some(text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()))
            }
            Some(FrontMatterValue::Table(_)) => self.fault(key, "this must be a list"),
        }
    }

    fn number(&self, key: &str, most: u64) -> Result<Option<u64>, FrontMatterFault> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        match text.parse::<u64>().ok().filter(|number| (1..=most).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => self.fault(key, &format!("this must be a whole number from 1 to {most}")),
        }
    }

    fn minutes(&self) -> Result<Option<Duration>, FrontMatterFault> {
        Ok(self.number("timeout_mins", MOST_MINUTES)?.map(|minutes| Duration::from_secs(minutes * 60)))
    }

    /// The variable that holds a secret: `$NAME`.
    fn variable(&self, key: &str) -> Result<String, FrontMatterFault> {
        let text = self.needed(key)?;
        let name = text.strip_prefix('$').map(|name| name.trim_start_matches('{').trim_end_matches('}'));
        match name.filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')) {
            Some(name) => Ok(name.to_owned()),
            // The value is not repeated: it may be the secret.
            None => self.fault(key, "name an environment variable that holds the secret, such as $MY_TOKEN"),
        }
    }
}

#[cfg(test)]
mod tests;
