//! Numbers with their noun, so that one file is not "1 files".

/// `1 file`, `2 files`.
pub(crate) fn pluralize(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
