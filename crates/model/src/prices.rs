//! The price of a call, in whole millionths of a dollar: sums over a long session stay exact.

use pollux_session::ModelUsage;
use serde::Deserialize;
use std::fmt;
use std::iter::Sum;
use std::ops::Add;

/// The prices of a model's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelPrices {
    /// For ordinary calls.
    pub usual: TokenRates,
    /// For calls with a long prompt, where they cost more.
    pub long: Option<LongPromptRates>,
}

/// The price of a million tokens, by what becomes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Dollars")]
pub struct TokenRates {
    /// Sent.
    pub input: MicroDollars,
    /// Received, thoughts included.
    pub output: MicroDollars,
    /// Sent, but taken from a cache.
    pub cached: MicroDollars,
}

/// The rates of a call whose prompt is longer than `over` tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongPromptRates {
    /// The longest prompt that is not yet long.
    pub over: u64,
    pub rates: TokenRates,
}

/// Millionths of a dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MicroDollars(pub u64);

impl ModelPrices {
    /// The price of one call, rounded up. A provider's surcharge for filling its cache is not in it.
    pub fn cost(&self, usage: &ModelUsage) -> MicroDollars {
        let rates = match self.long {
            Some(long) if usage.prompt > long.over => long.rates,
            _ => self.usual,
        };
        let fresh = usage.prompt.saturating_sub(usage.cached);
        let received = usage.output.saturating_add(usage.thoughts);
        let priced = [(fresh, rates.input), (usage.cached, rates.cached), (received, rates.output)];
        let total: u128 = priced.iter().map(|(tokens, rate)| u128::from(*tokens) * u128::from(rate.0)).sum();
        MicroDollars(u64::try_from(total.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for MicroDollars {
    /// `$1.25`, `$0.0042`: cents, or as far as it takes to show something.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dollars, rest) = (self.0 / 1_000_000, self.0 % 1_000_000);
        match (dollars, rest) {
            (_, rest) if rest % 10_000 == 0 => write!(f, "${dollars}.{:02}", rest / 10_000),
            (0, rest) if rest < 10_000 => write!(f, "$0.{}", format!("{rest:06}").trim_end_matches('0')),
            // Rounded to cents; the carry goes into the dollars.
            _ => {
                let cents = self.0.saturating_add(5_000) / 10_000;
                write!(f, "${}.{:02}", cents / 100, cents % 100)
            }
        }
    }
}

impl Add for MicroDollars {
    type Output = MicroDollars;

    fn add(self, other: MicroDollars) -> MicroDollars {
        MicroDollars(self.0.saturating_add(other.0))
    }
}

impl Sum for MicroDollars {
    fn sum<I: Iterator<Item = MicroDollars>>(costs: I) -> MicroDollars {
        costs.fold(MicroDollars(0), Add::add)
    }
}

/// Rates as people write them: dollars for a million tokens.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dollars {
    input: f64,
    output: f64,
    /// As `input` unless told.
    cached: Option<f64>,
}

impl TryFrom<Dollars> for TokenRates {
    type Error = String;

    fn try_from(dollars: Dollars) -> Result<TokenRates, String> {
        let cached = dollars.cached.unwrap_or(dollars.input);
        Ok(TokenRates { input: micros(dollars.input)?, output: micros(dollars.output)?, cached: micros(cached)? })
    }
}

fn micros(dollars: f64) -> Result<MicroDollars, String> {
    if !(0.0..=1_000_000.0).contains(&dollars) {
        return Err(format!("{dollars} is not a price in dollars for a million tokens"));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    Ok(MicroDollars((dollars * 1_000_000.0).round() as u64))
}

#[cfg(test)]
mod tests;
