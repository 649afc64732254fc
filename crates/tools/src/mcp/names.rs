//! `mcp_<server>_<tool>`: the name a model calls a server's tool by.

#[cfg(test)]
mod tests;

/// The longest name every provider takes.
const MAX_CHARS: usize = 63;
/// The characters that are kept of a longer one, at its beginning and at its end.
const KEPT_CHARS: usize = 30;

/// The beginning of the names of a server's tools.
pub(super) fn prefix(server: &str) -> String {
    format!("mcp_{}_", sanitised(server))
}

/// The name of `tool` of `server`.
pub(super) fn tool_name(server: &str, tool: &str) -> String {
    let name = prefix(server) + &sanitised(tool);
    if name.len() <= MAX_CHARS {
        return name;
    }
    // Sanitised text is ASCII, so every index is between two characters.
    format!("{}___{}", &name[..KEPT_CHARS], &name[name.len() - KEPT_CHARS..])
}

/// Only what the names of tools may hold with every provider.
fn sanitised(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}
