//! The one table that a bench prints.

use super::figures::{CLIENTS, ServerFigures};
use super::load::LoadResult;
use std::fmt::Write;
use std::time::Duration;

/// Its name in the output.
pub(super) const PEER: &str = "a2a-server 0.25.2";

/// A value and how it reads.
#[derive(Clone, Copy)]
enum Measurement {
    Time(Duration),
    Bytes(u64),
    Rate(f64),
}

impl Measurement {
    fn text(self) -> String {
        match self {
            Measurement::Time(time) if time < Duration::from_millis(100) => {
                format!("{:.2} ms", time.as_secs_f64() * 1e3)
            }
            Measurement::Time(time) => format!("{:.0} ms", time.as_secs_f64() * 1e3),
            Measurement::Bytes(bytes) => format!("{:.1} MB", bytes as f64 / 1e6),
            Measurement::Rate(rate) => format!("{rate:.0}/s"),
        }
    }

    /// The factor by which this is better than `other`.
    fn times_better(self, other: Measurement) -> Option<f64> {
        let (better, worse) = match (self, other) {
            (Measurement::Time(ours), Measurement::Time(theirs)) => (theirs.as_secs_f64(), ours.as_secs_f64()),
            (Measurement::Bytes(ours), Measurement::Bytes(theirs)) => (theirs as f64, ours as f64),
            (Measurement::Rate(ours), Measurement::Rate(theirs)) => (ours, theirs),
            (Measurement::Time(_) | Measurement::Bytes(_) | Measurement::Rate(_), _) => return None,
        };
        (worse > 0.0).then(|| better / worse)
    }
}

struct Row {
    measure: String,
    ours: Option<Measurement>,
    theirs: Option<Measurement>,
    target: &'static str,
}

impl Row {
    fn cells(&self) -> [String; 5] {
        let text = |value: Option<Measurement>| value.map_or_else(|| "-".into(), Measurement::text);
        let ratio = self.ours.zip(self.theirs).and_then(|(ours, theirs)| ours.times_better(theirs));
        let ratio = ratio.map_or_else(|| "-".into(), |times| format!("{times:.1}x"));
        [self.measure.clone(), text(self.ours), text(self.theirs), ratio, self.target.into()]
    }
}

/// Everything that was measured, aligned; turns that failed are listed below.
pub(super) fn render(ours: Option<&ServerFigures>, theirs: Option<&ServerFigures>, appends_per_second: f64) -> String {
    let both = |measure: &str, target: &'static str, value: &dyn Fn(&ServerFigures) -> Measurement| Row {
        measure: measure.to_owned(),
        ours: ours.map(value),
        theirs: theirs.map(value),
        target,
    };
    let mut rows = vec![
        both("cold start to 200 on the card", "< 20 ms", &|of| Measurement::Time(of.start)),
        both("memory, idle for 1 s", "< 20 MB", &|of| Measurement::Bytes(of.idle_bytes)),
        both("memory after all this load", "", &|of| Measurement::Bytes(of.loaded_bytes)),
        both("size on disk, without node", "", &|of| Measurement::Bytes(of.installed_bytes)),
        both("new task: POST to first event", "< 5 ms", &|of| Measurement::Time(of.first_event)),
        both("new task: POST to last event", "", &|of| Measurement::Time(of.last_event)),
    ];
    for (index, clients) in CLIENTS.iter().enumerate() {
        let target = if *clients == 16 { "> 1000/s" } else { "" };
        let rate = |of: &ServerFigures| Measurement::Rate(of.new_tasks[index].turns_per_second);
        rows.push(both(&format!("turns, new tasks, {clients} at once"), target, &rate));
    }
    for (index, clients) in CLIENTS.iter().enumerate() {
        let rate = |of: &ServerFigures| Measurement::Rate(of.existing_tasks[index].turns_per_second);
        rows.push(both(&format!("turns, existing tasks, {clients} at once"), "", &rate));
    }
    rows.push(Row {
        measure: "durable events shown, 64 at once".into(),
        ours: ours.map(|of| Measurement::Rate(of.existing_tasks[2].events_per_second)),
        // It keeps everything in memory, so none of its events are durable.
        theirs: None,
        target: "",
    });
    rows.push(Row {
        measure: "this disk: append and fdatasync".into(),
        ours: Some(Measurement::Rate(appends_per_second)),
        theirs: None,
        target: "",
    });
    let mut text = align(&rows);
    for (name, figures) in [("pollux", ours), (PEER, theirs)] {
        for failure in figures.into_iter().flat_map(failures) {
            let _ = writeln!(text, "{name}: {failure}");
        }
    }
    text
}

fn failures(figures: &ServerFigures) -> Vec<String> {
    let loads = figures.new_tasks.iter().chain(&figures.existing_tasks);
    let failed = loads.filter_map(|LoadResult { failed, .. }| failed.as_ref());
    failed.map(|(count, first)| format!("{count} turns failed, the first with: {first}")).collect()
}

fn align(rows: &[Row]) -> String {
    let head = ["measure (times: median)", "pollux", PEER, "ratio", "target"].map(String::from);
    let lines = Vec::from_iter(std::iter::once(head).chain(rows.iter().map(Row::cells)));
    let width = |column: usize| lines.iter().map(|cells| cells[column].len()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3, 4].map(width);
    let mut text = String::new();
    for [measure, numbers @ ..] in &lines {
        let mut line = format!("{measure:<width$}", width = widths[0]);
        for (cell, width) in numbers.iter().zip(&widths[1..]) {
            let _ = write!(line, "  {cell:>width$}");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_above_one_means_ours_is_better() {
        let times = |ours: Measurement, theirs: Measurement| ours.times_better(theirs);
        let ms = |ms| Measurement::Time(Duration::from_millis(ms));
        assert_eq!(times(ms(2), ms(8)), Some(4.0));
        assert_eq!(times(Measurement::Rate(800.0), Measurement::Rate(100.0)), Some(8.0));
        assert_eq!(times(Measurement::Bytes(10), Measurement::Bytes(5)), Some(0.5));
        assert_eq!(times(ms(0), ms(1)), None);
        assert_eq!(times(ms(1), Measurement::Rate(1.0)), None);
    }

    #[test]
    fn columns_line_up() {
        let rows = [Row {
            measure: "start".into(),
            ours: Some(Measurement::Time(Duration::from_micros(12_340))),
            theirs: Some(Measurement::Time(Duration::from_millis(2800))),
            target: "< 20 ms",
        }];
        assert_eq!(
            align(&rows),
            "measure (times: median)    pollux  a2a-server 0.25.2   ratio   target\n\
             start                    12.34 ms            2800 ms  226.9x  < 20 ms\n"
        );
    }
}
