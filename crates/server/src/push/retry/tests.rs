use super::{PushRetryPolicy, read_retry_after};
use pretty_assertions::assert_eq;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn waits_double_up_to_the_longest() {
    let patience = PushRetryPolicy::default();
    let waits = [1, 2, 3, 10, 11, 100].map(|failures| patience.wait(failures, None, u8::MAX).as_secs());
    assert_eq!(waits, [1, 2, 4, 512, 600, 600]);
}

#[test]
fn luck_takes_off_up_to_half() {
    let patience = PushRetryPolicy::default();
    assert_eq!(patience.wait(2, None, 0), SECOND);
    assert!(patience.wait(2, None, 128) > SECOND);
}

#[test]
fn a_receiver_that_asks_for_more_time_gets_it_within_an_hour() {
    let patience = PushRetryPolicy::default();
    assert_eq!(patience.wait(1, Some(SECOND * 30), 0), SECOND * 30);
    assert_eq!(patience.wait(1, Some(SECOND * 1_000_000), 0), SECOND * 3600);
}

#[test]
fn asking_for_less_shortens_nothing() {
    assert_eq!(PushRetryPolicy::default().wait(11, Some(Duration::ZERO), u8::MAX), SECOND * 600);
}

#[test]
fn retry_after_is_seconds_or_a_date() {
    let now = "1994-11-06T08:49:00Z".parse().unwrap();
    assert_eq!(read_retry_after("120", now), Some(SECOND * 120));
    assert_eq!(read_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now), Some(SECOND * 37));
    assert_eq!(read_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(Duration::ZERO));
    assert_eq!(read_retry_after("soon", now), None);
    assert_eq!(read_retry_after("-1", now), None);
}
