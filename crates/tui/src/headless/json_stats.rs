//! The totals of a turn, in the two shapes Gemini CLI gives them. Figures that it has no name for (`thoughts` in the
//! short one, `cost`) are added beside its fields.

use pollux_session::{ConversationStats, ModelCallPurpose, ModelCallStats, ToolCallStats};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The `stats` of `json`.
pub(super) fn json_stats(tally: &ConversationStats) -> Value {
    let models: Map<String, Value> =
        tally.models.iter().map(|(model, roles)| (model.clone(), full_model(roles))).collect();
    let all = tally.total_tool_calls();
    let by_name: Map<String, Value> = tally.tools.iter().map(|(tool, runs)| (tool.clone(), full_tool(runs))).collect();
    let mut stats = json!({
        "models": models,
        "tools": {
            "totalCalls": all.count,
            "totalSuccess": all.succeeded,
            "totalFail": all.count - all.succeeded,
            "totalDurationMs": all.duration_ms,
            "totalDecisions": decisions(&all),
            "byName": by_name,
        },
        "files": { "totalLinesAdded": tally.lines_added, "totalLinesRemoved": tally.lines_removed },
    });
    add_cost(&mut stats, &tally.total_model_calls());
    stats
}

fn full_model(roles: &BTreeMap<ModelCallPurpose, ModelCallStats>) -> Value {
    let mut total = ModelCallStats::default();
    let mut by_role = Map::new();
    for (role, requests) in roles {
        total.add(requests);
        let name = match role {
            ModelCallPurpose::Answering => "main",
            ModelCallPurpose::Compacting => "utility_compressor",
            ModelCallPurpose::Helping => "utility_tool",
        };
        let value = json!({
            "totalRequests": requests.count,
            "totalErrors": requests.failed(),
            "totalLatencyMs": requests.latency_ms,
            "tokens": tokens(requests),
        });
        by_role.insert(name.into(), value);
    }
    json!({
        "api": {
            "totalRequests": total.count,
            "totalErrors": total.failed(),
            "totalLatencyMs": total.latency_ms,
            "errorsByType": total.errors,
        },
        "tokens": tokens(&total),
        "roles": by_role,
    })
}

/// `input` is what was sent and not taken from a cache, `prompt` is all of it.
fn tokens(requests: &ModelCallStats) -> Value {
    let usage = &requests.tokens;
    json!({
        "input": usage.prompt.saturating_sub(usage.cached),
        "prompt": usage.prompt,
        "candidates": usage.output,
        "total": total(requests),
        "cached": usage.cached,
        "thoughts": usage.thoughts,
        "tool": 0,
    })
}

fn full_tool(runs: &ToolCallStats) -> Value {
    json!({
        "count": runs.count,
        "success": runs.succeeded,
        "fail": runs.count - runs.succeeded,
        "durationMs": runs.duration_ms,
        "decisions": decisions(runs),
    })
}

fn decisions(runs: &ToolCallStats) -> Value {
    json!({
        "accept": runs.accepted,
        "reject": runs.rejected,
        "modify": runs.modified,
        "auto_accept": runs.unasked,
    })
}

/// The `stats` of `stream-json`.
pub(super) fn stream_json_stats(tally: &ConversationStats, duration_ms: u64) -> Value {
    let all = tally.total_model_calls();
    let mut stats = brief_tokens(&all);
    stats.insert("duration_ms".into(), duration_ms.into());
    stats.insert("tool_calls".into(), tally.total_tool_calls().count.into());
    let models: Map<String, Value> = tally
        .models
        .iter()
        .map(|(model, roles)| {
            let mut total = ModelCallStats::default();
            roles.values().for_each(|requests| total.add(requests));
            (model.clone(), brief_tokens(&total).into())
        })
        .collect();
    stats.insert("models".into(), models.into());
    let mut stats = Value::from(stats);
    add_cost(&mut stats, &all);
    stats
}

fn brief_tokens(requests: &ModelCallStats) -> Map<String, Value> {
    let usage = &requests.tokens;
    [
        ("total_tokens", total(requests)),
        ("input_tokens", usage.prompt),
        ("output_tokens", usage.output),
        ("thoughts", usage.thoughts),
        ("cached", usage.cached),
        ("input", usage.prompt.saturating_sub(usage.cached)),
    ]
    .into_iter()
    .map(|(name, count)| (name.to_owned(), count.into()))
    .collect()
}

fn total(requests: &ModelCallStats) -> u64 {
    let usage = &requests.tokens;
    usage.prompt + usage.output + usage.thoughts
}

/// In US dollars, when the price of every model call is known.
fn add_cost(stats: &mut Value, requests: &ModelCallStats) {
    if let (Some(cost), Some(fields)) = (requests.cost(), stats.as_object_mut()) {
        fields.insert("cost".into(), cost.into());
    }
}
