//! What a single line of markdown begins, as far as the line itself says.

/// A tab goes to the next multiple of so many columns.
const TAB: usize = 4;
/// So far indented, a line is code or goes on with a paragraph, and begins nothing else.
pub(super) const CODE_INDENT: usize = 4;

/// Whether all of a line is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineExtent {
    /// It is.
    Whole,
    /// This is the beginning of a long one. It is no fence, no rule and no row of a table, whatever follows.
    Beginning,
}

/// What opens a code block, and how far it was indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodeFence {
    mark: u8,
    len: usize,
    pub(super) indent: usize,
}

/// How items of one list begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListBullet {
    Sign(u8),
    /// With what stands behind the number.
    Number(u8),
}

/// The beginning of a list item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListMarker {
    pub(super) bullet: ListBullet,
    pub(super) number: u64,
    /// The least indent of a line that belongs to the item.
    pub(super) least: usize,
    /// Where its text begins.
    pub(super) text: usize,
    /// How many bytes its mark has.
    pub(super) len: usize,
    is_empty: bool,
}

impl CodeFence {
    /// The fence that a line opens, and what is behind it.
    pub(super) fn opened_by(line: &str) -> Option<(CodeFence, &str)> {
        let (indent, rest) = split_indent(line);
        let mark = *rest.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
        let len = rest.bytes().take_while(|byte| *byte == mark).count();
        let info = rest[len..].trim();
        // Backticks behind backticks are code inside a sentence.
        let opens = indent < CODE_INDENT && len >= 3 && !(mark == b'`' && info.contains('`'));
        opens.then_some((CodeFence { mark, len, indent }, info))
    }

    pub(super) fn is_closed_by(self, line: &str) -> bool {
        let rest = line.trim();
        indent(line) < CODE_INDENT && rest.len() >= self.len && rest.bytes().all(|byte| byte == self.mark)
    }
}

impl ListMarker {
    /// The item that a line begins.
    pub(super) fn parse(line: &str) -> Option<ListMarker> {
        let (indent, rest) = split_indent(line);
        let bytes = rest.as_bytes();
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (bullet, len) = match (digits, bytes.get(digits)) {
            (0, Some(sign @ (b'-' | b'*' | b'+'))) => (ListBullet::Sign(*sign), 1),
            (1..=9, Some(after @ (b'.' | b')'))) => (ListBullet::Number(*after), digits + 1),
            _ => return None,
        };
        let is_marker = indent < CODE_INDENT && bytes.get(len).is_none_or(|byte| matches!(byte, b' ' | b'\t'));
        let (gap, text) = split_indent(&rest[len..]);
        // What is indented further is code in the item.
        let gap = if text.is_empty() || gap > CODE_INDENT { 1 } else { gap };
        let number = rest[..digits].parse().unwrap_or(0);
        let least = indent + len + 1;
        let (text, is_empty) = (indent + len + gap, text.is_empty());
        is_marker.then_some(ListMarker { bullet, number, least, text, len, is_empty })
    }

    /// Whether it is a new item even right below a paragraph.
    fn interrupts(self) -> bool {
        !self.is_empty && (matches!(self.bullet, ListBullet::Sign(_)) || self.number == 1)
    }
}

/// How many columns a line is indented.
pub(super) fn indent(line: &str) -> usize {
    split_indent(line).0
}

/// `line` without so many columns of its indent. The rest of it stays as it is.
pub(super) fn without_indent(line: &str, columns: usize) -> String {
    let (mut column, mut taken) = (0, 0);
    for byte in line.bytes() {
        if column >= columns {
            break;
        }
        match byte {
            b' ' => column += 1,
            b'\t' => column += TAB - column % TAB,
            _ => break,
        }
        taken += 1;
    }
    format!("{}{}", " ".repeat(column.saturating_sub(columns)), &line[taken..])
}

/// What is behind a mark of so many bytes, from a column on.
pub(super) fn after_mark(line: &str, mark: usize, columns: usize) -> String {
    let (indent, rest) = split_indent(line);
    let (gap, text) = split_indent(&rest[mark..]);
    format!("{}{text}", " ".repeat((indent + mark + gap).saturating_sub(columns)))
}

/// What is behind the sign of a quote.
pub(super) fn quoted(line: &str) -> Option<String> {
    let (indent, rest) = split_indent(line);
    let inner = rest.strip_prefix('>').filter(|_| indent < CODE_INDENT)?;
    Some(without_indent(inner, 1))
}

pub(super) fn is_heading(line: &str) -> bool {
    let (indent, rest) = split_indent(line);
    let len = rest.bytes().take_while(|byte| *byte == b'#').count();
    let ends = rest.as_bytes().get(len).is_none_or(|byte| matches!(byte, b' ' | b'\t'));
    indent < CODE_INDENT && (1..=6).contains(&len) && ends
}

/// Whether it is a line across the text: `---`, `* * *`.
pub(super) fn is_rule(line: &str) -> bool {
    let mut signs = line.bytes().filter(|byte| !matches!(byte, b' ' | b'\t'));
    let Some(sign @ (b'-' | b'*' | b'_')) = signs.next() else { return false };
    let mut others = 0;
    indent(line) < CODE_INDENT && signs.inspect(|_| others += 1).all(|other| other == sign) && others >= 2
}

/// Whether it makes a heading of the line above it.
pub(super) fn is_underline(line: &str) -> bool {
    let rest = line.trim();
    let of = |sign: u8| rest.bytes().all(|byte| byte == sign);
    indent(line) < CODE_INDENT && !rest.is_empty() && (of(b'=') || of(b'-'))
}

/// Whether it makes the head of a table of the line above it.
pub(super) fn is_table_rule(line: &str) -> bool {
    let is_made_of = line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'));
    indent(line) < CODE_INDENT && is_made_of && line.contains('|') && line.contains('-')
}

/// Whether it begins markup of a page, or says where a link's name leads.
pub(super) fn is_raw(line: &str) -> bool {
    let rest = line.trim_start();
    let is_markup = rest
        .strip_prefix('<')
        .and_then(|rest| rest.bytes().next())
        .is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?'));
    // An address in angle brackets is part of a sentence.
    let is_address = rest.split(['>', ' ']).next().is_some_and(|name| name.contains(':') || name.contains('@'));
    let is_definition =
        rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).is_some_and(|(_, after)| after.starts_with(':'));
    (is_markup && !is_address) || is_definition
}

/// Whether a line ends the paragraph above it.
pub(super) fn interrupts(line: &str, extent: LineExtent) -> bool {
    let is_whole = extent == LineExtent::Whole;
    indent(line) < CODE_INDENT
        && (is_heading(line)
            || quoted(line).is_some()
            || ListMarker::parse(line).is_some_and(ListMarker::interrupts)
            || (is_whole && (is_rule(line) || CodeFence::opened_by(line).is_some())))
}

/// How many columns a line is indented, and the rest of it.
fn split_indent(line: &str) -> (usize, &str) {
    let mut columns = 0;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += TAB - columns % TAB,
            _ => return (columns, &line[at..]),
        }
    }
    (columns, "")
}
