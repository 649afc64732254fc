//! Settings as YAML, as the seeds' `config.yaml` has them, in the form that [`super::jsonc`] gives.

use super::jsonc::{NodeContent, NodeField, SettingsFlaw, SettingsNode, TextPosition};
use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};

#[cfg(test)]
mod tests;

/// The deepest nesting of values.
const DEPTH: usize = 64;

/// Read `text`, which must hold one mapping; an empty text is an empty one.
///
/// Settings need no anchors, aliases and tags, and no second document. They are refused: an alias can make a small file
/// mean an enormous one.
pub(crate) fn parse(text: &str) -> Result<Vec<NodeField>, SettingsFlaw> {
    let mut reader = YamlReader { events: Parser::new_from_str(text), last: TextPosition { line: 1, column: 1 } };
    let mut fields = None;
    loop {
        let (event, at) = reader.next()?;
        match event {
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            Event::StreamEnd => return Ok(fields.unwrap_or_default()),
            _ if fields.is_some() => return Err(flaw(at, "a settings file holds one document, and this is another")),
            event => {
                let node = reader.node(event, at, 0)?;
                fields = Some(match node.content {
                    NodeContent::Object(fields) => fields,
                    NodeContent::Null => Vec::new(),
                    _ => return Err(flaw(node.at, "expected names with values, like `model:`")),
                });
            }
        }
    }
}

struct YamlReader<'a> {
    events: Parser<'a, StrInput<'a>>,
    last: TextPosition,
}

impl<'a> YamlReader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, TextPosition), SettingsFlaw> {
        match self.events.next_event() {
            None => Ok((Event::StreamEnd, self.last)),
            Some(Ok((event, span))) => {
                self.last = TextPosition { line: span.start.line(), column: span.start.col() + 1 };
                Ok((event, self.last))
            }
            Some(Err(error)) => {
                let at = TextPosition { line: error.marker().line(), column: error.marker().col() + 1 };
                Err(flaw(at, error.info()))
            }
        }
    }

    /// The value that `event` begins.
    fn node(&mut self, event: Event<'a>, at: TextPosition, depth: usize) -> Result<SettingsNode, SettingsFlaw> {
        if depth > DEPTH {
            return Err(flaw(at, &format!("values lie more than {DEPTH} deep in one another")));
        }
        let content = match event {
            Event::Alias(_) => return Err(flaw(at, "an alias has no place in settings; write the value itself")),
            Event::Scalar(_, _, anchor, ref tag) if anchor > 0 || tag.is_some() => return Err(marked(at)),
            Event::SequenceStart(anchor, ref tag) | Event::MappingStart(anchor, ref tag)
                if anchor > 0 || tag.is_some() =>
            {
                return Err(marked(at));
            }
            Event::Scalar(text, ScalarStyle::Plain, ..) => plain(&text),
            Event::Scalar(text, ..) => NodeContent::Text(text.into_owned()),
            Event::SequenceStart(..) => NodeContent::List(self.list(depth)?),
            Event::MappingStart(..) => NodeContent::Object(self.fields(depth)?),
            _ => return Err(flaw(at, "expected a value")),
        };
        Ok(SettingsNode { at, content })
    }

    fn list(&mut self, depth: usize) -> Result<Vec<SettingsNode>, SettingsFlaw> {
        let mut nodes = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(nodes),
                (event, at) => nodes.push(self.node(event, at, depth + 1)?),
            }
        }
    }

    fn fields(&mut self, depth: usize) -> Result<Vec<NodeField>, SettingsFlaw> {
        let mut fields: Vec<NodeField> = Vec::new();
        loop {
            let (name, at) = match self.next()? {
                (Event::MappingEnd, _) => return Ok(fields),
                (Event::Scalar(_, _, anchor, tag), at) if anchor > 0 || tag.is_some() => return Err(marked(at)),
                (Event::Scalar(name, ..), at) => (name.into_owned(), at),
                (_, at) => return Err(flaw(at, "a name must be a plain word")),
            };
            // As in JSON: which of two the writer meant cannot be known.
            if let Some(first) = fields.iter().find(|field| field.name == name) {
                let what = format!("{name:?} is set twice in one place, first on line {}", first.at.line);
                return Err(SettingsFlaw { at, what });
            }
            let (event, value_at) = self.next()?;
            let value = self.node(event, value_at, depth + 1)?;
            fields.push(NodeField { name, at, value });
        }
    }
}

/// The value of a word without quotes, by YAML 1.2: `yes` and `no` are texts.
fn plain(text: &str) -> NodeContent {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeContent::Null,
        "true" | "True" | "TRUE" => NodeContent::Flag(true),
        "false" | "False" | "FALSE" => NodeContent::Flag(false),
        text if is_number(text) => NodeContent::Number(text.to_owned()),
        text => NodeContent::Text(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    let begins = text.strip_prefix('-').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit());
    begins && text.parse::<f64>().is_ok()
}

fn marked(at: TextPosition) -> SettingsFlaw {
    flaw(at, "anchors and tags have no place in settings; write the value alone")
}

fn flaw(at: TextPosition, what: &str) -> SettingsFlaw {
    SettingsFlaw { at, what: what.to_owned() }
}
