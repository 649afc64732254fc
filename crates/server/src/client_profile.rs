//! The reader of answers over A2A: its version, and its knowledge of the `development-tool` extension. A client that
//! does not know it reads nothing but A2A's own words, so it gets its answer and its questions in them.

use crate::version::A2aVersion;

/// A client's declaration of the `development-tool` extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ToolExtension {
    /// It has, in this request or in a message of the task before.
    Declared,
    /// It has not.
    Unknown,
}

impl ToolExtension {
    /// Declared here or there.
    pub(crate) fn or(self, other: ToolExtension) -> ToolExtension {
        if self == ToolExtension::Declared { self } else { other }
    }
}

impl From<bool> for ToolExtension {
    fn from(declared: bool) -> ToolExtension {
        if declared { ToolExtension::Declared } else { ToolExtension::Unknown }
    }
}

/// The reader of answers over A2A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientProfile {
    pub(crate) version: A2aVersion,
    pub(crate) extension: ToolExtension,
}

impl ClientProfile {
    /// Clients of the `development-tool` RFC, which is written for 0.3.
    pub(crate) const RFC: ClientProfile =
        ClientProfile { version: A2aVersion::V03, extension: ToolExtension::Declared };

    /// True if a turn's answer is an artifact to them, told in chunks. To all others it is a row of messages.
    pub(crate) fn reads_answers_as_artifacts(self) -> bool {
        self.extension == ToolExtension::Unknown
    }

    /// True if a text of theirs may answer an ask. The RFC's clients answer with its own object, and mean a text as a
    /// prompt.
    pub(crate) fn replies_in_words(self) -> bool {
        self.version == A2aVersion::V10 || self.extension == ToolExtension::Unknown
    }
}
