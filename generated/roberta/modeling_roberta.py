# This file is generated from models/roberta/modular_roberta.py. Do not edit it: edit modular_roberta.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.

import torch
from torch import nn

from transformers.activations import ACT2FN, gelu
from transformers.initialization import zeros_
from transformers.masking_utils import create_bidirectional_mask
from transformers.modeling_layers import GradientCheckpointingLayer
from transformers.modeling_outputs import BaseModelOutputWithPooling, MaskedLMOutput
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS, PreTrainedModel
from transformers.utils import can_return_tuple
from transformers.utils.doc import add_start_docstrings
from transformers.utils.output_capturing import capture_outputs

from .configuration_roberta import RobertaConfig


_CHECKPOINT_FOR_DOC = "FacebookAI/roberta-base"


class RobertaEmbeddings(nn.Module):
    """Sum of what a token is, where it stands and which sentence it belongs to."""

    def __init__(self, config):
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id)
        self.position_embeddings = nn.Embedding(
            config.max_position_embeddings, config.hidden_size, padding_idx=config.pad_token_id
        )
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.padding_idx = config.pad_token_id

    def forward(self, input_ids=None, token_type_ids=None, position_ids=None, inputs_embeds=None) -> torch.Tensor:
        if position_ids is None:
            position_ids = self.create_position_ids(input_ids, inputs_embeds)
        if inputs_embeds is None:
            inputs_embeds = self.word_embeddings(input_ids)
        batch_size, length = inputs_embeds.shape[:2]
        if position_ids is None:
            position_ids = torch.arange(length, device=inputs_embeds.device).unsqueeze(0)
        if token_type_ids is None:
            token_type_ids = torch.zeros(batch_size, length, dtype=torch.long, device=inputs_embeds.device)

        embeddings = inputs_embeds + self.token_type_embeddings(token_type_ids)
        embeddings = embeddings + self.position_embeddings(position_ids)
        return self.dropout(self.LayerNorm(embeddings))

    def create_position_ids(self, input_ids, inputs_embeds) -> torch.Tensor:
        """Positions start behind `padding_idx`, which padding itself keeps."""
        is_token = torch.ones_like(inputs_embeds[..., 0]) if input_ids is None else input_ids.ne(self.padding_idx)
        return is_token.long().cumsum(dim=1) * is_token.long() + self.padding_idx


def eager_attention_forward(module, query, key, value, attention_mask, scaling, dropout=0.0, **kwargs):
    attn_weights = torch.matmul(query, key.transpose(-1, -2)) * scaling
    if attention_mask is not None:
        attn_weights = attn_weights + attention_mask
    attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32).to(query.dtype)
    attn_weights = nn.functional.dropout(attn_weights, p=dropout, training=module.training)
    attn_output = torch.matmul(attn_weights, value).transpose(1, 2).contiguous()
    return attn_output, attn_weights


class RobertaSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.attention_head_size = config.hidden_size // config.num_attention_heads
        self.scaling = self.attention_head_size**-0.5
        self.is_causal = False
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def forward(self, hidden_states, attention_mask=None, **kwargs) -> tuple[torch.Tensor, torch.Tensor | None]:
        input_shape = hidden_states.shape[:-1]
        hidden_shape = (*input_shape, -1, self.attention_head_size)
        query = self.query(hidden_states).view(hidden_shape).transpose(1, 2)
        key = self.key(hidden_states).view(hidden_shape).transpose(1, 2)
        value = self.value(hidden_states).view(hidden_shape).transpose(1, 2)

        attention = ALL_ATTENTION_FUNCTIONS.get_interface(self.config._attn_implementation, eager_attention_forward)
        dropout = self.dropout.p if self.training else 0.0
        attn_output, attn_weights = attention(
            self, query, key, value, attention_mask, scaling=self.scaling, dropout=dropout, **kwargs
        )
        return attn_output.reshape(*input_shape, -1).contiguous(), attn_weights


class RobertaSelfOutput(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden_states, input_tensor) -> torch.Tensor:
        return self.LayerNorm(self.dropout(self.dense(hidden_states)) + input_tensor)


class RobertaAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.self = RobertaSelfAttention(config)
        self.output = RobertaSelfOutput(config)

    def forward(self, hidden_states, attention_mask=None, **kwargs) -> torch.Tensor:
        attn_output, _ = self.self(hidden_states, attention_mask, **kwargs)
        return self.output(attn_output, hidden_states)


class RobertaIntermediate(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)
        self.intermediate_act_fn = ACT2FN[config.hidden_act]

    def forward(self, hidden_states) -> torch.Tensor:
        return self.intermediate_act_fn(self.dense(hidden_states))


class RobertaOutput(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.intermediate_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden_states, input_tensor) -> torch.Tensor:
        return self.LayerNorm(self.dropout(self.dense(hidden_states)) + input_tensor)


