use super::*;
use crate::mcp::tests::fake_server::ScriptedPerson;
use pretty_assertions::assert_eq;
use rmcp::model::{NumberOrString, ProgressToken};

fn progress(progress: f64, total: Option<f64>, message: Option<&str>) -> ProgressNotificationParam {
    let mut told = ProgressNotificationParam::new(ProgressToken(NumberOrString::Number(1)), progress);
    (told.total, told.message) = (total, message.map(str::to_owned));
    told
}

#[test]
fn progress_is_told_in_words() {
    let told = |at, total, message| describe_progress(&progress(at, total, message));
    assert_eq!(told(3.0, Some(10.0), Some("copying\n\u{1b}[2J b")), "3 of 10: copying [2J b");
    assert_eq!(told(0.5, Some(1.0), None), "0.5 of 1");
    assert_eq!(told(2.0, None, Some("copying")), "copying");
    assert_eq!(told(2.0, None, None), "step 2");
}

#[tokio::test(start_paused = true)]
async fn progress_is_shown_in_order_once_and_within_bounds() {
    let (mut output, mut person) = (ProgressOutput::default(), ScriptedPerson::absent());
    for (at, message) in [(1.0, "one"), (3.0, "three"), (2.0, "two"), (2.0, "two")] {
        output.push(&progress(at, None, Some(message)));
    }
    output.due().await;
    output.flush(&mut person).await;
    assert_eq!(person.shown, "one\ntwo\nthree\n");
    let began = Instant::now();
    output.push(&progress(4.0, None, Some("four")));
    output.due().await;
    assert_eq!(began.elapsed(), PACE);
    for at in 0..10_000 {
        output.push(&progress(f64::from(at), None, Some(&format!("{at:0>100}"))));
        output.flush(&mut person).await;
    }
    assert!(person.shown.len() <= LOGGED_BYTES, "{}", person.shown.len());
}
