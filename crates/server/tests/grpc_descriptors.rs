//! The checked-in descriptors are those of the `.proto` files. `UPDATE_EXPECT=1` writes them anew.

#![cfg(feature = "grpc")]

use std::path::Path;

#[test]
fn the_descriptors_are_those_of_the_proto_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wire/proto");
    let mut compiler = protox::Compiler::new([&folder]).unwrap();
    compiler.include_imports(true);
    for file in ["a2a-0.3.proto", "a2a-1.0.proto", "status.proto"] {
        compiler.open_file(file).unwrap();
    }
    let compiled = compiler.encode_file_descriptor_set();
    let kept = folder.join("descriptors.bin");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&kept, &compiled).unwrap();
    }
    let same = std::fs::read(&kept).unwrap() == compiled;
    assert!(same, "run this test with UPDATE_EXPECT=1 after changing a .proto file");
}
