use super::*;
use pretty_assertions::assert_eq;

#[test]
fn a_leading_tilde_is_the_home_directory() {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap());
    for (path, expected) in
        [("~/a", home.join("a")), ("/a", "/a".into()), ("~a", "~a".into()), ("a/~/b", "a/~/b".into())]
    {
        assert_eq!(expand_home(path), expected, "{path}");
    }
}
