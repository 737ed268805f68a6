# Part of the modular project, under the Apache License 2.0.
"""Gemma: Llama with scaled embeddings, a norm whose weights start at zero, and a tokenizer without a first space"""

import torch
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import BPE
from torch import nn

from transformers.initialization import zeros_
from transformers.modeling_utils import PreTrainedModel
from transformers.tokenization_utils_tokenizers import TokenizersBackend

from ..llama.configuration_llama import LlamaConfig
from ..llama.modeling_llama import LlamaForCausalLM, LlamaModel, LlamaPreTrainedModel
from ..llama.tokenization_llama import SPACE, LlamaTokenizer


class GemmaConfig(LlamaConfig):
    """Sizes and switches of a Gemma decoder. The defaults are those of the 7B model."""

    model_type = "gemma"

    vocab_size: int = 256000
    hidden_size: int = 3072
    intermediate_size: int = 24576
    num_hidden_layers: int = 28
    num_attention_heads: int = 16
    num_key_value_heads: int = 16
    head_dim: int = 256
    hidden_act: str = "gelu_pytorch_tanh"
    max_position_embeddings: int = 8192
    pad_token_id: int | None = 0
    bos_token_id: int | None = 2
    eos_token_id: int | list[int] | None = 1
    tie_word_embeddings: bool = True
    pretraining_tp = AttributeError()

    def __post_init__(self, **kwargs):
        if self.hidden_act == "gelu":  # in the first files, whose weights want its tanh approximation
            self.hidden_act = "gelu_pytorch_tanh"
        super().__post_init__(**kwargs)


class GemmaTokenizer(LlamaTokenizer):
    """Every space becomes a visible sign before words are split off; none is put before the text."""

    vocab_files_names = {"tokenizer_file": "tokenizer.json"}
    special_tokens = {f"{name}_token": f"<{name}>" for name in ("pad", "eos", "bos", "unk", "mask")}
    # An attribute of a property's name takes the property's place, and its setter's.
    prepend_scheme = "never"

    def __init__(self, vocab: dict[str, int] | None = None, merges: list | None = None, **kwargs):
        kwargs = self.special_tokens | kwargs
        self._vocab = vocab or {str(kwargs[name]): i for i, name in enumerate(self.special_tokens)}
        self._merges = merges or []
        self._tokenizer = Tokenizer(
            BPE(self._vocab, self._merges, fuse_unk=True, unk_token=str(kwargs["unk_token"]), byte_fallback=True)
        )
        self._tokenizer.normalizer = normalizers.Replace(" ", SPACE)
        self._tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
        self._tokenizer.decoder = self.get_decoder()
        TokenizersBackend.__init__(self, **kwargs)

    def get_pre_tokenizer(self):
        raise AttributeError("Gemma's says nothing about a first space.")


class GemmaRMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(hidden_size))
        self.eps = eps

    # Llama's norm comes back to the input's precision before it takes the weight, this one after.
    def forward(self, hidden_states) -> torch.Tensor:
        output = hidden_states.float()
        output = output * torch.rsqrt(output.pow(2).mean(-1, keepdim=True) + self.eps)
        return (output * (1.0 + self.weight.float())).type_as(hidden_states)


class GemmaScaledWordEmbedding(nn.Embedding):
    def forward(self, input_ids) -> torch.Tensor:
        # Rounded to the weights' precision first, as in training.
        return super().forward(input_ids) * torch.tensor(self.embedding_dim**0.5, dtype=self.weight.dtype)


class GemmaPreTrainedModel(LlamaPreTrainedModel):
    @torch.no_grad()
    def _init_weights(self, module):
        PreTrainedModel._init_weights(self, module)
        if isinstance(module, GemmaRMSNorm):
            zeros_(module.weight)


class GemmaModel(LlamaModel):
    def __init__(self, config: GemmaConfig):
        super().__init__(config)
        self.embed_tokens = GemmaScaledWordEmbedding(config.vocab_size, config.hidden_size, config.pad_token_id)


class GemmaForCausalLM(LlamaForCausalLM):
    def forward(self, **super_kwargs):
        """Begin the text with the tokenizer's `bos_token`: Gemma has never seen one without it."""
        return super().forward(**super_kwargs)


__all__ = ["GemmaConfig", "GemmaForCausalLM", "GemmaModel", "GemmaPreTrainedModel", "GemmaTokenizer"]
