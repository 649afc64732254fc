//! `/stats`: what the session took so far.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, CommandInfo, ConversationStats, ModelUsage, Seq};

/// The command.
pub(super) struct StatsCommand;

#[async_trait]
impl SlashCommand for StatsCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Stats.info()
    }

    async fn step(&self, command_context: &CommandContext<'_>, _: &CommandInvocation) -> Result<CommandOutput, String> {
        let mut stats = ConversationStats::new(Some(command_context.agent.models.prices()));
        let mut after = Seq::START;
        loop {
            let page = command_context.reporter.read_log(after).await.map_err(|error| error.to_string())?;
            let Some(last) = page.last() else { return Ok(CommandOutput::say(render_stats(&stats))) };
            after = last.seq;
            page.iter().for_each(|entry| stats.apply(entry));
        }
    }
}

fn render_stats(stats: &ConversationStats) -> String {
    let (model_calls, tool_calls) = (stats.total_model_calls(), stats.total_tool_calls());
    let ModelUsage { prompt, cached, output, thoughts } = model_calls.tokens;
    let cost = match model_calls.cost() {
        Some(dollars) => format!("${dollars:.4}"),
        None if model_calls.unpriced > 0 => "not known for every model that was asked".to_owned(),
        None => "nothing yet".to_owned(),
    };
    let failed = match model_calls.failed() {
        0 => String::new(),
        failed => format!(", of which {failed} failed"),
    };
    [
        format!("turns: {}", stats.turns),
        format!("model calls: {}{failed}", model_calls.count),
        format!("tokens: {prompt} in ({cached} from a cache), {output} out, {thoughts} for thoughts"),
        format!("cost: {cost}"),
        format!("tool calls: {}, of which {} succeeded", tool_calls.count, tool_calls.seen_to_succeed()),
    ]
    .join("\n")
}

#[cfg(test)]
mod tests;
