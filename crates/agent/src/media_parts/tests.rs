use super::*;
use pollux_model::{ModelCatalogue, ModelRegistry};
use pollux_session::BlobRef;
use pretty_assertions::assert_eq;

fn media(name: &str, media_type: &str, len: u64) -> MediaContent {
    MediaContent { name: name.into(), blob: BlobRef { sha256: name.into(), len, media: media_type.into() } }
}

/// The choices for the demo, which takes everything; `takes` narrows it down.
fn chosen(all: &[MediaContent], takes: Option<&'static [&'static str]>) -> Vec<MediaChoice> {
    let spots: Vec<MediaPlaceholder<'_>> = all
        .iter()
        .map(|media| MediaPlaceholder { content: 0, part: 0, media, is_answered: false, is_refused: false })
        .collect();
    let models = ModelRegistry::new(ModelCatalogue::load(None).unwrap(), |_| None);
    let mut info = models.resolve("demo").unwrap().info();
    info.media = takes.unwrap_or(info.media);
    choose_media(&spots, &info)
}

#[test]
fn the_newest_are_shown_as_long_as_there_is_room() {
    let mib = 1024 * 1024;
    let all = [
        media("old", "image/png", 5 * mib),
        media("large", "image/png", 30 * mib),
        media("new", "image/png", 10 * mib),
    ];
    let [old, large, new] = all.clone();
    let why = "is no longer shown: there is too much to show at once; read it again";
    assert_eq!(chosen(&all, None), [MediaChoice::Note(old, why), MediaChoice::Itself(large), MediaChoice::Itself(new)]);
}

#[test]
fn a_model_is_not_shown_what_it_cannot_take() {
    let all = [media("a.png", "image/png", 1), media("b.mp3", "audio/mpeg", 1)];
    let [picture, sound] = all.clone();
    let why = "cannot be shown to you: you take no such files";
    assert_eq!(chosen(&all, Some(&["image/"])), [MediaChoice::Itself(picture), MediaChoice::Note(sound, why)]);
}

/// Has kept one thing.
struct FakeOutputStore;

impl OutputStore for FakeOutputStore {
    fn spool(&self) -> std::io::Result<Box<dyn pollux_tools::OutputSpool>> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    fn read(&self, blob: &BlobRef) -> std::io::Result<Vec<u8>> {
        if blob.sha256 == "kept" { Ok(vec![0, 255]) } else { Err(std::io::ErrorKind::NotFound.into()) }
    }
}

#[test]
fn what_is_gone_has_a_note() {
    let keeper: Arc<dyn OutputStore> = Arc::new(FakeOutputStore);
    let read = |name| MediaChoice::Itself(media(name, "image/png", 2)).read(&keeper);
    assert_eq!(read("kept"), MessagePart::media("image/png", &[0, 255]));
    assert_eq!(read("gone"), MessagePart::text("[gone (image/png) is no longer there]"));
}
