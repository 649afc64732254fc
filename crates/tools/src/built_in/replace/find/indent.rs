//! Moves text from the indentation a model wrote to the one the file has.

/// The white space a line begins with.
pub(super) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// `text` with each line moved as a line indented by `from` moves to `to`. Empty lines stay empty.
pub(super) fn reindent(text: &str, from: &str, to: &str) -> String {
    if from == to {
        return text.to_owned();
    }
    let lines = text.split_inclusive('\n').map(|line| {
        if line.trim().is_empty() {
            return line.to_owned();
        }
        if let Some(rest) = line.strip_prefix(from) {
            return format!("{to}{rest}");
        }
        // Further out than the first line: as much further out of the file's indentation.
        let own = indent(line);
        let missing = from.len().saturating_sub(own.len());
        let kept = &to[..to.len().saturating_sub(missing)];
        format!("{kept}{}", &line[own.len()..])
    });
    lines.collect()
}
