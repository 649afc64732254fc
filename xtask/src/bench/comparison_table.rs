//! A table of figures with any number of programs side by side, and the same as JSON for whoever draws curves.

use anyhow::Result;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// One figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BenchFigure {
    Time(Duration),
    Bytes(u64),
    /// So many a second.
    Rate(f64),
    /// Of one core.
    Share(f64),
}

impl BenchFigure {
    fn text(self) -> String {
        match self {
            BenchFigure::Time(time) if time < Duration::from_millis(100) => {
                format!("{:.2} ms", time.as_secs_f64() * 1e3)
            }
            BenchFigure::Time(time) => format!("{:.0} ms", time.as_secs_f64() * 1e3),
            BenchFigure::Bytes(bytes) => format!("{:.1} MB", bytes as f64 / 1e6),
            BenchFigure::Rate(rate) => format!("{rate:.0}/s"),
            BenchFigure::Share(share) => format!("{:.0} %", share * 100.0),
        }
    }

    /// In seconds, in bytes, or so many a second.
    fn number(self) -> f64 {
        match self {
            BenchFigure::Time(time) => time.as_secs_f64(),
            BenchFigure::Bytes(bytes) => bytes as f64,
            BenchFigure::Rate(number) | BenchFigure::Share(number) => number,
        }
    }

    fn json(self) -> Value {
        match self {
            BenchFigure::Time(time) => json!({ "seconds": time.as_secs_f64() }),
            BenchFigure::Bytes(bytes) => json!({ "bytes": bytes }),
            BenchFigure::Rate(rate) => json!({ "per_second": rate }),
            BenchFigure::Share(share) => json!({ "share": share }),
        }
    }
}

/// A table. The first column is ours; behind every other figure stands how many times ours it is.
pub(super) struct ComparisonTable {
    /// The name of its JSON file.
    pub(super) name: &'static str,
    columns: Vec<String>,
    rows: Vec<(String, Vec<Option<BenchFigure>>)>,
    /// Figures that were not measured, and why.
    notes: Vec<String>,
}

impl ComparisonTable {
    pub(super) fn new(name: &'static str, columns: &[&str]) -> ComparisonTable {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        ComparisonTable { name, columns, rows: Vec::new(), notes: Vec::new() }
    }

    /// Add a row, a figure for each column.
    pub(super) fn row(&mut self, measure: impl Into<String>, figures: &[Option<BenchFigure>]) {
        self.rows.push((measure.into(), figures.to_vec()));
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(super) fn render(&self) -> String {
        let head = [format!("{} (times: median)", self.name)].into_iter().chain(self.columns.iter().cloned());
        let lines = std::iter::once(head.collect()).chain(self.rows.iter().map(|(measure, figures)| {
            let ours = figures.first().copied().flatten();
            let cells = figures.iter().enumerate().map(|(at, figure)| match figure {
                None => "-".to_owned(),
                Some(figure) => match ours.filter(|ours| at > 0 && ours.number() > 0.0) {
                    Some(ours) => format!("{} ({:.1}x)", figure.text(), figure.number() / ours.number()),
                    None => figure.text(),
                },
            });
            std::iter::once(measure.clone()).chain(cells).collect::<Vec<_>>()
        }));
        let lines = Vec::from_iter(lines);
        let width =
            |column: usize| lines.iter().filter_map(|cells| cells.get(column)).map(|cell| cell.chars().count()).max();
        let mut text = String::new();
        for cells in &lines {
            let mut line = String::new();
            for (column, cell) in cells.iter().enumerate() {
                let width = width(column).unwrap_or(0);
                let _ = if column == 0 { write!(line, "{cell:<width$}") } else { write!(line, "  {cell:>width$}") };
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        for note in &self.notes {
            let _ = writeln!(text, "{note}");
        }
        text
    }

    /// Write it to `directory` as JSON.
    pub(super) fn save(&self, directory: &Path) -> Result<()> {
        let rows = self.rows.iter().map(|(measure, figures)| {
            let named = self.columns.iter().zip(figures);
            let figures: Map<String, Value> =
                named.map(|(column, figure)| (column.clone(), figure.map_or(Value::Null, BenchFigure::json))).collect();
            json!({ "measure": measure, "figures": figures })
        });
        let whole = json!({ "name": self.name, "rows": rows.collect::<Vec<_>>(), "notes": self.notes });
        std::fs::write(directory.join(format!("{}.json", self.name)), serde_json::to_vec_pretty(&whole)?)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> ComparisonTable {
        let mut sheet = ComparisonTable::new("tools", &["pollux", "rg"]);
        let ms = |ms| Some(BenchFigure::Time(Duration::from_millis(ms)));
        sheet.row("grep", &[ms(20), ms(50)]);
        sheet.row("memory", &[Some(BenchFigure::Bytes(2_000_000)), None]);
        sheet.note("rg: not asked for memory");
        sheet
    }

    #[test]
    fn factors_stand_behind_the_figures_of_others() {
        assert_eq!(
            sheet().render(),
            "tools (times: median)    pollux               rg\n\
             grep                   20.00 ms  50.00 ms (2.5x)\n\
             memory                   2.0 MB                -\n\
             rg: not asked for memory\n"
        );
    }

    #[test]
    fn the_same_is_kept_as_json() {
        let directory = std::env::temp_dir().join(format!("pollux-sheet-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        sheet().save(&directory).unwrap();
        let kept: Value = serde_json::from_slice(&std::fs::read(directory.join("tools.json")).unwrap()).unwrap();
        std::fs::remove_dir_all(&directory).unwrap();
        assert_eq!(kept["rows"][0]["figures"], json!({ "pollux": { "seconds": 0.02 }, "rg": { "seconds": 0.05 } }));
        assert_eq!(kept["rows"][1]["figures"]["rg"], Value::Null);
    }
}
