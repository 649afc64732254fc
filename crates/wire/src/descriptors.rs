//! The protobuf descriptors of both versions and of gRPC's error details, compiled from `proto/`. A test of `server`
//! compiles those files and holds the descriptors to them.

/// A `google.protobuf.FileDescriptorSet`.
pub const DESCRIPTORS: &[u8] = include_bytes!("../proto/descriptors.bin");
