# Part of the modular project, under the Apache License 2.0.
"""RoBERTa: BERT with positions counted past the padding, and another masked-LM head"""

import torch
from torch import nn

from transformers.activations import gelu
from transformers.initialization import zeros_
from transformers.modeling_outputs import MaskedLMOutput
from transformers.modeling_utils import PreTrainedModel
from transformers.utils import can_return_tuple

from ..bert.configuration_bert import BertConfig
from ..bert.modeling_bert import BertEmbeddings, BertForMaskedLM, BertModel, BertPreTrainedModel


_CHECKPOINT_FOR_DOC = "FacebookAI/roberta-base"

ROBERTA_START_DOCSTRING = f"""A RoBERTa model, for instance `{_CHECKPOINT_FOR_DOC}`. """


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

    def forward(self, input_ids=None, token_type_ids=None, position_ids=None, inputs_embeds=None) -> torch.Tensor:
        if position_ids is None:
            position_ids = self.create_position_ids(input_ids, inputs_embeds)
        return super().forward(input_ids, token_type_ids, position_ids, inputs_embeds)

    def create_position_ids(self, input_ids, inputs_embeds) -> torch.Tensor:
        """Positions start behind `padding_idx`, which padding itself keeps."""
        if input_ids is None:
            is_token = torch.ones(inputs_embeds.shape[:-1], dtype=torch.long, device=inputs_embeds.device)
        else:
            is_token = input_ids.ne(self.padding_idx).long()
        return is_token.cumsum(dim=1) * is_token + self.padding_idx


class RobertaPreTrainedModel(BertPreTrainedModel):
    @torch.no_grad()
    def _init_weights(self, module):
        PreTrainedModel._init_weights(self, module)
        if isinstance(module, RobertaLMHead):
            zeros_(module.bias)


class RobertaModel(BertModel):
    def __init__(self, config: RobertaConfig, add_pooling_layer=True):
        super().__init__(config, add_pooling_layer)
        self.embeddings = RobertaEmbeddings(config)


class RobertaLMHead(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.layer_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.decoder = nn.Linear(config.hidden_size, config.vocab_size)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden_states) -> torch.Tensor:
        return self.decoder(self.layer_norm(gelu(self.dense(hidden_states))))


class RobertaForMaskedLM(BertForMaskedLM):
    _tied_weights_keys = {
        "lm_head.decoder.weight": "roberta.embeddings.word_embeddings.weight",
        "lm_head.decoder.bias": "lm_head.bias",
    }

    def __init__(self, config: RobertaConfig):
        super().__init__(config)
        self.roberta = RobertaModel(config, add_pooling_layer=False)
        self.lm_head = RobertaLMHead(config)
        del self.cls

    def get_output_embeddings(self):
        return self.lm_head.decoder

    def set_output_embeddings(self, new_embeddings):
        self.lm_head.decoder = new_embeddings
        self.lm_head.bias = new_embeddings.bias

    @can_return_tuple
    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        inputs_embeds: torch.Tensor | None = None,
        labels: torch.Tensor | None = None,
        **kwargs,
    ) -> MaskedLMOutput:
        outputs = self.roberta(input_ids, attention_mask, token_type_ids, position_ids, inputs_embeds, **kwargs)
        logits = self.lm_head(outputs.last_hidden_state)
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits.view(-1, self.config.vocab_size), labels.view(-1))
        return MaskedLMOutput(
            loss=loss, logits=logits, hidden_states=outputs.hidden_states, attentions=outputs.attentions
        )


__all__ = ["RobertaConfig", "RobertaForMaskedLM", "RobertaModel", "RobertaPreTrainedModel"]
