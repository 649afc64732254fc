//! Programs that unpack archives. What they write is named in the archive, so one asks unless every word of the call is understood, and
//! together they list, pack or print.

use super::known_options::{KnownCall, KnownOptions};

#[rustfmt::skip]
pub(super) const TAR: KnownOptions = KnownOptions {
    letters: "JOSZachjkmnprtuvxz",
    valued_letters: "Cbf",
    names: &[
        "append", "auto-compress", "bzip2", "compare", "create", "dereference", "diff", "extract", "get", "gzip", "list",
        "no-recursion", "numeric-owner", "preserve-permissions", "to-stdout", "totals", "update", "verbose", "xz", "zstd",
    ],
    valued_names: &[
        "blocking-factor", "directory", "exclude", "file", "format", "group", "mode", "mtime", "owner", "sort", "strip-components",
    ],
};
const UNZIP: KnownOptions =
    KnownOptions { letters: "12CMZachlmpqstvz", valued_letters: "", names: &[], valued_names: &[] };
const CPIO: KnownOptions = KnownOptions {
    letters: "0BLaciotv",
    valued_letters: "CFHIO",
    names: &["create", "dereference", "list", "null", "quiet", "verbose"],
    valued_names: &["file", "format"],
};
pub(super) const PAX: KnownOptions =
    KnownOptions { letters: "HLPXadtvwz", valued_letters: "bfx", names: &[], valued_names: &[] };
pub(super) const JAR: KnownOptions = KnownOptions {
    letters: "0Mctuv",
    valued_letters: "Cefm",
    names: &["create", "list", "no-compress", "no-manifest", "update", "verbose"],
    valued_names: &["file", "main-class", "manifest"],
};
const AR: KnownOptions =
    KnownOptions { letters: "DOSTUVcdmpqrstuv", valued_letters: "", names: &[], valued_names: &[] };
/// Not the one by which the name of the file comes from the archive, nor the one that goes into directories.
#[rustfmt::skip]
const GZIP: KnownOptions = KnownOptions {
    letters: "123456789cdfhklnqtv",
    valued_letters: "",
    names: &[
        "best", "decompress", "fast", "force", "keep", "list", "no-name", "quiet", "stdout", "test", "to-stdout", "uncompress",
        "verbose",
    ],
    valued_names: &[],
};
/// Commands of `7z` and `rar` that write no file that an archive names.
const ARCHIVER_COMMANDS: [&str; 10] = ["a", "b", "d", "h", "i", "l", "lb", "lt", "t", "u"];

/// Whether `program`, told `words`, may write files that an archive names.
pub(super) fn may_unpack(program: &str, words: &[&str]) -> bool {
    let unless = |call: Option<KnownCall<'_>>, is_harmless: fn(&KnownCall<'_>) -> bool| {
        !call.is_some_and(|call| is_harmless(&call))
    };
    match program {
        "tar" | "gtar" | "bsdtar" => unless(TAR.read_bundled(words), |call| {
            let extracts = call.has(&["x", "extract", "get"]);
            let packs = ["c", "r", "t", "u", "append", "compare", "create", "diff", "list", "update"];
            if extracts { call.has(&["O", "to-stdout"]) } else { call.has(&packs) }
        }),
        "unzip" => unless(UNZIP.read(words), |call| call.has(&["Z", "c", "l", "p", "t", "v", "z"])),
        "cpio" => unless(CPIO.read(words), |call| call.has(&["create", "list", "o", "t"])),
        "pax" => unless(PAX.read(words), |_| true),
        "jar" => unless(JAR.read_bundled(words), |call| {
            call.has(&["c", "create", "list", "t", "u", "update"])
                && !call.operands.iter().any(|word| word.starts_with('@'))
        }),
        "ar" | "gar" | "gcc-ar" | "llvm-ar" => unless(AR.read_bundled(words), |call| {
            call.has(&["d", "m", "p", "q", "r", "s", "t"]) && !call.operands.iter().any(|word| word.starts_with('@'))
        }),
        "gzip" | "gunzip" | "pigz" | "unpigz" => unless(GZIP.read(words), |_| true),
        "7z" | "7za" | "7zr" | "7zz" | "rar" | "unrar" => {
            let command = words.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
            let prints = words.contains(&"-so") && !words.contains(&"--");
            !ARCHIVER_COMMANDS.contains(&command) && !prints
        }
        "unar" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may(call: &str) -> bool {
        let words: Vec<&str> = call.split(' ').collect();
        may_unpack(words[0], &words[1..])
    }

    #[test]
    fn a_call_unpacks_unless_every_word_says_otherwise() {
        for call in [
            "tar xf a.tar",
            "tar -xf a.tar --exclude -O",
            "tar -xf a.tar -C -O",
            "tar --get -f a.tar",
            "tar --ext -f a.tar",
            "tar -tf a.tar --transform s,a,b,",
            "tar fx a.tar",
            "tar",
            "unzip a.zip",
            "unzip -dlib a.zip",
            "unzip -Pl a.zip",
            "unzip -o a.zip",
            "unzip -l a.zip -x l",
            "gunzip -kN y.gz",
            "gzip -dN y.gz",
            "gunzip --nam y.gz",
            "gunzip -r dir",
            "pigz --name -d y.gz",
            "jar -f a.jar -x",
            "jar xf a.jar",
            "jar --extract --file=a.jar",
            "jar tf a.jar @more",
            "ar x l.a",
            "ar vx l.a",
            "ar -x l.a",
            "ar t l.a @more",
            "cpio -id",
            "cpio -pd dir",
            "cpio -i --no-absolute",
            "pax -r",
            "pax -rf a.tar",
            "7z x a.7z",
            "7z -y x a.7z",
            "7z x a.7z -- -so",
            "unrar x a.rar",
            "unar a.zip",
        ] {
            assert!(may(call), "{call}");
        }
        for call in [
            "tar tf a.tar",
            "tar -tvzf a.tgz x",
            "tar czf a.tgz dir",
            "tar -c --exclude x -f a.tar dir",
            "tar -xOf a.tar",
            "tar --extract --to-stdout -f a.tar",
            "tar cfC a.tar dir x",
            "unzip -l a.zip",
            "unzip -qqp a.zip x",
            "gunzip y.gz",
            "gzip -9k y",
            "jar tf a.jar",
            "jar cf a.jar -C dir .",
            "ar t l.a",
            "ar rcs l.a a.o",
            "cpio -it",
            "cpio -ov -O a.cpio",
            "pax -f a.tar",
            "7z l a.7z",
            "7z e a.7z -so",
            "rar a x.rar dir",
            "cat x",
        ] {
            assert!(!may(call), "{call}");
        }
    }
}
