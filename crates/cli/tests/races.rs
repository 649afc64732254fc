//! Everybody answers the same ask at once: 8 WebSockets, 8 JSON-RPC clients and the terminal. One answer wins, the
//! command runs once or not at all, every loser learns who won, and every dialog closes.

mod json_rpc_seat;
mod log_check;
mod socket_seat;
mod terminal_seat;
mod verdict;

use anyhow::{Context as _, Result, ensure};
use futures_util::future::try_join_all;
use json_rpc_seat::JsonRpcSeat;
use pollux_testkit::program::TestHome;
use pollux_testkit::randomness::{rounds, seed};
use pretty_assertions::assert_eq;
use socket_seat::{SocketSeat, WantedReplies};
use std::collections::BTreeMap;
use std::time::Duration;
use terminal_seat::TerminalSeat;
use verdict::{RaceChoice, RaceDecision, RaceVerdict};

/// The rounds for which one session is used; a long conversation makes every model call longer.
const ROUNDS_PER_SESSION: usize = 125;
const SOCKETS: usize = 8;
const POSTERS: usize = 8;

#[tokio::test]
async fn one_answer_wins_and_everybody_is_told() -> Result<()> {
    let mut chance = fastrand::Rng::with_seed(seed());
    let rounds = rounds(1_000);
    let mut wins: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut played = 0;
    while played < rounds {
        let mut table = RaceSession::start().await?;
        for round in 0..ROUNDS_PER_SESSION.min(rounds - played) {
            let winner =
                table.play(round, &mut chance).await.with_context(|| format!("in round {}", played + round))?;
            *wins.entry(winner).or_default() += 1;
        }
        played += ROUNDS_PER_SESSION;
        table.close().await?;
    }
    println!("{wins:?}");
    ensure!(wins.len() == 3, "this is no race: over {rounds} rounds only these have won: {wins:?}");
    Ok(())
}

/// One session with everybody who sits at it.
struct RaceSession {
    home: TestHome,
    terminal: TerminalSeat,
    sockets: Vec<SocketSeat>,
    posters: Vec<JsonRpcSeat>,
    /// The decision of each round.
    decided: Vec<RaceDecision>,
}

impl RaceSession {
    async fn start() -> Result<RaceSession> {
        let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
        let terminal = TerminalSeat::start(&home)?;
        let address = &terminal.address;
        // Half of them number their frames and get a reply, half hear only of a refusal.
        let replies = [WantedReplies::Wanted, WantedReplies::OnlyRefusals];
        let sockets = (0..SOCKETS).map(|number| SocketSeat::connect(address, number, replies[number % 2]));
        let sockets = try_join_all(sockets).await?;
        let posters = (0..POSTERS).map(|number| JsonRpcSeat::new(address, number));
        Ok(RaceSession { sockets, posters: posters.collect(), terminal, home, decided: Vec::new() })
    }

    /// One prompt, one ask, seventeen answers. Returns what kind of seat won.
    async fn play(&mut self, round: usize, chance: &mut fastrand::Rng) -> Result<&'static str> {
        let command = format!("echo {round} >>ran");
        self.prompt(round, &format!("run `{command}`")).await?;
        let call = self.wait_for_ask(&command).await?;

        let RaceAnswers { sockets, terminal } = self.answer(&call, chance).await?;
        let mut won = sockets.iter().filter(|(verdict, _)| *verdict == RaceVerdict::Won).map(|(_, own)| own);
        let winner = won.next().unwrap_or(&terminal).clone();
        ensure!(won.next().is_none(), "more than one has won: {sockets:?}");
        for (verdict, own) in &sockets {
            if let RaceVerdict::Lost(told) = verdict {
                assert_eq!(told, &winner, "what {} was told", own.by);
            }
        }
        if winner != terminal {
            self.terminal.expect_loss(&winner)?;
        }
        self.terminal.wait_for_rest()?;
        try_join_all(self.sockets.iter_mut().map(|seat| seat.wait_for_close(&call, winner.choice))).await?;

