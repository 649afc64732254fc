//! Points in time as both versions write them: RFC 3339, in UTC, with `Z`. Any offset is read.

#[cfg(test)]
mod tests;

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
const DAY: i64 = 86_400;

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

    /// What is left beyond the whole second, in nanoseconds.
    pub fn nanos(self) -> u32 {
        self.nanos
    }

    /// Milliseconds since 1970, rounded down.
    pub fn millis(self) -> i64 {
        self.seconds * 1000 + i64::from(self.nanos / 1_000_000)
    }
}

impl FromStr for Timestamp {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Timestamp, NotATime> {
        let mut at = Reader { rest: text };
        let date = (at.digits(4)?, at.literal('-')?.digits(2)?, at.literal('-')?.digits(2)?);
        if at.literal('T').is_err() {
            at.literal('t')?;
        }
        let (hour, minute, second) = (at.digits(2)?, at.literal(':')?.digits(2)?, at.literal(':')?.digits(2)?);
        let nanos = if at.literal('.').is_ok() { at.fraction()? } else { 0 };
        let offset = at.offset()?;
        let days = days_since_1970(date).ok_or(NotATime)?;
        if !at.rest.is_empty() || hour > 23 || minute > 59 || second > 59 {
            return Err(NotATime);
        }
        Timestamp::new(days * DAY + hour * 3600 + minute * 60 + second - offset, nanos)
    }
}

/// Written with as many digits after the second as are needed: none, three, six or nine.
impl fmt::Display for Timestamp {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of(self.seconds.div_euclid(DAY));
        let second = self.seconds.rem_euclid(DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(to, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        match self.nanos {
            0 => {}
            nanos if nanos % 1_000_000 == 0 => write!(to, ".{:03}", nanos / 1_000_000)?,
            nanos if nanos % 1_000 == 0 => write!(to, ".{:06}", nanos / 1_000)?,
            nanos => write!(to, ".{nanos:09}")?,
        }
        to.write_str("Z")
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

    fn digits(&mut self, count: usize) -> Result<i64, NotATime> {
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
        let (hours, minutes) = (self.digits(2)?, self.literal(':')?.digits(2)?);
        if hours > 23 || minutes > 59 {
            return Err(NotATime);
        }
        Ok(sign * (hours * 3600 + minutes * 60))
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

const MONTHS: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

fn length(year: i64, month: usize) -> i64 {
    MONTHS[month - 1] + i64::from(month == 2 && is_leap(year))
}

/// The days before the first of January of `year`, counted from year 1.
fn days_before(year: i64) -> i64 {
    let past = year - 1;
    past * 365 + past / 4 - past / 100 + past / 400
}

/// The days from the first day of year 1 to 1970.
const EPOCH_DAYS: i64 = 719_162;

fn days_since_1970((year, month, day): (i64, i64, i64)) -> Option<i64> {
    let month = usize::try_from(month).ok().filter(|month| (1..=12).contains(month))?;
    if year < 1 || !(1..=length(year, month)).contains(&day) {
        return None;
    }
    let months: i64 = (1..month).map(|month| length(year, month)).sum();
    Some(days_before(year) + months + day - 1 - EPOCH_DAYS)
}

/// Only for days of the years 1 to 9999, which is all that a timestamp can be.
fn date_of(days: i64) -> (i64, usize, i64) {
    let days = days + EPOCH_DAYS;
    // A year has at least 365 days, so this is at most a few years too late.
    let mut year = days / 365 + 1;
    while days_before(year) > days {
        year -= 1;
    }
    let mut rest = days - days_before(year);
    let mut month = 1;
    while rest >= length(year, month) {
        rest -= length(year, month);
        month += 1;
    }
    (year, month, rest + 1)
}
