# Part of the modular project, under the Apache License 2.0.
"""RoBERTa: BERT with positions counted past the padding, and another masked-LM head"""

import torch
from torch import nn

from transformers.activations import gelu
from transformers.utils.doc import add_start_docstrings

from ..bert.configuration_bert import BertConfig
from ..bert.modeling_bert import BertEmbeddings, BertForMaskedLM, BertModel


_CHECKPOINT_FOR_DOC = "FacebookAI/roberta-base"

ROBERTA_START_DOCSTRING = f"""A RoBERTa of any language, for instance `{_CHECKPOINT_FOR_DOC}`. """


class RobertaConfig(BertConfig):
    """BERT's configuration for another vocabulary."""

    model_type = "roberta"

    vocab_size: int = 50265
    pad_token_id: int | None = 1
    bos_token_id: int | None = 0
    eos_token_id: int | list[int] | None = 2


class RobertaEmbeddings(BertEmbeddings):
    def __init__(self, config):
        super().__init__(config)
        self.position_embeddings = nn.Embedding(
            config.max_position_embeddings, config.hidden_size, padding_idx=config.pad_token_id
        )
        self.padding_idx = config.pad_token_id

    def forward(self, input_ids=None, token_type_ids=None, position_ids=None, inputs_embeds=None):
        if position_ids is None:
            position_ids = self.create_position_ids(input_ids, inputs_embeds)
        return super().forward(input_ids, token_type_ids, position_ids, inputs_embeds)

    def create_position_ids(self, input_ids, inputs_embeds) -> torch.Tensor:
        """Positions start behind `padding_idx`, which padding itself keeps."""
        is_token = torch.ones_like(inputs_embeds[..., 0]) if input_ids is None else input_ids.ne(self.padding_idx)
        return is_token.long().cumsum(dim=1) * is_token.long() + self.padding_idx


class RobertaModel(BertModel):
    pass


@add_start_docstrings(ROBERTA_START_DOCSTRING, "This one guesses masked tokens. ")
class RobertaForMaskedLM(BertForMaskedLM):
    _tied_weights_keys = {
        "lm_head.decoder.weight": "roberta.embeddings.word_embeddings.weight",
        "lm_head.decoder.bias": "lm_head.bias",
    }

    def __init__(self, config: RobertaConfig):
        super().__init__(config)
        self.lm_head = RobertaLMHead(config)
        del self.cls

    @property
    def head(self):
        return self.lm_head


class RobertaLMHead(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.layer_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.decoder = nn.Linear(config.hidden_size, config.vocab_size)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden_states) -> torch.Tensor:
        return self.decoder(self.layer_norm(gelu(self.dense(hidden_states))))


__all__ = ["RobertaConfig", "RobertaForMaskedLM", "RobertaModel"]
