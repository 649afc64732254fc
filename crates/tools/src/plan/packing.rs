//! Programs that pack directories into an archive. What is packed can be printed from there, under a name that is no secret's: so
//! packing is copying, and one asks unless it is known what is packed.

use super::unpacking::{JAR, PAX, TAR};

/// What a call packs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PackedPaths<'a> {
    /// Nothing, or it is no such program.
    Nothing,
    /// What its words name. Of one that is understood it is known that all lie in `directory`, if there is one.
    Named { directory: Option<&'a str> },
    /// What lies in the directory that it runs in, besides.
    NamedAndHere,
    /// That is known only when it runs.
    Unknown,
}

const NAMED: PackedPaths<'_> = PackedPaths::Named { directory: None };

/// What `program`, told `words`, packs. What may unpack an archive has asked before.
pub(super) fn packed_paths<'a>(program: &str, words: &[&'a str]) -> PackedPaths<'a> {
    match program {
        "tar" | "gtar" | "bsdtar" => match TAR.read_bundled(words) {
            Some(call) if call.has(&["c", "r", "u", "append", "create", "update"]) => {
                let mut directories = call.options.iter().filter(|(name, _)| ["C", "directory"].contains(name));
                let only = directories.next().and_then(|(_, value)| *value).filter(|_| directories.next().is_none());
                // It counts for what stands behind it.
                let is_before_all = |directory: &&str| {
                    let option_at = words.iter().rposition(|word| word.ends_with(directory));
                    let first = call.operands.first().and_then(|first| words.iter().position(|word| word == first));
                    option_at < first
                };
                PackedPaths::Named { directory: only.filter(is_before_all) }
            }
            Some(_) | None => PackedPaths::Nothing,
        },
        "jar" => match JAR.read_bundled(words) {
            Some(call) if call.has(&["c", "create", "u", "update"]) => NAMED,
            Some(_) | None => PackedPaths::Nothing,
        },
        "pax" => match PAX.read(words) {
            Some(call) if call.has(&["w"]) && call.operands.is_empty() => PackedPaths::Unknown,
            Some(call) if call.has(&["w"]) => NAMED,
            Some(_) | None => PackedPaths::Nothing,
        },
        "cpio" => match words.iter().any(|word| *word == "--create" || has_letter(word, 'o')) {
            true => PackedPaths::Unknown,
            false => PackedPaths::Nothing,
        },
        "zip" => {
            let is_told_names = |word: &&str| has_letter(word, '@') || word.starts_with("--n");
            if words.iter().any(is_told_names) {
                PackedPaths::Unknown
            } else if words.iter().any(|word| has_letter(word, 'R') || word.starts_with("--recurse-p")) {
                PackedPaths::NamedAndHere
            } else {
                NAMED
            }
        }
        "7z" | "7za" | "7zr" | "7zz" | "rar" => packed_by_archiver(words),
        "genisoimage" | "mkisofs" | "mksquashfs" | "shar" => NAMED,
        _ => PackedPaths::Nothing,
    }
}

/// What `7z` or `rar` packs: what lies here, if it is told of no file or goes into directories to find what it is told of.
fn packed_by_archiver<'a>(words: &[&'a str]) -> PackedPaths<'a> {
    let (options, operands): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.starts_with('-'));
    let Some((command, files)) =
        operands.split_first().map(|(command, rest)| (*command, rest.get(1..).unwrap_or_default()))
    else {
        return PackedPaths::Nothing;
    };
    let is_told_names = |word: &&str| word.starts_with('@');
    let is_told_by_option = |word: &&str| word.starts_with("-i") || word.starts_with("-n");
    if !["a", "f", "m", "u"].contains(&command) {
        PackedPaths::Nothing
    } else if files.iter().any(is_told_names) || options.iter().any(is_told_by_option) {
        PackedPaths::Unknown
    } else if files.is_empty()
        || options.iter().any(|word| word.starts_with("-r"))
        || files.iter().any(|word| word.contains(['*', '?']))
    {
        PackedPaths::NamedAndHere
    } else {
        NAMED
    }
}

/// Whether `word` is letters behind a dash, with `letter` among them.
fn has_letter(word: &str, letter: char) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_is_packed_is_known_or_asks() {
        for (call, packed) in [
            ("tar cf a.tar .", NAMED),
            ("tar -rf a.tar dir", NAMED),
            ("tar czf a.tgz -C dist .", PackedPaths::Named { directory: Some("dist") }),
            ("tar cfC a.tar dist .", PackedPaths::Named { directory: Some("dist") }),
            ("tar -cf a.tar --directory=dist .", PackedPaths::Named { directory: Some("dist") }),
            ("tar cf a.tar . -C dist x", NAMED),
            ("tar cf a.tar -C dist x -C src y", NAMED),
            ("tar tf a.tar", PackedPaths::Nothing),
            ("jar cf a.jar -C dir .", NAMED),
            ("jar tf a.jar", PackedPaths::Nothing),
            ("pax -wf a.tar dir", NAMED),
            ("pax -wf a.tar", PackedPaths::Unknown),
            ("cpio -ov -O a.cpio", PackedPaths::Unknown),
            ("cpio -it", PackedPaths::Nothing),
            ("zip -r a.zip .", NAMED),
            ("zip -R a.zip *.c", PackedPaths::NamedAndHere),
            ("zip a.zip -@", PackedPaths::Unknown),
            ("7z a a.7z dir", NAMED),
            ("7z a a.7z", PackedPaths::NamedAndHere),
            ("7z a -r a.7z x", PackedPaths::NamedAndHere),
            ("7z a a.7z *", PackedPaths::NamedAndHere),
            ("7z a a.7z @list", PackedPaths::Unknown),
            ("rar a -n@list a.rar dir", PackedPaths::Unknown),
            ("7z l a.7z", PackedPaths::Nothing),
            ("cat x", PackedPaths::Nothing),
        ] {
            let words: Vec<&str> = call.split(' ').collect();
            assert_eq!(packed_paths(words[0], &words[1..]), packed, "{call}");
        }
    }
}
