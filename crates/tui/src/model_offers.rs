//! The models a person may choose, as whoever starts the seat knows them.

use pollux_session::BoxFuture;
use std::fmt;
use std::sync::Arc;

/// The words about the model that holds now.
pub(crate) const IN_USE: &str = "in use";

type ModelLookup = dyn Fn() -> BoxFuture<'static, Vec<String>> + Send + Sync;

type IsSame = dyn Fn(&str, &str) -> bool + Send + Sync;

/// The offer of `/model`: a line for each model, with the name that chooses it first. Looked up when somebody asks.
#[derive(Clone)]
pub struct ModelOffers {
    look: Arc<ModelLookup>,
    is_same: Arc<IsSame>,
    /// A sentence below the list, such as the way to more models.
    pub(crate) hint: Option<String>,
}

impl ModelOffers {
    /// Offers by this function.
    pub fn new(look: impl Fn() -> BoxFuture<'static, Vec<String>> + Send + Sync + 'static) -> ModelOffers {
        ModelOffers { look: Arc::new(look), is_same: Arc::new(|one, other| one == other), hint: None }
    }

    /// Tell by this function whether two names choose the same model: many have short names too.
    pub fn with_aliases(self, is_same: impl Fn(&str, &str) -> bool + Send + Sync + 'static) -> ModelOffers {
        ModelOffers { is_same: Arc::new(is_same), ..self }
    }

    /// Say this below the list.
    #[must_use]
    pub fn with_hint(self, hint: Option<String>) -> ModelOffers {
        ModelOffers { hint, ..self }
    }

    /// Look them up. The `current` model says that it is in use; where nobody offers it, it is the first.
    pub(crate) async fn look_up(&self, current: &str) -> Vec<ModelOffer> {
        ModelOffer::from_lines(&(self.look)().await, |name| (self.is_same)(name, current), current)
    }
}

/// A model that may be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModelOffer {
    /// The name that chooses it.
    pub(crate) name: String,
    /// Its description.
    pub(crate) about: String,
    pub(crate) is_current: bool,
}

impl ModelOffer {
    /// The offers of these lines: none when there is no line.
    pub(crate) fn from_lines(lines: &[String], is_current: impl Fn(&str) -> bool, current: &str) -> Vec<ModelOffer> {
        let offer = |line: &String| {
            let (name, about) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
            ModelOffer { name: name.to_owned(), about: about.trim().to_owned(), is_current: is_current(name) }
        };
        let mut offers: Vec<ModelOffer> = lines.iter().map(offer).filter(|offer| !offer.name.is_empty()).collect();
        if !offers.is_empty() && !current.is_empty() && !offers.iter().any(|offer| offer.is_current) {
            offers.insert(0, ModelOffer { name: current.to_owned(), about: String::new(), is_current: true });
        }
        offers
    }

    /// Its description, and a mark if it is in use.
    pub(crate) fn detail(&self) -> String {
        let facts = [self.about.as_str(), if self.is_current { IN_USE } else { "" }];
        facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(" · ")
    }
}

impl fmt::Debug for ModelOffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Offers")
    }
}
