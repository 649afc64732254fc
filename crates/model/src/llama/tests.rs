use crate::{ModelCatalogue, ModelRegistry};

#[track_caller]
fn refused(path: &str) -> String {
    let models = ModelRegistry::new(ModelCatalogue::load(None).unwrap(), |_| None);
    match models.resolve(&format!("gguf:{path}")) {
        Ok(model) => panic!("picked {:?}", model.info()),
        Err(error) => error.to_string(),
    }
}

#[cfg(not(feature = "local-llm"))]
#[test]
fn without_the_engine_a_file_is_refused_with_the_way_to_build_it() {
    assert_eq!(
        refused("model.gguf"),
        "cannot use the model file model.gguf: this build has no engine for GGUF files; build one with `cargo build \
         --release --features local-llm` (docs/LOCAL.md), or serve the file with llama.cpp and use llamacpp:NAME"
    );
}

#[cfg(feature = "local-llm")]
mod with_the_engine {
    use super::super::{GgufError, open};
    use super::refused;
    use crate::content::ModelMessage;
    use crate::error::ModelError;
    use crate::model::ModelRequest;
    use futures_util::StreamExt;
    use std::path::Path;

    #[test]
    fn what_is_no_model_is_refused_when_it_is_named() {
        assert_eq!(
            refused("no/such.gguf"),
            "cannot use the model file no/such.gguf: there is no such file; write gguf: and the path of a file that \
             ends in .gguf"
        );
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "PK, not a model").unwrap();
        let path = file.path().to_str().unwrap();
        assert!(refused(path).contains("it is not a GGUF file"), "{}", refused(path));
        std::fs::write(file.path(), "GGUF and then nothing that makes sense").unwrap();
        assert!(refused(path).contains("llama.cpp cannot load it"), "{}", refused(path));
    }

    /// A file with a head and no weights: version 3, no tensors, one key.
    fn head_only(path: &Path) {
        let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
        let bytes = [
            &b"GGUF"[..],
            &3u32.to_le_bytes(),
            &0u64.to_le_bytes(),
            &3u64.to_le_bytes(),
            &text("general.architecture"),
            &8u32.to_le_bytes(),
            &text("llama"),
            &text("llama.context_length"),
            &4u32.to_le_bytes(),
            &2048u32.to_le_bytes(),
            &text("general.name"),
            &8u32.to_le_bytes(),
            &text("Tiny"),
        ];
        std::fs::write(path, bytes.concat()).unwrap();
    }

    #[tokio::test]
    async fn the_head_is_read_at_once_and_the_weights_when_they_are_needed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tiny.gguf");
        head_only(&path);
        let name = path.to_str().unwrap();
        let model = open(name, &|_| None).unwrap();
        let info = model.info();
        assert_eq!((info.id, info.label), (format!("gguf:{name}"), "Tiny, on this machine".to_owned()));
        assert_eq!(info.context_window, Some(2048));
        let ask = || ModelRequest { contents: vec![ModelMessage::user("hi")], ..ModelRequest::default() };
        let fault = |why| vec![Err(ModelError::Gguf { path: name.to_owned(), why })];
        assert_eq!(model.generate(ask()).collect::<Vec<_>>().await, fault(GgufError::NotLoaded));
        // The thread is still there for the next request, and looks again.
        std::fs::remove_file(&path).unwrap();
        assert_eq!(model.generate(ask()).collect::<Vec<_>>().await, fault(GgufError::Missing));
    }
}
