//! Lines that take long to make, kept until they would look different.

use crate::screen::theme::Theme;
use ratatui::text::Line;
use std::cell::RefCell;
use std::sync::Arc;

/// The lines made last, and for which screen.
#[derive(Debug, Default)]
pub(super) struct LineCache {
    cached: RefCell<Option<CachedLines>>,
}

#[derive(Debug)]
struct CachedLines {
    width: u16,
    theme: Theme,
    lines: Arc<Vec<Line<'static>>>,
}

impl LineCache {
    /// The lines for this width and theme, made by `make` unless they are here.
    pub(super) fn lines(
        &self,
        width: u16,
        theme: &Theme,
        make: impl FnOnce() -> Vec<Line<'static>>,
    ) -> Arc<Vec<Line<'static>>> {
        let mut made = self.cached.borrow_mut();
        match &*made {
            Some(made) if made.width == width && made.theme == *theme => made.lines.clone(),
            _ => {
                let lines = Arc::new(make());
                *made = Some(CachedLines { width, theme: theme.clone(), lines: lines.clone() });
                lines
            }
        }
    }

    /// The lines made last.
    pub(super) fn newest(&self) -> Arc<Vec<Line<'static>>> {
        self.cached.borrow().as_ref().map(|made| made.lines.clone()).unwrap_or_default()
    }
}
