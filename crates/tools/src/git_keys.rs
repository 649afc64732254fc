//! What a git configuration file sets, as far as it is written in the ordinary form.

/// A key with its section, in lower case, its subsection and its value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GitKey {
    pub(crate) section: String,
    pub(crate) subsection: Option<String>,
    pub(crate) name: String,
    pub(crate) value: String,
    /// The value as it is written, with quotes and what may be a comment.
    pub(crate) written: String,
}

/// Every key that `text` sets. Only the ordinary form is read; anything unusual is an error.
pub(crate) fn keys_of(text: &str) -> Result<Vec<GitKey>, String> {
    let mut keys = Vec::new();
    let mut section: Option<(String, Option<String>)> = None;
    for (number, line) in text.lines().enumerate() {
        let at = || format!("line {} is not understood", number + 1);
        let mut rest = line.trim();
        if let Some(header) = rest.strip_prefix('[') {
            let (found, after) = header_of(header).ok_or_else(at)?;
            section = Some(found);
            rest = after.trim();
        }
        if rest.is_empty() || rest.starts_with(['#', ';']) {
            continue;
        }
        // A value that goes on in the next line could hide a key from this reading.
        if rest.ends_with('\\') {
            return Err(at());
        }
        let name: String = rest.chars().take_while(|char| char.is_ascii_alphanumeric() || *char == '-').collect();
        let after = rest[name.len()..].trim_start();
        if name.is_empty() || !(after.is_empty() || after.starts_with(['=', '#', ';'])) {
            return Err(at());
        }
        let (section, subsection) = section.clone().ok_or_else(at)?;
        let written = after.strip_prefix('=').unwrap_or_default().to_owned();
        let value = written.split([';', '#']).next().unwrap_or_default().trim().trim_matches('"').to_owned();
        keys.push(GitKey { section, subsection, name: name.to_ascii_lowercase(), value, written });
    }
    Ok(keys)
}

/// The section that a header names, and what follows it on its line.
fn header_of(text: &str) -> Option<((String, Option<String>), &str)> {
    let (name, rest) = text.split_at(text.find([' ', '\t', '"', ']'])?);
    let is_plain = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || "-.".contains(char));
    if !is_plain {
        return None;
    }
    let rest = rest.trim_start();
    // The old form `[branch.main]`.
    let (section, dotted) = match name.split_once('.') {
        Some((section, sub)) => (section, Some(sub.to_owned())),
        None => (name, None),
    };
    let section = section.to_ascii_lowercase();
    if let Some(after) = rest.strip_prefix(']') {
        return Some(((section, dotted), after));
    }
    let quoted = rest.strip_prefix('"')?;
    let mut subsection = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => subsection.push(chars.next()?.1),
            '"' => return quoted[at + 1..].strip_prefix(']').map(|after| ((section, Some(subsection)), after)),
            _ => subsection.push(char),
        }
    }
    None
}
