//! The socket of a connection: watched while it is read, and holder of the connection's slot. The slot goes where
//! the socket goes, so a WebSocket keeps it after the upgrade.

use super::connection_slots::ConnectionSlot;
use super::head_watch::{HeadFault, HeadWatch};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A socket whose first fault is left in `fault` before the HTTP parser sees the bytes.
pub(super) struct WatchedSocket {
    stream: TcpStream,
    watch: HeadWatch,
    fault: Arc<OnceLock<HeadFault>>,
    _slot: ConnectionSlot,
}

impl WatchedSocket {
    pub(super) fn new(
        stream: TcpStream,
        head_limit: usize,
        fault: Arc<OnceLock<HeadFault>>,
        slot: ConnectionSlot,
    ) -> WatchedSocket {
        WatchedSocket { stream, watch: HeadWatch::new(head_limit), fault, _slot: slot }
    }
}

impl AsyncRead for WatchedSocket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(cx, buf))?;
        if let Some(fault) = this.watch.feed(&buf.filled()[before..]) {
            // The watch ends with its first fault, so the cell is still empty.
            let _ = this.fault.set(fault);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for WatchedSocket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
