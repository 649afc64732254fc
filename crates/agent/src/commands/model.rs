//! `/model`: the model that answers, or another one from the next turn on.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_model::ModelRegistry;
use pollux_session::{BuiltInCommand, CommandInfo, Report, SessionSetting};

/// The command.
pub(super) struct ModelCommand;

const KEY_HINT: &str = "No API key found. For other models, set GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY and start \
                        Pollux again.";

#[async_trait]
impl SlashCommand for ModelCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Model.info()
    }

    async fn step(
        &self,
        command_context: &CommandContext<'_>,
        asked: &CommandInvocation,
    ) -> Result<CommandOutput, String> {
        let name = asked.argument();
        if name.is_empty() {
            let (first, current) = match command_context.model_call() {
                Ok(call_context) => {
                    (format!("model: {}", call_context.model.info().label), call_context.model.info().id.clone())
                }
                Err(why) => (format!("model: none ({why})"), String::new()),
            };
            let mut lines = vec![first];
            let offered = models_offered(&command_context.agent.models).await;
            let models = &command_context.agent.models;
            let is_current =
                |offer: &str| offer.split_whitespace().next().is_some_and(|name| is_same_model(models, name, &current));
            let mark = |offer: &str| if is_current(offer) { " · in use" } else { "" };
            lines.extend(offered.iter().map(|offer| format!("- {offer}{}", mark(offer))));
            lines.extend(missing_key_hint(models).map(str::to_owned));
            lines.push("/model NAME sets another one, from the next turn on.".to_owned());
            return Ok(CommandOutput::say(lines.join("\n")));
        }
        command_context
            .agent
            .resolve_model(&name)
            .map_err(|failure| format!("{}; nothing has changed, and /model lists what can be had", failure.message))?;
        let note = command_context.agent.models.explain_unknown_name(&name);
        let note = note.map(|note| format!(" Note: {note}.")).unwrap_or_default();
        let said = format!("{name} answers from the next turn on.{note}");
        Ok(CommandOutput::say(said).with_change(Report::Set { setting: SessionSetting::Model(name) }))
    }
}

/// The way to more models, if no API key was found.
pub fn missing_key_hint(models: &ModelRegistry) -> Option<&'static str> {
    let is_any_ready = models.catalogue().entries().iter().any(|entry| models.is_ready(entry.provider));
    (!is_any_ready).then_some(KEY_HINT)
}

/// The models a person may switch to, a line each with the name that chooses it first: those that a key opens, with
/// their prices, and those of servers that run on this machine right now.
pub async fn models_offered(models: &ModelRegistry) -> Vec<String> {
    let entries = models.catalogue().entries().iter();
    let ready = entries.filter(|entry| models.is_ready(entry.provider)).map(|entry| {
        let name = entry.name();
        let prices = models.resolve(&name).ok().and_then(|model| model.info().prices);
        format!("{name}{}", prices.map(|prices| format_prices(&prices)).unwrap_or_default())
    });
    let mut lines: Vec<String> = ready.collect();
    for server in models.detect_local().await {
        lines.extend(server.models.iter().map(|model| format!("{}  (on this machine)", model.name())));
    }
    // By the name that the status line shows.
    let demo = models.resolve("demo").map_or_else(|_| "demo".to_owned(), |model| model.info().id.clone());
    lines.push(format!("{demo}  (needs no key)"));
    lines
}

/// Whether two names choose the same model: `flash` is the short form of another name.
pub fn is_same_model(models: &ModelRegistry, one: &str, other: &str) -> bool {
    let id = |name: &str| models.resolve(name).map_or_else(|_| name.to_owned(), |model| model.info().id.clone());
    one == other || id(one) == id(other)
}

/// `  $1.25 in, $10 out per million tokens`
fn format_prices(prices: &pollux_model::ModelPrices) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a price has few digits")]
    let dollars = |rate: pollux_model::MicroDollars| rate.0 as f64 / 1_000_000.0;
    let (sent, received) = (dollars(prices.usual.input), dollars(prices.usual.output));
    format!("  ${sent} in, ${received} out per million tokens")
}
