use super::*;
use pretty_assertions::assert_eq;

fn rates(input: u64, output: u64, cached: u64) -> TokenRates {
    TokenRates { input: MicroDollars(input), output: MicroDollars(output), cached: MicroDollars(cached) }
}

#[test]
fn cached_tokens_are_cheap_and_thoughts_are_output() {
    let prices = ModelPrices { usual: rates(3_000_000, 15_000_000, 300_000), long: None };
    let usage = ModelUsage { prompt: 1_000_000, cached: 900_000, output: 10_000, thoughts: 20_000 };
    assert_eq!(prices.cost(&usage), MicroDollars(300_000 + 270_000 + 450_000));
    assert_eq!(prices.cost(&ModelUsage::default()), MicroDollars(0));
}

#[test]
fn a_long_prompt_has_its_own_rates() {
    let long = LongPromptRates { over: 200_000, rates: rates(4_000_000, 18_000_000, 400_000) };
    let prices = ModelPrices { usual: rates(2_000_000, 12_000_000, 200_000), long: Some(long) };
    let asking = |prompt| prices.cost(&ModelUsage { prompt, ..ModelUsage::default() });
    assert_eq!(asking(200_000), MicroDollars(400_000));
    assert_eq!(asking(200_001), MicroDollars(800_004));
}

#[test]
fn nothing_overflows_and_a_fraction_is_rounded_up() {
    let prices = ModelPrices { usual: rates(1, u64::MAX, 0), long: None };
    let endless = ModelUsage { prompt: u64::MAX, cached: u64::MAX, output: u64::MAX, thoughts: u64::MAX };
    assert_eq!(prices.cost(&endless), MicroDollars(u64::MAX));
    assert_eq!(prices.cost(&ModelUsage { prompt: 1, ..ModelUsage::default() }), MicroDollars(1));
    assert_eq!([MicroDollars(u64::MAX), MicroDollars(1)].into_iter().sum::<MicroDollars>(), MicroDollars(u64::MAX));
}

#[test]
fn money_reads_as_money() {
    let shown = |micros| MicroDollars(micros).to_string();
    assert_eq!(shown(0), "$0.00");
    assert_eq!(shown(1_250_000), "$1.25");
    assert_eq!(shown(4_200), "$0.0042");
    assert_eq!(shown(1), "$0.000001");
    assert_eq!(shown(1_999_999), "$2.00");
    assert_eq!(shown(123_456), "$0.12");
    assert_eq!(shown(u64::MAX), "$18446744073709.55");
}
