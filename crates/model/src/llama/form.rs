//! The form of an answer: `{"say": TEXT}` or `{"tool": NAME, "args": {…}}`, always spelt with the same blanks.
//!
//! A small model writes what it has seen. So the history is told in the form that the grammar demands.

use serde::Serialize;
use serde_json::ser::Formatter;
use serde_json::{Serializer, Value};
use std::io::{self, Write};

/// The beginning of an answer in words.
pub(super) const SAY: &str = "{\"say\": ";
/// The beginning of a call.
pub(super) const TOOL: &str = "{\"tool\": ";
/// The text between a tool and its arguments.
pub(super) const ARGS: &str = ", \"args\": ";

/// An answer in words.
pub(super) fn say(text: &str) -> String {
    format!("{SAY}{}}}", spell(&Value::from(text)))
}

/// A call.
pub(super) fn call(name: &str, args: &Value) -> String {
    format!("{TOOL}{}{ARGS}{}}}", spell(&Value::from(name)), spell(args))
}

/// JSON on one line, with a blank behind every comma and colon.
pub(super) fn spell(value: &Value) -> String {
    let mut bytes = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, SpacedFormatter));
    match (written, String::from_utf8(bytes)) {
        (Ok(()), Ok(text)) => text,
        // A value always can be written; were it not so, the usual spelling is as true.
        _ => value.to_string(),
    }
}

struct SpacedFormatter;

impl Formatter for SpacedFormatter {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        separate(writer, first)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        separate(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

fn separate<W: ?Sized + Write>(writer: &mut W, first: bool) -> io::Result<()> {
    if first { Ok(()) } else { writer.write_all(b", ") }
}
