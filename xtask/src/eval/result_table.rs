//! The figures of all tasks as a table: a row a task, a group of columns an agent.

use super::task_run::{TaskFigures, TaskOutcome};
use std::fmt::Write;
use std::time::Duration;

/// The columns of an agent.
const COLUMNS: [&str; 6] = ["solved", "calls", "tools", "tokens", "asks", "time"];

/// The results of some agents with the same tasks.
pub(super) struct ResultTable {
    pub(super) agents: Vec<String>,
    /// The name of a task and its outcome with each agent; `None` where it was not run.
    pub(super) rows: Vec<(String, Vec<Option<TaskOutcome>>)>,
}

impl ResultTable {
    /// For a terminal.
    pub(super) fn render(&self) -> String {
        let lines = self.lines();
        let width =
            |column: usize| lines.iter().filter_map(|cells| cells.get(column)).map(|cell| cell.chars().count()).max();
        let mut text = String::new();
        if self.agents.len() > 1 {
            let _ = write!(text, "{:<1$}", "", width(0).unwrap_or(0));
            for (index, agent) in self.agents.iter().enumerate() {
                let columns = index * COLUMNS.len() + 1..(index + 1) * COLUMNS.len() + 1;
                let group: usize = columns.map(|column| width(column).unwrap_or(0) + 2).sum();
                let _ = write!(text, "  {agent:<0$}", group - 2);
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        for cells in &lines {
            let mut line = String::new();
            for (column, cell) in cells.iter().enumerate() {
                let width = width(column).unwrap_or(0);
                let _ = if column == 0 { write!(line, "{cell:<width$}") } else { write!(line, "  {cell:>width$}") };
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    /// For a page.
    pub(super) fn render_markdown(&self) -> String {
        let mut lines = self.lines().into_iter();
        let header = lines.next().unwrap_or_default();
        let columns = header.iter().enumerate().map(|(column, cell)| match column.checked_sub(1) {
            Some(index) if index % COLUMNS.len() == 0 => format!("{}: {cell}", self.agents[index / COLUMNS.len()]),
            _ => cell.clone(),
        });
        let columns = Vec::from_iter(columns);
        let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut text = row(&columns);
        text.push_str(&format!("|---{}|\n", "|---:".repeat(columns.len() - 1)));
        lines.for_each(|cells| text.push_str(&row(&cells)));
        text
    }

    /// The cells of every line, the header first and the totals last.
    fn lines(&self) -> Vec<Vec<String>> {
        let mut header = vec!["task".to_owned()];
        header.extend(self.agents.iter().flat_map(|_| COLUMNS).map(str::to_owned));
        let mut lines = vec![header];
        for (name, outcomes) in &self.rows {
            let mut cells = vec![name.clone()];
            for outcome in outcomes {
                cells.extend(outcome.as_ref().map_or_else(|| [const { String::new() }; COLUMNS.len()], cells_of));
            }
            lines.push(cells);
        }
        let mut totals = vec!["all".to_owned()];
        totals.extend((0..self.agents.len()).flat_map(|agent| self.total(agent)));
        lines.push(totals);
        lines
    }

    fn total(&self, agent: usize) -> [String; COLUMNS.len()] {
        let outcomes = self.rows.iter().filter_map(|(_, outcomes)| outcomes.get(agent)?.as_ref());
        let outcomes = Vec::from_iter(outcomes);
        let solved = outcomes.iter().filter(|outcome| outcome.unsolved.is_none()).count();
        let sum = outcomes.iter().fold(TaskFigures::default(), |sum, outcome| add(sum, outcome.figures));
        let mut cells = figure_cells(&sum);
        cells[0] = format!("{solved} of {}", outcomes.len());
        cells
    }
}

fn cells_of(outcome: &TaskOutcome) -> [String; COLUMNS.len()] {
    let mut cells = figure_cells(&outcome.figures);
    cells[0] = if outcome.unsolved.is_none() { "yes" } else { "no" }.to_owned();
    cells
}

/// The figures of an agent, after a cell for what is solved.
fn figure_cells(figures: &TaskFigures) -> [String; COLUMNS.len()] {
    [
        String::new(),
        figures.model_calls.to_string(),
        figures.tool_calls.to_string(),
        format_tokens(figures.tokens_in + figures.tokens_out),
        figures.approvals.to_string(),
        format_time(figures.time),
    ]
}

fn add(sum: TaskFigures, one: TaskFigures) -> TaskFigures {
    TaskFigures {
        model_calls: sum.model_calls + one.model_calls,
        side_calls: sum.side_calls + one.side_calls,
        tool_calls: sum.tool_calls + one.tool_calls,
        tokens_in: sum.tokens_in + one.tokens_in,
        tokens_out: sum.tokens_out + one.tokens_out,
        approvals: sum.approvals + one.approvals,
        time: sum.time + one.time,
    }
}

fn format_tokens(tokens: u64) -> String {
    match tokens {
        0..1000 => tokens.to_string(),
        _ => format!("{:.1}k", tokens as f64 / 1e3),
    }
}

fn format_time(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(unsolved: Option<&str>, model_calls: u64) -> Option<TaskOutcome> {
        let figures = TaskFigures {
            model_calls,
            tool_calls: 4,
            tokens_in: 1000,
            tokens_out: 250,
            time: Duration::from_millis(340),
            ..TaskFigures::default()
        };
        Some(TaskOutcome { unsolved: unsolved.map(str::to_owned), figures })
    }

    fn table() -> ResultTable {
        let rows = vec![
            ("bug".to_owned(), vec![outcome(None, 3), outcome(Some("why"), 12)]),
            ("plan".to_owned(), vec![outcome(None, 2), None]),
        ];
        ResultTable { agents: vec!["pollux".into(), "other".into()], rows }
    }

    #[test]
    fn agents_stand_side_by_side_with_their_totals() {
        let expected = "
      pollux                                     other
task  solved  calls  tools  tokens  asks   time  solved  calls  tools  tokens  asks   time
bug      yes      3      4    1.2k     0  0.3 s      no     12      4    1.2k     0  0.3 s
plan     yes      2      4    1.2k     0  0.3 s
all   2 of 2      5      8    2.5k     0  0.7 s  0 of 1     12      4    1.2k     0  0.3 s
";
        assert_eq!(table().render(), expected.trim_start_matches('\n'));
    }

    #[test]
    fn a_page_names_the_agent_in_its_first_column() {
        let mut table = table();
        table.rows.truncate(1);
        let expected = "\
| task | pollux: solved | calls | tools | tokens | asks | time | other: solved | calls | tools | tokens | asks | time |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
| bug | yes | 3 | 4 | 1.2k | 0 | 0.3 s | no | 12 | 4 | 1.2k | 0 | 0.3 s |
| all | 1 of 1 | 3 | 4 | 1.2k | 0 | 0.3 s | 0 of 1 | 12 | 4 | 1.2k | 0 | 0.3 s |
";
        assert_eq!(table.render_markdown(), expected);
    }
}
