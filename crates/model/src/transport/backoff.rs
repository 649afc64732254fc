//! The waits between attempts to start a call.

use std::time::Duration;

/// The rules: attempts, the first wait, the longest own wait, and the dice.
#[derive(Clone, Copy)]
pub(crate) struct BackoffPolicy {
    /// The number of attempts in all.
    pub(crate) attempts: u32,
    /// The first wait; each one is twice the one before.
    pub(crate) first: Duration,
    /// The longest wait that is our own choice. A provider may ask for more.
    pub(crate) cap: Duration,
    /// A number from 0 to 1, so that many clients do not come back at once.
    pub(crate) dice: fn() -> f64,
}

impl BackoffPolicy {
    /// The policy of Google's own client, and good manners everywhere.
    pub(crate) fn network() -> BackoffPolicy {
        BackoffPolicy { attempts: 10, first: Duration::from_secs(5), cap: Duration::from_secs(30), dice: thrown }
    }

    /// For answers from a file: nobody needs to be spared.
    pub(crate) fn script() -> BackoffPolicy {
        BackoffPolicy { first: Duration::from_millis(20), cap: Duration::from_millis(200), ..BackoffPolicy::network() }
    }

    /// For small questions beside the conversation: nobody is told of the waits, so there are few.
    pub(super) fn brief(self) -> BackoffPolicy {
        BackoffPolicy { attempts: self.attempts.min(3), first: self.first.min(Duration::from_secs(1)), ..self }
    }

    pub(super) fn waits(self) -> BackoffWaits {
        BackoffWaits { rules: self, current: self.first }
    }
}

/// A throw of the dice. Where the system has no randomness, all dice show the middle.
fn thrown() -> f64 {
    getrandom::u32().map_or(0.5, |number| f64::from(number) / f64::from(u32::MAX))
}

/// The waits of one call.
pub(super) struct BackoffWaits {
    rules: BackoffPolicy,
    current: Duration,
}

impl BackoffWaits {
    /// The next wait: our own, 30 % more or less; or, when the provider named a longer one, that and up to 20 % more.
    pub(super) fn next(&mut self, asked: Option<Duration>) -> Duration {
        let dice = (self.rules.dice)();
        let wait = match asked {
            Some(asked) => self.current.max(asked).mul_f64(1.0 + 0.2 * dice),
            None => self.current.mul_f64(0.7 + 0.6 * dice),
        };
        self.current = (self.current * 2).min(self.rules.cap);
        wait
    }
}
