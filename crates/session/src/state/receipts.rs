//! The receipts of the newest commands: whoever sends one again gets the receipt of the first time.

use super::SessionState;
use crate::command::{Command, CommandFingerprint};
use crate::ids::{CommandId, UnixMillis};
use crate::seat::CommandReceipt;

/// How long a retry gets the first receipt.
const RECEIPTS_KEPT_MS: u64 = 24 * 60 * 60 * 1000;
/// How many receipts are kept at the most.
const RECEIPTS_KEPT: usize = 4096;

impl SessionState {
    /// The receipt an earlier command with this fingerprint got.
    pub fn receipt(&self, fingerprint: &CommandFingerprint) -> Option<CommandReceipt> {
        self.receipts.iter().rev().find(|(known, ..)| known == fingerprint).map(|(.., receipt)| *receipt)
    }

    /// The same for a command that may be a message, which an earlier release took in parts.
    pub fn receipt_of(&self, id: &CommandId, command: &Command) -> Option<CommandReceipt> {
        let of_parts = || {
            let Command::Message { parts, .. } = command else { return None };
            let known = CommandFingerprint::of_parts(id, parts).into_iter().flatten().map(|part| self.receipt(&part));
            let receipts: Option<Vec<CommandReceipt>> = known.collect();
            receipts?.into_iter().reduce(|first, next| CommandReceipt {
                last: Some(next.seq),
                about: next.about,
                ..first
            })
        };
        self.receipt(&CommandFingerprint::of(id, command)).or_else(of_parts)
    }

    /// Each part of a message adds to its receipt.
    pub(super) fn keep_receipt(&mut self, fingerprint: &CommandFingerprint, at: UnixMillis, receipt: CommandReceipt) {
        if let Some((newest, _, kept)) = self.receipts.back_mut()
            && newest == fingerprint
        {
            (kept.about, kept.last) = (receipt.about, Some(receipt.seq));
            return;
        }
        self.receipts.push_back((fingerprint.clone(), at, receipt));
        while self.receipts.front().is_some_and(|(_, then, _)| {
            self.receipts.len() > RECEIPTS_KEPT || at.0.saturating_sub(then.0) > RECEIPTS_KEPT_MS
        }) {
            self.receipts.pop_front();
        }
    }

    /// Take the receipt of the newest command back.
    pub(crate) fn forget_receipt(&mut self, fingerprint: &CommandFingerprint) {
        self.receipts.retain(|(known, ..)| known != fingerprint);
    }
}
