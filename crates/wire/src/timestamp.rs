//! Points in time as both versions write them: RFC 3339, in UTC, with `Z`. Any offset is read.

#[cfg(test)]
mod tests;

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A point in time between the years 1 and 9999, as `google.protobuf.Timestamp` counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Whole seconds since 1970, rounded down.
    seconds: i64,
    /// The rest.
    nanos: u32,
}

/// A text that is no point in time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not a time; write it like 2026-11-15T07:21:38.341Z")]
pub struct NotATime;

const FIRST: i64 = -62_135_596_800;
const LAST: i64 = 253_402_300_799;
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

impl Timestamp {
    /// The point that is this many seconds and nanoseconds after 1970.
    pub fn new(seconds: i64, nanos: u32) -> Result<Timestamp, NotATime> {
        if (FIRST..=LAST).contains(&seconds) && nanos < 1_000_000_000 {
            Ok(Timestamp { seconds, nanos })
        } else {
            Err(NotATime)
        }
    }

    /// Whole seconds since 1970, rounded down.
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// The part beyond the whole second, in nanoseconds.
    pub fn nanos(self) -> u32 {
        self.nanos
    }

    /// Milliseconds since 1970, rounded down.
    pub fn millis(self) -> i64 {
        self.seconds * 1000 + i64::from(self.nanos / 1_000_000)
    }
}

/// Jiff's own parser takes more than both versions allow: a space for the `T`, a week date, a zone's name.
impl FromStr for Timestamp {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Timestamp, NotATime> {
        let mut at = Reader { rest: text };
        let date = Date::new(at.digits(4)?, at.literal('-')?.digits(2)?, at.literal('-')?.digits(2)?);
        if at.literal('T').is_err() {
            at.literal('t')?;
        }
        let time = Time::new(at.digits(2)?, at.literal(':')?.digits(2)?, at.literal(':')?.digits(2)?, 0);
        let nanos = if at.literal('.').is_ok() { at.fraction()? } else { 0 };
        let offset = at.offset()?;
        let (Ok(date), Ok(time), "") = (date, time, at.rest) else { return Err(NotATime) };
        Timestamp::new(date.to_datetime(time).duration_since(EPOCH).as_secs() - offset, nanos)
    }
}

/// Written with as many digits after the second as are needed: none, three, six or nine.
impl fmt::Display for Timestamp {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let utc = EPOCH
            .saturating_add(SignedDuration::from_secs(self.seconds) + SignedDuration::from_nanos(self.nanos.into()));
        let digits = match self.nanos {
            0 => 0,
            nanos if nanos % 1_000_000 == 0 => 3,
            nanos if nanos % 1_000 == 0 => 6,
            _ => 9,
        };
        write!(to, "{utc:.digits$}Z")
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn literal(&mut self, letter: char) -> Result<&mut Self, NotATime> {
        self.rest = self.rest.strip_prefix(letter).ok_or(NotATime)?;
        Ok(self)
    }

    fn digits<Number: FromStr>(&mut self, count: usize) -> Result<Number, NotATime> {
        let (digits, rest) = self.rest.split_at_checked(count).ok_or(NotATime)?;
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NotATime);
        }
        self.rest = rest;
        digits.parse().map_err(|_| NotATime)
    }

    /// One to nine digits after the dot; more than that is more exact than a timestamp is, and cut.
    fn fraction(&mut self) -> Result<u32, NotATime> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(length);
        self.rest = rest;
        if digits.is_empty() {
            return Err(NotATime);
        }
        let nanos = digits.bytes().chain(std::iter::repeat(b'0')).take(9);
        Ok(nanos.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')))
    }

    /// The offset from UTC in seconds.
    fn offset(&mut self) -> Result<i64, NotATime> {
        if self.literal('Z').is_ok() || self.literal('z').is_ok() {
            return Ok(0);
        }
        let sign = if self.literal('+').is_ok() { 1 } else { self.literal('-').map(|_| -1)? };
        let (hours, minutes): (i64, i64) = (self.digits(2)?, self.literal(':')?.digits(2)?);
        if hours > 23 || minutes > 59 {
            return Err(NotATime);
        }
        Ok(sign * (hours * 3600 + minutes * 60))
    }
}
