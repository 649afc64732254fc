//! The reader with a terminal that is played, and the sorting of what it reads.

use super::event_conversion::inputs_from_events;
use super::reader::WaitResult;
use super::reader_channel::SizeAndCursor;
use super::*;
use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use pretty_assertions::assert_eq;
use std::collections::VecDeque;
use std::io::Read as _;
use std::sync::mpsc;
use std::time::Duration;

fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

fn typed(text: &str) -> Vec<Event> {
    let code = |ch| if ch == '\n' { KeyCode::Enter } else { KeyCode::Char(ch) };
    text.chars().map(|ch| Event::Key(key(code(ch)))).collect()
}

fn keys(text: &str) -> Vec<TerminalInput> {
    let input = |event| match event {
        Event::Key(key) => TerminalInput::Key(key),
        other => panic!("no key: {other:?}"),
    };
    typed(text).into_iter().map(input).collect()
}

/// A terminal that sends what it is told, all of one step together.
struct ScriptedEventSource {
    steps: mpsc::Receiver<ScriptedStep>,
    here: VecDeque<Event>,
}

enum ScriptedStep {
    Events(Vec<Event>),
    Wake,
    Fail,
    HangUp,
}

impl ScriptedEventSource {
    fn play(&mut self, step: ScriptedStep) -> io::Result<WaitResult> {
        match step {
            ScriptedStep::Events(events) => self.here.extend(events),
            ScriptedStep::Wake => {}
            ScriptedStep::Fail => return Err(io::Error::other("broken")),
            ScriptedStep::HangUp => return Ok(WaitResult::Gone),
        }
        Ok(WaitResult::Woken)
    }
}

impl TerminalEventSource for ScriptedEventSource {
    fn wait(&mut self) -> io::Result<WaitResult> {
        self.steps.recv().map_or(Ok(WaitResult::Gone), |step| self.play(step))
    }

    fn next(&mut self, _: Duration) -> io::Result<Option<Event>> {
        Ok(self.here.pop_front())
    }

