//! A position in a log as opaque text: `<incarnation in base 36>.<number>`. It serves `id:`, `Last-Event-ID` and
//! resubscribe alike.

use pollux_session::{Seat, Seq};

/// The cursor just after `seq`.
pub(crate) fn write(incarnation: u32, seq: Seq) -> String {
    format!("{}.{seq}", base36(incarnation))
}

/// The position that a cursor of a client stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cursor {
    /// This position in the log.
    At(Seq),
    /// No position in this log: another life of it, beyond its end, or no cursor of ours.
    Lost,
}

/// Read a cursor for the log of `seat`, whose newest entry is `head`.
pub(crate) fn read(text: &str, seat: &dyn Seat, head: Seq) -> Cursor {
    let position = text.trim().split_once('.').and_then(|(incarnation, seq)| {
        let same_log = u32::from_str_radix(incarnation, 36).ok()? == seat.incarnation();
        let seq = Seq(seq.parse().ok()?);
        (same_log && seq <= head).then_some(seq)
    });
    position.map_or(Cursor::Lost, Cursor::At)
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}
