//! Where Google serves a model: the Gemini API, or Vertex AI with a key or within a project. Only paths differ.

use crate::settings::SettingsError;

/// Where a model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GoogleService {
    /// The Gemini API, or a gateway that speaks it.
    Gemini,
    /// Vertex AI with nothing but a key ("express").
    Express,
    /// Vertex AI within a project.
    Project {
        /// Its id.
        project: String,
        /// `global`, `us`, `eu`, or a region.
        location: String,
    },
}

impl GoogleService {
    /// A project of Vertex AI. Both words go into a URL as they are.
    pub(super) fn project(project: String, location: String) -> Result<GoogleService, SettingsError> {
        let fits = |text: &str, more: &[char]| {
            !text.starts_with('.') && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || more.contains(&c))
        };
        if !fits(&project, &['.', ':', '_']) {
            return Err(SettingsError::Place { variable: "GOOGLE_CLOUD_PROJECT", value: project });
        }
        if !fits(&location, &[]) {
            return Err(SettingsError::Place { variable: "GOOGLE_CLOUD_LOCATION", value: location });
        }
        Ok(GoogleService::Project { project, location })
    }

    /// True if it is Vertex AI.
    pub(super) fn is_vertex(&self) -> bool {
        *self != GoogleService::Gemini
    }

    /// Where Vertex AI is for this place.
    pub(super) fn vertex_address(&self) -> String {
        match self {
            GoogleService::Project { location, .. } => match location.as_str() {
                "global" => "https://aiplatform.googleapis.com".to_owned(),
                "us" | "eu" => format!("https://aiplatform.{location}.rep.googleapis.com"),
                region => format!("https://{region}-aiplatform.googleapis.com"),
            },
            GoogleService::Gemini | GoogleService::Express => "https://aiplatform.googleapis.com".to_owned(),
        }
    }

    /// The full name of a model here.
    pub(super) fn model(&self, model: &str) -> String {
        match self {
            GoogleService::Gemini => format!("models/{model}"),
            GoogleService::Express | GoogleService::Project { .. } => {
                self.within(&format!("publishers/google/models/{model}"))
            }
        }
    }

    /// Where models are listed. On Vertex AI the list belongs to Google, not to the project.
    pub(super) fn models(&self) -> &'static str {
        if self.is_vertex() { "publishers/google/models" } else { "models" }
    }

    /// Where cached contents are made.
    pub(super) fn caches(&self) -> String {
        self.within("cachedContents")
    }

    fn within(&self, name: &str) -> String {
        match self {
            GoogleService::Gemini | GoogleService::Express => name.to_owned(),
            GoogleService::Project { project, location } => format!("projects/{project}/locations/{location}/{name}"),
        }
    }
}

#[cfg(test)]
mod tests;
