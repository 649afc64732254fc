//! Damaged and invented bodies for every decoder: none may panic, and what is read stays the same when it is written.
//!
//! It runs for `POLLUX_FUZZ_SECONDS` (2 unless told otherwise). A body that fails is printed; keep it as a file in
//! `corpus/`, which is tried first on every run.

mod decoders;
mod mutation;

use decoders::decode;
use fastrand::Rng;
use mutation::mutate;
use serde::de::IgnoredAny;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Found on the way here, and what bad input is made of.
const CORPUS: &[&str] = &[
    include_str!("fuzz/corpus/duplicate-spellings.json"),
    include_str!("fuzz/corpus/huge-number.json"),
    include_str!("fuzz/corpus/lone-surrogate.json"),
    include_str!("fuzz/corpus/null-everywhere.json"),
    include_str!("fuzz/corpus/several-contents.json"),
];

/// The shapes in the golden tests are the seeds.
const GOLDEN: &[&str] = &[
    include_str!("golden/a2a.rs"),
    include_str!("golden/a2a_card.rs"),
    include_str!("golden/devtool.rs"),
    include_str!("golden/flat.rs"),
    include_str!("golden/jsonrpc.rs"),
    include_str!("golden/v03_proto.rs"),
    include_str!("golden/v1.rs"),
    include_str!("golden/v1_card.rs"),
];

fn seeds() -> Vec<Vec<u8>> {
    let golden = GOLDEN.iter().flat_map(|file| file.split("r#\"").skip(1)).filter_map(|rest| rest.split("\"#").next());
    let seeds: Vec<Vec<u8>> = CORPUS.iter().copied().chain(golden).map(|text| text.as_bytes().to_vec()).collect();
    assert!(seeds.len() > 50, "the golden files have {} shapes", seeds.len());
    seeds
}

fn try_one(body: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| decode(body))).is_err() {
        panic!("keep this body in the corpus: {}", body.escape_ascii());
    }
}

#[test]
fn no_body_is_too_odd() {
    let seconds = std::env::var("POLLUX_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut pool = seeds();
    pool.iter().for_each(|body| try_one(body));
    let kept = pool.len();
    let mut random = Rng::new();
    while Instant::now() < end {
        for _ in 0..100 {
            let body = mutate(&mut random, &pool);
            try_one(&body);
            // Now and then go on from a body that is damaged already and still JSON.
            if random.u8(..) == 0 && serde_json::from_slice::<IgnoredAny>(&body).is_ok() {
                if pool.len() < kept * 4 { pool.push(body) } else { pool[random.usize(kept..kept * 4)] = body }
            }
        }
    }
}
