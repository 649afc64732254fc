//! `GET /health`: how the process is doing, for whoever watches over it.

use crate::router::AppState;
use axum::Json;
use axum::extract::State;
use parking_lot::Mutex;
use pollux_session::{BoxFuture, Owner, Rights, Roster, RosterError, TaskMark, TaskQuery, UnpromptedTasks, Who};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time for which a count is good, so that asking often costs nothing.
const FRESH: Duration = Duration::from_secs(1);

/// The health of the process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HealthReport {
    /// Tasks whose turn runs or waits for its turn.
    pub active_tasks: u64,
    /// All tasks that were ever prompted.
    pub total_tasks: u64,
    /// Problems, a sentence each. The process answers all the same. Anybody may read it, so it names no paths.
    pub trouble: Vec<String>,
}

/// Finds out how the process is doing.
pub type HealthCheck = Arc<dyn Fn() -> BoxFuture<'static, HealthReport> + Send + Sync>;

/// A check that counts the tasks of `owner`, at most once a second.
pub fn task_count_check(roster: Arc<dyn Roster>, owner: Owner) -> HealthCheck {
    let known: Arc<Mutex<Option<(Instant, HealthReport)>>> = Arc::default();
    let who = Who { owner, principal: "health".into(), label: "health".into(), rights: Rights::of([]) };
    Arc::new(move || {
        let (roster, known, who) = (Arc::clone(&roster), Arc::clone(&known), who.clone());
        Box::pin(async move {
            let kept = known.lock().clone();
            if let Some((_, health)) = kept.filter(|(when, _)| when.elapsed() < FRESH) {
                return health;
            }
            let health = count(&*roster, &who).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "the tasks cannot be counted");
                let trouble = vec!["the tasks cannot be counted: see this server's log for why".to_owned()];
                HealthReport { trouble, ..HealthReport::default() }
            });
            *known.lock() = Some((Instant::now(), health.clone()));
            health
        })
    })
}

async fn count(roster: &dyn Roster, who: &Who) -> Result<HealthReport, RosterError> {
    let counted = |marks| TaskQuery {
        context: None,
        marks,
        since: None,
        unprompted: UnpromptedTasks::LeftOut,
        after: None,
        limit: 1,
    };
    let active = roster.tasks(who, counted(vec![TaskMark::Submitted, TaskMark::Working])).await?.total;
    let total = roster.tasks(who, counted(Vec::new())).await?.total;
    Ok(HealthReport { active_tasks: active, total_tasks: total, trouble: Vec::new() })
}

/// `GET /health`
pub(crate) async fn show(State(app): State<Arc<AppState>>) -> Json<Value> {
    let mut shown = json!({
        "status": "healthy",
        "uptime": app.started.elapsed().as_secs(),
        "version": app.card_config.version,
        "model": app.card_config.model,
    });
    if let Some(check) = &app.health {
        let HealthReport { active_tasks, total_tasks, trouble } = check().await;
        shown["activeTasks"] = active_tasks.into();
        shown["totalTasks"] = total_tasks.into();
        if !trouble.is_empty() {
            shown["status"] = "degraded".into();
            shown["trouble"] = trouble.into();
        }
    }
    Json(shown)
}
