//! Ends what a Pollux that was killed left running, before another one starts anything.

use crate::settings::GlobalSettings;

/// End what a Pollux that was killed left running. A directory that cannot be read is no reason not to start.
pub(crate) fn end_leftover_processes(global_settings: &GlobalSettings) {
    let records = global_settings.state_dir.join("supervisors");
    if let Err(error) = pollux_tools::end_leftover_processes(&records) {
        let place = records.display();
        tracing::warn!(%error, %place, "processes that a killed Pollux may have left running were not looked for");
    }
}
