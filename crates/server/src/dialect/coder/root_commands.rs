//! The programs that a shell command starts, as far as one can tell without a shell: a hint for people, never a reason
//! to allow anything.

/// The first word of every simple command, in order.
pub(super) fn root_commands(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = Some(String::new());
    let mut quote = None;
    let mut before = ' ';
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        let redirects = matches!(std::mem::replace(&mut before, letter), '<' | '>');
        match (letter, quote) {
            (end, Some(begun)) if end == begun => quote = None,
            (_, Some(_)) => push(&mut word, letter),
            ('\'' | '"', None) => quote = Some(letter),
            ('\\', None) => {
                if let Some(escaped) = letters.next() {
                    push(&mut word, escaped);
                }
            }
            ('&' | '|', None) if redirects => {}
            (';' | '&' | '|' | '\n' | '(' | ')' | '{' | '}', None) => {
                found.extend(finish(word.take()));
                word = Some(String::new());
            }
            (space, None) if space.is_whitespace() => {
                word = match word.take() {
                    // What is set for a command comes before it.
                    Some(whole) if whole.is_empty() || whole.contains('=') => Some(String::new()),
                    whole => {
                        found.extend(whole);
                        None
                    }
                };
            }
            (_, None) => push(&mut word, letter),
        }
    }
    found.extend(finish(word));
    found
}

/// A word that is being read goes on; the words after the first one do not count.
fn push(word: &mut Option<String>, letter: char) {
    if let Some(word) = word {
        word.push(letter);
    }
}

fn finish(word: Option<String>) -> Option<String> {
    word.filter(|word| !word.is_empty() && !word.contains('='))
}

#[cfg(test)]
mod tests;
