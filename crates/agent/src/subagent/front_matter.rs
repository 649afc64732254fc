//! The head of a file: `key: value` lines between two lines of `---`, or a list of such tables. A small, strict part of
//! YAML: plain and quoted text, lists, blocks of text, and one level of keys below a key.

/// One key and what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrontMatterField {
    pub(crate) key: String,
    /// Its line in the file, from 1.
    pub(crate) line: usize,
    pub(crate) value: FrontMatterValue,
}

/// The value behind a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FrontMatterValue {
    Text(String),
    List(Vec<String>),
    Table(Vec<FrontMatterField>),
}

/// An error, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrontMatterFault {
    pub(crate) line: usize,
    pub(crate) why: String,
}

/// The head of a file, and the text behind it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    pub(crate) head: FrontMatterHead,
    pub(crate) body: String,
}

/// The head of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FrontMatterHead {
    Table(Vec<FrontMatterField>),
    /// Each item of a list is a table.
    Tables(Vec<Vec<FrontMatterField>>),
}

/// Read a file.
pub(crate) fn parse(text: &str) -> Result<FrontMatter, FrontMatterFault> {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return fault(1, "the file does not begin with a line of three dashes");
    }
    let head: Vec<&str> = lines.by_ref().take_while(|line| line.trim_end() != "---").collect();
    let closed = text.lines().skip(1).any(|line| line.trim_end() == "---");
    if !closed {
        return fault(1, "the head has no end: close it with a line of three dashes");
    }
    let body = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
    let starts = items(&head);
    if starts.is_empty() {
        return Ok(FrontMatter { head: FrontMatterHead::Table(Reader::new(head, 0).fields(0)?), body });
    }
    let ends = starts.iter().skip(1).copied().chain([head.len()]);
    let tables = starts.iter().zip(ends).map(|(&start, end)| parse_list_item(&head[start..end], start));
    Ok(FrontMatter { head: FrontMatterHead::Tables(tables.collect::<Result<_, _>>()?), body })
}

/// Where the items of a list begin, if the head is one.
fn items(head: &[&str]) -> Vec<usize> {
    let Some(first) = head.iter().find(|line| !is_silent(line)).filter(|line| is_item(line.trim())) else {
        return Vec::new();
    };
    let begins = |line: &str| indent_of(line) == indent_of(first) && is_item(line.trim());
    head.iter().enumerate().filter(|(_, line)| begins(line)).map(|(at, _)| at).collect()
}

/// One item of a list, whose first line is the head's line `start`.
fn parse_list_item(lines: &[&str], start: usize) -> Result<Vec<FrontMatterField>, FrontMatterFault> {
    // The dash is as good as a blank: what follows it is the first field.
    let first = lines[0].replacen('-', " ", 1);
    let depth = indent_of(&first);
    let lines = std::iter::once(first.as_str()).chain(lines[1..].iter().copied()).collect();
    let mut reader = Reader { depth, ..Reader::new(lines, start) };
    let fields = reader.fields(depth)?;
    match reader.peek()? {
        None => Ok(fields),
        Some(_) => fault(reader.number(), "this line is indented too little"),
    }
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
    /// The number of lines of the head before these.
    before: usize,
    /// The indentation of its fields.
    depth: usize,
}

