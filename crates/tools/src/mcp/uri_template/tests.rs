use super::*;

#[test]
fn an_address_fits_the_template_that_expands_to_it() {
    for (template, uri, fitting) in [
        ("note://{id}", "note://7", true),
        ("note://{id}", "note://a%20b", true),
        ("note://{id}", "note://a/b", false),
        ("note://{id}", "note://7?x=1", false),
        ("note://{id}/text", "note://7/text", true),
        ("note://{id}/text", "note://7/texts", false),
        ("file:///{+path}", "file:///a/b.txt", true),
        ("file:///{+path}", "file:///a\nb", false),
        ("file:///root{/path*}", "file:///root/a/b", true),
        ("file:///root{/path*}", "file:///rooted", false),
        ("db://rows{?limit,offset}", "db://rows?limit=5&offset=2", true),
        ("db://rows{?limit,offset}", "db://rows", true),
        ("db://a.b/{x}", "db://aXb/1", false),
        // These would offer every address there is.
        ("{+uri}", "https://evil.example/", false),
        ("{scheme}://x", "http://x", false),
        // These are no templates.
        ("note://{id", "note://7", false),
        ("note://{}", "note://", false),
        ("note://{|id}", "note://7", false),
    ] {
        assert_eq!(fits(template, uri), fitting, "{template} {uri:?}");
    }
}
