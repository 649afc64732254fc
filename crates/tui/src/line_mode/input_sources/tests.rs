use super::{InputScope, InputSources, LineModeEvent};
use crate::line_input::{EchoSource, LineInput, TypedInput};
use crate::testing::FakeSession;
use pollux_session::{Seat, Seq};
use pretty_assertions::assert_eq;
use std::io;
use tokio::sync::{mpsc, oneshot};

/// Inputs of somebody who types this while they wait, and what they wait for.
async fn waiting(
    echo: EchoSource,
    typed: Vec<io::Result<TypedInput>>,
) -> (InputSources, oneshot::Sender<()>, oneshot::Receiver<()>) {
    let (keys, lines) = mpsc::channel(16);
    for typed in typed {
        keys.send(typed).await.unwrap();
    }
    let seat = FakeSession::open().seat("terminal");
    let (_, interrupts) = mpsc::channel(1);
    let inputs = InputSources::new(LineInput::from_channel(lines, echo), interrupts, seat.notices(), None);
    let (let_in, work) = oneshot::channel();
    (inputs, let_in, work)
}

async fn next(inputs: &mut InputSources) -> String {
    let seat = FakeSession::open().seat("terminal");
    let never = Seq(u64::MAX);
    match inputs.next(&*seat, never, InputScope::Everything).await.unwrap() {
        LineModeEvent::Line(line) => line,
        LineModeEvent::InputFailed(error) => format!("broken: {error}"),
        LineModeEvent::NoMoreLines => "no more".into(),
        _ => panic!("something else came"),
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_before_the_session_is_there_waits_for_it() {
    let broken = io::Error::other("the cable is out");
    let (mut inputs, let_in, work) = waiting(EchoSource::Terminal, vec![Ok("one".into()), Err(broken)]).await;
    let_in.send(()).unwrap();
    assert!(inputs.run_unless_quit(work).await.is_some());
    assert!(inputs.has_lines(), "nothing that was typed is done with");
    assert_eq!(next(&mut inputs).await, "one");
    inputs.forget_half_typed();
    assert!(inputs.has_lines(), "nobody has heard of the cable");
    assert_eq!(next(&mut inputs).await, "broken: the cable is out");
    assert!(!inputs.has_lines());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_terminal_is_heard_before_the_session_is_there() {
    let (mut inputs, _never_let_in, work) = waiting(EchoSource::Terminal, vec![Ok("one".into())]).await;
    assert_eq!(inputs.run_unless_quit(work).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_pipe_is_read_when_the_session_is_there() {
    let (mut inputs, let_in, work) = waiting(EchoSource::Seat, vec![Ok("/quit".into())]).await;
    let_in.send(()).unwrap();
    assert!(inputs.run_unless_quit(work).await.is_some());
    assert_eq!([next(&mut inputs).await, next(&mut inputs).await], ["/quit", "no more"]);
}

#[tokio::test(start_paused = true)]
async fn whoever_says_so_leaves_before_the_session_is_there() {
    let (mut inputs, _never_let_in, work) =
        waiting(EchoSource::Terminal, vec![Ok("hello".into()), Ok("/quit".into())]).await;
    assert_eq!(inputs.run_unless_quit(work).await, None);
}
