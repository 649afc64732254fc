//! The person at the terminal.

use super::verdict::{RaceChoice, RaceDecision};
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{TestHome, address_in};
use pollux_testkit::terminal::PtyTerminal;

/// The start of a line when a prompt can be typed.
const SIGN: &str = "\n> ";

/// The terminal the program runs in.
pub(crate) struct TerminalSeat {
    terminal: PtyTerminal,
    /// Where others connect.
    pub(crate) address: String,
}

impl TerminalSeat {
    /// Start the program and wait for the sign.
    pub(crate) fn start(home: &TestHome) -> Result<TerminalSeat> {
        let mut terminal = PtyTerminal::start(home, &["--a2a-port", "0", "-m", "demo"])?;
        let greeting = terminal.wait_for(SIGN)?;
        let address = greeting.lines().find_map(address_in).context("no address in the greeting")?;
        Ok(TerminalSeat { terminal, address })
    }

    pub(crate) fn prompt(&mut self, text: &str) -> Result<()> {
        self.terminal.type_line(text)
    }

    /// Wait for the ask about `command`.
    pub(crate) fn wait_for_ask(&mut self, command: &str) -> Result<()> {
        let drawn = self.terminal.wait_for("answer 1-3: ")?;
        ensure!(drawn.contains(command), "the ask must show what it is about: {drawn}");
        Ok(())
    }

    pub(crate) fn answer(&mut self, choice: RaceChoice) -> Result<()> {
        self.terminal.type_line(choice.key())
    }

    /// Read that the answer came too late, and who was first.
    pub(crate) fn expect_loss(&mut self, winner: &RaceDecision) -> Result<()> {
        self.terminal.wait_for("already decided")?;
        let told = self.terminal.wait_for(&winner.by)?;
        ensure!(!told.contains('\n'), "one line must say that it is decided and that {} won: {told}", winner.by);
        Ok(())
    }

    /// End the program without a word.
    pub(crate) fn kill(self) -> Result<()> {
        self.terminal.kill()
    }

    /// Wait until the turn is over and another prompt may be typed.
    pub(crate) fn wait_for_rest(&mut self) -> Result<()> {
        self.terminal.wait_for(SIGN)?;
        Ok(())
    }
}
