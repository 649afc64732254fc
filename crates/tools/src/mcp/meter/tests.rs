use super::*;
use pretty_assertions::assert_eq;
use tokio::io::AsyncReadExt;

fn meter(message: usize, messages: u32) -> Arc<TrafficMeter> {
    TrafficMeter::new(&McpLimits { message, messages, ..McpLimits::default() })
}

async fn lines(text: &str, meter: &Arc<TrafficMeter>) -> io::Result<String> {
    let mut read = String::new();
    MeteredLines::new(text.as_bytes(), meter.clone()).read_to_string(&mut read).await?;
    Ok(read)
}

#[tokio::test]
async fn lines_pass_up_to_the_limit() {
    let meter = meter(5, 3);
    assert_eq!(lines("abcd\n\nabcd\nabcde", &meter).await.unwrap(), "abcd\n\nabcd\nabcde");
    assert_eq!(meter.flood(), None);
}

#[tokio::test]
async fn a_line_that_is_too_long_ends_the_reading() {
    let meter = meter(5, 3);
    assert_eq!(lines("abcd\nabcdef", &meter).await.unwrap_err().to_string(), "it sent a message of more than 5 bytes");
    assert_eq!(meter.flooded().await, FloodError::Message(5));
}

#[tokio::test(start_paused = true)]
async fn messages_are_counted_for_ten_seconds() {
    let meter = meter(5, 3);
    assert_eq!(lines("1\n2\n3\n", &meter).await.unwrap(), "1\n2\n3\n");
    tokio::time::advance(WINDOW).await;
    assert_eq!(lines("1\n2\n3\n", &meter).await.unwrap(), "1\n2\n3\n");
    assert_eq!(lines("4\n", &meter).await.unwrap_err().to_string(), "it sent more than 3 messages in ten seconds");
    assert_eq!(meter.flood(), Some(FloodError::Messages(3)));
}

#[tokio::test]
async fn events_end_at_an_empty_line() {
    let meter = meter(12, 2);
    let mut events = MeteredEvents::new(meter.clone());
    for piece in ["data: ab\r", "\n\r\n", "data: cd\n", "\n"] {
        assert_eq!(events.take(piece.as_bytes()), Ok(()));
    }
    assert_eq!(events.take(b"\n"), Err(FloodError::Messages(2)));
    let mut events = MeteredEvents::new(meter);
    // The first finding stands.
    assert_eq!(events.take(b"data: a\ndata: b\n"), Err(FloodError::Messages(2)));
}

#[tokio::test]
async fn an_event_of_many_lines_is_one_message() {
    let mut events = MeteredEvents::new(meter(12, 2));
    assert_eq!(events.take(b"data: a\ndata: b\n"), Err(FloodError::Message(12)));
}
