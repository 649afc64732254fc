use super::*;
use pretty_assertions::assert_eq;

#[test]
fn html_becomes_readable_text() {
    let page = "<html><head><title>T</title><style>p{}</style></head><body><nav>menu</nav><h1>Hello</h1>\
                <script>evil()</script><p>One <b>bold</b> <a href=\"/x\">link</a>.</p>\n\n\n\n<ul><li>a</li></ul></body></html>";
    let text = page_text(PageFormat::Html, page.as_bytes());
    for expected in ["# Hello", "One **bold** [link](/x)."] {
        assert!(text.contains(expected), "{expected:?} in {text:?}");
    }
    for unexpected in ["evil", "menu", "p{}", "\n\n\n"] {
        assert!(!text.contains(unexpected), "{unexpected:?} in {text:?}");
    }
}

#[test]
fn plain_text_is_squeezed() {
    assert_eq!(page_text(PageFormat::Plain, b"\n\na  \n\n\n\nb\xff\n"), "a\n\nb\u{fffd}");
}

#[test]
fn only_text_is_taken() {
    let forms = ["text/html; charset=utf-8", "text/markdown", "application/json", "application/ld+json", "image/png"]
        .map(page_format);
    assert_eq!(
        forms,
        [Some(PageFormat::Html), Some(PageFormat::Plain), Some(PageFormat::Plain), Some(PageFormat::Plain), None]
    );
    assert_eq!(page_format("application/octet-stream"), None);
}
