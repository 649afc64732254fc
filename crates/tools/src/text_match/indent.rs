//! Moves text from the indentation a model wrote to the one the file has: other depths, and tabs for spaces or spaces for tabs.

use std::collections::{BTreeMap, BTreeSet};

/// Spaces for a level where nothing tells how many there are.
const USUAL_WIDTH: usize = 4;

/// The white space a line begins with.
pub(crate) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The way in which a text is indented.
#[derive(Clone, Copy)]
pub(crate) struct IndentStyle {
    has_tabs: bool,
    /// Spaces for a level.
    width: usize,
}

impl IndentStyle {
    pub(crate) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> IndentStyle {
        let (mut tabs, mut spaces, mut widths) = (0, 0, BTreeSet::from([0]));
        let lines = texts.into_iter().flat_map(str::lines).filter(|line| !line.trim().is_empty());
        for white in lines.map(indent) {
            tabs += usize::from(white.starts_with('\t'));
            spaces += usize::from(white.starts_with(' '));
            if !white.contains('\t') {
                widths.insert(white.len());
            }
        }
        let steps = widths.iter().zip(widths.iter().skip(1)).map(|(outer, inner)| inner - outer);
        // One space more aligns something and is no level.
        let width = steps.filter(|step| *step > 1).min().unwrap_or(USUAL_WIDTH);
        IndentStyle { has_tabs: tabs > spaces, width }
    }
}

/// The indentation of the file for that of a model, known from lines that both have.
pub(crate) struct IndentTranslation {
    /// The file's indentation of the lines that a model indented by the key.
    known: BTreeMap<String, String>,
    model: IndentStyle,
    file: IndentStyle,
}

impl IndentTranslation {
    /// From `pairs` of indentations, a model's and the file's, of equal lines; the earlier pair counts.
    pub(crate) fn new<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        model: IndentStyle,
        file: IndentStyle,
    ) -> IndentTranslation {
        let mut known = BTreeMap::new();
        for (from, to) in pairs {
            known.entry(from.to_owned()).or_insert_with(|| to.to_owned());
        }
        // The lines themselves tell more than the rest of the file.
        let has_tabs = known.values().find(|to| !to.is_empty()).map_or(file.has_tabs, |to| to.contains('\t'));
        IndentTranslation { known, model, file: IndentStyle { has_tabs, ..file } }
    }

    /// `text` as a model wrote it, with each line indented as the file has it. Empty lines stay empty.
    pub(crate) fn apply(&self, text: &str) -> String {
        if self.known.iter().all(|(from, to)| from == to) {
            return text.to_owned();
        }
        let lines = text.split_inclusive('\n').map(|line| {
            if line.trim().is_empty() {
                return line.to_owned();
            }
            let own = indent(line);
            format!("{}{}", self.translate(own), &line[own.len()..])
        });
        lines.collect()
    }

    fn translate(&self, own: &str) -> String {
        // Keys are sorted, so the last one that `own` begins with is the longest.
        if let Some((from, to)) = self.known.iter().rfind(|(from, _)| own.starts_with(from.as_str())) {
            return format!("{to}{}", self.convert(&own[from.len()..]));
        }
        // Further out than every line that both have: as much further out of the file's indentation.
        if let Some((from, to)) = self.known.iter().find(|(from, _)| from.starts_with(own)) {
            let missing = self.convert(&from[own.len()..]).len();
            return to[..to.len().saturating_sub(missing)].to_owned();
        }
        self.convert(own)
    }

    /// White space that no line of the file stands for, in the file's kind.
    fn convert(&self, white: &str) -> String {
        if !self.file.has_tabs {
            return white.replace('\t', &" ".repeat(self.file.width));
        }
        let (tabs, spaces) = (white.matches('\t').count(), white.matches(' ').count());
        let levels = "\t".repeat(tabs + spaces / self.model.width);
        format!("{levels}{}", " ".repeat(spaces % self.model.width))
    }
}
