//! The `N` of `timeout N`.

use super::PlanObjection;
use std::time::Duration;

/// Longer than any command runs.
const LONGEST: f64 = 365.0 * 86_400.0;

/// How long a command may run with the limit `text`; none with a limit of zero.
pub(super) fn read(text: &str) -> Result<Option<Duration>, PlanObjection> {
    let (number, unit) = match text.char_indices().next_back() {
        Some((at, 's')) => (&text[..at], 1.0),
        Some((at, 'm')) => (&text[..at], 60.0),
        Some((at, 'h')) => (&text[..at], 3600.0),
        Some((at, 'd')) => (&text[..at], 86_400.0),
        _ => (text, 1.0),
    };
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds = number.parse::<f64>().ok().filter(|_| is_number).map(|number| (number * unit).min(LONGEST));
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let limit = limit.ok_or_else(|| PlanObjection::new(format!("`{text}` is no length of time")))?;
    Ok(Some(limit).filter(|limit| !limit.is_zero()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_number_of_seconds_or_of_a_longer_unit() {
        for (text, seconds) in [("5", 5.0), ("1.5s", 1.5), ("2m", 120.0), ("0.5h", 1800.0), ("1d", 86_400.0)] {
            assert_eq!(read(text), Ok(Some(Duration::from_secs_f64(seconds))), "{text}");
        }
        assert_eq!(read("999999999d"), Ok(Some(Duration::from_secs_f64(LONGEST))));
        for text in ["0", "0.0", "0m"] {
            assert_eq!(read(text), Ok(None), "{text}");
        }
        for text in ["", "x", "5x", "-1", "1e3", "inf", "s"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