        let kind = winner.kind();
        self.decided.push(winner);
        self.check_what_ran()?;
        Ok(kind)
    }

    /// Every command that was allowed ran once, and nothing else ran.
    fn check_what_ran(&self) -> Result<()> {
        let allowed = self.decided.iter().enumerate().filter(|(_, decision)| decision.choice.runs());
        let expected: String = allowed.map(|(round, _)| format!("{round}\n")).collect();
        if self.decided.iter().any(|decision| decision.choice.runs()) {
            assert_eq!(std::fs::read_to_string(self.home.workspace().join("ran"))?, expected);
        }
        Ok(())
    }

    /// End the session and compare its log with what everybody was told.
    async fn close(self) -> Result<()> {
        self.terminal.kill()?;
        log_check::check(&self.home.path("state").join("pollux"), &self.decided).await
    }

    /// Everybody prompts in turn.
    async fn prompt(&mut self, round: usize, text: &str) -> Result<()> {
        let seat = round % (1 + SOCKETS + POSTERS);
        match seat.checked_sub(1) {
            None => self.terminal.prompt(text),
            Some(number) if number < SOCKETS => self.sockets[number].prompt(text).await,
            Some(number) => self.posters[number - SOCKETS].prompt(text).await,
        }
    }

    /// Wait until everybody sees the ask; the call that asks.
    async fn wait_for_ask(&mut self, command: &str) -> Result<String> {
        self.terminal.wait_for_ask(command)?;
        let mut calls = try_join_all(self.sockets.iter_mut().map(SocketSeat::wait_for_ask)).await?;
        calls.extend(try_join_all(self.posters.iter_mut().map(JsonRpcSeat::wait_for_ask)).await?);
        calls.dedup();
        ensure!(calls.len() == 1, "everybody must see the same ask: {calls:?}");
        Ok(calls.remove(0))
    }

    /// Everybody answers.
    async fn answer(&mut self, call: &str, chance: &mut fastrand::Rng) -> Result<RaceAnswers> {
        try_join_all(self.posters.iter_mut().map(JsonRpcSeat::reach_out)).await?;
        // A head start of a moment for some, so that the fastest way in does not always win.
        let mut start = || Duration::from_millis(chance.u64(0..4));
        let mut moves = Vec::new();
        for seat in &mut self.sockets {
            moves.push((start(), Racer::Socket(seat)));
        }
        for seat in &mut self.posters {
            moves.push((start(), Racer::Poster(seat)));
        }
        moves.push((start(), Racer::Terminal(&mut self.terminal)));
        chance.shuffle(&mut moves);
        let answers = moves.into_iter().map(|(start, seat)| {
            let choice = *chance.choice(&RaceChoice::ALL).unwrap_or(&RaceChoice::Once);
            async move {
                tokio::time::sleep(start).await;
                seat.answer(call, choice).await
            }
        });
        let mut sockets = Vec::new();
        let mut terminal = None;
        for (verdict, own) in try_join_all(answers).await? {
            match verdict {
                Some(verdict) => sockets.push((verdict, own)),
                None => terminal = Some(own),
            }
        }
        Ok(RaceAnswers { sockets, terminal: terminal.context("the terminal answers too")? })
    }
}

/// Everybody's choice, and the result at the sockets; the terminal reads that from its screen.
struct RaceAnswers {
    sockets: Vec<(RaceVerdict, RaceDecision)>,
    terminal: RaceDecision,
}

/// One seat about to answer.
enum Racer<'a> {
    Socket(&'a mut SocketSeat),
    Poster(&'a mut JsonRpcSeat),
    Terminal(&'a mut TerminalSeat),
}

impl Racer<'_> {
    /// The result of the answer, unless that shows only on the screen; and the choice.
    async fn answer(self, call: &str, choice: RaceChoice) -> Result<(Option<RaceVerdict>, RaceDecision)> {
        match self {
            Racer::Socket(seat) => {
                let own = RaceDecision { by: seat.label(), choice };
                Ok((Some(seat.answer(call, choice).await?), own))
            }
            Racer::Poster(seat) => {
                let own = RaceDecision { by: seat.label(), choice };
                Ok((Some(seat.answer(call, choice).await?), own))
            }
            Racer::Terminal(seat) => {
                seat.answer(choice)?;
                Ok((None, RaceDecision { by: "terminal".into(), choice }))
            }
        }
    }
}
