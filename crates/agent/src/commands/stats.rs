//! `/stats`: what the session took so far.

use super::{Answer, Asked, Command, Occasion, plain};
use pollux_model::Models;
use pollux_session::{CallOutcome, CommandInfo, Line, Pending, Transcript, Usage};

/// The command.
pub(super) struct Stats;

impl Command for Stats {
    fn info(&self) -> CommandInfo {
        plain("stats", "Turns, model calls, tokens, cost and tool calls of this session")
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, _: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move { Ok(Answer::say(Tally::of(occasion.transcript, &occasion.agent.models).in_words())) })
    }
}

/// What answers took. What sub-agents and summaries took is not in the conversation.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    turns: u64,
    requests: u64,
    usage: Usage,
    /// In millionths of a dollar; `None` as soon as the price of one call is not known.
    cost: Option<u64>,
    calls: u64,
    succeeded: u64,
}

impl Tally {
    fn of(transcript: &Transcript, models: &Models) -> Tally {
        let mut tally = Tally { cost: Some(0), ..Tally::default() };
        let (mut model, mut commanded) = (String::new(), false);
        for line in transcript.lines() {
            match line {
                Line::Turn { model: asked, command, .. } => {
                    model.clone_from(asked);
                    commanded = command.is_some();
                    tally.turns += u64::from(!commanded);
                }
                Line::FellBack { to, .. } => model.clone_from(to),
                Line::Attachment { .. } if commanded => {
                    commanded = false;
                    tally.turns += 1;
                }
                Line::Step { usage, .. } if !commanded => tally.request(&model, *usage, models),
                Line::Call { outcome: Some(outcome), .. } if *outcome != CallOutcome::Superseded => {
                    tally.calls += 1;
                    tally.succeeded += u64::from(matches!(outcome, CallOutcome::Succeeded { .. }));
                }
                _ => {}
            }
        }
        tally
    }

    fn request(&mut self, model: &str, usage: Usage, models: &Models) {
        self.requests += 1;
        self.usage.prompt += usage.prompt;
        self.usage.cached += usage.cached;
        self.usage.output += usage.output;
        self.usage.thoughts += usage.thoughts;
        let price = models.resolve(model).ok().and_then(|model| model.info().prices);
        let cost = price.map(|prices| prices.cost(&usage).0);
        self.cost = self.cost.zip(cost).map(|(so_far, more)| so_far.saturating_add(more));
    }

    fn in_words(&self) -> String {
        let Usage { prompt, cached, output, thoughts } = self.usage;
        let cost = match self.cost {
            #[expect(clippy::cast_precision_loss, reason = "a cost is shown with four digits")]
            Some(cost) if self.requests > 0 => format!("${:.4}", cost as f64 / 1_000_000.0),
            Some(_) => "nothing yet".to_owned(),
            None => "not known for every model that was asked".to_owned(),
        };
        [
            format!("turns: {}", self.turns),
            format!("model calls: {}", self.requests),
            format!("tokens: {prompt} in ({cached} from a cache), {output} out, {thoughts} for thoughts"),
            format!("cost: {cost}"),
            format!("tool calls: {}, of which {} succeeded", self.calls, self.succeeded),
        ]
        .join("\n")
    }
}
