//! `/stats`: what the session took so far.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_model::ModelRegistry;
use pollux_session::{
    BuiltInCommand, CallOutcome, CommandInfo, ModelUsage, SHELL_ATTACHMENT, Transcript, TranscriptLine, TurnOutcome,
};

/// The command.
pub(super) struct StatsCommand;

#[async_trait]
impl SlashCommand for StatsCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Stats.info()
    }

    async fn step(&self, command_context: &CommandContext<'_>, _: &CommandInvocation) -> Result<CommandOutput, String> {
        Ok(CommandOutput::say(SessionStats::count(command_context.transcript, &command_context.agent.models).render()))
    }
}

/// What the session took: answers, summaries, and what calls asked of models on the side. Failed calls count as in
/// headless JSON.
#[derive(Debug, Default, PartialEq)]
struct SessionStats {
    turns: u64,
    requests: u64,
    failed: u64,
    usage: ModelUsage,
    /// In millionths of a dollar; `None` as soon as the price of one call is not known.
    cost: Option<u64>,
    calls: u64,
    succeeded: u64,
}

impl SessionStats {
    fn count(transcript: &Transcript, models: &ModelRegistry) -> SessionStats {
        let mut tally = SessionStats { cost: Some(0), ..SessionStats::default() };
        let (mut model, mut commanded) = (String::new(), false);
        // Whether a model is waited for.
        let mut thinking = false;
        for line in transcript.lines() {
            match line {
                TranscriptLine::Turn { model: asked, command, .. } => {
                    model.clone_from(asked);
                    commanded = command.is_some();
                    thinking = !commanded;
                    tally.turns += u64::from(!commanded);
                }
                TranscriptLine::Retry { .. } => tally.fail_request(),
                TranscriptLine::FellBack { to, .. } => {
                    tally.fail_request();
                    model.clone_from(to);
                }
                TranscriptLine::Attachment { name, .. } if commanded && !name.starts_with(SHELL_ATTACHMENT) => {
                    (commanded, thinking) = (false, true);
                    tally.turns += 1;
                }
                TranscriptLine::Step { usage, .. } if !commanded => {
                    thinking = false;
                    tally.add_request(&model, *usage, models);
                }
                TranscriptLine::Spent { model: other, usage } => {
                    tally.add_request(other.as_ref().unwrap_or(&model), *usage, models);
                }
                TranscriptLine::End { outcome: TurnOutcome::Failed { .. }, .. } if thinking => tally.fail_request(),
                TranscriptLine::Call { outcome: Some(outcome), .. } if *outcome != CallOutcome::Superseded => {
                    thinking = !commanded;
                    tally.calls += 1;
                    tally.succeeded += u64::from(matches!(outcome, CallOutcome::Succeeded { .. }));
                }
                _ => {}
            }
        }
        tally
    }

    fn add_request(&mut self, model: &str, usage: ModelUsage, models: &ModelRegistry) {
        self.requests += 1;
        self.usage.prompt += usage.prompt;
        self.usage.cached += usage.cached;
        self.usage.output += usage.output;
        self.usage.thoughts += usage.thoughts;
        let price = models.resolve(model).ok().and_then(|model| model.info().prices);
        let cost = price.map(|prices| prices.cost(&usage).0);
        self.cost = self.cost.zip(cost).map(|(so_far, more)| so_far.saturating_add(more));
    }

    fn fail_request(&mut self) {
        self.requests += 1;
        self.failed += 1;
    }

    fn render(&self) -> String {
        let ModelUsage { prompt, cached, output, thoughts } = self.usage;
        let cost = match self.cost {
            #[expect(clippy::cast_precision_loss, reason = "a cost is shown with four digits")]
            Some(cost) if self.requests > 0 => format!("${:.4}", cost as f64 / 1_000_000.0),
            Some(_) => "nothing yet".to_owned(),
            None => "not known for every model that was asked".to_owned(),
        };
        let failed = if self.failed > 0 { format!(", of which {} failed", self.failed) } else { String::new() };
        [
            format!("turns: {}", self.turns),
            format!("model calls: {}{failed}", self.requests),
            format!("tokens: {prompt} in ({cached} from a cache), {output} out, {thoughts} for thoughts"),
            format!("cost: {cost}"),
            format!("tool calls: {}, of which {} succeeded", self.calls, self.succeeded),
        ]
        .join("\n")
    }
}

#[cfg(test)]
mod tests;