class RobertaLayer(GradientCheckpointingLayer):
    def __init__(self, config):
        super().__init__()
        self.attention = RobertaAttention(config)
        self.intermediate = RobertaIntermediate(config)
        self.output = RobertaOutput(config)

    def forward(self, hidden_states, attention_mask=None, **kwargs) -> torch.Tensor:
        attention_output = self.attention(hidden_states, attention_mask, **kwargs)
        return self.output(self.intermediate(attention_output), attention_output)


class RobertaEncoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layer = nn.ModuleList([RobertaLayer(config) for _ in range(config.num_hidden_layers)])

    def forward(self, hidden_states, attention_mask=None, **kwargs) -> torch.Tensor:
        for layer in self.layer:
            hidden_states = layer(hidden_states, attention_mask, **kwargs)
        return hidden_states


class RobertaPooler(nn.Module):
    """A summary of the text: the first token's state, once more transformed."""

    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = nn.Tanh()

    def forward(self, hidden_states) -> torch.Tensor:
        return self.activation(self.dense(hidden_states[:, 0]))


class RobertaPreTrainedModel(PreTrainedModel):
    config: RobertaConfig
    base_model_prefix = "roberta"
    supports_gradient_checkpointing = True
    _supports_sdpa = True
    _supports_attention_backend = True
    _can_record_outputs = {"hidden_states": RobertaLayer, "attentions": RobertaSelfAttention}

    @torch.no_grad()
    def _init_weights(self, module):
        super()._init_weights(module)
        if hasattr(module, "decoder"):  # the head that guesses masked tokens
            zeros_(module.bias)


ROBERTA_START_DOCSTRING = f"""A RoBERTa of any language, for instance `{_CHECKPOINT_FOR_DOC}`. """


@add_start_docstrings(ROBERTA_START_DOCSTRING)
class RobertaModel(RobertaPreTrainedModel):
    """The encoder with a pooler, without a head."""

    def __init__(self, config: RobertaConfig, add_pooling_layer=True):
        super().__init__(config)
        self.embeddings = RobertaEmbeddings(config)
        self.encoder = RobertaEncoder(config)
        self.pooler = RobertaPooler(config) if add_pooling_layer else None
        self.post_init()

    def get_input_embeddings(self):
        return self.embeddings.word_embeddings

    def set_input_embeddings(self, value):
        self.embeddings.word_embeddings = value

    def encode(self, hidden_states, position_ids, **kwargs) -> torch.Tensor:
        return self.encoder(hidden_states, **kwargs)

    @capture_outputs
    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        inputs_embeds: torch.Tensor | None = None,
        **kwargs,
    ) -> BaseModelOutputWithPooling:
        hidden_states = self.embeddings(input_ids, token_type_ids, position_ids, inputs_embeds)
        mask = create_bidirectional_mask(self.config, inputs_embeds=hidden_states, attention_mask=attention_mask)
        hidden_states = self.encode(hidden_states, position_ids, attention_mask=mask, **kwargs)
        pooled = self.pooler(hidden_states) if self.pooler is not None else None
        return BaseModelOutputWithPooling(last_hidden_state=hidden_states, pooler_output=pooled)


@add_start_docstrings(ROBERTA_START_DOCSTRING, "This one guesses masked tokens. ")
class RobertaForMaskedLM(RobertaPreTrainedModel):
    """The encoder with a head that guesses masked tokens."""

    _tied_weights_keys = {
        "lm_head.decoder.weight": "roberta.embeddings.word_embeddings.weight",
        "lm_head.decoder.bias": "lm_head.bias",
    }

    def __init__(self, config: RobertaConfig):
        super().__init__(config)
        self.roberta = RobertaModel(config, add_pooling_layer=False)
        self.lm_head = RobertaLMHead(config)
        self.post_init()

    @property
    def head(self) -> nn.Module:
        return self.lm_head

    def get_output_embeddings(self):
        return self.head.decoder

    def set_output_embeddings(self, new_embeddings):
        self.head.decoder = new_embeddings
        self.head.bias = new_embeddings.bias

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
        """Tokens whose label is -100 do not count in the loss."""
        outputs = self.base_model(input_ids, attention_mask, token_type_ids, position_ids, inputs_embeds, **kwargs)
        logits = self.head(outputs.last_hidden_state)
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits.view(-1, self.config.vocab_size), labels.view(-1))
        return MaskedLMOutput(
            loss=loss, logits=logits, hidden_states=outputs.hidden_states, attentions=outputs.attentions
        )


class RobertaLMHead(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.layer_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.decoder = nn.Linear(config.hidden_size, config.vocab_size)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden_states) -> torch.Tensor:
        return self.decoder(self.layer_norm(gelu(self.dense(hidden_states))))


__all__ = ["RobertaForMaskedLM", "RobertaModel"]
