//! Times are read in any offset and written in one form.

use super::{NotATime, Timestamp};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

#[test]
fn known_points() {
    for (text, seconds, nanos, written) in [
        ("1970-01-01T00:00:00Z", 0, 0, "1970-01-01T00:00:00Z"),
        ("2026-11-15T07:21:38.341Z", 1_794_727_298, 341_000_000, "2026-11-15T07:21:38.341Z"),
        ("2026-11-15T09:21:38.341+02:00", 1_794_727_298, 341_000_000, "2026-11-15T07:21:38.341Z"),
        ("2026-11-14T23:51:38.3-07:30", 1_794_727_298, 300_000_000, "2026-11-15T07:21:38.300Z"),
        ("2024-02-29t12:00:00.0000019z", 1_709_208_000, 1_900, "2024-02-29T12:00:00.000001900Z"),
        ("1969-12-31T23:59:59.5Z", -1, 500_000_000, "1969-12-31T23:59:59.500Z"),
        ("0001-01-01T00:00:00Z", -62_135_596_800, 0, "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_999, "9999-12-31T23:59:59.999999999Z"),
    ] {
        let read: Timestamp = text.parse().unwrap();
        assert_eq!((read.seconds(), read.nanos(), read.to_string()), (seconds, nanos, written.to_owned()), "{text}");
    }
}

#[test]
fn what_is_no_time() {
    for text in [
        "",
        "now",
        "2026-11-15",
        "2026-11-15T07:21:38",
        "2026-11-15 07:21:38Z",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00+0200",
        "2026-01-01T00:00:00ZZ",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+01:00",
        "+026-01-01T00:00:00Z",
        "２０２６-01-01T00:00:00Z",
    ] {
        assert_eq!(text.parse::<Timestamp>(), Err(NotATime), "{text}");
    }
    assert_eq!(Timestamp::new(0, 1_000_000_000), Err(NotATime));
    assert_eq!(Timestamp::new(i64::MAX, 0), Err(NotATime));
}

proptest! {
    #[test]
    fn written_is_read_back(seconds in super::FIRST..=super::LAST, nanos in 0_u32..1_000_000_000) {
        let time = Timestamp::new(seconds, nanos).unwrap();
        prop_assert_eq!(time.to_string().parse(), Ok(time));
    }

    #[test]
    fn no_text_is_too_odd(text in "\\PC{0,40}|[0-9TZ:.+-]{0,40}") {
        let _ = text.parse::<Timestamp>();
    }
}
