//! Every shape as it is written.

mod a2a;
mod a2a_card;
mod devtool;
mod flat;
mod jsonrpc;
mod v03_proto;
mod v1;
mod v1_card;

use expect_test::Expect;
use pretty_assertions::assert_eq;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

pub(crate) fn check(shape: &impl Serialize, expected: &Expect) {
    expected.assert_eq(&serde_json::to_string_pretty(shape).unwrap());
}

/// Check that what is written is read back unchanged.
pub(crate) fn check_both<T: Serialize + DeserializeOwned + PartialEq + Debug>(shape: &T, expected: &Expect) {
    check(shape, expected);
    let read: T = serde_json::from_value(serde_json::to_value(shape).unwrap()).unwrap();
    assert_eq!(&read, shape);
}