    fn measure(&mut self) -> io::Result<SizeAndCursor> {
        // A terminal answers in order: whatever it sent before is here as soon as its answer is.
        while let Ok(step) = self.steps.try_recv() {
            if self.play(step)? == WaitResult::Gone {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok((Size { width: 80, height: 24 }, Some(Position { x: 2, y: 20 })))
    }
}

fn scripted_keyboard() -> (mpsc::Sender<ScriptedStep>, Keyboard) {
    let (sender, steps) = mpsc::channel();
    let (woken, wake) = io::pipe().unwrap();
    // A byte in the pipe wakes the terminal, until the keyboard is gone.
    let waking = sender.clone();
    let wakes = io::BufReader::new(woken).bytes();
    std::thread::spawn(move || wakes.map_while(Result::ok).all(|_| waking.send(ScriptedStep::Wake).is_ok()));
    (sender, Keyboard::start_reader(ScriptedEventSource { steps, here: VecDeque::new() }, wake).unwrap())
}

#[test]
fn pasted_text_that_comes_as_keys_is_put_together_again() {
    let pasted = "first line\n\tsecond";
    assert_eq!(inputs_from_events(&typed(pasted)), [TerminalInput::Paste(pasted.to_owned())]);
    // Typed ahead, with Enter at the end.
    assert_eq!(inputs_from_events(&typed("cargo test\n")), keys("cargo test\n"));
    // Too few for a paste.
    assert_eq!(inputs_from_events(&typed("y\nls\n")), keys("y\nls\n"));
    // A line feed comes as Ctrl+J.
    let mut fed = typed("some words");
    fed.push(Event::Key(KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL)));
    fed.extend(typed("more"));
    assert_eq!(inputs_from_events(&fed), [TerminalInput::Paste("some words\nmore".into())]);
}

#[test]
fn other_keys_end_a_burst() {
    let escape = Event::Key(key(KeyCode::Esc));
    let events = [typed("abcdefgh\n"), vec![escape], typed("x\n")].concat();
    let expected = [keys("abcdefgh\n"), vec![TerminalInput::Key(key(KeyCode::Esc))], keys("x\n")].concat();
    assert_eq!(inputs_from_events(&events), expected);
}

#[test]
fn releases_are_dropped_and_line_breaks_in_pastes_are_one_kind() {
    let release = KeyEvent::new_with_kind(KeyCode::Char('a'), KeyModifiers::NONE, KeyEventKind::Release);
    let repeat = KeyEvent::new_with_kind(KeyCode::Char('a'), KeyModifiers::NONE, KeyEventKind::Repeat);
    let events = vec![
        Event::Key(release),
        Event::Key(repeat),
        Event::Paste("one\rtwo\r\nthree\n".into()),
        Event::FocusLost,
        Event::Resize(1, 1),
        Event::FocusGained,
    ];
    let expected = [
        TerminalInput::Key(repeat),
        TerminalInput::Paste("one\ntwo\nthree\n".into()),
        TerminalInput::Focus(TerminalFocus::Lost),
        TerminalInput::Focus(TerminalFocus::Gained),
    ];
    assert_eq!(inputs_from_events(&events), expected);
}

#[tokio::test]
async fn a_megabyte_of_pasted_text_arrives_whole() {
    let (terminal, mut keyboard) = scripted_keyboard();
    let text = "0123456789abcde\n".repeat(65_536);
    terminal.send(ScriptedStep::Events(vec![Event::Paste(text.clone())])).unwrap();
    assert_eq!(keyboard.next().await.unwrap().unwrap(), TerminalInput::Paste(text));
    // The same typed by a terminal that does not know pasting.
    let text = "0123456789abcde\n".repeat(1000) + "end";
    terminal.send(ScriptedStep::Events(typed(&text))).unwrap();
    assert_eq!(keyboard.next().await.unwrap().unwrap(), TerminalInput::Paste(text));
}

#[tokio::test]
async fn a_size_is_asked_for_when_it_is_taken() {
    let (terminal, mut keyboard) = scripted_keyboard();
    // Sizes that the terminal tells of by itself are old by the time anybody sees them.
    terminal.send(ScriptedStep::Events(vec![Event::Resize(10, 10), Event::FocusLost])).unwrap();
    let resized =
        TerminalInput::Resized { size: Size { width: 80, height: 24 }, cursor: Some(Position { x: 2, y: 20 }) };
    assert_eq!(keyboard.measure().unwrap(), resized);
    assert_eq!(keyboard.next().await.unwrap().unwrap(), TerminalInput::Focus(TerminalFocus::Lost));
}

#[tokio::test]
async fn a_full_desk_does_not_hold_up_a_size() {
    let (terminal, mut keyboard) = scripted_keyboard();
    terminal.send(ScriptedStep::Events(typed(&"abcdef".repeat(1000)))).unwrap();
    assert!(matches!(keyboard.measure().unwrap(), TerminalInput::Resized { .. }));
}

#[tokio::test]
async fn more_than_the_desk_holds_waits_and_arrives() {
    let (terminal, mut keyboard) = scripted_keyboard();
    for _ in 0..500 {
        terminal.send(ScriptedStep::Events(typed("abcdef"))).unwrap();
    }
    terminal.send(ScriptedStep::HangUp).unwrap();
    let mut text = String::new();
    while let Some(input) = keyboard.next().await {
        match input.unwrap() {
            TerminalInput::Key(KeyEvent { code: KeyCode::Char(ch), .. }) => text.push(ch),
            other => assert_eq!(other, TerminalInput::Closed),
        }
    }
    assert_eq!(text, "abcdef".repeat(500));
}

#[test]
fn a_desk_is_over_only_when_everything_is_taken() {
    let desk = ReaderChannel::default();
    assert!(desk.take().is_none());
    // Whoever found nothing a moment ago asks only now.
    desk.push_input(Ok(TerminalInput::Closed));
    desk.close();
    assert!(!desk.is_over());
    assert_eq!(desk.take().unwrap().unwrap(), TerminalInput::Closed);
    assert!(desk.is_over());
}

#[tokio::test]
async fn a_paused_keyboard_reads_nothing_until_it_goes_on() {
    let (terminal, mut keyboard) = scripted_keyboard();
    keyboard.pause().unwrap();
    terminal.send(ScriptedStep::Events(typed("x"))).unwrap();
    assert!(keyboard.ready().is_none());
    keyboard.resume().unwrap();
    assert_eq!(keyboard.next().await.unwrap().unwrap(), keys("x")[0]);
}

#[tokio::test]
async fn a_terminal_that_fails_says_so_and_ends() {
    let (terminal, mut keyboard) = scripted_keyboard();
    terminal.send(ScriptedStep::Fail).unwrap();
    assert_eq!(keyboard.next().await.unwrap().unwrap_err().to_string(), "broken");
    assert!(keyboard.next().await.is_none());
    let (terminal, mut keyboard) = scripted_keyboard();
    terminal.send(ScriptedStep::HangUp).unwrap();
    assert_eq!(keyboard.next().await.unwrap().unwrap(), TerminalInput::Closed);
    assert!(keyboard.next().await.is_none());
}

/// What crossterm makes of the bytes of an answer.
fn answer(text: &str, end: &[KeyEvent]) -> Vec<Event> {
    let opening = Event::Key(KeyEvent::new(KeyCode::Char(']'), KeyModifiers::ALT));
    [vec![opening], typed(text), end.iter().map(|key| Event::Key(*key)).collect()].concat()
}

const STRING_TERMINATOR: KeyEvent = KeyEvent::new(KeyCode::Char('\\'), KeyModifiers::ALT);
const BELL: KeyEvent = KeyEvent::new(KeyCode::Char('g'), KeyModifiers::CONTROL);
const CREAM: TerminalInput = TerminalInput::Background(Rgb(0xfd, 0xf6, 0xe3));

#[test]
fn the_background_is_an_input_and_nothing_of_it_is_typed() {
    for end in [STRING_TERMINATOR, BELL] {
        let said = answer("11;rgb:fdfd/f6f6/e3e3", &[end]);
        assert_eq!(inputs_from_events(&said), [CREAM]);
        let between = [typed("ab"), said.clone(), typed("cd\n")].concat();
        assert_eq!(inputs_from_events(&between), [keys("ab"), vec![CREAM], keys("cd\n")].concat());
    }
    // Its escapes may have come by themselves.
    let escape = || vec![Event::Key(key(KeyCode::Esc))];
    let apart = [escape(), typed("]11;rgb:fd/f6/e3"), escape(), typed("\\x")].concat();
    assert_eq!(inputs_from_events(&apart), [vec![CREAM], keys("x")].concat());
    // A colour that nobody understands is no text either.
    assert_eq!(inputs_from_events(&answer("11;hsl:1/2/3", &[BELL])), []);
}

#[test]
fn what_only_looks_like_an_answer_stays() {
    let others = [
        answer("", &[]),
        answer("11", &[]),
        answer("12;rgb:00/00/00", &[BELL]),
        answer(&format!("11;{}", "f".repeat(100)), &[BELL]),
        vec![Event::Key(BELL)],
        vec![Event::Key(key(KeyCode::Esc))],
    ];
    for events in others {
        let as_typed = events.iter().cloned().map(|event| match event {
            Event::Key(key) => TerminalInput::Key(key),
            other => panic!("no key: {other:?}"),
        });
        assert_eq!(inputs_from_events(&events), as_typed.collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn an_answer_in_time_is_there_with_the_cursor() {
    let (terminal, mut keyboard) = scripted_keyboard();
    let said = [typed("a"), answer("11;rgb:fdfd/f6f6/e3e3", &[BELL]), typed("b")].concat();
    terminal.send(ScriptedStep::Events(said)).unwrap();
    let TerminalInput::Background(cream) = CREAM else { panic!("a colour") };
    assert_eq!(keyboard.await_background().unwrap(), (Some(Position { x: 2, y: 20 }), Some(cream)));
    let typed = [keyboard.next().await.unwrap().unwrap(), keyboard.next().await.unwrap().unwrap()];
    assert_eq!(typed.to_vec(), keys("ab"), "what was typed meanwhile is kept");
}

#[tokio::test]
async fn a_terminal_that_does_not_answer_holds_nobody_up_and_may_answer_later() {
    let (terminal, mut keyboard) = scripted_keyboard();
    assert_eq!(keyboard.await_background().unwrap(), (Some(Position { x: 2, y: 20 }), None));
    terminal.send(ScriptedStep::Events(answer("11;rgb:fdfd/f6f6/e3e3", &[BELL]))).unwrap();
    assert_eq!(keyboard.next().await.unwrap().unwrap(), CREAM);
}