impl<'a> Reader<'a> {
    fn new(lines: Vec<&'a str>, before: usize) -> Reader<'a> {
        Reader { lines, at: 0, before, depth: 0 }
    }

    /// The fields that are indented by exactly `depth`.
    fn fields(&mut self, depth: usize) -> Result<Vec<FrontMatterField>, FrontMatterFault> {
        let mut fields: Vec<FrontMatterField> = Vec::new();
        while let Some((indent, text)) = self.peek()? {
            if indent < depth {
                break;
            }
            let line = self.number();
            if indent > depth {
                return fault(line, "this line is indented too far");
            }
            let Some((key, rest)) = text.split_once(':').filter(|(key, rest)| is_key(key) && is_apart(rest)) else {
                return fault(line, "this is not `key: value`");
            };
            if fields.iter().any(|field| field.key == key) {
                return fault(line, &format!("`{key}` is there twice"));
            }
            self.at += 1;
            let value = self.value(rest.trim(), depth, line)?;
            fields.push(FrontMatterField { key: key.to_owned(), line, value });
        }
        Ok(fields)
    }

    /// The value behind a key on `line`, and on the lines below it.
    fn value(&mut self, rest: &str, depth: usize, line: usize) -> Result<FrontMatterValue, FrontMatterFault> {
        let rest = if rest.starts_with(['"', '\'', '[']) { rest } else { without_comment(rest) };
        match rest {
            "|" | "|-" => return Ok(FrontMatterValue::Text(self.block(depth, "\n"))),
            ">" | ">-" => return Ok(FrontMatterValue::Text(self.block(depth, " "))),
            "" => {}
            text => return scalar(text, line),
        }
        match self.peek()? {
            Some((indent, text)) if indent >= depth && is_item(text) => self.items(indent),
            Some((indent, text)) if indent > depth && text.starts_with(['"', '\'']) => self.quoted(),
            Some((indent, _)) if indent > depth && depth == self.depth => {
                Ok(FrontMatterValue::Table(self.fields(indent)?))
            }
            Some((indent, _)) if indent > depth => fault(self.number(), "this is nested too deep"),
            _ => Ok(FrontMatterValue::Text(String::new())),
        }
    }

    /// A quoted text on lines of its own: a line break in it counts as a blank.
    fn quoted(&mut self) -> Result<FrontMatterValue, FrontMatterFault> {
        let line = self.number();
        let quote = self.lines[self.at].trim().chars().next().unwrap_or('"');
        let mut text = String::new();
        while let Some(more) = self.lines.get(self.at) {
            self.at += 1;
            text.push_str(if text.is_empty() { "" } else { " " });
            text.push_str(more.trim());
            if text.len() > 1 && text.ends_with(quote) {
                break;
            }
        }
        scalar(&text, line)
    }

    /// Lines of `- item`.
    fn items(&mut self, depth: usize) -> Result<FrontMatterValue, FrontMatterFault> {
        let mut items = Vec::new();
        while let Some((indent, text)) = self.peek()? {
            if indent != depth || !is_item(text) {
                break;
            }
            let line = self.number();
            match scalar(without_comment(text.trim_start_matches('-').trim()), line)? {
                FrontMatterValue::Text(item) if !item.is_empty() => items.push(item),
                _ => return fault(line, "an item of a list is one text"),
            }
            self.at += 1;
        }
        Ok(FrontMatterValue::List(items))
    }

    /// The indented lines that follow, as one text.
    fn block(&mut self, depth: usize, between: &str) -> String {
        let mut block = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            if !line.trim().is_empty() && indent_of(line) <= depth {
                break;
            }
            block.push(line.trim());
            self.at += 1;
        }
        block.join(between).trim().to_owned()
    }

    /// The next line that says something: its indentation and its text.
    fn peek(&mut self) -> Result<Option<(usize, &'a str)>, FrontMatterFault> {
        while self.lines.get(self.at).is_some_and(|line| is_silent(line)) {
            self.at += 1;
        }
        let Some(line) = self.lines.get(self.at).copied() else { return Ok(None) };
        if line[..line.len() - line.trim_start().len()].contains('\t') {
            return fault(self.number(), "indent with blanks, not with tabs");
        }
        Ok(Some((indent_of(line), line.trim())))
    }

    /// The number of the line that comes next: the head begins in the second one.
    fn number(&self) -> usize {
        self.before + self.at + 2
    }
}

/// A text or a list on one line.
fn scalar(text: &str, line: usize) -> Result<FrontMatterValue, FrontMatterFault> {
    let closed = |quote: char| text.len() > 1 && text.ends_with(quote);
    match text.chars().next() {
        Some('"') if closed('"') => match serde_json::from_str(text) {
            Ok(text) => Ok(FrontMatterValue::Text(text)),
            Err(error) => fault(line, &format!("the quoted text does not decode ({error})")),
        },
        Some('\'') if closed('\'') => Ok(FrontMatterValue::Text(text[1..text.len() - 1].replace("''", "'"))),
        Some('"' | '\'') => fault(line, "the quoted text has no end on its line"),
        Some('[') => match text.strip_prefix('[').and_then(|inner| without_comment(inner).strip_suffix(']')) {
            Some(inner) => {
                let items = inner.split(',').map(str::trim).filter(|item| !item.is_empty());
                let items = items.map(|item| match scalar(item, line)? {
                    FrontMatterValue::Text(item) => Ok(item),
                    FrontMatterValue::List(_) | FrontMatterValue::Table(_) => {
                        fault(line, "a list in a list is not read here")
                    }
                });
                Ok(FrontMatterValue::List(items.collect::<Result<_, _>>()?))
            }
            None => fault(line, "the list has no end on its line"),
        },
        Some('{' | '&' | '*' | '!' | '%' | '@' | '`') => fault(line, "this form is not read here; write plain text"),
        _ => Ok(FrontMatterValue::Text(text.to_owned())),
    }
}

fn fault<T>(line: usize, why: &str) -> Result<T, FrontMatterFault> {
    Err(FrontMatterFault { line, why: why.to_owned() })
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-'))
}

/// True if what stands behind a colon is a value: `a:b` is a text.
fn is_apart(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(' ')
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

fn is_silent(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn without_comment(text: &str) -> &str {
    text.split_once(" #").map_or(text, |(text, _)| text).trim_end()
}

#[cfg(test)]
mod tests;
