//! An error and its causes as one sentence.

use std::error::Error;

/// An error and its causes, outermost first. Many errors name their cause in their own sentence already, and some leave what
/// really happened to the last one, so a cause is added only where nothing before it says the same.
pub fn describe_error_chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |cause| (*cause).source()) {
        let more = cause.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::describe_error_chain;
    use pretty_assertions::assert_eq;
    use std::error::Error;
    use std::fmt;

    /// A sentence, and the error that it is about.
    #[derive(Debug)]
    struct Layer(&'static str, Option<Box<Layer>>);

    impl fmt::Display for Layer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Layer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|cause| cause as &(dyn Error + 'static))
        }
    }

    #[test]
    fn each_cause_is_told_once() {
        let gone = || Layer("No such file or directory (os error 2)", None);
        let open = |text| Layer(text, Some(Box::new(gone())));
        for (error, told) in [
            (gone(), "No such file or directory (os error 2)"),
            (open("cannot open /a"), "cannot open /a: No such file or directory (os error 2)"),
            (
                open("cannot open /a: No such file or directory (os error 2)"),
                "cannot open /a: No such file or directory (os error 2)",
            ),
            (
                Layer("no key", Some(Box::new(open("cannot open /a")))),
                "no key: cannot open /a: No such file or directory (os error 2)",
            ),
        ] {
            assert_eq!(describe_error_chain(&error), told);
        }
    }
}
