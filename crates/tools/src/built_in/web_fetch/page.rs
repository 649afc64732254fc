//! A page as readable text.

use htmd::HtmlToMarkdown;

#[cfg(test)]
mod tests;

/// The format of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageFormat {
    Html,
    Plain,
}

/// The form of a media type; `None` for what is no text.
pub(super) fn page_format(media: &str) -> Option<PageFormat> {
    let media = media.split(';').next().unwrap_or_default().trim();
    match media {
        "text/html" | "application/xhtml+xml" => Some(PageFormat::Html),
        "application/json"
        | "application/xml"
        | "application/javascript"
        | "application/toml"
        | "application/yaml"
        | "application/x-sh" => Some(PageFormat::Plain),
        other => {
            let is_text = other.starts_with("text/") || other.ends_with("+json") || other.ends_with("+xml");
            is_text.then_some(PageFormat::Plain)
        }
    }
}

/// The text of a page. HTML becomes Markdown without scripts, styles and pictures.
pub(super) fn page_text(form: PageFormat, bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = match form {
        PageFormat::Plain => text.into_owned(),
        PageFormat::Html => {
            let skipped =
                vec!["script", "style", "noscript", "template", "svg", "iframe", "head", "nav", "footer", "form"];
            let converter = HtmlToMarkdown::builder().skip_tags(skipped).build();
            // What cannot be converted is still better read as it is than not at all.
            converter.convert(&text).unwrap_or_else(|_| text.into_owned())
        }
    };
    squeeze(&text)
}

/// Without trailing white space and runs of empty lines.
fn squeeze(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines().map(str::trim_end) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty <= 1 {
            squeezed.push_str(line);
            squeezed.push('\n');
        }
    }
    squeezed.trim().to_owned()
}
