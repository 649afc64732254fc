//! The next token: the likeliest that the grammar allows.

use super::fault::GgufError;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;

/// Picks one token after the other.
pub(super) struct Picker {
    grammar: Option<LlamaSampler>,
    likeliest: LlamaSampler,
}

impl Picker {
    /// A picker held to `grammar`, which begins at `root`; to nothing without one.
    pub(super) fn new(model: &LlamaModel, grammar: Option<(&str, &str)>) -> Result<Picker, GgufError> {
        let refused = |error| GgufError::Failed(format!("the grammar of the tools is not taken ({error})"));
        let grammar = grammar.map(|(text, root)| LlamaSampler::grammar(model, text, root)).transpose();
        Ok(Picker { grammar: grammar.map_err(refused)?, likeliest: LlamaSampler::greedy() })
    }

    /// The token that follows what `context` has decoded last.
    pub(super) fn pick(&mut self, context: &LlamaContext<'_>) -> LlamaToken {
        let first = self.likeliest.sample(context, -1);
        let Some(grammar) = &mut self.grammar else { return first };
        // Mostly the model keeps to the grammar by itself, and to look at one token is much cheaper than at all.
        let token = if allows(grammar, first) { first } else { best_allowed(grammar, context).unwrap_or(first) };
        grammar.accept(token);
        token
    }
}

fn allows(grammar: &mut LlamaSampler, token: LlamaToken) -> bool {
    let mut only = LlamaTokenDataArray::new(vec![LlamaTokenData::new(token, 1.0, 0.0)], false);
    grammar.apply(&mut only);
    only.data.first().is_some_and(|data| data.logit().is_finite())
}

fn best_allowed(grammar: &mut LlamaSampler, context: &LlamaContext<'_>) -> Option<LlamaToken> {
    let mut all = context.token_data_array_ith(-1);
    grammar.apply(&mut all);
    let allowed = all.data.iter().filter(|data| data.logit().is_finite());
    allowed.max_by(|a, b| a.logit().total_cmp(&b.logit())).map(LlamaTokenData::id)
}
