//! The fields of the spans around a log line: its request, task and session. The layer that prints to standard error
//! writes them by itself; lines that a screen draws get them from here.

use super::LogLine;
use std::fmt::Write as _;
use tracing::Subscriber;
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// The fields of one span, as text.
struct SpanFields(LogLine);

/// Remember the fields that a span begins with.
pub(super) fn remember<S>(attributes: &Attributes<'_>, id: &Id, context: &Context<'_, S>)
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let Some(span) = context.span(id) else { return };
    let mut fields = LogLine::default();
    attributes.record(&mut fields);
    span.extensions_mut().insert(SpanFields(fields));
}

/// Remember fields that become known later.
pub(super) fn add<S>(id: &Id, values: &Record<'_>, context: &Context<'_, S>)
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let Some(span) = context.span(id) else { return };
    if let Some(SpanFields(fields)) = span.extensions_mut().get_mut() {
        values.record(fields);
    }
}

/// ` request{id=7 task=… session=…}` for each span around `event`, outermost first.
pub(super) fn format_spans<S>(event: &tracing::Event<'_>, context: &Context<'_, S>) -> String
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let mut text = String::new();
    for span in context.event_scope(event).into_iter().flat_map(|scope| scope.from_root()) {
        if let Some(SpanFields(fields)) = span.extensions().get() {
            // Writing to a String cannot fail.
            let _ = write!(text, " {}{{{}}}", span.name(), fields.0);
        }
    }
    text
}

#[cfg(test)]
mod tests;
